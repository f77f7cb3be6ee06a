//! The uops by name, with the ops that they are.

use dlc_ir::OpRef;
use dlc_ir::diag::did_you_mean;
use dlc_ir::op::{Arity, OpDef};

use crate::ops::{self, Predicate};

/// A uop.
pub(super) struct Uop {
    /// `ADD`
    pub name: &'static str,
    /// The op.
    pub def: &'static OpDef,
    /// What is in its `arg`.
    pub arg: Arg,
}

/// What is in the `arg` of a uop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// Nothing, and the op works element by element: in a dump it can stand where it is used.
    Elementwise,
    /// Nothing, for the op is that comparison; element by element too.
    Compare(Predicate),
    /// Nothing.
    Nothing,
    /// `value`, or `values`
    Const,
    /// `result_shape`
    Reshape,
    /// `dims`
    Permute,
    /// `result_shape`, `broadcast_dimensions`
    Expand,
    /// `pad`, `value`
    Pad,
    /// `bounds`, `steps`
    Shrink,
    /// `axes`
    Flip,
    /// `result_shape`, `strides`, `offset`, or nothing
    View,
    /// `bounds`
    Valid,
    /// `map`, or nothing
    Load,
    /// `start`, or nothing
    Store,
    /// `axis`
    Range,
    /// `to`
    Cast,
    /// `op`, `axes`, `acc_dtype`
    Reduce,
    /// `op`, `axis`, `exclusive`, `reverse`, `acc_dtype`
    Scan,
    /// `axis`
    Sort,
    /// `lhs_idx`, `rhs_idx`, `out_idx`, `reduce_idx`, `pattern`, `strides`, `acc_dtype`
    Contract,
}

const fn uop(name: &'static str, def: &'static OpDef, arg: Arg) -> Uop {
    Uop { name, def, arg }
}

/// Every uop.
static UOPS: [Uop; 51] = [
    uop("CONST", ops::Const::DEF, Arg::Const),
    uop("RESHAPE", ops::Reshape::DEF, Arg::Reshape),
    uop("PERMUTE", ops::Permute::DEF, Arg::Permute),
    uop("EXPAND", ops::Expand::DEF, Arg::Expand),
    uop("PAD", ops::Pad::DEF, Arg::Pad),
    uop("SHRINK", ops::Shrink::DEF, Arg::Shrink),
    uop("FLIP", ops::Flip::DEF, Arg::Flip),
    uop("VIEW", ops::View::DEF, Arg::View),
    uop("VALID", ops::Valid::DEF, Arg::Valid),
    uop("LOAD", ops::Load::DEF, Arg::Load),
    uop("STORE", ops::Store::DEF, Arg::Store),
    uop("RANGE", ops::Range::DEF, Arg::Range),
    uop("INDEX", ops::Index::DEF, Arg::Nothing),
    uop("ADD", ops::Add::DEF, Arg::Elementwise),
    uop("SUB", ops::Sub::DEF, Arg::Elementwise),
    uop("MUL", ops::Mul::DEF, Arg::Elementwise),
    uop("MAX", ops::Max::DEF, Arg::Elementwise),
    uop("MIN", ops::Min::DEF, Arg::Elementwise),
    uop("FDIV", ops::Fdiv::DEF, Arg::Elementwise),
    uop("POW", ops::Pow::DEF, Arg::Elementwise),
    uop("CDIV", ops::Cdiv::DEF, Arg::Elementwise),
    uop("CMOD", ops::Cmod::DEF, Arg::Elementwise),
    uop("FLOORDIV", ops::Floordiv::DEF, Arg::Elementwise),
    uop("FLOORMOD", ops::Floormod::DEF, Arg::Elementwise),
    uop("AND", ops::And::DEF, Arg::Elementwise),
    uop("OR", ops::Or::DEF, Arg::Elementwise),
    uop("XOR", ops::Xor::DEF, Arg::Elementwise),
    uop("SHL", ops::Shl::DEF, Arg::Elementwise),
    uop("SHR", ops::Shr::DEF, Arg::Elementwise),
    uop("NEG", ops::Neg::DEF, Arg::Elementwise),
    uop("RELU", ops::Relu::DEF, Arg::Elementwise),
    uop("TRUNC", ops::Trunc::DEF, Arg::Elementwise),
    uop("RECIPROCAL", ops::Recip::DEF, Arg::Elementwise),
    uop("SQRT", ops::Sqrt::DEF, Arg::Elementwise),
    uop("EXP2", ops::Exp2::DEF, Arg::Elementwise),
    uop("LOG2", ops::Log2::DEF, Arg::Elementwise),
    uop("SIN", ops::Sin::DEF, Arg::Elementwise),
    uop("MULACC", ops::Mulacc::DEF, Arg::Elementwise),
    uop("WHERE", ops::Where::DEF, Arg::Elementwise),
    uop("CMPEQ", ops::Cmp::DEF, Arg::Compare(Predicate::Eq)),
    uop("CMPNE", ops::Cmp::DEF, Arg::Compare(Predicate::Ne)),
    uop("CMPLT", ops::Cmp::DEF, Arg::Compare(Predicate::Lt)),
    uop("CMPLE", ops::Cmp::DEF, Arg::Compare(Predicate::Le)),
    uop("CMPGT", ops::Cmp::DEF, Arg::Compare(Predicate::Gt)),
    uop("CMPGE", ops::Cmp::DEF, Arg::Compare(Predicate::Ge)),
    uop("CAST", ops::Cast::DEF, Arg::Cast),
    uop("BITCAST", ops::Bitcast::DEF, Arg::Cast),
    uop("REDUCE", ops::Reduce::DEF, Arg::Reduce),
    uop("SCAN", ops::Scan::DEF, Arg::Scan),
    uop("SORT", ops::Sort::DEF, Arg::Sort),
    uop("CONTRACT", ops::Contract::DEF, Arg::Contract),
];

/// What others, and earlier versions of tinygrad, call some uops.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("IDIV", "CDIV"),
    ("MOD", "CMOD"),
    ("DIV", "FDIV"),
    ("RECIP", "RECIPROCAL"),
    ("CMPEQUAL", "CMPEQ"),
    ("EXP", "EXP2"),
    ("LOG", "LOG2"),
    ("SUM", "REDUCE"),
    ("REDUCE_AXIS", "REDUCE"),
    ("TRANSPOSE", "PERMUTE"),
    ("BROADCAST", "EXPAND"),
    ("MATMUL", "CONTRACT"),
];

impl Uop {
    /// The uop of a name.
    pub fn of_name(name: &str) -> Option<&'static Uop> {
        UOPS.iter().find(|uop| uop.name == name)
    }

    /// The uop that an op is.
    pub fn of_op(op: OpRef<'_>) -> Option<&'static Uop> {
        let predicate = ops::Cmp::of(op).map(ops::Cmp::predicate);
        UOPS.iter().find(|uop| match uop.arg {
            Arg::Compare(own) => predicate == Some(own),
            _ => op.is(uop.def),
        })
    }

    /// The uop that may stand where it is used, by the word for it: `mul`, `gt`.
    pub fn of_word(word: &str) -> Option<&'static Uop> {
        UOPS.iter().find(|uop| uop.word().is_some_and(|own| own == word))
    }

    /// The word for it where it stands in place of an operand.
    pub fn word(&self) -> Option<String> {
        match self.arg {
            Arg::Elementwise => Some(self.name.to_lowercase()),
            Arg::Compare(_) => Some(self.name.trim_start_matches("CMP").to_lowercase()),
            _ => None,
        }
    }

    /// The words for all that may stand where they are used.
    pub fn words() -> Vec<String> {
        UOPS.iter().filter_map(Uop::word).collect()
    }

    /// Whether a number of operands is right; if not, what is.
    pub fn takes(&self, count: usize) -> Result<(), String> {
        let fixed = self.def.operands.iter().filter(|operand| operand.arity == Arity::One).count();
        let more = fixed < self.def.operands.len();
        if count == fixed || (more && count > fixed) {
            return Ok(());
        }
        let least = if more { "at least " } else { "" };
        let plural = if fixed == 1 { "" } else { "s" };
        Err(format!("{} takes {least}{fixed} operand{plural}, not {count}", self.name))
    }

    /// What an unknown name may have been meant for.
    pub fn nearest(name: &str) -> Option<String> {
        let upper = name.to_uppercase();
        let bare = upper.strip_prefix("OPS.").unwrap_or(&upper);
        let other = OTHER_NAMES.iter().find(|(other, _)| *other == bare).map(|(_, own)| *own);
        let own = other.or_else(|| Uop::of_name(bare).map(|uop| uop.name));
        match own {
            Some(own) => Some(format!("did you mean '{own}'?")),
            None => did_you_mean(bare, UOPS.iter().map(|uop| uop.name)),
        }
    }
}
