//! Views of values that a program has, by chance or as a pattern wants them.

use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;

use super::super::{elem_name, list};
use super::Generator;

impl Generator<'_> {
    /// Axes joined, split, put in or taken out.
    pub(super) fn reshape(&mut self) -> Option<usize> {
        let input = self.pick();
        let mut dims = self.dims(input);
        for _ in 0..1 + self.rng.below(3) {
            let axis = self.rng.below(dims.len());
            match self.rng.below(4) {
                0 => dims.insert(self.rng.below(dims.len() + 1), 1.into()),
                1 if dims.len() > axis + 1 => {
                    let joined = dims[axis].mul(&dims[axis + 1]).ok()?;
                    dims.splice(axis..axis + 2, [joined]);
                }
                2 if !dims.is_empty() && dims[axis].as_constant() == Some(1) => drop(dims.remove(axis)),
                3 if !dims.is_empty() => {
                    let by = SizeExpr::from([2, 3][self.rng.below(2)]);
                    if let Some(rest) = dims[axis].try_div(&by) {
                        let parts = if self.rng.one_in(2) { [rest, by] } else { [by, rest] };
                        dims.splice(axis..axis + 1, parts);
                    }
                }
                _ => {}
            }
        }
        self.reshape_to(input, dims)
    }

    pub(in crate::fuzz::tiny) fn reshape_to(&mut self, input: usize, dims: Vec<SizeExpr>) -> Option<usize> {
        self.push(format!("reshape {{0}} to {}", list(&dims)), &[input], dims, self.elem(input))
    }

    pub(super) fn permute(&mut self) -> Option<usize> {
        let input = self.pick();
        let mut order: Vec<usize> = (0..self.dims(input).len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, self.rng.below(at + 1));
        }
        self.permute_by(input, &order)
    }

    pub(in crate::fuzz::tiny) fn permute_by(&mut self, input: usize, order: &[usize]) -> Option<usize> {
        let dims = self.dims(input);
        let dims = order.iter().map(|&axis| dims[axis].clone()).collect();
        self.push(format!("permute {{0}} by {order:?}"), &[input], dims, self.elem(input))
    }

    pub(super) fn expand(&mut self) -> Option<usize> {
        let input = self.pick();
        let (mut dims, mut places) = (vec![], vec![]);
        for dim in self.dims(input) {
            while self.rng.one_in(6) {
                dims.push(self.random_size());
            }
            places.push(dims.len());
            let widens = dim.as_constant() == Some(1) && !self.rng.one_in(3);
            dims.push(if widens { self.random_size() } else { dim });
        }
        if self.rng.one_in(6) {
            dims.push(self.random_size());
        }
        self.expand_to(input, dims, &places)
    }

    pub(in crate::fuzz::tiny) fn expand_to(
        &mut self,
        input: usize,
        dims: Vec<SizeExpr>,
        places: &[usize],
    ) -> Option<usize> {
        let own = if places.len() == dims.len() { String::new() } else { format!(" dims {places:?}") };
        self.push(format!("expand {{0}} to {}{own}", list(&dims)), &[input], dims, self.elem(input))
    }

    pub(super) fn pad(&mut self) -> Option<usize> {
        let input = self.pick();
        let amount = |maker: &mut Self| match maker.rng.below(5) {
            0..=2 => SizeExpr::from(0),
            3 => SizeExpr::from(maker.rng.below(3) as i64),
            _ => maker.random_size(),
        };
        let low: Vec<SizeExpr> = self.dims(input).iter().map(|_| amount(self)).collect();
        let high: Vec<SizeExpr> = self.dims(input).iter().map(|_| amount(self)).collect();
        let elem = self.elem(input);
        let value = match (self.is_float(elem), elem) {
            _ if self.rng.one_in(2) => String::new(),
            (true, _) => format!(" value {} : {}", ["1.0", "-0.5", "0.0"][self.rng.below(3)], elem_name(elem)),
            (false, Type::I1) => " value true".into(),
            (false, _) => format!(" value {} : {}", self.rng.below(4), elem_name(elem)),
        };
        self.pad_by(input, &low, &high, &value)
    }

    pub(in crate::fuzz::tiny) fn pad_by(
        &mut self,
        input: usize,
        low: &[SizeExpr],
        high: &[SizeExpr],
        value: &str,
    ) -> Option<usize> {
        let grown = self.dims(input).into_iter().zip(low.iter().zip(high));
        let dims = grown.map(|(dim, (low, high))| dim.add(low).ok()?.add(high).ok()).collect::<Option<Vec<_>>>()?;
        let text = format!("pad {{0}} low {} high {}{value}", list(low), list(high));
        self.push(text, &[input], dims, self.elem(input))
    }

    pub(super) fn shrink(&mut self) -> Option<usize> {
        let input = self.pick();
        let (mut from, mut to, mut step) = (vec![], vec![], vec![]);
        for dim in self.dims(input) {
            let size = self.size(&dim).max(0) as usize;
            let start = if self.rng.one_in(2) { 0 } else { self.rng.below(size + 1) };
            let stop = start + self.rng.below(size - start + 1);
            let end = dim.as_constant().is_none() || self.rng.one_in(2);
            from.push(SizeExpr::from(start as i64));
            to.push(if end { dim } else { SizeExpr::from(stop as i64) });
            step.push(if self.rng.one_in(4) { 2 + self.rng.below(2) as i64 } else { 1 });
        }
        self.shrink_to(input, &from, &to, &step)
    }

    pub(in crate::fuzz::tiny) fn shrink_to(
        &mut self,
        input: usize,
        from: &[SizeExpr],
        to: &[SizeExpr],
        step: &[i64],
    ) -> Option<usize> {
        let each = from.iter().zip(to).zip(step);
        let length = |((from, to), step): ((&SizeExpr, &SizeExpr), &i64)| {
            to.sub(from).ok()?.ceildiv(&SizeExpr::from(*step)).ok()
        };
        let dims = each.map(length).collect::<Option<Vec<_>>>()?;
        let steps = if step.iter().all(|&step| step == 1) { String::new() } else { format!(" step {step:?}") };
        let text = format!("shrink {{0}} from {} to {}{steps}", list(from), list(to));
        self.push(text, &[input], dims, self.elem(input))
    }

    pub(super) fn some_axes(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|_| self.rng.one_in(2)).collect()
    }

    pub(super) fn flip(&mut self) -> Option<usize> {
        let input = self.pick();
        let axes = self.some_axes(self.dims(input).len());
        self.push(format!("flip {{0}} over {axes:?}"), &[input], self.dims(input), self.elem(input))
    }

    /// Strides over the elements in row-major order, within what is there.
    pub(super) fn view(&mut self) -> Option<usize> {
        let input = self.pick();
        if self.rng.one_in(6) {
            return self.push("view {0}".into(), &[input], self.dims(input), self.elem(input));
        }
        let count: i64 = self.dims(input).iter().map(|dim| self.size(dim)).product();
        let (mut left, mut start) = (count - 1, 0);
        let (mut dims, mut strides) = (vec![], vec![]);
        for _ in 0..self.rng.below(4) {
            let size = 1 + self.rng.below(4) as i64;
            let most = if size > 1 { left.max(0) / (size - 1) } else { 3 };
            let stride = self.rng.below(most.min(7) as usize + 1) as i64;
            left -= stride * (size - 1);
            let backwards = self.rng.one_in(4);
            start += if backwards { stride * (size - 1) } else { 0 };
            dims.push(SizeExpr::from(size));
            strides.push(if backwards { -stride } else { stride });
        }
        if count < 1 || left < 0 {
            return None;
        }
        start += self.rng.below(left as usize + 1) as i64;
        let text = format!("view {{0}} as {} strides {strides:?} start [{start}]", list(&dims));
        self.push(text, &[input], dims, self.elem(input))
    }

    /// Affine indices, within what is there.
    pub(super) fn load(&mut self) -> Option<usize> {
        let input = self.pick();
        let dims = self.random_dims();
        let mut at = vec![];
        for dim in self.dims(input) {
            let size = self.size(&dim);
            if size < 1 {
                return None;
            }
            let axis = self.rng.below(dims.len());
            let reach = if dims.is_empty() { 0 } else { self.size(&dims[axis]) };
            at.push(match self.rng.below(4) {
                0 if !dims.is_empty() && reach <= size => format!("i{axis}"),
                1 if !dims.is_empty() && reach <= size => format!("-i{axis} + {}", size - 1),
                2 if !dims.is_empty() && reach <= 2 * size => format!("i{axis} floordiv 2"),
                3 if !dims.is_empty() => format!("(i{axis} + {}) mod {size}", self.rng.below(3)),
                _ => self.rng.below(size as usize).to_string(),
            });
        }
        self.push(format!("load {{0}} at [{}]", at.join(", ")), &[input], dims, self.elem(input))
    }

    pub(super) fn store(&mut self) -> Option<usize> {
        let target = self.pick();
        let (dims, elem) = (self.dims(target), self.elem(target));
        let fits = |maker: &Self, value: usize| {
            let own = maker.dims(value);
            let inside = own.iter().zip(&dims).all(|(own, dim)| maker.size(own) <= maker.size(dim));
            maker.elem(value) == elem && own.len() == dims.len() && inside
        };
        let value = self.pick_where(fits)?;
        let own = self.dims(value);
        let from: Vec<SizeExpr> = own
            .iter()
            .zip(&dims)
            .map(|(own, dim)| {
                // What is not known to fit while types are checked is left out.
                let room = if own.as_constant().is_some() { self.size(dim) - self.size(own) } else { 0 };
                SizeExpr::from(self.rng.below(room.max(0) as usize + 1) as i64)
            })
            .collect();
        self.push(format!("store {{0}} into {{1}} from {}", list(&from)), &[value, target], dims, elem)
    }
}
