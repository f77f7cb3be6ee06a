//! Which of the hardware's barriers are met at by barriers that have no number in the text.
//!
//! A block has 16 barriers. The text names some of them by constants or by computed numbers; each group of a role that
//! meets without a number needs one that none of those can be, or two meet at one barrier, with other threads. So what
//! the numbers in the text can be is found first, and the others are assigned from what is left.

use std::collections::BTreeSet;

use dlc_core::sizes::{value_name, value_number};
use dlc_ir::affine::{Interval, SizeExpr, SizeRanges};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpId, OpRef, RegionId, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::ops::{Barrier, BarrierArrive, Flag, For, Grid, If, Index, Max, Min, Role, Select, through};

/// How many barriers a block has.
pub const BARRIERS: i64 = 16;

/// How many integers are distinguished: what can be more of them can be anything.
const MOST_INTEGERS: usize = 64;
/// How many ops are examined, one after another.
const DEPTH: u32 = 16;

/// What the barriers without a number have: by the grid's op, for all threads of a block; by a role's op, for its first
/// group, after which the others follow. One that meets nowhere has none.
pub type BarrierNumbers = FxHashMap<OpId, i64>;

/// Gives each group of warps that meets without a number a barrier that no number in the text can be. All threads have
/// the barrier 0 if it is free; groups have the last ones that are.
///
/// Errors: there are too few.
pub fn barrier_numbers(grid: Grid<'_>) -> Result<BarrierNumbers, String> {
    let (ctx, body) = (grid.ctx, grid.body);
    let mut ops = Vec::new();
    body.walk_regions(grid.id, &mut ops);
    let mut given: Vec<(ValueId, u16)> = Vec::new();
    let mut thread_groups: Vec<ThreadGroup> = Vec::new();
    for id in ops {
        let op = OpRef { id, ..*grid };
        let own = Barrier::of(op).map(|op| op.id());
        let named = own.flatten().or_else(|| BarrierArrive::of(op).map(|op| op.id()));
        if let Some(named) = named
            && given.iter().all(|&(known, _)| known != named)
        {
            given.push((named, bits(integers(op, named, DEPTH).as_ref())));
        }
        // What threads exchange through a tile they wait for.
        if own == Some(None) || through(op).is_some() || Flag::of(op).is_some() {
            let thread_group = ThreadGroup::of(grid, op);
            if !thread_group.is_one_warp && thread_groups.iter().all(|known| known.id != thread_group.id) {
                thread_groups.push(thread_group);
            }
        }
    }
    let mut free = !given.iter().fold(0, |all, &(_, bits)| all | bits);
    let mut numbers = BarrierNumbers::default();
    let mut wanted = Vec::new();
    for thread_group in &thread_groups {
        if thread_group.id == grid.id && free & 1 != 0 {
            free &= !1;
            numbers.insert(thread_group.id, 0);
        } else {
            wanted.push(thread_group);
        }
    }
    // The largest first: a single one fits wherever there is one.
    wanted.sort_by_key(|thread_group| -thread_group.groups);
    let counts: Vec<i64> = wanted.iter().map(|thread_group| thread_group.groups).collect();
    let Some(places) = place(&counts, free) else {
        let wanted: Vec<String> = thread_groups
            .iter()
            .map(|thread_group| thread_group.describe(OpRef { id: thread_group.id, ..*grid }))
            .collect();
        let given = given.iter().map(|&(value, bits)| {
            let name = ctx.str(body.value_name(value));
            let name = if name.is_empty() { "an id".into() } else { format!("'%{name}'") };
            format!("{name}: {}", runs(bits))
        });
        return Err(format!(
            "barriers without a number need {}, and those of a role follow one another; a block has {BARRIERS}, and ids in \
             the text may be some of them ({})",
            wanted.join(", "),
            given.collect::<Vec<_>>().join(", ")
        ));
    };
    numbers.extend(wanted.iter().map(|thread_group| thread_group.id).zip(places));
    Ok(numbers)
}

/// Threads that meet without a number.
struct ThreadGroup {
    /// The op of their role, or of the grid.
    id: OpId,
    /// How many groups of them there are.
    groups: i64,
    /// The lanes of a warp meet without a barrier of the block.
    is_one_warp: bool,
}

impl ThreadGroup {
    fn of(grid: Grid<'_>, op: OpRef<'_>) -> ThreadGroup {
        let mut at = op.body.parent_op(op.id);
        while let Some(id) = at.filter(|&id| id != grid.id) {
            if let Some(role) = Role::of(OpRef { id, ..op }) {
                let (warps, groups) = (role.last() - role.first(), role.groups().max(1));
                // A group of all warps is all threads.
                if warps / groups * 32 == grid.threads() {
                    break;
                }
                return ThreadGroup { id, groups, is_one_warp: warps <= groups };
            }
            at = op.body.parent_op(id);
        }
        ThreadGroup { id: grid.id, groups: 1, is_one_warp: false }
    }

    fn describe(&self, op: OpRef<'_>) -> String {
        match Role::of(op) {
            Some(role) => format!("{} for the role '{}'", self.groups, role.name()),
            None => "1 for all threads".into(),
        }
    }
}

/// As many free numbers in a row as each wants, the last ones first.
fn place(wanted: &[i64], free: u16) -> Option<Vec<i64>> {
    let Some((&count, rest)) = wanted.split_first() else { return Some(Vec::new()) };
    if wanted.iter().sum::<i64>() > i64::from(free.count_ones()) {
        return None;
    }
    (0..=BARRIERS - count).rev().find_map(|first| {
        let own = (first..first + count).fold(0u16, |bits, number| bits | 1 << number);
        let mut places = (free & own == own).then(|| place(rest, free & !own)).flatten()?;
        places.insert(0, first);
        Some(places)
    })
}

/// The barriers that are among some integers; all of them, if nothing is known.
fn bits(integers: Option<&BTreeSet<i64>>) -> u16 {
    let Some(integers) = integers else { return u16::MAX };
    integers.iter().filter(|number| (0..BARRIERS).contains(*number)).fold(0, |bits, number| bits | 1 << number)
}

/// Barriers in words: `1, 8 to 11`.
fn runs(bits: u16) -> String {
    let has = |number: i64| (0..BARRIERS).contains(&number) && bits >> number & 1 != 0;
    let mut words = Vec::new();
    for first in (0..BARRIERS).filter(|&number| has(number) && !has(number - 1)) {
        let last = (first..BARRIERS).take_while(|&number| has(number)).last().unwrap_or(first);
        words.push(if first == last { first.to_string() } else { format!("{first} to {last}") });
    }
    words.join(", ")
}

/// What an integer can be, as far as ops say it; `None` is anything. `op` is any op of its body.
fn integers(op: OpRef<'_>, value: ValueId, depth: u32) -> Option<BTreeSet<i64>> {
    let depth = depth.checked_sub(1)?;
    let of = |value| integers(op, value, depth);
    let both = |a: ValueId, b: ValueId| Some(&of(a)? | &of(b)?);
    let (id, number) = match op.body.value_def(value) {
        ValueDef::Result(id, number) => (id, number),
        ValueDef::Arg(block, number) => {
            let parent = op.body.region_of(block).and_then(|region| op.body.region_parent(region))?;
            let parent = OpRef { id: parent, ..op };
            if let Some(role) = Role::of(parent) {
                return range(0, role.groups() - 1, 1);
            }
            // What a loop carries may be anything; what it counts is within its bounds.
            let counted = For::of(parent).filter(|_| number == 0)?;
            let args: Vec<ValueId> = counted.args().collect();
            let bounds = counted.bounds();
            let mut bounds = bounds.iter().map(|bound| integers_of(op, bound, &args, depth));
            let (first, last, step) = (bounds.next()??, bounds.next()??, bounds.next()??);
            let step = if first.len() == 1 && step.len() == 1 { *step.first()? } else { 1 };
            return range(*first.first()?, last.last()?.checked_sub(1)?, step);
        }
        ValueDef::Placeholder => return None,
    };
    let made = OpRef { id, ..op };
    if let Some(made) = Index::of(made).filter(|_| op.type_of(value) == Type::INDEX) {
        let args: Vec<ValueId> = made.args().collect();
        return integers_of(op, made.value().first()?, &args, depth);
    }
    if let Some(made) = Min::of(made) {
        return each(&of(made.lhs())?, &of(made.rhs())?, i64::min);
    }
    if let Some(made) = Max::of(made) {
        return each(&of(made.lhs())?, &of(made.rhs())?, i64::max);
    }
    if let Some(made) = Select::of(made) {
        return both(made.yes(), made.no());
    }
    if let Some(made) = If::of(made) {
        let &otherwise = made.otherwise().first()?;
        return both(yielded(op, If::then(made), number)?, yielded(op, otherwise, number)?);
    }
    None
}

/// The value that a region gives as its result of a number.
fn yielded(op: OpRef<'_>, region: RegionId, number: usize) -> Option<ValueId> {
    let end = op.body.last_op(op.body.first_block(region)?)?;
    OpRef { id: end, ..op }.operands().nth(number)
}

/// What an expression of values can be.
fn integers_of(op: OpRef<'_>, expr: &SizeExpr, args: &[ValueId], depth: u32) -> Option<BTreeSet<i64>> {
    let mut known: Vec<(usize, Option<BTreeSet<i64>>)> = Vec::new();
    let mut is_of_values = true;
    for symbol in expr.symbols() {
        match value_number(&symbol) {
            Some(number) => known.push((number, args.get(number).and_then(|&arg| integers(op, arg, depth)))),
            None => is_of_values = false,
        }
    }
    let count = known.iter().try_fold(1usize, |count, (_, of)| count.checked_mul(of.as_ref()?.len()));
    if is_of_values && count.is_some_and(|count| count <= MOST_INTEGERS * MOST_INTEGERS) {
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for of in known.iter().filter_map(|(_, of)| of.as_ref()) {
            let longer =
                |point: &Vec<i64>| of.iter().map(|&next| [point.as_slice(), &[next]].concat()).collect::<Vec<_>>();
            points = points.iter().flat_map(longer).collect();
        }
        let at = |point: &Vec<i64>| {
            let value_of = |symbol: &str| {
                let number = value_number(symbol)?;
                point.get(known.iter().position(|&(known, _)| known == number)?).copied()
            };
            expr.eval(&value_of).ok()
        };
        return points.iter().map(at).collect::<Option<BTreeSet<i64>>>().filter(|all| all.len() <= MOST_INTEGERS);
    }
    // Something in it can be anything: a remainder still cannot.
    let interval = |of: &Option<BTreeSet<i64>>| {
        let ends = of.as_ref().and_then(|of| Some(Interval::new(*of.first()?, *of.last()?)));
        ends.unwrap_or(Interval::ALL)
    };
    let ranges = known
        .iter()
        .fold(SizeRanges::default(), |ranges, (number, of)| ranges.with(&value_name(*number), interval(of)));
    let interval = expr.range(&ranges);
    range(interval.lo()?, interval.hi()?, 1)
}

/// The integers from one to another, by steps.
fn range(first: i64, last: i64, step: i64) -> Option<BTreeSet<i64>> {
    let is_small = last.checked_sub(first)? / step.max(1) < MOST_INTEGERS as i64;
    (is_small && step > 0).then(|| (first..=last).step_by(step as usize).collect())
}

/// What two integers can give.
fn each(a: &BTreeSet<i64>, b: &BTreeSet<i64>, of: fn(i64, i64) -> i64) -> Option<BTreeSet<i64>> {
    Some(a.iter().flat_map(|&a| b.iter().map(move |&b| of(a, b))).collect())
}
