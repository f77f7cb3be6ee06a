//! Each view, also of views, against its definition by index.

use super::*;

/// Sizes of the same number of elements.
fn other_sizes(random: &mut Random, shape: &[usize]) -> Vec<usize> {
    let mut left: usize = shape.iter().product();
    if left == 0 {
        return vec![random.below(3), 0, 2];
    }
    let mut sizes = vec![];
    while left > 1 {
        let divisors: Vec<usize> = (2..=left).filter(|size| left.is_multiple_of(*size)).collect();
        let size = divisors[random.below(divisors.len())];
        sizes.push(size);
        left /= size;
        if random.below(4) == 0 {
            sizes.push(1);
        }
    }
    sizes
}

#[test]
fn views_of_views_are_as_defined() {
    let (ctx, mut random) = (context(), Random::new(7));
    let mut no_copies = 0;
    for _ in 0..400 {
        let shape = random.shape();
        let mut model = Model::random(&mut random, &shape);
        let mut tensor = model.tensor(&ctx, Type::I32);
        for _ in 0..6 {
            let rank = tensor.rank();
            let shape = model.shape.clone();
            let before = Arc::clone(&tensor.data);
            let mut copies = false;
            let result = match random.below(7) {
                0 => {
                    let order = random.shuffled(rank);
                    model = model.permute(&order);
                    tensor.permute(&order)
                }
                1 => {
                    let axes = random.subset(rank);
                    model = model.flip(&axes);
                    tensor.flip(&axes)
                }
                2 => {
                    let ranges: Vec<(usize, usize, usize)> = shape
                        .iter()
                        .map(|&size| {
                            let start = random.below(size + 1);
                            (start, start + random.below(size - start + 1), 1 + random.below(3))
                        })
                        .collect();
                    let sizes: Vec<usize> =
                        ranges.iter().map(|&(start, stop, step)| (start..stop).step_by(step).count()).collect();
                    model = Model::from_fn(&sizes, |index| {
                        let from: Vec<usize> =
                            index.iter().zip(&ranges).map(|(&at, range)| range.0 + at * range.2).collect();
                        model.at(&from)
                    });
                    tensor.shrink(&ranges)
                }
                3 => {
                    let sizes = other_sizes(&mut random, &shape);
                    model.shape = sizes.clone();
                    copies = true;
                    tensor.reshape(&sizes)
                }
                4 if tensor.len() < 2000 => {
                    let new: Vec<usize> = (0..random.below(2)).map(|_| random.below(4)).collect();
                    let own = shape.iter().map(|&size| if size == 1 { 1 + random.below(3) } else { size });
                    let sizes: Vec<usize> = new.into_iter().chain(own).collect();
                    model = Model::from_fn(&sizes, |index| model.broadcast_at(index));
                    tensor.broadcast_to(&sizes)
                }
                5 if tensor.len() < 2000 && rank < 6 => {
                    let axis = random.below(rank + 1);
                    let dims: Vec<usize> = (0..rank).map(|dim| dim + usize::from(dim >= axis)).collect();
                    let mut sizes = shape.clone();
                    sizes.insert(axis, 2);
                    model = Model::from_fn(&sizes, |index| {
                        let from: Vec<usize> = dims.iter().map(|&dim| index[dim]).collect();
                        model.at(&from)
                    });
                    tensor.broadcast_in_dim(&sizes, &dims)
                }
                6 if tensor.len() < 2000 => {
                    let padding: Vec<(usize, usize)> = (0..rank).map(|_| (random.below(3), random.below(2))).collect();
                    let sizes: Vec<usize> =
                        shape.iter().zip(&padding).map(|(size, pad)| size + pad.0 + pad.1).collect();
                    model = Model::from_fn(&sizes, |index| {
                        let inside = index.iter().zip(&padding).zip(&shape);
                        let from: Option<Vec<usize>> =
                            inside.map(|((&at, pad), &size)| at.checked_sub(pad.0).filter(|&at| at < size)).collect();
                        from.map_or(9, |from| model.at(&from))
                    });
                    copies = true;
                    tensor.pad(&ctx, &padding, &Datum::Int(9))
                }
                _ => Ok(tensor.clone()),
            };
            tensor = result.expect("the arguments are right");
            check(&tensor, &model);
            assert!(copies || Arc::ptr_eq(&before, &tensor.data), "a view copies nothing");
            no_copies += usize::from(copies && Arc::ptr_eq(&before, &tensor.data));
        }
        let dense = tensor.contiguous().expect("small");
        assert!(dense.is_contiguous());
        check(&dense, &model);
        for index in indices(&model.shape).iter().take(20) {
            assert_eq!(tensor.at(index), Datum::Int(model.at(index).into()));
        }
    }
    assert!(no_copies > 100, "most reshapes copy nothing");
}

/// What a program does to tensors that are only expanded, and to sixteen axes.
#[test]
fn reshapes_copy_only_when_they_must() {
    let ctx = context();
    let base = TensorValue::iota(&ctx, vec![65536], Type::I32, 0).expect("an axis");
    let deep = base.reshape(&[2; 16]).expect("as many");
    let reversed: Vec<usize> = (0..16).rev().collect();
    let turned = deep.permute(&reversed).expect("an order").flip(&[0, 15]).expect("axes");
    assert!(Arc::ptr_eq(&base.data, &turned.data));
    let values = turned.reshape(&[65536]).expect("as many").to_i64s();
    for (at, value) in values.into_iter().enumerate() {
        let flipped = at ^ 0x8001;
        assert_eq!(value, i64::from((flipped as u16).reverse_bits()));
    }
    let repeated = TensorValue::splat(&ctx, vec![6, 4], Type::F32, &1.0.into()).expect("a float");
    assert_eq!(repeated.reshape(&[8, 3]).expect("as many").strides(), [0, 0]);
    let column = TensorValue::iota(&ctx, vec![4, 6], Type::I32, 0).expect("an axis");
    let split = column.reshape(&[2, 2, 3, 1, 2]).expect("as many");
    assert!(Arc::ptr_eq(&column.data, &split.data));
    check(&split, &Model::from_fn(&[2, 2, 3, 1, 2], |index| (2 * index[0] + index[1]) as i64));
}

#[test]
fn elements_are_seen_under_other_strides() {
    let (ctx, mut random) = (context(), Random::new(53));
    let model = Model::from_fn(&[3, 4], |index| (4 * index[0] + index[1]) as i64);
    let tensor = model.strided(&ctx, Type::I32, &mut random);
    // Overlapping windows, backwards.
    let view = tensor.strided(&[4, 3, 1], &[2, -1, i64::MAX], 3).expect("inside");
    check(&view, &Model::from_fn(&[4, 3, 1], |index| (3 + 2 * index[0] - index[1]) as i64));
    assert!(tensor.strided(&[4], &[4], 0).is_err() && tensor.strided(&[2], &[-1], 0).is_err());
    assert!(tensor.strided(&[2, 2], &[1], 0).is_err() && tensor.strided(&[], &[], 12).is_err());
    assert_eq!(tensor.strided(&[0, usize::MAX], &[5, 7], -9).map(|view| view.len()), Ok(0));
}

/// Large transposes are copied by squares.
#[test]
fn large_tensors_are_transposed() {
    let (ctx, mut random) = (context(), Random::new(47));
    for shape in [vec![190, 300], vec![3, 100, 9, 41], vec![40, 2, 700], vec![9, 8000]] {
        let model = Model::random(&mut random, &shape);
        let tensor = model.tensor(&ctx, Type::F32);
        for _ in 0..4 {
            let (order, axes) = (random.shuffled(shape.len()), random.subset(shape.len()));
            let view = tensor.permute(&order).and_then(|view| view.flip(&axes)).expect("axes");
            let want = model.permute(&order).flip(&axes);
            check(&view.contiguous().expect("not too large"), &want);
            let sum = view.zip_float(&ctx, &view, Type::F32, |a, b| a + b).expect("the same sizes");
            assert!(sum.to_i64s().iter().zip(&want.values).all(|(sum, value)| *sum == 2 * value));
            assert_eq!(with_threads(4, || view.contiguous()), with_threads(1, || view.contiguous()));
        }
    }
}

#[test]
fn wrong_arguments_are_errors() {
    let ctx = context();
    let tensor = Model::from_fn(&[2, 3], |index| index[1] as i64).tensor(&ctx, Type::I32);
    let zero = Datum::Int(0);
    let wrong = [
        tensor.reshape(&[5]),
        tensor.reshape(&[usize::MAX, usize::MAX]),
        tensor.permute(&[0]),
        tensor.permute(&[0, 0]),
        tensor.permute(&[0, 2]),
        tensor.broadcast_to(&[3]),
        tensor.broadcast_to(&[2, 4]),
        tensor.broadcast_to(&[usize::MAX, 2, 3]),
        tensor.broadcast_in_dim(&[3, 2], &[1, 0]),
        tensor.broadcast_in_dim(&[2, 3, 4], &[0]),
        tensor.broadcast_in_dim(&[2, 3], &[0, 2]),
        tensor.shrink(&[(0, 2, 1)]),
        tensor.shrink(&[(0, 2, 0), (0, 3, 1)]),
        tensor.shrink(&[(0, 3, 1), (0, 3, 1)]),
        tensor.shrink(&[(2, 1, 1), (0, 3, 1)]),
        tensor.flip(&[2]),
        tensor.flip(&[1, 1]),
        tensor.pad(&ctx, &[(0, 0)], &zero),
        tensor.pad(&ctx, &[(usize::MAX, 0), (0, 0)], &zero),
        tensor.pad(&ctx, &[(MAX_ELEMENTS, 0), (0, 0)], &zero),
        tensor.pad(&ctx, &[(0, 0), (0, 0)], &0.5.into()),
    ];
    for (number, result) in wrong.into_iter().enumerate() {
        assert!(result.is_err(), "case {number}");
    }
    assert_eq!(tensor.reshape(&[5]), Err("the sizes [2, 3] cannot become [5], a different number of elements".into()));
    // Sizes that no buffer has are harmless where there are no elements.
    let huge = TensorValue::from_i64(&ctx, vec![3, 0, usize::MAX, usize::MAX], Type::I32, vec![]).expect("none");
    let views = [
        huge.permute(&[3, 2, 1, 0]),
        huge.flip(&[0, 2, 3]),
        huge.shrink(&[(1, 3, 2), (0, 0, 5), (7, usize::MAX, 2), (usize::MAX, usize::MAX, 1)]),
        huge.pad(&ctx, &[(9, 0), (0, 0), (0, 0), (0, 0)], &zero),
        huge.broadcast_to(&[2, 3, 0, usize::MAX, usize::MAX]),
        huge.reshape(&[usize::MAX, 0]),
        huge.gather(&ctx, &[&tensor]),
        huge.reduce(&ctx, Combine::Sum, &[2, 3], Type::I32),
        huge.zip_int(&ctx, &huge, Type::I32, |a, b| a + b),
        huge.bitcast(&ctx, Type::F32),
        huge.contiguous(),
    ];
    for (number, view) in views.into_iter().enumerate() {
        assert_eq!(view.map(|view| view.len()), Ok(0), "case {number}");
    }
    assert!(huge.reduce(&ctx, Combine::Sum, &[1], Type::I32).is_err());
    // A step beyond every index.
    let one = tensor.shrink(&[(1, 2, usize::MAX), (0, 3, usize::MAX)]).expect("inside");
    assert_eq!((one.shape(), one.to_i64s()), (&[1, 1][..], vec![0]));
}

#[test]
fn parts_are_gathered() {
    let (ctx, mut random) = (context(), Random::new(11));
    for round in 0..100 {
        let shape: Vec<usize> = (0..1 + random.below(4)).map(|_| 1 + random.below(4)).collect();
        let model = Model::random(&mut random, &shape);
        let indexed = random.below(shape.len() + 1);
        let outer: Vec<usize> = (0..random.below(3)).map(|_| random.below(4)).collect();
        let index_models: Vec<Model> = (0..indexed)
            .map(|axis| {
                let sizes: Vec<usize> = outer.iter().map(|&size| if random.below(4) == 0 { 1 } else { size }).collect();
                // One beyond the axis on both sides now and then.
                Model::from_fn(&sizes, |_| random.below(shape[axis] + 2) as i64 - i64::from(round % 2 == 0))
            })
            .collect();
        let shapes: Vec<&[usize]> = index_models.iter().map(|model| &model.shape[..]).collect();
        let outer = broadcast_shapes(&shapes).expect("they go together");
        let expected = Model::from_fn(&[&outer[..], &shape[indexed..]].concat(), |index| {
            let (out, rest) = index.split_at(outer.len());
            let mut from = vec![];
            for (axis, model) in index_models.iter().enumerate() {
                let at = model.broadcast_at(out);
                if at < 0 || at >= shape[axis] as i64 {
                    return 0;
                }
                from.push(at as usize);
            }
            from.extend(rest);
            model.at(&from)
        });
        let index_tensors: Vec<TensorValue> =
            index_models.iter().map(|model| model.strided(&ctx, Type::I64, &mut random)).collect();
        let tensor = model.strided(&ctx, Type::F32, &mut random);
        let gathered = tensor.gather(&ctx, &index_tensors.iter().collect::<Vec<_>>()).expect("the arguments are right");
        check(&gathered, &expected);
    }
    let tensor = Model::from_fn(&[2, 3], |index| index[1] as i64).tensor(&ctx, Type::I32);
    assert!(tensor.gather(&ctx, &[&tensor, &tensor, &tensor]).is_err());
    assert!(tensor.gather(&ctx, &[&tensor.cast(&ctx, Type::F32).expect("numbers")]).is_err());
    let large = TensorValue::splat(&ctx, vec![1 << 20, 1 << 10], Type::I32, &Datum::Int(0)).expect("an integer");
    assert!(tensor.gather(&ctx, &[&large]).is_err());
}
