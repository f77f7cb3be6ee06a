//! Lets a buffer between kernels end with an axis of the tiles of the product that fills it: a batch axis of few positions
//! goes before the last axis of rows or columns, so that neighbouring threads store neighbouring elements. Such an axis has
//! the phases of a strided transposed convolution, which are a batch each.
//!
//! **Requires**: region.
//! **Ensures**: region. No private kernel of one launch stores a product of matrices with a batch axis of few positions last,
//! if all that reads it are private kernels without products, of one launch each.
//!
//! **Before**
//! ```mlir before
//! host.func @f(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>) -> memref<[64, 63], f32, row_major, align 128> {
//!   %0 = launch @f_0 (%a, %b) : memref<[64, 32, 2], f32, row_major, align 128>
//!   %1 = view %0 : memref<[64, 64], f32, row_major, align 128>
//!   %y = launch @f_1 (%1) : memref<[64, 63], f32, row_major, align 128>
//!   return %y
//! }
//! region.func private @f_0 iters (m: 64, n: 32, b: 2)
//!   ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>)
//!   outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (k: 8) acc f32 init 0.0 {
//!     %0 = read %a[m, k, b] : f32 over (m, b, k)
//!     %1 = read %b[k, n, b] : f32 over (n, b, k)
//!     %2 = binary mul %0, %1 widen : f32 over (m, n, b, k)
//!     yield %2
//!   } : f32 over (m, n, b)
//!   yield %y to y
//! }
//! region.func private @f_1 iters (m: 64, x: 63) ins (%v: memref<[64, 64], f32, row_major, align 128>) outs (y: memref<[64, 63], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %v[m, x] : f32 over (m, x)
//!   %y = unary exp2 %0 : f32 over (m, x)
//!   yield %y to y
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>) -> memref<[64, 63], f32, row_major, align 128> {
//!   %0 = launch @f_0 (%a, %b) : memref<[64, 2, 32], f32, row_major, align 128>
//!   %1 = view %0 : memref<[64, 2, 32], f32, row_major, align 128>
//!   %y = launch @f_1 (%1) : memref<[64, 63], f32, row_major, align 128>
//!   return %y
//! }
//! region.func private @f_0 iters (m: 64, b: 2, n: 32)
//!   ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>)
//!   outs (y: memref<[64, 2, 32], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (k: 8) acc f32 init 0.0 {
//!     %0 = read %a[m, k, b] : f32 over (m, b, k)
//!     %1 = read %b[k, n, b] : f32 over (b, n, k)
//!     %2 = binary mul %0, %1 widen : f32 over (m, b, n, k)
//!     yield %2
//!   } : f32 over (m, b, n)
//!   yield %y to y
//! }
//! region.func private @f_1 iters (m: 64, x: 63)
//!   ins (%v: memref<[64, 2, 32], f32, row_major, align 128>)
//!   outs (y: memref<[64, 63], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %v[m, x mod 2, x floordiv 2] : f32 over (m, x)
//!   %y = unary exp2 %0 : f32 over (m, x)
//!   yield %y to y
//! }
//! ```
//!
//! **Does not** change inputs and results of functions, buffers that products read, or kernels with a plan. What readers
//! compute with stays the same, but neighbouring threads of theirs read from as many places as the axis has positions: so it
//! has at most as many as let each warp read whole sectors of each.
//!
//! Linear in the module. Rule of the debug counters: `order`.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_host::ops::{Launch, View};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{IntArray, Kind, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type, TypeData, ValueId};
use dlc_region::ops::{BroadcastInDim, Func, Read, Transpose};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

use crate::analysis::axes::places;
use crate::plan::shape::{Axis, Shape, groups};
use crate::rewrites::launches::{At, Launches, free_kernels, set_signature};

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "ordered", doc: "Buffers whose axes are in another order." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("order-buffers", "Puts small batch axes of buffers before the axes of tiles.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(OrderBuffers))
}

struct OrderBuffers;

/// The lanes of a warp, which read a sector of as many bytes at each of its places.
const LANES: i64 = 32;
const SECTOR_BYTES: i64 = 32;

impl Pass for OrderBuffers {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let launches = Launches::of_module(cx.ctx, body);
        let free = free_kernels(cx.ctx, body, &launches);
        for (kernel, name) in &free {
            let Some(buffer) = Buffer::of(cx.ctx, body, (*kernel, name), &free, &launches) else { continue };
            if cx.allows_rule("order") {
                cx.count("ordered", 1);
                let loc = body.loc(*kernel);
                let message = format!(
                    "the {} positions of '{}' are before those of '{}' in the buffer: tiles have one of them",
                    buffer.count, buffer.batch, buffer.row
                );
                cx.remark(RemarkKind::Passed, loc, message);
                buffer.apply(cx.ctx, body, *kernel);
            }
        }
        Ok(())
    }
}

/// What reads a buffer: a launch of a kernel, by its op and the number of the input.
struct Reader {
    launch: OpId,
    kernel: OpId,
    input: usize,
    /// The view that it takes, if it takes one: of the buffer, or of another view of it.
    view: Option<OpId>,
}

/// A buffer whose last axis is a batch axis of the product that fills it.
struct Buffer {
    /// The function with its launch.
    at: At,
    /// The axis before the last, the last, and how many positions that has.
    row: String,
    batch: String,
    count: i64,
    /// The size of the other one.
    size: SizeExpr,
    readers: Vec<Reader>,
}

impl Buffer {
    fn of(
        ctx: &Context,
        module: &Body,
        (kernel, name): (OpId, &str),
        free: &[(OpId, String)],
        launches: &Launches,
    ) -> Option<Buffer> {
        let body = module.nested(kernel)?;
        let func = Func::from(OpRef::new(ctx, body, body.root()));
        let axes = KernelAxes::of(ctx, body);
        let [.., row, batch] = &axes.names[..axes.iters] else { return None };
        let (size, count) = (axes.size(row)?.clone(), axes.size(batch)?.as_constant()?);
        let [_] = func.outputs()[..] else { return None };
        let ty = stored(ctx, func)?;
        let most = LANES * i64::from(ty.elem(ctx).bits(ctx)?) / 8 / SECTOR_BYTES;
        let product = groups(ctx, body, &Shape::of(ctx, body, &axes))?;
        let is_among = |axes: &[Axis], name: &str| axes.iter().any(|(own, _)| own == name);
        let is_apart = is_among(&product.batch, batch) || is_among(&product.near, batch);
        let is_of_tile = is_among(&product.rows, row) || is_among(&product.columns, row);
        let is_wanted = (2..=most).contains(&count) && is_apart && is_of_tile;
        let at = sole_launch(ctx, module, launches, name).filter(|_| is_wanted)?;
        let function = module.nested(at.0)?;
        let buffer = Launch::from(OpRef::new(ctx, function, at.1)).outs().next()?;
        let mut found = Buffer { at, row: row.clone(), batch: batch.clone(), count, size, readers: Vec::new() };
        // Views of views are of the buffer, too.
        let mut open: Vec<(ValueId, Option<OpId>)> = vec![(buffer, None)];
        while let Some((value, view)) = open.pop() {
            for used in function.uses(value) {
                match View::of(OpRef::new(ctx, function, used.op)).filter(|view| view.start().is_none()) {
                    Some(next) => open.push((next.out(), Some(used.op))),
                    None => found.readers.push(reader(ctx, module, at.0, used, view, free, launches)?),
                }
            }
        }
        let is_readable = |reader: &Reader| found.read_type(ctx, module, reader).is_some();
        (!found.readers.is_empty() && found.readers.iter().all(is_readable)).then_some(found)
    }

    /// What a reader takes then; `None` where it reads more than elements of rows.
    fn read_type(&self, ctx: &Context, module: &Body, reader: &Reader) -> Option<Type> {
        let body = module.nested(reader.kernel)?;
        let arg = *body.args(body.entry_block()?).get(reader.input)?;
        let ty = MemRef::of(ctx, body.value_type(arg)).filter(|ty| ty.layout(ctx) == Layout::RowMajor)?;
        let is_read = |op: OpId| {
            let read = Read::of(OpRef::new(ctx, body, op));
            read.is_some_and(|read| read.indices().next().is_none())
        };
        let is_product = groups(ctx, body, &Shape::of(ctx, body, &KernelAxes::of(ctx, body))).is_some();
        if is_product || !body.uses(arg).all(|used| is_read(used.op)) {
            return None;
        }
        let mut dims = ty.dims(ctx);
        let count = SizeExpr::from(self.count);
        let last = dims.pop()?;
        match self.is_whole(&last)? {
            true => {}
            false => {
                dims.pop().filter(|size| *size == self.size)?;
            }
        }
        dims.extend([count, self.size.clone()]);
        Some(MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ty.align(ctx), ty.noalias(ctx)))
    }

    /// Whether the last axis of what a reader takes has the positions of both axes, or those of the batch axis; `None` of
    /// another one.
    fn is_whole(&self, last: &SizeExpr) -> Option<bool> {
        let both = self.size.mul(&SizeExpr::from(self.count)).ok()?;
        if *last == both {
            return Some(true);
        }
        (last.as_constant() == Some(self.count)).then_some(false)
    }

    /// Brings the axes into the other order: of the buffer, of the kernel that fills it, and of what reads it.
    fn apply(&self, ctx: &Context, module: &mut Body, kernel: OpId) {
        for reader in &self.readers {
            let Some(ty) = self.read_type(ctx, module, reader) else { continue };
            if let Some(function) = module.nested_mut(self.at.0) {
                let taken = function.operand(reader.launch, reader.input);
                function.set_value_type(taken, ty);
                if let Some(view) = reader.view {
                    let buffer = function.result(self.at.1, 0);
                    function.set_operand(view, 0, buffer);
                }
            }
            if let Some(body) = module.nested_mut(reader.kernel) {
                self.read(ctx, body, reader.input, ty);
            }
        }
        let Some(body) = module.nested_mut(kernel) else { return };
        self.fill(ctx, body);
        let stored = stored(ctx, Func::from(OpRef::new(ctx, body, body.root())));
        if let (Some(ty), Some(function)) = (stored, module.nested_mut(self.at.0)) {
            let buffer = function.result(self.at.1, 0);
            let was = MemRef::of(ctx, function.value_type(buffer));
            let noalias = was.is_some_and(|was| was.noalias(ctx));
            let ty = MemRef::get(ctx, ty.dims(ctx), ty.elem(ctx), Layout::RowMajor, ty.align(ctx), noalias);
            function.set_value_type(buffer, ty);
        }
    }

    /// Lets a kernel read an argument of this type.
    fn read(&self, ctx: &Context, body: &mut Body, input: usize, ty: Type) {
        let Some(entry) = body.entry_block() else { return };
        let arg = body.args(entry)[input];
        let whole = MemRef::of(ctx, body.value_type(arg)).and_then(|ty| self.is_whole(ty.dims(ctx).last()?));
        let reads: Vec<OpId> = body.uses(arg).map(|used| used.op).collect();
        for op in reads {
            let Some(read) = Read::of(OpRef::new(ctx, body, op)) else { continue };
            let mut at = read.at();
            let Some(last) = at.pop() else { continue };
            let count = SizeExpr::from(self.count);
            let (place, batch) = match whole {
                Some(true) => (last.floordiv(&count), last.modulo(&count)),
                _ => (Ok(at.pop().unwrap_or(SizeExpr::from(0))), Ok(last)),
            };
            if let (Ok(place), Ok(batch)) = (place, batch) {
                at.extend([batch, place]);
                body.set_prop(ctx, op, ctx.intern_str("at"), Some(Exprs::make(ctx, at)));
            }
        }
        body.set_value_type(arg, ty);
        set_signature(ctx, body, None);
    }

    /// Lets the kernel have its axes in the other order.
    fn fill(&self, ctx: &Context, body: &mut Body) {
        let func = Func::from(OpRef::new(ctx, body, body.root()));
        let (mut iters, mut sizes) = (func.iters(), func.iter_sizes());
        let last = iters.len() - 1;
        iters.swap(last - 1, last);
        sizes.swap(last - 1, last);
        let stored = stored(ctx, func).map(|ty| {
            let mut dims = ty.dims(ctx);
            dims.swap(last - 1, last);
            MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ty.align(ctx), ty.noalias(ctx))
        });
        let (iters, sizes, root) = (TextArray::make(ctx, iters), Sizes::make(ctx, sizes), body.root());
        body.set_prop(ctx, root, ctx.intern_str("iters"), Some(iters));
        body.set_prop(ctx, root, ctx.intern_str("iter_sizes"), Some(sizes));
        set_signature(ctx, body, stored.as_ref().map(std::slice::from_ref));
        let values: Vec<ValueId> =
            body.walk().into_iter().flat_map(|op| body.results(op).collect::<Vec<_>>()).collect();
        for value in values {
            let Some(ty) = Value::of(ctx, body.value_type(value)) else { continue };
            let mut axes: Vec<&str> = ty.axes(ctx);
            let place = |name: &str| axes.iter().position(|axis| *axis == name);
            if let Some((row, batch)) = place(&self.row).zip(place(&self.batch)).filter(|(row, batch)| row < batch) {
                axes[row..=batch].rotate_right(1);
                body.set_value_type(value, Value::get(ctx, ty.elem(ctx), axes));
            }
        }
        let axes = KernelAxes::of(ctx, body);
        for id in body.walk() {
            let op = OpRef::new(ctx, body, id);
            let [from, to] = [op.operands().next(), op.results().next()]
                .map(|value| value.map_or_else(Vec::new, |value| axes_of(ctx, body.value_type(value))));
            if op.is(BroadcastInDim::DEF) {
                let shape = to.iter().filter_map(|axis| axes.size(axis).cloned()).collect();
                body.set_prop(ctx, id, ctx.intern_str("dims"), Some(IntArray::make(ctx, places(&from, &to))));
                body.set_prop(ctx, id, ctx.intern_str("shape"), Some(Sizes::make(ctx, shape)));
            } else if op.is(Transpose::DEF) {
                body.set_prop(ctx, id, ctx.intern_str("by"), Some(IntArray::make(ctx, places(&to, &from))));
            }
        }
    }
}

/// The memory that a kernel of one result stores it in.
fn stored(ctx: &Context, func: Func<'_>) -> Option<MemRef> {
    match ctx.type_data(func.function_type()) {
        TypeData::Function { results, .. } => MemRef::of(ctx, *results.first()?),
        _ => None,
    }
}

/// The launch of a kernel, if it has one that runs no other.
fn sole_launch(ctx: &Context, module: &Body, launches: &Launches, name: &str) -> Option<At> {
    let all = launches.always_of(ctx, module, name);
    <[At; 1]>::try_from(all).ok().map(|[at]| at)
}

/// The kernel that a use is a read of.
fn reader(
    ctx: &Context,
    module: &Body,
    function: OpId,
    used: dlc_ir::body::Use,
    view: Option<OpId>,
    free: &[(OpId, String)],
    launches: &Launches,
) -> Option<Reader> {
    let body = module.nested(function)?;
    Launch::of(OpRef::new(ctx, body, used.op))?;
    let is_its = |(_, name): &&(OpId, String)| sole_launch(ctx, module, launches, name) == Some((function, used.op));
    let (kernel, _) = free.iter().find(is_its)?;
    Some(Reader { launch: used.op, kernel: *kernel, input: used.index, view })
}
