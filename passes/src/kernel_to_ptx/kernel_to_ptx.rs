//! Turns the grids of a kernel into instructions.
//!
//! **Requires**: kernel.
//! **Ensures**: ptx. Every grid is an entry; what is done when the kernel is launched stays as it is. Fragments are
//! registers of each thread, tiles addresses; loops and conditions are blocks. Registers have the names of the values
//! that they hold, those of a fragment with their number: `%acc.0`, `%acc.1`.
//!
//! **Before**
//! ```mlir before
//! kernel.func @double<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
//!   %Y = output : memref<[N], f32, row_major, align 4>
//!   grid (N ceildiv 128) threads 128 {
//!     %b = block_id 0
//!     %x = load %X[128 * %b + i0] where (128 * %b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//!     %y = binary add %x, %x : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//!     store %y to %Y[128 * %b + i0] where (128 * %b + i0 < N)
//!   }
//!   return %Y
//! }
//! ```
//! **After**
//! ```mlir after
//! ptx.func @double<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> attributes {covered = [{blocks = 1, choices = 1, disjoint = 1, ring = 1, rounds = 4, runs = 1, sizes = 1, stores = 1}], target = "sm_80", verified = "ea980b5081d0f508"} {
//!   %Y = kernel.output : memref<[N], f32, row_major, align 4>
//!   entry "double_0" (N ceildiv 128) threads 128 shared 0 memory (%X, %Y) sizes (N) {
//!   ^bb0(%X_0: i64, %Y_0: i64, %N: i32):
//!     %0 = sreg.tid.x
//!     %1 = and.b32 %0, 31
//!     %2 = shr.u32 %0, 5
//!     %3 = shfl.sync.idx.b32 %2, 0, 31, -1
//!     %b = sreg.ctaid.x
//!     %4 = shl.b32 %3, 5
//!     %5 = add.s32 %1, %4
//!     %6 = shl.b32 %b, 7
//!     %7 = add.s32 %6, %5
//!     %8 = mad.wide.s32 %7, 4, %X_0
//!     %9 = setp.lt.s32 %7, %N
//!     %10 = mov.f32 0.0
//!     %x = ld.global.nc.f32 [%8] if %9 else %10
//!     %y = add.rn.f32 %x, %x
//!     %11 = mad.wide.s32 %7, 4, %Y_0
//!     st.global.f32 [%11], %y if %9
//!     exit
//!   }
//!   kernel.return %Y
//! }
//! ```
//!
//! **Does not** choose anything: which memory is shared, who loads what and when is the kernel's. Nor does it make
//! instructions of a kernel that `check-async` does not verify, unless `unchecked` asks for it. A verification that is there
//! already, and holds, is not made again. What it covered stands in the attributes `verified` and `covered`; with
//! `unchecked`, `unverified` says why there is none, and what the checker found is a warning.
//!
//! Addresses in memory have 64 bits. Integers that all threads agree on have 32 where `analysis::index_ranges` shows that
//! they are within those, and 64 elsewhere; it takes tensors to have no more elements than `index` says, and a launch on
//! larger ones is refused. Vectors are as wide as an access says, else as layout, alignment and guard allow (see
//! `analysis::vectors`); where a guard may cut a vector apart, there is a way for whole vectors and one for single elements.
//! An asynchronous wait leaves as many groups on their way as have been begun since the one that is waited for, on every
//! way to it.
//! Linear in the registers of the kernel's fragments.

mod code;
mod compute;
mod engines;
mod exchange;
mod exprs;
mod flags;
mod floats;
mod global;
mod integers;
mod linear;
mod lower;
mod natural;
mod product;
mod scalar;
mod scan;
mod shared;
mod sort;
mod strided;
mod sync;
mod values;
mod words;

use crate::analysis::expressions::required_values;
use crate::analysis::index_ranges::{IndexRanges, is_narrow};
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpParts, OpRef};
use dlc_ir::diag::{Diagnostic, RemarkKind, Severity};
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Attr, Context, Loc, OpId, Str, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_ptx::form::Target;
use dlc_ptx::inst::Arg;
use dlc_ptx::ops::{NARROW_ELEMENTS, WIDE_ELEMENTS};
use dlc_ptx::symbol::symbol;
use dlc_ptx::verified::{self, Covered, Verification};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use crate::kernel::check_async::{Proof, proofs_or_faults};
use code::Code;
use lower::Lower;
use values::Lowered;

dlc_ir::codes! {
    /// A kernel cannot be written in instructions.
    NO_INSTRUCTIONS = "E1910" "NoInstructions";
}

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "target",
            kind: OptionKind::Text,
            default: "",
            doc: "The machine, sm_80 or sm_90a; without it, the one that the kernel is written for, or the least that has \
              its instructions.",
        },
        OptionDef {
            name: "fuse",
            kind: OptionKind::Bool,
            default: "false",
            doc: "A sum of a product may be rounded once: the assembler joins them.",
        },
        OptionDef {
            name: "unchecked",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Kernels that check-async does not verify become instructions too: what it finds is a warning, and they \
                  are marked as unverified, also in the launch manifest. Without it they are refused.",
        },
        OptionDef {
            name: "index",
            kind: OptionKind::Int,
            default: "32",
            doc: "The bits of places in tensors whose sizes are symbols: 32 is for up to 2130706432 elements, 64 for up to \
              1099511627776. Tensors whose sizes are numbers have as many as they need.",
        },
    ],
    statistics: &[
        StatDef { name: "entries", doc: "Grids that became entries." },
        StatDef { name: "instructions", doc: "Instructions in them." },
    ],
    requires: &["kernel"],
    adds: &["ptx"],
    removes: &["kernel"],
    ..PassDef::base(
        "kernel-to-ptx",
        "Lowers kernels to instructions, after verifying them as check-async does.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let target = options.text("target").to_string();
    if !target.is_empty() && Target::parse(&target).is_none() {
        return Err(format!("'{target}' is no machine, such as sm_80 or sm_90a"));
    }
    let index = options.int("index");
    if index != 32 && index != 64 {
        return Err(format!("places have 32 or 64 bits, not {index}"));
    }
    let elements = if index == 64 { WIDE_ELEMENTS } else { NARROW_ELEMENTS };
    Ok(Box::new(KernelToPtx { target, fuse: options.flag("fuse"), unchecked: options.flag("unchecked"), elements }))
}

struct KernelToPtx {
    target: String,
    fuse: bool,
    unchecked: bool,
    /// The most elements of a tensor.
    elements: i64,
}

impl KernelToPtx {
    /// Whether the kernel is verified.
    ///
    /// Errors: it is not, which is reported, and nobody asked to go on all the same.
    fn verification(&self, body: &Body, cx: &PassCx<'_>) -> Result<Verification, PassFailed> {
        let faults = match proofs_or_faults(body, cx) {
            Ok(proofs) => {
                for (grid, proof) in &proofs {
                    cx.remark(RemarkKind::Analysis, body.loc(*grid), proof.to_string());
                }
                return Ok(Verification::Verified(proofs.iter().map(|(_, proof)| covered(proof)).collect()));
            }
            Err(faults) => faults,
        };
        let reason = faults
            .first()
            .map_or_else(String::new, |fault| format!("{} {}: {}", fault.code.code, fault.code.kind, fault.message));
        for mut fault in faults {
            if self.unchecked {
                fault.severity = Severity::Warning;
                fault = fault.note(Loc::UNKNOWN, "its instructions are marked as unverified ('unchecked')");
            }
            cx.diags.emit(fault);
        }
        if self.unchecked { Ok(Verification::Unverified(reason)) } else { Err(PassFailed) }
    }

    /// What was made for the least machine, or for another one where that lacks some of it. A kernel that says for which
    /// machine it is stays for that one.
    fn on_another(&self, ctx: &Context, kernel: &Body, made: Made) -> Result<Made, Refused> {
        if made.fits {
            return Ok(made);
        }
        let says = kernel::Func::of(OpRef::new(ctx, kernel, kernel.root())).and_then(|func| func.target());
        let own = Target::parse(target_arch(&self.target, says)).unwrap_or(BASELINE_ARCH);
        let Some((wanted, op)) = beyond(ctx, &made.body, own) else { return Ok(made) };
        if says.is_none() && self.target.is_empty() {
            let made = lower(ctx, kernel, &wanted.to_string(), self.fuse, self.elements)?;
            // What is taken for another machine may need another one again.
            return match beyond(ctx, &made.body, wanted) {
                None => Ok(made),
                Some((more, op)) => Err(lacks(OpRef::new(ctx, &made.body, op), wanted, more)),
            };
        }
        Err(lacks(OpRef::new(ctx, &made.body, op), own, wanted))
    }
}

fn lacks(op: OpRef<'_>, own: Target, wanted: Target) -> Refused {
    let name = dlc_ptx::inst::Inst::of(op).map_or_else(|_| op.name().to_string(), |inst| inst.mnemonic());
    Refused::new(format!("this needs '{name}', which {wanted} has, and the kernel is for {own}"))
        .suggest("let the kernel be for that machine")
        .at(op)
}

/// The machine that kernels are for that say none.
const BASELINE_ARCH: Target = Target { sm: 80, exact: false };

/// The machine that has what the instructions of a function need beyond another one, with one that needs it.
fn beyond(ctx: &Context, body: &Body, own: Target) -> Option<(Target, OpId)> {
    let mut ops = Vec::new();
    body.walk_regions(body.root(), &mut ops);
    ops.into_iter().fold(None, |known: Option<(Target, OpId)>, id| {
        let known_target = known.map_or(own, |(target, _)| target);
        match dlc_ptx::inst::Inst::of(OpRef::new(ctx, body, id)) {
            Ok(inst) if !known_target.has(inst.signature.target) => Some((inst.signature.target, id)),
            _ => known,
        }
    })
}

/// Why a kernel has no instructions.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    message: String,
    suggestion: Option<String>,
    loc: Option<Loc>,
    op: String,
}

impl Refused {
    /// With what is wrong.
    pub(crate) fn new(message: impl Into<String>) -> Refused {
        Refused { message: message.into(), suggestion: None, loc: None, op: String::new() }
    }

    /// And with what would help.
    pub(crate) fn suggest(mut self, suggestion: &str) -> Refused {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The innermost op is the one that counts.
    fn at(mut self, op: OpRef<'_>) -> Refused {
        if self.loc.is_none() {
            self.loc = Some(op.loc());
            self.op = op.name().to_string();
        }
        self
    }
}

impl Pass for KernelToPtx {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let is_kernel = kernel::Func::of(OpRef::new(cx.ctx, body, body.root())).is_some();
        if !is_kernel || body.entry_block().is_none() {
            return Ok(());
        }
        let verification = self.verification(body, cx)?;
        match lower(cx.ctx, body, &self.target, self.fuse, self.elements)
            .and_then(|made| self.on_another(cx.ctx, body, made))
        {
            Ok(mut made) => {
                cx.count("entries", made.entries);
                cx.count("instructions", made.body.num_ops() as u64);
                match verification {
                    Verification::Verified(covered) => verified::mark(cx.ctx, &mut made.body, &covered),
                    Verification::Unverified(reason) => verified::mark_unverified(cx.ctx, &mut made.body, &reason),
                }
                body.replace_with(made.body);
                Ok(())
            }
            Err(refused) => {
                let loc = refused.loc.unwrap_or_else(|| body.loc(body.root()));
                let error = Diagnostic::error(&NO_INSTRUCTIONS, loc, refused.message).at(&refused.op);
                Err(cx.fail(error.suggest_if(refused.suggestion)))
            }
        }
    }
}

/// What a proof covers, as it is written down.
fn covered(proof: &Proof) -> Covered {
    let Proof { sizes, blocks, choices, runs, ring, rounds, disjoint, open, .. } = *proof;
    Covered { sizes, blocks, choices, runs, ring, rounds, stores: disjoint + open, disjoint }
}

/// The machine of a kernel by what it is written for.
fn target_arch<'t>(target: &'t str, written_for: Option<&str>) -> &'t str {
    match (target, written_for) {
        ("", Some("sm90")) => "sm_90a",
        ("", _) => "sm_80",
        (given, _) => given,
    }
}

/// A kernel in instructions.
struct Made {
    body: Body,
    /// How many entries it has.
    entries: u64,
    /// Whether the machine that it was made for is known to have all of its instructions.
    fits: bool,
}

/// Makes instructions of a kernel.
fn lower(ctx: &Context, kernel: &Body, target: &str, fuse: bool, elements: i64) -> Result<Made, Refused> {
    let root = OpRef::new(ctx, kernel, kernel.root());
    let Some(func) = kernel::Func::of(root) else { return Err(Refused::new("this is no kernel")) };
    let Some(block) = kernel.entry_block() else { return Err(Refused::new("the kernel has no body")) };
    let target_key = ctx.intern_str("target");
    let mut props =
        ctx.dict_with(kernel.props(kernel.root()), target_key, Some(ctx.str_attr(target_arch(target, func.target()))));
    let elements = most_elements(ctx, kernel, elements);
    if elements > WIDE_ELEMENTS {
        let why = format!("a tensor has up to {WIDE_ELEMENTS} elements, not {elements}");
        return Err(Refused::new(why).at(OpRef::new(ctx, kernel, kernel.root())));
    }
    if elements != NARROW_ELEMENTS {
        props = ctx.dict_with(props, ctx.intern_str("elements"), Some(ctx.i64_attr(elements)));
    }
    let (mut made, into) =
        code::function(ctx, dlc_ptx::ops::Func::DEF.name, root.loc(), props, kernel.attrs(kernel.root()));
    let mut map = CloneMap::new();
    for (index, &arg) in kernel.args(block).iter().enumerate() {
        let new = made.add_arg(into, kernel.value_type(arg), kernel.arg_loc(block, index));
        made.set_value_name(new, kernel.value_name(arg));
        map.map_value(arg, new);
    }
    let machine = Target::parse(target_arch(target, func.target())).unwrap_or(BASELINE_ARCH);
    let name = func.sym_name();
    let (mut entries, mut fits) = (0, true);
    for id in kernel.ops(block) {
        let op = OpRef::new(ctx, kernel, id);
        let Some(grid) = kernel::Grid::of(op) else {
            let new = made.import_op(kernel, id, &mut map);
            made.insert(new, InsertPoint::EndOf(into));
            narrow(ctx, &mut made, new);
            continue;
        };
        let name = symbol(&format!("{name}_{entries}"));
        let (body, fit) = entry(ctx, kernel, grid, made, &map, &name, machine, fuse, elements).map_err(|e| e.at(op))?;
        (made, fits) = (body, fits && fit);
        entries += 1;
    }
    Ok(Made { body: made, entries, fits })
}

/// The most elements of a tensor that a kernel may be launched on: those of a tensor whose sizes are numbers, if it has
/// more.
fn most_elements(ctx: &Context, kernel: &Body, elements: i64) -> i64 {
    let Some(block) = kernel.entry_block() else { return elements };
    let made = kernel.ops(block).flat_map(|id| kernel.results(id));
    let memory = kernel.args(block).iter().copied().chain(made);
    let known = memory.filter_map(|value| {
        let dims = MemRef::of(ctx, kernel.value_type(value))?.dims(ctx);
        dims.iter().try_fold(1i64, |all, dim| all.checked_mul(dim.as_constant()?.max(1)))
    });
    match known.max() {
        Some(most) if most > elements => WIDE_ELEMENTS.max(most),
        _ => elements,
    }
}

/// Lets a tensor map move boxes whose rows are those of a panel, as TMA does it: wider ones are loaded and
/// stored panel by panel.
fn narrow(ctx: &Context, made: &mut Body, id: OpId) {
    use dlc_kernel::types::TensorMap;
    let Some(op) = kernel::TensorMapOf::of(OpRef::new(ctx, made, id)) else { return };
    let out = op.out();
    let Some(ty) = TensorMap::of(ctx, made.value_type(out)) else { return };
    let (mut shape, elem, layout) = (ty.shape(ctx), ty.elem(ctx), ty.layout(ctx));
    let bytes = i64::from(elem.bits(ctx).unwrap_or(8).div_ceil(8));
    if let Some(inner) = shape.last_mut() {
        *inner = engines::panel(layout, *inner, bytes);
    }
    made.set_value_type(out, TensorMap::get(ctx, shape, elem, layout));
}

/// The parameters of an entry, collected before its ops are lowered.
#[derive(Default)]
struct EntryParams {
    memory: Vec<ValueId>,
    maps: Vec<ValueId>,
    /// Integers from outside of the grid.
    values: Vec<ValueId>,
    /// Those that are numbers in the text: an entry knows them.
    known: Vec<(ValueId, i64)>,
    symbols: Vec<String>,
}

impl EntryParams {
    fn of(ctx: &Context, kernel: &Body, grid: kernel::Grid<'_>) -> EntryParams {
        let mut params = EntryParams::default();
        let mut ops = Vec::new();
        kernel.walk_regions(grid.id, &mut ops);
        let mut inside: FxHashSet<ValueId> = FxHashSet::default();
        for &id in &ops {
            inside.extend(kernel.results(id));
            for &region in kernel.regions(id) {
                kernel.blocks(region).for_each(|block| inside.extend(kernel.args(block)));
            }
        }
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        for &id in &ops {
            for value in kernel.operands(id) {
                if inside.contains(&value) || seen.contains(&value) {
                    continue;
                }
                let ty = kernel.value_type(value);
                if let Some(number) = number(ctx, kernel, value) {
                    params.known.push((value, number));
                    continue;
                }
                let list = if MemRef::of(ctx, ty).is_some() {
                    &mut params.memory
                } else if dlc_kernel::types::TensorMap::of(ctx, ty).is_some() {
                    &mut params.maps
                } else {
                    &mut params.values
                };
                seen.insert(value);
                list.push(value);
            }
            let op = OpRef::new(ctx, kernel, id);
            for name in values::symbols_of(op) {
                if !params.symbols.contains(&name) {
                    params.symbols.push(name);
                }
            }
        }
        // The steps along the axes of memory are sizes, too.
        for &value in &params.memory {
            if let Some(memref) = MemRef::of(ctx, kernel.value_type(value)) {
                let mut exprs = memref.dims(ctx);
                if let dlc_core::memref::Layout::Strided { strides, offset } = memref.layout(ctx) {
                    exprs.extend(strides);
                    exprs.push(offset);
                }
                for name in exprs.iter().flat_map(SizeExpr::symbols) {
                    if !params.symbols.iter().any(|known| **known == *name) {
                        params.symbols.push(name.to_string());
                    }
                }
            }
        }
        params.symbols.sort();
        params
    }
}

/// The number that an integer is.
fn number(ctx: &Context, kernel: &Body, value: ValueId) -> Option<i64> {
    let index = kernel::Index::of(OpRef::new(ctx, kernel, kernel.defining_op(value)?))?;
    index.value().first()?.as_constant().filter(|_| kernel.value_type(value) == Type::INDEX)
}

/// A grid as an entry at the end of a function, and whether the machine has all of its instructions.
#[allow(clippy::too_many_arguments)]
fn entry(
    ctx: &Context,
    kernel: &Body,
    grid: kernel::Grid<'_>,
    mut made: Body,
    map: &CloneMap,
    name: &str,
    machine: Target,
    fuse: bool,
    elements: i64,
) -> Result<(Body, bool), Refused> {
    let op = *grid;
    let ranges = IndexRanges::of(ctx, kernel, elements);
    let index_type = |range| if is_narrow(range) { Type::I32 } else { Type::I64 };
    let params = EntryParams::of(ctx, kernel, grid);
    let places = dlc_kernel::places::shared_memory(op).map_err(Refused::new)?;
    let barriers = dlc_kernel::barrier_numbers::barrier_numbers(grid).map_err(Refused::new)?;
    let outside = |value: ValueId| map.value(value).ok_or_else(|| Refused::new("a value of the launch is not there"));
    // Values in the expressions of the grid come first, then integers from outside, each as an expression of its own.
    let in_dims: Vec<ValueId> = grid.args().map(outside).collect::<Result<_, _>>()?;
    let mut args = in_dims;
    let values_outside = params.values.iter().map(|&value| outside(value)).collect::<Result<Vec<_>, _>>()?;
    let sizes = entry_sizes(&made, &mut args, &values_outside, &params.symbols)?;
    let memory: Vec<ValueId> = params.memory.iter().map(|&value| outside(value)).collect::<Result<_, _>>()?;
    let maps: Vec<ValueId> = params.maps.iter().map(|&value| outside(value)).collect::<Result<_, _>>()?;
    let region = made.create_region();
    let start = made.append_block(region);
    let mut values: FxHashMap<ValueId, Lowered> = FxHashMap::default();
    let mut symbols: FxHashMap<String, Arg> = FxHashMap::default();
    let fixed = required_values(ctx, kernel);
    let arg = |made: &mut Body, ty: Type, of: Option<ValueId>| {
        let value = made.add_arg(start, ty, op.loc());
        if let Some(of) = of {
            made.set_value_name(value, kernel.value_name(of));
        }
        value
    };
    let block = kernel.entry_block();
    for &value in &params.memory {
        // Arguments are read, and only that; results of other ops are memory of this kernel.
        let is_argument = kernel.defining_op(value).is_none();
        let read_only = is_argument && block.is_some() && kernel.defining_block(value) == block;
        let at = arg(&mut made, Type::I64, Some(value));
        values.insert(value, Lowered::Memory(at, read_only));
    }
    for &value in &params.maps {
        let at = arg(&mut made, Type::I64, Some(value));
        values.insert(value, Lowered::Map(at));
    }
    for &value in &params.values {
        let at = arg(&mut made, index_type(ranges.value(value)), Some(value));
        values.insert(value, Lowered::Index(at.into(), natural::is_natural(ctx, kernel, value, &|_| None)));
    }
    let known = params.known.iter().map(|&(value, number)| (value, Lowered::Index(number.into(), number >= 0)));
    values.extend(known);
    for symbol in &params.symbols {
        let size = SizeExpr::symbol(symbol).map_err(|error| Refused::new(error.message.into_owned()))?;
        let at = arg(&mut made, index_type(ranges.expr(&size, &[])), None);
        made.set_value_name(at, ctx.intern_str(symbol));
        let known = fixed.iter().find(|(name, _)| name == symbol);
        symbols.insert(symbol.clone(), known.map_or(at.into(), |&(_, value)| Arg::Int(value)));
    }
    let groups = ctx.i32_array(&[args.len() as i32, memory.len() as i32, maps.len() as i32]);
    let shared = places.bytes;
    let mut code = Code::new(ctx, made, region, start, op.loc());
    code.fuse = fuse;
    let mut lower =
        Lower::new(code, kernel, grid, Rc::new(symbols), values, ranges, places, barriers, machine.sm >= 90);
    lower.fixed = fixed.into_iter().map(|(name, value)| (name, SizeExpr::from(value))).collect();
    let Some(first) = op.regions().first().and_then(|&region| kernel.first_block(region)) else {
        return Err(Refused::new("a grid has a body"));
    };
    lower.block(first)?;
    lower.code.exit();
    let fits = lower.code.is_for(machine);
    let mut made = lower.code.body;
    let into = made.entry_block().ok_or_else(|| Refused::new("the function has no body"))?;
    let props = entry_props(ctx, grid, name, sizes, shared, groups);
    let operands: Vec<ValueId> = args.into_iter().chain(memory).chain(maps).collect();
    let entry_name = ctx.op_name(dlc_ptx::ops::Entry::DEF.name);
    let parts = OpParts { operands: &operands, props, regions: &[region], ..OpParts::new(entry_name, op.loc()) };
    let _: OpId = code::append(&mut made, into, parts);
    Ok((made, fits))
}

/// The attributes of an entry: what it is launched with.
fn entry_props(
    ctx: &Context,
    grid: kernel::Grid<'_>,
    name: &str,
    sizes: Vec<SizeExpr>,
    shared: u32,
    groups: Attr,
) -> Attr {
    let mut props: Vec<(Str, Attr)> = vec![
        (ctx.intern_str("dims"), dlc_core_exprs(ctx, grid.dims())),
        (ctx.intern_str("name"), ctx.str_attr(name)),
        (ctx.intern_str("sizes"), dlc_core_exprs(ctx, sizes)),
        (ctx.intern_str("shared"), ctx.i64_attr(shared.into())),
        (ctx.intern_str("threads"), ctx.i64_attr(grid.threads())),
        (Str::OPERAND_SEGMENTS, groups),
    ];
    if let Some(blocks) = grid.blocks_per_sm() {
        props.push((ctx.intern_str("blocks"), ctx.i64_attr(blocks)));
    }
    if let Some(cluster) = grid.prop_named("cluster") {
        props.push((ctx.intern_str("cluster"), cluster));
    }
    ctx.dict_attr(&props)
}

/// The sizes of an entry: integers from outside, which are arguments then, and symbols.
fn entry_sizes(
    made: &Body,
    args: &mut Vec<ValueId>,
    values: &[ValueId],
    symbols: &[String],
) -> Result<Vec<SizeExpr>, Refused> {
    let symbol = |name: &str| SizeExpr::symbol(name).map_err(|error| Refused::new(error.message.into_owned()));
    let mut sizes: Vec<SizeExpr> = Vec::new();
    for &value in values {
        if made.value_type(value) != Type::INDEX {
            return Err(Refused::new("only integers and memory come into a grid from outside"));
        }
        let number = args.iter().position(|&known| known == value).unwrap_or_else(|| {
            args.push(value);
            args.len() - 1
        });
        sizes.push(symbol(&dlc_core::sizes::value_name(number))?);
    }
    for name in symbols {
        sizes.push(symbol(name)?);
    }
    Ok(sizes)
}

fn dlc_core_exprs(ctx: &Context, exprs: Vec<SizeExpr>) -> Attr {
    use dlc_ir::define::Kind;
    dlc_core::sizes::Exprs::make(ctx, exprs)
}
