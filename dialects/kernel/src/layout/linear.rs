//! Linear maps over F2, the field of two elements, between numbers that are read as vectors of bits.
//!
//! Addition is exclusive or, so a map is given by what each input bit adds: its column. A power-of-two tile spread over
//! registers, lanes and warps is such a map, and so is a swizzled tile in shared memory; their questions (who holds
//! this element, what is held twice, how do I get from one to the other) are linear algebra. Source: Zhou et al.,
//! "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2", 2025.

use std::fmt;

/// The name of a number that a map takes or gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// The number of a register of a thread: of an element slot, before narrow elements are packed.
    Register,
    /// The number of a thread of a warp, 0 to 31.
    Lane,
    /// The number of a warp.
    Warp,
    /// The number of an element in memory.
    Offset,
    /// A coordinate of a tile.
    Axis(u8),
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Register => f.write_str("register"),
            Dim::Lane => f.write_str("lane"),
            Dim::Warp => f.write_str("warp"),
            Dim::Offset => f.write_str("offset"),
            Dim::Axis(axis) => write!(f, "axis{axis}"),
        }
    }
}

/// A linear map over F2 from named numbers to named numbers.
///
/// Both sides are written side by side as one flat vector of at most 64 bits, the first number lowest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    inputs: Vec<(Dim, u32)>,
    outputs: Vec<(Dim, u32)>,
    /// What each bit of the flat input adds to the flat output.
    columns: Vec<u64>,
}

impl Linear {
    /// The map whose input bits have these columns, each a list of one number for each output; the outputs with their
    /// numbers of bits. An error where a column does not fit them, a name is used twice, or a side has more than 64
    /// bits.
    pub fn new(inputs: &[(Dim, Vec<Vec<u32>>)], outputs: &[(Dim, u32)]) -> Result<Linear, String> {
        let mut map = Linear { inputs: Vec::new(), outputs: outputs.to_vec(), columns: Vec::new() };
        if outputs.iter().any(|&(_, bits)| bits > 32) || total(outputs) > 64 {
            return Err(format!("the outputs have {} bits, of at most 64 and 32 each", total(outputs)));
        }
        for (dim, columns) in inputs {
            if map.inputs.iter().any(|(other, _)| other == dim) {
                return Err(format!("{dim} is given twice"));
            }
            for (bit, column) in columns.iter().enumerate() {
                if column.len() != outputs.len() {
                    return Err(format!("bit {bit} of {dim} has {} numbers for {} axes", column.len(), outputs.len()));
                }
                if let Some((&value, &(to, bits))) =
                    column.iter().zip(outputs).find(|&(&value, &(_, bits))| u64::from(value) >> bits != 0)
                {
                    return Err(format!("bit {bit} of {dim} adds {value} to {to}, which has {} values", 1u64 << bits));
                }
                map.columns.push(flatten(outputs, column));
            }
            map.inputs.push((*dim, columns.len() as u32));
        }
        match map.columns.len() > 64 || map.inputs.iter().any(|&(_, bits)| bits > 32) {
            true => Err(format!("the inputs have {} bits, of at most 64 and 32 each", map.columns.len())),
            false => Ok(map),
        }
    }

    /// The map without inputs and outputs, the identity element of [`Linear::product`].
    pub fn unit() -> Linear {
        Linear { inputs: Vec::new(), outputs: Vec::new(), columns: Vec::new() }
    }

    /// The number `input` of `bits` bits, at most 32, as the number `output`.
    pub fn identity(input: Dim, output: Dim, bits: u32) -> Linear {
        let bits = bits.min(32);
        let columns = (0..bits).map(|bit| 1 << bit).collect();
        Linear { inputs: vec![(input, bits)], outputs: vec![(output, bits)], columns }
    }

    /// `bits` bits of `input`, at most 32, that change nothing: what they number is replicated.
    pub fn zeros(input: Dim, bits: u32) -> Linear {
        let bits = bits.min(32);
        Linear { inputs: vec![(input, bits)], outputs: Vec::new(), columns: vec![0; bits as usize] }
    }

    /// The inputs with their numbers of bits.
    pub fn inputs(&self) -> &[(Dim, u32)] {
        &self.inputs
    }

    /// The outputs with their numbers of bits.
    pub fn outputs(&self) -> &[(Dim, u32)] {
        &self.outputs
    }

    /// The number of bits of an input, 0 where the map does not have it.
    pub fn input_bits(&self, dim: Dim) -> u32 {
        bits_of(&self.inputs, dim)
    }

    /// The number of bits of an output, 0 where the map does not have it.
    pub fn output_bits(&self, dim: Dim) -> u32 {
        bits_of(&self.outputs, dim)
    }

    /// What each bit of the flat input adds to the flat output.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// What a bit of an input adds: one number for each output.
    pub fn basis(&self, dim: Dim, bit: u32) -> Option<Vec<u32>> {
        let start = start_of(&self.inputs, dim)?;
        let column = (bit < self.input_bits(dim)).then(|| self.columns[(start + bit) as usize])?;
        Some(self.split(column))
    }

    /// The outputs for these inputs, an absent one being 0. Bits that an input does not have are ignored.
    pub fn apply(&self, at: &[(Dim, u32)]) -> Vec<u32> {
        self.split(self.apply_flat(self.join(at)))
    }

    /// The flat output for a flat input.
    pub fn apply_flat(&self, input: u64) -> u64 {
        self.columns.iter().enumerate().filter(|(bit, _)| input >> bit & 1 == 1).fold(0, |sum, (_, c)| sum ^ c)
    }

    /// The flat input of these numbers.
    pub fn join(&self, at: &[(Dim, u32)]) -> u64 {
        let mut start = 0;
        let mut flat = 0;
        for &(dim, bits) in &self.inputs {
            let value = at.iter().find(|(other, _)| *other == dim).map_or(0, |&(_, value)| value);
            flat |= (u64::from(value) & low(bits)).checked_shl(start).unwrap_or(0);
            start += bits;
        }
        flat
    }

    /// The numbers of a flat output.
    pub fn split(&self, flat: u64) -> Vec<u32> {
        unflatten(&self.outputs, flat)
    }

    /// The numbers of a flat input.
    pub fn split_input(&self, flat: u64) -> Vec<u32> {
        unflatten(&self.inputs, flat)
    }

    /// The flat output of these numbers, `None` where one does not fit.
    pub fn join_output(&self, values: &[u32]) -> Option<u64> {
        let fits = |(&value, &(_, bits)): (&u32, &(Dim, u32))| u64::from(value) >> bits == 0;
        let fits = values.len() == self.outputs.len() && values.iter().zip(&self.outputs).all(fits);
        fits.then(|| flatten(&self.outputs, values))
    }

    /// The composition: what this map gives goes into `next`. An error where it gives what `next` does not take.
    pub fn then(&self, next: &Linear) -> Result<Linear, String> {
        for &(dim, bits) in &self.outputs {
            let taken = next.input_bits(dim);
            if bits > taken {
                return Err(format!("{dim} has {bits} bits, of which the next map takes {taken}"));
            }
        }
        let columns = self.columns.iter().map(|&column| {
            let values = self.split(column);
            let named: Vec<(Dim, u32)> =
                self.outputs.iter().zip(values).map(|(&(dim, _), value)| (dim, value)).collect();
            next.apply_flat(next.join(&named))
        });
        let columns = columns.collect();
        Ok(Linear { inputs: self.inputs.clone(), outputs: next.outputs.clone(), columns })
    }

    /// The product: copies of this map as the pieces of `outer`. The bits of `outer` stand above those of this map, in
    /// the inputs and in the outputs. An error beyond 64 bits.
    pub fn product(&self, outer: &Linear) -> Result<Linear, String> {
        let inputs = stacked(&self.inputs, &outer.inputs);
        let outputs = stacked(&self.outputs, &outer.outputs);
        let too_wide = |dims: &[(Dim, u32)]| total(dims) > 64 || dims.iter().any(|&(_, bits)| bits > 32);
        if too_wide(&inputs) || too_wide(&outputs) {
            return Err(format!(
                "a product of {} bits, of at most 64 and 32 each",
                total(&inputs).max(total(&outputs))
            ));
        }
        let mut columns = Vec::with_capacity(total(&inputs) as usize);
        for &(dim, _) in &inputs {
            for bit in 0..self.input_bits(dim) {
                columns.push(self.moved(dim, bit, &outputs, |_| 0));
            }
            for bit in 0..outer.input_bits(dim) {
                columns.push(outer.moved(dim, bit, &outputs, |to| self.output_bits(to)));
            }
        }
        Ok(Linear { inputs, outputs, columns })
    }

    /// A column in the coordinates of other outputs, each number shifted.
    fn moved(&self, dim: Dim, bit: u32, outputs: &[(Dim, u32)], shift: impl Fn(Dim) -> u32) -> u64 {
        let values = self.basis(dim, bit).unwrap_or_default();
        let value = |to: Dim| self.outputs.iter().position(|&(other, _)| other == to).map_or(0, |at| values[at]);
        let moved: Vec<u32> = outputs.iter().map(|&(to, _)| value(to).checked_shl(shift(to)).unwrap_or(0)).collect();
        flatten(outputs, &moved)
    }

    /// Without an output: what differed only there becomes one.
    #[must_use]
    pub fn without_output(&self, dim: Dim) -> Linear {
        let kept: Vec<usize> = (0..self.outputs.len()).filter(|&at| self.outputs[at].0 != dim).collect();
        let outputs: Vec<(Dim, u32)> = kept.iter().map(|&at| self.outputs[at]).collect();
        let columns = self.columns.iter().map(|&column| {
            let values = self.split(column);
            flatten(&outputs, &kept.iter().map(|&at| values[at]).collect::<Vec<_>>())
        });
        let columns = columns.collect();
        Linear { inputs: self.inputs.clone(), outputs, columns }
    }

    /// The number of independent columns: the image has two to the power of it elements.
    pub fn rank(&self) -> u32 {
        self.span().vectors.len() as u32
    }

    /// A basis of the image.
    pub fn image(&self) -> Vec<u64> {
        self.span().vectors.iter().map(|v| v.value).collect()
    }

    /// A basis of the kernel: the flat inputs that change nothing. The highest bit of each is one of the free bits.
    pub fn kernel(&self) -> Vec<u64> {
        self.span().kernel
    }

    /// Whether no two inputs have one output.
    pub fn is_injective(&self) -> bool {
        self.rank() as usize == self.columns.len()
    }

    /// Whether every output has an input.
    pub fn is_surjective(&self) -> bool {
        self.rank() == total(&self.outputs)
    }

    /// The free bits of an input, as a mask: those that reach nothing which the bits before them do not reach. Where
    /// all free bits are 0, each output is reached once, by its least input.
    pub fn free(&self, dim: Dim) -> u32 {
        let Some(start) = start_of(&self.inputs, dim) else { return 0 };
        let free = self.kernel().iter().fold(0u64, |mask, vector| mask | 1 << vector.ilog2());
        ((free >> start) & low(self.input_bits(dim))) as u32
    }

    /// The least flat input with this flat output.
    pub fn solve(&self, output: u64) -> Option<u64> {
        self.span().solve(output)
    }

    /// What solves many systems with this map.
    pub(super) fn span(&self) -> Span {
        Span::of(&self.columns)
    }

    /// The map from outputs to their least inputs, if each output has one: `right_inverse.then(self)` is the identity.
    pub fn right_inverse(&self) -> Option<Linear> {
        let span = self.span();
        let columns = (0..total(&self.outputs)).map(|bit| span.solve(1 << bit)).collect::<Option<_>>()?;
        Some(Linear { inputs: self.outputs.clone(), outputs: self.inputs.clone(), columns })
    }

    /// The inverse of a bijection.
    pub fn inverse(&self) -> Option<Linear> {
        self.is_injective().then(|| self.right_inverse()).flatten()
    }

    /// Whether both are one map when inputs and outputs without bits are dropped and the order of the others is
    /// ignored.
    pub fn is_same_map(&self, other: &Linear) -> bool {
        self.sorted() == other.sorted()
    }

    /// In the order of the names, without what has no bits.
    fn sorted(&self) -> Linear {
        let order = |dims: &[(Dim, u32)]| {
            let mut dims: Vec<(Dim, u32)> = dims.iter().copied().filter(|&(_, bits)| bits > 0).collect();
            dims.sort_unstable();
            dims
        };
        let (inputs, outputs) = (order(&self.inputs), order(&self.outputs));
        let bits = inputs.iter().flat_map(|&(dim, bits)| (0..bits).map(move |bit| (dim, bit)));
        let columns = bits.map(|(dim, bit)| self.moved(dim, bit, &outputs, |_| 0)).collect();
        Linear { inputs, outputs, columns }
    }
}

/// `register [[0, 1], [8, 0]], lane [[0, 2]] -> [16, 8]`: the columns of each input, and the sizes of the outputs.
impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, &(dim, bits)) in self.inputs.iter().enumerate() {
            let columns: Vec<Vec<u32>> = (0..bits).filter_map(|bit| self.basis(dim, bit)).collect();
            write!(f, "{}{dim} {columns:?}", if at > 0 { ", " } else { "" })?;
        }
        let sizes: Vec<u64> = self.outputs.iter().map(|&(_, bits)| 1 << bits).collect();
        write!(f, "{}-> {sizes:?}", if self.inputs.is_empty() { "" } else { " " })
    }
}

/// A vector of the span of some columns, with the columns that it is the sum of.
#[derive(Clone, Debug)]
struct Combination {
    value: u64,
    of: u64,
}

/// The columns of a map in echelon form.
#[derive(Clone, Debug)]
pub(super) struct Span {
    vectors: Vec<Combination>,
    kernel: Vec<u64>,
}

impl Span {
    /// Gaussian elimination, in the order of the columns: one that depends on those before it is free.
    pub(super) fn of(columns: &[u64]) -> Span {
        let mut span = Span { vectors: Vec::new(), kernel: Vec::new() };
        for (bit, &column) in columns.iter().enumerate() {
            let (value, of) = span.reduce(column);
            match value {
                0 => span.kernel.push(of | 1 << bit),
                _ => span.vectors.push(Combination { value, of: of | 1 << bit }),
            }
        }
        span
    }

    /// What is left of a vector, and the columns whose sum was taken away.
    fn reduce(&self, mut value: u64) -> (u64, u64) {
        let mut of = 0;
        for vector in &self.vectors {
            // The leading bit of a vector is in none that comes later, so one pass in order is enough.
            if value >> vector.value.ilog2() & 1 == 1 {
                value ^= vector.value;
                of ^= vector.of;
            }
        }
        (value, of)
    }

    /// The vectors of columns whose sum is 0, one for each free column, which is its highest bit.
    pub(super) fn kernel(&self) -> &[u64] {
        &self.kernel
    }

    /// The columns whose sum is the part of a vector that lies in it.
    pub(super) fn part(&self, value: u64) -> u64 {
        self.reduce(value).1
    }

    /// The least columns whose sum is a vector.
    pub(super) fn solve(&self, value: u64) -> Option<u64> {
        let (left, of) = self.reduce(value);
        (left == 0).then_some(of)
    }
}

/// The numbers of a flat vector, the first one lowest.
fn unflatten(dims: &[(Dim, u32)], mut flat: u64) -> Vec<u32> {
    let number = |&(_, bits): &(Dim, u32)| {
        let value = (flat & low(bits)) as u32;
        flat = flat.checked_shr(bits).unwrap_or(0);
        value
    };
    dims.iter().map(number).collect()
}

/// The flat vector of numbers that fit.
fn flatten(dims: &[(Dim, u32)], values: &[u32]) -> u64 {
    let mut start = 0;
    let mut flat = 0;
    for (&(_, bits), &value) in dims.iter().zip(values) {
        flat |= u64::from(value).checked_shl(start).unwrap_or(0);
        start += bits;
    }
    flat
}

/// Both lists as one: what is in both has the sum of the bits.
fn stacked(inner: &[(Dim, u32)], outer: &[(Dim, u32)]) -> Vec<(Dim, u32)> {
    let mut dims = inner.to_vec();
    for &(dim, bits) in outer {
        match dims.iter_mut().find(|(other, _)| *other == dim) {
            Some((_, sum)) => *sum += bits,
            None => dims.push((dim, bits)),
        }
    }
    dims
}

fn bits_of(dims: &[(Dim, u32)], dim: Dim) -> u32 {
    dims.iter().find(|(other, _)| *other == dim).map_or(0, |&(_, bits)| bits)
}

fn start_of(dims: &[(Dim, u32)], dim: Dim) -> Option<u32> {
    let at = dims.iter().position(|(other, _)| *other == dim)?;
    Some(dims[..at].iter().map(|(_, bits)| bits).sum())
}

fn total(dims: &[(Dim, u32)]) -> u32 {
    dims.iter().map(|(_, bits)| bits).sum()
}

/// The lowest `bits` bits.
fn low(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |end| end - 1)
}
