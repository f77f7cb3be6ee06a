//! Products of matrices in registers: on tensor cores, and by multiplications and additions of each thread.

use std::sync::Arc;

use dlc_core::precision::Precision;
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

/// The instructions of a product: where each begins along rows, columns and the sum, and the registers that it takes.
struct Instructions {
    /// The matrices, and what is added to.
    fragments: [Arc<Fragment>; 3],
    /// The part of each that all warps multiply at once, for the depth of each step.
    parts: Vec<[Fragment; 3]>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    /// Where each step along the sum begins, and how deep it is.
    steps: Vec<(u32, u32)>,
}

impl Instructions {
    /// Those of a shape, for matrices over a grid of warps.
    fn of(shape: &Shape, fragments: [Arc<Fragment>; 3], grid: [u32; 2], warps: u32) -> Result<Instructions, Refused> {
        let (&[rows, depth], &[_, width]) = (fragments[0].shape(), fragments[1].shape()) else {
            return Err(Refused::new("the operands must be matrices"));
        };
        let [high, wide] = [16 * grid[0], 8 * grid[1]];
        let (mut steps, mut parts, mut k) = (Vec::new(), Vec::new(), 0);
        while k < depth {
            let own = match depth - k {
                left if left >= shape.depth => shape.depth,
                left if shape.halves && left == shape.depth / 2 => left,
                left => {
                    return Err(Refused::new(format!("a depth of {left} is left, and there is no such instruction"))
                        .suggest("let the depth be a multiple of that of the instruction"));
                }
            };
            let place = |layout: Distributed, sides: [u32; 2], of: &Fragment| {
                layout.place(&sides, of.elem_bits(), warps).map_err(Refused::new)
            };
            let [a, b, c] = &fragments;
            parts.push([
                place(Distributed::MmaA(grid), [high, own], a)?,
                place(Distributed::MmaB(grid), [own, wide], b)?,
                place(Distributed::Mma(grid), [high, wide], c)?,
            ]);
            steps.push((k, own));
            k += own;
        }
        let (rows, columns) = ((0..rows).step_by(high as usize), (0..width).step_by(wide as usize));
        Ok(Instructions { fragments, parts, rows: rows.collect(), columns: columns.collect(), steps })
    }

    /// The registers of the left matrix (0), the right one (1) or the sum (2) that an instruction takes of a step.
    fn registers(&self, operand: usize, step: usize, at: [u32; 2]) -> Result<Vec<u32>, Refused> {
        self.fragments[operand].extract(&self.parts[step][operand], &at).map_err(Refused::new)
    }

    fn left(&self, m: u32, step: usize) -> Result<Vec<u32>, Refused> {
        self.registers(0, step, [m, self.steps[step].0])
    }

    fn right(&self, step: usize, n: u32) -> Result<Vec<u32>, Refused> {
        self.registers(1, step, [self.steps[step].0, n])
    }

    fn sums(&self, m: u32, n: u32) -> Result<Vec<u32>, Refused> {
        self.registers(2, 0, [m, n])
    }

    /// The modifiers of the instructions of a step.
    fn modifiers(&self, step: usize, shape: &Shape) -> String {
        format!("sync.aligned.m16n8k{}.row.col.{}", self.steps[step].1, shape.types)
    }
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
        let fragments = [fragment(self, lhs)?, fragment(self, rhs)?, fragment(self, acc)?];
        let instructions = Instructions::of(&shape, fragments, grid, self.thread_group.warps)?;
        let mut sums = self.registers(acc)?.to_vec();
        if op.precision() == Some(Precision::Tf32x3) {
            self.mma_of_parts(&shape, &instructions, [lhs, rhs], &mut sums)?;
            self.set_fragment(op.out(), sums);
            return Ok(());
        }
        let [a, b] = [self.operands_of_mma(lhs, input)?, self.operands_of_mma(rhs, input)?];
        for step in 0..instructions.steps.len() {
            let modifiers = instructions.modifiers(step, &shape);
            for &m in &instructions.rows {
                let left = self.words(&a, &instructions.left(m, step)?, input, shape.per_word);
                for &n in &instructions.columns {
                    let right = self.words(&b, &instructions.right(step, n)?, input, shape.per_word);
                    self.multiply(&modifiers, &left, &right, &mut sums, &instructions.sums(m, n)?, sum);
                }
            }
        }
        self.set_fragment(op.out(), sums);
        Ok(())
    }

    /// A product of numbers that are sums of two parts each: three products of each step, the small ones first. The
    /// instructions of one sum stand apart.
    fn mma_of_parts(
        &mut self,
        shape: &Shape,
        instructions: &Instructions,
        operands: [ValueId; 2],
        sums: &mut [Arg],
    ) -> Result<(), Refused> {
        let mut split = |value: ValueId| -> Result<[Vec<Arg>; 2], Refused> {
            let registers = self.registers(value)?.to_vec();
            let parts: Vec<[Arg; 2]> =
                registers.into_iter().map(|register| self.code.parts_of_tf32(register)).collect();
            Ok([0, 1].map(|part| parts.iter().map(|parts| parts[part]).collect()))
        };
        let [a, b] = [split(operands[0])?, split(operands[1])?];
        let of = |registers: &[Arg], own: &[u32]| own.iter().map(|&at| registers[at as usize]).collect::<Vec<_>>();
        for step in 0..instructions.steps.len() {
            let modifiers = instructions.modifiers(step, shape);
            for [left_part, right_part] in [[1, 0], [0, 1], [0, 0]] {
                for &m in &instructions.rows {
                    let left = of(&a[left_part], &instructions.left(m, step)?);
                    for &n in &instructions.columns {
                        let right = of(&b[right_part], &instructions.right(step, n)?);
                        self.multiply(&modifiers, &left, &right, sums, &instructions.sums(m, n)?, Elem::F32);
                    }
                }
            }
        }
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

    /// Elements packed into 32-bit registers, the first ones lowest.
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
