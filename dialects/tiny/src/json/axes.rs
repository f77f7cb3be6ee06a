//! The names that axes have in a dump: those of the result of a contraction, as far as they are known after it.

use std::collections::HashMap;
use std::rc::Rc;

use dlc_core::types::Tensor;
use dlc_ir::{OpRef, ValueId};

use super::uops::{Arg, Uop};
use crate::ops::{Contract, Permute, Reduce, View};

/// The names of the axes of values.
#[derive(Default)]
pub(super) struct AxisNames(HashMap<ValueId, Rc<[String]>>);

impl AxisNames {
    /// The names of the axes of a value, where they have some.
    pub fn of(&self, value: ValueId) -> Option<Rc<[String]>> {
        self.0.get(&value).cloned()
    }

    /// Names the axes of the result of an op.
    pub fn note(&mut self, op: OpRef<'_>, uop: &Uop) {
        let Some(result) = op.results().next() else { return };
        let rank = |value: ValueId| Tensor::of(op.ctx, op.type_of(value)).map(|ty| ty.rank(op.ctx));
        let first = || op.operands().next().and_then(|operand| self.of(operand));
        let names: Option<Vec<String>> = match uop.arg {
            Arg::Contract => {
                let indices = Contract::from(op).out_idx();
                indices.iter().map(|index| index.as_symbol().map(str::to_string)).collect()
            }
            Arg::Elementwise | Arg::Compare(_) | Arg::Cast => {
                // Those that are broadcast do not count; the others must agree.
                let whole = op.operands().filter(|&operand| rank(operand) == rank(result));
                let mut named = whole.filter_map(|operand| self.of(operand));
                let names = named.next();
                names.filter(|names| named.all(|other| other == *names)).map(|names| names.to_vec())
            }
            Arg::Pad | Arg::Shrink | Arg::Flip | Arg::Scan | Arg::Sort => first().map(|names| names.to_vec()),
            Arg::View => first().filter(|_| View::from(op).shape().is_none()).map(|names| names.to_vec()),
            Arg::Permute => first().map(|names| {
                let order = Permute::from(op).order();
                order.iter().filter_map(|&axis| names.get(usize::try_from(axis).ok()?).cloned()).collect()
            }),
            Arg::Reduce => first().map(|names| {
                let axes = Reduce::from(op).axes();
                let kept = names.iter().enumerate().filter(|(axis, _)| !axes.contains(&(*axis as i64)));
                kept.map(|(_, name)| name.clone()).collect()
            }),
            _ => None,
        };
        if let Some(names) = names.filter(|names| Some(names.len()) == rank(result)) {
            self.0.insert(result, names.into());
        }
    }
}
