"""The generic text of dlc as objects: read it, walk it, change it, print it.

A program that reads and writes IR text is a pass of `dlc-opt` (docs/tutorials/write-a-plugin.md). With this module,
which needs nothing but Python, such a pass is a function:

    import dlc_text

    def fold(module):
        for op in module.walk("sample.addi"):
            zero = op.operands[1].op
            if zero and zero.name == "sample.constant" and zero.value("value") == 0:
                op.replace(op.operands[0])

    dlc_text.run(fold)

A module has ops, an op has operands, results, attributes, regions and successors, a region has blocks, a block has
arguments and ops. Types, attributes and locations stay text, as `dlc-opt --print-generic` writes them; `read` and
`write` convert numbers, strings, arrays and dictionaries. Nothing is verified but the form of the text: dlc-opt does
the rest when it reads the result.

What `dlc-opt --print-generic` writes is printed back byte for byte.
"""
import itertools
import os
import re
import sys

__all__ = [
    "Block", "Module", "Op", "Region", "TextError", "Value", "options", "parse", "read", "remark", "run", "write",
]

#: How deep regions may be nested, as in dlc.
DEPTH = 256


class TextError(ValueError):
    """Text that is no generic form of IR: what is wrong, and where (from 1)."""

    def __init__(self, message, line, column):
        super().__init__(f"{line}:{column}: {message}")
        self.message, self.line, self.column = message, line, column


class Value:
    """A result of an op, or an argument of a block. `name` is without the `%`; None takes a free number."""

    def __init__(self, type, name=None, loc=None):
        self.type, self.name, self.loc = type, name, loc
        #: The op that it is a result of; None for an argument.
        self.op = None
        #: The block that it is an argument of; None for a result.
        self.block = None
        self._users = {}

    def __repr__(self):
        return f"<%{self.name or '?'}: {self.type}>"

    @property
    def users(self):
        """The ops that have it as an operand, each once."""
        return list(self._users)

    def replace(self, other):
        """Makes every use of it a use of another value."""
        if other is not self:
            for user in self.users:
                user.operands = [other if operand is self else operand for operand in user.operands]


class Op:
    """An op. `name` is whole, as in `sample.addi`; `loc` is the text in `loc(..)`, or None.

    `properties` are the attributes that its declaration names (`<{..}>`), `attributes` the others (`{..}`); both map
    names to text. `op["key"]` looks into both.
    """

    def __init__(self, name, operands=(), results=(), properties=None, attributes=None, regions=(), successors=(),
                 loc=None):
        self.name, self.loc = name, loc
        self.properties, self.attributes = dict(properties or {}), dict(attributes or {})
        self.successors = list(successors)
        #: The block that it stands in; None until it is inserted.
        self.block = None
        self.regions = []
        for region in regions:
            self.add_region(region)
        #: Results are given as types, or as values.
        self.results = [result if isinstance(result, Value) else Value(result) for result in results]
        for result in self.results:
            result.op = self
        self._operands = ()
        self.operands = operands

    def __repr__(self):
        return f"<{self.name}>"

    @property
    def operands(self):
        """The operands, as a tuple; assign a sequence to change them."""
        return self._operands

    @operands.setter
    def operands(self, values):
        values = tuple(values)
        for value in values:
            if not isinstance(value, Value):
                raise TypeError(f"an operand of {self.name} is no Value: {value!r}")
        for value in self._operands:
            value._users.pop(self, None)
        for value in values:
            value._users[self] = True
        self._operands = values

    @property
    def result(self):
        """Its only result."""
        if len(self.results) != 1:
            raise ValueError(f"{self.name} has {len(self.results)} results")
        return self.results[0]

    @property
    def parent(self):
        """The op around it, or None."""
        region = self.block.region if self.block else None
        return region.op if region else None

    def add_region(self, region=None):
        """Adds a region, and returns it."""
        region = region or Region()
        region.op = self
        self.regions.append(region)
        return region

    def __getitem__(self, key):
        return self.properties[key] if key in self.properties else self.attributes[key]

    def __contains__(self, key):
        return key in self.properties or key in self.attributes

    def get(self, key, default=None):
        """The text of an attribute."""
        return self[key] if key in self else default

    def value(self, key, default=None):
        """An attribute as `read` converts it."""
        return read(self[key]) if key in self else default

    def walk(self, name=None):
        """It and the ops inside of it, in the order of the text. The list is made first: ops may be erased and inserted
        while one goes along it, and those that were erased are still in it."""
        found, stack = [], [self]
        while stack:
            op = stack.pop()
            if name is None or op.name == name:
                found.append(op)
            inside = [op for region in op.regions for block in region.blocks for op in block.ops]
            stack.extend(reversed(inside))
        return found

    def insert_before(self, other):
        """Puts it before another op of a block."""
        other.block.insert(other.block.ops.index(other), self)
        return self

    def insert_after(self, other):
        """Puts it after another op of a block."""
        other.block.insert(other.block.ops.index(other) + 1, self)
        return self

    def remove(self):
        """Takes it out of its block, with its uses, to be inserted somewhere else."""
        if self.block:
            self.block.ops.remove(self)
            self.block = None
        return self

    def erase(self):
        """Takes it away for good, with everything inside. Its results must have no uses left outside of it."""
        inside = self.walk()
        own = set(inside)
        for op in inside:
            for result in op.results:
                left = [user for user in result.users if user not in own]
                if left:
                    raise ValueError(f"{op.name} is erased, and {left[0].name} uses its result %{result.name}")
        self.remove()
        for op in inside:
            op.operands = ()

    def replace(self, *values):
        """Makes uses of its results uses of other values, and erases it."""
        if len(values) != len(self.results):
            raise ValueError(f"{self.name} has {len(self.results)} results, and {len(values)} values replace them")
        for result, value in zip(self.results, values):
            result.replace(value)
        self.erase()


class Block:
    """A block: its arguments and ops. `label` is without the `^`; None takes a free number."""

    def __init__(self, args=(), label=None):
        self.label, self.region = label, None
        #: Arguments are given as types, or as values.
        self.args = [arg if isinstance(arg, Value) else Value(arg) for arg in args]
        for arg in self.args:
            arg.block = self
        self.ops = []

    def insert(self, index, op):
        """Puts an op at a place."""
        if op.block:
            raise ValueError(f"{op.name} stands in a block already")
        self.ops.insert(index, op)
        op.block = self
        return op

    def append(self, op):
        """Puts an op at the end."""
        return self.insert(len(self.ops), op)


class Region:
    """A region: its blocks, of which the first is the entry."""

    def __init__(self, blocks=()):
        self.op, self.blocks = None, []
        for block in blocks:
            self.add_block(block)

    def add_block(self, block=None):
        """Adds a block at the end, and returns it."""
        block = block or Block()
        block.region = self
        self.blocks.append(block)
        return block


class Module:
    """A text: its ops (mostly one, `builtin.module`), and what stands before and after them, which stays text."""

    def __init__(self):
        #: The block of the outermost ops.
        self.body = Region().add_block()
        #: Lines `#name = ..` and `!name = ..`.
        self.aliases = []
        #: `{-# .. #-}`, or nothing.
        self.resources = ""

    @property
    def ops(self):
        """The outermost ops."""
        return self.body.ops

    def walk(self, name=None):
        """Every op, or every op of a name, in the order of the text."""
        return [found for op in self.ops for found in op.walk(name)]

    def __str__(self):
        return _Printer().module(self)


def parse(text):
    """The module that a generic text stands for; TextError where it is none."""
    return _Parser(text).module()


def options():
    """What `external{options=..}` hands over."""
    return os.environ.get("DLC_OPTIONS", "")


def remark(message, kind="analysis"):
    """Reports a remark, of the kind `passed`, `missed` or `analysis`."""
    print(message if kind == "analysis" else f"{kind}: {message}", file=sys.stderr)


def run(function):
    """Runs a function on the module of the standard input, and prints the module to the standard output."""
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        module = parse(sys.stdin.read())
    except TextError as error:
        sys.exit(f"the input is no generic text: {error}")
    function(module)
    sys.stdout.write(str(module))


# Attributes.

_NUMBER = re.compile(r"(-?(?:0x[0-9a-fA-F]+|[0-9]+))(?: : (?:[su]?i[0-9]+|index))?")
_FLOAT = re.compile(r"(-?[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)(?: : \w+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")
_ESCAPE = re.compile(r"\\(n|t|\\|\"|[0-9a-fA-F]{2})", re.DOTALL)
_ESCAPED = {"n": b"\n", "t": b"\t", "\\": b"\\", '"': b'"'}


def read(text):
    """An attribute as Python has it: int, float, bool, str, list, dict, None for `unit`. Others stay text."""
    number, decimal = _NUMBER.fullmatch(text), _FLOAT.fullmatch(text)
    if number:
        return int(number[1], 0) if "x" in number[1] else int(number[1])
    if decimal:
        return float(decimal[1])
    if text in ("true", "false", "unit"):
        return {"true": True, "false": False, "unit": None}[text]
    if text[:1] == '"' and text[-1:] == '"' and len(_Parser(text).tokens) == 2:
        return _unquoted(text)
    if text[:1] == "[" and text[-1:] == "]":
        return [read(item) for item in _Parser(text).sequence("[", "]", _Parser.attribute)]
    if text[:1] == "{" and text[-1:] == "}":
        return {key: read(item) for key, item in _Parser(text).dictionary("{", "}").items()}
    return text


def write(value):
    """The text of an attribute: of an int, float, bool, str, list, dict or None."""
    if value is None or isinstance(value, bool):
        return {None: "unit", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        if "n" in text:
            raise ValueError(f"{text} is written by its bits, as in 0x7FC00000 : f32")
        return text if "." in text else text.replace("e", ".0e")
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(write, value)) + "]"
    if isinstance(value, dict):
        return "{" + _entries({key: write(item) for key, item in value.items()}) + "}"
    raise TypeError(f"an attribute is no {type(value).__name__}")


def _unquoted(text):
    def byte(match):
        return _ESCAPED.get(match[1].decode()) or bytes.fromhex(match[1].decode())

    pattern = re.compile(_ESCAPE.pattern.encode(), re.DOTALL)
    return pattern.sub(byte, text[1:-1].encode()).decode(errors="replace")


def _quoted(text):
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    spelled = (escapes.get(c) or (c if c >= " " and c != "\x7f" else f"\\{ord(c):02X}") for c in text)
    return '"' + "".join(spelled) + '"'


def _entries(attributes):
    keys = {key: key if _WORD.fullmatch(key) else _quoted(key) for key in attributes}
    return ", ".join(keys[key] if text == "unit" else f"{keys[key]} = {text}" for key, text in attributes.items())


# Reading.

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n]+|//[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<value>%(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)(?:\#[0-9]+)?)
    |(?P<block>\^(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))
    |(?P<resources>\{-\#(?:"(?:[^"\\\n]|\\[^\n])*"|[^"])*?\#-\})
    |(?P<word>[A-Za-z_][A-Za-z0-9_$.]*)
    |(?P<alias>[!\#][A-Za-z_][A-Za-z0-9_$.]*)
    |(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?)
    |(?P<mark>->|>=|<=|==|::|\.\.\.|[(){}\[\]<>,:=@+*/?|&-])""",
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class _Scope:
    """The names of a region: values by name, blocks by label, and the uses of names that it does not have (yet)."""

    def __init__(self):
        self.values, self.blocks, self.pending, self.jumps = {}, {}, [], []


class _Parser:
    def __init__(self, text):
        self.text, self.at, self.tokens, self.scopes = text, 0, [], []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match:
                what = "a string that does not end" if text[position] == '"' else f"unknown text {text[position]!r}"
                raise self.error(what, position)
            if match.lastgroup != "skip":
                self.tokens.append((match.lastgroup, match[0], position))
            position = match.end()
        self.tokens.append(("end", "", len(text)))

    def error(self, message, position=None):
        position = self.tokens[self.at][2] if position is None else position
        line = self.text.count("\n", 0, position) + 1
        return TextError(message, line, position - self.text.rfind("\n", 0, position))

    # Tokens.

    @property
    def kind(self):
        return self.tokens[self.at][0]

    @property
    def word(self):
        return self.tokens[self.at][1]

    def next(self):
        token = self.tokens[self.at]
        self.at += token[0] != "end"
        return token[1]

    def takes(self, word):
        if self.word == word and self.kind in ("mark", "word"):
            self.next()
            return True
        return False

    def expected(self, what):
        found = "the end of the text" if self.kind == "end" else f"'{self.word[:40]}'"
        return self.error(f"expected {what}, found {found}")

    def expect(self, word):
        if not self.takes(word):
            raise self.expected(f"'{word}'")

    def expect_kind(self, kind, what):
        if self.kind != kind:
            raise self.expected(what)
        return self.next()

    def sequence(self, opening, closing, item):
        """Items with commas between two brackets."""
        self.expect(opening)
        items = []
        if not self.takes(closing):
            items.append(item(self))
            while self.takes(","):
                items.append(item(self))
            self.expect(closing)
        return items

    def balanced(self, ends):
        """The text up to a mark outside of brackets, which stays; blanks at the ends are left out."""
        start, open_brackets = self.at, []
        while True:
            kind, word, position = self.tokens[self.at]
            if kind == "end" and open_brackets:
                raise self.error(f"'{open_brackets[-1][0]}' is not closed", open_brackets[-1][1])
            if kind == "end" or not open_brackets and kind == "mark" and word in ends:
                break
            if kind == "mark" and word in _CLOSING:
                open_brackets.append((word, position))
                if len(open_brackets) > DEPTH:
                    raise self.error(f"brackets are nested more than {DEPTH} deep")
            elif kind == "mark" and word in _CLOSING.values():
                if not open_brackets or _CLOSING[open_brackets.pop()[0]] != word:
                    raise self.expected("another bracket")
            self.next()
        if start == self.at:
            raise self.expected("something")
        last = self.tokens[self.at - 1]
        return self.text[self.tokens[start][2] : last[2] + len(last[1])]

    # Types, attributes, locations: text.

    def attribute(self):
        return self.balanced((",", "}", "]", ")", ">"))

    def dictionary(self, opening, closing):
        entries = {}

        def entry(_):
            position = self.tokens[self.at][2]
            key = _unquoted(self.next()) if self.kind == "string" else self.expect_kind("word", "a name")
            if key in entries:
                raise self.error(f"'{key}' is there twice", position)
            entries[key] = self.attribute() if self.takes("=") else "unit"

        self.sequence(opening, closing, entry)
        return entries

    def type(self):
        """One type, which ends where the next thing begins."""
        start = self.at
        while self.word == "(":
            self.group()
            if not self.takes("->"):
                raise self.expected("'->'")
            if self.word == "(":
                # Several results, or a function type as the result.
                self.group()
                break
        else:
            self.plain_type()
        last = self.tokens[self.at - 1]
        return self.text[self.tokens[start][2] : last[2] + len(last[1])]

    def plain_type(self):
        if self.kind in ("word", "alias"):
            self.next()
            if self.word == "<":
                self.group()
        else:
            raise self.expected("a type")

    def group(self):
        """Brackets with whatever is in them."""
        closing = _CLOSING[self.next()]
        if not self.takes(closing):
            self.balanced((closing,))
            self.expect(closing)

    def location(self):
        if not self.takes("loc"):
            return None
        self.expect("(")
        text = self.balanced((")",))
        self.expect(")")
        return text

    # Ops.

    def module(self):
        module = Module()
        self.scopes = [_Scope()]
        while self.kind not in ("end", "resources"):
            if self.kind == "alias":
                module.aliases.append(self.alias())
            else:
                module.body.append(self.op())
        if self.kind == "resources":
            module.resources = self.next()
        if self.kind != "end":
            raise self.expected("the end of the text")
        self.close()
        return module

    def alias(self):
        """The line of an alias."""
        start = self.tokens[self.at][2]
        self.next()
        self.expect("=")
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        while self.kind != "end" and self.tokens[self.at][2] < end:
            self.next()
        return self.text[start:end].rstrip()

    def op(self):
        names = self.result_names()
        quoted = self.expect_kind("string", "an op in generic form, as in \"dialect.op\"(..)")
        op = Op(_unquoted(quoted))
        uses = self.sequence("(", ")", lambda _: (self.tokens[self.at][2], self.expect_kind("value", "a value")))
        if self.word == "[":
            jumps = self.sequence("[", "]", lambda _: (self.tokens[self.at][2], self.expect_kind("block", "a block")))
            self.scopes[-1].jumps.append((op, jumps))
        if self.word == "<":
            self.expect("<")
            op.properties = self.dictionary("{", "}")
            self.expect(">")
        if self.word == "(":
            for region in self.sequence("(", ")", _Parser.region):
                op.add_region(region)
        if self.word == "{":
            op.attributes = self.dictionary("{", "}")
        self.expect(":")
        position = self.tokens[self.at][2]
        operand_types = self.sequence("(", ")", _Parser.type)
        if len(operand_types) != len(uses):
            raise self.error(f"{len(operand_types)} types of {len(uses)} operands", position)
        self.expect("->")
        position = self.tokens[self.at][2]
        types = self.result_types()
        if len(types) != len(names):
            raise self.error(f"{len(types)} types of {len(names)} results", position)
        op.loc = self.location()
        for type, (name, place) in zip(types, names):
            result = Value(type, name)
            result.op = op
            op.results.append(result)
            self.define(result, place)
        self.scopes[-1].pending.append((op, uses))
        return op

    def result_names(self):
        """The names of results with their places: `%a, %b =`, `%r:2 =`."""
        names = []
        while self.kind == "value":
            place, name = self.tokens[self.at][2], self.next()[1:]
            if "#" in name:
                raise self.error("a result is named without '#'", place)
            if self.takes(":"):
                count = int(self.expect_kind("number", "a number of results"), 0)
                if not 0 < count <= 65535:
                    raise self.error(f"{count} results", place)
                names.extend((f"{name}#{index}", place) for index in range(count))
            else:
                names.append((name, place))
            if not self.takes(","):
                self.expect("=")
                return names
        if names:
            raise self.expected("a value")
        return names

    def result_types(self):
        """`()`, several in parentheses, or one alone; a function type alone stands in parentheses too."""
        return self.sequence("(", ")", _Parser.type) if self.word == "(" else [self.type()]

    def region(self):
        if len(self.scopes) > DEPTH:
            raise self.error(f"regions are nested more than {DEPTH} deep")
        self.expect("{")
        self.scopes.append(_Scope())
        region = Region()
        while self.word != "}":
            if self.kind == "block":
                place, label = self.tokens[self.at][2], self.next()
                if label in self.scopes[-1].blocks:
                    raise self.error(f"the block {label} is there twice", place)
                block = self.scopes[-1].blocks[label] = region.add_block(Block(label=label[1:]))
                if self.word == "(":
                    block.args = self.sequence("(", ")", lambda _: self.argument(block))
                self.expect(":")
            elif self.kind == "end":
                raise self.expected("'}'")
            else:
                block = region.blocks[-1] if region.blocks else region.add_block()
                block.append(self.op())
        self.expect("}")
        self.close()
        return region

    def argument(self, block):
        place, name = self.tokens[self.at][2], self.expect_kind("value", "a value")
        self.expect(":")
        value = Value(self.type(), name[1:])
        value.loc, value.block = self.location(), block
        self.define(value, place)
        return value

    # Names.

    def define(self, value, place):
        values = self.scopes[-1].values
        if value.name in values:
            raise self.error(f"%{value.name} is defined twice", place)
        values[value.name] = value
        # `%r` of several results is the first.
        if value.name.endswith("#0"):
            values.setdefault(value.name[:-2], value)

    def close(self):
        """Looks the names of a region up, and leaves to the region around it those that are not its own."""
        scope = self.scopes.pop()
        for op, jumps in scope.jumps:
            for place, label in jumps:
                if label not in scope.blocks:
                    raise self.error(f"there is no block {label}", place)
                op.successors.append(scope.blocks[label])
        for op, uses in scope.pending:
            # What an inner region has found is a value already.
            uses = [use if isinstance(use, Value) else scope.values.get(use[1][1:], use) for use in uses]
            missing = next((use for use in uses if not isinstance(use, Value)), None)
            if not missing:
                op.operands = uses
            elif self.scopes:
                self.scopes[-1].pending.append((op, uses))
            else:
                raise self.error(f"{missing[1]} is not defined", missing[0])


# Printing.


class _Printer:
    def __init__(self):
        #: What is written, the name of each value and block, and the names in use, by region from the outermost.
        self.parts, self.names, self.visible = [], {}, []
        self.numbers = itertools.count()

    def module(self, module):
        self.name_region([module.body])
        for line in module.aliases:
            self.parts.append(line + "\n")
        for op in module.ops:
            self.op(op, 0)
        if module.resources:
            self.parts.append(f"\n{module.resources}\n")
        return "".join(self.parts)

    def op(self, op, indent):
        write = self.parts.append
        write("  " * indent)
        if op.results:
            write(self.result_names(op.results) + " = ")
        operands = ", ".join(self.name(operand) for operand in op.operands)
        write(f"{_quoted(op.name)}({operands})")
        if op.successors:
            write(" [" + ", ".join("^" + self.label(block) for block in op.successors) + "]")
        if op.properties:
            write(" <{" + _entries(op.properties) + "}>")
        if op.regions:
            write(" (")
            for index, region in enumerate(op.regions):
                write(", " if index else "")
                self.region(region, indent)
            write(")")
        if op.attributes:
            write(" {" + _entries(op.attributes) + "}")
        write(" : (" + ", ".join(operand.type for operand in op.operands) + ") -> ")
        types = ", ".join(result.type for result in op.results)
        write(types if len(op.results) == 1 and not types.startswith("(") else f"({types})")
        write(f" loc({op.loc})\n" if op.loc else "\n")

    def region(self, region, indent):
        self.parts.append("{\n")
        for index, block in enumerate(region.blocks):
            if index or block.args or not block.ops:
                args = ", ".join(self.argument(arg) for arg in block.args)
                label = "  " * indent + "^" + self.label(block)
                self.parts.append(label + (f"({args}):\n" if args else ":\n"))
            for op in block.ops:
                self.op(op, indent + 1)
        self.parts.append("  " * indent + "}")

    def argument(self, arg):
        return f"{self.name(arg)}: {arg.type}" + (f" loc({arg.loc})" if arg.loc else "")

    def result_names(self, results):
        """`%a, %r:2`: results that have numbers of one name stand under it."""
        groups = []
        for result in results:
            name, _, number = self.names[result].partition("#")
            if number and number != "0":
                groups[-1][1] += 1
            else:
                groups.append([name, 1])
        return ", ".join(f"%{name}" if count == 1 else f"%{name}:{count}" for name, count in groups)

    def name(self, value):
        if value not in self.names:
            raise ValueError(f"{value!r} is used, and is not visible there")
        name = self.names[value]
        return "%" + (name[:-2] if name.endswith("#0") else name)

    def label(self, block):
        if block not in self.names:
            raise ValueError("a successor is a block of another region")
        return self.names[block]

    def name_region(self, blocks):
        """Gives names to the values and blocks of a region: none that is taken there, or before in a region around it."""
        labels = set()
        for number, block in enumerate(blocks):
            self.names[block] = self.free(block.label or f"bb{number}", labels.__contains__)
            labels.add(self.names[block])
        self.visible.append(set())
        for block in blocks:
            for arg in block.args:
                self.name_values([arg])
            for op in block.ops:
                # In the order of dlc, where an op's results are not visible in its own regions.
                for region in op.regions:
                    self.name_region(region.blocks)
                for values in self.groups(op.results):
                    self.name_values(values)
        self.visible.pop()

    def name_values(self, values):
        """Gives a name to a value, or one to several results with numbers."""
        name = values[0].name and values[0].name.partition("#")[0]
        name = self.free(name, self.is_taken) if name else next(filter(self.is_free, map("v{}".format, self.numbers)))
        self.visible[-1].add(name)
        for index, value in enumerate(values):
            self.names[value] = name if len(values) == 1 else f"{name}#{index}"

    def is_taken(self, name):
        return any(name in names for names in self.visible)

    def is_free(self, name):
        return not self.is_taken(name)

    @staticmethod
    def groups(results):
        """The results, those together that have numbers of one name, in order."""
        groups = []
        for result in results:
            base, _, number = (result.name or "").partition("#")
            follows = groups and number == str(len(groups[-1])) and groups[-1][0].name == base + "#0"
            if follows:
                groups[-1].append(result)
            else:
                groups.append([result])
        return groups

    @staticmethod
    def free(name, is_taken):
        number, wanted = 0, name
        while is_taken(name):
            name, number = f"{wanted}_{number}", number + 1
        return name
