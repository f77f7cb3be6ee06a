//! Layouts against brute force and against the tables of the instruction set.

mod access;
mod convert;
mod descriptor;
mod distributed;
mod fragments;
mod ldmatrix;
mod linear;
mod shared;
mod syntax;

use dlc_ir::random::Random;

use super::{Distributed, Fragment, LANES, Shared, SharedTile};

/// Numbers as layouts have them.
trait Draw {
    /// A number below an end.
    fn index(&mut self, end: u32) -> u32;
}

impl Draw for Random {
    fn index(&mut self, end: u32) -> u32 {
        self.below(end as usize) as u32
    }
}

fn layout(text: &str) -> Distributed {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn place(text: &str, shape: &[u32], elem_bits: u32, warps: u32) -> Fragment {
    layout(text).place(shape, elem_bits, warps).unwrap_or_else(|error| panic!("{text} of {shape:?}: {error}"))
}

fn tile(text: &str, shape: &[u32], elem_bits: u32) -> SharedTile {
    let layout: Shared = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    layout.place(shape, elem_bits).unwrap_or_else(|error| panic!("{text} of {shape:?}: {error}"))
}

/// All coordinates of a shape, in row-major order.
fn points(shape: &[u32]) -> Vec<Vec<u32>> {
    shape.iter().fold(vec![Vec::new()], |points, &size| {
        let with = |point: &Vec<u32>| (0..size).map(|at| [point.as_slice(), &[at]].concat()).collect::<Vec<_>>();
        points.iter().flat_map(with).collect()
    })
}

/// Each register of each thread, as (register, lane, warp).
fn registers(fragment: &Fragment) -> impl Iterator<Item = (u32, u32, u32)> + use<> {
    let (registers, warps) = (fragment.registers(), fragment.warps());
    (0..warps).flat_map(move |w| (0..LANES).flat_map(move |l| (0..registers).map(move |r| (r, l, w))))
}

#[test]
fn positions_far_beyond_a_tile_wrap_around() {
    for layout in [Shared::RowMajor { pitch: None }, Shared::ColMajor { pitch: None }, Shared::of_span(128)] {
        let tile = layout.place(&[64, 64], 32).expect("a tile");
        assert_eq!(tile.offset(&[1 << 30, 1 << 30]), 0);
    }
}
