//! Products of matrices in registers: on tensor cores, and by multiplications and additions of each thread.

use dlc_ir::types::FloatKind;
use dlc_ir::{Type, ValueId};
use dlc_kernel::layout::{Distributed, Fragment};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Frag;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::compute::own_places;
use super::lower::Lower;
use super::scalar::Elem;
use super::values::columns;

/// An instruction for tensor cores.
struct Shape {
    /// The depth of one.
    depth: u32,
    /// Its modifiers, with the depth in them.
    types: &'static str,
    /// The elements of a 32-bit register.
    per_word: u32,
    /// Whether there is one of half the depth.
    halves: bool,
}

fn shape(input: Elem, acc: Elem) -> Option<Shape> {
    let (types, per_word, halves) = match (input, acc) {
        (Elem::Small(FloatKind::F16), Elem::F32) => ("f32.f16.f16.f32", 2, true),
        (Elem::Small(FloatKind::BF16), Elem::F32) => ("f32.bf16.bf16.f32", 2, true),
        (Elem::Small(FloatKind::F16), Elem::Small(FloatKind::F16)) => ("f16.f16.f16.f16", 2, false),
        (Elem::F32, Elem::F32) => ("f32.tf32.tf32.f32", 1, true),
        (Elem::Int { bits: 8, signed: true }, Elem::Int { bits: 32, .. }) => ("s32.s8.s8.s32", 4, false),
        (Elem::Small(FloatKind::F8E4M3FN), Elem::F32) => ("f32.e4m3.e4m3.f32", 4, false),
        (Elem::Small(FloatKind::F8E5M2), Elem::F32) => ("f32.e5m2.e5m2.f32", 4, false),
        _ => return None,
    };
    Some(Shape { depth: 8 * per_word, types, per_word, halves })
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    /// A product on tensor cores, instruction by instruction: the depth outermost, so that what is added to is not
    /// waited for.
    pub fn mma(&mut self, op: kernel::Mma<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let (lhs, rhs, acc) = (op.lhs(), op.rhs(), op.acc());
        let (input, sum) = (Elem::of(ctx, self.elem(lhs))?, Elem::of(ctx, self.elem(acc))?);
        let shape = shape(input, sum).ok_or_else(|| {
            let (input, sum) = (self.elem(lhs).display(ctx).to_string(), self.elem(acc).display(ctx).to_string());
            Refused::new(format!("no mma.sync multiplies {input} and adds to {sum}"))
                .suggest("cast the operands to f16 or bf16, and add to f32; or use 'fma'")
        })?;
        let grid = match Frag::of(ctx, self.kernel.value_type(acc)).map(|frag| frag.layout(ctx)) {
            Some(Distributed::Mma(grid)) => grid,
            _ => return Err(Refused::new("what is added to must have the layout 'mma'")),
        };
        let fragment = |lower: &mut Self, value| lower.fragment(lower.kernel.value_type(value));
        let (a, b, c) = (fragment(self, lhs)?, fragment(self, rhs)?, fragment(self, acc)?);
        let (&[rows, depth], &[_, width]) = (a.shape(), b.shape()) else {
            return Err(Refused::new("the operands must be matrices"));
        };
        let (step_rows, step_width) = (16 * grid[0], 8 * grid[1]);
        let a_registers = self.operands_of_mma(lhs, input)?;
        let b_registers = self.operands_of_mma(rhs, input)?;
        let mut sums = self.registers(acc)?.to_vec();
        let warps = self.team.warps;
        let place =
            |layout: Distributed, shape: [u32; 2], bits: u32| layout.place(&shape, bits, warps).map_err(Refused::new);
        let extract = |whole: &Fragment, part: &Fragment, at: [u32; 2]| whole.extract(part, &at).map_err(Refused::new);
        let c_part = place(Distributed::Mma(grid), [step_rows, step_width], c.elem_bits())?;
        let bits = a.elem_bits();
        let mut k = 0;
        while k < depth {
            let own = match depth - k {
                left if left >= shape.depth => shape.depth,
                left if shape.halves && left == shape.depth / 2 => left,
                left => {
                    return Err(Refused::new(format!("a depth of {left} is left, and there is no such instruction"))
                        .suggest("let the depth be a multiple of that of the instruction"));
                }
            };
            let a_part = place(Distributed::MmaA(grid), [step_rows, own], bits)?;
            let b_part = place(Distributed::MmaB(grid), [own, step_width], bits)?;
            let modifiers = format!("sync.aligned.m16n8k{own}.row.col.{}", shape.types);
            for m in (0..rows).step_by(step_rows as usize) {
                let left = self.words(&a_registers, &extract(&a, &a_part, [m, k])?, input, shape.per_word);
                for n in (0..width).step_by(step_width as usize) {
                    let right = self.words(&b_registers, &extract(&b, &b_part, [k, n])?, input, shape.per_word);
                    let own = extract(&c, &c_part, [m, n])?;
                    self.multiply(&modifiers, &left, &right, &mut sums, &own, sum);
                }
            }
            k += own;
        }
        self.set_fragment(op.out(), sums);
        Ok(())
    }

    /// The registers of an operand; those of `f32` with as many digits as tensor cores take.
    fn operands_of_mma(&mut self, value: ValueId, elem: Elem) -> Result<Vec<Arg>, Refused> {
        let registers = self.registers(value)?;
        Ok(match elem {
            Elem::F32 => registers
                .iter()
                .map(|&arg| {
                    let arg = self.code.register(arg, Type::F32).into();
                    self.code.made(&table::CVT, "rna.tf32.f32", &[arg])
                })
                .collect(),
            _ => registers.to_vec(),
        })
    }

    /// Elements packed into registers of 32 bits, the first ones lowest.
    fn words(&mut self, registers: &[Arg], own: &[u32], elem: Elem, per_word: u32) -> Vec<Arg> {
        let own: Vec<Arg> = own.iter().map(|&register| registers[register as usize]).collect();
        let words = own.chunks(per_word as usize).map(|parts| {
            let word = match *parts {
                [word] => word,
                [lo, hi] => self.code.pack_halves(lo, hi),
                [a, b, c, d] => self.code.pack_bytes([a, b, c, d], elem),
                _ => Arg::Int(0),
            };
            self.code.register(word, Type::I32).into()
        });
        words.collect()
    }

    /// One instruction.
    fn multiply(&mut self, modifiers: &str, left: &[Arg], right: &[Arg], sums: &mut [Arg], own: &[u32], elem: Elem) {
        let code = &mut self.code;
        let before: Vec<Arg> = own.iter().map(|&register| sums[register as usize]).collect();
        let packed = matches!(elem, Elem::Small(_));
        let mut args: Vec<Arg> = left.iter().chain(right).copied().collect();
        match packed {
            true => {
                for pair in before.chunks(2) {
                    let word = code.pack_halves(pair[0], pair[1]);
                    args.push(code.register(word, Type::I32).into());
                }
            }
            false => args.extend(before.iter().map(|&arg| Arg::Value(code.register(arg, elem.held())))),
        }
        let results = code.insts(&table::MMA, modifiers, &args);
        let results: Vec<Arg> = match packed {
            true => results.into_iter().flat_map(|word| code.unpack_halves(word.into())).collect(),
            false => results.into_iter().map(Arg::Value).collect(),
        };
        for (&register, result) in own.iter().zip(results) {
            sums[register as usize] = result;
        }
    }

    /// A product by the multiplications and additions of each thread, the depth outermost.
    pub fn fma(&mut self, op: kernel::Fma<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let (lhs, rhs, acc) = (op.lhs(), op.rhs(), op.acc());
        let (from, to) = (self.elem(lhs), self.elem(acc));
        let elem = Elem::of(ctx, to)?;
        let wide = elem.wide().ty(to);
        let fragment = |lower: &mut Self, value| lower.fragment(lower.kernel.value_type(value));
        let (a, b, c) = (fragment(self, lhs)?, fragment(self, rhs)?, fragment(self, acc)?);
        // What lanes and warps add to the rows and columns they add everywhere, and nothing to the depth.
        let alike = columns(&a, 0) == columns(&c, 0) && columns(&b, 1) == columns(&c, 1);
        let is_zero = |(lanes, warps): (Vec<u32>, Vec<u32>)| lanes.iter().chain(&warps).all(|&column| column == 0);
        if !alike || !is_zero(columns(&a, 1)) || !is_zero(columns(&b, 0)) {
            return Err(Refused::new("a thread has not the rows and columns that its elements of the product need")
                .suggest("let the threads hold whole rows of the left matrix and whole columns of the right one"));
        }
        let widened = |lower: &mut Self, value: ValueId, ty: Type| -> Result<Vec<Arg>, Refused> {
            let registers = lower.registers(value)?;
            registers.iter().map(|&arg| lower.code.cast(arg, ty, wide)).collect()
        };
        let (left, right) = (widened(self, lhs, from)?, widened(self, rhs, from)?);
        let mut sums = widened(self, acc, to)?;
        let number = |fragment: &Fragment| -> rustc_hash::FxHashMap<Vec<u32>, usize> {
            own_places(fragment).into_iter().enumerate().map(|(register, at)| (at, register)).collect()
        };
        let (left_at, right_at, sum_at) = (number(&a), number(&b), own_places(&c));
        let depth = a.shape().get(1).copied().unwrap_or(0);
        for k in 0..depth {
            for (sum, at) in sums.iter_mut().zip(&sum_at) {
                let (x, y) = (left_at.get(&vec![at[0], k]), right_at.get(&vec![k, at[1]]));
                let (Some(&x), Some(&y)) = (x, y) else {
                    return Err(Refused::new("a thread has not the row and the column for one of its elements"));
                };
                let (x, y) = (left[x], right[y]);
                *sum = match elem {
                    Elem::Int { .. } | Elem::Truth => {
                        let product = self.code.binary(dlc_core::scalar::Binary::Mul, x, y, wide)?;
                        self.code.binary(dlc_core::scalar::Binary::Add, *sum, product, wide)?
                    }
                    _ => self.code.mulacc(x, y, *sum, wide)?,
                };
            }
        }
        let sums = sums.into_iter().map(|sum| self.code.cast(sum, wide, to)).collect::<Result<Vec<_>, _>>()?;
        self.set_fragment(op.out(), sums);
        Ok(())
    }
}
