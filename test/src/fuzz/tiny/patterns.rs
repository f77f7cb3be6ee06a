//! Several ops at once, as frontends write them: what passes look for hardly comes about by chance.

use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;

use super::make::Generator;

impl Generator<'_> {
    pub(super) fn pattern(&mut self) -> Option<usize> {
        match self.rng.below(5) {
            0 | 1 => self.sum_of_products(),
            2 => self.windows(),
            3 => self.cumulative(),
            _ => self.one_hot(),
        }
    }

    /// A matrix product as it is without a contraction: views, a product, a sum.
    fn sum_of_products(&mut self) -> Option<usize> {
        let [m, n, k] = [(); 3].map(|()| self.random_size());
        let elem = self.random_elem();
        let turned = [self.rng.one_in(2), self.rng.one_in(2)];
        let pair = |turned: bool, a: &SizeExpr, b: &SizeExpr| match turned {
            true => vec![b.clone(), a.clone()],
            false => vec![a.clone(), b.clone()],
        };
        let mut x = self.argument_of(pair(turned[0], &m, &k), elem)?;
        let mut w = self.argument_of(pair(turned[1], &n, &k), elem)?;
        if turned[0] {
            x = self.permute_by(x, &[1, 0])?;
        }
        if turned[1] {
            w = self.permute_by(w, &[1, 0])?;
        }
        x = self.reshape_to(x, vec![m.clone(), 1.into(), k.clone()])?;
        w = self.reshape_to(w, vec![1.into(), n.clone(), k.clone()])?;
        let all = vec![m, n, k];
        let acc = self.accumulator(elem);
        if self.rng.one_in(3) {
            x = self.cast_to(x, acc)?;
            w = self.cast_to(w, acc)?;
        }
        if self.rng.one_in(2) {
            x = self.expand_to(x, all.clone(), &[0, 1, 2])?;
            w = self.expand_to(w, all.clone(), &[0, 1, 2])?;
        }
        let elem = self.elem(x);
        let mut product = self.push("mul {0}, {1}".into(), &[x, w], all.clone(), elem)?;
        if self.rng.one_in(4) {
            product = self.cast_to(product, acc)?;
        }
        let mut axis = 2;
        if self.rng.one_in(4) {
            product = self.permute_by(product, &[2, 0, 1])?;
            axis = 0;
        }
        let acc = if self.elem(product) == elem { acc } else { self.elem(product) };
        self.reduce_over(product, "sum", &[axis], acc)
    }

    /// All windows of a size on an axis, by repeating it one element too long, which is how tinygrad makes them.
    fn slide(&mut self, input: usize, size: i64) -> Option<usize> {
        let length = self.dims(input).first().filter(|_| self.dims(input).len() == 1)?.as_constant()?;
        let positions = length - size + 1;
        if size < 1 || positions < 1 {
            return None;
        }
        let repeats = (size * (length + 1) + length - 1) / length;
        let sizes = |sizes: &[i64]| sizes.iter().map(|&size| SizeExpr::from(size)).collect::<Vec<_>>();
        let row = self.reshape_to(input, sizes(&[1, length]))?;
        let many = self.expand_to(row, sizes(&[repeats, length]), &[0, 1])?;
        let flat = self.reshape_to(many, sizes(&[repeats * length]))?;
        let cut = self.shrink_to(flat, &sizes(&[0]), &sizes(&[size * (length + 1)]), &[1])?;
        let rows = self.reshape_to(cut, sizes(&[size, length + 1]))?;
        let windows = self.shrink_to(rows, &sizes(&[0, 0]), &sizes(&[size, positions]), &[1, 1])?;
        self.permute_by(windows, &[1, 0])
    }

    /// A convolution or a pooling on one axis.
    fn windows(&mut self) -> Option<usize> {
        let (length, size) = (2 + self.rng.below(5) as i64, 1 + self.rng.below(3) as i64);
        let elem = self.random_elem();
        let x = self.argument_of(vec![length.into()], elem)?;
        let x = match self.rng.one_in(2) {
            true => self.pad_by(x, &[1.into()], &[1.into()], "")?,
            false => x,
        };
        let windows = self.slide(x, size)?;
        let acc = self.accumulator(elem);
        if self.rng.one_in(3) {
            let combiner = self.rng.one_of(&["max", "sum", "min"]);
            return self.reduce_over(windows, combiner, &[1], acc);
        }
        let w = self.argument_of(vec![size.into()], elem)?;
        let product = self.push("mul {0}, {1}".into(), &[windows, w], self.dims(windows), elem)?;
        self.reduce_over(product, "sum", &[1], acc)
    }

    /// Counts by sums of ones: positions, and cumulative sums.
    fn cumulative(&mut self) -> Option<usize> {
        let length = 1 + self.rng.below(6) as i64;
        let elem = [Type::I32, Type::F32, Type::I64, Type::F16][self.rng.below(4)];
        let sizes = vec![SizeExpr::from(length)];
        let ones = match self.rng.one_in(4) {
            true => self.argument_of(sizes, elem)?,
            false => {
                let one = if elem.float_kind(self.ctx).is_some() { "1.0" } else { "1" };
                self.push(format!("const {one}"), &[], sizes, elem)?
            }
        };
        let (before, following) = if self.rng.one_in(4) { (0, length - 1) } else { (length - 1, 0) };
        let padded = self.pad_by(ones, &[before.into()], &[following.into()], "")?;
        let windows = self.slide(padded, length)?;
        let count = self.reduce_over(windows, "sum", &[1], elem)?;
        if self.rng.one_in(2) {
            return Some(count);
        }
        // Minus one, so that it begins at zero.
        let one = if elem.float_kind(self.ctx).is_some() { "-1.0" } else { "-1" };
        let text = if elem.is_unsigned(self.ctx) { "const 1".into() } else { format!("const {one}") };
        let less = self.push(text, &[], vec![], elem)?;
        self.push("add {0}, {1}".into(), &[count, less], self.dims(count), elem)
    }

    /// Rows of a table, by comparing their numbers with all positions.
    fn one_hot(&mut self) -> Option<usize> {
        let [rows, columns, ids] = [(); 3].map(|()| self.random_size());
        let elem = self.random_elem();
        let table = self.argument_of(vec![rows.clone(), columns.clone()], elem)?;
        let chosen = self.argument_of(vec![ids.clone()], Type::I32)?;
        let chosen = self.reshape_to(chosen, vec![ids.clone(), 1.into()])?;
        let dims = vec![ids.clone(), rows.clone()];
        let positions = self.push("range 1".into(), &[], vec![1.into(), rows.clone()], Type::I32)?;
        let equal = self.push("cmp eq {0}, {1}".into(), &[chosen, positions], dims, Type::I1)?;
        let table = self.reshape_to(table, vec![1.into(), rows.clone(), columns.clone()])?;
        let all = vec![ids.clone(), rows.clone(), columns];
        let equal = self.reshape_to(equal, vec![ids, rows, 1.into()])?;
        let product = match self.rng.one_in(2) {
            true => {
                let equal = self.cast_to(equal, elem)?;
                self.push("mul {0}, {1}".into(), &[equal, table], all, elem)?
            }
            false => {
                let zero = if elem.float_kind(self.ctx).is_some() { "0.0" } else { "0" };
                let zero = self.push(format!("const {zero}"), &[], vec![], elem)?;
                self.push("where {0}, {1}, {2}".into(), &[equal, table, zero], all, elem)?
            }
        };
        let acc = self.accumulator(elem);
        self.reduce_over(product, "sum", &[1], acc)
    }
}
