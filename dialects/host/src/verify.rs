//! The rules: what is launched fits the kernels, views and constants fit their types, and buffers that live at once lie
//! apart. What depends on the sizes is left to be checked when they are bound.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use dlc_core::memref::{Layout, MemRef};
use dlc_core::types::verify_function;
use dlc_ir::affine::{AffineError, Interval, SizeExpr, SizeRanges};
use dlc_ir::attrs::AttrData;
use dlc_ir::body::ValueDef;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::op::{BrokenRule, Traits, op_error};
use dlc_ir::verify::{OP_RULE, Scope, SymbolInfo, SymbolUser};
use dlc_ir::{Context, Diagnostic, Diagnostics, OpRef, Type, TypeData, ValueId};

use crate::buffers::{Buffer, Buffers, bytes, element_bytes, elements, origin, round_up};
use crate::choice::{Choice, Choices};
use crate::ops::{Const, Func, Launch, Return, View};

dlc_ir::codes! {
    /// Two buffers that are needed at once share memory.
    MEMORY_OVERLAP = "E1501" "MemoryOverlap";
    /// A buffer or a constant does not lie within the memory that the function has.
    OUTSIDE_OF_MEMORY = "E1502" "OutsideOfMemory";
    /// A buffer or a constant lies at an address that is not as aligned as its type says.
    MISALIGNED = "E1503" "Misaligned";
    /// Memory is not of the layout, alignment or independence that is asked for.
    LAYOUT_MISMATCH = "E1504" "LayoutMismatch";
}

fn error(op: OpRef<'_>, code: &'static dlc_ir::diag::Code, message: String) -> Diagnostic {
    Diagnostic::error(code, op.loc(), message).at(op.name())
}

/// The function as a whole. Ops in it are checked after it, so nothing is taken for granted of them.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let TypeData::Function { inputs, results } = ctx.type_data(op.function_type()) else { return };
    if op.arg_attrs().is_some_and(|attrs| attrs.len() != inputs.len()) {
        let message = format!("'arg_attrs' must have a dictionary for each of the {} arguments", inputs.len());
        diags.emit(op_error(*op, message));
    }
    if let Some(ty) = inputs.iter().chain(results.iter()).find(|&&ty| MemRef::of(ctx, ty).is_none()) {
        let message = format!("a program of kernels takes and gives memrefs, not {}", ty.display(ctx));
        diags.emit(op_error(*op, message));
        return;
    }
    if !verify_function(*op, "function", diags) {
        return;
    }
    let root = op.resolve();
    let symbols: HashSet<&str> = op.symbols().unwrap_or_default().into_iter().collect();
    let arena = op.arena();
    let arena = match arena.as_deref() {
        Some([arena]) => Some(arena),
        Some(several) => {
            let message = format!("'arena' is one number of bytes, and {} are given", several.len());
            diags.emit(op_error(*op, message));
            return;
        }
        None => None,
    };
    let declared = |expr: &SizeExpr| expr.symbols().into_iter().find(|name| !symbols.contains(&**name));
    if let Some(name) = arena.and_then(declared) {
        diags.emit(op_error(*op, format!("the symbol '{name}' in 'arena' is not declared")));
        return;
    }
    for id in root.body.walk() {
        let launch = OpRef { id, ..root };
        let choices = launch.is(Launch::DEF).then(|| launch.prop_named("choices")).flatten();
        let choices = choices.and_then(|attr| Choices::get(ctx, attr)).unwrap_or_default();
        let offsets = Launch::of(launch).and_then(|launch| launch.offsets()).unwrap_or_default();
        let mut exprs = choices.iter().flat_map(Choice::exprs).chain(offsets.iter().flatten());
        if let Some(name) = exprs.find_map(declared) {
            let message = format!("the symbol '{name}' is not declared by the function");
            diags.emit(op_error(launch, message).note(op.loc(), "the function is here"));
            return;
        }
    }
    results_of_their_own(op, results, diags);
    verify_arena(root, arena, diags);
    verify_pool(root, op.pool(), diags);
}

/// A result that is `noalias` shares memory with no argument, constant or other result.
fn results_of_their_own(op: Func<'_>, results: &[Type], diags: &Diagnostics) {
    let (ctx, root) = (op.ctx, op.resolve());
    let end = root.body.entry_block().and_then(|block| root.body.last_op(block)).map(|id| OpRef { id, ..root });
    let Some(end) = end.filter(|end| end.is(Return::DEF)) else { return };
    let origins: Vec<ValueId> = end.operands().map(|value| origin(end, value)).collect();
    let mut counts: HashMap<ValueId, usize> = HashMap::new();
    origins.iter().for_each(|&own| *counts.entry(own).or_default() += 1);
    for (index, (&own, &ty)) in origins.iter().zip(results).enumerate() {
        if MemRef::of(ctx, ty).is_none_or(|ty| !ty.noalias(ctx)) {
            continue;
        }
        let launched =
            matches!(root.body.value_def(own), ValueDef::Result(id, _) if OpRef { id, ..root }.is(Launch::DEF));
        if !launched || counts[&own] > 1 {
            let message = format!("result {index} is 'noalias', but not a buffer of its own");
            diags.emit(error(end, &LAYOUT_MISMATCH, message).suggest("let a kernel copy it, or leave 'noalias' out"));
        }
    }
}

/// Ranges in which what is wrong for all sizes is certainly wrong. Of size zero nothing overlaps, so sizes are positive.
fn positive() -> SizeRanges {
    SizeRanges { other: Interval::new(1, i64::MAX), ..SizeRanges::default() }
}

/// Whether `lhs <= rhs` whatever the sizes (`Some(true)`), for no sizes but zero (`Some(false)`), or that depends.
fn at_most(lhs: &SizeExpr, rhs: &SizeExpr) -> Option<bool> {
    match lhs.prove_le(rhs, &SizeRanges::default()) {
        Some(true) => Some(true),
        _ => lhs.prove_le(rhs, &positive()).filter(|holds| !holds),
    }
}

/// Whether what is `size` bytes long at `start` ends at or before `end`, as `at_most`.
pub fn fits(start: &SizeExpr, size: &SizeExpr, end: &SizeExpr) -> Option<bool> {
    let depends = |_: AffineError| ();
    let room = end.sub(start).map_err(depends).ok()?;
    match at_most(size, &room) {
        // The room is a multiple of a number: then the size rounded up to one fits exactly where the size does.
        None => {
            let step = i64::try_from(room.largest_known_divisor()).ok().filter(|&step| step > 1)?;
            at_most(&round_up(size, step).ok()?, &room)
        }
        decided => decided,
    }
}

/// Whether two buffers lie apart, as [`at_most`].
fn apart(ctx: &Context, a: &Buffer, b: &Buffer) -> Option<bool> {
    let (start_a, start_b) = (a.offset.as_ref()?, b.offset.as_ref()?);
    let (size_a, size_b) = (bytes(ctx, a.ty).ok()?, bytes(ctx, b.ty).ok()?);
    match (fits(start_a, &size_a, start_b), fits(start_b, &size_b, start_a)) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Buffers have places if and only if there is an arena, all but those that are returned; each is in the arena, aligned,
/// and apart from those that live at the same time.
fn verify_arena(root: OpRef<'_>, arena: Option<&SizeExpr>, diags: &Diagnostics) {
    let ctx = root.ctx;
    let buffers = Buffers::of(root).list;
    let at = |buffer: &Buffer| OpRef { id: buffer.op, ..root };
    for buffer in &buffers {
        let op = at(buffer);
        let which = buffer.result;
        let Some(offset) = &buffer.offset else {
            if arena.is_some() && !buffer.is_returned {
                let message = format!("the function has an arena, and result {which} has no place in it");
                diags.emit(op_error(op, message).suggest("write 'at [..]' after the operands"));
                return;
            }
            continue;
        };
        let Some(arena) = arena else {
            let message = format!("result {which} has a place, but the function has no arena");
            diags.emit(op_error(op, message).suggest("say how many bytes it has: attributes {arena = [..]}"));
            return;
        };
        if buffer.is_returned {
            let message = format!("result {which} is returned to the caller, so it is not in the arena");
            diags.emit(op_error(op, message).suggest("write '*' instead of its place"));
            continue;
        }
        let inside = bytes(ctx, buffer.ty).ok().and_then(|size| fits(offset, &size, arena));
        if at_most(&SizeExpr::from(0), offset) == Some(false) || inside == Some(false) {
            let message = format!("result {which} at {offset} goes beyond the arena, which has {arena} bytes");
            diags.emit(
                error(op, &OUTSIDE_OF_MEMORY, message).suggest("run 'plan-arena' on the function without places"),
            );
        }
        let align = buffer.ty.align(ctx);
        let rest = offset.modulo(&SizeExpr::from(align)).ok().and_then(|rest| rest.as_constant());
        if rest.is_some_and(|rest| rest != 0) {
            let message = format!("result {which} at {offset} is not aligned to {align} bytes");
            diags.emit(error(op, &MISALIGNED, message).suggest(format!("take a multiple of {align}")));
        }
    }
    let mut living = Living::default();
    for buffer in buffers.iter().filter(|buffer| buffer.offset.is_some()) {
        for earlier in living.overlaps(ctx, buffer) {
            let message = format!("result {} lies where another buffer is that is still needed", buffer.result);
            let error = error(at(buffer), &MEMORY_OVERLAP, message).note(at(earlier).loc(), "that one is made here");
            diags.emit(error.suggest("run 'plan-arena' on the function without places"));
        }
    }
}

/// Buffers that are needed at once, as they are met in the order of their launches.
#[derive(Default)]
struct Living<'b> {
    /// Buffers that end, for all sizes, where the next one begins or before, by their offset at [`SAMPLE`]: one that lies
    /// between two of them lies apart from all.
    sorted: BTreeMap<(i64, usize), &'b Buffer>,
    /// The others.
    others: Vec<&'b Buffer>,
    /// When those of `sorted` are needed last, and their keys.
    ends: BinaryHeap<Reverse<(usize, (i64, usize))>>,
    /// How many there were.
    met: usize,
}

/// The value of all symbols where offsets are sorted. Any would do: what is sorted is then proved.
const SAMPLE: i64 = 1024;

impl<'b> Living<'b> {
    /// The buffers with which the next one overlaps, whatever the sizes.
    fn overlaps(&mut self, ctx: &Context, buffer: &'b Buffer) -> Vec<&'b Buffer> {
        while let Some(&Reverse((last, key))) = self.ends.peek()
            && last < buffer.first
        {
            self.ends.pop();
            self.sorted.remove(&key);
        }
        self.others.retain(|earlier| earlier.lives_with(buffer));
        let at_sample = buffer.offset.as_ref().and_then(|offset| offset.eval(&|_| Some(SAMPLE)).ok());
        let key = (at_sample.unwrap_or(i64::MAX), self.met);
        self.met += 1;
        let before = self.sorted.range(..key).next_back().is_none_or(|(_, before)| ends_before(ctx, before, buffer));
        let is_between =
            before && self.sorted.range(key..).next().is_none_or(|(_, next)| ends_before(ctx, buffer, next));
        let mut doubtful = self.others.clone();
        if is_between {
            self.sorted.insert(key, buffer);
            self.ends.push(Reverse((buffer.last, key)));
        } else {
            doubtful.extend(self.sorted.values());
            self.others.push(buffer);
        }
        doubtful.sort_by_key(|earlier| (earlier.first, earlier.result));
        doubtful.retain(|earlier| apart(ctx, earlier, buffer) == Some(false));
        doubtful
    }
}

/// Whether a buffer ends, for all sizes, where another one begins or before.
fn ends_before(ctx: &Context, a: &Buffer, b: &Buffer) -> bool {
    let (Some(start), Some(end), Ok(size)) = (&a.offset, &b.offset, bytes(ctx, a.ty)) else { return false };
    fits(start, &size, end) == Some(true)
}

/// Constants have places if and only if there is a pool; each is in it, aligned, and apart from the others.
fn verify_pool(root: OpRef<'_>, pool: Option<i64>, diags: &Diagnostics) {
    let ctx = root.ctx;
    // By where they begin, with where they end; no two of them overlap.
    let mut placed: BTreeMap<i64, (i64, OpRef<'_>)> = BTreeMap::new();
    for id in root.body.walk() {
        let op = OpRef { id, ..root };
        let Some(constant) = Const::of(op) else { continue };
        let Some(ty) = op.result_types().next().and_then(|ty| MemRef::of(ctx, ty)) else { continue };
        let Some(size) = bytes(ctx, ty).ok().and_then(|size| size.as_constant()) else { continue };
        let (pool, offset) = match (pool, constant.offset()) {
            (Some(pool), Some(offset)) => (pool, offset),
            (None, None) => continue,
            (Some(_), None) => {
                let message = "the function has a pool, and the constant has no place in it";
                diags.emit(op_error(op, message).suggest("write 'at ..' after the value"));
                continue;
            }
            (None, Some(_)) => {
                let error = op_error(op, "the constant has a place, but the function has no pool");
                diags.emit(error.suggest("say how many bytes it has: attributes {pool = ..}"));
                continue;
            }
        };
        let end = offset.checked_add(size);
        if offset < 0 || end.is_none_or(|end| end > pool) {
            let message = format!("the constant at {offset} goes beyond the pool, which has {pool} bytes");
            diags.emit(error(op, &OUTSIDE_OF_MEMORY, message));
        }
        let align = ty.align(ctx);
        if offset % align != 0 {
            let message = format!("the constant at {offset} is not aligned to {align} bytes");
            diags.emit(error(op, &MISALIGNED, message).suggest(format!("take a multiple of {align}")));
        }
        let end = end.unwrap_or(i64::MAX);
        if offset == end {
            continue;
        }
        if let Some((_, (_, other))) = placed.range(..end).next_back().filter(|(_, (stop, _))| offset < *stop) {
            let error = error(op, &MEMORY_OVERLAP, "the constant lies where another one is".into());
            diags.emit(error.note(other.loc(), "the other one is here"));
            continue;
        }
        placed.insert(offset, (end, op));
    }
}

/// Every kernel but the last has a cost or a condition; each result has a place, or none has.
pub fn launch(op: Launch<'_>, diags: &Diagnostics) {
    let choices = op.choices();
    let Some((last, others)) = choices.split_last() else {
        return diags.emit(op_error(*op, "there is no kernel to launch"));
    };
    let always = |choice: &Choice| choice.condition.is_none() && choice.cost.is_none();
    if last.condition.is_some() || others.iter().any(always) {
        let message = "every kernel but the last has a cost or a condition, and the last has no condition";
        diags.emit(op_error(*op, message));
    }
    let outs = op.outs().count();
    if let Some(offsets) = op.offsets().filter(|offsets| offsets.len() != outs) {
        let message = format!("{} places are given for {outs} results", offsets.len());
        diags.emit(op_error(*op, message).suggest("write '*' for a result that is returned"));
    }
}

/// What a launch demands of its kernels.
pub static KERNELS: SymbolUser = SymbolUser { verify: kernels };

fn kernels(op: OpRef<'_>, scope: Scope<'_>, diags: &Diagnostics) {
    let choices = op.prop_named("choices").and_then(|attr| Choices::get(op.ctx, attr)).unwrap_or_default();
    for choice in &choices {
        match scope.find(op, choice.callee) {
            Ok(Some(kernel)) => {
                if let Err(broken) = kernel_fits(op, choice, kernel) {
                    let error = broken.diagnostic(&OP_RULE, op.loc()).at(op.name());
                    diags.emit(error.note(kernel.loc, "the kernel is here"));
                }
            }
            Ok(None) => {}
            Err(error) => diags.emit(*error),
        }
    }
}

/// What is passed and taken is what the kernel says, its symbols replaced.
fn kernel_fits(op: OpRef<'_>, choice: &Choice, kernel: &SymbolInfo) -> Result<(), BrokenRule> {
    let ctx = op.ctx;
    let name = choice.callee.display(ctx);
    let ty = kernel.function_type.and_then(|ty| ty.as_type(ctx)).map(|ty| ctx.type_data(ty));
    let (inputs, results): (&[Type], &[Type]) = match ty {
        Some(TypeData::Function { inputs, results }) => (inputs, results),
        _ => (&[], &[]),
    };
    let of_memory = inputs.iter().chain(results).all(|&ty| MemRef::of(ctx, ty).is_some());
    let is_kernel = ty.is_some() && of_memory && kernel.def.traits.has(Traits::CALLABLE);
    if !is_kernel || kernel.def.dialect() == op.def().dialect() {
        return Err(BrokenRule::from(format!("{name} is no kernel"))
            .suggest("a kernel takes and gives memrefs, and launches nothing"));
    }
    let symbols = kernel.symbols.and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    if symbols.len() != choice.sizes.len() {
        let message = format!("{name} takes {} sizes, and {} are given", symbols.len(), choice.sizes.len());
        let fix = format!("name each: {name}<{}>", symbols.join(", "));
        return Err(BrokenRule::from(message).suggest(fix));
    }
    let sizes: HashMap<&str, &SizeExpr> = symbols.into_iter().zip(&choice.sizes).collect();
    let (given, taken): (Vec<ValueId>, Vec<Type>) = (op.operands().collect(), op.result_types().collect());
    if given.len() != inputs.len() || taken.len() != results.len() {
        let message = format!(
            "{name} takes {} buffers and gives {}, here it takes {} and gives {}",
            inputs.len(),
            results.len(),
            given.len(),
            taken.len()
        );
        return Err(BrokenRule::from(message));
    }
    // How often each buffer is passed.
    let origins: Vec<ValueId> = given.iter().map(|&value| origin(op, value)).collect();
    let mut passed: HashMap<ValueId, usize> = HashMap::new();
    origins.iter().for_each(|&own| *passed.entry(own).or_default() += 1);
    for (index, (&value, &wanted)) in given.iter().zip(inputs).enumerate() {
        let what = format!("operand {index} of {name}");
        memory_fits(op, &what, op.type_of(value), wanted, &sizes)?;
        if MemRef::of(ctx, wanted).is_some_and(|ty| ty.noalias(ctx)) {
            independent(op, &what, origins[index], passed[&origins[index]])?;
        }
    }
    for (index, (&has, &wanted)) in taken.iter().zip(results).enumerate() {
        memory_fits(op, &format!("result {index} of {name}"), has, wanted, &sizes)?;
    }
    Ok(())
}

/// Memory of one type is passed where a kernel asks for another: the same elements in the same layout, at least as
/// aligned.
fn memory_fits(
    op: OpRef<'_>,
    what: &str,
    has: Type,
    wanted: Type,
    sizes: &HashMap<&str, &SizeExpr>,
) -> Result<(), BrokenRule> {
    let ctx = op.ctx;
    let (Some(own), Some(asked)) = (MemRef::of(ctx, has), MemRef::of(ctx, wanted)) else { return Ok(()) };
    let replace = |expr: &SizeExpr| {
        let replaced = expr.substitute(&|name| sizes.get(name).map(|&size| size.clone()));
        replaced.map_err(|error| BrokenRule::from(format!("{what}: {}", error.message)))
    };
    let all = |exprs: &[SizeExpr]| exprs.iter().map(replace).collect::<Result<Vec<SizeExpr>, BrokenRule>>();
    let dims = all(&asked.dims(ctx))?;
    let layout = match asked.layout(ctx) {
        Layout::Strided { strides, offset } => Layout::Strided { strides: all(&strides)?, offset: replace(&offset)? },
        other => other,
    };
    if let Some(size) = dims.iter().find(|size| size.as_constant().is_some_and(|size| size < 0)) {
        return Err(BrokenRule::from(format!("{what} would have an axis of {size} elements")));
    }
    let show = || {
        let (elem, align, noalias) = (asked.elem(ctx), asked.align(ctx), asked.noalias(ctx));
        let asked_here = MemRef::get(ctx, dims.clone(), elem, layout.clone(), align, noalias);
        format!("{what} must be {}, not {}", asked_here.display(ctx), has.display(ctx))
    };
    if own.dims(ctx) != dims || own.elem(ctx) != asked.elem(ctx) {
        return Err(BrokenRule::from(show()));
    }
    if own.layout(ctx) != layout || own.align(ctx) < asked.align(ctx) {
        return Err(BrokenRule::new(&LAYOUT_MISMATCH, show()));
    }
    Ok(())
}

/// What a kernel wants for itself is a new buffer or an argument that is `noalias`, and passed only once.
fn independent(op: OpRef<'_>, what: &str, own: ValueId, times: usize) -> Result<(), BrokenRule> {
    if times > 1 {
        let message = format!("{what} must be noalias, and the same memory is passed twice");
        return Err(BrokenRule::new(&LAYOUT_MISMATCH, message));
    }
    let declared = MemRef::of(op.ctx, op.type_of(own)).is_some_and(|ty| ty.noalias(op.ctx));
    match op.body.value_def(own) {
        ValueDef::Arg(..) if !declared => {
            let message = format!("{what} must be noalias, and the argument that is passed does not say so");
            Err(BrokenRule::new(&LAYOUT_MISMATCH, message).suggest("write 'noalias' in the type of the argument"))
        }
        _ => Ok(()),
    }
}

/// The elements stay what they are, contiguous and in the order of memory; nothing more is known of them.
pub fn view(op: View<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let types = (MemRef::of(ctx, op.type_of(op.input())), MemRef::of(ctx, op.type_of(op.out())));
    let (Some(from), Some(to)) = types else { return };
    let refuse = |message: String| diags.emit(error(*op, &LAYOUT_MISMATCH, message));
    if from.elem(ctx) != to.elem(ctx) {
        let (from, to) = (from.elem(ctx).display(ctx), to.elem(ctx).display(ctx));
        return diags.emit(op_error(*op, format!("the elements are of type {from}, not {to}")));
    }
    let is_dense = |ty: MemRef| matches!(ty.layout(ctx), Layout::RowMajor | Layout::ColMajor);
    let part = op.start();
    if !is_dense(from) || (part.is_none() && !is_dense(to)) {
        return refuse("only memory without gaps has views: both must be row_major or col_major".into());
    }
    if let Some(begin) = &part
        && let Err(why) = has_part(ctx, from, begin, to)
    {
        return refuse(why);
    }
    if to.align(ctx) > from.align(ctx) {
        return refuse(format!("the view is aligned to {} bytes, the memory to {}", to.align(ctx), from.align(ctx)));
    }
    if to.noalias(ctx) && !from.noalias(ctx) {
        return refuse("the view is noalias, the memory is not".into());
    }
    if part.is_none()
        && let Some(why) = no_view(&from.dims(ctx), &to.dims(ctx))
    {
        diags.emit(op_error(*op, why));
    }
}

/// Whether memory may have such a part from an element on. Errors say why not, if that is so whatever the symbols are.
fn has_part(ctx: &Context, from: MemRef, begin: &SizeExpr, to: MemRef) -> Result<(), String> {
    let layout = to.layout(ctx);
    layout.strides(&to.dims(ctx)).ok_or("a part of memory is row_major, col_major or strided")?;
    if begin.prove_lt(&SizeExpr::from(0), &SizeRanges::default()) == Some(true) {
        return Err(format!("the view begins at element {begin}, before the memory"));
    }
    let width = element_bytes(ctx, to.elem(ctx));
    let far = "the number of elements goes beyond the limits of symbolic sizes";
    let start = begin.mul(&SizeExpr::from(width)).map_err(|_| far)?;
    if !start.divisible_by(to.align(ctx)) {
        return Err(format!("element {begin} lies at byte {start}, and the view is aligned to {}", to.align(ctx)));
    }
    let has = elements(&from.dims(ctx)).map_err(|_| far)?;
    let extent = layout.extent(&to.dims(ctx), width).map_err(|_| far)?;
    let end = begin.add(&extent).map_err(|_| far)?;
    // A part without elements is nowhere.
    let is_empty = to.dims(ctx).iter().any(|size| size.as_constant() == Some(0));
    match has.prove_lt(&end, &SizeRanges::default()) {
        Some(true) if !is_empty => Err(format!("elements up to {end} are wanted of {has}")),
        _ => Ok(()),
    }
}

/// Why memory of some sizes cannot be seen with others, if that is so whatever the symbols are.
pub fn no_view(from: &[SizeExpr], to: &[SizeExpr]) -> Option<String> {
    let (Ok(before), Ok(after)) = (elements(from), elements(to)) else {
        return Some("the number of elements goes beyond the limits of symbolic sizes".into());
    };
    let differ = before.prove_eq(&after, &SizeRanges::default()) == Some(false);
    differ.then(|| format!("{before} elements cannot become {after}"))
}

/// The value is of the type, whose sizes are numbers.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let Some(ty) = MemRef::of(ctx, op.type_of(op.out())) else { return };
    let dims: Option<Vec<i64>> = ty.dims(ctx).iter().map(SizeExpr::as_constant).collect();
    let Some(dims) = dims else {
        let error = op_error(*op, "the sizes of a constant are numbers: it is in memory before they are known");
        return diags.emit(error.suggest("let a kernel write it"));
    };
    if ty.layout(ctx) != Layout::RowMajor {
        diags.emit(error(*op, &LAYOUT_MISMATCH, "a constant is row_major".into()));
    }
    match ctx.attr_data(op.value()) {
        AttrData::Dense(dense) => {
            let same = dense.shape.iter().map(|&size| i64::try_from(size).ok()).eq(dims.iter().map(|&size| Some(size)));
            if !same || dense.elem != ty.elem(ctx) {
                let ty = op.type_of(op.out()).display(ctx);
                diags.emit(op_error(*op, format!("the elements are not those of {ty}")));
            }
        }
        _ if op.value().value_type(ctx) != Some(ty.elem(ctx)) => {
            diags.emit(op_error(*op, "the number must be of the type of the elements"));
        }
        _ => {}
    }
}
