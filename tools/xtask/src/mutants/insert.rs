//! Ops that are put into a kernel: any of its dialect, with operands by their types and extreme attributes.

use dlc_core::sizes::expr_attr;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::diag::Diagnostics;
use dlc_ir::random::Random;
use dlc_ir::text::{PrintOptions, print_op};
use dlc_ir::verify::verify;
use dlc_ir::{Attr, Body, Context, Loc, OpId, OpRef, Type, ValueId};
use dlc_kernel::ops::Func;
use dlc_opt::Setup;

/// How many ops are drawn for the one to three that are put in.
const DRAWS: usize = 48;

/// From how many other kernels their attributes and types are.
const DONORS: usize = 3;

/// Numbers at which arithmetic goes wrong, if it does.
const EXTREMES: [i64; 16] =
    [0, 1, -1, 2, 3, 7, 32, 255, 256, 65536, i32::MAX as i64, 1 << 31, 1 << 32, 1 << 62, i64::MAX, i64::MIN];

/// An op somewhere: what one of its kind may have.
struct Pattern {
    op: &'static str,
    operands: Vec<Type>,
    results: Vec<Type>,
    props: Attr,
}

/// A text with one to three ops more that the verifier accepts, and those ops.
pub fn insert(
    setup: &Setup,
    kernels: &[(String, String)],
    text: &str,
    random: &mut Random,
) -> Option<(String, String)> {
    let ctx = Context::new(setup.dialects.iter().copied());
    let mut body = kernel(&ctx, text)?;
    let mut patterns = patterns(&ctx, &body);
    for _ in 0..DONORS {
        let (_, donor) = kernels.get(random.below(kernels.len()))?;
        patterns.extend(kernel(&ctx, donor).iter().flat_map(|body| self::patterns(&ctx, body)));
    }
    let mut names: Vec<&str> = patterns.iter().map(|pattern| pattern.op).collect();
    names.sort_unstable();
    names.dedup();
    let grid = body.ops(body.entry_block()?).find(|&id| OpRef::new(&ctx, &body, id).is(dlc_kernel::ops::Grid::DEF))?;
    let (wanted, mut diff) = (1 + random.below(3), Vec::new());
    for _ in 0..DRAWS {
        if diff.len() == wanted {
            break;
        }
        let mut places = Vec::new();
        body.walk_regions(grid, &mut places);
        let &place = places.get(random.below(places.len()))?;
        let name = names[random.below(names.len())];
        let of_name: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.op == name).collect();
        let pattern = of_name[random.below(of_name.len())];
        let Some(op) = make(&ctx, &mut body, pattern, place, random) else { continue };
        if verify(&ctx, &body, &Diagnostics::new()) {
            diff.push(print_op(&ctx, &body, op, PrintOptions::default()));
        } else {
            body.erase_op(op);
        }
    }
    let text = print_op(&ctx, &body, body.root(), PrintOptions::default()) + "\n";
    (!diff.is_empty()).then(|| (text, diff.iter().map(|op| format!("+{op}\n")).collect()))
}

fn kernel(ctx: &Context, text: &str) -> Option<Body> {
    let module = super::module(ctx, "kernel", text)?;
    let mut ops = module.ops(module.entry_block()?);
    let id = ops.find(|&id| Func::of(OpRef::new(ctx, &module, id).resolve()).is_some())?;
    module.nested(id).cloned()
}

/// The ops of a kernel that have no regions.
fn patterns(ctx: &Context, body: &Body) -> Vec<Pattern> {
    let mut all = Vec::new();
    body.walk_regions(body.root(), &mut all);
    let ops = all.into_iter().map(|id| OpRef::new(ctx, body, id)).filter(|op| op.regions().is_empty());
    let types = |values: &mut dyn Iterator<Item = ValueId>| values.map(|value| body.value_type(value)).collect();
    ops.map(|op| Pattern {
        op: op.def().name,
        operands: types(&mut op.operands()),
        results: types(&mut op.results()),
        props: body.props(op.id),
    })
    .collect()
}

/// An op before another one. `None` where there are no operands for it.
fn make(ctx: &Context, body: &mut Body, pattern: &Pattern, place: OpId, random: &mut Random) -> Option<OpId> {
    let visible = visible(body, place);
    let mut operands = Vec::new();
    for &ty in &pattern.operands {
        // Sometimes of another type: the op may take it as well.
        let any = random.below(8) == 0;
        let fits: Vec<ValueId> = visible.iter().copied().filter(|&value| any || body.value_type(value) == ty).collect();
        operands.push(*fits.get(random.below(fits.len()))?);
    }
    let mut results = pattern.results.clone();
    if let Some(result) = results.first_mut()
        && random.below(4) == 0
        && let Some(&value) = visible.get(random.below(visible.len()))
    {
        *result = body.value_type(value);
    }
    let props = if random.below(2) == 0 { extreme(ctx, pattern.props, random) } else { pattern.props };
    let name = ctx.op_name(pattern.op);
    let parts = OpParts { operands: &operands, results: &results, props, ..OpParts::new(name, Loc::UNKNOWN) };
    let op = body.create_op(parts);
    body.insert(op, InsertPoint::Before(place));
    Some(op)
}

/// The values that an op at a place may use.
fn visible(body: &Body, place: OpId) -> Vec<ValueId> {
    let (mut all, mut at) = (Vec::new(), Some(place));
    while let Some(op) = at {
        let Some(block) = body.block_of(op) else { break };
        all.extend(body.args(block));
        let before = body.ops(block).take_while(|&other| other != op);
        before.for_each(|other| all.extend(body.results(other)));
        at = body.parent_op(op);
    }
    all
}

/// An attribute with one number that is another, if it has any.
fn extreme(ctx: &Context, attr: Attr, random: &mut Random) -> Attr {
    let number = EXTREMES[random.below(EXTREMES.len())];
    match ctx.attr_data(attr) {
        &AttrData::Integer { ty, .. } => ctx.int_attr(number.into(), ty),
        AttrData::String(text) => {
            let changed = SizeExpr::parse(ctx.str(*text)).and_then(|expr| expr.add(&number.into()));
            changed.map_or(attr, |expr| expr_attr(ctx, &expr))
        }
        AttrData::Array(items) => {
            let mut items = items.to_vec();
            let at = random.below(items.len());
            if let Some(item) = items.get_mut(at) {
                *item = extreme(ctx, *item, random);
            }
            ctx.array_attr(&items)
        }
        AttrData::Dict(entries) => {
            let mut entries = entries.to_vec();
            let at = random.below(entries.len());
            if let Some((_, value)) = entries.get_mut(at) {
                *value = extreme(ctx, *value, random);
            }
            ctx.dict_attr(&entries)
        }
        _ => attr,
    }
}
