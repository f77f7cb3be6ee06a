//! What declarations are written with: the macros, the constraints on types, the kinds of attributes.
//!
//! A dialect declares its ops, types and attributes with [`macro@op`], [`macro@ty`] and [`macro@attr`] on structs, and
//! lists them with [`dialect!`](crate::dialect). Its own constraints and kinds implement [`Constraint`] and [`Kind`];
//! [`constraints!`](crate::constraints) and [`keywords!`](crate::keywords) write the common ones.

use crate::attrs::{Attr, AttrData};
use crate::context::{Context, Str};
use crate::op::{AttrKind, TypeConstraint};
use crate::text::{Parser, Printer, Token};
use crate::types::{Type, TypeData};

pub use dlc_ir_macros::{attr, op, ty};

/// The types that an operand or result may have, as a type parameter: `Operand<AnyInteger>`.
pub trait Constraint {
    /// The constraint.
    const CONSTRAINT: TypeConstraint;
}

/// A kind of attribute, as a type parameter: `Attr<Int>`.
pub trait Kind {
    /// What accessors give and constructors take.
    type Value<'a>;
    /// What it admits, and its short spelling.
    const KIND: &'static AttrKind;
    /// The value of an attribute, if it is of this kind.
    fn get(ctx: &Context, attr: Attr) -> Option<Self::Value<'_>>;
    /// The attribute of a value.
    fn make(ctx: &Context, value: Self::Value<'_>) -> Attr;
}

/// Declares constraints on types: a name, the words that complete "must be", and the test.
///
/// ```
/// dlc_ir::constraints! {
///     /// `i1` or `i8`.
///     pub SmallInteger = "i1 or i8", |ctx, ty| ty.is_integer(ctx) && ty.bits(ctx) <= Some(8);
/// }
/// ```
#[macro_export]
macro_rules! constraints {
    ($($(#[$doc:meta])+ $vis:vis $name:ident = $words:literal, |$ctx:pat_param, $ty:ident| $test:expr;)*) => {$(
        $(#[$doc])+
        $vis struct $name;
        impl $crate::define::Constraint for $name {
            const CONSTRAINT: $crate::op::TypeConstraint =
                $crate::op::TypeConstraint { name: $words, admits: |$ctx, $ty| $test };
        }
    )*};
}

constraints! {
    /// Every type.
    pub AnyType = "a type", |_, _ty| true;
    /// An integer type or `index`.
    pub AnyInteger = "an integer or index", |ctx, ty| ty == Type::INDEX || ty.is_integer(ctx);
    /// A float type.
    pub AnyFloat = "a float", |ctx, ty| ty.float_kind(ctx).is_some();
    /// An integer type, `index` or a float type.
    pub AnyNumber = "an integer, index or float", |ctx, ty| ty.bits(ctx).is_some();
    /// `i1`
    pub Bool = "i1", |_, ty| ty == Type::I1;
    /// `index`
    pub Index = "index", |_, ty| ty == Type::INDEX;
}

/// A 64-bit integer, written without its type.
pub struct Int;

impl Kind for Int {
    type Value<'a> = i64;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a 64-bit integer",
        admits: |ctx, attr| attr.value_type(ctx) == Some(Type::I64),
        parse: Some(|p| {
            let value = p.integer()?;
            Ok(p.ctx.i64_attr(value))
        }),
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<i64> {
        attr.as_int(ctx)
    }
    fn make(ctx: &Context, value: i64) -> Attr {
        ctx.i64_attr(value)
    }
}

/// A list of 64-bit integers, `array<i64: 0, 2, 1>`, written `[0, 2, 1]`.
pub struct IntArray;

impl Kind for IntArray {
    type Value<'a> = Vec<i64>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of 64-bit integers",
        admits: |ctx, attr| matches!(ctx.attr_data(attr), AttrData::DenseArray { elem: Type::I64, .. }),
        parse: Some(|p| {
            let values = p.list(Token::LBracket, Token::RBracket, Parser::integer)?;
            Ok(IntArray::make(p.ctx, values))
        }),
        print: Some(|p, attr| {
            p.write("[");
            p.list(IntArray::get(p.ctx, attr).unwrap_or_default(), |p, value| p.integer(value.into(), Type::I64));
            p.write("]");
        }),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<i64>> {
        match ctx.attr_data(attr) {
            AttrData::DenseArray { items, .. } => items.iter().map(|item| item.as_int(ctx)).collect(),
            _ => None,
        }
    }
    fn make(ctx: &Context, values: Vec<i64>) -> Attr {
        let items: Vec<Attr> = values.into_iter().map(|value| ctx.i64_attr(value)).collect();
        ctx.attr(AttrData::DenseArray { elem: Type::I64, items: &items })
    }
}

/// A list of strings, `["M", "K"]`.
pub struct TextArray;

impl Kind for TextArray {
    type Value<'a> = Vec<&'a str>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of strings",
        admits: |ctx, attr| TextArray::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<&str>> {
        attr.as_array(ctx)?.iter().map(|item| item.as_str(ctx)).collect()
    }
    fn make(ctx: &Context, values: Vec<&str>) -> Attr {
        let items: Vec<Attr> = values.into_iter().map(|text| ctx.str_attr(text)).collect();
        ctx.array_attr(&items)
    }
}

/// A list of dictionaries, one for each argument or result of a function.
pub struct DictArray;

impl Kind for DictArray {
    type Value<'a> = &'a [Attr];
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of dictionaries",
        admits: |ctx, attr| {
            attr.as_array(ctx).is_some_and(|items| items.iter().all(|item| item.as_dict(ctx).is_some()))
        },
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<&[Attr]> {
        attr.as_array(ctx)
    }
    fn make(ctx: &Context, values: &[Attr]) -> Attr {
        ctx.array_attr(values)
    }
}

/// `true` or `false`.
pub struct Flag;

impl Kind for Flag {
    type Value<'a> = bool;
    const KIND: &'static AttrKind =
        &AttrKind { name: "true or false", admits: |ctx, attr| attr.as_bool(ctx).is_some(), parse: None, print: None };
    fn get(ctx: &Context, attr: Attr) -> Option<bool> {
        attr.as_bool(ctx)
    }
    fn make(ctx: &Context, value: bool) -> Attr {
        ctx.bool_attr(value)
    }
}

/// Something that is there or not. In a format its word alone says so: ``(`exact` $exact^)?``.
pub struct Unit;

impl Kind for Unit {
    type Value<'a> = ();
    const KIND: &'static AttrKind =
        &AttrKind { name: "unit", admits: |_, attr| attr == Attr::UNIT, parse: Some(|_| Ok(Attr::UNIT)), print: None };
    fn get(_: &Context, attr: Attr) -> Option<()> {
        (attr == Attr::UNIT).then_some(())
    }
    fn make(_: &Context, (): ()) -> Attr {
        Attr::UNIT
    }
}

/// A string.
pub struct Text;

impl Kind for Text {
    type Value<'a> = &'a str;
    const KIND: &'static AttrKind = &crate::builtin::STRING;
    fn get(ctx: &Context, attr: Attr) -> Option<&str> {
        attr.as_str(ctx)
    }
    fn make(ctx: &Context, text: &str) -> Attr {
        ctx.str_attr(text)
    }
}

/// The name of a symbol that the op defines: a string, written `@f`.
pub struct SymbolName;

impl Kind for SymbolName {
    type Value<'a> = &'a str;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a string",
        admits: |ctx, attr| attr.as_str(ctx).is_some(),
        parse: Some(|p| {
            let name = p.symbol_name()?;
            Ok(p.ctx.attr(AttrData::String(name)))
        }),
        print: Some(|p, attr| {
            if let AttrData::String(name) = p.ctx.attr_data(attr) {
                p.symbol_name(*name);
            }
        }),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<&str> {
        attr.as_str(ctx)
    }
    fn make(ctx: &Context, name: &str) -> Attr {
        ctx.str_attr(name)
    }
}

/// A reference to a symbol: `@f`, `@f::@g`. The value is the path.
pub struct SymbolRef;

impl Kind for SymbolRef {
    type Value<'a> = &'a [Str];
    const KIND: &'static AttrKind = &AttrKind {
        name: "a reference to a symbol",
        admits: |ctx, attr| attr.as_symbol(ctx).is_some(),
        parse: Some(|p| p.parse_symbol_path()),
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<&[Str]> {
        attr.as_symbol(ctx)
    }
    fn make(ctx: &Context, path: &[Str]) -> Attr {
        ctx.attr(AttrData::Symbol(path))
    }
}

/// A type.
pub struct TypeAttr;

impl Kind for TypeAttr {
    type Value<'a> = Type;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a type",
        admits: |ctx, attr| attr.as_type(ctx).is_some(),
        parse: Some(|p| {
            let ty = p.parse_type()?;
            Ok(p.ctx.type_attr(ty))
        }),
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Type> {
        attr.as_type(ctx)
    }
    fn make(ctx: &Context, ty: Type) -> Attr {
        ctx.type_attr(ty)
    }
}

/// The type of a function.
pub struct FunctionType;

impl Kind for FunctionType {
    type Value<'a> = Type;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a function type",
        admits: |ctx, attr| attr.as_type(ctx).is_some_and(|ty| matches!(ctx.type_data(ty), TypeData::Function { .. })),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Type> {
        attr.as_type(ctx)
    }
    fn make(ctx: &Context, ty: Type) -> Attr {
        ctx.type_attr(ty)
    }
}

/// An integer or float, always written with its type (`true` and `false` have theirs): the constant of a constant-like
/// op.
pub struct Number;

impl Kind for Number {
    type Value<'a> = Attr;
    const KIND: &'static AttrKind = &AttrKind {
        name: "an integer or float",
        admits: |ctx, attr| matches!(ctx.attr_data(attr), AttrData::Integer { .. } | AttrData::Float { .. }),
        parse: None,
        // Also the types that an attribute leaves out: what follows may be a colon of its own.
        print: Some(|p, attr| match p.ctx.attr_data(attr) {
            AttrData::Float { ty: Type::F64, bits } => {
                p.float(*bits, Type::F64);
                p.write(" : f64");
            }
            AttrData::Integer { ty: Type::I64, .. } => {
                p.attr(attr);
                p.write(" : i64");
            }
            _ => p.attr(attr),
        }),
    };
    fn get(_: &Context, attr: Attr) -> Option<Attr> {
        Some(attr)
    }
    fn make(_: &Context, value: Attr) -> Attr {
        value
    }
}

/// Any attribute.
pub struct AnyAttr;

impl Kind for AnyAttr {
    type Value<'a> = Attr;
    const KIND: &'static AttrKind = &AttrKind { name: "an attribute", admits: |_, _| true, parse: None, print: None };
    fn get(_: &Context, attr: Attr) -> Option<Attr> {
        Some(attr)
    }
    fn make(_: &Context, value: Attr) -> Attr {
        value
    }
}

/// Declares an enum whose values are strings in attributes and bare words in custom syntax.
///
/// ```
/// dlc_ir::keywords! {
///     /// How numbers are combined.
///     pub enum Combiner: "combiner" {
///         /// Their sum.
///         Sum = "sum",
///         /// The largest.
///         Max = "max",
///     }
/// }
/// assert_eq!(Combiner::of("max"), Some(Combiner::Max));
/// ```
#[macro_export]
macro_rules! keywords {
    ($(#[$doc:meta])+ $vis:vis enum $name:ident: $what:literal {
        $($(#[$case_doc:meta])+ $case:ident = $word:literal,)+
    }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name { $($(#[$case_doc])+ $case,)+ }

        impl $name {
            /// Every case, in the order of the declaration.
            pub const ALL: &'static [$name] = &[$($name::$case),+];
            /// The words, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word in the text.
            pub fn word(self) -> &'static str {
                match self { $($name::$case => $word),+ }
            }

            /// The case of a word.
            pub fn of(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|case| case.word() == word)
            }
        }

        impl $crate::define::Kind for $name {
            type Value<'a> = $name;
            const KIND: &'static $crate::op::AttrKind = &$crate::op::AttrKind {
                name: concat!("a ", $what, ":" $(, " \"", $word, "\"")+),
                admits: |ctx, attr| <$name as $crate::define::Kind>::get(ctx, attr).is_some(),
                parse: Some(|p| {
                    let word = p.one_of($what, $name::WORDS)?;
                    Ok(p.ctx.str_attr(word))
                }),
                print: Some($crate::define::print_keyword),
            };
            fn get(ctx: &$crate::Context, attr: $crate::Attr) -> Option<$name> {
                $name::of(attr.as_str(ctx)?)
            }
            fn make(ctx: &$crate::Context, value: $name) -> $crate::Attr {
                ctx.str_attr(value.word())
            }
        }
    };
}

/// Writes a string without quotes.
pub fn print_keyword(p: &mut Printer<'_>, attr: Attr) {
    if let Some(word) = attr.as_str(p.ctx) {
        p.write(word);
    }
}

/// Declares a dialect as the static `DIALECT`, and registers it with every program that the crate is linked into.
///
/// ```text
/// dlc_ir::dialect! {
///     name: "sample",
///     summary: "Neutral ops, for tests of what knows no dialect.",
///     ops: [Constant, Addi],
///     types: [BoxType],
///     attrs: [],
///     materialize: Some(fold::materialize),
///     synonyms: ["plus" => "addi"],
/// }
/// ```
///
/// `synonyms` may be left out.
#[macro_export]
macro_rules! dialect {
    (
        name: $name:literal,
        summary: $summary:literal,
        ops: [$($($op:ident)::+),* $(,)?],
        types: [$($($ty:ident)::+),* $(,)?],
        attrs: [$($($attr:ident)::+),* $(,)?],
        materialize: $materialize:expr
        $(, synonyms: [$($word:literal => $own:literal),* $(,)?])? $(,)?
    ) => {
        #[doc = concat!("The dialect `", $name, "`.")]
        pub static DIALECT: $crate::op::Dialect = $crate::op::Dialect {
            name: $name,
            summary: $summary,
            ops: &[$($($op)::+::DEF),*],
            types: &[$($($ty)::+::DEF),*],
            attrs: &[$($($attr)::+::DEF),*],
            materialize: $materialize,
            synonyms: &[$($(($word, $own)),*)?],
        };
        $crate::inventory::submit! { &DIALECT }
    };
}
