//! What is there when a kernel is launched, as far as layers that run kernels share it: global memory, references to it,
//! and tensor maps.

use std::sync::Arc;

use dlc_ir::interp::{Datum, Eval, Failure};
use dlc_ir::random::Random;
use dlc_ir::{Context, Type, ValueId, float};

use crate::memref::MemRef;
use crate::placement::Placement;
use crate::tensor::{Data, ElemKind, TensorValue};

/// What evaluators of kernels order warps and asynchronous work by: `--order-seed`. 0 is the usual order.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The generator of that order.
    pub fn random(self) -> Random {
        Random::new(self.0)
    }
}

/// An element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A float.
    Float(f64),
    /// An integer.
    Int(i64),
}

/// Elements in row-major order.
#[derive(Clone, Debug)]
enum Numbers {
    Float(Vec<f64>),
    Int(Vec<i64>),
}

/// Memory that kernels write.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its sizes.
    pub shape: Vec<usize>,
    /// The type of its elements.
    pub elem: Type,
    /// What numbers they are.
    pub kind: ElemKind,
    numbers: Numbers,
    /// Which of its elements were written.
    pub written: Vec<bool>,
}

/// The memory that kernels write, by its numbers. Arguments are values, and only read.
#[derive(Default, Debug)]
pub struct Globals(pub Vec<Global>);

/// The memory that kernels write.
pub fn globals<'e>(cx: &'e mut Eval<'_, '_>) -> &'e mut Vec<Global> {
    &mut cx.interp.state::<Globals>().0
}

/// Memory that a kernel writes, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GlobalRef(pub usize);

/// Memory while a kernel runs.
#[derive(Clone, Debug)]
pub enum Memory {
    /// An argument, in row-major order.
    Argument(TensorValue),
    /// What the kernel writes, by its number.
    Global(usize),
}

impl Memory {
    /// The memory that a value is.
    pub fn of(datum: &Datum) -> Result<Memory, String> {
        if let Some(value) = datum.as_opaque::<TensorValue>() {
            return Ok(Memory::Argument(value.contiguous()?));
        }
        match datum.as_opaque::<GlobalRef>() {
            Some(&GlobalRef(number)) => Ok(Memory::Global(number)),
            None => Err("the operand is no memory".into()),
        }
    }

    /// Its sizes.
    pub fn shape(&self, cx: &mut Eval<'_, '_>) -> Vec<usize> {
        match self {
            Memory::Argument(value) => value.shape().to_vec(),
            Memory::Global(number) => globals(cx)[*number].shape.clone(),
        }
    }
}

impl Global {
    /// Memory with zeros in it that nothing has written.
    pub fn new(ctx: &Context, shape: Vec<usize>, elem: Type) -> Result<Global, String> {
        let kind = ElemKind::of(ctx, elem).ok_or("the elements are no numbers")?;
        let count = crate::tensor::count(&shape)?;
        let numbers = match kind.is_float() {
            true => Numbers::Float(vec![0.0; count]),
            false => Numbers::Int(vec![0; count]),
        };
        Ok(Global { shape, elem, kind, numbers, written: vec![false; count] })
    }

    /// An element by its row-major number.
    pub fn get(&self, at: usize) -> Number {
        match &self.numbers {
            Numbers::Float(values) => Number::Float(values[at]),
            Numbers::Int(values) => Number::Int(values[at]),
        }
    }

    /// Puts an element there.
    pub fn set(&mut self, at: usize, value: Number) {
        match (&mut self.numbers, value) {
            (Numbers::Float(values), Number::Float(value)) => values[at] = value,
            (Numbers::Int(values), Number::Int(value)) => values[at] = value,
            _ => {}
        }
        self.written[at] = true;
    }

    /// All of it.
    pub fn tensor(&self, ctx: &Context) -> Result<TensorValue, String> {
        match &self.numbers {
            Numbers::Float(values) => TensorValue::from_f64(ctx, self.shape.clone(), self.elem, values.clone()),
            Numbers::Int(values) => TensorValue::from_i64(ctx, self.shape.clone(), self.elem, values.clone()),
        }
    }

    /// All of it as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.numbers {
            Numbers::Float(values) => bytes_of(self.kind, values.iter().map(|&value| Number::Float(value))),
            Numbers::Int(values) => bytes_of(self.kind, values.iter().map(|&value| Number::Int(value))),
        }
    }
}

/// The elements of a tensor at places that are counted in row-major order.
pub fn element(tensor: &TensorValue, at: usize) -> Number {
    if let Some(data) = tensor.as_data() {
        return match data {
            Data::F32(values) => Number::Float(values[at].into()),
            Data::F64(values) => Number::Float(values[at]),
            Data::Int(values) => Number::Int(values[at]),
        };
    }
    let mut index = vec![0; tensor.rank()];
    let mut rest = at;
    for (axis, &size) in tensor.shape().iter().enumerate().rev() {
        index[axis] = rest % size;
        rest /= size;
    }
    match tensor.at(&index) {
        Datum::Float(value) => Number::Float(value),
        datum => Number::Int(datum.as_int().unwrap_or(0) as i64),
    }
}

/// The bytes of an element in memory; a truth value has one.
pub fn width(kind: ElemKind) -> usize {
    kind.bits().div_ceil(8) as usize
}

/// The elements of a tensor as they are in memory, in row-major order.
pub fn tensor_bytes(tensor: &TensorValue) -> Vec<u8> {
    match tensor.kind().is_float() {
        true => bytes_of(tensor.kind(), tensor.to_f64s().into_iter().map(Number::Float)),
        false => bytes_of(tensor.kind(), tensor.to_i64s().into_iter().map(Number::Int)),
    }
}

fn bytes_of(kind: ElemKind, values: impl ExactSizeIterator<Item = Number>) -> Vec<u8> {
    let width = width(kind);
    let mut bytes = Vec::with_capacity(values.len() * width);
    for value in values {
        bytes.extend_from_slice(&bits(kind, value).to_le_bytes()[..width.min(8)]);
    }
    bytes
}

/// A number as it is in memory.
pub fn bits(kind: ElemKind, value: Number) -> u64 {
    match (value, kind) {
        (Number::Float(value), ElemKind::Float(kind)) => float::encode(value, kind),
        (Number::Int(value), _) => value as u64,
        (Number::Float(value), _) => value as i64 as u64,
    }
}

/// The number that bytes in memory are.
pub fn number(kind: ElemKind, bytes: &[u8]) -> Number {
    let mut all = [0; 8];
    let count = bytes.len().min(8);
    all[..count].copy_from_slice(&bytes[..count]);
    let bits = u64::from_le_bytes(all);
    match kind {
        ElemKind::Float(float) => Number::Float(float::decode(bits, float)),
        ElemKind::Int { .. } => Number::Int(kind.wrap(bits as i64)),
    }
}

/// A tensor map: memory as TMA sees it.
#[derive(Debug)]
pub struct MapValue {
    /// The memory.
    pub memory: Datum,
    /// Where its elements lie.
    pub placement: Placement,
    /// The elements from one position to the next along each axis that TMA knows, of which the last is 1.
    pub strides: Vec<i64>,
    /// The sizes of the memory along the axes that TMA knows: those that it has, or some of them taken as one.
    pub sizes: Vec<usize>,
    /// By how much the number of an element of the memory, which counts row by row, grows along each of these axes.
    pub steps: Vec<usize>,
    /// The sizes of the box; of windows, the pixels and the channels.
    pub shape: Vec<u32>,
    /// The type of the elements.
    pub elem: Type,
    /// The bytes of a row of a panel of the tile: 128, 64 or 32 where TMA exchanges 16-byte units, 16 where
    /// nothing is left to exchange; 0 for rows that lie one after another.
    pub span: u32,
    /// Of windows: for each axis between images and channels where it begins, where it ends, and the steps.
    pub windows: Option<[Vec<i64>; 3]>,
}

/// A tensor map as a value.
#[derive(Clone, Debug)]
pub struct MapRef(pub Arc<MapValue>);

impl MapValue {
    /// Visits the rows of a box in order: the position of a row in the box, all its axes but the last, and the line of it
    /// in the memory: the number of its first element, which counts row by row, and where that lies; `None` outside. `at`
    /// is where the box begins, `offsets` where in the window.
    pub fn rows(&self, at: &[i64], offsets: &[i64], visit: &mut dyn FnMut(&[i64], Option<(usize, i64)>)) {
        let begin = self.placement.strides().map_or(0, |(_, offset)| offset);
        let shape = &self.sizes;
        let Some((_, outer)) = self.shape.split_last() else { return };
        let size: Vec<i64> = outer.iter().map(|&size| size.into()).collect();
        let mut coords = vec![0i64; size.len()];
        let mut place = at.to_vec();
        let mut pixel = at.to_vec();
        for _ in 0..size.iter().product::<i64>() {
            match &self.windows {
                None => {
                    place.iter_mut().zip(coords.iter().zip(at)).for_each(|(place, (coord, at))| *place = coord + at)
                }
                Some(_) => {
                    place.copy_from_slice(&pixel);
                    place.iter_mut().skip(1).zip(offsets).for_each(|(place, offset)| *place += offset);
                }
            }
            let line = line(shape, &self.steps, &place).map(|line| {
                let outer = place.iter().zip(&self.strides).take(shape.len().saturating_sub(1));
                (line, outer.fold(begin, |sum, (at, stride)| sum + at * stride))
            });
            visit(&coords, line);
            for (coord, &size) in coords.iter_mut().zip(&size).rev() {
                *coord += 1;
                if *coord < size {
                    break;
                }
                *coord = 0;
            }
            let Some([lower, upper, steps]) = &self.windows else { continue };
            // The next pixel: along the last axis of the window first, then the one before, then the next image.
            let mut axis = lower.len();
            loop {
                if axis == 0 {
                    pixel[0] += 1;
                    break;
                }
                pixel[axis] += steps[axis - 1];
                if pixel[axis] <= shape[axis] as i64 - 1 + upper[axis - 1] {
                    break;
                }
                pixel[axis] = lower[axis - 1];
                axis -= 1;
            }
        }
    }
}

/// By how much the number of an element, which counts row by row, grows along each axis.
pub fn dense_steps(shape: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis];
    }
    steps
}

/// The number of the first element of the line along the last axis in which a position is. `None` outside of the other axes.
fn line(shape: &[usize], steps: &[usize], at: &[i64]) -> Option<usize> {
    let (_, outer) = shape.split_last()?;
    let mut index = 0usize;
    for ((&size, &step), &at) in outer.iter().zip(steps).zip(at) {
        index += step * usize::try_from(at).ok().filter(|&at| at < size)?;
    }
    Some(index)
}

/// The memory that an operand is, or why it is none.
pub fn memory(cx: &Eval<'_, '_>, datum: &Datum) -> Result<Memory, Failure> {
    Memory::of(datum).map_err(|reason| cx.fail(&dlc_ir::interp::CANNOT_RUN, reason))
}

/// Where the elements of memory lie, which is a value of a program.
pub fn placement(cx: &mut Eval<'_, '_>, value: ValueId, datum: &Datum) -> Result<Placement, Failure> {
    let ctx = cx.op.ctx;
    let shape = memory(cx, datum)?.shape(cx);
    let Some(ty) = MemRef::of(ctx, cx.op.type_of(value)) else { return Ok(Placement::dense(shape)) };
    let bindings = crate::eval::bindings(cx)?;
    let bytes = ty.elem(ctx).bits(ctx).map_or(1, |bits| bits.div_ceil(8) as usize);
    let placed = Placement::new(&ty.layout(ctx), shape, bytes, &|expr| bindings.integer(expr));
    placed.map_err(|reason| cx.fail(&dlc_ir::interp::CANNOT_RUN, reason))
}
