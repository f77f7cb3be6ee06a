//! What a dialect declares: ops, types, attributes, and their properties as data.
//!
//! Declarations are statics, usually written by the macros of `dlc-ir-macros`. Passes ask them for properties and never
//! match on names to learn one.

use std::any::{Any, TypeId};

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::builder::Builder;
use crate::context::Context;
use crate::diag::{Code, Diagnostic, Diagnostics, fold_spelling};
use crate::entity::{OpId, ValueId};
use crate::interp;
use crate::location::Loc;
use crate::rewrite::Pattern;
use crate::text::format::Directive;
use crate::text::{OpParser, OpPrinter, ParseResult, Parser, Printer};
use crate::types::Type;

/// A dialect: a set of ops, types and attributes under one name.
#[derive(Debug)]
pub struct Dialect {
    /// The name before the dot.
    pub name: &'static str,
    /// What it is for, one sentence.
    pub summary: &'static str,
    /// Its ops, in the order of the reference page.
    pub ops: &'static [&'static OpDef],
    /// Its types.
    pub types: &'static [&'static TypeDef],
    /// Its attributes.
    pub attrs: &'static [&'static AttrDef],
    /// Makes the op for a constant that a fold gave, when the dialect can hold a value of this type.
    pub materialize: Option<fn(&mut Builder<'_>, Loc, Attr, Type) -> Option<OpId>>,
    /// Words by which others know what is here, each with how it is written here: an op's name without the dialect, and
    /// more words where they belong to it (`("sum", "reduce sum")`). Where no op here stands for a word, it is an answer
    /// that does not begin with the name of one. For messages alone: none of them is read.
    pub synonyms: &'static [(&'static str, &'static str)],
}

impl Dialect {
    /// How a word that is no op here is written here, where it is known by that word elsewhere, in any spelling: `MatMul`
    /// is `matmul`.
    pub fn synonym(&self, word: &str) -> Option<&'static str> {
        let word = fold_spelling(word);
        self.synonyms.iter().find(|(known, _)| fold_spelling(known) == word).map(|(_, own)| *own)
    }

    /// The op whose name without the dialect is a word but for case, `_` and `-`.
    pub fn op_spelled(&self, word: &str) -> Option<&'static OpDef> {
        let word = fold_spelling(word);
        self.ops.iter().find(|def| fold_spelling(def.mnemonic()) == word).copied()
    }

    /// Whether what a synonym stands for begins with the name of an op here. Others are answers in words.
    pub fn names_op(&self, synonym: &str) -> bool {
        synonym.split(' ').next().is_some_and(|word| self.op(word).is_some())
    }

    /// The op of a name without the dialect.
    pub fn op(&self, mnemonic: &str) -> Option<&'static OpDef> {
        self.ops.iter().find(|def| def.mnemonic() == mnemonic).copied()
    }
}

inventory::collect!(&'static Dialect);

/// The properties that an op can declare.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traits(pub u32);

macro_rules! traits {
    ($($(#[doc = $doc:literal])+ $name:ident = $bit:literal $word:literal;)*) => {
        impl Traits {
            $($(#[doc = $doc])+ pub const $name: Traits = Traits(1 << $bit);)*
            /// Every trait with its word and its meaning, for the reference page.
            pub const ALL: &'static [(Traits, &'static str, &'static str)] =
                &[$((Traits::$name, $word, concat!($($doc),+))),*];
        }
    };
}

traits! {
    /// No effect on memory, and no undefined behaviour: may be erased, merged, moved and run early.
    PURE = 0 "Pure";
    /// The order of the operands does not matter.
    COMMUTATIVE = 1 "Commutative";
    /// `f(x, x) = x` for a binary op, `f(f(x)) = f(x)` for a unary one.
    IDEMPOTENT = 2 "Idempotent";
    /// Ends a block, and stands nowhere else.
    TERMINATOR = 3 "Terminator";
    /// Its regions use no value from outside; they are a body of their own.
    ISOLATED_FROM_ABOVE = 4 "IsolatedFromAbove";
    /// All operands and results have one type.
    SAME_TYPE = 5 "SameType";
    /// All operands have one type.
    SAME_OPERAND_TYPES = 6 "SameOperandTypes";
    /// Its `sym_name` is a name in the nearest symbol table.
    SYMBOL = 7 "Symbol";
    /// Its region is a symbol table.
    SYMBOL_TABLE = 8 "SymbolTable";
    /// Each of its regions has exactly one block.
    SINGLE_BLOCK = 9 "SingleBlock";
    /// Has no operands and one result, the constant in its attribute `value`.
    CONSTANT_LIKE = 10 "ConstantLike";
    /// Values may be used before they are defined: its regions have no order.
    GRAPH_REGION = 11 "GraphRegion";
    /// The blocks of its regions need no terminator.
    NO_TERMINATOR = 12 "NoTerminator";
    /// Ends the enclosing function with the operands as its results.
    RETURN_LIKE = 13 "ReturnLike";
    /// Calls the symbol in its attribute `callee` with its operands; the results are those of the callee.
    CALL = 14 "Call";
    /// A function: `function_type` is its type, the entry block of its only region takes the arguments.
    CALLABLE = 15 "Callable";
    /// Its regions are run repeatedly; what does not change inside may be moved before it.
    LOOP = 16 "Loop";
    /// Effects are those of the ops in its regions and no others.
    RECURSIVE_EFFECTS = 17 "RecursiveEffects";
    /// Gives the elements of its operand in another type.
    CAST = 18 "Cast";
}

impl Traits {
    /// No property.
    pub const NONE: Traits = Traits(0);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// Whether every trait of `other` is here.
    #[inline]
    pub const fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What an op does to memory. An op that declares nothing, and is not pure, may do anything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effects(pub u8);

impl Effects {
    /// Nothing at all.
    pub const NONE: Effects = Effects(0);
    /// Reads memory: equal reads with no write between them give equal values, and an unused one may be erased.
    pub const READ: Effects = Effects(1);
    /// Writes memory.
    pub const WRITE: Effects = Effects(2);
    /// Allocates memory; may be erased when the result is unused.
    pub const ALLOC: Effects = Effects(4);
    /// Waits for, signals or orders other work; neither erased nor moved.
    pub const SYNC: Effects = Effects(8);
    /// Anything.
    pub const ANY: Effects = Effects(0xff);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }

    /// Whether every effect of `other` is here.
    pub const fn has(self, other: Effects) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing here changes anything: no effect, or only `READ` and `ALLOC`.
    pub const fn erasable(self) -> bool {
        self.0 & !(Effects::READ.0 | Effects::ALLOC.0) == 0
    }
}

/// What the types of an operand or result may be.
#[derive(Clone, Copy, Debug)]
pub struct TypeConstraint {
    /// In words that complete "must be": `an integer`.
    pub name: &'static str,
    /// Whether a type is admitted.
    pub admits: fn(&Context, Type) -> bool,
}

/// How many operands, results, regions or successors stand in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Variadic,
}

/// An operand, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct OperandDef {
    /// The name in accessors, formats and messages.
    pub name: &'static str,
    /// Its types.
    pub ty: TypeConstraint,
    /// How many.
    pub arity: Arity,
    /// The index of the successor whose block arguments these are.
    pub successor: Option<u8>,
}

/// A result, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct ResultDef {
    /// The name in accessors, formats and messages.
    pub name: &'static str,
    /// Its types.
    pub ty: TypeConstraint,
    /// How many.
    pub arity: Arity,
}

/// An inherent attribute.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec {
    /// Its key.
    pub name: &'static str,
    /// Its kind.
    pub kind: &'static AttrKind,
    /// Whether it may be absent.
    pub optional: bool,
}

/// A kind of attribute: what it admits, and its short spelling in custom syntax.
#[derive(Debug)]
pub struct AttrKind {
    /// In words that complete "must be": `a 64-bit integer`.
    pub name: &'static str,
    /// Whether an attribute is of this kind.
    pub admits: fn(&Context, Attr) -> bool,
    /// Reads the short spelling; `None` for the full one.
    pub parse: Option<fn(&mut Parser<'_>) -> ParseResult<Attr>>,
    /// Writes the short spelling of an attribute that it admits; `None` for the full one.
    pub print: Option<fn(&mut Printer<'_>, Attr)>,
}

/// A region, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct RegionDef {
    /// The name in accessors, formats and messages.
    pub name: &'static str,
    /// `One` or `Variadic`.
    pub arity: Arity,
}

/// A successor, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct SuccessorDef {
    /// The name in accessors, formats and messages.
    pub name: &'static str,
    /// `One` or `Variadic`.
    pub arity: Arity,
}

/// The result of folding an op.
#[derive(Clone, PartialEq, Debug)]
pub enum Folded {
    /// Nothing to do.
    No,
    /// A value or constant for each result.
    To(SmallVec<[FoldResult; 1]>),
}

/// What a result folds to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FoldResult {
    /// A value that exists.
    Value(ValueId),
    /// A constant, of the result's type.
    Attr(Attr),
}

impl Folded {
    /// The single result is a value that exists.
    pub fn value(value: ValueId) -> Folded {
        Folded::To(SmallVec::from_buf([FoldResult::Value(value)]))
    }

    /// The single result is a constant.
    pub fn attr(attr: Attr) -> Folded {
        Folded::To(SmallVec::from_buf([FoldResult::Attr(attr)]))
    }
}

/// The declaration of an op: the only place that says what it has and what it means.
pub struct OpDef {
    /// The full name: `sample.addi`.
    pub name: &'static str,
    /// What it means; the first paragraph is the summary.
    pub doc: &'static str,
    /// One line of IR.
    pub example: &'static str,
    /// Its properties.
    pub traits: Traits,
    /// What it does to memory; `None` says nothing is known (unless it is pure).
    pub effects: Option<Effects>,
    /// Its operands, in order.
    pub operands: &'static [OperandDef],
    /// Its results, in order.
    pub results: &'static [ResultDef],
    /// Its inherent attributes.
    pub attrs: &'static [AttrSpec],
    /// Its regions, in order.
    pub regions: &'static [RegionDef],
    /// Its successors, in order.
    pub successors: &'static [SuccessorDef],
    /// The assembly format as it was declared, for the reference page; empty when the syntax is written by hand.
    pub format_text: &'static str,
    /// The assembly format; empty when the syntax is written by hand, or there is only the generic form.
    pub format: &'static [Directive],
    /// Reads the custom form, after the op's name; used when there is no format.
    pub parse: Option<fn(&mut OpParser<'_, '_>) -> ParseResult<()>>,
    /// Writes the custom form, after the op's name; used when there is no format.
    pub print: Option<fn(&mut OpPrinter<'_, '_>)>,
    /// The types of the results, from the operands and attributes.
    pub infer: Option<fn(&InferCx<'_>) -> Inferred>,
    /// The op's own rules. It looks at the op alone, never along def-use chains.
    pub verify: Option<fn(OpRef<'_>, &Diagnostics)>,
    /// Simplifies the op to values that exist or to constants. The second argument has the constant of each operand.
    pub fold: Option<fn(OpRef<'_>, &[Option<Attr>]) -> Folded>,
    /// Rewrites that `canonicalize` applies.
    pub canonicalize: &'static [&'static Pattern],
    /// What the op means.
    pub eval: Option<interp::EvalFn>,
    /// Further tables of functions, by the type that is their key.
    pub interfaces: &'static [Interface],
}

impl std::fmt::Debug for OpDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpDef({})", self.name)
    }
}

/// A table of functions that an op offers to passes that know the table's type.
pub struct Interface {
    /// The type of the table.
    pub key: fn() -> TypeId,
    /// The table.
    pub table: &'static (dyn Any + Send + Sync),
}

impl Interface {
    /// A table of functions under its type.
    pub const fn of<T: Any + Send + Sync>(table: &'static T) -> Interface {
        Interface { key: TypeId::of::<T>, table }
    }
}

impl OpDef {
    /// A declaration with nothing in it but a name: for unknown ops, and as the base of hand-written declarations.
    pub const fn bare(name: &'static str) -> OpDef {
        OpDef {
            name,
            doc: "",
            example: "",
            traits: Traits::NONE,
            effects: None,
            operands: &[],
            results: &[],
            attrs: &[],
            regions: &[],
            successors: &[],
            format_text: "",
            format: &[],
            parse: None,
            print: None,
            infer: None,
            verify: None,
            fold: None,
            canonicalize: &[],
            eval: None,
            interfaces: &[],
        }
    }

    /// Whether an attribute of this key is inherent.
    pub fn declares_attr(&self, key: &str) -> bool {
        self.attrs.iter().any(|attr| attr.name == key)
            || (key == "operandSegmentSizes" && self.operands.iter().filter(|o| o.arity != Arity::One).count() > 1)
            || (key == "resultSegmentSizes" && self.results.iter().filter(|r| r.arity != Arity::One).count() > 1)
    }

    /// The part before the first dot; empty when there is none.
    pub fn dialect(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(dialect, _)| dialect)
    }

    /// The part after the first dot.
    pub fn mnemonic(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, mnemonic)| mnemonic)
    }

    /// The first paragraph of the documentation.
    pub fn summary(&self) -> &'static str {
        self.doc.split("\n\n").next().unwrap_or("").trim()
    }

    /// The table of functions of type `T`.
    pub fn interface<T: Any>(&self) -> Option<&'static T> {
        self.interfaces.iter().find(|i| (i.key)() == TypeId::of::<T>()).and_then(|i| i.table.downcast_ref())
    }

    /// What it does to memory, when that is known without looking at regions.
    pub fn declared_effects(&self) -> Option<Effects> {
        if self.traits.has(Traits::PURE) { Some(Effects::NONE) } else { self.effects }
    }
}

/// What result types are inferred from, before the op exists.
pub struct InferCx<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The body that holds the operands.
    pub body: &'a Body,
    /// The operands.
    pub operands: &'a [ValueId],
    /// The inherent attributes, sorted by key.
    pub props: &'a [(crate::context::Str, Attr)],
}

impl InferCx<'_> {
    /// The type of an operand. `None` when there are fewer.
    pub fn operand_type(&self, index: usize) -> Option<Type> {
        self.operands.get(index).map(|&value| self.body.value_type(value))
    }

    /// An inherent attribute.
    pub fn prop(&self, key: &str) -> Option<Attr> {
        self.props.iter().find(|(name, _)| self.ctx.str(*name) == key).map(|(_, attr)| *attr)
    }
}

/// The types of the results, or the rule that the operands and attributes break.
pub type Inferred = Result<SmallVec<[Type; 2]>, BrokenRule>;

/// Why there are no types for the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenRule {
    /// The code of a rule that has one of its own.
    pub code: Option<&'static Code>,
    /// Why: one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

impl BrokenRule {
    /// A rule with a code of its own.
    pub fn new(code: &'static Code, message: impl Into<String>) -> BrokenRule {
        BrokenRule { code: Some(code), message: message.into(), suggestion: None }
    }

    /// With a way out.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> BrokenRule {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The diagnostic, under `otherwise` when the rule has no code of its own.
    pub fn diagnostic(self, otherwise: &'static Code, loc: Loc) -> Diagnostic {
        Diagnostic::error(self.code.unwrap_or(otherwise), loc, self.message).suggest_if(self.suggestion)
    }
}

impl From<String> for BrokenRule {
    fn from(message: String) -> BrokenRule {
        BrokenRule { code: None, message, suggestion: None }
    }
}

impl From<&str> for BrokenRule {
    fn from(message: &str) -> BrokenRule {
        BrokenRule::from(message.to_string())
    }
}

/// The declaration of a type.
pub struct TypeDef {
    /// The full name: `core.tensor`.
    pub name: &'static str,
    /// What it is; the first paragraph is the summary.
    pub doc: &'static str,
    /// One spelling.
    pub example: &'static str,
    /// Its parameters, in order.
    pub params: &'static [ParamDef],
    /// The word of its short spelling (`tensor` for `tensor<[M, K], f16>`); empty when there is none.
    pub short: &'static str,
    /// The word between its first parameter, a type, and the others, in a short spelling of that form: `over` for
    /// `f32 over (m, n)`. Empty when there is none.
    pub infix: &'static str,
    /// Reads what stands between `<` and `>` of the short spelling, or after the word in the middle; `None` where that
    /// is the list of parameters.
    pub parse: Option<fn(&mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>>>,
    /// Writes what `parse` reads.
    pub print: Option<fn(&mut Printer<'_>, &[Attr])>,
    /// Rules beyond those of the single parameters.
    pub verify: Option<fn(&Context, &[Attr]) -> Result<(), String>>,
}

impl std::fmt::Debug for TypeDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TypeDef({})", self.name)
    }
}

impl TypeDef {
    /// Whether these are parameters that the declaration admits; otherwise why not.
    pub fn check(&self, ctx: &Context, params: &[Attr]) -> Result<(), String> {
        if params.len() != self.params.len() {
            let names: Vec<&str> = self.params.iter().map(|p| p.name).collect();
            let wanted =
                if names.is_empty() { "none".into() } else { format!("{} ({})", names.len(), names.join(", ")) };
            return Err(format!("{} parameters are given, wanted are {wanted}", params.len()));
        }
        for (param, &attr) in self.params.iter().zip(params) {
            if !(param.kind.admits)(ctx, attr) {
                return Err(format!("the parameter '{}' must be {}", param.name, param.kind.name));
            }
        }
        self.verify.map_or(Ok(()), |verify| verify(ctx, params))
    }
}

/// The declaration of an attribute: the same parts as that of a type.
pub type AttrDef = TypeDef;

/// A parameter of a type or attribute.
#[derive(Clone, Copy, Debug)]
pub struct ParamDef {
    /// The name in messages and on the reference page.
    pub name: &'static str,
    /// What it admits.
    pub kind: &'static AttrKind,
}

/// A shorthand for reporting a broken rule of an op.
pub fn op_error(op: OpRef<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(&crate::verify::OP_RULE, op.loc(), message).at(op.name())
}
