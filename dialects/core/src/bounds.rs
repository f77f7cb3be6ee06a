//! The rules of reading: positions are affine, they name axes that there are, and they stay within what is read.

use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::op::BrokenRule;
use dlc_ir::{Diagnostics, OpRef};

use crate::access::Access;
use crate::guard::{Condition, Guard};
use crate::space::{Bound, Space};

dlc_ir::codes! {
    /// A remainder stands where a map has quotients alone, with a guard.
    MISSING_DIV_GUARD = "E1203" "MissingDivGuard";
    /// A position multiplies axes, or divides by what is not a positive number.
    NON_AFFINE_ACCESS = "E1301" "NonAffineAccess";
    /// A position may lie outside of what is read, and no guard excludes that.
    UNGUARDED_ACCESS = "E1302" "UnguardedAccess";
    /// An axis is named that is not there, or has another size than where it is used.
    AXIS_ALIGNMENT_MISMATCH = "E1304" "AxisAlignmentMismatch";
    /// A guard has so many pieces that it should be simplified.
    EXCESSIVE_PIECEWISE = "W2101" "ExcessivePiecewise";
}

/// The most pieces of a guard before it is called excessive.
pub const MAX_PIECES: usize = 16;

/// Named axes and their sizes, for checking what is read at their positions.
pub struct Axes<'a> {
    names: Vec<&'a str>,
    sizes: &'a [SizeExpr],
    /// Made when the first position needs a proof.
    space: Option<Option<Space>>,
}

impl<'a> Axes<'a> {
    /// Axes of these names and sizes.
    pub fn new(names: Vec<&'a str>, sizes: &'a [SizeExpr]) -> Axes<'a> {
        Axes { names, sizes, space: None }
    }

    /// The place of an axis.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| *known == name)
    }

    fn space(&mut self) -> Option<&mut Space> {
        let sizes = self.sizes;
        self.space.get_or_insert_with(|| Space::of(sizes)).as_mut()
    }

    /// Whether an expression is affine in the axes. `declared` says what else may be named in it.
    pub fn check(&self, expr: &SizeExpr, declared: &dyn Fn(&str) -> bool) -> Result<(), BrokenRule> {
        if expr.as_symbol().is_some_and(|name| self.names.contains(&name)) || expr.as_constant().is_some() {
            return Ok(());
        }
        if let Some(name) = expr.symbols().iter().find(|name| !self.names.contains(&&***name) && !declared(name)) {
            let place = if expr.as_symbol().is_some() { String::new() } else { format!(" in '{expr}'") };
            let message = format!("'{name}'{place} is neither an axis nor a symbol of the function");
            let axes = self.names.join(", ");
            let fix = if axes.is_empty() { "there are no axes".into() } else { format!("the axes are {axes}") };
            return Err(BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message).suggest(fix));
        }
        if !expr.is_affine_in(&|name| self.names.contains(&name)) {
            let message = format!("'{expr}' is not affine in the axes");
            let fix = "a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers";
            return Err(BrokenRule::new(&NON_AFFINE_ACCESS, message).suggest(fix));
        }
        Ok(())
    }

    /// Whether all that is read is there: every position within the size of its axis, wherever the guard holds.
    /// Otherwise the first position that may lie outside, and the size. What is not affine is taken as outside.
    pub fn outside(&mut self, access: &Access, dims: &[SizeExpr]) -> Option<(SizeExpr, SizeExpr)> {
        let everywhere = [Vec::new()];
        let pieces = access.guard.as_ref().map_or(&everywhere[..], |guard| &guard.pieces);
        for (at, dim) in access.at.iter().zip(dims) {
            let axis = at.as_symbol().and_then(|name| self.position(name));
            if axis.is_some_and(|axis| self.sizes[axis] == *dim) {
                continue;
            }
            let holds = pieces.iter().all(|piece| self.inside(at, dim, piece).unwrap_or(false));
            if !holds {
                return Some((at.clone(), dim.clone()));
            }
        }
        None
    }

    fn inside(&mut self, at: &SizeExpr, dim: &SizeExpr, piece: &[Condition]) -> Option<bool> {
        // Most guards say just this.
        let zero = SizeExpr::from(0);
        let exact = |c: &Condition| c.expr == *at && c.lower.as_ref() == Some(&zero) && c.upper.as_ref() == Some(dim);
        if piece.iter().any(exact) {
            return Some(true);
        }
        let names = self.names.clone();
        if let Some(space) = self.space()
            && proves(space, &names, at, dim, piece) == Some(true)
        {
            return Some(true);
        }
        // Axes that are not named say that sizes are not zero, and make the proof longer, which may end it.
        let exprs = || [at, dim].into_iter().chain(piece.iter().flat_map(Condition::exprs));
        let named = |name: &str| exprs().any(|expr| expr.symbols().iter().any(|symbol| **symbol == *name));
        let (names, sizes): (Vec<&str>, Vec<SizeExpr>) = self
            .names
            .iter()
            .zip(self.sizes)
            .filter(|(name, _)| named(name))
            .map(|(name, size)| (*name, size.clone()))
            .unzip();
        proves(&mut Space::of(&sizes)?, &names, at, dim, piece)
    }
}

/// Whether a position is known to lie within a size wherever the conditions hold. `None` for what is not affine.
fn proves(space: &mut Space, names: &[&str], at: &SizeExpr, dim: &SizeExpr, piece: &[Condition]) -> Option<bool> {
    let axis = |name: &str| names.iter().position(|known| *known == name).map(|axis| axis as u32);
    let bound = Bound { expr: space.read(at, &axis)?, size: space.read(dim, &axis)? };
    // A bound that cannot be used only leaves less to conclude from.
    let sides = piece.iter().flat_map(Condition::sides);
    let given: Vec<AffineExpr> = sides.filter_map(|side| space.read_condition(&side, &axis)).flatten().collect();
    Some(space.in_bounds(&given, &bound))
}

/// Checks how an operand of some sizes is read: one affine position for each of its axes, none outside, a guard of few
/// pieces. `what` is read, for messages.
pub fn verify_access(
    op: OpRef<'_>,
    axes: &mut Axes<'_>,
    what: &str,
    access: &Access,
    dims: &[SizeExpr],
    declared: &dyn Fn(&str) -> bool,
    diags: &Diagnostics,
) {
    let emit = |broken: BrokenRule| diags.emit(broken.diagnostic(&dlc_ir::verify::OP_RULE, op.loc()).at(op.name()));
    if access.at.len() != dims.len() {
        let message = format!("{what} has {} axes, and is read at {} positions", dims.len(), access.at.len());
        return emit(BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message));
    }
    if let Some(broken) = access.exprs().find_map(|expr| axes.check(expr, declared).err()) {
        return emit(broken);
    }
    if let Some(guard) = &access.guard {
        verify_guard(op, guard, diags);
    }
    if let Some((at, dim)) = axes.outside(access, dims) {
        let message = format!("{what} is read at '{at}', which may lie outside of 0 to {dim}");
        emit(BrokenRule::new(&UNGUARDED_ACCESS, message).suggest(format!("add the guard 'where (0 <= {at} < {dim})'")));
    }
}

/// Warns of a guard with many pieces.
pub fn verify_guard(op: OpRef<'_>, guard: &Guard, diags: &Diagnostics) {
    if guard.pieces.len() > MAX_PIECES {
        let message = format!("the guard has {} pieces", guard.pieces.len());
        let warning = dlc_ir::diag::Diagnostic::warning(&EXCESSIVE_PIECEWISE, op.loc(), message).at(op.name());
        diags.emit(warning.suggest("leave out what follows from the rest, and join pieces that touch"));
    }
}
