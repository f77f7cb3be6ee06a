//! A text and the values in it, each with its place and its path.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use dlc_ir::Loc;
use dlc_ir::diag::{Code, Diagnostic, Diagnostics};
use dlc_ir::location::SourceFile;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{JSON_SYNTAX, WRONG_VALUE};

/// What is wrong has been said to the diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reported;

/// A value, or nothing since what is wrong was said.
pub type Read<T> = Result<T, Reported>;

/// A text of JSON, or a part of a file that is one.
pub struct Document<'a> {
    file: &'a SourceFile,
    diags: &'a Diagnostics,
    /// Where the text begins in the file.
    start: usize,
    /// The text with blanks for its comments: every byte keeps its place.
    text: String,
}

impl<'a> Document<'a> {
    /// Takes a part of a file.
    pub fn new(file: &'a SourceFile, part: Range<usize>, diags: &'a Diagnostics) -> Document<'a> {
        let (start, text) = (part.start, without_comments(&file.text[part]));
        Document { file, diags, start, text }
    }

    /// Where diagnostics go.
    pub fn diags(&self) -> &'a Diagnostics {
        self.diags
    }

    /// The value that the text is. An error when the text is not JSON.
    pub fn root(&self) -> Read<Node<'_>> {
        match serde_json::from_str::<&RawValue>(&self.text) {
            Ok(raw) => Ok(Node { doc: self, text: raw.get(), path: Rc::new(Path::Root) }),
            Err(error) => {
                let line = self.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
                let mut at = (line.sum::<usize>() + error.column().saturating_sub(1)).min(self.text.len());
                while !self.text.is_char_boundary(at) {
                    at -= 1;
                }
                Err(self.not_json(at, &error))
            }
        }
    }

    fn not_json(&self, at: usize, error: &serde_json::Error) -> Reported {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let loc = self.file.loc(self.start + at);
        let (before, following) = self.text.split_at(at);
        let comma = before.trim_end().ends_with(',') && following.starts_with(['}', ']']);
        let error = Diagnostic::error(&JSON_SYNTAX, loc, format!("this is not JSON: {message}"));
        self.diags.emit(error.suggest_if(comma.then_some("JSON has no comma after the last entry")));
        Reported
    }

    fn offset_of(&self, piece: &str) -> usize {
        // A piece is always a part of the text.
        (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }
}

/// The text with blanks in place of comments: every byte keeps its place.
pub fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            // A string ends with its line: one that was not closed must not hide the comments after it.
            b'"' | b'\n' if in_string => in_string = false,
            b'"' => in_string = true,
            b'/' if !in_string && bytes.get(at + 1) == Some(&b'/') => {
                let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |len| at + len);
                bytes[at..end].fill(b' ');
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    // Whole comments become ASCII, so the rest is as valid as it was.
    String::from_utf8(bytes).unwrap_or_default()
}

/// How to come to a value from the top.
enum Path {
    Root,
    Key(Rc<Path>, String),
    Index(Rc<Path>, usize),
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(of, key) if matches!(**of, Path::Root) => f.write_str(key),
            Path::Key(of, key) => write!(f, "{of}.{key}"),
            Path::Index(of, index) => write!(f, "{of}[{index}]"),
        }
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool,
    /// `1`, `-0.5`
    Number,
    /// `"text"`
    String,
    /// `[..]`
    List,
    /// `{..}`
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::List => "a list",
            Kind::Object => "an object",
        })
    }
}

/// A value in a text.
#[derive(Clone)]
pub struct Node<'a> {
    doc: &'a Document<'a>,
    text: &'a str,
    path: Rc<Path>,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.text)
    }
}

impl<'a> Node<'a> {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::List,
            Some(b'{') => Kind::Object,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// As it is written, comments left out.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where it begins.
    pub fn loc(&self) -> Loc {
        self.doc.file.loc(self.doc.start + self.doc.offset_of(self.text))
    }

    /// How to come to it: `uops[3].arg.dims`.
    pub fn path(&self) -> String {
        match *self.path {
            Path::Root => "the document".into(),
            _ => self.path.to_string(),
        }
    }

    /// Where diagnostics go.
    pub fn diags(&self) -> &'a Diagnostics {
        self.doc.diags
    }

    /// An error about the value, to be completed and given to [`report`](Self::report).
    pub fn error(&self, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        // Of what spans lines the first is shown.
        let len = self.text.lines().next().map_or(0, str::len);
        Diagnostic::error(code, self.loc(), message).spanning(len)
    }

    /// Says what is wrong.
    pub fn report(&self, error: Diagnostic) -> Reported {
        self.doc.diags.emit(error);
        Reported
    }

    /// Says that the value is not what is wanted, in words that complete "must be".
    pub fn not(&self, wanted: &str) -> Reported {
        self.report(self.wrong(wanted))
    }

    /// The error of [`not`](Self::not).
    pub fn wrong(&self, wanted: &str) -> Diagnostic {
        let shown = match self.kind() {
            kind @ (Kind::List | Kind::Object | Kind::String) if self.text.len() > 40 => kind.to_string(),
            _ => self.text.to_string(),
        };
        self.error(&WRONG_VALUE, format!("'{}' must be {wanted}, not {shown}", self.path()))
    }

    /// The text of a string.
    pub fn string(&self, wanted: &str) -> Read<Cow<'a, str>> {
        match self.kind() {
            Kind::String => self.decoded(),
            _ => Err(self.not(wanted)),
        }
    }

    fn decoded(&self) -> Read<Cow<'a, str>> {
        let inner = self.text.get(1..self.text.len().saturating_sub(1)).unwrap_or_default();
        if !inner.contains('\\') {
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str::<String>(self.text).map(Cow::Owned).map_err(|error| self.malformed(&error))
    }

    /// A string that says what a value is called: not empty.
    pub fn name(&self) -> Read<Cow<'a, str>> {
        match self.string("a name")? {
            name if name.is_empty() => Err(self.not("a name")),
            name => Ok(name),
        }
    }

    /// A 64-bit whole number.
    pub fn int(&self) -> Read<i64> {
        self.text.parse().map_err(|_| match self.kind() {
            Kind::Number if !self.text.contains(['.', 'e', 'E']) => self.not("an integer of at most 64 bits"),
            _ => self.not("an integer"),
        })
    }

    /// The elements of a list.
    pub fn list(&self, wanted: &str) -> Read<Vec<Node<'a>>> {
        if self.kind() != Kind::List {
            return Err(self.not(wanted));
        }
        let items = serde_json::from_str::<Vec<&'a RawValue>>(self.text).map_err(|error| self.malformed(&error))?;
        let node = |(index, raw): (usize, &'a RawValue)| Node {
            doc: self.doc,
            text: raw.get(),
            path: Rc::new(Path::Index(self.path.clone(), index)),
        };
        Ok(items.into_iter().enumerate().map(node).collect())
    }

    /// The elements of a list, each read in the same way. Every one that is wrong is reported.
    pub fn list_of<T>(&self, wanted: &str, mut read: impl FnMut(&Node<'a>) -> Read<T>) -> Read<Vec<T>> {
        let items = self.list(wanted)?;
        let read: Vec<Read<T>> = items.iter().map(&mut read).collect();
        read.into_iter().collect()
    }

    /// The keys of an object with their values, in the order in which they are written. Each key is a node of its own,
    /// which stands at the key.
    pub fn entries(&self, wanted: &str) -> Read<Vec<(Cow<'a, str>, Node<'a>, Node<'a>)>> {
        if self.kind() != Kind::Object {
            return Err(self.not(wanted));
        }
        let mut reader = serde_json::Deserializer::from_str(self.text);
        let entries = reader.deserialize_map(Entries).map_err(|error| self.malformed(&error))?;
        let entry = |(key, value): (&'a RawValue, &'a RawValue)| {
            let key = Node { doc: self.doc, text: key.get(), path: self.path.clone() };
            let name = key.decoded()?;
            let path = Rc::new(Path::Key(self.path.clone(), name.to_string()));
            Ok((name, key, Node { doc: self.doc, text: value.get(), path }))
        };
        entries.into_iter().map(entry).collect()
    }

    /// What only shows when a value is looked into: half of a surrogate pair in a string.
    fn malformed(&self, error: &serde_json::Error) -> Reported {
        self.doc.not_json(self.doc.offset_of(self.text), error)
    }
}

/// The entries of an object, as they are written.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
