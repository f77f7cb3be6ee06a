//! What sizes the inputs of a dump have, as far as the uops say: a look through all of them, from the last to the first.
//!
//! A uop tells something about its operands by itself (the names of indices, a `result_shape`), or by what is known of
//! its result. Of each size there is an expression or nothing; then only the number of axes is known.

use std::collections::HashMap;

use dlc_core::json::{Kind, Node, Record};
use dlc_ir::Loc;
use dlc_ir::affine::SizeExpr;

use super::contraction::{self, Indices};
use super::uops::{Arg, Uop};

/// Sizes, as far as they are known.
pub(super) type Guess = Vec<Option<SizeExpr>>;

/// What is known of the sizes of values, by name.
#[derive(Default)]
pub(super) struct Guesses {
    /// From uops whose operands have the sizes that they say.
    firm: HashMap<String, Guess>,
    /// From arithmetic, whose operands may as well be smaller.
    weak: HashMap<String, Guess>,
    /// The indices of contractions, by their places.
    contractions: HashMap<Loc, Indices>,
}

/// The size of an index: the symbol of its name in capitals. `m` counts to `M`.
pub(super) fn size_of_index(index: &SizeExpr) -> Option<SizeExpr> {
    SizeExpr::symbol(&index.as_symbol()?.to_uppercase()).ok()
}

/// What an operand of a contraction is, by the indices of its axes.
pub(super) fn by_indices(indices: &[SizeExpr]) -> Guess {
    indices.iter().map(size_of_index).collect()
}

impl Guesses {
    /// Looks through the uops. They may be wrong in any way, and whatever is reported is to be thrown away.
    pub fn of(uops: &[Node<'_>]) -> Guesses {
        let mut guesses = Guesses::default();
        for uop in uops.iter().rev() {
            guesses.look(uop);
        }
        guesses
    }

    /// What is known of a value.
    pub fn firm(&self, name: &str) -> Option<&Guess> {
        self.firm.get(name)
    }

    /// What it is if it has the sizes of what is computed from it.
    pub fn weak(&self, name: &str) -> Option<&Guess> {
        self.weak.get(name)
    }

    /// The indices of the contraction at a place.
    pub fn indices(&self, place: Loc) -> Option<&Indices> {
        self.contractions.get(&place)
    }

    fn look(&mut self, node: &Node<'_>) -> Option<()> {
        let record = Record::new(node, "a uop", &["uop", "src", "arg", "out", "dtype", "shape"]).ok()?;
        let uop = Uop::of_name(&record.get("uop")?.string("a name").ok()?)?;
        let out = record.get("out").and_then(|out| out.string("a name").ok());
        let result = out.as_ref().and_then(|out| self.firm.get(&**out).or_else(|| self.weak.get(&**out))).cloned();
        let sources = record.get("src")?.list("a list").ok()?;
        let arg = |keys: &[&str]| Record::new(record.get("arg")?, "an arg", keys).ok();
        let guess = match uop.arg {
            Arg::View if record.get("arg").is_some() => None,
            Arg::View | Arg::Flip | Arg::Cast | Arg::Scan | Arg::Sort => result,
            Arg::Pad => {
                let pad = arg(&["pad", "value"])?.get("pad")?.list("a list").ok()?;
                let zero = |node: &Node<'_>| node.text() == "0";
                let nested = |node: &Node<'_>| Some(node.list("a list").ok()?.iter().all(zero));
                let unpadded: Vec<bool> = match pad.first()?.kind() {
                    Kind::List => pad.iter().map(nested).collect::<Option<_>>()?,
                    _ => pad.chunks(2).map(|pair| pair.iter().all(zero)).collect(),
                };
                // The result says how many axes there are, even where the list is of another length.
                let known = result.unwrap_or_else(|| vec![None; unpadded.len()]);
                let stays = |axis: usize| unpadded.get(axis).copied().unwrap_or(false);
                Some(known.into_iter().enumerate().map(|(axis, size)| size.filter(|_| stays(axis))).collect())
            }
            Arg::Shrink => {
                let bounds = arg(&["bounds", "steps"])?.get("bounds")?.list("a list").ok()?;
                Some(vec![None; bounds.len()])
            }
            Arg::Permute => {
                let dims = arg(&["dims"])?.get("dims")?.list_of("axes", Node::int).ok()?;
                let mut guess = vec![None; dims.len()];
                for (axis, from) in dims.iter().enumerate() {
                    let from = if *from < 0 { from + dims.len() as i64 } else { *from };
                    let size = result.as_ref().and_then(|result| result.get(axis).cloned().flatten());
                    *guess.get_mut(usize::try_from(from).ok()?)? = size;
                }
                Some(guess)
            }
            Arg::Reshape => {
                // A reshape of an input puts in sizes of 1, and nothing else.
                let shape = arg(&["result_shape"])?.get("result_shape")?.sizes().ok()?;
                Some(shape.into_iter().filter(|size| size.as_constant() != Some(1)).map(Some).collect())
            }
            Arg::Expand => {
                let arg = arg(&["result_shape", "broadcast_dimensions"])?;
                let shape = arg.get("result_shape")?.sizes().ok()?;
                let dims = match arg.get("broadcast_dimensions") {
                    Some(dims) => dims.list_of("axes", Node::int).ok()?,
                    None => (0..shape.len() as i64).collect(),
                };
                Some(dims.into_iter().map(|dim| shape.get(usize::try_from(dim).ok()?).cloned()).collect())
            }
            Arg::Reduce => {
                let arg = arg(&["op", "axes", "acc_dtype"])?;
                let axes = arg.get("axes")?.list_of("axes", Node::int).ok()?;
                let rank = result.as_ref()?.len() + axes.len();
                let mut kept = result?.into_iter();
                let removed =
                    |axis: usize| axes.contains(&(axis as i64)) || axes.contains(&(axis as i64 - rank as i64));
                Some((0..rank).map(|axis| if removed(axis) { None } else { kept.next().flatten() }).collect())
            }
            Arg::Contract => {
                let indices = Indices::read(&arg(&contraction::KEYS)?).ok()?;
                for (source, side) in sources.iter().zip([&indices.lhs, &indices.rhs]) {
                    self.note_firm(source, by_indices(side));
                }
                self.contractions.insert(node.loc(), indices);
                return Some(());
            }
            Arg::Elementwise | Arg::Compare(_) => {
                let alone = sources.len() == 1;
                for source in &sources {
                    self.note_arithmetic(source, result.as_ref()?, alone, 0);
                }
                return Some(());
            }
            Arg::Nothing | Arg::Const | Arg::Valid | Arg::Load | Arg::Store | Arg::Range => None,
        };
        self.note_firm(sources.first()?, guess?);
        Some(())
    }

    /// Uops come from the last to the first: what an earlier one says counts more, and a later one fills it up.
    fn note_firm(&mut self, source: &Node<'_>, guess: Guess) {
        let Some(name) = name_of(source) else { return };
        let merged = match self.firm.remove(&name) {
            Some(later) if later.len() == guess.len() => {
                guess.into_iter().zip(later).map(|(own, later)| own.or(later)).collect()
            }
            _ => guess,
        };
        self.firm.insert(name, merged);
    }

    fn note_arithmetic(&mut self, source: &Node<'_>, result: &Guess, alone: bool, depth: usize) {
        match source.kind() {
            Kind::String if alone => self.note_firm(source, result.clone()),
            Kind::String => {
                if let Some(name) = name_of(source) {
                    self.weak.insert(name, result.clone());
                }
            }
            // An operand that is written where it stands is arithmetic as well.
            Kind::Object if depth < super::dump::MAX_DEPTH => {
                for (_, _, value) in source.entries("an object").unwrap_or_default() {
                    if value.kind() == Kind::List {
                        let inner = value.list("a list").unwrap_or_default();
                        let alone = alone && inner.len() == 1;
                        inner.iter().for_each(|inner| self.note_arithmetic(inner, result, alone, depth + 1));
                    }
                }
            }
            _ => {}
        }
    }
}

fn name_of(node: &Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::String => node.string("a name").ok().map(|name| name.to_string()),
        _ => None,
    }
}
