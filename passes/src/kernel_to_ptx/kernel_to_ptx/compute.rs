//! Arithmetic on fragments and numbers: what each register of a thread becomes. What threads exchange is in `exchange`,
//! products of matrices are in `product`.

use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_core::scalar::{Binary, Combiner, Unary};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::Datum;
use dlc_ir::{OpRef, Type, ValueId, float};
use dlc_kernel::layout::{Dim, Fragment, MAX_VECTOR_BYTES};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of, sizes};
use dlc_ptx::inst::Arg;
use rustc_hash::FxHashMap;

use super::Refused;
use super::code::{Code, Cond};
use super::exprs::{Expr, Names, Pieces};
use super::floats::SMALL;
use super::lower::Lower;
use super::scalar::{Elem, arg_of, cond_of, of_cond};
use super::shared::grouped;
use super::values::{Coords, Lowered, coords};
use crate::analysis::index_ranges::is_narrow;
use crate::analysis::numbers::function;
use crate::analysis::ranges::{Range, range};
use crate::analysis::vectors::whole_runs;

/// A number that is none of those near zero which have fewer digits, far from them by more than what is rounded.
const NORMAL: f64 = 1e-30;

/// Coordinates of an element.
type Place = Vec<u32>;

/// An operand: a number that goes with every register, or one for each.
enum Operand {
    One(Arg),
    Each(Rc<Vec<Arg>>),
}

impl Operand {
    fn at(&self, register: usize) -> Arg {
        match self {
            &Operand::One(arg) => arg,
            Operand::Each(registers) => registers[register],
        }
    }
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn compute(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        if let Some(op) = kernel::Const::of(op) {
            self.constant(op)?;
        } else if let Some(op) = kernel::Index::of(op) {
            self.positions(op)?;
        } else if let Some(op) = kernel::Unary::of(op) {
            let (from, to) = (self.elem(op.input()), self.elem(op.out()));
            let normal = op.function() == Unary::Recip && range(self.ctx(), self.kernel, op.input()).is_beyond(NORMAL);
            self.each(&[op.input()], op.out(), |code, args| {
                let x = code.cast(args[0], from, to)?;
                if normal { code.recip_of_normal(x, to) } else { code.unary(op.function(), x, to) }
            })?;
        } else if let Some(op) = kernel::Binary::of(op) {
            let ty = self.elem(op.lhs());
            let is_moderate = |range: Range| range.is_beyond(SMALL.into()) && range.size() <= SMALL.recip().into();
            let moderate = op.function() == Binary::Fdiv && is_moderate(range(self.ctx(), self.kernel, op.rhs()));
            self.each(&[op.lhs(), op.rhs()], op.out(), |code, args| match args {
                &[a, b @ Arg::Value(_)] if moderate => code.moderate_quotient(a, b, ty),
                _ => code.binary(op.function(), args[0], args[1], ty),
            })?;
        } else if let Some(op) = kernel::MulAcc::of(op) {
            let ty = self.elem(op.out());
            let operands = [op.lhs(), op.rhs(), op.acc()];
            self.each(&operands, op.out(), |code, args| code.mulacc(args[0], args[1], args[2], ty))?;
        } else if let Some(op) = kernel::Select::of(op) {
            self.select(op)?;
        } else if let Some(op) = kernel::Cast::of(op) {
            let (from, to, bits) = (self.elem(op.input()), self.elem(op.out()), op.bits().is_some());
            let index = match self.value(op.input())? {
                &Lowered::Index(at, _) if !bits && !self.code.is_wide(at) => Some(at),
                _ => None,
            };
            if let Some(at) = index {
                // It need not be extended first.
                self.each(&[], op.out(), |code, _| code.cast(at, Type::I32, to))?;
                return Ok(true);
            }
            // A 32-bit integer with a sign is an index as it is.
            let is_index = self.kernel.value_type(op.out()) == Type::INDEX && !bits;
            if let (true, &Lowered::Number(at)) = (is_index, self.value(op.input())?)
                && matches!(Elem::of(self.ctx(), from)?, Elem::Int { bits, signed } if bits < 32 || bits == 32 && signed)
            {
                self.set(op.out(), Lowered::Index(at, matches!(at, Arg::Int(value) if value >= 0)));
                return Ok(true);
            }
            self.each(&[op.input()], op.out(), |code, args| match bits {
                true => code.bitcast(args[0], from, to),
                false => code.cast(args[0], from, to),
            })?;
        } else if let Some(op) = kernel::Broadcast::of(op) {
            let axis = op.axis() as usize;
            self.taken(op.input(), op.out(), &[], |at| {
                let mut at = at.to_vec();
                at.remove(axis);
                at
            })?;
        } else if let Some(op) = kernel::Extract::of(op) {
            self.extract(op)?;
        } else if let Some(op) = kernel::ThreadReduce::of(op) {
            self.thread_reduce(op)?;
        } else if let Some(op) = kernel::ThreadBroadcast::of(op) {
            self.thread_broadcast(op)?;
        } else if let Some(op) = kernel::Reduce::of(op) {
            self.reduce(op)?;
        } else if let Some(op) = kernel::Scan::of(op) {
            self.scan(op)?;
        } else if let Some(op) = kernel::Sort::of(op) {
            self.sort(op)?;
        } else if let Some(op) = kernel::Convert::of(op) {
            self.convert(op)?;
        } else if let Some(op) = kernel::Mma::of(op) {
            self.mma(op)?;
        } else if let Some(op) = kernel::Fma::of(op) {
            self.fma(op)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The type of the elements of a value.
    pub fn elem(&self, value: ValueId) -> Type {
        elem_of(self.ctx(), self.kernel.value_type(value))
    }

    fn operand(&mut self, value: ValueId) -> Result<Operand, Refused> {
        match self.value(value)? {
            &Lowered::Index(arg, _) => Ok(Operand::One(self.code.in64(arg))),
            &Lowered::Number(arg) => Ok(Operand::One(arg)),
            Lowered::Fragment(registers) => Ok(Operand::Each(registers.clone())),
            _ => Err(Refused::new("a number or a fragment is wanted")),
        }
    }

    /// The registers of a result that is a fragment.
    pub fn set_fragment(&mut self, out: ValueId, registers: Vec<Arg>) {
        self.set(out, Lowered::Fragment(Rc::new(registers)));
    }

    /// A function of each register, or of numbers.
    fn each(
        &mut self,
        operands: &[ValueId],
        out: ValueId,
        mut f: impl FnMut(&mut Code<'c>, &[Arg]) -> Result<Arg, Refused>,
    ) -> Result<(), Refused> {
        self.each_at(operands, out, |code, _, args| f(code, args))
    }

    /// As [`Lower::each`], with the number of the register.
    fn each_at(
        &mut self,
        operands: &[ValueId],
        out: ValueId,
        mut f: impl FnMut(&mut Code<'c>, usize, &[Arg]) -> Result<Arg, Refused>,
    ) -> Result<(), Refused> {
        let operands: Vec<Operand> = operands.iter().map(|&value| self.operand(value)).collect::<Result<_, _>>()?;
        let ty = self.kernel.value_type(out);
        let mut args = Vec::with_capacity(operands.len());
        if Frag::of(self.ctx(), ty).is_none() {
            args.extend(operands.iter().map(|operand| operand.at(0)));
            let result = f(&mut self.code, 0, &args)?;
            let lowered = match ty == Type::INDEX {
                true => Lowered::Index(result, matches!(result, Arg::Int(value) if value >= 0)),
                false => Lowered::Number(result),
            };
            self.set(out, lowered);
            return Ok(());
        }
        let count = self.fragment(ty)?.registers() as usize;
        if operands.iter().any(|operand| matches!(operand, Operand::Each(registers) if registers.len() != count)) {
            return Err(Refused::new("the fragments have not as many registers as the result"));
        }
        let mut registers = Vec::with_capacity(count);
        for register in 0..count {
            args.clear();
            args.extend(operands.iter().map(|operand| operand.at(register)));
            registers.push(f(&mut self.code, register, &args)?);
        }
        self.set_fragment(out, registers);
        Ok(())
    }

    fn constant(&mut self, op: kernel::Const<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let ty = self.elem(op.out());
        let number = Datum::of_attr(ctx, op.value()).and_then(|value| arg_of(ctx, ty, &value));
        let number = number.ok_or_else(|| Refused::new("the constant is no number"))?;
        Elem::of(ctx, ty)?;
        self.each(&[], op.out(), |_, _| Ok(number))
    }

    /// The values that expressions and guards name.
    fn named(&self, args: impl Iterator<Item = ValueId>) -> Result<Vec<(Arg, bool)>, Refused> {
        args.map(|value| self.index(value)).collect()
    }

    /// An expression for each element.
    fn positions(&mut self, op: kernel::Index<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let exprs = op.value();
        let Some(expr) = exprs.first() else { return Err(Refused::new("there is no expression")) };
        let values = self.named(op.args())?;
        let ty = self.kernel.value_type(op.out());
        let elem = Elem::of(ctx, self.elem(op.out()))?;
        let places = self.places(ty)?;
        let symbols = self.symbols.clone();
        let any = vec![Arg::Int(0); places.as_ref().map_or(0, |places| places.thread.len())];
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &any, parts: &[] };
        let (args, shape) = (op.args().collect::<Vec<_>>(), self.shape(ty));
        let ranges: Vec<_> = args.iter().map(|&arg| (arg, self.ranges.value(arg))).collect();
        let range_of = |expr: &SizeExpr| self.ranges.expr_of(expr, &ranges, &shape);
        let wide = matches!(elem, Elem::Int { bits: 64, .. }) && !is_narrow(range_of(expr));
        let expr = Expr::of_bits(expr, &names, wide, &range_of)?;
        let own = Elem::Int { bits: if wide { 64 } else { 32 }, signed: true };
        self.each_at(&[], op.out(), |code, register, _| {
            let at = places.as_ref().map_or_else(Vec::new, |places| places.of(code, register));
            let (number, _) = code.value(&expr, &Names { coords: &at, ..names });
            match (elem, number) {
                (Elem::Int { .. }, Arg::Value(_)) => Ok(code.int_to_int(number, own, elem)),
                (Elem::Truth, Arg::Value(_)) => code.cast(number, Type::I32, Type::I1),
                (_, Arg::Int(value)) => {
                    let kind = dlc_core::tensor::ElemKind::of(ctx, elem_of(ctx, ty));
                    Ok(Arg::Int(kind.map_or(value, |kind| kind.wrap(value))))
                }
                _ => Err(Refused::new("positions are integers")),
            }
        })
    }

    /// What the positions in a fragment are below, nothing for a single number. Those that are not there count too.
    pub fn shape(&self, ty: Type) -> Vec<u32> {
        let shape = Frag::of(self.ctx(), ty).and_then(|frag| sizes(&frag.shape(self.ctx())));
        shape.unwrap_or_default().into_iter().map(u32::next_power_of_two).collect()
    }

    /// Where the elements of a fragment are, nothing for a single one.
    fn places(&mut self, ty: Type) -> Result<Option<Coords>, Refused> {
        if Frag::of(self.ctx(), ty).is_none() {
            return Ok(None);
        }
        let (fragment, thread_group) = (self.fragment(ty)?, self.thread_group);
        Ok(Some(coords(&mut self.code, &fragment, &thread_group)))
    }

    fn select(&mut self, op: kernel::Select<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let elem = Elem::of(ctx, self.elem(op.out()))?;
        let (yes, no) = (op.yes(), op.no());
        if let Some(cond) = op.cond() {
            return self.each(&[cond, yes, no], op.out(), |code, args| {
                Ok(code.select(cond_of(args[0]), args[1], args[2], elem))
            });
        }
        let Some(guard) = op.guard() else { return Err(Refused::new("there is no condition")) };
        let values = self.named(op.args())?;
        let ty = self.kernel.value_type(op.out());
        let places = self.places(ty)?;
        let symbols = self.symbols.clone();
        let firsts = self.runs(ty, &guard, &op.args().collect::<Vec<_>>());
        let mut known: FxHashMap<u32, Cond> = FxHashMap::default();
        let any = vec![Arg::Int(0); places.as_ref().map_or(0, |places| places.thread.len())];
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &any, parts: &[] };
        let ranges: Vec<_> = op.args().map(|arg| (arg, self.ranges.value(arg))).collect();
        let shape = self.shape(ty);
        let range_of = |expr: &SizeExpr| self.ranges.expr_of(expr, &ranges, &shape);
        let guard = Pieces::joined(&guard, &names, &range_of)?;
        self.each_at(&[yes, no], op.out(), |code, register, args| {
            let first = firsts.get(register).copied().unwrap_or(register as u32);
            let holds = match known.get(&first) {
                Some(&holds) => holds,
                None => {
                    let at = places.as_ref().map_or_else(Vec::new, |places| places.of(code, first as usize));
                    let parts = places.as_ref().filter(|_| guard.has_limits());
                    let parts = parts.map_or_else(Vec::new, |places| places.parts(first as usize));
                    let holds = code.is_inside(&guard, &Names { coords: &at, parts: &parts, ..names });
                    known.insert(first, holds);
                    holds
                }
            };
            Ok(code.select(holds, args[0], args[1], elem))
        })
    }

    /// For each register of a fragment the first of those in a row for which a guard holds if it does for that one.
    fn runs(&self, ty: Type, guard: &Guard, args: &[ValueId]) -> Vec<u32> {
        let runs = || {
            let (ctx, frag) = (self.ctx(), Frag::of(self.ctx(), ty)?);
            let is_number = |&arg: &ValueId| Frag::of(ctx, self.kernel.value_type(arg)).is_none();
            let shape = sizes(&frag.shape(ctx)).filter(|_| args.iter().all(is_number))?;
            // Of bytes most are in a row.
            let fragment = frag.layout(ctx).place_once(ctx, &shape, 8, self.thread_group.warps).ok()?;
            let along = |axis: usize| {
                let access = fragment.global_access(axis, MAX_VECTOR_BYTES).ok()?;
                let runs = whole_runs(ctx, self.kernel, Some(guard), axis, args)?;
                let whole = |&run: &u32| runs.is_multiple_of(run.into());
                let run = (1..=access.vector.ilog2()).rev().map(|bits| 1 << bits).find(whole)?;
                Some((run, grouped(&access.groups, run)))
            };
            (0..shape.len()).filter_map(along).max_by_key(|(run, _)| *run)
        };
        let Some((_, groups)) = runs() else { return Vec::new() };
        let mut firsts: Vec<(u32, u32)> =
            groups.iter().flat_map(|group| group.iter().map(|&register| (register, group[0]))).collect();
        firsts.sort_unstable();
        firsts.into_iter().map(|(_, first)| first).collect()
    }

    /// The registers of a result, each one of the same thread that holds what `wanted` gives for its element.
    fn taken(
        &mut self,
        input: ValueId,
        out: ValueId,
        at: &[u32],
        wanted: impl Fn(&[u32]) -> Place,
    ) -> Result<(), Refused> {
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(out))?;
        let sources = sources(&from, &to, at, wanted)?;
        let registers = self.registers(input)?;
        let taken = sources.into_iter().map(|source| registers[source as usize]).collect();
        self.set_fragment(out, taken);
        Ok(())
    }

    fn extract(&mut self, op: kernel::Extract<'a>) -> Result<(), Refused> {
        let args: Vec<ValueId> = op.args().collect();
        let mut at = Vec::new();
        for expr in op.at() {
            match self.expr(&expr, &args)?.0 {
                Arg::Int(place) => at.push(
                    u32::try_from(place).map_err(|_| Refused::new(format!("a part begins at {place} of an axis")))?,
                ),
                _ => {
                    return Err(Refused::new("registers have numbers, and where the part begins is not known")
                        .suggest("let the loop around it be unrolled: 'unroll'"));
                }
            }
        }
        self.taken(op.input(), op.out(), &at, |place| place.iter().zip(&at).map(|(place, at)| place + at).collect())
    }

    /// What each thread combines of its own.
    fn thread_reduce(&mut self, op: kernel::ThreadReduce<'a>) -> Result<(), Refused> {
        let (input, axis) = (op.input(), op.axis() as usize);
        let ty = self.elem(op.out());
        let elem = Elem::of(self.ctx(), ty)?;
        let wide = self.wide_inputs(input, op.combiner())?;
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(op.out()))?;
        let groups = groups(&from, &to, axis)?;
        let mut registers = Vec::with_capacity(groups.len());
        for group in groups {
            let numbers: Vec<Arg> = group.iter().map(|&register| wide[register]).collect();
            let sum = self.combined(op.combiner(), numbers, elem.wide().ty(ty))?;
            registers.push(self.code.cast(sum, elem.wide().ty(ty), ty)?);
        }
        self.set_fragment(op.out(), registers);
        Ok(())
    }

    fn thread_broadcast(&mut self, op: kernel::ThreadBroadcast<'a>) -> Result<(), Refused> {
        let (input, axis) = (op.input(), op.axis() as usize);
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(op.out()))?;
        let groups = groups(&to, &from, axis)?;
        let own = self.registers(input)?;
        let mut registers = vec![None; to.registers() as usize];
        for (&number, group) in own.iter().zip(&groups) {
            group.iter().for_each(|&register| registers[register] = Some(number));
        }
        let registers: Option<Vec<Arg>> = registers.into_iter().collect();
        let registers = registers.ok_or_else(|| Refused::new("a thread has no number for one of its elements"))?;
        self.set_fragment(op.out(), registers);
        Ok(())
    }

    /// The registers of a fragment in the type in which they are combined; what does not exist in a thread changes
    /// nothing.
    pub fn wide_inputs(&mut self, input: ValueId, combiner: Combiner) -> Result<Vec<Arg>, Refused> {
        let ctx = self.ctx();
        let ty = self.elem(input);
        let elem = Elem::of(ctx, ty)?;
        let wide = elem.wide().ty(ty);
        let fragment = self.fragment(self.kernel.value_type(input))?;
        let registers = self.registers(input)?;
        let (thread_group, identity) = (self.thread_group, identity_arg(combiner, elem.wide()));
        let places = match fragment.is_whole() {
            true => None,
            false => Some(coords(&mut self.code, &fragment, &thread_group)),
        };
        let mut numbers = Vec::with_capacity(registers.len());
        for (register, &arg) in registers.iter().enumerate() {
            let number = self.code.cast(arg, ty, wide)?;
            numbers.push(match &places {
                None => number,
                Some(places) => {
                    let exists = super::values::exists(&mut self.code, &fragment, places, register);
                    self.code.select(exists, number, identity, elem.wide())
                }
            });
        }
        Ok(numbers)
    }

    /// What numbers combine to, pair by pair: few steps after each other, and few roundings of each.
    pub fn combined(&mut self, combiner: Combiner, mut numbers: Vec<Arg>, ty: Type) -> Result<Arg, Refused> {
        let elem = Elem::of(self.ctx(), ty)?;
        let Some(&first) = numbers.first() else { return Ok(identity_arg(combiner, elem)) };
        if numbers.len() == 1 {
            return Ok(first);
        }
        while numbers.len() > 1 {
            let mut next = Vec::with_capacity(numbers.len().div_ceil(2));
            for pair in numbers.chunks(2) {
                next.push(match *pair {
                    [a, b] => self.code.binary(function(combiner), a, b, ty)?,
                    _ => pair[0],
                });
            }
            numbers = next;
        }
        Ok(numbers[0])
    }
}

/// The number that changes no other one.
pub fn identity_arg(combiner: Combiner, elem: Elem) -> Arg {
    let number = match combiner {
        Combiner::Sum => 0.0,
        Combiner::Prod => 1.0,
        Combiner::Max => f64::NEG_INFINITY,
        Combiner::Min => f64::INFINITY,
    };
    match elem {
        Elem::F32 => Arg::from(number as f32),
        Elem::F64 => Arg::F64(number.to_bits()),
        Elem::Small(kind) => Arg::Int(float::encode(number, kind) as i64),
        Elem::Truth => of_cond(Cond::Known(matches!(combiner, Combiner::Prod | Combiner::Min))),
        Elem::Int { bits, signed } => Arg::Int(match (combiner, signed) {
            (Combiner::Sum, _) | (Combiner::Max, false) => 0,
            (Combiner::Prod, _) => 1,
            (Combiner::Max, true) => i64::MIN >> (64 - bits),
            (Combiner::Min, true) => i64::MAX >> (64 - bits),
            (Combiner::Min, false) => (u64::MAX >> (64 - bits)) as i64,
        }),
    }
}

/// What the number of a register adds to the coordinates.
pub fn own_places(fragment: &Fragment) -> Vec<Place> {
    let slots = (0..fragment.registers()).map(|register| fragment.slot(register).unwrap_or(0));
    slots.map(|slot| fragment.map().apply(&[(Dim::Register, slot)])).collect()
}

/// For each register of one fragment that of another in the same thread which holds what is wanted for its element: the one
/// at the same coordinates, without some of them, or moved by `at`.
fn sources(from: &Fragment, to: &Fragment, at: &[u32], wanted: impl Fn(&[u32]) -> Place) -> Result<Vec<u32>, Refused> {
    let mut sources = vec![None; to.registers() as usize];
    for (lane, warp) in to.deciding_threads(at) {
        for (register, source) in (0..).zip(&mut sources) {
            let Some(at) = to.coords(register, lane, warp) else { continue };
            let wanted = wanted(&at);
            let Some(found) = from.find(&wanted, lane, warp) else {
                return Err(Refused::new(format!(
                    "lane {lane} of warp {warp} has not the element {wanted:?} that it needs"
                )));
            };
            if *source.get_or_insert(found) != found {
                let message = format!("the element {wanted:?} is in another register in each thread");
                return Err(Refused::new(message).suggest("let the layouts differ in whole registers"));
            }
        }
    }
    // A register that exists nowhere has nothing that counts.
    Ok(sources.into_iter().map(|source| source.unwrap_or(0)).collect())
}

/// For each register of a part the registers of the whole in the same thread that are at the same place along all axes
/// but one.
pub fn groups(whole: &Fragment, part: &Fragment, axis: usize) -> Result<Vec<Vec<usize>>, Refused> {
    let without = |mut at: Place, rank: usize| {
        if rank == whole.shape().len() {
            at.remove(axis);
        }
        at
    };
    let (rank, part_rank) = (whole.shape().len(), part.shape().len());
    // Where lanes and warps add different numbers to the other axes, registers do not go together in all threads.
    let threads = |fragment: &Fragment, rank: usize| -> Vec<Place> {
        let map = fragment.map();
        let columns = |dim: Dim| (0..map.input_bits(dim)).filter_map(move |bit| map.basis(dim, bit));
        columns(Dim::Lane).chain(columns(Dim::Warp)).map(|column| without(column, rank)).collect()
    };
    if threads(whole, rank) != threads(part, part_rank) {
        return Err(Refused::new("the threads do not lie along the other axes as they do in the result")
            .suggest("let the result be a slice of the layout"));
    }
    let places: Vec<Place> = own_places(whole).into_iter().map(|at| without(at, rank)).collect();
    let wanted = own_places(part).into_iter().map(|at| without(at, part_rank));
    Ok(wanted
        .map(|wanted| {
            places.iter().enumerate().filter(|(_, at)| **at == wanted).map(|(register, _)| register).collect()
        })
        .collect())
}
