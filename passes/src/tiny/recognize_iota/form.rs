//! What a value is at each index: one of two branches, by a guard.

use dlc_ir::affine::{AffineExpr, Ranges};
use dlc_ir::interp::Datum;
use dlc_ir::types::FloatKind;
use dlc_ir::{Attr, Context, Type, ValueId};

use super::count::{Closed, never_negative};

/// The element at an index `d0`, `d1`, ..: `inside` where the guard holds, `outside` elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub guard: Guard,
    pub inside: Branch,
    pub outside: Branch,
}

/// A condition on the index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Guard {
    /// Expressions that are all at least zero.
    pub bounds: Vec<AffineExpr>,
    /// An element that is equal to an expression; then there are no bounds.
    pub matched: Option<Match>,
}

/// The condition that an element of data is the number of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Match {
    pub element: Access,
    pub equals: AffineExpr,
}

/// The element of a value that is not known, at affine indices that all exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub source: ValueId,
    pub at: Vec<AffineExpr>,
}

/// An element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Branch {
    /// A whole number. In an integer type it counts modulo two to the power of the width, in `i1` it is 0 or 1, and in a
    /// float type it is a number that the type and all smaller ones are exact in.
    Whole(Closed),
    /// Another number, of the type of the value.
    Number(Attr),
    /// An element of data.
    Element(Access),
}

impl Branch {
    pub(super) fn whole(value: i64) -> Branch {
        Branch::Whole(Closed::constant(value))
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match self {
            Branch::Whole(closed) => closed.as_constant(),
            _ => None,
        }
    }

    fn map(&self, f: &dyn Fn(&AffineExpr) -> Option<AffineExpr>) -> Option<Branch> {
        Some(match self {
            Branch::Whole(closed) => Branch::Whole(closed.map(f)?),
            Branch::Number(number) => Branch::Number(*number),
            Branch::Element(access) => Branch::Element(access.map(f)?),
        })
    }

    /// The number of an attribute.
    pub(super) fn of_attr(ctx: &Context, attr: Attr) -> Option<Branch> {
        match Datum::of_attr(ctx, attr)? {
            Datum::Int(value) => {
                // `true` is 1, whichever way the attribute holds it.
                let value = if attr.value_type(ctx) == Some(Type::I1) { i128::from(value != 0) } else { value };
                i64::try_from(value).ok().map(Branch::whole)
            }
            Datum::Float(value) => Branch::of_float(ctx, value, attr.value_type(ctx)?),
            _ => None,
        }
    }

    /// A number rounded to a float type.
    pub(super) fn of_float(ctx: &Context, value: f64, elem: Type) -> Option<Branch> {
        let attr = Datum::Float(value).to_attr(ctx, elem)?;
        let Datum::Float(value) = Datum::of_attr(ctx, attr)? else { return None };
        let whole = value.fract() == 0.0 && value.abs() <= exact_to(ctx, elem)? as f64;
        // Of the two zeros only one is a whole number: sums tell them apart.
        if whole && !(value == 0.0 && value.is_sign_negative()) {
            return Some(Branch::whole(value as i64));
        }
        Some(Branch::Number(attr))
    }
}

impl Access {
    fn map(&self, f: &dyn Fn(&AffineExpr) -> Option<AffineExpr>) -> Option<Access> {
        Some(Access { source: self.source, at: self.at.iter().map(f).collect::<Option<_>>()? })
    }
}

impl Form {
    /// A branch at every index.
    pub(super) fn always(branch: Branch) -> Form {
        Form { guard: Guard::default(), inside: branch.clone(), outside: branch }
    }

    /// The branch, if it is the same everywhere.
    pub(super) fn as_always(&self) -> Option<&Branch> {
        self.guard.is_empty().then_some(&self.inside)
    }

    /// Whether nothing of it depends on data.
    pub(super) fn is_closed(&self) -> bool {
        let closed = |branch: &Branch| !matches!(branch, Branch::Element(_));
        self.guard.matched.is_none() && closed(&self.inside) && closed(&self.outside)
    }

    /// Every expression in it replaced.
    pub(super) fn map(&self, f: &dyn Fn(&AffineExpr) -> Option<AffineExpr>) -> Option<Form> {
        let matched = match &self.guard.matched {
            Some(Match { element, equals }) => Some(Match { element: element.map(f)?, equals: f(equals)? }),
            None => None,
        };
        Some(Form {
            guard: Guard { bounds: self.guard.bounds.iter().map(f).collect::<Option<_>>()?, matched },
            inside: self.inside.map(f)?,
            outside: self.outside.map(f)?,
        })
    }

    /// What it is at other indices: dimension `i` replaced with `at[i]`, whose own dimensions have these ranges.
    pub(super) fn at(&self, at: &[AffineExpr], ranges: &Ranges) -> Option<Form> {
        let symbols: Vec<AffineExpr> = (0..ranges.symbols.len() as u32).map(AffineExpr::Symbol).collect();
        let moved = self.map(&|expr| Some(expr.substitute(at, &symbols).ok()?.simplify_under(ranges)))?;
        Some(moved.settled(ranges))
    }

    /// The same with fewer bounds: those that always hold or that others imply are gone, and a guard that never holds
    /// is none.
    pub(super) fn settled(mut self, ranges: &Ranges) -> Form {
        if self.inside == self.outside {
            return Form::always(self.inside);
        }
        let mut kept: Vec<AffineExpr> = Vec::new();
        for bound in std::mem::take(&mut self.guard.bounds) {
            let range = bound.range_of(ranges);
            if range.hi().is_some_and(|hi| hi < 0) {
                return Form::always(self.outside);
            }
            let implied_by = |a: &AffineExpr, b: &AffineExpr| b.sub(a).is_ok_and(|gap| never_negative(&gap, ranges));
            if range.lo().is_some_and(|lo| lo >= 0) || kept.iter().any(|other| implied_by(other, &bound)) {
                continue;
            }
            let excludes = |other: &AffineExpr| {
                other.add(&bound).is_ok_and(|sum| sum.range_of(ranges).hi().is_some_and(|hi| hi < 0))
            };
            if kept.iter().any(excludes) {
                return Form::always(self.outside);
            }
            kept.retain(|other| !implied_by(&bound, other));
            kept.push(bound);
        }
        self.guard.bounds = kept;
        if self.guard.is_empty() { Form::always(self.inside) } else { self }
    }
}

impl Guard {
    pub(super) fn of(bounds: Vec<AffineExpr>) -> Guard {
        Guard { bounds, matched: None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty() && self.matched.is_none()
    }

    /// The guard that holds where both do.
    pub(super) fn and(&self, other: &Guard) -> Option<Guard> {
        if self.is_empty() {
            return Some(other.clone());
        }
        if other.is_empty() {
            return Some(self.clone());
        }
        let bounds = self.matched.is_none() && other.matched.is_none();
        bounds.then(|| Guard::of([&self.bounds[..], &other.bounds].concat()))
    }
}

/// Up to which whole number a float type, and every sum below it, is exact.
pub(super) fn exact_to(ctx: &Context, elem: Type) -> Option<i64> {
    let bits = match elem.float_kind(ctx)? {
        FloatKind::F16 | FloatKind::TF32 => 11,
        FloatKind::BF16 => 8,
        FloatKind::F32 => 24,
        FloatKind::F64 => 53,
        FloatKind::F8E4M3FN => 4,
        FloatKind::F8E5M2 => 3,
    };
    Some(1 << bits)
}

/// The least and the greatest number of an integer type that a position may have.
pub(super) fn integers(ctx: &Context, elem: Type) -> Option<(i128, i128)> {
    if !elem.is_integer(ctx) {
        return None;
    }
    let bits = elem.bits(ctx).filter(|bits| *bits <= 64)?;
    Some(match (bits, elem.is_unsigned(ctx)) {
        (1, _) => (0, 1),
        (_, true) => (0, (1 << bits) - 1),
        (_, false) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    })
}
