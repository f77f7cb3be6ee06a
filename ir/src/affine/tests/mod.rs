//! Tests of the affine arithmetic: tables of expected texts, and enumeration over small boxes with seeded random
//! expressions. Nothing here depends on time or on an outside program, except `mlir`, which compares with `mlir-opt`.

mod canonical;
mod domain;
mod expr;
mod map_and_set;
mod mlir;
mod parse;
mod simplify;
mod size;

use super::{AffineExpr, BinaryOp, Interval};
use crate::random::Random;

impl Random {
    /// Over `d0..d2` and `s0, s1`, by the constructors; what they refuse is drawn again.
    fn expr(&mut self, depth: u32) -> AffineExpr {
        if depth == 0 {
            return match self.within(0, 6) {
                0..=3 => AffineExpr::Dim(self.within(0, 2) as u32),
                4 => AffineExpr::Symbol(self.within(0, 1) as u32),
                _ => AffineExpr::Constant(self.within(-8, 12)),
            };
        }
        loop {
            let ops =
                [BinaryOp::Add, BinaryOp::Add, BinaryOp::Mul, BinaryOp::FloorDiv, BinaryOp::CeilDiv, BinaryOp::Mod];
            let op = self.one_of(&ops);
            let left_depth = self.within(0, i64::from(depth) - 1) as u32;
            let lhs = self.expr(depth - 1);
            let rhs = match op {
                BinaryOp::Add => self.expr(left_depth),
                _ if self.within(0, 9) > 0 => AffineExpr::Constant(self.one_of(&[-3, -1, 2, 2, 3, 4, 4, 5, 6, 8, 12])),
                _ => self.expr(left_depth),
            };
            if let Ok(expr) = AffineExpr::binary(op, &lhs, &rhs) {
                return expr;
            }
        }
    }
}

/// All points of a box.
fn points(intervals: &[Interval]) -> Vec<Vec<i64>> {
    intervals.iter().fold(vec![Vec::new()], |points, interval| {
        let values = interval.lo().expect("bounded")..=interval.hi().expect("bounded");
        let extended =
            |point: &Vec<i64>| values.clone().map(|value| [&point[..], &[value]].concat()).collect::<Vec<_>>();
        points.iter().flat_map(extended).collect()
    })
}

/// Reads an expression over `d0..d3` and `s0..s3`.
fn expr(text: &str) -> AffineExpr {
    super::parse_expr(text, &["d0", "d1", "d2", "d3"], &["s0", "s1", "s2", "s3"])
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}
