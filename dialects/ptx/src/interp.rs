//! What instructions mean. An entry is decoded once, and then run by its threads: each lane of each warp of each block.

mod execute;
mod flight;
mod machine;
mod matrix;
mod memory;
mod number;
mod program;
mod scalar;
mod tensor;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use dlc_core::launch::{self, MapRef, Memory, Seed, globals};
use dlc_core::placement::Placement;
use dlc_core::sizes::value_number;
use dlc_core::tensor::ElemKind;
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED};

use crate::ops::Entry;
use machine::{Launch, MAP_BASE, Machine, Map};
use memory::Global;

/// A kernel does nothing where it stands.
pub fn nothing(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// An instruction is done by the threads of an entry, not alone.
pub fn instruction(cx: &mut Eval<'_, '_>) -> EvalResult {
    Err(cx.fail(&CANNOT_RUN, "an instruction is done by the threads of an entry"))
}

/// So is a branch.
pub fn frame_op(cx: &mut Eval<'_, '_>) -> EvalResult {
    Err(cx.fail(&CANNOT_RUN, "a branch is done by the threads of an entry"))
}

/// Runs every block.
pub fn entry(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Entry::from(cx.op);
    let Some(&region) = op.regions().first() else { return Ok(Outcome::nothing()) };
    let program = program::decode(cx.op, region)?;
    let mut launch = shape(cx, op)?;
    let mut buffers = Buffers::default();
    let first = op.args().len();
    for index in first..first + op.memory().len() {
        let memory = cx.operand(index)?.clone();
        let placement = launch::placement(cx, op.operand(index), &memory)?;
        launch.params.push(buffers.address(cx, &memory, &placement)?);
    }
    let first = first + op.memory().len();
    let mut maps = Vec::new();
    for index in first..first + op.maps().len() {
        let value = Arc::clone(&cx.opaque::<MapRef>(index)?.0);
        launch.params.push(MAP_BASE + 128 * maps.len() as u64);
        maps.push(map(cx, value, &mut buffers)?);
    }
    let is_wide: Vec<bool> = wide_sizes(op).collect();
    for (value, is_wide) in integers(cx, &op.sizes(), op.args().len())?.into_iter().zip(is_wide) {
        launch.params.push(match i32::try_from(value) {
            _ if is_wide => value as u64,
            Ok(value) => u64::from(value as u32),
            Err(_) => return Err(cx.fail(&CANNOT_RUN, format!("a 32-bit size would be {value}"))),
        });
    }
    let limit = cx.interp.limits.steps;
    let Buffers { global, of_numbers, .. } = buffers;
    let order = Some(*cx.interp.state::<Seed>()).filter(|seed| seed.0 != 0).map(Seed::random);
    let mut machine = Machine {
        program: &program,
        launch,
        global,
        maps,
        entry: cx.op,
        events: 0,
        steps: 0,
        limit,
        order,
        late: Vec::new(),
    };
    machine.run()?;
    for (number, at, placement) in of_numbers {
        let buffer = &machine.global.buffers[at];
        if !buffer.touched {
            continue;
        }
        let global = &mut globals(cx)[number];
        let (kind, width) = (global.kind, launch::width(global.kind));
        let mut index = 0;
        placement.each(&mut |place| {
            let bytes = place * width..(place + 1) * width;
            if buffer.written[bytes.clone()].iter().all(|&written| written) {
                global.set(index, launch::number(kind, &buffer.bytes[bytes]));
            }
            index += 1;
        });
    }
    Ok(Outcome::nothing())
}

/// Which sizes an entry takes as 64-bit integers.
pub fn wide_sizes<'a>(op: Entry<'a>) -> impl Iterator<Item = bool> + 'a {
    let block = op.regions().first().and_then(|&region| op.body.first_block(region));
    let args = block.map_or(&[][..], |block| op.body.args(block));
    args.iter().skip(op.memory().len() + op.maps().len()).map(move |&arg| op.type_of(arg) == Type::I64)
}

/// The numbers that expressions are.
fn integers(cx: &mut Eval<'_, '_>, exprs: &[SizeExpr], values: usize) -> Result<Vec<i64>, Failure> {
    let bindings = dlc_core::eval::bindings(cx)?;
    let given = (0..values).map(|index| cx.int(index)).collect::<Result<Vec<_>, _>>()?;
    let value_of = |name: &str| match value_number(name) {
        Some(number) => given.get(number).map(|&value| value as i64),
        None => bindings.integer(&SizeExpr::symbol(name).ok()?).ok(),
    };
    let number = |expr: &SizeExpr| expr.eval(&value_of).map_err(|error| cx.fail(&CANNOT_RUN, error.message));
    exprs.iter().map(number).collect()
}

/// The blocks and threads of a launch.
fn shape(cx: &mut Eval<'_, '_>, op: Entry<'_>) -> Result<Launch, Failure> {
    let (mut grid, mut cluster) = ([1; 3], [1; 3]);
    for (axis, size) in integers(cx, &op.dims(), op.args().len())?.into_iter().enumerate().take(3) {
        let Ok(size) = u32::try_from(size) else {
            return Err(cx.fail(&CANNOT_RUN, format!("the grid has {size} blocks along axis {axis}")));
        };
        grid[axis] = size;
    }
    for (axis, size) in op.cluster().unwrap_or_default().into_iter().enumerate().take(3) {
        cluster[axis] = u32::try_from(size).unwrap_or(1).max(1);
        if grid[axis] % cluster[axis] != 0 {
            let message =
                format!("{} blocks along axis {axis} are no multiple of {} in a cluster", grid[axis], cluster[axis]);
            return Err(cx.fail(&CANNOT_RUN, message));
        }
    }
    let (threads, shared) = (op.threads() as u32, usize::try_from(op.shared()).unwrap_or(0));
    Ok(Launch { grid, cluster, threads, shared, params: Vec::new() })
}

/// What lies between the elements of memory with gaps: no number, for floats.
const GAP: u8 = 0xff;

/// The memory of a launch, each at its address once.
#[derive(Default)]
struct Buffers {
    global: Global,
    /// What the kernel writes, and which buffer it is.
    of_numbers: Vec<(usize, usize, Placement)>,
    arguments: Vec<(Datum, usize)>,
}

impl Buffers {
    /// Where memory begins.
    fn address(&mut self, cx: &mut Eval<'_, '_>, datum: &Datum, placement: &Placement) -> Result<u64, Failure> {
        let memory = launch::memory(cx, datum)?;
        let at = match memory {
            Memory::Global(number) => match self.of_numbers.iter().find(|(known, ..)| *known == number) {
                Some(&(_, at, _)) => at,
                None => {
                    let global = &globals(cx)[number];
                    let width = launch::width(global.kind);
                    let written = global.written.iter().map(|&written| u8::from(written)).collect::<Vec<u8>>();
                    let written = placement.spread(&written, 1, 0).into_iter();
                    let written = written.flat_map(|written| std::iter::repeat_n(written != 0, width));
                    self.global.push(placement.spread(&global.to_bytes(), width, GAP), Some(written.collect()));
                    self.of_numbers.push((number, self.global.buffers.len() - 1, placement.clone()));
                    self.global.buffers.len() - 1
                }
            },
            Memory::Argument(value) => match self.arguments.iter().find(|(known, _)| known == datum) {
                Some(&(_, at)) => at,
                None => {
                    let (bytes, width) = (launch::tensor_bytes(&value), launch::width(value.kind()));
                    self.global.push(placement.spread(&bytes, width, GAP), None);
                    self.arguments.push((datum.clone(), self.global.buffers.len() - 1));
                    self.global.buffers.len() - 1
                }
            },
        };
        Ok(self.global.buffers[at].base)
    }
}

/// A tensor map, if the hardware can have it.
fn map(cx: &mut Eval<'_, '_>, value: Arc<launch::MapValue>, buffers: &mut Buffers) -> Result<Map, Failure> {
    let Some(kind) = ElemKind::of(cx.op.ctx, value.elem) else {
        return Err(cx.fail(&CANNOT_RUN, "the elements of a tensor map are no numbers"));
    };
    let row = value.shape.last().map_or(0, |&size| size as usize * launch::width(kind));
    let why = if value.shape.iter().any(|&size| size > if value.windows.is_some() { 1024 } else { 256 }) {
        Some(format!("a box has up to 256 elements along an axis, not {:?}", value.shape))
    } else if !row.is_multiple_of(16) {
        Some(format!("a row of a box has a multiple of 16 bytes, and not {row}"))
    } else if value.span > 0 && row != value.span as usize {
        Some(format!("a row of a box has as many bytes as its swizzle, {}, and not {row}", value.span))
    } else {
        None
    };
    if let Some(why) = why {
        return Err(cx.fail(&UNDEFINED, why));
    }
    let base = buffers.address(cx, &value.memory, &value.placement)?;
    Ok(Map { value, kind, base })
}
