//! Assembly formats: from the string of a declaration to pieces, with every mistake found here, at compile time.

use proc_macro2::TokenStream;
use quote::quote;

/// A field of the declaration, as far as formats are concerned.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub role: Role,
}

/// What a field is. Indices count the fields of the same role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Operands that are passed to a successor (by its index) are written with it.
    Operand {
        index: u8,
        may_be_absent: bool,
        passed: Option<u8>,
    },
    Result,
    Attr {
        index: u8,
        optional: bool,
    },
    Region {
        index: u8,
        variadic: bool,
    },
    Successor {
        index: u8,
    },
}

/// One piece of a format: the `Directive` that it becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Word(String),
    Mark(String),
    Operand(u8),
    Attr(u8),
    Region(u8),
    Successor(u8),
    ResultTypes,
    AttrDict,
    Optional(Vec<Piece>),
}

/// A mistake, and the byte of the string at which it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    pub at: usize,
    pub message: String,
}

/// The marks that `Token::of_punctuation` of `dlc-ir` knows.
const MARKS: [&str; 18] = ["(", ")", "{", "}", "[", "]", "<", ">", ",", "::", ":", "=", "->", "-", "+", "*", "?", "/"];

/// Reads a format. `infers` says whether the types of the results can be inferred, so that they need not be written.
pub fn parse(text: &str, fields: &[Field], infers: bool) -> Result<Vec<Piece>, FormatError> {
    let mut parser = Parser { text, at: 0, fields, seen: vec![false; fields.len()], types: false, dict: false };
    let pieces = parser.pieces(false)?;
    parser.check_complete(infers)?;
    // Both begin with a brace, so the parser could not tell which of them stands there.
    let followed = |pair: &[Piece]| matches!(pair, [Piece::AttrDict, Piece::Region(_)]);
    if pieces.windows(2).any(followed) {
        return parser.error("a region does not stand after `attr-dict`: both begin with `{`");
    }
    Ok(pieces)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    fields: &'a [Field],
    seen: Vec<bool>,
    types: bool,
    dict: bool,
}

impl Parser<'_> {
    fn pieces(&mut self, in_group: bool) -> Result<Vec<Piece>, FormatError> {
        let mut pieces = Vec::new();
        loop {
            self.skip_blanks();
            let rest = &self.text[self.at..];
            match rest.chars().next() {
                None if in_group => return self.error("the group has no `)?`"),
                None => return Ok(pieces),
                Some(')') if in_group => return Ok(pieces),
                Some('`') => pieces.push(self.literal()?),
                Some('$') => pieces.push(self.variable(in_group)?),
                Some('(') if in_group => return self.error("a group does not stand inside a group"),
                Some('(') => pieces.push(self.group()?),
                Some(_) if rest.starts_with("attr-dict") => {
                    if in_group || self.dict {
                        return self.error("`attr-dict` stands once, outside of groups");
                    }
                    self.dict = true;
                    self.at += "attr-dict".len();
                    pieces.push(Piece::AttrDict);
                }
                Some(_) if rest.starts_with("type(") => {
                    // The colon before it belongs to the directive: both are left out together.
                    if in_group || self.types || pieces.pop() != Some(Piece::Mark(":".into())) {
                        return self.error("types stand once, after `:` and outside of groups: `` `:` type($out) ``");
                    }
                    self.result_types()?;
                    pieces.push(Piece::ResultTypes);
                }
                Some(c) => {
                    return self.error(format!(
                        "expected a word or mark in backquotes, `$field`, `attr-dict`, `type(..)` or `(..)?`, found `{c}`"
                    ));
                }
            }
        }
    }

    /// `` `word` `` or `` `,` ``
    fn literal(&mut self) -> Result<Piece, FormatError> {
        let rest = &self.text[self.at + 1..];
        let Some(len) = rest.find('`') else { return self.error("the backquote has no partner") };
        let text = rest[..len].to_string();
        let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_word && !MARKS.contains(&text.as_str()) {
            let marks = MARKS.join(" ");
            return self.error(format!("`{text}` is neither a word nor one of the marks {marks}"));
        }
        self.at += len + 2;
        Ok(if is_word { Piece::Word(text) } else { Piece::Mark(text) })
    }

    fn variable(&mut self, in_group: bool) -> Result<Piece, FormatError> {
        let start = self.at;
        let index = self.field()?;
        let role = self.fields[index].role;
        let fail = |message: String| Err(FormatError { at: start, message });
        let name = &self.fields[index].name;
        if self.seen[index] {
            return fail(format!("`${name}` stands twice"));
        }
        self.check_order(start, index)?;
        let piece = match role {
            Role::Operand { passed: Some(_), .. } => {
                return fail(format!("`${name}` is passed to a successor, and is written with it"));
            }
            Role::Operand { index, .. } => Piece::Operand(index),
            Role::Attr { index, .. } => Piece::Attr(index),
            Role::Region { index, .. } => Piece::Region(index),
            Role::Successor { index } => Piece::Successor(index),
            Role::Result => {
                return fail(format!("`${name}` is a result; its type is written as `` `:` type(${name}) ``"));
            }
        };
        let must_be_there = match role {
            Role::Operand { may_be_absent, .. } => !may_be_absent,
            Role::Attr { optional, .. } => !optional,
            Role::Region { variadic, .. } => !variadic,
            Role::Successor { .. } | Role::Result => true,
        };
        if in_group && must_be_there {
            return fail(format!("`${name}` is never absent, so it does not stand in a group that may be"));
        }
        if !in_group && matches!(role, Role::Attr { optional: true, .. }) {
            return fail(format!("`${name}` may be absent, so it stands in a group that may be: (`word` ${name}^)?"));
        }
        self.seen[index] = true;
        if let Role::Successor { index: successor } = role {
            // What is passed to the successor is written with it, so this is its place.
            let passed = |f: &Field| matches!(f.role, Role::Operand { passed: Some(to), .. } if to == successor);
            if let Some(args) = self.fields.iter().position(passed) {
                self.check_order(start, args)?;
                self.seen[args] = true;
            }
        }
        Ok(piece)
    }

    /// The parser gives operands, regions and successors to the op in the order in which it meets them.
    fn check_order(&self, start: usize, index: usize) -> Result<(), FormatError> {
        let role = self.fields[index].role;
        if matches!(role, Role::Attr { .. }) {
            return Ok(());
        }
        let same = |field: &Field| std::mem::discriminant(&field.role) == std::mem::discriminant(&role);
        match (0..index).find(|&i| same(&self.fields[i]) && !self.seen[i]) {
            None => Ok(()),
            Some(before) => {
                let (before, name) = (&self.fields[before].name, &self.fields[index].name);
                let message = format!("`${before}` is declared before `${name}`, and must stand before it");
                Err(FormatError { at: start, message })
            }
        }
    }

    /// `(`..`)?`, with `^` after the field that says whether the group is there.
    fn group(&mut self) -> Result<Piece, FormatError> {
        let open = self.at;
        self.at += 1;
        let anchor = self.text[open..].find(")?").map(|len| &self.text[open..open + len]);
        let pieces = self.pieces(true)?;
        if !self.text[self.at..].starts_with(")?") {
            return self.error("a group ends with `)?`");
        }
        self.at += 2;
        let fail = |message: &str| Err(FormatError { at: open, message: message.into() });
        if !matches!(pieces.first(), Some(Piece::Word(_) | Piece::Mark(_))) {
            return fail("a group begins with a word or mark, by which the parser knows that it is there");
        }
        // The printer goes by the first field, so that is the one which may carry the `^`.
        let first = anchor.and_then(|group| {
            let dollar = group.find('$')?;
            let len = group[dollar + 1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            Some(group[dollar + 1 + len.unwrap_or(group.len() - dollar - 1)..].trim_start())
        });
        match first {
            Some(rest) if rest.starts_with('^') => Ok(Piece::Optional(pieces)),
            _ => fail("the first field of a group decides whether it is there: write `^` after it"),
        }
    }

    fn result_types(&mut self) -> Result<(), FormatError> {
        self.at += "type(".len();
        self.types = true;
        let results: Vec<usize> = (0..self.fields.len()).filter(|&i| self.fields[i].role == Role::Result).collect();
        if self.text[self.at..].starts_with("results)") {
            self.at += "results)".len();
            return match results.is_empty() {
                true => self.error("the op has no results"),
                false => Ok(()),
            };
        }
        if !self.text[self.at..].starts_with('$') {
            return self.error("expected `$` and the name of the result, or `results` for all");
        }
        let start = self.at;
        let index = self.field()?;
        let name = &self.fields[index].name;
        if self.fields[index].role != Role::Result {
            return Err(FormatError { at: start, message: format!("`${name}` is no result") });
        }
        if results.len() > 1 {
            let message = "types are written for all results at once: `` `:` type(results) ``".into();
            return Err(FormatError { at: start, message });
        }
        if !self.text[self.at..].starts_with(')') {
            return self.error("expected `)`");
        }
        self.at += 1;
        Ok(())
    }

    /// `$name`, with the `^` that may follow it.
    fn field(&mut self) -> Result<usize, FormatError> {
        let rest = &self.text[self.at + 1..];
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..len];
        let Some(index) = self.fields.iter().position(|field| field.name == name) else {
            let known: Vec<String> = self.fields.iter().map(|field| format!("`${}`", field.name)).collect();
            return self.error(format!("`${name}` names no field; there are {}", known.join(", ")));
        };
        self.at += 1 + len;
        if self.text[self.at..].starts_with('^') {
            self.at += 1;
        }
        Ok(index)
    }

    /// Everything that the op has must be written, or the custom form would lose it.
    fn check_complete(&self, infers: bool) -> Result<(), FormatError> {
        for (field, seen) in self.fields.iter().zip(&self.seen) {
            let name = &field.name;
            let written = match field.role {
                Role::Operand { .. } | Role::Region { .. } | Role::Successor { .. } => *seen,
                Role::Attr { .. } => *seen || self.dict,
                Role::Result => self.types || infers,
            };
            if !written {
                return self.error(match field.role {
                    Role::Result => format!(
                        "the type of `${name}` is neither written (`` `:` type(${name}) ``) nor inferred (`infer = ..`)"
                    ),
                    _ => format!("`${name}` does not stand in the format"),
                });
            }
        }
        match self.dict {
            true => Ok(()),
            false => self.error("`attr-dict` does not stand in the format: attributes would be lost"),
        }
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormatError> {
        Err(FormatError { at: self.at, message: message.into() })
    }
}

/// The `&[Directive]` that pieces become.
pub fn directives(pieces: &[Piece]) -> TokenStream {
    let pieces = pieces.iter().map(|piece| {
        let directive = match piece {
            Piece::Word(word) => quote!(Word(#word)),
            Piece::Mark(mark) => quote!(Mark(#mark)),
            Piece::Operand(index) => quote!(Operand(#index)),
            Piece::Attr(index) => quote!(Attr(#index)),
            Piece::Region(index) => quote!(Region(#index)),
            Piece::Successor(index) => quote!(Successor(#index)),
            Piece::ResultTypes => quote!(ResultTypes),
            Piece::AttrDict => quote!(AttrDict),
            Piece::Optional(group) => {
                let group = directives(group);
                quote!(Optional(#group))
            }
        };
        quote!(::dlc_ir::text::format::Directive::#directive)
    });
    quote!(&[#(#pieces),*])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(index: u8, name: &str) -> Field {
        Field { name: name.into(), role: Role::Operand { index, may_be_absent: false, passed: None } }
    }

    fn field(name: &str, role: Role) -> Field {
        Field { name: name.into(), role }
    }

    fn binary() -> Vec<Field> {
        vec![operand(0, "lhs"), operand(1, "rhs"), field("out", Role::Result)]
    }

    /// The format is refused, with this message at the place that `^` marks in `place`.
    fn check_error(format: &str, fields: &[Field], place: &str, message: &str) {
        let error = parse(format, fields, false).expect_err(format);
        assert!(error.message.contains(message), "{format}: {}", error.message);
        assert_eq!(error.at, place.len(), "{format}: found at '{}'", &format[..error.at]);
        assert!(format.starts_with(place));
    }

    #[test]
    fn a_binary_op() {
        let pieces = parse("$lhs `,` $rhs attr-dict `:` type($out)", &binary(), false);
        let wanted =
            vec![Piece::Operand(0), Piece::Mark(",".into()), Piece::Operand(1), Piece::AttrDict, Piece::ResultTypes];
        assert_eq!(pieces, Ok(wanted));
    }

    #[test]
    fn an_optional_group() {
        let fields = [
            operand(0, "from"),
            field("size", Role::Operand { index: 1, may_be_absent: true, passed: None }),
            field("align", Role::Attr { index: 0, optional: true }),
        ];
        let pieces = parse("$from (`[` $size^ `]`)? (`align` $align^)? attr-dict", &fields, false);
        let wanted = vec![
            Piece::Operand(0),
            Piece::Optional(vec![Piece::Mark("[".into()), Piece::Operand(1), Piece::Mark("]".into())]),
            Piece::Optional(vec![Piece::Word("align".into()), Piece::Attr(0)]),
            Piece::AttrDict,
        ];
        assert_eq!(pieces, Ok(wanted));
    }

    #[test]
    fn passed_operands_are_written_with_their_successor() {
        let fields = [
            field("args", Role::Operand { index: 0, may_be_absent: true, passed: Some(0) }),
            field("dest", Role::Successor { index: 0 }),
        ];
        assert_eq!(parse("$dest attr-dict", &fields, false), Ok(vec![Piece::Successor(0), Piece::AttrDict]));
        check_error("$args $dest attr-dict", &fields, "", "written with it");
    }

    #[test]
    fn types_may_be_left_out_where_they_are_inferred() {
        assert!(parse("$lhs `,` $rhs attr-dict", &binary(), true).is_ok());
        let whole = "$lhs `,` $rhs attr-dict";
        check_error(whole, &binary(), whole, "neither written");
    }

    #[test]
    fn mistakes_in_fields() {
        let fields = binary();
        check_error("$lsh `,` $rhs", &fields, "", "`$lsh` names no field; there are `$lhs`, `$rhs`, `$out`");
        check_error("$rhs `,` $lhs", &fields, "", "`$lhs` is declared before `$rhs`");
        check_error("$lhs `,` $lhs", &fields, "$lhs `,` ", "stands twice");
        check_error("$lhs `,` $rhs $out", &fields, "$lhs `,` $rhs ", "is a result");
        check_error("$lhs attr-dict `:` type($out)", &fields, "$lhs attr-dict `:` type($out)", "`$rhs` does not stand");
        check_error("$lhs $rhs `:` type($out)", &fields, "$lhs $rhs `:` type($out)", "attributes would be lost");
    }

    #[test]
    fn mistakes_in_marks_and_types() {
        let fields = binary();
        check_error("$lhs `%` $rhs", &fields, "$lhs ", "neither a word nor one of the marks");
        check_error("$lhs ` $rhs", &fields, "$lhs ", "no partner");
        check_error("$lhs, $rhs", &fields, "$lhs", "found `,`");
        check_error("$lhs type($out)", &fields, "$lhs ", "after `:`");
        check_error("$lhs `:` type($rhs)", &fields, "$lhs `:` type(", "no result");
        check_error("$lhs `:` type(out)", &fields, "$lhs `:` type(", "expected `$`");
        check_error("attr-dict attr-dict", &fields, "attr-dict ", "stands once");
    }

    #[test]
    fn mistakes_in_groups() {
        let optional = field("size", Role::Attr { index: 0, optional: true });
        let fields = [operand(0, "lhs"), optional];
        check_error("$lhs (`by` $size)? attr-dict", &fields, "$lhs ", "write `^`");
        check_error("$lhs ($size^)? attr-dict", &fields, "$lhs ", "begins with a word");
        check_error("$lhs (`by` $size^ attr-dict", &fields, "$lhs (`by` $size^ ", "outside of groups");
        check_error("$lhs (`by` $size^", &fields, "$lhs (`by` $size^", "no `)?`");
        check_error("(`of` $lhs^)? attr-dict", &fields, "(`of` ", "never absent");
        check_error("$lhs $size attr-dict", &fields, "$lhs ", "may be absent");
        check_error("$lhs (`by` (`x` $size^)?)?", &fields, "$lhs (`by` ", "inside a group");
    }

    #[test]
    fn a_region_stands_before_attributes() {
        let fields = [field("body", Role::Region { index: 0, variadic: false })];
        assert!(parse("$body attr-dict", &fields, false).is_ok());
        check_error("attr-dict $body", &fields, "attr-dict $body", "both begin with");
    }

    /// No string, however odd, makes the parser panic.
    #[test]
    fn any_string_is_parsed_or_refused() {
        let parts = ["$lhs", "$", "`", ",", "type(", "results)", "(", ")?", "^", "attr-dict", " ", "é", ":", "`:`"];
        for a in parts {
            for b in parts {
                for c in parts {
                    drop(parse(&format!("{a}{b}{c}"), &binary(), true));
                }
            }
        }
    }
}
