//! The expressions of ops of kernel with the values that they name: read and written again, put together, what divides
//! them, and guards without what is decided.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Exprs, value_name, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::entity::EntityId;
use dlc_ir::{Builder, Context, Loc, OpId, Str, Type, ValueId};
use dlc_kernel::global::map_strides;
use dlc_kernel::ops as kernel;

/// The values that expressions name, each once.
#[derive(Default)]
struct Names(RefCell<Vec<ValueId>>);

impl Names {
    /// The symbol of a value.
    fn of(&self, value: ValueId) -> Option<SizeExpr> {
        let mut values = self.0.borrow_mut();
        let known = values.iter().position(|&known| known == value);
        let number = known.unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        });
        SizeExpr::symbol(&value_name(number)).ok()
    }

    /// An expression over some values, in these names. `None` beyond the limits of expressions.
    fn put(&self, expr: &SizeExpr, values: &[ValueId]) -> Option<SizeExpr> {
        expr.substitute(&|symbol| self.of(*values.get(value_number(symbol)?)?)).ok()
    }
}

/// The properties that are lists of expressions, of any op.
const LISTS: &[&str] = &["dims", "bounds", "value", "tiles", "at", "offsets"];

/// The expressions of an op, in which `_0`, `_1`, .. are its values.
#[derive(Clone, PartialEq, Debug)]
pub struct OpExprs {
    /// The values.
    pub args: Vec<ValueId>,
    /// Lists of expressions, by the name of their property.
    pub lists: Vec<(&'static str, Vec<SizeExpr>)>,
    /// The condition, if there is one.
    pub guard: Option<Guard>,
}

/// The group of operands that expressions name.
fn group(op: OpRef<'_>) -> Option<usize> {
    op.def().operands.iter().position(|operand| operand.name == "args")
}

impl OpExprs {
    /// The expressions of an op; `None` for an op that has none.
    pub fn of(op: OpRef<'_>) -> Option<OpExprs> {
        let args = op.operands_of_group(group(op)?).collect();
        let list = |&key: &&'static str| Some((key, Exprs::get(op.ctx, op.prop_named(key)?)?));
        let guard = op.prop_named("guard").and_then(|attr| Guard::get(op.ctx, attr));
        Some(OpExprs { args, lists: LISTS.iter().filter_map(list).collect(), guard })
    }

    /// The value that a symbol stands for.
    pub fn value(&self, symbol: &str) -> Option<ValueId> {
        self.args.get(value_number(symbol)?).copied()
    }

    /// All expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        self.lists.iter().flat_map(|(_, list)| list).chain(self.guard.iter().flat_map(Guard::exprs))
    }

    /// With numbers for some of the values. `None` beyond the limits of expressions.
    pub fn with_numbers(&self, number: &dyn Fn(ValueId) -> Option<i64>) -> Option<OpExprs> {
        let put =
            |expr: &SizeExpr| expr.substitute(&|symbol| self.value(symbol).and_then(number).map(SizeExpr::from)).ok();
        self.map(&put)
    }

    fn map(&self, put: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<OpExprs> {
        let list = |(key, list): &(&'static str, Vec<SizeExpr>)| {
            Some((*key, list.iter().map(put).collect::<Option<Vec<_>>>()?))
        };
        let guard = match &self.guard {
            Some(guard) => Some(guard.map(put)?),
            None => None,
        };
        Some(OpExprs { args: self.args.clone(), lists: self.lists.iter().map(list).collect::<Option<_>>()?, guard })
    }

    /// Puts the expressions into an op, whose operands become those values that they still name.
    pub fn write(&self, ctx: &Context, body: &mut Body, op: OpId) {
        let view = OpRef::new(ctx, body, op);
        let Some(group) = group(view) else { return };
        let names = Names::default();
        // Fewer names make no expression larger.
        let Some(places) = self.map(&|expr| names.put(expr, &self.args)) else { return };
        let kept = names.0.into_inner();
        let range = view.operand_group(group);
        let mut operands: Vec<ValueId> = view.operands().collect();
        operands.splice(range, kept.iter().copied());
        let segments: Option<Vec<i32>> = view.prop(Str::OPERAND_SEGMENTS).map(|_| {
            let count = |at: usize| if at == group { kept.len() } else { view.operand_group(at).len() };
            (0..view.def().operands.len()).map(|at| count(at) as i32).collect()
        });
        body.set_operands(op, &operands);
        if let Some(segments) = segments {
            body.set_prop(ctx, op, Str::OPERAND_SEGMENTS, Some(ctx.i32_array(&segments)));
        }
        for (key, list) in places.lists {
            body.set_prop(ctx, op, ctx.intern_str(key), Some(Exprs::make(ctx, list)));
        }
        let guard = places.guard.map(|guard| Guard::make(ctx, guard));
        if guard.is_some() || self.guard.is_none() {
            body.set_prop(ctx, op, ctx.intern_str("guard"), guard);
        }
    }
}

/// The number that a value is known to be.
pub fn number(ctx: &Context, body: &Body, value: ValueId) -> Option<i64> {
    let index = kernel::Index::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
    match body.value_type(value) {
        Type::INDEX => index.value().first()?.as_constant(),
        _ => None,
    }
}

/// What is left of a guard.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// The conditions that are not known; `None` where it holds everywhere.
    pub guard: Option<Guard>,
    /// How many bounds are gone.
    pub bounds: u64,
}

/// A guard without the bounds that are decided, `holds` saying whether an expression is never negative, or always.
pub fn decide(guard: &Guard, holds: &dyn Fn(&SizeExpr) -> Option<bool>) -> Decided {
    let (mut pieces, mut bounds) = (Vec::new(), 0);
    for piece in &guard.pieces {
        let mut left = Some(Vec::new());
        for condition in piece {
            let above = condition.lower.as_ref().and_then(|lower| holds(&condition.expr.sub(lower).ok()?));
            let room = |upper: &SizeExpr| upper.sub(&condition.expr).ok()?.sub(&SizeExpr::from(1)).ok();
            let below = condition.upper.as_ref().and_then(|upper| holds(&room(upper)?));
            if above == Some(false) || below == Some(false) {
                bounds += 1;
                left = None;
                break;
            }
            let kept = |bound: &Option<SizeExpr>, known: Option<bool>| bound.clone().filter(|_| known.is_none());
            let (lower, upper) = (kept(&condition.lower, above), kept(&condition.upper, below));
            bounds += u64::from(above.is_some()) + u64::from(below.is_some());
            if lower.is_some() || upper.is_some() {
                left.get_or_insert_default().push(Condition { expr: condition.expr.clone(), lower, upper });
            }
        }
        pieces.extend(left);
    }
    let everywhere = pieces.iter().any(Vec::is_empty);
    Decided { guard: (!everywhere).then_some(Guard { pieces }), bounds }
}

/// An expression and the values that it names: `_0` is the first.
#[derive(Clone, Debug)]
pub struct BoundExpr {
    /// The expression.
    pub expr: SizeExpr,
    /// The values.
    pub values: Vec<ValueId>,
}

impl BoundExpr {
    /// A value alone.
    pub fn value(value: ValueId) -> Option<BoundExpr> {
        Some(BoundExpr { expr: SizeExpr::symbol(&value_name(0)).ok()?, values: vec![value] })
    }

    /// An expression without values.
    pub fn plain(expr: SizeExpr) -> BoundExpr {
        BoundExpr { expr, values: Vec::new() }
    }

    /// An expression of an op and the values that it names.
    pub fn new(expr: SizeExpr, values: &[ValueId]) -> BoundExpr {
        BoundExpr { expr, values: values.to_vec() }
    }

    /// What becomes of two. `None` beyond 64 bits.
    pub fn with(
        &self,
        other: &BoundExpr,
        both: impl Fn(&SizeExpr, &SizeExpr) -> Option<SizeExpr>,
    ) -> Option<BoundExpr> {
        let (values, exprs) = pack(&[self.clone(), other.clone()])?;
        Some(BoundExpr { expr: both(&exprs[0], &exprs[1])?, values })
    }

    /// The sum. `None` beyond 64 bits.
    pub fn plus(&self, other: &BoundExpr) -> Option<BoundExpr> {
        self.with(other, |a, b| a.add(b).ok())
    }

    /// The product with a number. `None` beyond 64 bits.
    pub fn times(&self, number: i64) -> Option<BoundExpr> {
        Some(BoundExpr { expr: self.expr.mul(&SizeExpr::from(number)).ok()?, values: self.values.clone() })
    }
}

/// Expressions over one list of values, each value that is named there once. `None` beyond 64 bits.
pub fn pack(parts: &[BoundExpr]) -> Option<(Vec<ValueId>, Vec<SizeExpr>)> {
    let names = Names::default();
    let exprs = parts.iter().map(|part| names.put(&part.expr, &part.values)).collect::<Option<_>>()?;
    Some((names.0.into_inner(), exprs))
}

/// The largest number that a kernel may require a size to be a multiple of.
const MOST_REQUIRED: u32 = 12;

/// The conditions that hold for all sizes that a kernel is launched for: what it requires, and that TMA is
/// given rows of whole 16 bytes, as it is refused at the launch else.
fn requirements(ctx: &Context, body: &Body) -> Vec<Condition> {
    let mut all = Vec::new();
    for id in body.entry_block().into_iter().flat_map(|block| body.ops(block)) {
        let op = OpRef::new(ctx, body, id);
        if let Some(require) = kernel::Require::of(op) {
            let piece = <[_; 1]>::try_from(require.guard().pieces);
            all.extend(piece.into_iter().flat_map(|[piece]| piece));
        } else if let Some(map) = kernel::TensorMapOf::of(op) {
            all.extend(whole_rows(ctx, map));
        }
    }
    all
}

/// That the rows of a map are multiples of 16 bytes apart, where it has several.
fn whole_rows(ctx: &Context, map: kernel::TensorMapOf<'_>) -> Option<Condition> {
    let memory = MemRef::of(ctx, map.type_of(map.memory()))?;
    let step = map_strides(ctx, map)?.pop()?;
    let width = SizeExpr::from(i64::from(128 / memory.elem(ctx).bits(ctx)?.max(8)));
    Condition::of(&step.modulo(&width).ok()?, "==", &SizeExpr::from(0))
}

/// The symbols of a kernel that are one number, as it is launched for no other sizes: `require (C == 3)`.
pub fn required_values(ctx: &Context, body: &Body) -> Vec<(String, i64)> {
    requirements(ctx, body).iter().filter_map(required_value).collect()
}

/// The symbol that is one number where a condition holds, and the number.
fn required_value(condition: &Condition) -> Option<(String, i64)> {
    let (terms, base) = condition.expr.as_linear()?;
    let [(name, 1)] = terms.as_slice() else { return None };
    let (lower, upper) = (condition.lower.as_ref()?.as_constant()?, condition.upper.as_ref()?.as_constant()?);
    (lower.checked_add(1)? == upper).then_some((name.to_string(), lower.checked_sub(base)?))
}

/// The powers of two that divide symbols of a kernel, as it is launched for no other sizes: `require (K mod 8 == 0)`.
pub fn required_divisors(ctx: &Context, body: &Body) -> Vec<(String, i64)> {
    let conditions = requirements(ctx, body);
    let named: BTreeSet<_> = conditions.iter().flat_map(|condition| condition.expr.symbols()).collect();
    let divisor = |name: &std::sync::Arc<str>| (name.to_string(), divisor_among(&conditions, name));
    named.iter().map(divisor).filter(|(_, divisor)| *divisor > 1).collect()
}

fn divisor_among(conditions: &[Condition], symbol: &str) -> i64 {
    if let Some((_, value)) = conditions.iter().filter_map(required_value).find(|(name, _)| name == symbol) {
        return 1 << value.trailing_zeros().min(MOST_REQUIRED);
    }
    let Ok(size) = SizeExpr::symbol(symbol) else { return 1 };
    let is = |bound: &Option<SizeExpr>, value: i64| bound.as_ref().and_then(SizeExpr::as_constant) == Some(value);
    let is_zero = |condition: &&Condition| {
        is(&condition.lower, 0) && is(&condition.upper, 1) && condition.expr.symbols().contains(symbol)
    };
    let zeros: Vec<&Condition> = conditions.iter().filter(is_zero).collect();
    if zeros.is_empty() {
        return 1;
    }
    // `N mod 8` is `N - 8*(N floordiv 8)`.
    let terms = zeros.iter().flat_map(|condition| condition.expr.terms());
    let coefficients: Vec<i64> = terms.map(|(coefficient, _)| coefficient).collect();
    let holds = |power: &i64| {
        if !coefficients.contains(&-power) {
            return false;
        }
        let rest = size.modulo(&SizeExpr::from(*power)).ok();
        zeros.iter().any(|condition| Some(&condition.expr) == rest.as_ref())
    };
    (1..=MOST_REQUIRED).rev().map(|bit| 1 << bit).find(holds).unwrap_or(1)
}

/// A number that divides an expression over values, for all sizes that the kernel is for: 0 divides only 0.
pub fn divisor(ctx: &Context, body: &Body, expr: &SizeExpr, values: &[ValueId]) -> u64 {
    let expr = expanded(ctx, body, expr, values, MOST_EXPANDED);
    let conditions = OnceCell::new();
    let replace = |name: &str| {
        // Values that are not known are no sizes.
        let is_size = value_of_unknown(name).is_none();
        let conditions = is_size.then(|| conditions.get_or_init(|| requirements(ctx, body)));
        let factor = conditions.map_or(1, |conditions| divisor_among(conditions, name));
        (factor > 1).then(|| SizeExpr::symbol(name).ok()?.mul(&SizeExpr::from(factor)).ok())?
    };
    expr.substitute(&replace).map_or(1, |expr| expr.largest_known_divisor())
}

/// How many ops after each other are put into one expression.
const MOST_EXPANDED: usize = 8;

/// An expression in which values are replaced by what they are computed from, as far as that is known: integers their expressions, what a
/// loop counts its start and some steps. The others are named by their numbers in the body.
fn expanded(ctx: &Context, body: &Body, expr: &SizeExpr, values: &[ValueId], depth: usize) -> SizeExpr {
    let replace = |name: &str| {
        let &value = values.get(value_number(name)?)?;
        let made = if depth > 0 { definition(ctx, body, value, depth - 1) } else { None };
        made.or_else(|| unknown(value))
    };
    // What is too large stays as it is: nothing is known of its values.
    expr.substitute(&replace).unwrap_or_else(|_| expr.clone())
}

/// The name of a value of which nothing is known.
fn unknown(value: ValueId) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("_v{}", value.index())).ok()
}

/// What [`unknown`] gave a name to.
fn value_of_unknown(name: &str) -> Option<&str> {
    name.strip_prefix("_v").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What an integer is computed from.
fn definition(ctx: &Context, body: &Body, value: ValueId, depth: usize) -> Option<SizeExpr> {
    if let Some(op) = body.defining_op(value) {
        let index = kernel::Index::of(OpRef::new(ctx, body, op))?;
        let expr = index.value().into_iter().next()?;
        // The elements of a fragment have no one number.
        let is_one = body.value_type(value) == Type::INDEX;
        return is_one.then(|| expanded(ctx, body, &expr, &index.args().collect::<Vec<_>>(), depth));
    }
    let holder = body.defining_block(value).and_then(|block| body.region_of(block));
    let loop_ = kernel::For::of(OpRef::new(ctx, body, body.region_parent(holder?)?))?;
    let counter = body.first_block(kernel::For::body(loop_)).and_then(|block| body.args(block).first());
    let values: Vec<ValueId> = loop_.args().collect();
    match loop_.bounds().as_slice() {
        [first, _, step] if counter == Some(&value) => {
            let [first, step] = [first, step].map(|expr| expanded(ctx, body, expr, &values, depth));
            first.add(&step.mul(&unknown(value)?).ok()?).ok()
        }
        _ => None,
    }
}

/// Puts an op `kernel.index` of an expression at the place of a builder, unless it is a value alone.
pub fn index(builder: &mut Builder<'_>, loc: Loc, over: &BoundExpr) -> Option<ValueId> {
    let (values, exprs) = pack(std::slice::from_ref(over))?;
    if let (Some(0), &[value]) = (exprs[0].as_symbol().and_then(value_number), values.as_slice()) {
        return Some(value);
    }
    let op: OpId = kernel::Index::build(builder, loc, &values, exprs, Type::INDEX);
    Some(builder.result(op))
}
