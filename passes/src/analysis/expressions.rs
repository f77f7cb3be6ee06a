//! Expressions of kernels over values: what divides them, and how they are put together.

use dlc_core::sizes::{value_name, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Body, Context, OpId, OpRef, ValueId};
use dlc_kernel::ops as kernel;

/// An expression and the values that it names: `_0` is the first.
#[derive(Clone, Debug)]
pub struct Over {
    /// The expression.
    pub expr: SizeExpr,
    /// The values.
    pub values: Vec<ValueId>,
}

impl Over {
    /// A value alone.
    pub fn value(value: ValueId) -> Option<Over> {
        Some(Over { expr: SizeExpr::symbol(&value_name(0)).ok()?, values: vec![value] })
    }

    /// An expression without values.
    pub fn plain(expr: SizeExpr) -> Over {
        Over { expr, values: Vec::new() }
    }

    /// An expression of an op and the values that it names.
    pub fn new(expr: SizeExpr, values: &[ValueId]) -> Over {
        Over { expr, values: values.to_vec() }
    }

    /// What becomes of two. `None` beyond 64 bits.
    pub fn with(&self, other: &Over, both: impl Fn(&SizeExpr, &SizeExpr) -> Option<SizeExpr>) -> Option<Over> {
        let (values, exprs) = pack(&[self.clone(), other.clone()])?;
        Some(Over { expr: both(&exprs[0], &exprs[1])?, values })
    }

    /// The sum. `None` beyond 64 bits.
    pub fn plus(&self, other: &Over) -> Option<Over> {
        self.with(other, |a, b| a.add(b).ok())
    }

    /// The product with a number. `None` beyond 64 bits.
    pub fn times(&self, number: i64) -> Option<Over> {
        Some(Over { expr: self.expr.mul(&SizeExpr::from(number)).ok()?, values: self.values.clone() })
    }
}

/// Expressions over one list of values, each value that is named there once. `None` beyond 64 bits.
pub fn pack(parts: &[Over]) -> Option<(Vec<ValueId>, Vec<SizeExpr>)> {
    let (mut values, mut exprs) = (Vec::new(), Vec::new());
    for part in parts {
        for name in part.expr.symbols() {
            let value = value_number(&name).and_then(|number| part.values.get(number));
            if let Some(&value) = value.filter(|value| !values.contains(*value)) {
                values.push(value);
            }
        }
        let replace = |name: &str| {
            let value = part.values.get(value_number(name)?)?;
            let number = values.iter().position(|known| known == value)?;
            SizeExpr::symbol(&value_name(number)).ok()
        };
        exprs.push(part.expr.substitute(&replace).ok()?);
    }
    Some((values, exprs))
}

/// A number that divides an integer, whatever it is: 0 divides only 0.
pub fn divisor_of(ctx: &Context, body: &Body, value: ValueId) -> u64 {
    if let Some(op) = body.defining_op(value) {
        return match kernel::Index::of(OpRef::new(ctx, body, op)) {
            Some(index) => match index.value().first() {
                Some(expr) => divisor(ctx, body, expr, &index.args().collect::<Vec<_>>()),
                None => 1,
            },
            None => 1,
        };
    }
    let holder = body.defining_block(value).and_then(|block| body.region_of(block));
    let holder = holder.and_then(|region| body.region_parent(region));
    let Some(loop_) = holder.and_then(|op| kernel::For::of(OpRef::new(ctx, body, op))) else { return 1 };
    let counter = body.first_block(kernel::For::body(loop_)).and_then(|block| body.args(block).first());
    let bounds = loop_.bounds();
    if counter != Some(&value) || bounds.len() != 3 {
        return 1;
    }
    let values: Vec<ValueId> = loop_.args().collect();
    gcd(divisor(ctx, body, &bounds[0], &values), divisor(ctx, body, &bounds[2], &values))
}

/// The largest number that a kernel may require a size to be a multiple of.
const MOST_REQUIRED: u32 = 12;

/// A power of two that divides a symbol, as the kernel is launched for no other sizes: `require (K mod 8 == 0)`.
fn required(ctx: &Context, body: &Body, symbol: &str) -> i64 {
    let ops = body.entry_block().into_iter().flat_map(|block| body.ops(block));
    let guards = ops.filter_map(|op| Some(kernel::Require::of(OpRef::new(ctx, body, op))?.guard()));
    let pieces = guards.filter_map(|guard| <[_; 1]>::try_from(guard.pieces).ok());
    let conditions: Vec<_> = pieces.flat_map(|[piece]| piece).collect();
    let Ok(size) = SizeExpr::symbol(symbol) else { return 1 };
    let holds = |power: &i64| {
        let rest = size.modulo(&SizeExpr::from(*power)).ok();
        conditions.iter().any(|condition| {
            let zero = condition.upper.as_ref().and_then(SizeExpr::as_constant) == Some(1);
            let zero = zero && condition.lower.as_ref().and_then(SizeExpr::as_constant) == Some(0);
            zero && Some(&condition.expr) == rest.as_ref()
        })
    };
    (1..=MOST_REQUIRED).rev().map(|bit| 1 << bit).find(holds).unwrap_or(1)
}

/// A number that divides an expression over values, for all sizes that the kernel is for.
pub fn divisor(ctx: &Context, body: &Body, expr: &SizeExpr, values: &[ValueId]) -> u64 {
    let replace = |name: &str| {
        let factor = match value_number(name) {
            Some(number) => i64::try_from(divisor_of(ctx, body, *values.get(number)?)).ok()?,
            None => required(ctx, body, name),
        };
        SizeExpr::symbol(name).ok()?.mul(&SizeExpr::from(factor)).ok()
    };
    expr.substitute(&replace).map_or(1, |expr| expr.largest_known_divisor())
}

/// Whether the bits of a number are all zero; nothing is zero.
pub fn is_zero(ctx: &Context, number: Option<Attr>) -> bool {
    number.is_none_or(|number| match Datum::of_attr(ctx, number) {
        Some(Datum::Float(value)) => value.to_bits() == 0,
        Some(datum) => datum.as_int() == Some(0),
        None => false,
    })
}

/// The greatest common divisor; of 0 and a number that number.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Puts an op `kernel.index` of an expression at the place of a builder, unless it is a value alone.
pub fn index(builder: &mut dlc_ir::Builder<'_>, loc: dlc_ir::Loc, over: &Over) -> Option<ValueId> {
    let (values, exprs) = pack(std::slice::from_ref(over))?;
    if let (Some(0), &[value]) = (exprs[0].as_symbol().and_then(value_number), values.as_slice()) {
        return Some(value);
    }
    let op: OpId = kernel::Index::build(builder, loc, &values, exprs, dlc_ir::Type::INDEX);
    Some(builder.result(op))
}
