//! What clauses consist of: numbers, words, names, tables, and records of them. Each is written in four ways: in a clause,
//! in JSON, as an attribute, and read back from each.

use dlc_core::json::names::dtype_name;
use dlc_core::json::{Item, Kind as JsonKind, Node, Read};
use dlc_ir::text::{ParseResult, Parser, Token};
use dlc_ir::{Attr, Context, Type};

/// A part of a clause.
pub trait Value: Sized {
    /// Reads it from a text.
    fn parse(p: &mut Parser<'_>) -> ParseResult<Self>;
    /// Writes what [`parse`](Self::parse) reads.
    fn text(&self, ctx: &Context) -> String;
    /// Reads it from JSON.
    fn read(ctx: &Context, node: &Node<'_>) -> Read<Self>;
    /// Writes what [`read`](Self::read) reads.
    fn item(&self, ctx: &Context) -> Item;
    /// What an attribute says; `None` for one that [`make`](Self::make) does not make.
    fn get(ctx: &Context, attr: Attr) -> Option<Self>;
    /// The attribute.
    fn make(&self, ctx: &Context) -> Attr;
}

impl Value for i64 {
    fn parse(p: &mut Parser<'_>) -> ParseResult<i64> {
        p.integer()
    }
    fn text(&self, _: &Context) -> String {
        self.to_string()
    }
    fn read(_: &Context, node: &Node<'_>) -> Read<i64> {
        node.int()
    }
    fn item(&self, _: &Context) -> Item {
        (*self).into()
    }
    fn get(ctx: &Context, attr: Attr) -> Option<i64> {
        attr.as_int(ctx)
    }
    fn make(&self, ctx: &Context) -> Attr {
        ctx.i64_attr(*self)
    }
}

/// A name of a tensor, an axis, a loop, or a word that nobody here looks into. In a text it is a word, or a string.
impl Value for String {
    fn parse(p: &mut Parser<'_>) -> ParseResult<String> {
        match p.token() {
            Token::Word => p.word().map(String::from),
            Token::String => p.string(),
            _ => p.expected("a name"),
        }
    }
    fn text(&self, _: &Context) -> String {
        quoted(self)
    }
    fn read(_: &Context, node: &Node<'_>) -> Read<String> {
        Ok(node.name()?.into_owned())
    }
    fn item(&self, _: &Context) -> Item {
        self.as_str().into()
    }
    fn get(ctx: &Context, attr: Attr) -> Option<String> {
        attr.as_str(ctx).map(String::from)
    }
    fn make(&self, ctx: &Context) -> Attr {
        ctx.str_attr(self)
    }
}

/// A name as a word if it is one, and as a string otherwise.
pub fn quoted(name: &str) -> String {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
    let first = name.as_bytes().first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
    if first && name.bytes().all(inside) {
        return name.to_string();
    }
    let mut text = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_ascii_control() => text.push_str(&format!("\\{:02X}", letter as u32)),
            letter => text.push(letter),
        }
    }
    text + "\""
}

/// The type of elements.
impl Value for Type {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Type> {
        p.parse_type()
    }
    fn text(&self, ctx: &Context) -> String {
        self.display(ctx)
    }
    fn read(ctx: &Context, node: &Node<'_>) -> Read<Type> {
        node.dtype(ctx)
    }
    fn item(&self, ctx: &Context) -> Item {
        // What has no name in JSON is spelt as in a text; no type of elements that the layers have is.
        dtype_name(ctx, *self).map_or_else(|| self.display(ctx).as_str().into(), Item::from)
    }
    fn get(ctx: &Context, attr: Attr) -> Option<Type> {
        attr.as_type(ctx).filter(|ty| ty.bits(ctx).is_some())
    }
    fn make(&self, ctx: &Context) -> Attr {
        ctx.type_attr(*self)
    }
}

impl<T: Value> Value for Vec<T> {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Vec<T>> {
        p.list(Token::LBracket, Token::RBracket, |p| T::parse(p))
    }
    fn text(&self, ctx: &Context) -> String {
        format!("[{}]", self.iter().map(|item| item.text(ctx)).collect::<Vec<_>>().join(", "))
    }
    fn read(ctx: &Context, node: &Node<'_>) -> Read<Vec<T>> {
        node.list_of("a list", |item| T::read(ctx, item))
    }
    fn item(&self, ctx: &Context) -> Item {
        Item::List(self.iter().map(|item| item.item(ctx)).collect())
    }
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<T>> {
        attr.as_array(ctx)?.iter().map(|&item| T::get(ctx, item)).collect()
    }
    fn make(&self, ctx: &Context) -> Attr {
        ctx.array_attr(&self.iter().map(|item| item.make(ctx)).collect::<Vec<_>>())
    }
}

/// Names with a value each, in order: `(m: 128, n: 64)`. The attribute is a list of pairs, for a dictionary has no order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table<T>(pub Vec<(String, T)>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(Vec::new())
    }
}

impl<T> Table<T> {
    /// The table of some entries.
    pub fn of<'a>(entries: impl IntoIterator<Item = (&'a str, T)>) -> Table<T> {
        Table(entries.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.0.iter_mut().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The first name that stands there twice.
    pub fn twice(&self) -> Option<&str> {
        let twice = |(at, name): &(usize, &str)| self.names().take(*at).any(|other| other == *name);
        self.names().enumerate().find(twice).map(|(_, name)| name)
    }
}

impl Table<i64> {
    /// The product of the values; `None` beyond 64 bits.
    pub fn product(&self) -> Option<i64> {
        self.0.iter().try_fold(1i64, |product, (_, value)| product.checked_mul(*value))
    }

    /// The value of an axis, 1 for one that is not named.
    pub fn along(&self, axis: &str) -> i64 {
        self.get(axis).copied().unwrap_or(1)
    }
}

impl<T: Value> Value for Table<T> {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Table<T>> {
        let entries = p.list(Token::LParen, Token::RParen, |p| {
            let name = String::parse(p)?;
            p.expect(Token::Colon)?;
            Ok((name, T::parse(p)?))
        })?;
        Ok(Table(entries))
    }
    fn text(&self, ctx: &Context) -> String {
        let entry = |(name, value): &(String, T)| format!("{}: {}", quoted(name), value.text(ctx));
        format!("({})", self.0.iter().map(entry).collect::<Vec<_>>().join(", "))
    }
    fn read(ctx: &Context, node: &Node<'_>) -> Read<Table<T>> {
        let entries = node.entries("an object with a value for each name")?;
        let entries: Vec<Read<(String, T)>> =
            entries.iter().map(|(name, _, value)| Ok((name.to_string(), T::read(ctx, value)?))).collect();
        entries.into_iter().collect::<Read<Vec<_>>>().map(Table)
    }
    fn item(&self, ctx: &Context) -> Item {
        Item::Object(self.0.iter().map(|(name, value)| (name.clone(), value.item(ctx))).collect())
    }
    fn get(ctx: &Context, attr: Attr) -> Option<Table<T>> {
        let entry = |pair: &Attr| match pair.as_array(ctx)? {
            [name, value] => Some((String::get(ctx, *name)?, T::get(ctx, *value)?)),
            _ => None,
        };
        attr.as_array(ctx)?.iter().map(entry).collect::<Option<Vec<_>>>().map(Table)
    }
    fn make(&self, ctx: &Context) -> Attr {
        let pair = |(name, value): &(String, T)| ctx.array_attr(&[name.make(ctx), value.make(ctx)]);
        ctx.array_attr(&self.0.iter().map(pair).collect::<Vec<_>>())
    }
}

/// A number, or a word for one that somebody else finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// `implicit_gemm`
    Word(String),
    /// `8`
    Number(i64),
}

impl Value for Choice {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Choice> {
        match p.token() {
            Token::Integer | Token::Minus => p.integer().map(Choice::Number),
            _ => String::parse(p).map(Choice::Word),
        }
    }
    fn text(&self, ctx: &Context) -> String {
        match self {
            Choice::Word(word) => word.text(ctx),
            Choice::Number(number) => number.text(ctx),
        }
    }
    fn read(ctx: &Context, node: &Node<'_>) -> Read<Choice> {
        match node.kind() {
            JsonKind::String => String::read(ctx, node).map(Choice::Word),
            JsonKind::Number => node.int().map(Choice::Number),
            _ => Err(node.not("a word or a number")),
        }
    }
    fn item(&self, ctx: &Context) -> Item {
        match self {
            Choice::Word(word) => word.item(ctx),
            Choice::Number(number) => number.item(ctx),
        }
    }
    fn get(ctx: &Context, attr: Attr) -> Option<Choice> {
        String::get(ctx, attr).map(Choice::Word).or_else(|| attr.as_int(ctx).map(Choice::Number))
    }
    fn make(&self, ctx: &Context) -> Attr {
        match self {
            Choice::Word(word) => word.make(ctx),
            Choice::Number(number) => number.make(ctx),
        }
    }
}

/// Declares words of a clause: an enum that is a [`Value`].
macro_rules! words {
    ($($(#[$doc:meta])+ enum $name:ident: $what:literal { $($(#[$case_doc:meta])+ $case:ident = $word:literal,)+ })*) => {$(
        dlc_ir::keywords! {
            $(#[$doc])+
            pub enum $name: $what { $($(#[$case_doc])+ $case = $word,)+ }
        }

        $crate::value::word_value! { $name: $what }
    )*};
}
pub(crate) use words;

/// How a word of a clause is read and written.
macro_rules! word_value {
    ($name:ident: $what:literal) => {
        impl $crate::value::Value for $name {
            fn parse(p: &mut dlc_ir::text::Parser<'_>) -> dlc_ir::text::ParseResult<$name> {
                let word = p.one_of($what, $name::WORDS)?;
                // The word is one of those.
                Ok($name::of(word).unwrap_or($name::ALL[0]))
            }
            fn text(&self, _: &dlc_ir::Context) -> String {
                self.word().to_string()
            }
            fn read(_: &dlc_ir::Context, node: &dlc_core::json::Node<'_>) -> dlc_core::json::Read<$name> {
                let wanted = || format!("one of {}", $name::WORDS.join(", "));
                let word = node.string(&wanted())?;
                $name::of(&word).ok_or_else(|| {
                    let near = dlc_ir::diag::did_you_mean(&word, $name::WORDS.iter().copied());
                    node.report(node.wrong(&wanted()).suggest_if(near))
                })
            }
            fn item(&self, _: &dlc_ir::Context) -> dlc_core::json::Item {
                self.word().into()
            }
            fn get(ctx: &dlc_ir::Context, attr: dlc_ir::Attr) -> Option<$name> {
                $name::of(attr.as_str(ctx)?)
            }
            fn make(&self, ctx: &dlc_ir::Context) -> dlc_ir::Attr {
                ctx.str_attr(self.word())
            }
        }
    };
}
pub(crate) use word_value;

/// Declares records of a clause: a struct with a key for each field, and how it is read and written as JSON and attribute.
/// A field is there (`need`), may be absent (`opt`), or is there or not (`flag`).
macro_rules! records {
    (@ty need $ty:ty) => { $ty };
    (@ty opt $ty:ty) => { Option<$ty> };
    (@ty flag $ty:ty) => { bool };
    (@read need $ctx:ident $record:ident $key:literal) => { Value::read($ctx, $record.need($key)?)? };
    (@read opt $ctx:ident $record:ident $key:literal) => { $record.get($key).map(|node| Value::read($ctx, node)).transpose()? };
    (@read flag $ctx:ident $record:ident $key:literal) => {
        match $record.get($key) {
            Some(node) => $crate::value::read_flag(node)?,
            None => false,
        }
    };
    (@item need $ctx:ident $field:expr) => { Some($field.item($ctx)) };
    (@item opt $ctx:ident $field:expr) => { $field.as_ref().map(|value| value.item($ctx)) };
    (@item flag $ctx:ident $field:expr) => { $field.then_some(dlc_core::json::Item::Bool(true)) };
    (@get need $ctx:ident $attr:expr) => { Value::get($ctx, $attr?)? };
    (@get opt $ctx:ident $attr:expr) => {
        match $attr {
            Some(attr) => Some(Value::get($ctx, attr)?),
            None => None,
        }
    };
    (@get flag $ctx:ident $attr:expr) => {
        match $attr {
            Some(attr) if attr == dlc_ir::Attr::UNIT => true,
            Some(_) => return None,
            None => false,
        }
    };
    (@make need $ctx:ident $field:expr) => { Some($field.make($ctx)) };
    (@make opt $ctx:ident $field:expr) => { $field.as_ref().map(|value| value.make($ctx)) };
    (@make flag $ctx:ident $field:expr) => { $field.then_some(dlc_ir::Attr::UNIT) };
    ($($(#[$doc:meta])+ struct $name:ident: $what:literal, $parse:path, $text:path {
        $($(#[$field_doc:meta])+ $slot:ident $field:ident: $ty:ty = $key:literal,)+
    })*) => {$(
        $(#[$doc])+
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name { $($(#[$field_doc])+ pub $field: $crate::value::records!(@ty $slot $ty),)+ }

        impl $crate::value::Value for $name {
            fn parse(p: &mut dlc_ir::text::Parser<'_>) -> dlc_ir::text::ParseResult<$name> {
                $parse(p)
            }
            fn text(&self, ctx: &dlc_ir::Context) -> String {
                $text(self, ctx)
            }
            fn read(ctx: &dlc_ir::Context, node: &dlc_core::json::Node<'_>) -> dlc_core::json::Read<$name> {
                let record = dlc_core::json::Record::new(node, $what, &[$($key),+])?;
                Ok($name { $($field: $crate::value::records!(@read $slot ctx record $key),)+ })
            }
            fn item(&self, ctx: &dlc_ir::Context) -> dlc_core::json::Item {
                let entries = [$(($key, $crate::value::records!(@item $slot ctx self.$field))),+];
                dlc_core::json::Item::object(entries.into_iter().filter_map(|(key, item)| Some((key, item?))))
            }
            fn get(ctx: &dlc_ir::Context, attr: dlc_ir::Attr) -> Option<$name> {
                let entries = attr.as_dict(ctx)?;
                if entries.iter().any(|(key, _)| ![$($key),+].contains(&ctx.str(*key))) {
                    return None;
                }
                let entry = |name: &str| entries.iter().find(|(key, _)| ctx.str(*key) == name).map(|(_, attr)| *attr);
                Some($name { $($field: $crate::value::records!(@get $slot ctx entry($key)),)+ })
            }
            fn make(&self, ctx: &dlc_ir::Context) -> dlc_ir::Attr {
                let entries = [$(($key, $crate::value::records!(@make $slot ctx self.$field))),+];
                let entry = |(key, attr): (&str, Option<dlc_ir::Attr>)| Some((ctx.intern_str(key), attr?));
                ctx.dict_attr(&entries.into_iter().filter_map(entry).collect::<Vec<_>>())
            }
        }
    )*};
}
pub(crate) use records;

/// What is there or not, in JSON.
pub(crate) fn read_flag(node: &Node<'_>) -> Read<bool> {
    match node.kind() {
        JsonKind::Bool => Ok(node.text() == "true"),
        _ => Err(node.not("true or false")),
    }
}

/// A truth value that is always written.
impl Value for bool {
    fn parse(p: &mut Parser<'_>) -> ParseResult<bool> {
        Ok(p.one_of("truth value", &["true", "false"])? == "true")
    }
    fn text(&self, _: &Context) -> String {
        self.to_string()
    }
    fn read(_: &Context, node: &Node<'_>) -> Read<bool> {
        read_flag(node)
    }
    fn item(&self, _: &Context) -> Item {
        Item::Bool(*self)
    }
    fn get(ctx: &Context, attr: Attr) -> Option<bool> {
        attr.as_bool(ctx)
    }
    fn make(&self, ctx: &Context) -> Attr {
        ctx.bool_attr(*self)
    }
}
