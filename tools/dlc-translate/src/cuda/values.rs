//! What each value of an entry is in C++: a number, part of an expression, a variable, an element of an array.

use dlc_ir::op::Effects;
use dlc_ir::{BlockId, Body, Loc, OpId, OpRef, RegionId, Type, ValueId};
use dlc_ptx::emit::Registers;
use dlc_ptx::inst::{Arg, Inst};
use dlc_ptx::ops::Entry;
use rustc_hash::{FxHashMap, FxHashSet};

use super::kinds::{self, Kind};

/// How many ops an expression has at most.
const LONGEST: usize = 6;

/// How many numbers that are alike are an array; of positions and conditions it takes twice as many.
const ALIKE: usize = 4;

/// A variable, or an element of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// The variable: see [`Values::names`].
    pub number: usize,
    /// Which element, of an array.
    pub element: Option<usize>,
}

/// A variable, with what is known of it.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// How many elements it has, if it is an array.
    pub count: Option<usize>,
    /// Whether it is written only once, by an instruction.
    pub once: bool,
    /// Whether its elements are zero where what gives them is not done.
    pub zero: bool,
}

/// The values of an entry.
pub struct Values<'a> {
    pub entry: Entry<'a>,
    pub insts: FxHashMap<OpId, Inst<'a>>,
    pub registers: Registers,
    pub kinds: FxHashMap<ValueId, Kind>,
    /// Integers that are not negative.
    pub natural: FxHashSet<ValueId>,
    /// Values that stand as an expression where they are used.
    pub folded: FxHashSet<ValueId>,
    pub variables: FxHashMap<ValueId, Variable>,
    pub declared: Vec<Declared>,
}

impl<'a> Values<'a> {
    /// The values of an entry, whose memory has these elements. An error names an op that is no instruction.
    pub fn of(entry: Entry<'a>, region: RegionId) -> Result<Values<'a>, (OpRef<'a>, String)> {
        let op = *entry;
        let body = op.body;
        let blocks: Vec<BlockId> = body.blocks(region).collect();
        let mut insts = FxHashMap::default();
        let mut wanted = Vec::new();
        for &block in &blocks {
            for id in body.ops(block) {
                let inner = OpRef { id, ..op };
                if dlc_ptx::inst::row(inner).is_none() {
                    continue;
                }
                let inst = Inst::of(inner).map_err(|why| (inner, why))?;
                // What is wanted elsewhere, too, is no sum on its way.
                wanted.extend(accumulated(&inst).into_iter().filter(|&(_, source)| body.has_one_use(source)));
                insts.insert(id, inst);
            }
        }
        let literal = |value: ValueId| is_literal(body, &insts, value);
        let registers = Registers::with(op.ctx, body, region, &literal, &wanted);
        let kinds = kinds::kinds(entry, &blocks, &insts, &registers);
        let natural = kinds::natural(entry, &blocks, &insts);
        let mut values = Values {
            entry,
            insts,
            registers,
            kinds,
            natural,
            folded: FxHashSet::default(),
            variables: FxHashMap::default(),
            declared: Vec::new(),
        };
        values.fold(&blocks);
        values.declare(&blocks);
        Ok(values)
    }

    pub fn body(&self) -> &'a Body {
        self.entry.body
    }

    /// The instruction that gives a value.
    pub fn inst(&self, value: ValueId) -> Option<&Inst<'a>> {
        self.insts.get(&self.body().defining_op(value)?)
    }

    /// The number that a value is, if it is one.
    pub fn literal(&self, value: ValueId) -> Option<Arg> {
        let inst = self.inst(value)?;
        match (inst.instruction.name, inst.args.as_slice(), inst.guard) {
            ("mov", [arg @ (Arg::Int(_) | Arg::F32(_) | Arg::F64(_))], None) => Some(*arg),
            _ => None,
        }
    }

    /// Whether nothing has been put into a value.
    pub fn is_undef(&self, value: ValueId) -> bool {
        self.inst(value).is_some_and(|inst| inst.instruction.name == "undef")
    }

    /// Whether a value has no variable: it is a number, or nothing.
    pub fn is_literal(&self, value: ValueId) -> bool {
        is_literal(self.body(), &self.insts, value)
    }

    pub fn class(&self, value: ValueId) -> u32 {
        self.registers.class(value)
    }

    /// The values that an expression consists of and that are no numbers, looked through what stands in it.
    pub fn leaves(&self, value: ValueId, into: &mut Vec<ValueId>) {
        if self.is_literal(value) {
            return;
        }
        if !self.folded.contains(&value) {
            into.push(value);
            return;
        }
        if let Some(inst) = self.inst(value) {
            for operand in inst.op.operands().collect::<Vec<_>>() {
                self.leaves(operand, into);
            }
        }
    }

    /// Decides what stands as an expression where it is used: what is used once, in the same block, and whose operands are
    /// there the same then.
    fn fold(&mut self, blocks: &[BlockId]) {
        let body = self.body();
        let mut costs: FxHashMap<ValueId, usize> = FxHashMap::default();
        for &block in blocks {
            let ops: Vec<OpId> = body.ops(block).collect();
            let at: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(at, &op)| (op, at)).collect();
            let mut written: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
            for (index, &op) in ops.iter().enumerate() {
                body.results(op).for_each(|value| written.entry(self.class(value)).or_default().push(index));
            }
            for (index, &id) in ops.iter().enumerate() {
                let Some(inst) = self.insts.get(&id) else { continue };
                let mut results = body.results(id);
                let (Some(result), None) = (results.next(), results.next()) else { continue };
                if inst.guard.is_some() || self.is_literal(result) || !body.has_one_use(result) {
                    continue;
                }
                let Some(only) = body.uses(result).next() else { continue };
                let Some(&used) = at.get(&only.op) else { continue };
                let Some(user) = self.user(only.op, result) else { continue };
                // A register of a fragment stands in what makes another one, and nowhere else.
                let makes_one =
                    |id: OpId| body.results(id).all(|value| self.is_numbered(value)) && body.num_results(id) == 1;
                if self.is_numbered(result) && !makes_one(only.op) {
                    continue;
                }
                let pure = inst.instruction.effects == Effects::NONE;
                // What waits or asks stands in the condition of the branch after it.
                let asked = user.is_none() && (index + 1..used).all(|between| self.is_silent(ops[between]));
                if !(pure || asked && body.value_type(result) == Type::I1) || stays_apart(inst) {
                    continue;
                }
                // A sum that is one variable all the way is written step by step.
                if accumulated(inst).iter().any(|&(_, source)| self.class(source) == self.class(result)) {
                    continue;
                }
                let operands: Vec<ValueId> = inst.op.operands().collect();
                let cost = 1 + operands.iter().filter_map(|operand| costs.get(operand)).sum::<usize>();
                if cost > LONGEST {
                    continue;
                }
                let mut leaves = Vec::new();
                operands.iter().for_each(|&operand| self.leaves(operand, &mut leaves));
                let same = |leaf: &ValueId| {
                    let writes = written.get(&self.class(*leaf));
                    !writes.is_some_and(|writes| writes.iter().any(|&write| write > index && write < used))
                };
                if leaves.iter().all(same) {
                    self.folded.insert(result);
                    costs.insert(result, cost);
                }
            }
        }
    }

    /// The instruction that uses a value as an operand, `None` in it for a branch on it. `None` where it is handed on, or
    /// where it would be written several times.
    fn user(&self, id: OpId, value: ValueId) -> Option<Option<&Inst<'a>>> {
        match self.insts.get(&id) {
            Some(inst) => (!inst.otherwise.contains(&value) && !inst.is_tied()).then_some(Some(inst)),
            None => {
                let op = OpRef { id, ..*self.entry };
                (op.successors().len() == 2 && op.operand(0) == value).then_some(None)
            }
        }
    }

    /// Whether nothing is written for an op where it stands.
    fn is_silent(&self, id: OpId) -> bool {
        self.body().results(id).all(|value| self.folded.contains(&value) || self.is_literal(value))
            && self.insts.get(&id).is_some_and(|inst| inst.instruction.effects == Effects::NONE)
    }

    /// Gives every value that needs one a variable.
    fn declare(&mut self, blocks: &[BlockId]) {
        let body = self.body();
        let first = blocks.first().copied();
        // The values of each register, in order, and whether instructions alone write it.
        let mut of_class: FxHashMap<(u32, Type), Vec<ValueId>> = FxHashMap::default();
        let mut order: Vec<ValueId> = Vec::new();
        for &block in blocks {
            order.extend(body.args(block));
            body.ops(block).for_each(|op| order.extend(body.results(op)));
        }
        order.retain(|&value| !self.is_literal(value) && !self.folded.contains(&value) && self.is_named(value));
        for &value in &order {
            of_class.entry((self.class(value), body.value_type(value))).or_default().push(value);
        }
        let mut taken: FxHashSet<String> = kinds::reserved();
        let key = |value: ValueId| (self.registers.class(value), body.value_type(value));
        let mut groups: Vec<Vec<ValueId>> = Vec::new();
        for &block in blocks {
            if Some(block) != first {
                groups.extend(self.named(body.args(block).to_vec()));
                let is_word = |value: ValueId| self.kinds.get(&value) == Some(&Kind::Int);
                groups.extend(runs(body, body.args(block)).into_iter().filter(|run| !is_word(run[0])));
            }
            groups.extend(self.named(body.ops(block).flat_map(|op| body.results(op)).collect()));
            groups.extend(self.fragments(block));
        }
        for &block in blocks {
            groups.extend(self.alike(block).into_iter().filter(|group| {
                group.iter().all(|&value| of_class.get(&key(value)).is_some_and(|members| members.len() == 1))
            }));
        }
        let mut place: FxHashMap<(u32, Type), Variable> = FxHashMap::default();
        let mut names = Names::default();
        let argument = |value: ValueId| first.is_some_and(|first| body.args(first).contains(&value));
        for group in groups {
            let keys: Vec<(u32, Type)> = group.iter().map(|&value| key(value)).collect();
            let distinct: FxHashSet<&(u32, Type)> = keys.iter().collect();
            if keys.iter().any(|key| place.contains_key(key)) || distinct.len() < keys.len() {
                continue;
            }
            let carried = body.defining_op(group[0]).is_none();
            let keys_of = keys.clone();
            let name = names.of(self, group[0], carried, true, &mut taken);
            for (element, key) in keys.into_iter().enumerate() {
                place.insert(key, Variable { number: self.declared.len(), element: Some(element) });
            }
            let kind = self.kinds.get(&group[0]).copied().unwrap_or(Kind::Unsigned);
            let zero = !carried
                && body.defining_op(group[0]).is_some_and(|id| body.num_results(id) > 1)
                && group.iter().all(|&value| self.is_zero_else(value));
            let zero = zero && keys_of.iter().all(|key| of_class.get(key).is_some_and(|members| members.len() == 1));
            self.declared.push(Declared { name, kind, count: Some(group.len()), once: false, zero });
        }
        for value in order {
            let key = key(value);
            let variable = match place.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let members = of_class.get(&key).map_or(&[][..], Vec::as_slice);
                    let once = members.len() == 1 && (body.defining_op(value).is_some() || argument(value));
                    let name = names.of(self, value, !once, false, &mut taken);
                    let kind = self.kinds.get(&value).copied().unwrap_or(Kind::Unsigned);
                    let variable = Variable { number: self.declared.len(), element: None };
                    place.insert(key, variable.clone());
                    self.declared.push(Declared { name, kind, count: None, once, zero: false });
                    variable
                }
            };
            self.variables.insert(value, variable);
        }
    }

    /// The registers of fragments among values, which say in their names what they are of: `%x.0`, `%x.1`, ..
    fn named(&self, values: Vec<ValueId>) -> Vec<Vec<ValueId>> {
        let mut found: Vec<Vec<(usize, ValueId)>> = Vec::new();
        let mut last: FxHashMap<(String, Option<Kind>), usize> = FxHashMap::default();
        for value in values {
            let skip = self.is_literal(value) || self.folded.contains(&value) || !self.is_named(value);
            let Some((name, Some(number))) = self.said_name(value).filter(|_| !skip) else { continue };
            let key = (name, self.kinds.get(&value).copied());
            // What has the same number is of another fragment, or of the same one in another step of a loop.
            match last.get(&key).map(|&at| &mut found[at]) {
                Some(group) if group.iter().all(|&(known, _)| known != number) => group.push((number, value)),
                _ => {
                    last.insert(key, found.len());
                    found.push(vec![(number, value)]);
                }
            }
        }
        let ordered = |mut group: Vec<(usize, ValueId)>| {
            group.sort_by_key(|&(number, _)| number);
            group.into_iter().map(|(_, value)| value).collect()
        };
        found.into_iter().filter(|group| group.len() > 1).map(ordered).collect()
    }

    /// Whether a value is a register of a fragment by its name.
    fn is_numbered(&self, value: ValueId) -> bool {
        self.said_name(value).is_some_and(|(_, number)| number.is_some())
    }

    /// Where the loop stands that goes round while a value holds.
    pub fn loop_of(&self, again: ValueId) -> Option<Loc> {
        let body = self.body();
        let branch = body.uses(again).map(|only| only.op).find(|&id| body.successors(id).len() == 2)?;
        Some(body.arg_loc(*body.successors(branch).first()?, 0))
    }

    /// The name that a value has in the kernel, and its number among the registers of a fragment.
    fn said_name(&self, value: ValueId) -> Option<(String, Option<usize>)> {
        let text = self.entry.ctx.str(self.body().value_name(value));
        let (name, number) = match text.split_once('.') {
            None => (text, None),
            // The IR tells values of one name apart by a number after it.
            Some((name, number)) => (name, Some(number.split('_').next()?.parse().ok()?)),
        };
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_word && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()))
            .then(|| (name.to_string(), number))
    }

    /// The results of instructions that give several, those of neighbours that are of one op of the kernel together.
    fn fragments(&self, block: BlockId) -> Vec<Vec<ValueId>> {
        let body = self.body();
        let mut groups: Vec<Vec<ValueId>> = Vec::new();
        let mut last: Option<(Loc, &str, usize)> = None;
        for id in body.ops(block) {
            let results: Vec<ValueId> = body.results(id).collect();
            let Some(inst) = self.insts.get(&id).filter(|_| results.len() > 1) else { continue };
            // Registers of fragments are arrays already.
            if results.iter().all(|&value| self.is_numbered(value)) {
                continue;
            }
            // Without a place an instruction is alone.
            let loc = if super::source::is_known(self.entry.ctx, body.loc(id)) { body.loc(id) } else { Loc::UNKNOWN };
            let this = Some((loc, inst.instruction.name, results.len()));
            let in_place = super::helpers::adds_in_place(inst);
            match groups.last_mut() {
                Some(group) if last == this && loc != Loc::UNKNOWN && !in_place && group.len() < 256 => {
                    group.extend(results)
                }
                _ => groups.push(results),
            }
            last = this;
        }
        groups
    }

    /// The results of instructions that are alike and of one op of the kernel.
    fn alike(&self, block: BlockId) -> Vec<Vec<ValueId>> {
        let body = self.body();
        let mut groups: Vec<(Loc, String, Vec<ValueId>)> = Vec::new();
        for id in body.ops(block) {
            let mut results = body.results(id);
            let (Some(result), None) = (results.next(), results.next()) else { continue };
            let Some(inst) = self.insts.get(&id) else { continue };
            let loc = body.loc(id);
            let named = !self.is_literal(result) && !self.folded.contains(&result) && self.is_named(result);
            let is_pointer = matches!(self.kinds.get(&result), Some(Kind::Pointer(..) | Kind::Map));
            if !named || is_pointer || !super::source::is_known(self.entry.ctx, loc) {
                continue;
            }
            let mnemonic = format!("{} {:?}", inst.mnemonic(), self.kinds.get(&result));
            match groups.iter_mut().find(|(of, name, _)| *of == loc && *name == mnemonic) {
                Some((_, _, group)) => group.push(result),
                None => groups.push((loc, mnemonic, vec![result])),
            }
        }
        let is_number = |value: ValueId| {
            matches!(self.kinds.get(&value), Some(Kind::Half | Kind::Bfloat | Kind::Float | Kind::Double | Kind::Short))
        };
        let enough = |group: &Vec<ValueId>| group.len() >= if is_number(group[0]) { ALIKE } else { 2 * ALIKE };
        groups.into_iter().map(|(_, _, group)| group).filter(enough).collect()
    }

    /// Whether a value is zero where its instruction is not done.
    fn is_zero_else(&self, value: ValueId) -> bool {
        self.inst(value).is_some_and(|inst| {
            !inst.otherwise.is_empty()
                && inst
                    .otherwise
                    .iter()
                    .all(|&other| matches!(self.literal(other), Some(Arg::Int(0) | Arg::F32(0) | Arg::F64(0))))
        })
    }

    /// Whether a value is used, or made by something that needs a place to put it.
    fn is_named(&self, value: ValueId) -> bool {
        let body = self.body();
        body.has_uses(value) || self.inst(value).is_some_and(|inst| inst.instruction.effects != Effects::NONE)
    }

    /// The name of a variable or an element.
    pub fn text(&self, variable: &Variable) -> String {
        let name = &self.declared[variable.number].name;
        match variable.element {
            Some(element) => format!("{name}[{element}]"),
            None => name.clone(),
        }
    }
}

fn is_literal(body: &Body, insts: &FxHashMap<OpId, Inst<'_>>, value: ValueId) -> bool {
    let Some(inst) = body.defining_op(value).and_then(|id| insts.get(&id)) else { return false };
    let number = matches!(inst.args.as_slice(), [Arg::Int(_) | Arg::F32(_) | Arg::F64(_)]);
    inst.instruction.name == "undef" || (inst.instruction.name == "mov" && number && inst.guard.is_none())
}

/// What an instruction adds to, with what it gives: the same variable is good for both.
fn accumulated(inst: &Inst<'_>) -> Vec<(ValueId, ValueId)> {
    let last = match inst.instruction.name {
        "fma" => inst.args.len() - 1..inst.args.len(),
        "mma" => inst.args.len() - inst.op.results().count()..inst.args.len(),
        _ => return Vec::new(),
    };
    let sources = inst.args[last].iter().copied();
    inst.op
        .results()
        .zip(sources)
        .filter_map(|(result, arg)| match arg {
            Arg::Value(value) => Some((result, value)),
            _ => None,
        })
        .collect()
}

/// What has a name of its own although it is used once.
fn stays_apart(inst: &Inst<'_>) -> bool {
    matches!(inst.instruction.name, "smem" | "undef")
}

/// Arguments that follow each other and have one type of those that fragments have.
fn runs(body: &Body, args: &[ValueId]) -> Vec<Vec<ValueId>> {
    let mut runs: Vec<Vec<ValueId>> = Vec::new();
    for &arg in args {
        let ty = body.value_type(arg);
        match runs.last_mut() {
            Some(run) if body.value_type(run[0]) == ty => run.push(arg),
            _ => runs.push(vec![arg]),
        }
    }
    runs.retain(|run| run.len() >= 4 && body.value_type(run[0]) != Type::I1);
    runs
}

/// Names that say what a variable is.
#[derive(Default)]
struct Names {
    counts: FxHashMap<String, usize>,
}

impl Names {
    fn of(
        &mut self,
        values: &Values<'_>,
        value: ValueId,
        carried: bool,
        array: bool,
        taken: &mut FxHashSet<String>,
    ) -> String {
        if let Some((text, _)) = values.said_name(value) {
            // The IR tells values of one name apart by a number after it.
            let base = text
                .rsplit_once('_')
                .filter(|(base, number)| !base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
                .map_or(text.as_str(), |(base, _)| base);
            for name in [base.to_string(), text.clone(), format!("{text}_")] {
                if taken.insert(name.clone()) {
                    return name;
                }
            }
        }
        let said = values.inst(value).and_then(|inst| said(values, inst));
        if let Some(name) = said
            && taken.insert(name.into())
        {
            return name.into();
        }
        let kind = values.kinds.get(&value).copied().unwrap_or(Kind::Unsigned);
        let stem = if array && carried { "acc" } else { kind.stem() };
        loop {
            let count = self.counts.entry(stem.into()).or_default();
            let name = format!("{stem}{count}");
            *count += 1;
            if taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// What is well known by what it is.
fn said(values: &Values<'_>, inst: &Inst<'_>) -> Option<&'static str> {
    let of = |arg: Arg, name: &str, modifiers: &str| match arg {
        Arg::Value(value) => {
            values.inst(value).is_some_and(|inst| inst.instruction.name == name && inst.modifiers == modifiers)
        }
        _ => false,
    };
    match (inst.instruction.name, inst.modifiers, inst.args.as_slice()) {
        ("sreg", "tid.x", _) => Some("thread"),
        ("sreg", "ctaid.x", _) => Some("block"),
        ("sreg", "ctaid.y", _) => Some("block_y"),
        ("sreg", "ctaid.z", _) => Some("block_z"),
        ("sreg", "nctaid.x", _) => Some("blocks"),
        ("sreg", "cluster_ctarank", _) => Some("rank"),
        ("smem", ..) => Some("smem"),
        ("and", _, &[arg, Arg::Int(31)]) if of(arg, "sreg", "tid.x") => Some("lane"),
        ("shfl.sync", "idx.b32", &[arg, Arg::Int(0), ..]) if of(arg, "shr", "u32") => Some("warp"),
        _ => None,
    }
}
