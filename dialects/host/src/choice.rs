//! Which kernel a launch runs, and where its results lie.

use dlc_core::guard::Guard;
use dlc_core::sizes::{self, Exprs};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::{Attr, Context, Str, Type};

/// A kernel that may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// A reference to its symbol.
    pub callee: Attr,
    /// What its symbols are, in the order in which it declares them.
    pub sizes: Vec<SizeExpr>,
    /// How long it takes, where an estimate says it.
    pub cost: Option<Cost>,
    /// When it may run; always without a condition.
    pub condition: Option<Guard>,
}

impl Choice {
    /// A kernel that runs always.
    pub fn always(ctx: &Context, name: &str, sizes: Vec<SizeExpr>) -> Choice {
        Choice { callee: ctx.symbol_attr(name), sizes, cost: None, condition: None }
    }

    /// The symbolic integers in it.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        let cost = self.cost.iter().flat_map(Cost::exprs);
        self.sizes.iter().chain(cost).chain(self.condition.iter().flat_map(Guard::exprs))
    }
}

/// The kernel that a launch runs: the first that may; of several after each other that have a cost, the one of those that may
/// with the least, the first of equal ones. `fits` says whether one may run, `cost` what it costs if it has a cost.
///
/// # Errors
///
/// That of `fits`.
pub fn chosen<C, E>(
    choices: impl IntoIterator<Item = C>,
    mut fits: impl FnMut(&C) -> Result<bool, E>,
    cost: impl Fn(&C) -> Option<i128>,
) -> Result<Option<C>, E> {
    let mut best: Option<(i128, C)> = None;
    for choice in choices {
        let own = cost(&choice);
        if own.is_none() && best.is_some() {
            break;
        }
        if !fits(&choice)? {
            continue;
        }
        match own {
            None => return Ok(Some(choice)),
            Some(own) if best.as_ref().is_none_or(|(least, _)| own < *least) => best = Some((own, choice)),
            Some(_) => {}
        }
    }
    Ok(best.map(|(_, choice)| choice))
}

/// How long a kernel takes by an estimate: `launch + tile * rounds + max(step * rounds * steps, wait * waves * steps, memory)`
/// nanoseconds.
///
/// A round is a tile on each SM, `tiles ceildiv sms`; a wave is as many as are there at once, `tiles ceildiv (sms * blocks)`:
/// what blocks compute they do one after another, and they wait alongside each other. Memory takes `bytes / gbps`, by few tiles
/// longer: half of the SMs are enough to fill it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The tiles of its results, those of each part of a sum.
    pub tiles: SizeExpr,
    /// The steps of a tile along what is reduced.
    pub steps: SizeExpr,
    /// The bytes that are read and written.
    pub bytes: SizeExpr,
    /// How long each of these takes.
    pub rates: Rates,
}

/// How long the parts of a kernel take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rates {
    /// What is done once, in nanoseconds: the launch, and what nothing hides at the end.
    launch: i64,
    /// What is done once for each tile, in nanoseconds.
    tile: i64,
    /// What is computed in a step of a tile, in nanoseconds.
    step: i64,
    /// How long a step of a tile waits for its loads, in nanoseconds.
    wait: i64,
    /// The bytes that memory moves in a nanosecond; at least 1.
    gbps: i64,
    /// The SMs; at least 1.
    sms: i64,
    /// The blocks that an SM holds at once; at least 1.
    blocks: i64,
}

impl Rates {
    /// The names of the numbers, in order.
    pub const NAMES: [&str; 7] = ["launch", "tile", "step", "wait", "gbps", "sms", "blocks"];

    /// The numbers in that order.
    pub fn numbers(self) -> [i64; 7] {
        [self.launch, self.tile, self.step, self.wait, self.gbps, self.sms, self.blocks]
    }

    /// Numbers in that order; `None` where one is too small.
    pub fn of([launch, tile, step, wait, gbps, sms, blocks]: [i64; 7]) -> Option<Rates> {
        let fits = launch.min(tile).min(step).min(wait) >= 0 && gbps.min(sms).min(blocks) >= 1;
        fits.then_some(Rates { launch, tile, step, wait, gbps, sms, blocks })
    }

    /// The nanoseconds that tiles, steps of each and bytes take, in that order; `i128::MAX` where one of these is beyond 64
    /// bits.
    pub fn nanoseconds_of(self, numbers: impl IntoIterator<Item = Option<i64>>) -> i128 {
        let numbers: Option<Vec<i64>> = numbers.into_iter().collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).map_or(i128::MAX, |numbers| self.nanoseconds(numbers))
    }

    /// The nanoseconds that so many tiles, steps of each and bytes take.
    pub fn nanoseconds(self, [tiles, steps, bytes]: [i64; 3]) -> i128 {
        let [launch, tile, step, wait, gbps, sms, blocks] = self.numbers().map(i128::from);
        let [tiles, steps, bytes] = [tiles, steps, bytes].map(|number| i128::from(number.max(0)));
        if tiles == 0 {
            return launch;
        }
        let tiles_by = |slots: i128| (tiles + slots - 1) / slots;
        let (rounds, waves) = (tiles_by(sms), tiles_by(sms * blocks));
        let memory = (bytes / gbps).max(bytes * sms / gbps.saturating_mul(2 * tiles));
        let steps = |time: i128, times: i128| time.saturating_mul(times).saturating_mul(steps);
        let work = memory.max(steps(step, rounds)).max(steps(wait, waves));
        launch.saturating_add(tile.saturating_mul(rounds)).saturating_add(work)
    }
}

impl Cost {
    /// The names of the expressions, in order.
    pub const NAMES: [&str; 3] = ["tiles", "steps", "bytes"];

    /// The expressions in that order.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        [&self.tiles, &self.steps, &self.bytes].into_iter()
    }

    /// The same with other expressions, unless one has none.
    pub fn map(&self, put: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Cost> {
        Some(Cost { tiles: put(&self.tiles)?, steps: put(&self.steps)?, bytes: put(&self.bytes)?, rates: self.rates })
    }

    /// The nanoseconds; `i128::MAX` where an expression has no 64-bit value.
    pub fn nanoseconds(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> i128 {
        self.rates.nanoseconds_of(self.exprs().map(|expr| expr.eval(value_of).ok()))
    }

    fn attr(&self, ctx: &Context) -> Attr {
        let exprs = Cost::NAMES.into_iter().zip(self.exprs().map(|expr| sizes::expr_attr(ctx, expr)));
        let numbers =
            Rates::NAMES.into_iter().zip(self.rates.numbers().map(|number| ctx.int_attr(number.into(), Type::I64)));
        let entries: Vec<(Str, Attr)> = exprs.chain(numbers).map(|(key, attr)| (ctx.intern_str(key), attr)).collect();
        ctx.dict_attr(&entries)
    }

    fn of_attr(ctx: &Context, attr: Attr) -> Option<Cost> {
        let dict = attr.as_dict(ctx)?;
        let entry = |name: &str| dict.iter().find(|(key, _)| ctx.str(*key) == name).map(|&(_, value)| value);
        let expr = |name| sizes::expr(ctx, entry(name)?);
        let mut numbers = [0; Rates::NAMES.len()];
        for (number, name) in numbers.iter_mut().zip(Rates::NAMES) {
            *number = entry(name)?.as_int(ctx)?;
        }
        let [tiles, steps, bytes] = Cost::NAMES.map(expr);
        let is_whole = dict.len() == Cost::NAMES.len() + Rates::NAMES.len();
        let cost = Cost { tiles: tiles?, steps: steps?, bytes: bytes?, rates: Rates::of(numbers)? };
        is_whole.then_some(cost)
    }
}

/// A list of kernels. In generic form each is a dictionary,
/// `{callee = @f, sizes = ["M"], cost = {tiles = "M ceildiv 64", ..}, where = [["K mod 8 == 0"]]}`, of which `cost` and `where`
/// may be absent.
pub struct Choices;

impl Kind for Choices {
    type Value<'a> = Vec<Choice>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of kernels, such as [{callee = @f, sizes = [\"M\"]}]",
        admits: |ctx, attr| Choices::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Choice>> {
        attr.as_array(ctx)?.iter().map(|&attr| choice(ctx, attr)).collect()
    }
    fn make(ctx: &Context, choices: Vec<Choice>) -> Attr {
        let dict = |choice: Choice| {
            let key = |name| ctx.intern_str(name);
            let mut entries: Vec<(Str, Attr)> =
                vec![(key("callee"), choice.callee), (key("sizes"), Exprs::make(ctx, choice.sizes))];
            entries.extend(choice.cost.map(|cost| (key("cost"), cost.attr(ctx))));
            entries.extend(choice.condition.map(|condition| (key("where"), Guard::make(ctx, condition))));
            ctx.dict_attr(&entries)
        };
        let choices: Vec<Attr> = choices.into_iter().map(dict).collect();
        ctx.array_attr(&choices)
    }
}

fn choice(ctx: &Context, attr: Attr) -> Option<Choice> {
    let (mut callee, mut sizes, mut cost, mut condition) = (None, None, None, None);
    for &(key, value) in attr.as_dict(ctx)? {
        match ctx.str(key) {
            "callee" => callee = Some(value).filter(|callee| callee.as_symbol(ctx).is_some()),
            "sizes" => sizes = Exprs::get(ctx, value),
            "cost" => cost = Some(Cost::of_attr(ctx, value)?),
            "where" => condition = Some(Guard::get(ctx, value)?),
            _ => return None,
        }
    }
    Some(Choice { callee: callee?, sizes: sizes?, cost, condition })
}

/// For each result of a launch where it begins in the arena, in bytes; nothing for what is not in the arena. In generic
/// form a list such as `["128*M", unit]`.
pub struct Offsets;

impl Kind for Offsets {
    type Value<'a> = Vec<Option<SizeExpr>>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of offsets, such as [\"128*M\", unit]",
        admits: |ctx, attr| Offsets::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Option<SizeExpr>>> {
        let offset = |&item: &Attr| match item == Attr::UNIT {
            true => Some(None),
            false => sizes::expr(ctx, item).map(Some),
        };
        attr.as_array(ctx)?.iter().map(offset).collect()
    }
    fn make(ctx: &Context, offsets: Vec<Option<SizeExpr>>) -> Attr {
        let item = |offset: &Option<SizeExpr>| match offset {
            Some(offset) => sizes::expr_attr(ctx, offset),
            None => Attr::UNIT,
        };
        ctx.array_attr(&offsets.iter().map(item).collect::<Vec<_>>())
    }
}
