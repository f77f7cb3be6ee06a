//! Sums of products over loop indices: matrix products, convolutions, and whatever else is written so.
//!
//! Each loop index moves through the two operands and the result by a constant stride. That makes four groups: batch
//! (in both operands and the result), M (left operand and result), N (right operand and result), and K (not in the
//! result). For each batch it is a product of an M x K and a K x N matrix, whose tiles are packed into small buffers, so
//! that layouts and windows matter only there (implicit im2col), and multiplied by the gemm of `matrixmultiply`, in the
//! way of Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication". What has hardly any matrix in it
//! is summed directly: a product for each of many results, such as in a depthwise convolution, or many products for one
//! result, such as a matrix times a vector.
//!
//! Sums run over K in pieces of [`TILE_K`], in order; neither tiles nor threads change that. Products of floats of 32
//! bits or fewer are exact in `f64`, so for those the result is also the same on machines with and without fused
//! multiply-add.

use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type};

use super::kind::Rounding;
use super::read::{BLOCK, Lane, Matrix, PIECE, Products, Reader, Sizes, build, rounded};
use super::views::product;
use super::{Data, ElemKind, MAX_PRODUCTS, TensorValue, count, expect_work, threads};
use crate::numbers::holds_products;

/// Where on an axis of an operand the loops read: the sum of index times coefficient, for each `(index, coefficient)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access(pub Vec<(usize, i64)>);

/// A sum of products: `out[..] = sum lhs[..] * rhs[..]` over the loop indices that are not in `out`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contraction {
    /// The size of each loop index.
    pub sizes: Vec<usize>,
    /// For each axis of the left operand.
    pub lhs: Vec<Access>,
    /// For each axis of the right operand.
    pub rhs: Vec<Access>,
    /// The loop index of each axis of the result.
    pub out: Vec<usize>,
}

const TILE_K: usize = 256;
const TILE_N: usize = 512;

/// A loop index: how far it moves through the operands.
#[derive(Clone, Copy)]
struct Loop {
    size: usize,
    left: isize,
    right: isize,
}

impl Loop {
    fn repeats(&self) -> bool {
        self.left == 0 && self.right == 0
    }
}

/// Loop indices of one group, the last one fastest.
#[derive(Clone, Default)]
struct Group(Vec<Loop>);

impl Group {
    fn len(&self) -> usize {
        product(&self.sizes())
    }

    fn sizes(&self) -> Vec<usize> {
        self.0.iter().map(|each| each.size).collect()
    }

    /// How far from the first element of an operand those of some places are, in row-major order.
    fn offsets(&self, start: usize, len: usize, stride: impl Fn(&Loop) -> isize) -> Vec<isize> {
        let mut index = vec![0; self.0.len()];
        let (mut place, mut at) = (start, 0);
        for (index, each) in index.iter_mut().zip(&self.0).rev() {
            *index = place % each.size.max(1);
            place /= each.size.max(1);
            at += *index as isize * stride(each);
        }
        let mut offsets = Vec::with_capacity(len);
        for _ in 0..len {
            offsets.push(at);
            for (index, each) in index.iter_mut().zip(&self.0).rev() {
                *index += 1;
                at += stride(each);
                if *index < each.size {
                    break;
                }
                at -= each.size as isize * stride(each);
                *index = 0;
            }
        }
        offsets
    }
}

/// The left or the right operand of the matrix product.
#[derive(Clone, Copy)]
struct Side<'t> {
    tensor: &'t TensorValue,
    stride: fn(&Loop) -> isize,
}

/// How the products are summed.
enum ContractMethod {
    /// For a block of results at a time, one product each after the other.
    Elements,
    /// For one result at a time, a block of products.
    Rows,
    /// Matrices.
    Matrices,
}

struct Plan<'t> {
    left: Side<'t>,
    right: Side<'t>,
    batch: Group,
    m: Group,
    n: Group,
    k: Group,
    products: Products,
}

impl TensorValue {
    /// A sum of products over loop indices, computed in `f64` (wrapping `i64` when everything is an integer) and
    /// rounded or wrapped to `elem` at the end. For truth values: whether any product is not zero.
    ///
    /// Loop indices that only one operand has, or none, are summed over as well; those only in the result repeat it.
    ///
    /// Errors when the specification does not fit the operands, or reads outside of them; and for more than
    /// [`MAX_PRODUCTS`] products, which would seem to go on forever.
    pub fn contract(
        ctx: &Context,
        lhs: &TensorValue,
        rhs: &TensorValue,
        spec: &Contraction,
        elem: Type,
    ) -> Result<TensorValue, String> {
        TensorValue::contract_products(ctx, lhs, rhs, spec, None, elem)
    }

    /// As [`TensorValue::contract`], with each product rounded or wrapped to a type before it is added.
    pub fn contract_products(
        ctx: &Context,
        lhs: &TensorValue,
        rhs: &TensorValue,
        spec: &Contraction,
        product_elem: Option<Type>,
        elem: Type,
    ) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        let rounded = product_elem.filter(|&ty| !holds_products(ctx, ty, lhs.elem, rhs.elem));
        let products = match rounded.map(|ty| ElemKind::known(ctx, ty)).transpose()? {
            None | Some(ElemKind::Float(FloatKind::F64)) => Products::Exact,
            Some(ElemKind::Float(float)) => Products::Rounded(Rounding::to(float)),
            Some(wrapped) => Products::Wrapped(wrapped),
        };
        let wrong = |axis: usize| {
            let index = spec.out[axis];
            index >= spec.sizes.len() || spec.out[..axis].contains(&index)
        };
        if let Some(axis) = (0..spec.out.len()).find(|&axis| wrong(axis)) {
            return Err(format!("axis {axis} of the result is no loop index, or the same as another axis"));
        }
        let (left, right) = (strides(lhs, &spec.lhs, spec)?, strides(rhs, &spec.rhs, spec)?);
        let loops = spec.sizes.iter().zip(left).zip(right);
        let loops: Vec<Loop> = loops.map(|((&size, left), right)| Loop { size, left, right }).collect();
        // What no operand moves along is computed once, and repeated.
        let once = |each: Loop| Loop { size: if each.repeats() { each.size.min(1) } else { each.size }, ..each };
        let outer: Vec<Loop> = spec.out.iter().map(|&index| once(loops[index])).collect();
        let inner = loops.iter().enumerate().filter(|(index, _)| !spec.out.contains(index));
        let (outer, inner) = (Group(outer), Group(inner.map(|(_, &each)| each).collect()));
        count(&inner.sizes())?;
        expect_work(&[outer.sizes(), inner.sizes()].concat(), MAX_PRODUCTS)?;
        // Sums of short integers are exact in f64, whose gemm is the faster one.
        let bits = lhs.kind.bits() + rhs.kind.bits() + product(&inner.sizes()).max(1).ilog2() + 1;
        // Products that wrap are taken of integers, whatever their sum becomes.
        let wraps = matches!(products, Products::Wrapped(_));
        let floats = lhs.kind.is_float() || rhs.kind.is_float() || (!wraps && (kind.is_float() || bits <= 53));
        let result = match floats {
            true => product_sum::<f64>(lhs, rhs, &outer, inner, products, elem, kind)?,
            false => product_sum::<i64>(lhs, rhs, &outer, inner, products, elem, kind)?,
        };
        let shape: Vec<usize> = spec.out.iter().map(|&index| spec.sizes[index]).collect();
        result.broadcast_to(&shape)
    }
}

/// The sum over the inner loops, a tensor of the sizes of the outer ones.
fn product_sum<T: Lane>(
    lhs: &TensorValue,
    rhs: &TensorValue,
    outer: &Group,
    inner: Group,
    products: Products,
    elem: Type,
    kind: ElemKind,
) -> Result<TensorValue, String> {
    let shape = outer.sizes();
    if count(&shape)? == 0 {
        return Ok(TensorValue::dense(shape, elem, kind, build::<T>(kind, 0, &|_| Box::new(|_| ()))));
    }
    // The axes of the result that belong to each group.
    let axes = |which: fn(&Loop) -> bool| (0..shape.len()).filter(move |&axis| which(&outer.0[axis]));
    let batch: Vec<usize> = axes(|each| (each.left == 0) == (each.right == 0)).collect();
    let mut m: Vec<usize> = axes(|each| each.left != 0 && each.right == 0).collect();
    let mut n: Vec<usize> = axes(|each| each.left == 0 && each.right != 0).collect();
    let mut left = Side { tensor: lhs, stride: |each| each.left };
    let mut right = Side { tensor: rhs, stride: |each| each.right };
    let group = |axes: &[usize]| Group(axes.iter().map(|&axis| outer.0[axis]).collect());
    // Threads divide the rows, so there should be many.
    if group(&m).len() < group(&n).len() && group(&m).len() < 128 {
        (left, right, m, n) = (right, left, n, m);
    }
    let plan = Plan { left, right, batch: group(&batch), m: group(&m), n: group(&n), k: inner, products };
    match plan.method(outer) {
        ContractMethod::Elements => return Ok(TensorValue::dense(shape, elem, kind, plan.elements::<T>(kind, outer))),
        ContractMethod::Rows => {
            return Ok(TensorValue::dense(shape, elem, kind, rounded(kind, &plan.rows_of_products::<T>(outer))));
        }
        ContractMethod::Matrices => {}
    }
    let axes = [batch, m, n].concat();
    let packed = axes.iter().map(|&axis| shape[axis]).collect();
    let order: Vec<usize> = (0..axes.len()).filter_map(|axis| axes.iter().position(|&at| at == axis)).collect();
    TensorValue::dense(packed, elem, kind, plan.gemm::<T>(kind)).permute(&order)?.contiguous()
}

/// How far each loop index moves through an operand.
fn strides(tensor: &TensorValue, accesses: &[Access], spec: &Contraction) -> Result<Vec<isize>, String> {
    tensor.expect_axes(accesses.len())?;
    let mut strides = vec![0isize; spec.sizes.len()];
    for ((Access(terms), &size), &stride) in accesses.iter().zip(&tensor.shape).zip(&tensor.strides) {
        let (mut lowest, mut highest) = (0i128, 0i128);
        for &(index, coefficient) in terms {
            let Some(&steps) = spec.sizes.get(index) else {
                return Err(format!("there is no loop index {index}"));
            };
            let last = i128::from(coefficient) * (steps.max(1) - 1) as i128;
            lowest += last.min(0);
            highest += last.max(0);
            if steps > 1 {
                // What reads inside of the operand does not overflow; the rest is an error below.
                strides[index] = strides[index].wrapping_add((coefficient as isize).wrapping_mul(stride));
            }
        }
        if !spec.sizes.contains(&0) && (lowest < 0 || highest >= size as i128) {
            return Err(format!("the loops read {lowest} to {highest} on an axis of size {size}"));
        }
    }
    Ok(strides)
}

impl Plan<'_> {
    /// The cheapest way. In nanoseconds, of which only the proportions matter: a product costs about 1 on its own, more
    /// when its operands are far from the ones before, and 0.06 in a gemm, which works on 8 x 8 at a time; packing
    /// costs 1 an element.
    fn method(&self, outer: &Group) -> ContractMethod {
        let [batch, m, n, k] = [&self.batch, &self.m, &self.n, &self.k].map(|group| group.len() as f64);
        let outputs = batch * m * n;
        let product = |loops: &Group| {
            let last = loops.0.iter().rfind(|each| each.size > 1);
            let strides = last.map_or([0, 0], |last| [last.left, last.right]);
            strides.iter().map(|stride| if stride.unsigned_abs() <= 4 { 0.5 } else { 2.0 }).sum::<f64>()
        };
        let elements = k * (product(outer) * outputs + 60.0 * (outputs / BLOCK as f64).ceil());
        let rows = outputs * (60.0 + product(&self.k) * k);
        let up = |x: f64| (x / 8.0).ceil() * 8.0;
        // Without a gemm a product costs not much less than alone.
        let each = if matches!(self.products, Products::Exact) { 0.06 } else { 0.7 };
        let packing = m * k * (n / TILE_N as f64).ceil() + n * k * (m / self.rows() as f64).ceil();
        let calls = 2000.0 * (k / TILE_K as f64).ceil();
        let matrices = batch * (calls + packing + each * up(m) * up(n) * k);
        match () {
            () if matrices <= elements.min(rows) => ContractMethod::Matrices,
            () if elements <= rows => ContractMethod::Elements,
            () => ContractMethod::Rows,
        }
    }

    /// How many rows a thread takes at a time.
    fn rows(&self) -> usize {
        if self.m.len() < 1024 { 64 } else { 256 }
    }

    /// The results in the order of `loops`, each product for a block of them at a time.
    fn elements<T: Lane>(&self, kind: ElemKind, loops: &Group) -> Data {
        let sides = [self.left, self.right];
        let offsets = sides.map(|side| self.k.offsets(0, self.k.len(), side.stride));
        let strides = sides.map(|side| loops.0.iter().map(side.stride).collect::<Vec<_>>());
        let shape = loops.sizes();
        build(kind, loops.len(), &|start| {
            let [mut left, mut right] = [0, 1].map(|i| Reader::over(sides[i].tensor, &shape, &strides[i]));
            let (mut a, mut b) = (vec![T::default(); BLOCK], vec![T::default(); BLOCK]);
            let (offsets, mut place, products) = (&offsets, start, self.products);
            Box::new(move |out: &mut [T]| {
                let (a, b) = (&mut a[..out.len()], &mut b[..out.len()]);
                out.fill(T::default());
                for (&left_offset, &right_offset) in offsets[0].iter().zip(&offsets[1]) {
                    left.seek_from(place, left_offset);
                    left.read(a);
                    right.seek_from(place, right_offset);
                    right.read(b);
                    T::add_products(products, a, b, out);
                }
                if kind.is_bool() {
                    out.iter_mut().for_each(|x| *x = x.truth());
                }
                place += out.len();
            })
        })
    }

    /// The results in the order of `loops`, each the sum of a row of products. Long rows are cut into pieces when there
    /// are few, so that threads share them; where depends on the sizes alone.
    fn rows_of_products<T: Lane>(&self, loops: &Group) -> Vec<T> {
        let sides = [self.left, self.right];
        let offsets = sides.map(|side| loops.offsets(0, loops.len(), side.stride));
        let strides = sides.map(|side| self.k.0.iter().map(side.stride).collect::<Vec<_>>());
        let (shape, len) = (self.k.sizes(), self.k.len());
        let piece = if loops.len() >= 64 { len } else { len.min(PIECE) }.max(1);
        let pieces = len.div_ceil(piece).max(1);
        let mut sums = vec![T::default(); loops.len() * pieces];
        let at_once = (PIECE / piece).max(1);
        threads::each_chunk(&mut sums, at_once, |chunk, sums| {
            let [mut left, mut right] = [0, 1].map(|i| Reader::over(sides[i].tensor, &shape, &strides[i]));
            let (mut a, mut b) = (vec![T::default(); BLOCK], vec![T::default(); BLOCK]);
            for (sum, index) in sums.iter_mut().zip(chunk * at_once..) {
                let (row, start) = (index / pieces, index % pieces * piece);
                left.seek_from(start, offsets[0][row]);
                right.seek_from(start, offsets[1][row]);
                let mut rest = piece.min(len - start);
                while rest > 0 {
                    let (a, b) = (&mut a[..rest.min(BLOCK)], &mut b[..rest.min(BLOCK)]);
                    left.read(a);
                    right.read(b);
                    *sum = sum.plus(dot(self.products, a, b));
                    rest -= a.len();
                }
            }
        });
        sums.chunks(pieces).map(|row| row.iter().copied().fold(T::default(), T::plus)).collect()
    }

    /// The results in the order batch, M, N.
    fn gemm<T: Lane>(&self, kind: ElemKind) -> Data {
        match kind {
            ElemKind::Float(FloatKind::F64) => Data::F64(self.gemm_into(kind, T::to_f64s)),
            ElemKind::Float(float) => Data::F32(self.gemm_into(kind, |x: &[T], out| T::to_f32s(float, x, out))),
            ElemKind::Int { .. } => Data::Int(self.gemm_into(kind, |x: &[T], out| T::to_ints(kind, x, out))),
        }
    }

    fn gemm_into<T: Lane, S: Copy + Default + Send>(
        &self,
        kind: ElemKind,
        store: impl Fn(&[T], &mut [S]) + Sync,
    ) -> Vec<S> {
        let [batch, m, n, k] = [&self.batch, &self.m, &self.n, &self.k].map(Group::len);
        let mut values = vec![S::default(); batch * m * n];
        if values.is_empty() {
            return values;
        }
        let rows = self.rows();
        let left_batch = self.batch.offsets(0, batch, self.left.stride);
        let right_batch = self.batch.offsets(0, batch, self.right.stride);
        let panels = values.chunks_mut(m * n).enumerate().flat_map(|(batch, matrix)| {
            matrix.chunks_mut(rows * n).enumerate().map(move |(panel, out)| (batch, panel * rows, out))
        });
        // Less than about a tenth of a millisecond is not worth a thread.
        let threads = product(&[batch, m, n, k]) / (1 << 20);
        threads::each(panels, threads, Tiles::<T>::default, |tiles, (batch, first, out)| {
            let m_offsets = self.m.offsets(first, out.len() / n, self.left.stride);
            for first_n in (0..n).step_by(TILE_N) {
                let n_offsets = self.n.offsets(first_n, TILE_N.min(n - first_n), self.right.stride);
                let sizes = (m_offsets.len(), n_offsets.len());
                tiles.c.clear();
                tiles.c.resize(sizes.0 * sizes.1, T::default());
                for first_k in (0..k).step_by(TILE_K) {
                    let len = TILE_K.min(k - first_k);
                    let left_k = self.k.offsets(first_k, len, self.left.stride);
                    let right_k = self.k.offsets(first_k, len, self.right.stride);
                    let a = pack(self.left.tensor, left_batch[batch], &m_offsets, &left_k, &mut tiles.a);
                    let b = pack(self.right.tensor, right_batch[batch], &right_k, &n_offsets, &mut tiles.b);
                    let sizes = Sizes { m: sizes.0, n: sizes.1, k: len };
                    match self.products {
                        Products::Exact => T::gemm(sizes, a, b, &mut tiles.c),
                        products => T::gemm_by_products(products, sizes, a, b, &mut tiles.c),
                    }
                }
                if kind.is_bool() {
                    tiles.c.iter_mut().for_each(|x| *x = x.truth());
                }
                for (row, out) in tiles.c.chunks(sizes.1).zip(out.chunks_mut(n)) {
                    store(row, &mut out[first_n..first_n + sizes.1]);
                }
            }
        });
        values
    }
}

/// The sum of the products of two slices, eight chains at a time, which the machine runs at once.
fn dot<T: Lane>(products: Products, a: &[T], b: &[T]) -> T {
    const CHAINS: usize = 8;
    if !matches!(products, Products::Exact) {
        let mut each = vec![T::default(); a.len()];
        T::add_products(products, a, b, &mut each);
        return each.into_iter().fold(T::default(), T::plus);
    }
    let mut chains = [T::default(); CHAINS];
    let (a, b) = (a.chunks_exact(CHAINS), b.chunks_exact(CHAINS));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest = rest.fold(T::default(), |sum, (&a, &b)| sum.plus_product(a, b));
    for (a, b) in a.zip(b) {
        for ((chain, &a), &b) in chains.iter_mut().zip(a).zip(b) {
            *chain = chain.plus_product(a, b);
        }
    }
    chains.into_iter().fold(rest, T::plus)
}

/// The buffers of a thread.
struct Tiles<T> {
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
}

impl<T> Default for Tiles<T> {
    fn default() -> Tiles<T> {
        Tiles { a: vec![], b: vec![], c: vec![] }
    }
}

/// Copies the matrix of the elements at `rows[i] + columns[j]`, along the direction in which they lie closer together.
fn pack<'p, T: Lane>(
    tensor: &TensorValue,
    base: isize,
    rows: &[isize],
    columns: &[isize],
    out: &'p mut Vec<T>,
) -> Matrix<'p, T> {
    let close = |offsets: &[isize]| {
        let near = offsets.windows(2).filter(|pair| (pair[1] - pair[0]).abs() <= 2).count();
        near as f64 / offsets.len() as f64
    };
    let by_rows = close(columns) >= close(rows);
    let (outer, inner) = if by_rows { (rows, columns) } else { (columns, rows) };
    let runs = runs(inner);
    out.resize(outer.len() * inner.len(), T::default());
    for (line, &offset) in out.chunks_mut(inner.len()).zip(outer) {
        let mut line = line;
        for &(first, len, stride) in &runs {
            let (now, later) = std::mem::take(&mut line).split_at_mut(len);
            T::load(&tensor.data, tensor.kind, tensor.offset + base + offset + first, stride, now);
            line = later;
        }
    }
    let (row_stride, column_stride) = if by_rows { (inner.len(), 1) } else { (1, inner.len()) };
    Matrix { values: out, row_stride, column_stride }
}

/// The parts of a list of offsets that go on by a constant stride: first offset, number, stride.
fn runs(offsets: &[isize]) -> Vec<(isize, usize, isize)> {
    let mut runs: Vec<(isize, usize, isize)> = vec![];
    for &offset in offsets {
        match runs.last_mut() {
            Some((first, len @ 1, stride)) => (*len, *stride) = (2, offset - *first),
            Some((first, len, stride)) if offset == *first + *len as isize * *stride => *len += 1,
            _ => runs.push((offset, 1, 0)),
        }
    }
    runs
}
