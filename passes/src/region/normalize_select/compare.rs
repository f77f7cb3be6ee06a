//! Conditions that are values, as guards.

use dlc_core::broadcast::promote;
use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{self, Unary as Function};
use dlc_core::tensor::ElemKind;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, Cast, Const, Index, Select, Unary};

use super::guards::{Spaces, both, either, not};
use super::replace::settle;
use crate::analysis::axes::{axes, before_broadcasts, elem};

/// Lets a select choose by the point, if its condition is affine. Whether it does.
pub fn compare(body: &mut Body, op: OpId, spaces: &mut Spaces<'_>, unused: &mut Vec<OpId>, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let select = Select::from(OpRef::new(ctx, body, op));
    if select.guard().is_some() {
        return false;
    }
    let operands: Vec<ValueId> = (*select).operands().collect();
    let guard = match (Conditions { ctx, body, spaces: &mut *spaces }).guard(operands[0]) {
        Ok(Some(guard)) => guard,
        Ok(None) => return false,
        Err(why) => {
            cx.remark(RemarkKind::Missed, body.loc(op), format!("the condition stays a value: {why}"));
            return false;
        }
    };
    if !cx.allows_rule("compare") {
        return false;
    }
    unused.extend(body.defining_op(operands[0]));
    body.set_operands(op, &operands[1..]);
    body.set_prop(ctx, op, ctx.intern_str("guard"), Some(Guard::make(ctx, guard)));
    settle(body, op, spaces.kernel, cx);
    true
}

/// Reads conditions and integers of a kernel.
struct Conditions<'a, 'k> {
    ctx: &'a Context,
    body: &'a Body,
    spaces: &'a mut Spaces<'k>,
}

impl Conditions<'_, '_> {
    /// Where a truth value is true. `None` where that does not follow from affine integers, an error in words where
    /// they may wrap.
    fn guard(&mut self, value: ValueId) -> Result<Option<Guard>, String> {
        let (ctx, body) = (self.ctx, self.body);
        let value = before_broadcasts(ctx, body, value);
        let Some(op) = body.defining_op(value).map(|op| OpRef::new(ctx, body, op)) else { return Ok(None) };
        if let Some(constant) = Const::of(op) {
            let pieces = match constant.value().as_bool(ctx) {
                Some(true) => vec![Vec::new()],
                Some(false) => Vec::new(),
                None => return Ok(None),
            };
            return Ok(Some(Guard { pieces }));
        }
        if let Some(op) = Unary::of(op).filter(|op| op.function() == Function::Neg && is_truth(ctx, body, op.input())) {
            return Ok(self.guard(op.input())?.and_then(|guard| not(&guard)));
        }
        let Some(op) = Binary::of(op) else { return Ok(None) };
        use scalar::Binary::{Add, And, Mul, Or};
        let join = match op.function() {
            And | Mul => both,
            Or | Add => either,
            function if function.is_comparison() => return self.comparison(op),
            _ => return Ok(None),
        };
        let (Some(a), Some(b)) = (self.guard(op.lhs())?, self.guard(op.rhs())?) else { return Ok(None) };
        Ok(join(&a, &b))
    }

    fn comparison(&mut self, op: Binary<'_>) -> Result<Option<Guard>, String> {
        let ctx = self.ctx;
        let Ok(common) = promote(ctx, elem(ctx, self.body, op.lhs()), elem(ctx, self.body, op.rhs())) else {
            return Ok(None);
        };
        let (Some(a), Some(b)) = (self.integer(op.lhs(), common)?, self.integer(op.rhs(), common)?) else {
            return Ok(None);
        };
        let next = |expr: &SizeExpr| expr.add(&SizeExpr::from(1)).ok();
        let below =
            |a: &SizeExpr, upper: SizeExpr| vec![Condition { expr: a.clone(), lower: None, upper: Some(upper) }];
        let above =
            |a: &SizeExpr, lower: SizeExpr| vec![Condition { expr: a.clone(), lower: Some(lower), upper: None }];
        use scalar::Binary::{Eq, Ge, Gt, Le, Lt, Ne};
        let pieces = || {
            Some(match op.function() {
                Lt => vec![below(&a, b.clone())],
                Le => vec![below(&a, next(&b)?)],
                Gt => vec![above(&a, next(&b)?)],
                Ge => vec![above(&a, b.clone())],
                Eq => vec![vec![Condition { expr: a.clone(), lower: Some(b.clone()), upper: Some(next(&b)?) }]],
                Ne => vec![below(&a, b.clone()), above(&a, next(&b)?)],
                _ => return None,
            })
        };
        Ok(pieces().map(|pieces| Guard { pieces }))
    }

    /// An integer as an affine expression, when it is taken as `ty`. Errors and `None` as for guards.
    fn integer(&mut self, value: ValueId, ty: Type) -> Result<Option<SizeExpr>, String> {
        let (ctx, body) = (self.ctx, self.body);
        let value = before_broadcasts(ctx, body, value);
        let own = elem(ctx, body, value);
        let Some(op) = body.defining_op(value).map(|op| OpRef::new(ctx, body, op)) else { return Ok(None) };
        if ty.float_kind(ctx).is_some() || own.float_kind(ctx).is_some() || own == Type::I1 {
            return Ok(None);
        }
        let expr = if let Some(index) = Index::of(op) {
            index.value().into_iter().next()
        } else if let Some(constant) = Const::of(op) {
            match ctx.attr_data(constant.value()) {
                AttrData::Integer { value, .. } => i64::try_from(*value).ok().map(SizeExpr::from),
                _ => None,
            }
        } else if let Some(cast) = Cast::of(op).filter(|cast| cast.bits().is_none()) {
            self.integer(cast.input(), own)?
        } else if let Some(op) = Binary::of(op) {
            self.arithmetic(op, own)?
        } else {
            None
        };
        let Some(expr) = expr else { return Ok(None) };
        let depends = axes(ctx, body, value);
        for ty in [own, ty] {
            if !self.fits(&expr, &depends, ty) {
                let ty = ty.display(ctx);
                return Err(format!(
                    "'{expr}' may wrap in {ty}; sizes that are numbers, or 64 bits, would exclude that"
                ));
            }
        }
        Ok(Some(expr))
    }

    fn arithmetic(&mut self, op: Binary<'_>, ty: Type) -> Result<Option<SizeExpr>, String> {
        use scalar::Binary::{Add, Floordiv, Floormod, Mul, Sub};
        if !matches!(op.function(), Add | Sub | Mul | Floordiv | Floormod) {
            return Ok(None);
        }
        let (Some(a), Some(b)) = (self.integer(op.lhs(), ty)?, self.integer(op.rhs(), ty)?) else { return Ok(None) };
        let is_number = |expr: &SizeExpr| expr.as_constant().is_some();
        let positive = b.as_constant().is_some_and(|number| number > 0);
        let result = match op.function() {
            Add => a.add(&b),
            Sub => a.sub(&b),
            Mul if is_number(&a) || is_number(&b) => a.mul(&b),
            Floordiv if positive => a.floordiv(&b),
            Floormod if positive => a.modulo(&b),
            _ => return Ok(None),
        };
        Ok(result.ok())
    }

    /// Whether an integer is one of a type at every point. Positions and sizes have 64 bits.
    fn fits(&mut self, expr: &SizeExpr, depends: &[&str], ty: Type) -> bool {
        let Some(ElemKind::Int { bits, signed }) = ElemKind::of(self.ctx, ty) else { return false };
        let Some(range) = self.spaces.over(depends).map(|mut over| over.range(expr)) else {
            return bits == 64 && signed;
        };
        let kind = ElemKind::Int { bits, signed };
        match (bits, signed) {
            (64, true) => true,
            (64, false) => range.lo().is_some_and(|lo| lo >= 0),
            _ => range.lo().is_some_and(|lo| lo >= kind.lowest()) && range.hi().is_some_and(|hi| hi <= kind.highest()),
        }
    }
}

fn is_truth(ctx: &Context, body: &Body, value: ValueId) -> bool {
    elem(ctx, body, value) == Type::I1
}
