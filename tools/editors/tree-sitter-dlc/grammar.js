// The text of the IR as Tree-sitter sees it: the structure that all dialects share. Within an op there is a sequence of
// tokens and brackets, since each dialect has a syntax of its own there.
// `words.json` has the words that dialects declare; `cargo xtask grammar` writes it.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const { floats, ops, types } = require("./words.json");

// Words that are attributes where a `<` follows.
const attributes = ["affine_map", "affine_set", "array", "dense", "dense_resource", "distinct", "sparse", "strided"];

// A word of a list. Where several rules match a word, the one of the highest level is taken.
const anyOf = (level, ...words) => token(prec(level, choice(...words)));

const separatedBy = (separator, rule) => seq(rule, repeat(seq(separator, rule)));

module.exports = grammar({
  name: "dlc",
  word: ($) => $.word,
  // A line end is none of them: it ends an op.
  extras: ($) => [/[ \t\r]/, $.comment],

  // What comes after the first word in braces says whether they are a dictionary.
  conflicts: ($) => [
    [$._statement, $.dictionary],
    [$._op_name, $.entry],
    [$.clause, $._plain_word],
  ],

  rules: {
    source_file: ($) => repeat($._statement),
    _statement: ($) => choice($.operation, $.clause, $.block_label, $.alias_definition, $.resources, "\n"),

    // It goes on in the next line where that cannot begin an op: `outs (..) {`.
    operation: ($) =>
      prec.right(
        seq(
          choice(
            seq($.results, "=", field("name", choice($._op_name, $._as_op_name))),
            field("name", $._op_name),
          ),
          optional($._operands),
          repeat(choice($._continued, $._continued_by_word)),
          optional("\n"),
        ),
      ),
    _op_name: ($) => choice($.op_name, alias($.string, $.op_name)),
    _as_op_name: ($) => choice(alias($.word, $.op_name), alias($.type_name, $.op_name)),
    results: ($) => separatedBy($._comma, seq($.value, optional(seq(":", $.integer)))),

    // Of a plan, for example. Here a line that begins with a word is the next clause.
    clause: ($) =>
      prec.dynamic(
        -1,
        prec.right(
          seq(
            field("name", choice(alias($.word, $.clause_name), alias($.type_name, $.clause_name))),
            optional($._operands),
            repeat($._continued),
            optional("\n"),
          ),
        ),
      ),
    block_label: ($) => seq($.block, optional($.group), ":"),
    alias_definition: ($) => prec.right(seq(choice($.type_reference, $.attribute_reference), "=", repeat1($._item))),
    resources: ($) => seq("{-#", repeat($._line_item), "#-}"),

    // What an op consists of after its name. It never begins with `=` or a comma, which an entry of a dictionary does.
    _operands: ($) => prec.right(seq($._simple, repeat($._item))),
    _item: ($) => choice($._simple, "=", $._comma),
    _comma: ($) => prec.right(seq(",", repeat("\n"))),
    _continued: ($) =>
      prec.right(
        seq(
          "\n",
          choice($.symbol, $._number, $._brackets, $._operator, $._comparison, "=", $._comma),
          repeat($._item),
        ),
      ),
    _continued_by_word: ($) => prec.right(seq("\n", choice($._plain_word, $.type, $.attribute), repeat($._item))),
    _simple: ($) => choice($._atom, $._comparison),
    _atom: ($) =>
      choice(
        $.value,
        $.symbol,
        $.block,
        $.string,
        $._number,
        $.boolean,
        $.builtin_type,
        $.type,
        $.attribute,
        $.location,
        $._any_word,
        $._brackets,
        $._operator,
      ),

    // Brackets, in which line ends mean nothing.
    _brackets: ($) => choice($.group, $.list, $.region, $.vector, $.dictionary, $.properties),
    group: ($) => seq("(", repeat($._line_item), ")"),
    list: ($) => seq("[", repeat($._line_item), "]"),
    _line_item: ($) => choice($._simple, "=", ",", "\n"),
    parameters: ($) => seq("<", repeat(choice($._atom, $.parameters, "=", ",", "\n")), ">"),
    region: ($) => seq("{", repeat($._statement), "}"),
    vector: ($) => seq("{", separatedBy(",", choice($.value, $._number)), "}"),
    // A first word decides nothing where it is all: `{widen}` is a dictionary, `{yield}` and words on lines of their own are not.
    dictionary: ($) => seq("{", choice($._entries, prec.dynamic(-2, seq(repeat1("\n"), $._entries))), "}"),
    properties: ($) => seq("<{", repeat("\n"), optional($._entries), "}", ">"),
    _entries: ($) => seq(separatedBy(seq(repeat("\n"), ",", repeat("\n")), $.entry), repeat("\n")),
    entry: ($) =>
      seq(
        field("key", choice($.string, $._plain_word, prec.dynamic(-1, alias($.op_name, $.word)), $.builtin_type)),
        optional(seq("=", field("value", repeat1($._simple)))),
      ),

    type: ($) => choice(seq($.type_name, $.parameters), prec.right(seq($.type_reference, optional($.parameters)))),
    attribute: ($) =>
      choice(
        seq($.attribute_name, $.parameters),
        prec.right(seq($.attribute_reference, optional($.parameters))),
      ),
    location: ($) => seq("loc", $.group),
    symbol: ($) => prec.right(seq(separatedBy("::", $.symbol_name), optional($.parameters))),

    // Words. Names of ops, types and attributes may be anything else, too.
    _any_word: ($) => choice($._plain_word, alias($.op_name, $.word)),
    _plain_word: ($) => choice($.word, $._other_word),
    _other_word: ($) => prec(-1, choice(alias($.type_name, $.word), alias($.attribute_name, $.word))),
    word: (_) => /[A-Za-z_][A-Za-z0-9_$.]*/,
    // Those that may begin a line, and all words with a dot, which modifiers may follow: `ld.shared::cta.b32`.
    op_name: (_) => anyOf(1, ...ops, /[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z0-9_$]+)+(::[A-Za-z0-9_$.]+)*/),
    type_name: (_) => anyOf(2, ...types),
    attribute_name: (_) => anyOf(2, ...attributes),
    // `i2` and others like it are axes.
    builtin_type: (_) => anyOf(2, ...floats, "index", "none", /i(1|8|[1-9][0-9]+)/, /[su]i[1-9][0-9]*/),

    value: (_) => /%([0-9]+|[A-Za-z$._\-][A-Za-z0-9$._\-]*)(#[0-9]+)?/,
    block: (_) => /\^([0-9]+|[A-Za-z$._\-][A-Za-z0-9$._\-]*)/,
    symbol_name: (_) => /@([A-Za-z_][A-Za-z0-9_$.]*|"([^"\\\n]|\\[^\n])*")/,
    type_reference: (_) => /![A-Za-z_][A-Za-z0-9_$.]*/,
    attribute_reference: (_) => /#[A-Za-z_][A-Za-z0-9_$.]*/,
    _number: ($) => choice($.integer, $.float),
    integer: (_) => /[0-9]+|0x[0-9A-Fa-f]+/,
    float: (_) => /[0-9]+\.[0-9]*([eE][+\-]?[0-9]+)?/,
    boolean: (_) => choice("true", "false"),
    string: (_) => /"([^"\\\n]|\\[^\n])*"/,
    comment: (_) => /\/\/[^\n]*/,
    _operator: (_) => choice(":", "::", "->", "-", "+", "*", "/", "?", "|", "&", ";", "...", "#"),
    _comparison: (_) => choice("<", ">", "<=", ">=", "==", "!="),
  },
});
