//! Global memory: loads and stores of fragments, copies to tiles.

use dlc_core::guard::Guard;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::{Interval, SizeExpr};
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::global::{GlobalAccess, combines_vectors};
use dlc_kernel::layout::{Fragment, SharedTile};
use dlc_kernel::ops::{self as kernel, Copied, Hint};
use dlc_kernel::types::{Frag, Work, elem_of, sizes};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::exprs::{Bounds, Expr, Names, Pieces};
use super::linear::{Linear, linear};
use super::lower::{Lower, awaited};
use super::shared::{grouped, widest};
use super::strided::strided_of;
use super::values::{Coords, Lowered, Memory, coords, elem_bytes, exists};
use super::words::Place;
use crate::analysis::index_ranges::{is_narrow, of_type};
use crate::analysis::vectors::{is_convex, widest_of};

/// What an op says of places in memory: the expressions, and what they name.
pub struct Site {
    /// The positions along the axes of the memory, and the steps of these.
    at: Vec<(Expr, Expr)>,
    /// The number of the first element.
    offset: Expr,
    guard: Option<Pieces>,
    args: Vec<ValueId>,
    /// What these are, where that is the same for all registers. The registers of fragments of integers without a sign are
    /// extended with zeros.
    values: Option<Vec<(Arg, bool)>>,
    elem: Type,
    pointer: ValueId,
    pub space: &'static str,
    /// The number of the element, where it is a sum with multiples of positions: what each of them steps over.
    linear: Option<Linear<Expr>>,
}

/// The fragment that is loaded or stored.
pub struct Target<'f> {
    pub fragment: &'f Fragment,
    pub coords: &'f Coords,
    pub elem: Type,
}

/// A vector in memory.
struct Vector {
    place: Place,
    /// Whether the thread has its registers.
    there: Cond,
    /// Whether all of it is accessed.
    whole: Cond,
}

/// Vectors, and whether a guard cuts one of them.
struct Vectors {
    vectors: Vec<Vector>,
    cut: Option<Cond>,
}

/// The elements that one access takes at once.
struct Row {
    /// The axis of the fragment along which they lie.
    axis: usize,
    /// How many they are.
    elements: u32,
    /// Whether guards hold for all of them or none.
    uniform: bool,
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn global(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        if let Some(op) = kernel::Load::of(op) {
            self.load(op)?;
        } else if let Some(op) = kernel::Store::of(op) {
            self.store(op)?;
        } else if let Some(copied) = Copied::of(op) {
            let is_async = kernel::CopyAsync::of(op).is_some();
            self.copy(op, copied, is_async)?;
            // What nothing waits for by itself belongs to the group that is ended next.
            if let Some(out) = awaited(op).filter(|_| is_async) {
                self.code.act(&table::CP_ASYNC_COMMIT, "", &[]);
                let token = self.begin(Work::Load);
                self.set(out, token);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub fn site(
        &mut self,
        memory: ValueId,
        at: Vec<SizeExpr>,
        guard: Option<Guard>,
        args: Vec<ValueId>,
        shape: &[u32],
    ) -> Result<Site, Refused> {
        self.site_of((memory, false), at, guard, args, shape)
    }

    /// The same of a load, next to which others may read windows that overlap: what they have in common is computed alike.
    pub fn loaded_site(&mut self, op: kernel::Load<'a>, guard: Option<Guard>, shape: &[u32]) -> Result<Site, Refused> {
        self.site_of((op.source(), true), op.at(), guard, op.args().collect(), shape)
    }

    fn site_of(
        &mut self,
        (memory, is_load): (ValueId, bool),
        at: Vec<SizeExpr>,
        guard: Option<Guard>,
        args: Vec<ValueId>,
        shape: &[u32],
    ) -> Result<Site, Refused> {
        let rank = shape.len();
        let (pointer, read_only) = match self.value(memory)? {
            &Lowered::Memory(pointer, read_only) => (pointer, read_only),
            _ => return Err(Refused::new("memory is wanted")),
        };
        let mut layout = Memory::of(&self.code, self.kernel.value_type(memory), &at)?;
        // Places in memory of fewer elements have 32 bits: sums and products of as many are right for what is inside.
        let wide = !is_narrow(self.ranges.expr_of(&layout.extent, &[], &[]));
        let mut guard = guard;
        if !self.fixed.is_empty() {
            // With its numbers in their places an expression may be a simpler one.
            let known = |expr: &SizeExpr| expr.substitute(&|name| self.fixed.get(name).cloned()).ok();
            let beyond = || Refused::new("an expression goes beyond 64 bits");
            for expr in layout.at.iter_mut().chain(&mut layout.strides).chain([&mut layout.offset]) {
                *expr = known(expr).ok_or_else(beyond)?;
            }
            guard = guard.map(|guard| guard.map(&known).ok_or_else(beyond)).transpose()?;
        }
        let uniform = args.iter().all(|&arg| matches!(self.value(arg), Ok(Lowered::Index(..))));
        let linear = if uniform { linear(&layout, rank) } else { None };
        let space = if read_only { "global.nc" } else { "global" };
        let value = |&arg: &ValueId| match self.value(arg) {
            Ok(&Lowered::Index(arg, natural)) => (arg, natural),
            _ => (Arg::Int(0), false),
        };
        let values: Vec<(Arg, bool)> = args.iter().map(value).collect();
        let symbols = &self.symbols;
        let symbol = |name: &str| symbols.get(name).copied();
        let any = vec![Arg::Int(0); rank];
        let names = Names { symbols: &symbol, values: &values, coords: &any, parts: &[] };
        let shape: Vec<u32> = shape.iter().map(|size| size.next_power_of_two()).collect();
        let ranges: Vec<_> = args.iter().map(|&arg| (arg, self.range_of(arg))).collect();
        let range_of = |expr: &SizeExpr| self.ranges.expr_of(expr, &ranges, &shape);
        let expr = |expr: &SizeExpr| Expr::of_bits(expr, &names, wide, &range_of);
        let linear = match linear {
            Some(linear) => {
                let linear = match is_load {
                    true => linear.with_windows(guard.as_ref()).with_constant(&layout.extent, wide, &range_of),
                    false => linear,
                };
                let Linear { number, constant, steps, windows } = linear;
                let step = |step: &Option<SizeExpr>| step.as_ref().map(expr).transpose();
                let steps = steps.iter().map(step).collect::<Result<_, Refused>>()?;
                Some(Linear { number: expr(&number)?, constant, steps, windows })
            }
            None => None,
        };
        let pair = |(at, stride): (&SizeExpr, &SizeExpr)| Ok((expr(at)?, expr(stride)?));
        Ok(Site {
            at: layout.at.iter().zip(&layout.strides).map(pair).collect::<Result<_, Refused>>()?,
            offset: expr(&layout.offset)?,
            guard: guard.map(|guard| Pieces::new(&guard, &names, &range_of)).transpose()?,
            args,
            values: uniform.then_some(values),
            elem: layout.elem,
            pointer,
            space,
            linear,
        })
    }

    /// What names stand for in one register.
    fn with_names<T>(
        &mut self,
        site: &Site,
        (coords, parts): (&[Arg], &[(Arg, u32)]),
        register: usize,
        run: impl FnOnce(&mut Code<'c>, &Names<'_>) -> T,
    ) -> Result<T, Refused> {
        // All symbols are looked up.
        let symbols = &|_: &str| None;
        if let Some(values) = &site.values {
            return Ok(run(&mut self.code, &Names { symbols, values, coords, parts }));
        }
        let mut values = Vec::with_capacity(site.args.len());
        for &arg in &site.args {
            let (value, natural) = match self.value(arg)? {
                &Lowered::Index(arg, natural) => (arg, natural),
                &Lowered::Number(arg) => (arg, false),
                Lowered::Fragment(registers) => (registers.get(register).copied().unwrap_or(Arg::Int(0)), false),
                _ => return Err(Refused::new("an integer is wanted")),
            };
            // A truth value is a position too, 0 or 1.
            let value = match self.code.type_of(value) {
                Some(Type::I1) => self.code.cast(value, Type::I1, Type::I32)?,
                _ => value,
            };
            let is_unsigned = self.code.type_of(value) == Some(Type::I32) && !is_narrow(self.range_of(arg));
            let value = match is_unsigned {
                true => self.code.inst(&table::CVT, "u64.u32", &[value]).into(),
                false => value,
            };
            values.push((value, natural));
        }
        Ok(run(&mut self.code, &Names { symbols, values: &values, coords, parts }))
    }

    /// The range of an integer that an expression of places names; out of memory it is what its type can hold.
    fn range_of(&self, value: ValueId) -> Interval {
        if matches!(self.value(value), Ok(Lowered::Index(..))) || self.elem(value) == Type::INDEX {
            return self.ranges.value(value);
        }
        of_type(self.ctx(), self.elem(value))
    }

    /// The address of the element at a place.
    pub fn element(&mut self, site: &Site, place: &[Arg], register: usize) -> Result<Arg, Refused> {
        let bytes = elem_bytes(&self.code, site.elem);
        let pointer = site.pointer;
        self.with_names(site, (place, &[]), register, |code, names| {
            let (mut number, _) = code.value(&site.offset, names);
            for (at, stride) in &site.at {
                let (at, _) = code.value(at, names);
                let (stride, _) = code.value(stride, names);
                let part = code.mul(at, stride);
                number = code.add(number, part);
            }
            code.address(pointer.into(), number, Arg::Int(bytes.into()))
        })
    }

    /// The address of the element that a register holds.
    pub fn address(&mut self, site: &Site, coords: &Coords, register: usize) -> Result<(Arg, i64), Refused> {
        let bytes = i64::from(elem_bytes(&self.code, site.elem));
        if let Some(linear) = site.linear.as_ref().filter(|_| coords.is_sum) {
            let whole = coords.of(&mut self.code, register);
            let parts = coords.thread.iter().zip(whole).zip(&linear.steps);
            let place: Vec<Arg> =
                parts.map(|((&(thread, _), whole), step)| if step.is_some() { thread } else { whole }).collect();
            let own = &coords.registers[register];
            let pointer = site.pointer;
            return self.with_names(site, (&place, &[]), register, |code, names| {
                let (mut number, _) = code.value(&linear.number, names);
                for ((step, window), &at) in linear.steps.iter().zip(&linear.windows).zip(own) {
                    if let (Some(step), Some((each, alongside))) = (step, window) {
                        let (step, _) = code.value(step, names);
                        let far = code.mul(step, Arg::Int(each * i64::from(at) + alongside));
                        number = code.add(number, far);
                    }
                }
                let mut base = code.address(pointer.into(), number, Arg::Int(bytes));
                let mut offset = linear.constant.wrapping_mul(bytes);
                for ((step, window), &at) in linear.steps.iter().zip(&linear.windows).zip(own) {
                    let Some(step) = step else { continue };
                    match step.as_constant() {
                        _ if at == 0 || window.is_some() => {}
                        // Addresses are computed modulo 2^64.
                        Some(step) => {
                            offset = offset.wrapping_add(i64::from(at).wrapping_mul(step).wrapping_mul(bytes));
                        }
                        None => {
                            let (step, _) = code.value(step, names);
                            let far = code.mul(step, Arg::Int(at.into()));
                            base = code.address(base, far, Arg::Int(bytes));
                        }
                    }
                }
                let base = Arg::Value(code.register(base, Type::I64));
                match i32::try_from(offset) {
                    Ok(_) => (base, offset),
                    Err(_) => (code.add64(base, Arg::Int(offset)), 0),
                }
            });
        }
        let place = coords.of(&mut self.code, register);
        let base = self.element(site, &place, register)?;
        Ok((Arg::Value(self.code.register(base, Type::I64)), 0))
    }

    pub fn inside(&mut self, site: &Site, coords: &Coords, register: usize) -> Result<Cond, Refused> {
        let Some(guard) = &site.guard else { return Ok(Cond::Known(true)) };
        let (place, parts) = (coords.of(&mut self.code, register), coords.parts(register));
        self.with_names(site, (&place, &parts), register, |code, names| code.is_inside(guard, names))
    }

    /// How many elements of a row each access of an op has, as it says itself or as many as layout and alignment allow.
    fn row(&self, op: OpRef<'a>) -> Option<Row> {
        let access = GlobalAccess::of(op)?;
        let width = widest_of(op, &access)?;
        let limited = |elements: u32| widest(width.bytes, elements);
        let row = |elements: u32, uniform: bool| Row { axis: width.axis, elements: limited(elements), uniform };
        Some(match access.vector.and_then(|vector| u32::try_from(vector).ok()) {
            Some(vector) => row(vector, true),
            None if limited(width.aligned) > limited(width.vector) && is_convex(access.guard.as_ref(), width.axis) => {
                row(width.aligned, false)
            }
            None => row(width.vector, true),
        })
    }

    /// The vectors of a fragment, and whether guards do not cut them.
    fn vectors(&self, op: OpRef<'a>, fragment: &Fragment) -> (Vec<Vec<u32>>, bool) {
        let single = || ((0..fragment.registers()).map(|register| vec![register]).collect(), true);
        let Some(row) = self.row(op).filter(|row| row.elements > 1) else { return single() };
        let bytes = fragment.elem_bits() / 8;
        match fragment.global_access(row.axis, row.elements * bytes) {
            Ok(access) => (grouped(&access.groups, row.elements), row.uniform),
            Err(_) => single(),
        }
    }

    fn load(&mut self, op: kernel::Load<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let ty = self.kernel.value_type(op.out());
        let shape = self.shape(ty);
        let rank = shape.len();
        let mut site = self.loaded_site(op, op.guard(), &shape)?;
        if op.hint() == Some(Hint::EvictFirst) && site.space == "global.nc" {
            site.space = "global.nc.L1::no_allocate";
        }
        let elem = elem_of(ctx, ty);
        let otherwise = op.fill().and_then(|fill| self.number_of(fill)).unwrap_or_else(|| self.zero(elem));
        if rank == 0 && Frag::of(ctx, ty).is_none() {
            let cond = match &site.guard {
                Some(guard) => self.with_names(&site, (&[], &[]), 0, |code, names| code.is_inside(guard, names))?,
                None => Cond::Known(true),
            };
            let (base, offset) = self.address(&site, &Coords::new(Vec::new(), vec![Vec::new()]), 0)?;
            let place = Place { space: site.space, base, offset };
            let loaded = self.load_vector(place, elem, 1, cond, otherwise)?;
            let value = loaded[0];
            let lowered = if elem == Type::INDEX { Lowered::Index(value, false) } else { Lowered::Number(value) };
            self.set(op.out(), lowered);
            return Ok(());
        }
        let fragment = self.fragment(ty)?;
        let coords = coords(&mut self.code, &fragment, &self.thread_group);
        let (groups, uniform) = self.vectors(*op, &fragment);
        let target = Target { fragment: &fragment, coords: &coords, elem };
        let fewer = strided_of(*op, &target, groups.len()).filter(|_| site.linear.is_some());
        if let Some(strided) = fewer.filter(|_| site.space.starts_with("global.nc")) {
            let registers = self.load_strided(op, &site, &target, strided, otherwise)?;
            self.set(op.out(), Lowered::Fragment(registers.into()));
            return Ok(());
        }
        let loaded = self.load_groups(&site, &target, &groups, uniform, otherwise)?;
        let mut registers = vec![Arg::Int(0); fragment.registers() as usize];
        for (group, values) in groups.iter().zip(loaded) {
            group.iter().zip(values).for_each(|(&register, value)| registers[register as usize] = value);
        }
        self.set(op.out(), Lowered::Fragment(registers.into()));
        Ok(())
    }

    /// The elements of each vector.
    fn load_groups(
        &mut self,
        site: &Site,
        target: &Target<'_>,
        groups: &[Vec<u32>],
        uniform: bool,
        otherwise: Arg,
    ) -> Result<Vec<Vec<Arg>>, Refused> {
        let vectors = self.cut(site, target, groups, uniform)?;
        let elem = target.elem;
        let Some(any_cut) = vectors.cut else {
            let mut loaded = Vec::with_capacity(groups.len());
            for (group, vector) in groups.iter().zip(&vectors.vectors) {
                loaded.push(self.load_vector(vector.place, elem, group.len(), vector.whole, otherwise)?);
            }
            return Ok(loaded);
        };
        // A way on which no vector is cut, and one that goes element by element. What leaves both are words as memory
        // has them, so that nothing waits for what is loaded before all of it has been asked for.
        let (whole, single) = (self.code.new_block(&[]), self.code.new_block(&[]));
        self.code.bra_if(any_cut, (single, &[]), (whole, &[]));
        self.code.start(whole);
        self.code.open();
        let mut words = Vec::new();
        let mut counts = Vec::new();
        for (group, vector) in groups.iter().zip(&vectors.vectors) {
            let own = self.load_words(vector.place, elem, group.len(), vector.whole, otherwise)?;
            counts.push(own.len());
            words.extend(own);
        }
        let types: Vec<Type> = words.iter().map(|&word| self.code.body.value_type(word)).collect();
        let join = self.code.new_block(&types);
        self.code.bra(join, &words);
        self.code.close();
        self.code.start(single);
        self.code.open();
        let bytes = i64::from(elem_bytes(&self.code, elem));
        let mut words = Vec::new();
        for (group, vector) in groups.iter().zip(&vectors.vectors) {
            let mut elements = Vec::with_capacity(group.len());
            for (number, &register) in group.iter().enumerate() {
                let inside = self.inside(site, target.coords, register as usize)?;
                let cond = self.code.both(vector.there, inside);
                let place = Place { offset: vector.place.offset + number as i64 * bytes, ..vector.place };
                elements.extend(self.load_vector(place, elem, 1, cond, otherwise)?);
            }
            let own = self.pack_words(&elements, elem);
            words.extend(own);
        }
        let words: Vec<ValueId> =
            words.into_iter().zip(&types).map(|(word, &ty)| self.code.register(word, ty)).collect();
        self.code.bra(join, &words);
        self.code.close();
        self.code.start(join);
        let mut words = self.code.args(join).into_iter();
        let mut loaded = Vec::with_capacity(groups.len());
        for (group, count) in groups.iter().zip(counts) {
            let own: Vec<ValueId> = words.by_ref().take(count).collect();
            loaded.push(self.unpack_words(&own, elem, group.len()));
        }
        Ok(loaded)
    }

    /// Where vectors are, and where they are accessed whole. Guards that may cut vectors are asked at both ends: a bound
    /// that holds at both holds between them, and one that holds at neither holds nowhere.
    fn cut(
        &mut self,
        site: &Site,
        target: &Target<'_>,
        groups: &[Vec<u32>],
        uniform: bool,
    ) -> Result<Vectors, Refused> {
        let mut vectors = Vec::with_capacity(groups.len());
        let mut any_cut = Cond::Known(false);
        for group in groups {
            let (first, last) = (group[0] as usize, group[group.len() - 1] as usize);
            let there = exists(&mut self.code, target.fragment, target.coords, first);
            let (base, offset) = self.address(site, target.coords, first)?;
            let place = Place { space: site.space, base, offset };
            if uniform {
                let inside = self.inside(site, target.coords, first)?;
                let whole = self.code.both(there, inside);
                vectors.push(Vector { place, there, whole });
                continue;
            }
            let (begins, ends) = (self.bounds(site, target.coords, first)?, self.bounds(site, target.coords, last)?);
            let (mut whole, mut none) = (there, Cond::Known(false));
            for (begin, end) in begins.into_iter().zip(ends) {
                let both = self.code.both(begin, end);
                whole = self.code.both(whole, both);
                let either = self.code.either(begin, end);
                let neither = self.code.not(either);
                none = self.code.either(none, neither);
            }
            let known = self.code.either(whole, none);
            let cut = self.code.not(known);
            let cut = self.code.both(there, cut);
            any_cut = self.code.either(any_cut, cut);
            vectors.push(Vector { place, there, whole });
        }
        let cut = (any_cut != Cond::Known(false)).then_some(any_cut);
        Ok(Vectors { vectors, cut })
    }

    /// Whether each bound of a guard holds for a register.
    fn bounds(&mut self, site: &Site, coords: &Coords, register: usize) -> Result<Vec<Cond>, Refused> {
        let conditions = || site.guard.iter().flat_map(|guard| guard.pieces.iter().flatten());
        let place = coords.of(&mut self.code, register);
        self.with_names(site, (&place, &[]), register, |code, names| {
            let mut bounds = Vec::new();
            for (_, Bounds { expr, lower, upper }) in conditions() {
                let (value, natural) = code.value(expr, names);
                if let Some(lower) = lower {
                    let (lower, _) = code.value(lower, names);
                    bounds.push(match natural && lower == Arg::Int(0) {
                        true => Cond::Known(true),
                        false => code.compare("ge", value, lower),
                    });
                }
                if let Some(upper) = upper {
                    let (upper, _) = code.value(upper, names);
                    bounds.push(code.compare("lt", value, upper));
                }
            }
            bounds
        })
    }

    fn store(&mut self, op: kernel::Store<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let ty = self.kernel.value_type(op.value());
        let args: Vec<ValueId> = op.args().collect();
        let shape = self.shape(ty);
        let mut site = self.site(op.target(), op.at(), op.guard(), args, &shape)?;
        site.space = "global";
        let elem = elem_of(ctx, ty);
        let registers = self.registers(op.value())?;
        let fragment = self.fragment(ty)?;
        let coords = coords(&mut self.code, &fragment, &self.thread_group);
        let owner = self.is_first(&fragment);
        let (groups, uniform) = self.vectors(*op, &fragment);
        let target = Target { fragment: &fragment, coords: &coords, elem };
        let vectors = self.cut(&site, &target, &groups, uniform)?;
        let values =
            |group: &Vec<u32>| group.iter().map(|&register| registers[register as usize]).collect::<Vec<Arg>>();
        let all = |lower: &mut Self| -> Result<(), Refused> {
            for (group, vector) in groups.iter().zip(&vectors.vectors) {
                let cond = lower.code.both(owner, vector.whole);
                lower.put(op, vector.place, elem, &values(group), cond)?;
            }
            Ok(())
        };
        let Some(any_cut) = vectors.cut else { return all(self) };
        let (whole, single) = (self.code.new_block(&[]), self.code.new_block(&[]));
        let join = self.code.new_block(&[]);
        self.code.bra_if(any_cut, (single, &[]), (whole, &[]));
        self.code.start(whole);
        self.code.open();
        all(self)?;
        self.code.bra(join, &[]);
        self.code.close();
        self.code.start(single);
        self.code.open();
        let bytes = i64::from(elem_bytes(&self.code, elem));
        for (group, vector) in groups.iter().zip(&vectors.vectors) {
            let there = self.code.both(owner, vector.there);
            for (number, (&register, value)) in group.iter().zip(values(group)).enumerate() {
                let inside = self.inside(&site, &coords, register as usize)?;
                let cond = self.code.both(there, inside);
                let place = Place { offset: vector.place.offset + number as i64 * bytes, ..vector.place };
                self.put(op, place, elem, &[value], cond)?;
            }
        }
        self.code.bra(join, &[]);
        self.code.close();
        self.code.start(join);
        Ok(())
    }

    /// Puts elements of a row into memory, or combines each with what is there in one step.
    fn put(
        &mut self,
        op: kernel::Store<'a>,
        place: Place,
        elem: Type,
        values: &[Arg],
        cond: Cond,
    ) -> Result<(), Refused> {
        let Some(how) = op.combine() else { return self.store_vector(place, elem, values, cond) };
        if values.len() > 1 && self.is_sm90 && combines_vectors(how, elem) {
            let mut args = vec![place.base, Arg::Int(place.offset)];
            args.extend(values.iter().map(|&value| Arg::from(self.code.register(value, Type::F32))));
            let modifiers = format!("global.add.v{}.f32", values.len());
            self.code.guarded(cond, &table::RED, &modifiers, &args, &[]);
            return Ok(());
        }
        let bytes = i64::from(elem_bytes(&self.code, elem));
        for (number, &value) in values.iter().enumerate() {
            let place = Place { offset: place.offset + number as i64 * bytes, ..place };
            self.combine(place, elem, value, how, cond)?;
        }
        Ok(())
    }

    /// Combines a number with what is in memory, in one step.
    fn combine(&mut self, place: Place, elem: Type, value: Arg, how: Combiner, cond: Cond) -> Result<(), Refused> {
        let modifiers = match (how, elem) {
            (Combiner::Max | Combiner::Min, Type::F32 | Type::F64) => {
                return self.extreme(place, elem, value, how, cond);
            }
            (Combiner::Sum, Type::F32) => "global.add.f32",
            (Combiner::Sum, Type::F64) => "global.add.f64",
            (Combiner::Sum, Type::F16) => "global.add.noftz.f16",
            (Combiner::Sum, Type::BF16) if self.is_sm90 => "global.add.noftz.bf16",
            (Combiner::Sum, Type::I32) => "global.add.s32",
            (Combiner::Sum, Type::I64) => "global.add.u64",
            (Combiner::Max, Type::I32) => "global.max.s32",
            (Combiner::Min, Type::I32) => "global.min.s32",
            (Combiner::Max, Type::I64) => "global.max.s64",
            (Combiner::Min, Type::I64) => "global.min.s64",
            _ => {
                let what = if matches!(elem, Type::I32 | Type::I64) { "combiner" } else { "combiner of floats" };
                return Err(Refused::new(format!("there is no instruction for this {what} in memory"))
                    .suggest("let each block have a place of its own, and combine those in a grid after this one"));
            }
        };
        let held = super::values::held(&self.code, elem);
        let value = self.code.register(value, held);
        let args = [place.base, Arg::Int(place.offset), value.into()];
        self.code.guarded(cond, &table::RED, modifiers, &args, &[]);
        Ok(())
    }

    /// The larger or smaller of a float and what is in memory, by instructions for integers: the bits of floats that are not
    /// negative are in order as signed integers, those of negative ones in reverse order as unsigned ones. NaN is put for bits
    /// that win over all others.
    fn extreme(&mut self, place: Place, elem: Type, value: Arg, how: Combiner, cond: Cond) -> Result<(), Refused> {
        let is_max = how == Combiner::Max;
        let (bits, float, word) =
            if elem == Type::F32 { (Type::I32, "nan.f32", 32) } else { (Type::I64, "nan.f64", 64) };
        let value = Arg::from(self.code.register(value, elem));
        let is_nan = Cond::If(self.code.inst(&table::SETP, float, &[value, value]));
        let number = self.code.bitcast(value, elem, bits)?;
        let winner = if is_max { i64::MAX >> (64 - word) } else { -1 };
        let number = self.code.choose(is_nan, Arg::Int(winner), number);
        let is_negative = self.code.compare("lt", number, Arg::Int(0));
        let number = self.code.register(number, bits);
        let args = [place.base, Arg::Int(place.offset), number.into()];
        for (negative, sign) in [(false, 's'), (true, 'u')] {
            let what = if is_max != negative { "max" } else { "min" };
            let of = if negative { is_negative } else { self.code.not(is_negative) };
            let cond = self.code.both(cond, of);
            self.code.guarded(cond, &table::RED, &format!("global.{what}.{sign}{word}"), &args, &[]);
        }
        Ok(())
    }

    fn copy(&mut self, op: OpRef<'a>, copied: Copied, is_async: bool) -> Result<(), Refused> {
        let ctx = self.ctx();
        // The values of expressions stand after the source.
        let args: Vec<ValueId> = op.operands().skip(1).take(copied.values).collect();
        let tile_ty = self.tile_type(copied.tile.0)?;
        let tile = tile_ty.place(ctx).map_err(Refused::new)?;
        let elem = tile_ty.elem(ctx);
        let at = self.stage(copied.tile.0, copied.tile.1)?;
        let shape = sizes(&tile_ty.shape(ctx)).ok_or_else(|| Refused::new("the sizes of a tile are positive"))?;
        let bits = elem.bits(ctx).unwrap_or(8);
        let fragment = copied.by.place(&shape, bits, self.thread_group.warps).map_err(Refused::new)?;
        let site = self.site(copied.source, copied.at.clone(), copied.guard.clone(), args, &shape)?;
        let otherwise = copied.fill.and_then(|fill| self.number_of(fill)).unwrap_or_else(|| self.zero(elem));
        let (groups, uniform) = self.copy_groups(op, &fragment, &tile);
        // What comes one by one goes to the tile together.
        let single = !is_async && groups.iter().all(|group| group.len() == 1);
        let groups = match single {
            true => {
                let access = fragment.shared_access(&tile, 16).map_err(Refused::new)?;
                grouped(&access.groups, widest(tile.elem_bytes(), access.vector))
            }
            false => groups,
        };
        let coords = coords(&mut self.code, &fragment, &self.thread_group);
        let first = self.is_first(&fragment);
        let is_zero = matches!(otherwise, Arg::Int(0) | Arg::F32(0) | Arg::F64(0));
        let places = self.register_addresses(&fragment, &groups, at, &tile);
        let mut loaded = Vec::new();
        for (group, (base, offset)) in groups.iter().zip(places) {
            let bytes = group.len() as u32 * elem_bytes(&self.code, elem);
            let register = group[0] as usize;
            let there = exists(&mut self.code, &fragment, &coords, register);
            let there = self.code.both(first, there);
            let target = Arg::Value(self.code.register(base, Type::I32));
            if is_async && uniform && is_zero && matches!(bytes, 4 | 8 | 16) {
                let inside = self.inside(&site, &coords, register)?;
                let (from, from_offset) = self.address(&site, &coords, register)?;
                let from = match from_offset {
                    0 => from,
                    offset => self.code.add64(from, Arg::Int(offset)),
                };
                let modifiers = if bytes == 16 { "cg.shared.global" } else { "ca.shared.global" };
                let mut args = vec![target, Arg::Int(offset), from, Arg::Int(0), Arg::Int(bytes.into())];
                if inside != Cond::Known(true) {
                    // Where it is outside, nothing is read, and zeros are written.
                    let read = self.code.choose(inside, Arg::Int(bytes.into()), Arg::Int(0));
                    args.push(read);
                }
                self.code.guarded(there, &table::CP_ASYNC, modifiers, &args, &[]);
                continue;
            }
            let target_of = Target { fragment: &fragment, coords: &coords, elem };
            let vectors = match single {
                true => group.iter().map(|&register| vec![register]).collect(),
                false => vec![group.clone()],
            };
            let values = self.load_groups(&site, &target_of, &vectors, uniform, otherwise)?.concat();
            loaded.push((Place { space: "shared", base: target, offset }, values, there));
        }
        // All of it is on its way before the first of it is waited for.
        for (place, values, there) in loaded {
            self.store_vector(place, elem, &values, there)?;
        }
        Ok(())
    }

    /// The vectors of a copy, as wide as both sides allow, in the order of the tile.
    fn copy_groups(&self, op: OpRef<'a>, fragment: &Fragment, tile: &SharedTile) -> (Vec<Vec<u32>>, bool) {
        let single = || ((0..fragment.registers()).map(|register| vec![register]).collect(), true);
        let Some(row) = self.row(op).filter(|row| row.elements > 1) else { return single() };
        match fragment.shared_access(tile, row.elements * tile.elem_bytes()) {
            Ok(here) => (grouped(&here.groups, row.elements), row.uniform),
            Err(_) => single(),
        }
    }
}
