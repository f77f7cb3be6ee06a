//! Layouts: what is said in symbols and what is counted in numbers is the same.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{Attr, Context};

use crate::layout::Layout;
use crate::placement::Placement;

fn number(expr: &SizeExpr) -> Result<i64, String> {
    expr.as_constant().ok_or_else(|| format!("{expr} is no number"))
}

fn layouts(rank: usize) -> Vec<Layout> {
    let strided = |strides: &[i64], offset: i64| Layout::Strided {
        strides: strides.iter().map(|&stride| SizeExpr::from(stride)).collect(),
        offset: SizeExpr::from(offset),
    };
    let mut all = vec![Layout::RowMajor, Layout::ColMajor];
    for bytes in [32, 64, 128] {
        all.extend([4, 8, 16, 32].map(|vector| Layout::Swizzled { bytes, vector }));
    }
    match rank {
        1 => all.extend([strided(&[3], 2), strided(&[-1], 40), Layout::Blocked { block: vec![8] }]),
        2 => all.extend([strided(&[40, 1], 0), strided(&[1, 70], 5), Layout::Blocked { block: vec![4, 16] }]),
        _ => all.extend([strided(&[1, 99, 7], 1), Layout::Blocked { block: vec![2, 1, 8] }]),
    }
    all
}

#[test]
fn symbols_and_numbers_agree() {
    for shape in [vec![37], vec![19, 24], vec![5, 3, 11], vec![64, 8], vec![1, 1]] {
        let dims: Vec<SizeExpr> = shape.iter().map(|&size| SizeExpr::from(size as i64)).collect();
        for layout in layouts(shape.len()) {
            let placement = Placement::new(&layout, shape.clone(), 4, &number).expect("it has a place");
            let extent = layout.extent(&dims, 4).expect("it is small");
            assert_eq!(extent.as_constant(), Some(placement.extent() as i64), "{layout:?} of {shape:?}");
            let (mut seen, mut index) = (vec![false; placement.extent()], vec![0; shape.len()]);
            placement.each(&mut |place| {
                assert!(!std::mem::replace(&mut seen[place], true), "{layout:?} of {shape:?}: {place} is taken twice");
                let at: Vec<SizeExpr> = index.iter().map(|&at: &usize| SizeExpr::from(at as i64)).collect();
                let linear = layout.linear(&dims, 4, &at).expect("it is small");
                let terms = linear.at.iter().zip(&linear.strides).map(|(at, stride)| at.mul(stride).expect("small"));
                let sum = terms.fold(linear.offset, |sum, term| sum.add(&term).expect("small"));
                assert_eq!(sum.as_constant(), Some(place as i64), "{layout:?} of {shape:?} at {index:?}");
                for (at, &size) in index.iter_mut().zip(&shape).rev() {
                    *at = (*at + 1) % size;
                    if *at > 0 {
                        break;
                    }
                }
            });
            let dense: Vec<u8> = (0..4 * shape.iter().product::<usize>()).map(|byte| byte as u8).collect();
            let memory = placement.spread(&dense, 4, 0xee);
            assert_eq!(placement.gather(&memory, 4), dense, "{layout:?} of {shape:?}");
            assert!(seen.iter().zip(memory.chunks(4)).all(|(&seen, bytes)| seen || bytes == [0xee; 4]));
        }
    }
}

#[test]
fn a_swizzle_is_that_of_the_hardware() {
    // 16-byte units of a row of 128 bytes: unit u of row r lies at u xor r.
    let layout = Layout::Swizzled { bytes: 128, vector: 16 };
    let placement = Placement::new(&layout, vec![16, 64], 2, &number).expect("it has a place");
    for (row, unit) in [(0, 3), (1, 0), (5, 6), (9, 1), (15, 7)] {
        assert_eq!(placement.place(&[row, unit * 8]), row * 64 + (unit ^ (row % 8)) * 8);
    }
}

#[test]
fn what_has_no_place_is_told() {
    let backwards = Layout::Strided { strides: vec![SizeExpr::from(-2)], offset: SizeExpr::from(3) };
    let error = |layout: &Layout, shape: Vec<usize>| Placement::new(layout, shape, 4, &number).expect_err("no place");
    assert_eq!(error(&backwards, vec![4]), "an element would lie 3 elements before the first one");
    assert!(Placement::new(&backwards, vec![2], 4, &number).is_ok());
    assert!(Placement::new(&backwards, vec![0], 4, &number).is_ok());
    assert!(error(&Layout::RowMajor, vec![1 << 40, 1 << 40]).contains("beyond 2^62 elements"));
}

#[test]
fn signatures_say_layouts() {
    let ctx = &Context::new([&crate::DIALECT]);
    let dict = |entries: &[(&str, Attr)]| {
        let entries: Vec<_> = entries.iter().map(|&(key, value)| (ctx.intern_str(key), value)).collect();
        ctx.dict_attr(&entries)
    };
    let said = |kind: &str, params: &[(&str, Attr)]| {
        let attr = dict(&[("kind", ctx.str_attr(kind)), ("params", dict(params))]);
        Layout::said(ctx, attr, &[SizeExpr::from(6), SizeExpr::from(8)])
    };
    let strided = |strides: [i64; 2]| Layout::Strided {
        strides: strides.map(SizeExpr::from).to_vec(),
        offset: SizeExpr::from(0),
    };
    assert_eq!(said("row_major", &[("pitch", ctx.i64_attr(12))]), Ok(strided([12, 1])));
    assert_eq!(said("col_major", &[("pitch", ctx.i64_attr(12))]), Ok(strided([1, 12])));
    assert_eq!(said("swizzled", &[]), Ok(Layout::Swizzled { bytes: 128, vector: 16 }));
    let pair = ctx.array_attr(&[ctx.i64_attr(2), ctx.i64_attr(4)]);
    assert_eq!(said("blocked", &[("block", pair)]), Ok(Layout::Blocked { block: vec![2, 4] }));
    assert_eq!(said("strided", &[("strides", pair)]), Ok(strided([2, 4])));
    for (kind, params, why) in [
        ("row_major", &[("pitch", ctx.i64_attr(7))][..], "a pitch of 7 is too small for 8 elements"),
        ("strided", &[], "needs the parameter 'strides'"),
        ("strided", &[("strides", ctx.i64_attr(7))], "0 strides are given for 2 sizes"),
        (
            "blocked",
            &[("block", ctx.array_attr(&[ctx.i64_attr(0), ctx.i64_attr(4)]))],
            "the sizes of a block are positive",
        ),
        ("swizzled", &[("swizzle", ctx.str_attr("xor16"))], "'swizzle' is \"xor32\", \"xor64\" or \"xor128\""),
        ("diagonal", &[], "a layout is one of"),
        ("col_major", &[("pad", ctx.i64_attr(7))], "has no parameter 'pad'; its parameters are pitch"),
    ] {
        let error = said(kind, params).expect_err(why);
        assert!(error.contains(why), "{error}");
    }
}
