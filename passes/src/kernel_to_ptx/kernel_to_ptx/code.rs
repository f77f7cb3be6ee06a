//! Making instructions: where they go, what is known already, and integers that are folded while they are made.

use dlc_ir::body::InsertPoint;
use dlc_ir::body::OpParts;
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, RegionId, Type, ValueId};
use dlc_ptx::build::{InstBuilder, NewInst, Shape};
use dlc_ptx::form::Target;
use dlc_ptx::inst::Arg;
use dlc_ptx::ops::{Bra, Exit, NewBraIf};
use dlc_ptx::table::{self, Instruction};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Refused;

/// An instruction that was made: what it is, and what it consists of.
type Key = (Shape, SmallVec<[Arg; 4]>);

/// A condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cond {
    /// It is known.
    Known(bool),
    /// It is a predicate.
    If(ValueId),
}

/// Instructions that grow, block by block.
pub struct Code<'c> {
    pub ctx: &'c Context,
    pub body: Body,
    /// The region that the blocks are in.
    pub region: RegionId,
    /// The block to whose end instructions go.
    pub block: BlockId,
    pub loc: Loc,
    /// Whether a product and a sum of it may be rounded once.
    pub fuse: bool,
    maker: InstBuilder<'c>,
    /// The pure instructions that are there.
    known: FxHashMap<Key, ValueId>,
    /// Those of them that were made since a region was opened, for each that is open: after it they are not there.
    inside: Vec<Vec<Key>>,
    /// Why an instruction was not made. What was made since then is of no use.
    failed: Option<String>,
}

/// The results of an instruction that was not made are as many as any instruction has, so that each that is asked for is
/// there until somebody sees that it failed.
const MOST_RESULTS: usize = 256;

impl<'c> Code<'c> {
    pub fn new(ctx: &'c Context, body: Body, region: RegionId, block: BlockId, loc: Loc) -> Code<'c> {
        let (maker, known) = (InstBuilder::new(ctx), FxHashMap::default());
        Code { ctx, body, region, block, loc, fuse: false, maker, known, inside: Vec::new(), failed: None }
    }

    /// An error if an instruction was not made because the table does not have it.
    pub fn check(&self) -> Result<(), Refused> {
        match &self.failed {
            Some(message) => Err(Refused::new(message.clone())),
            None => Ok(()),
        }
    }

    /// Whether a machine has all instructions that were made.
    pub fn is_for(&self, machine: Target) -> bool {
        self.maker.is_for(machine)
    }

    /// The shape of a new instruction, if the table has it.
    fn shape(&mut self, new: &NewInst<'_>) -> Option<Shape> {
        match self.maker.shape(new.instruction, new.modifiers, new.args.len()) {
            Ok(shape) => Some(shape),
            Err(message) => {
                self.failed.get_or_insert(message);
                None
            }
        }
    }

    /// The results of a new instruction.
    fn make(&mut self, shape: Option<Shape>, new: NewInst<'_>) -> SmallVec<[ValueId; 2]> {
        let loc = self.loc;
        let Some(shape) = shape else {
            let stray = self.body.create_block();
            let value = self.body.add_arg(stray, Type::I32, loc);
            return SmallVec::from_elem(value, MOST_RESULTS);
        };
        let mut builder = Builder::at_end(self.ctx, &mut self.body, self.block);
        let op = self.maker.make(shape, new, &mut builder, loc);
        self.body.results(op).collect()
    }

    /// Opens a region that may not be run, or more than once: what is made in it is not there after it.
    pub fn open(&mut self) {
        self.inside.push(Vec::new());
    }

    /// Closes it.
    pub fn close(&mut self) {
        for key in self.inside.pop().into_iter().flatten() {
            self.known.remove(&key);
        }
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder::at_end(self.ctx, &mut self.body, self.block)
    }

    /// An instruction with one result. A pure one that is there already is not made again.
    pub fn inst(&mut self, row: &'static Instruction, modifiers: &str, args: &[Arg]) -> ValueId {
        self.typed(row, modifiers, args, None)
    }

    /// As [`Code::inst`], with a type of the result that is not the usual one.
    pub fn typed(&mut self, row: &'static Instruction, modifiers: &str, args: &[Arg], ty: Option<Type>) -> ValueId {
        let types = ty.map(|ty| [ty]);
        let new = NewInst { types: types.as_ref().map(|types| types.as_slice()), ..NewInst::new(row, modifiers, args) };
        let shape = self.shape(&new);
        let pure = row.effects == dlc_ir::op::Effects::NONE && ty.is_none();
        let Some(key) = shape.filter(|_| pure).map(|shape| (shape, SmallVec::from_slice(args))) else {
            return self.make(shape, new)[0];
        };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let value = self.make(shape, new)[0];
        if let Some(inside) = self.inside.last_mut() {
            inside.push(key.clone());
        }
        self.known.insert(key, value);
        value
    }

    /// An instruction with any number of results.
    pub fn insts(&mut self, row: &'static Instruction, modifiers: &str, args: &[Arg]) -> Vec<ValueId> {
        let new = NewInst::new(row, modifiers, args);
        let shape = self.shape(&new);
        self.make(shape, new).into_vec()
    }

    /// An instruction for what it does.
    pub fn act(&mut self, row: &'static Instruction, modifiers: &str, args: &[Arg]) {
        let new = NewInst::new(row, modifiers, args);
        let shape = self.shape(&new);
        self.make(shape, new);
    }

    /// An instruction that is done where a condition holds; its results are `otherwise` elsewhere.
    pub fn guarded(
        &mut self,
        cond: Cond,
        row: &'static Instruction,
        modifiers: &str,
        args: &[Arg],
        otherwise: &[ValueId],
    ) -> Vec<ValueId> {
        let guard = match cond {
            Cond::Known(true) => return self.insts(row, modifiers, args),
            Cond::Known(false) => return otherwise.to_vec(),
            Cond::If(predicate) => (predicate, true),
        };
        let types: Vec<Type> = otherwise.iter().map(|&value| self.body.value_type(value)).collect();
        let new = NewInst { guard: Some(guard), otherwise, types: Some(&types), ..NewInst::new(row, modifiers, args) };
        let shape = self.shape(&new);
        self.make(shape, new).into_vec()
    }

    // Blocks.

    /// A new block that takes values of these types, after all others.
    pub fn new_block(&mut self, args: &[Type]) -> BlockId {
        let block = self.body.create_block();
        for &ty in args {
            self.body.add_arg(block, ty, self.loc);
        }
        block
    }

    /// Puts a block after all others, and goes on in it.
    pub fn start(&mut self, block: BlockId) {
        self.body.insert_block(block, self.region, None);
        self.block = block;
    }

    pub fn args(&self, block: BlockId) -> Vec<ValueId> {
        self.body.args(block).to_vec()
    }

    pub fn bra(&mut self, to: BlockId, args: &[ValueId]) {
        let loc = self.loc;
        Bra::build(&mut self.builder(), loc, args, to);
    }

    /// Goes to one of two blocks.
    pub fn bra_if(&mut self, cond: Cond, then: (BlockId, &[ValueId]), otherwise: (BlockId, &[ValueId])) {
        let loc = self.loc;
        match cond {
            Cond::Known(true) => self.bra(then.0, then.1),
            Cond::Known(false) => self.bra(otherwise.0, otherwise.1),
            Cond::If(predicate) => {
                NewBraIf {
                    cond: predicate,
                    then_args: then.1,
                    otherwise_args: otherwise.1,
                    then: then.0,
                    otherwise: otherwise.0,
                }
                .build(&mut self.builder(), loc);
            }
        }
    }

    pub fn exit(&mut self) {
        let loc = self.loc;
        Exit::build(&mut self.builder(), loc);
    }

    // Registers.

    /// The number in a register.
    pub fn register(&mut self, arg: Arg, ty: Type) -> ValueId {
        let modifiers = match ty {
            Type::I1 => {
                // There is no number that a predicate is.
                let holds = matches!(arg, Arg::Int(value) if value != 0);
                return match arg {
                    Arg::Value(value) => value,
                    _ => self.inst(&table::SETP, if holds { "eq.s32" } else { "ne.s32" }, &[Arg::Int(0), Arg::Int(0)]),
                };
            }
            Type::I16 => "b16",
            Type::I64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            _ => "u32",
        };
        match arg {
            Arg::Value(value) => value,
            number => self.inst(&table::MOV, modifiers, &[number]),
        }
    }

    pub fn type_of(&self, arg: Arg) -> Option<Type> {
        match arg {
            Arg::Value(value) => Some(self.body.value_type(value)),
            _ => None,
        }
    }

    /// A 32-bit value as another type of 32 bits.
    pub fn bits(&mut self, value: ValueId, ty: Type) -> ValueId {
        if self.body.value_type(value) == ty {
            return value;
        }
        let modifiers = if ty.bits(self.ctx) == Some(64) { "b64" } else { "b32" };
        self.typed(&table::MOV, modifiers, &[Arg::Value(value)], Some(ty))
    }

    // Integers. They have 32 bits, unless one of the operands has 64.

    /// Whether an integer has 64 bits: its register, or as a number.
    pub fn is_wide(&self, a: Arg) -> bool {
        match a {
            Arg::Int(value) => i32::try_from(value).is_err(),
            other => self.type_of(other) == Some(Type::I64),
        }
    }

    /// An integer in 64 bits.
    pub fn in64(&mut self, a: Arg) -> Arg {
        match a {
            Arg::Value(_) if !self.is_wide(a) => self.inst(&table::CVT, "s64.s32", &[a]).into(),
            other => other,
        }
    }

    /// The lower 32 bits of an integer.
    pub fn in32(&mut self, a: Arg) -> Arg {
        match a {
            Arg::Int(value) => Arg::Int((value as i32).into()),
            _ if !self.is_wide(a) => a,
            // What was extended is there as it was.
            _ => match self.origin(a) {
                Some((row, "s64.s32", of, 0)) if std::ptr::eq(row, &table::CVT) && of.len() == 1 => of[0].into(),
                _ => self.inst(&table::CVT, "u32.u64", &[a]).into(),
            },
        }
    }

    /// The nearest 32-bit integer.
    pub fn saturated(&mut self, a: Arg) -> Arg {
        match a {
            Arg::Int(value) => Arg::Int(value.clamp(i32::MIN.into(), i32::MAX.into())),
            _ if self.is_wide(a) => self.inst(&table::CVT, "sat.s32.s64", &[a]).into(),
            other => other,
        }
    }

    /// Both in 64 bits, if one of them has as many.
    fn alike(&mut self, a: Arg, b: Arg) -> Option<(Arg, Arg)> {
        let is_wide = self.is_wide(a) || self.is_wide(b);
        is_wide.then(|| (self.in64(a), self.in64(b)))
    }

    pub fn add(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.wrapping_add(b)),
            (x, Arg::Int(0)) | (Arg::Int(0), x) => x,
            (Arg::Int(n), x) => self.add(x, Arg::Int(n)),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.add64(a, b),
                None => self.inst(&table::ADD, "s32", &[a, b]).into(),
            },
        }
    }

    pub fn sub(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.wrapping_sub(b)),
            (x, Arg::Int(n)) => self.add(x, Arg::Int(-n)),
            _ if a == b => Arg::Int(0),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.inst(&table::SUB, "s64", &[a, b]).into(),
                None => self.inst(&table::SUB, "s32", &[a, b]).into(),
            },
        }
    }

    pub fn mul(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.wrapping_mul(b)),
            (_, Arg::Int(0)) | (Arg::Int(0), _) => Arg::Int(0),
            (x, Arg::Int(1)) | (Arg::Int(1), x) => x,
            (Arg::Int(n), x) => self.mul(x, Arg::Int(n)),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.mul64(a, b),
                None => match b {
                    Arg::Int(n) if n > 0 && (n as u64).is_power_of_two() => self.shl(a, n.trailing_zeros()),
                    _ => self.inst(&table::MUL, "lo.s32", &[a, b]).into(),
                },
            },
        }
    }

    pub fn shl(&mut self, a: Arg, by: u32) -> Arg {
        match a {
            Arg::Int(a) => Arg::Int(a << by),
            _ if by == 0 => a,
            _ => self.inst(&table::SHL, "b32", &[a, Arg::Int(by.into())]).into(),
        }
    }

    /// Bits moved down, of a number that is not negative.
    pub fn shr(&mut self, a: Arg, by: u32) -> Arg {
        match a {
            Arg::Int(a) => Arg::Int(a >> by),
            _ if by == 0 => a,
            _ => self.inst(&table::SHR, "u32", &[a, Arg::Int(by.into())]).into(),
        }
    }

    pub fn and(&mut self, a: Arg, mask: i64) -> Arg {
        match a {
            Arg::Int(a) => Arg::Int(a & mask),
            _ => self.inst(&table::AND, "b32", &[a, Arg::Int(mask)]).into(),
        }
    }

    pub fn or(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a | b),
            (x, Arg::Int(0)) | (Arg::Int(0), x) => x,
            (Arg::Int(n), x) => self.or(x, Arg::Int(n)),
            _ => self.inst(&table::OR, "b32", &[a, b]).into(),
        }
    }

    pub fn xor(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a ^ b),
            (x, Arg::Int(0)) | (Arg::Int(0), x) => x,
            (Arg::Int(n), x) => self.xor(x, Arg::Int(n)),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.inst(&table::XOR, "b64", &[a, b]).into(),
                None => self.inst(&table::XOR, "b32", &[a, b]).into(),
            },
        }
    }

    pub fn min(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.min(b)),
            (Arg::Int(_), x) => self.min(x, a),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.inst(&table::MIN, "s64", &[a, b]).into(),
                None => self.inst(&table::MIN, "s32", &[a, b]).into(),
            },
        }
    }

    pub fn max(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.max(b)),
            (Arg::Int(_), x) => self.max(x, a),
            _ => match self.alike(a, b) {
                Some((a, b)) => self.inst(&table::MAX, "s64", &[a, b]).into(),
                None => self.inst(&table::MAX, "s32", &[a, b]).into(),
            },
        }
    }

    /// The quotient rounded down; `natural` says that neither number is negative.
    pub fn floordiv(&mut self, a: Arg, b: Arg, natural: bool) -> Arg {
        let (a, b, bits) = match self.alike(a, b) {
            Some((a, b)) => (a, b, 64),
            None => (a, b, 32),
        };
        let ty = if bits == 64 { Type::I64 } else { Type::I32 };
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) if b != 0 => {
                Arg::Int(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0))
            }
            (x, Arg::Int(1)) => x,
            (x, Arg::Int(n)) if n > 0 && (n as u64).is_power_of_two() => {
                let by = Arg::Int(n.trailing_zeros().into());
                let sign = if natural { 'u' } else { 's' };
                self.inst(&table::SHR, &format!("{sign}{bits}"), &[x, by]).into()
            }
            _ if natural => {
                let a = Arg::Value(self.register(a, ty));
                self.inst(&table::DIV, &format!("u{bits}"), &[a, b]).into()
            }
            _ => {
                // Rounded towards zero, and one less where something is left of another sign.
                let a = Arg::Value(self.register(a, ty));
                let cut = Arg::Value(self.inst(&table::DIV, &format!("s{bits}"), &[a, b]));
                let back = self.mul(cut, b);
                let left = self.sub(a, back);
                let mixed = self.xor(left, b);
                let signs = self.compare("lt", mixed, Arg::Int(0));
                let some = self.compare("ne", left, Arg::Int(0));
                let less = self.both(signs, some);
                let one = self.sub(cut, Arg::Int(1));
                self.choose(less, one, cut)
            }
        }
    }

    /// What is left of the quotient rounded down.
    pub fn floormod(&mut self, a: Arg, b: Arg, natural: bool) -> Arg {
        match b {
            Arg::Int(n) if n > 0 && (n as u64).is_power_of_two() && !self.is_wide(a) => self.and(a, n - 1),
            _ if natural && !matches!((a, b), (Arg::Int(_), Arg::Int(_))) => {
                let (a, b, ty) = match self.alike(a, b) {
                    Some((a, b)) => (a, b, Type::I64),
                    None => (a, b, Type::I32),
                };
                let a = Arg::Value(self.register(a, ty));
                self.inst(&table::REM, if ty == Type::I64 { "u64" } else { "u32" }, &[a, b]).into()
            }
            _ => {
                let quotient = self.floordiv(a, b, natural);
                let back = self.mul(quotient, b);
                self.sub(a, back)
            }
        }
    }

    // Conditions.

    /// `eq`, `ne`, `lt`, `le`, `gt`, `ge` of integers.
    pub fn compare(&mut self, sign: &str, a: Arg, b: Arg) -> Cond {
        if let (Arg::Int(a), Arg::Int(b)) = (a, b) {
            return Cond::Known(match sign {
                "eq" => a == b,
                "ne" => a != b,
                "lt" => a < b,
                "le" => a <= b,
                "gt" => a > b,
                _ => a >= b,
            });
        }
        if let Arg::Int(_) = a {
            let turned = match sign {
                "lt" => "gt",
                "le" => "ge",
                "gt" => "lt",
                "ge" => "le",
                same => same,
            };
            return self.compare(turned, b, a);
        }
        match self.alike(a, b) {
            Some((a, b)) => Cond::If(self.inst(&table::SETP, &format!("{sign}.s64"), &[a, b])),
            None => Cond::If(self.inst(&table::SETP, &format!("{sign}.s32"), &[a, b])),
        }
    }

    pub fn both(&mut self, a: Cond, b: Cond) -> Cond {
        match (a, b) {
            (Cond::Known(false), _) | (_, Cond::Known(false)) => Cond::Known(false),
            (Cond::Known(true), x) | (x, Cond::Known(true)) => x,
            (Cond::If(a), Cond::If(b)) if a == b => Cond::If(a),
            (Cond::If(a), Cond::If(b)) => Cond::If(self.inst(&table::AND, "pred", &[a.into(), b.into()])),
        }
    }

    pub fn either(&mut self, a: Cond, b: Cond) -> Cond {
        match (a, b) {
            (Cond::Known(true), _) | (_, Cond::Known(true)) => Cond::Known(true),
            (Cond::Known(false), x) | (x, Cond::Known(false)) => x,
            (Cond::If(a), Cond::If(b)) => Cond::If(self.inst(&table::OR, "pred", &[a.into(), b.into()])),
        }
    }

    pub fn not(&mut self, a: Cond) -> Cond {
        match a {
            Cond::Known(known) => Cond::Known(!known),
            Cond::If(a) => Cond::If(self.inst(&table::NOT, "pred", &[a.into()])),
        }
    }

    /// One of two integers.
    pub fn choose(&mut self, cond: Cond, yes: Arg, no: Arg) -> Arg {
        match cond {
            Cond::Known(true) => yes,
            Cond::Known(false) => no,
            Cond::If(_) if yes == no => yes,
            Cond::If(predicate) => match self.alike(yes, no) {
                Some((yes, no)) => self.inst(&table::SELP, "b64", &[yes, no, predicate.into()]).into(),
                None => self.inst(&table::SELP, "b32", &[yes, no, predicate.into()]).into(),
            },
        }
    }

    /// The condition as a predicate.
    pub fn predicate(&mut self, cond: Cond) -> ValueId {
        match cond {
            Cond::If(predicate) => predicate,
            Cond::Known(known) => self.register(Arg::Int(known.into()), Type::I1),
        }
    }

    // 64-bit integers.

    /// An integer times one of 64 bits, added to one of 64.
    pub fn address(&mut self, base: Arg, index: Arg, step: Arg) -> Arg {
        match (index, step) {
            (Arg::Int(0), _) | (_, Arg::Int(0)) => base,
            (Arg::Int(index), Arg::Int(step)) => self.add64(base, Arg::Int(index.wrapping_mul(step))),
            (index, step) if self.is_wide(index) => {
                let far = self.mul64(index, step);
                self.add64(base, far)
            }
            (index, Arg::Int(step)) if i32::try_from(step).is_ok() => match base {
                Arg::Int(0) => self.inst(&table::MUL, "wide.s32", &[index, Arg::Int(step)]).into(),
                base => self.inst(&table::MAD, "wide.s32", &[index, Arg::Int(step), base]).into(),
            },
            (Arg::Int(index), step) => {
                let product = self.mul64(step, Arg::Int(index));
                self.add64(base, product)
            }
            (index, step) => {
                let wide = Arg::Value(self.inst(&table::CVT, "s64.s32", &[index]));
                match base {
                    Arg::Int(0) => self.mul64(wide, step),
                    base => self.inst(&table::MAD, "lo.s64", &[wide, step, base]).into(),
                }
            }
        }
    }

    pub fn add64(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.wrapping_add(b)),
            (x, Arg::Int(0)) | (Arg::Int(0), x) => x,
            (Arg::Int(n), x) => self.add64(x, Arg::Int(n)),
            _ => self.inst(&table::ADD, "s64", &[a, b]).into(),
        }
    }

    pub fn mul64(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Int(a), Arg::Int(b)) => Arg::Int(a.wrapping_mul(b)),
            (_, Arg::Int(0)) | (Arg::Int(0), _) => Arg::Int(0),
            (x, Arg::Int(1)) | (Arg::Int(1), x) => x,
            (Arg::Int(n), x) => self.mul64(x, Arg::Int(n)),
            (x, Arg::Int(n)) if n > 0 && (n as u64).is_power_of_two() => {
                self.inst(&table::SHL, "b64", &[x, Arg::Int(n.trailing_zeros().into())]).into()
            }
            _ => self.inst(&table::MUL, "lo.s64", &[a, b]).into(),
        }
    }
}

/// The body of a function of instructions, without its ops.
pub fn function(ctx: &Context, name: &str, loc: Loc, props: Attr, attrs: Attr) -> (Body, BlockId) {
    let mut body = Body::new(ctx.op_name(name), loc, 1);
    let root = body.root();
    body.set_props(root, props);
    body.set_attrs(root, attrs);
    let block = body.append_block(body.root_region());
    (body, block)
}

/// Makes an op at the end of a block.
pub fn append(body: &mut Body, block: BlockId, parts: OpParts<'_>) -> dlc_ir::OpId {
    let op = body.create_op(parts);
    body.insert(op, InsertPoint::EndOf(block));
    op
}
