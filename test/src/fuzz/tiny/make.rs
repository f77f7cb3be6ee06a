//! Makes programs: one op after the other, on values that it can have.

mod views;

use dlc_core::broadcast::{broadcast, promote};
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Context, Type};
use dlc_tiny::shape::loops;

use super::{ELEMS, From, Program, Style, Value, elem_name, list};
use dlc_ir::random::Random;

/// The most elements of a value when the program runs.
const MOST: i64 = 256;
/// The most products of a contraction.
const MOST_PRODUCTS: i64 = 4096;

/// A random program.
pub fn program(ctx: &Context, rng: &mut Random, style: Style) -> Program {
    let symbols = ["A", "B", "C"].into_iter().take(rng.below(4)).map(|name| (name, [0, 1, 2, 3, 4, 5][rng.below(6)]));
    let program = Program {
        symbols: symbols.collect(),
        values: vec![],
        results: vec![],
        whole: rng.one_in(4),
        seed: rng.bits(),
        wild: style == Style::Any && rng.one_in(4),
    };
    let mut maker = Generator { ctx, rng, style, program };
    for _ in 0..1 + maker.rng.below(3) {
        maker.argument();
    }
    // Arguments may have been too large.
    let elem = maker.random_elem();
    maker.splat(vec![], elem);
    let ops = 1 + maker.rng.below(14);
    // Not every attempt succeeds.
    for _ in 0..10 * ops {
        if maker.program.values.len() > ops + 3 {
            break;
        }
        if maker.rng.one_in(8) {
            maker.pattern();
        } else {
            maker.op();
        }
    }
    let mut program = maker.program;
    let last = program.values.len() - 1;
    program.results.push(last);
    if rng.one_in(3) {
        program.results.push(rng.below(last + 1));
    }
    program
}

/// A program that grows.
pub(super) struct Generator<'a> {
    pub(super) ctx: &'a Context,
    pub(super) rng: &'a mut Random,
    style: Style,
    pub(super) program: Program,
}

impl Generator<'_> {
    pub(super) fn dims(&self, value: usize) -> Vec<SizeExpr> {
        self.program.values[value].dims.clone()
    }

    pub(super) fn elem(&self, value: usize) -> Type {
        self.program.values[value].elem
    }

    fn is_float(&self, elem: Type) -> bool {
        elem.float_kind(self.ctx).is_some()
    }

    /// How large a size is when the program runs.
    pub(super) fn size(&self, dim: &SizeExpr) -> i64 {
        self.program.size(dim).unwrap_or(-1)
    }

    /// Whether a tensor of these sizes exists and is small.
    fn fits(&self, dims: &[SizeExpr]) -> bool {
        let sizes: Vec<i64> = dims.iter().map(|dim| self.size(dim)).collect();
        let product = sizes.iter().try_fold(1i64, |product, &size| product.checked_mul(size.max(1)));
        sizes.iter().all(|&size| size >= 0) && product.is_some_and(|count| count <= MOST) && dims.len() <= 8
    }

    /// Adds a value; `None` if it would be too large.
    pub(super) fn add(&mut self, from: From, dims: Vec<SizeExpr>, elem: Type) -> Option<usize> {
        // Sizes that grow without end tell nothing new.
        let short = dims.iter().all(|dim| dim.to_string().len() < 60);
        if !short || !self.fits(&dims) {
            return None;
        }
        self.program.values.push(Value { from, dims, elem });
        Some(self.program.values.len() - 1)
    }

    pub(super) fn push(&mut self, text: String, operands: &[usize], dims: Vec<SizeExpr>, elem: Type) -> Option<usize> {
        self.add(From::Op { text, operands: operands.to_vec() }, dims, elem)
    }

    /// One of the values, the last ones more often.
    fn pick(&mut self) -> usize {
        let count = self.program.values.len();
        if self.rng.one_in(2) { count - 1 - self.rng.below(count.min(3)) } else { self.rng.below(count) }
    }

    fn pick_where(&mut self, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.program.values.len()).filter(|&value| fits(self, value)).collect();
        self.rng.pick(&fitting).copied()
    }

    pub(super) fn random_elem(&mut self) -> Type {
        if self.style == Style::Smooth {
            return [Type::F32, Type::F32, Type::F16, Type::BF16, Type::F64][self.rng.below(5)];
        }
        match self.rng.below(8) {
            0..=2 => Type::F32,
            3 => Type::F16,
            4 => Type::I32,
            _ => ELEMS[self.rng.below(ELEMS.len())].0,
        }
    }

    /// A size: most often a small number or a symbol.
    pub(super) fn random_size(&mut self) -> SizeExpr {
        let symbols: Vec<_> = self.program.symbols.iter().map(|(name, _)| *name).collect();
        let Some(&symbol) = self.rng.pick(&symbols).filter(|_| self.rng.one_in(2)) else {
            return SizeExpr::from([0, 1, 1, 2, 2, 3, 3, 4, 5, 6][self.rng.below(10)]);
        };
        let symbol = SizeExpr::symbol(symbol).expect("a name");
        match self.rng.below(6) {
            0 => symbol.add(&1.into()).unwrap_or(symbol),
            1 => symbol.mul(&2.into()).unwrap_or(symbol),
            _ => symbol,
        }
    }

    fn random_dims(&mut self) -> Vec<SizeExpr> {
        let rank = [0, 1, 1, 2, 2, 2, 3, 3, 4][self.rng.below(9)];
        (0..rank).map(|_| self.random_size()).collect()
    }

    /// An argument of the function.
    pub(super) fn argument(&mut self) -> Option<usize> {
        let (dims, elem) = (self.random_dims(), self.random_elem());
        self.add(From::Argument, dims, elem)
    }

    pub(super) fn argument_of(&mut self, dims: Vec<SizeExpr>, elem: Type) -> Option<usize> {
        self.add(From::Argument, dims, elem)
    }

    /// One number everywhere.
    pub(super) fn splat(&mut self, dims: Vec<SizeExpr>, elem: Type) -> Option<usize> {
        let text = match (self.is_float(elem), elem) {
            (true, _) => ["0.0", "1.0", "-1.0", "0.5", "-0.0", "2.0", "-3.25"][self.rng.below(7)],
            (false, Type::I1) => ["0", "1"][self.rng.below(2)],
            (false, _) => ["0", "1", "2", "3", "7"][self.rng.below(5)],
        };
        self.push(format!("const {text}"), &[], dims, elem)
    }

    /// An op that is there already, once more.
    fn again(&mut self) -> Option<usize> {
        let place = self.pick();
        let Value { from, dims, elem } = self.program.values[place].clone();
        self.add(from, dims, elem)
    }

    fn op(&mut self) -> Option<usize> {
        match self.rng.below(34) {
            0 | 1 => self.reshape(),
            2 | 3 => self.permute(),
            4 | 5 => self.expand(),
            6 | 7 => self.pad(),
            8 | 9 => self.shrink(),
            10 => self.flip(),
            11 => self.view(),
            12 => self.load(),
            13 => self.store(),
            14..=16 => self.unary(),
            17..=19 => self.binary(),
            20 => self.mulacc(),
            21 => self.cmp(),
            22 => self.where_(),
            23 => self.cast(),
            24 => self.bitcast(),
            25 | 26 => self.reduce(),
            27 => self.contract(),
            28 => self.position(),
            29 => self.index(),
            30 => self.if_(),
            31 => self.again(),
            32 if self.rng.one_in(2) => self.recurrence(),
            32 => self.scan(),
            _ => self.constant(),
        }
    }

    fn unary(&mut self) -> Option<usize> {
        let input = self.pick();
        let elem = self.elem(input);
        let smooth = self.style == Style::Smooth;
        let name = match smooth {
            true => self.rng.one_of(&["neg", "relu"]),
            false => self.rng.one_of(&["neg", "relu", "trunc", "recip", "sqrt", "exp2", "log2", "sin", "neg", "relu"]),
        };
        let float = !matches!(name, "neg" | "relu" | "trunc");
        let elem = if float && !self.is_float(elem) { Type::F32 } else { elem };
        self.push(format!("{name} {{0}}"), &[input], self.dims(input), elem)
    }

    /// Another value that goes together with one, or a new constant.
    fn partner(&mut self, of: usize, admits: impl Fn(&Self, Type) -> bool) -> Option<usize> {
        let dims = self.dims(of);
        let fits = |maker: &Self, value: usize| {
            let together = broadcast(&dims, &maker.dims(value)).is_ok_and(|dims| maker.fits(&dims));
            together && admits(maker, maker.elem(value))
        };
        if !self.rng.one_in(4) {
            return self.pick_where(fits);
        }
        // Some of the last axes, some of them 1.
        let first = self.rng.below(dims.len() + 1);
        let dims = dims[first..].iter().map(|dim| if self.rng.one_in(4) { 1.into() } else { dim.clone() }).collect();
        self.splat(dims, self.elem(of))
    }

    /// The sizes and the type of two operands together.
    fn together(&self, a: usize, b: usize) -> Option<(Vec<SizeExpr>, Type)> {
        let dims = broadcast(&self.dims(a), &self.dims(b)).ok()?;
        Some((dims, promote(self.ctx, self.elem(a), self.elem(b)).ok()?))
    }

    fn binary(&mut self) -> Option<usize> {
        let a = self.pick();
        let b = self.partner(a, |_, _| true)?;
        let (a, b) = if self.rng.one_in(2) { (a, b) } else { (b, a) };
        self.binary_of(a, b)
    }

    fn binary_of(&mut self, a: usize, b: usize) -> Option<usize> {
        let (dims, elem) = self.together(a, b)?;
        let integers = !self.is_float(elem);
        let names: &[&str] = match (self.style, integers) {
            (Style::Smooth, _) => &["add", "sub", "mul", "max", "min"],
            (Style::Any, false) => &["add", "add", "sub", "mul", "mul", "max", "min", "fdiv", "pow"],
            (Style::Any, true) => &[
                "add", "sub", "mul", "max", "min", "fdiv", "pow", "cdiv", "cmod", "floordiv", "floormod", "and", "or",
                "xor", "shl", "shr",
            ],
        };
        let name = names[self.rng.below(names.len())];
        let elem = match name {
            "fdiv" if integers => Type::F32,
            // Two integers may meet in a float.
            "shl" | "shr" => self.elem(a),
            _ => elem,
        };
        self.push(format!("{name} {{0}}, {{1}}"), &[a, b], dims, elem)
    }

    fn mulacc(&mut self) -> Option<usize> {
        let a = self.pick();
        let b = self.partner(a, |_, _| true)?;
        let c = self.partner(a, |_, _| true)?;
        let (dims, elem) = self.together(a, b)?;
        let dims = broadcast(&dims, &self.dims(c)).ok()?;
        let elem = promote(self.ctx, elem, self.elem(c)).ok()?;
        self.push("mulacc {0}, {1}, {2}".into(), &[a, b, c], dims, elem)
    }

    fn cmp(&mut self) -> Option<usize> {
        let a = self.pick();
        let b = self.partner(a, |_, _| true)?;
        if self.style == Style::Smooth && (self.is_float(self.elem(a)) || self.is_float(self.elem(b))) {
            return None;
        }
        let (dims, _) = self.together(a, b)?;
        let predicate = self.rng.one_of(&["eq", "ne", "lt", "le", "gt", "ge"]);
        self.push(format!("cmp {predicate} {{0}}, {{1}}"), &[a, b], dims, Type::I1)
    }

    fn where_(&mut self) -> Option<usize> {
        let condition = self.pick_where(|maker, value| maker.elem(value) == Type::I1)?;
        let dims = self.dims(condition);
        let fits = |maker: &Self, value: usize| broadcast(&dims, &maker.dims(value)).is_ok();
        let then = self.pick_where(fits)?;
        let otherwise = self.partner(then, |_, _| true)?;
        let (both, elem) = self.together(then, otherwise)?;
        let dims = broadcast(&dims, &both).ok()?;
        self.push("where {0}, {1}, {2}".into(), &[condition, then, otherwise], dims, elem)
    }

    fn cast(&mut self) -> Option<usize> {
        let input = self.pick();
        let elem = self.random_elem();
        self.cast_to(input, elem)
    }

    pub(super) fn cast_to(&mut self, input: usize, elem: Type) -> Option<usize> {
        self.push(format!("cast {{0}} to {}", elem_name(elem)), &[input], self.dims(input), elem)
    }

    /// Not from floats: what is not a number has several forms.
    fn bitcast(&mut self) -> Option<usize> {
        let whole = |maker: &Self, value: usize| !maker.is_float(maker.elem(value)) && maker.elem(value) != Type::I1;
        let input = self.pick_where(whole)?;
        let (to, from) = (self.random_elem(), self.elem(input));
        let (have, want) = (i64::from(from.bits(self.ctx)?), i64::from(to.bits(self.ctx)?));
        let mut dims = self.dims(input);
        if self.style == Style::Smooth || to == Type::I1 {
            return None;
        }
        if have != want {
            let last = dims.pop()?;
            dims.push(last.mul(&have.into()).ok()?.try_div(&want.into())?);
        }
        self.push(format!("bitcast {{0}} to {}", elem_name(to)), &[input], dims, to)
    }

    /// A type in which elements of one can be summed.
    pub(super) fn accumulator(&mut self, elem: Type) -> Type {
        let acc = self.random_elem();
        if promote(self.ctx, elem, acc).is_ok_and(|common| common == acc) { acc } else { elem }
    }

    fn reduce(&mut self) -> Option<usize> {
        let input = self.pick();
        let axes = self.some_axes(self.dims(input).len());
        let combiner = self.rng.one_of(&["sum", "sum", "max", "min", "prod"]);
        let acc = if self.rng.one_in(3) { self.accumulator(self.elem(input)) } else { self.elem(input) };
        self.reduce_over(input, combiner, &axes, acc)
    }

    fn scan(&mut self) -> Option<usize> {
        let input = self.pick_where(|maker, value| !maker.dims(value).is_empty())?;
        let axis = self.rng.below(self.dims(input).len());
        let combiner = self.rng.one_of(&["sum", "sum", "max", "min", "prod"]);
        let how = self.rng.one_of(&["", " exclusive", " reverse", " exclusive reverse"]);
        let acc = if self.rng.one_in(3) { self.accumulator(self.elem(input)) } else { self.elem(input) };
        let own = if acc == self.elem(input) { String::new() } else { format!(" acc {}", elem_name(acc)) };
        self.push(format!("scan {combiner} {{0}} along {axis}{how}{own}"), &[input], self.dims(input), acc)
    }

    /// A linear recurrence of two values of the same sizes.
    fn recurrence(&mut self) -> Option<usize> {
        let is_number = |maker: &Self, value| maker.elem(value) != Type::I1 && !maker.dims(value).is_empty();
        let input = self.pick_where(is_number)?;
        let dims = self.dims(input);
        let factors = self.pick_where(|maker, value| is_number(maker, value) && maker.dims(value) == dims)?;
        let common = promote(self.ctx, self.elem(factors), self.elem(input)).ok()?;
        let axis = self.rng.below(dims.len());
        let how = self.rng.one_of(&["", " exclusive", " reverse", " exclusive reverse"]);
        let acc = if self.rng.one_in(3) { self.accumulator(common) } else { common };
        let own = if acc == common { String::new() } else { format!(" acc {}", elem_name(acc)) };
        self.push(format!("scan linear {{0}}, {{1}} along {axis}{how}{own}"), &[factors, input], dims, acc)
    }

    pub(super) fn reduce_over(&mut self, input: usize, combiner: &str, axes: &[usize], acc: Type) -> Option<usize> {
        let dims = self.dims(input).into_iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        let own = if acc == self.elem(input) { String::new() } else { format!(" acc {}", elem_name(acc)) };
        let dims = dims.map(|(_, dim)| dim).collect();
        self.push(format!("reduce {combiner} {{0}} over {axes:?}{own}"), &[input], dims, acc)
    }

    fn contract(&mut self) -> Option<usize> {
        let (a, b) = (self.pick(), self.pick());
        let elem = promote(self.ctx, self.elem(a), self.elem(b)).ok()?;
        let mut names: Vec<(String, SizeExpr)> = vec![];
        let mut indices = |maker: &mut Self, value: usize| -> Vec<String> {
            let mut own = vec![];
            for dim in maker.dims(value) {
                let equal: Vec<String> =
                    names.iter().filter(|(_, size)| *size == dim).map(|(name, _)| name.clone()).collect();
                let unused: Vec<String> = equal.into_iter().filter(|name| !own.contains(name)).collect();
                let index = match maker.rng.pick(&unused) {
                    _ if dim.as_constant() == Some(1) && maker.rng.one_in(2) => "0".to_string(),
                    Some(name) if !maker.rng.one_in(4) => name.clone(),
                    _ => {
                        names.push((format!("k{}", names.len()), dim));
                        names[names.len() - 1].0.clone()
                    }
                };
                own.push(index);
            }
            own
        };
        let (lhs, mut rhs) = (indices(self, a), indices(self, b));
        let mut out: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
        // A window: one index more on an axis that has one.
        let window = self.rng.below(4 * rhs.len().max(1));
        if let Some(index) = rhs.get_mut(window).filter(|index| *index != "0" && lhs.contains(index)) {
            *index = format!("{}w + {index}", ["", "2*"][self.rng.below(2)]);
            out.push("w".into());
        }
        out.retain(|_| !self.rng.one_in(3));
        for at in (1..out.len()).rev() {
            out.swap(at, self.rng.below(at + 1));
        }
        let acc = self.accumulator(elem);
        self.contract_of((a, &lhs), (b, &rhs), &out, acc)
    }

    pub(super) fn contract_of(
        &mut self,
        (a, lhs): (usize, &[String]),
        (b, rhs): (usize, &[String]),
        out: &[String],
        acc: Type,
    ) -> Option<usize> {
        let exprs = |list: &[String]| list.iter().map(|index| SizeExpr::parse(index).ok()).collect::<Option<Vec<_>>>();
        let (lhs_idx, rhs_idx, out_idx) = (exprs(lhs)?, exprs(rhs)?, exprs(out)?);
        let found = loops((&self.dims(a), &lhs_idx), (&self.dims(b), &rhs_idx), &out_idx).ok()?;
        let sizes: Vec<i64> = found.indices.iter().map(|(_, size)| self.size(size)).collect();
        let products = sizes.iter().try_fold(1i64, |product, &size| product.checked_mul(size.max(1)))?;
        if sizes.iter().any(|&size| size < 0) || products > MOST_PRODUCTS {
            return None;
        }
        // Windows fit when it runs as well.
        let numbers = |value: usize| -> Vec<SizeExpr> {
            self.dims(value).iter().map(|dim| SizeExpr::from(self.size(dim))).collect()
        };
        loops((&numbers(a), &lhs_idx), (&numbers(b), &rhs_idx), &out_idx).ok()?;
        let dims = found.out.iter().map(|&at| found.indices[at].1.clone()).collect();
        let elem = promote(self.ctx, self.elem(a), self.elem(b)).ok()?;
        let own = if acc == elem { String::new() } else { format!(" acc {}", elem_name(acc)) };
        let (lhs, rhs, out) = (list(&lhs_idx), list(&rhs_idx), list(&out_idx));
        self.push(format!("contract {{0}} {lhs}, {{1}} {rhs} to {out}{own}"), &[a, b], dims, acc)
    }

    /// Positions, and whether they are within bounds.
    fn position(&mut self) -> Option<usize> {
        let dims = self.random_dims();
        if self.rng.one_in(3) {
            let mut bound = || SizeExpr::from(self.rng.below(5) as i64);
            let from: Vec<SizeExpr> = dims.iter().map(|_| bound()).collect();
            let to: Vec<SizeExpr> = dims.iter().map(|_| bound()).collect();
            return self.push(format!("valid from {} to {}", list(&from), list(&to)), &[], dims, Type::I1);
        }
        let axis = (!dims.is_empty()).then(|| self.rng.below(dims.len()))?;
        let elem = self.random_elem();
        self.push(format!("range {axis}"), &[], dims, elem)
    }

    fn index(&mut self) -> Option<usize> {
        let input = self.pick();
        let dims = self.dims(input);
        let whole = |maker: &Self, value: usize| !maker.is_float(maker.elem(value));
        let count = (!dims.is_empty()).then(|| 1 + self.rng.below(dims.len().min(2)))?;
        let mut outer = vec![];
        let mut operands = vec![input];
        for _ in 0..count {
            let index = self.pick_where(whole)?;
            outer = broadcast(&outer, &self.dims(index)).ok()?;
            operands.push(index);
        }
        outer.extend_from_slice(&dims[count..]);
        let names: Vec<String> = (1..=count).map(|at| format!("{{{at}}}")).collect();
        self.push(format!("index {{0}}[{}]", names.join(", ")), &operands, outer, self.elem(input))
    }

    fn if_(&mut self) -> Option<usize> {
        let condition = self.pick_where(|maker, value| maker.elem(value) == Type::I1)?;
        let axes: Vec<usize> = (0..self.dims(condition).len()).collect();
        let condition = if axes.is_empty() { condition } else { self.reduce_over(condition, "max", &axes, Type::I1)? };
        let then = self.pick();
        let (dims, elem) = (self.dims(then), self.elem(then));
        let otherwise = self.pick_where(|maker, value| maker.dims(value) == dims && maker.elem(value) == elem)?;
        let ty = self.program.values[then].ty();
        let text = format!("if {{0}} : {ty} {{ yield {{1}} }} else {{ yield {{2}} }}");
        self.push(text, &[condition, then, otherwise], dims, elem)
    }

    fn constant(&mut self) -> Option<usize> {
        let (dims, elem) = (self.random_dims(), self.random_elem());
        let constant = dims.iter().all(|dim| dim.as_constant().is_some());
        if !constant || self.rng.one_in(2) {
            return self.splat(dims, elem);
        }
        let sizes: Vec<i64> = dims.iter().filter_map(SizeExpr::as_constant).collect();
        let float = self.is_float(elem);
        let number = |rng: &mut Random| match (float, elem) {
            (true, _) => format!("{:?}", (rng.below(9) as f64 - 4.0) / 2.0),
            (false, Type::I1) => ["true", "false"][rng.below(2)].to_string(),
            (false, _) => rng.below(6).to_string(),
        };
        if !self.fits(&dims) {
            return None;
        }
        let elements = nested(self.rng, &sizes, &number);
        let shape: String = sizes.iter().map(|size| format!("{size}x")).collect();
        let text = format!("const dense<{elements}> : tensor<{shape}{}>", elem_name(elem));
        self.push(text, &[], dims, elem)
    }
}

/// Lists of lists of numbers.
fn nested(rng: &mut Random, sizes: &[i64], number: &dyn Fn(&mut Random) -> String) -> String {
    match sizes {
        [] => number(rng),
        _ if sizes.contains(&0) => String::new(),
        [size, inner @ ..] => {
            let parts: Vec<String> = (0..*size).map(|_| nested(rng, inner, number)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}
