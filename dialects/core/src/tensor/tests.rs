//! Tests against definitions by index, on random shapes.

mod contract;
mod map;
mod positions;
mod reduce;
mod rounding;
mod views;

use dlc_ir::random::Random;
use dlc_ir::types::{FloatKind, Signedness, TypeData};
use dlc_ir::{Context, Type};

use super::*;

fn context() -> Context {
    Context::new([&crate::DIALECT])
}

/// The type of a name: a float, an integer, `index` or `none`.
fn named(ctx: &Context, name: &str) -> Type {
    let (sign, width) = match name {
        "index" => return Type::INDEX,
        "none" => return Type::NONE,
        _ if name.starts_with("ui") => (Signedness::Unsigned, &name[2..]),
        _ if name.starts_with("si") => (Signedness::Signed, &name[2..]),
        _ => (Signedness::Signless, &name[1..]),
    };
    match FloatKind::ALL.into_iter().find(|kind| kind.name() == name) {
        Some(kind) => ctx.float_type(kind),
        None => ctx.ty(TypeData::Integer { width: width.parse().expect("a width"), sign }),
    }
}

/// What the tests draw: shapes, orders of axes, small integers.
trait Draw {
    fn coin(&mut self) -> bool;
    fn shape(&mut self) -> Vec<usize>;
    fn shuffled(&mut self, count: usize) -> Vec<usize>;
    fn subset(&mut self, count: usize) -> Vec<usize>;
    /// Integers of a few bits, which every type and every sum of them holds.
    fn small(&mut self) -> i64;
}

impl Draw for Random {
    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn shape(&mut self) -> Vec<usize> {
        let rank = self.below(6);
        (0..rank).map(|_| if self.below(12) == 0 { 0 } else { 1 + self.below(4) }).collect()
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    fn subset(&mut self, count: usize) -> Vec<usize> {
        (0..count).filter(|_| self.coin()).collect()
    }

    fn small(&mut self) -> i64 {
        self.below(9) as i64 - 4
    }
}

/// A tensor as its definition has it: an element for each index in row-major order.
#[derive(Clone, PartialEq, Debug)]
struct Model {
    shape: Vec<usize>,
    values: Vec<i64>,
}

impl Model {
    fn from_fn(shape: &[usize], mut value: impl FnMut(&[usize]) -> i64) -> Model {
        let values = indices(shape).iter().map(|index| value(index)).collect();
        Model { shape: shape.to_vec(), values }
    }

    fn random(random: &mut Random, shape: &[usize]) -> Model {
        Model::from_fn(shape, |_| random.small())
    }

    fn at(&self, index: &[usize]) -> i64 {
        assert_eq!(index.len(), self.shape.len());
        let place = self.shape.iter().zip(index).fold(0, |place, (&size, &at)| {
            assert!(at < size);
            place * size + at
        });
        self.values[place]
    }

    /// The element at the end of a longer index, axes of size 1 repeated.
    fn broadcast_at(&self, index: &[usize]) -> i64 {
        let own = &index[index.len() - self.shape.len()..];
        let own: Vec<usize> = own.iter().zip(&self.shape).map(|(&at, &size)| if size == 1 { 0 } else { at }).collect();
        self.at(&own)
    }

    fn tensor(&self, ctx: &Context, elem: Type) -> TensorValue {
        TensorValue::from_i64(ctx, self.shape.clone(), elem, self.values.clone()).expect("as many as the shape says")
    }

    /// A tensor of these elements whose layout is not row-major: another order of axes, backwards, with gaps.
    fn strided(&self, ctx: &Context, elem: Type, random: &mut Random) -> TensorValue {
        let rank = self.shape.len();
        let order = random.shuffled(rank);
        let mut back = vec![0; rank];
        order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
        let flips = random.subset(rank);
        let moved = self.permute(&order).flip(&flips);
        let gaps: Vec<(usize, usize)> = (0..rank).map(|_| (random.below(2), random.below(2))).collect();
        let zero = dlc_ir::interp::Datum::Int(0);
        let zero = if elem.float_kind(ctx).is_some() { 0.0.into() } else { zero };
        let padded = moved.tensor(ctx, elem).pad(ctx, &gaps, &zero).expect("a pair for each axis");
        let inside: Vec<_> = gaps.iter().zip(&moved.shape).map(|(gap, &size)| (gap.0, gap.0 + size, 1)).collect();
        let view =
            padded.shrink(&inside).expect("inside").flip(&flips).expect("axes").permute(&back).expect("an order");
        check(&view, self);
        view
    }

    fn permute(&self, order: &[usize]) -> Model {
        let shape: Vec<usize> = order.iter().map(|&axis| self.shape[axis]).collect();
        Model::from_fn(&shape, |index| {
            let mut from = vec![0; index.len()];
            index.iter().zip(order).for_each(|(&at, &axis)| from[axis] = at);
            self.at(&from)
        })
    }

    fn flip(&self, axes: &[usize]) -> Model {
        Model::from_fn(&self.shape, |index| {
            let mut from = index.to_vec();
            axes.iter().for_each(|&axis| from[axis] = self.shape[axis] - 1 - index[axis]);
            self.at(&from)
        })
    }
}

/// Every index below the sizes, the last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all.iter().flat_map(|index| (0..size).map(|at| [&index[..], &[at]].concat())).collect();
    }
    all
}

#[track_caller]
fn check(tensor: &TensorValue, model: &Model) {
    assert_eq!(tensor.shape(), model.shape);
    assert_eq!(tensor.to_i64s(), model.values, "sizes {:?}, strides {:?}", tensor.shape(), tensor.strides());
}

#[test]
fn elements_are_found_by_index() {
    let ctx = context();
    let value = TensorValue::from_i64(&ctx, vec![2, 3], Type::I32, vec![0, 1, 2, 10, 11, 12]).expect("six");
    assert_eq!((value.len(), value.rank(), value.at(&[1, 2])), (6, 2, Datum::Int(12)));
    assert_eq!(value.elements()[3], Datum::Int(10));
    let datums = TensorValue::new(&ctx, vec![2], Type::F16, vec![0.1.into(), 1.0.into()]).expect("floats");
    assert_eq!(datums.to_f64s(), [0.0999755859375, 1.0]);
    let unsigned = named(&ctx, "ui64");
    let large = TensorValue::new(&ctx, vec![], unsigned, vec![Datum::Int(u64::MAX.into())]).expect("fits");
    assert_eq!((large.at(&[]), large.to_f64s()), (Datum::Int(u64::MAX.into()), vec![u64::MAX as f64]));
    assert_eq!(large.elements(), [Datum::Int(u64::MAX.into())]);
}

#[test]
fn wrong_elements_are_errors() {
    let ctx = context();
    assert!(TensorValue::from_i64(&ctx, vec![2], Type::I32, vec![]).is_err());
    assert!(TensorValue::from_i64(&ctx, vec![usize::MAX, 2], Type::I32, vec![]).is_err());
    assert!(TensorValue::from_i64(&ctx, vec![], named(&ctx, "i65"), vec![0]).is_err());
    assert!(TensorValue::new(&ctx, vec![1], Type::I32, vec![1.0.into()]).is_err());
    assert!(TensorValue::new(&ctx, vec![1], Type::F32, vec![Datum::Int(1)]).is_err());
    let data = |elem, data| TensorValue::from_data(&ctx, vec![1], elem, data);
    assert!(data(Type::F16, Data::F32(vec![1.5])).is_ok() && data(Type::F32, Data::F32(vec![f32::NAN])).is_ok());
    assert_eq!(data(Type::F16, Data::F32(vec![0.1])), Err("0.1 is no element of type f16".into()));
    assert_eq!(data(Type::I8, Data::Int(vec![128])), Err("128 is no element of type i8".into()));
    assert!(data(Type::I1, Data::Int(vec![-1])).is_err());
    assert!(data(Type::F64, Data::F32(vec![1.0])).is_err() && data(Type::F32, Data::Int(vec![1])).is_err());
    assert!(data(Type::F32, Data::F32(vec![])).is_err());
    let empty = TensorValue::from_i64(&ctx, vec![usize::MAX, 2, 0], Type::I32, vec![]).expect("no elements");
    assert!(empty.elements().is_empty() && empty.is_contiguous());
}

#[test]
fn one_element_stands_for_all() {
    let ctx = context();
    let splat = TensorValue::splat(&ctx, vec![1000, 1000, 1000], Type::F32, &0.5.into()).expect("a float");
    assert_eq!((splat.splat_value(), splat.data.len()), (Some(0.5.into()), 1));
    // Elementwise functions keep that.
    let twice = splat.zip_float(&ctx, &splat, Type::F32, |a, b| a + b).expect("the same sizes");
    assert_eq!((twice.splat_value(), twice.data.len(), twice.len()), (Some(1.0.into()), 1, 1_000_000_000));
    assert!(splat.contiguous().is_err(), "too many elements to copy");
    let equal = TensorValue::from_f64(&ctx, vec![2000], Type::F64, vec![2.0; 2000]).expect("as many");
    assert_eq!(equal.splat_value(), Some(2.0.into()));
    let mut values = vec![3; 2000];
    values[1999] = 4;
    assert_eq!(TensorValue::from_i64(&ctx, vec![2000], Type::I32, values).expect("as many").splat_value(), None);
    let iota = TensorValue::iota(&ctx, vec![2, 3, 2], Type::I32, 1).expect("an axis");
    check(&iota, &Model::from_fn(&[2, 3, 2], |index| index[1] as i64));
    assert_eq!((iota.data.len(), iota.splat_value()), (3, None));
    assert!(TensorValue::iota(&ctx, vec![2], Type::I32, 1).is_err());
    assert_eq!(TensorValue::iota(&ctx, vec![0], Type::F16, 0).expect("an axis").splat_value(), None);
}

#[test]
fn equality_does_not_see_the_layout() {
    let (ctx, mut random) = (context(), Random::new(1));
    let model = Model::random(&mut random, &[3, 2, 4]);
    let (dense, strided) = (model.tensor(&ctx, Type::F32), model.strided(&ctx, Type::F32, &mut random));
    assert_eq!(dense, strided);
    assert_eq!(strided.contiguous().expect("small").as_data(), dense.as_data());
    assert!(dense.as_data().is_some() && strided.permute(&[0, 2, 1]).expect("an order").as_data().is_none());
    assert_ne!(dense, model.tensor(&ctx, Type::F64));
    assert_ne!(dense, dense.flip(&[0, 1, 2]).expect("axes"));
}
