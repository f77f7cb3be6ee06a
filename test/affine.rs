//! Holds the affine arithmetic of `dlc_ir` against isl, on random sets, maps and expressions: what we answer, isl must
//! answer too. Where we leave a question open, that is counted, and how often is said.
//!
//! Runs where `python3` has `islpy`, and says so where it has not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use dlc_ir::affine::{
    AffineExpr, AffineMap, AxisBounds, BinaryOp, Constraint, Domain, IntegerSet, Interval, Ranges, Relation,
};
use dlc_ir::random::Random;
use dlc_test::child::{self, Ending};
use dlc_test::features::Features;
use serde_json::{Value, json};

const SEED: u64 = 1;
/// Cases of each kind of question.
const CASES: u64 = 500;

#[test]
fn isl_agrees() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(python) = features.program("islpy") else {
        say("not run: python3 has no islpy");
        return;
    };
    let mut suite = Suite::default();
    for (name, kind) in KINDS {
        for case in 0..CASES {
            suite.name = format!("{name} {case}");
            kind(&mut suite, &mut Drawn(Random::of_case(SEED, case)));
        }
    }
    let lines: String = suite.asked.iter().map(|asked| format!("{}\n", asked.term)).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("affine/isl.py");
    let mut command = Command::new(python);
    command.arg(script);
    let output = child::run(&mut command, lines.as_bytes(), false, Duration::from_secs(600)).expect("python3 runs");
    let (answers, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = answers.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let next = suite.asked.get(answers.len()).map(|asked| asked.term.to_string());
    assert_eq!(output.ending, Ending::Code(0), "at {}\n{errors}", next.unwrap_or_default());
    assert_eq!(answers.len(), suite.asked.len(), "an answer to each question");
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (asked, answer) in suite.asked.iter().zip(&answers) {
        let tally = tallies.entry(asked.question).or_default();
        tally.asked += 1;
        if answer.is_null() {
            tally.skipped += 1;
            continue;
        }
        match asked.ours.compare(answer) {
            Verdict::Same => {}
            Verdict::Open => tally.open += 1,
            Verdict::Wrong => wrong.push(format!(
                "{}: {}\n  ours {:?}, isl {answer}\n  {}",
                asked.case, asked.about, asked.ours, asked.term
            )),
        }
    }
    for (question, tally) in &tallies {
        say(&format!(
            "{question}: {} questions, {} open, {} not answered by isl",
            tally.asked, tally.open, tally.skipped
        ));
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        answers.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
    let seldom = |tally: &Tally| 10 * (tally.open + tally.skipped) <= tally.asked;
    assert!(tallies.values().all(seldom), "one question in ten may stay open, and not more");
}

/// Tells what was done also when the test passes: the harness swallows what the print macros write.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "affine: {line}");
}

#[derive(Default)]
struct Tally {
    asked: usize,
    open: usize,
    /// That isl did not answer.
    skipped: usize,
}

/// What we say, to be compared with what isl says.
#[derive(Debug)]
enum Ours {
    /// A truth value, if we know it.
    Truth(Option<bool>),
    /// That it is so, or nothing.
    Found(bool),
    /// A lower bound; the second says whether it must be the greatest.
    AtLeast(Option<i64>, bool),
    /// An upper bound; the second says whether it must be the least.
    AtMost(Option<i64>, bool),
    /// A number, if we know it.
    Number(Option<i64>),
    /// How long our answer is: that should not be longer than isl's.
    Length(usize),
}

enum Verdict {
    Same,
    Open,
    Wrong,
}

impl Ours {
    fn compare(&self, isl: &Value) -> Verdict {
        let (truth, number) = (isl.as_bool(), isl.as_i64());
        let same = |same: bool| if same { Verdict::Same } else { Verdict::Wrong };
        match *self {
            Ours::Truth(None) | Ours::Number(None) => Verdict::Open,
            Ours::Truth(ours) => same(ours == truth),
            Ours::Found(false) if truth == Some(true) => Verdict::Open,
            Ours::Found(ours) => same(Some(ours) == truth),
            Ours::Number(ours) => same(ours == number),
            Ours::AtLeast(ours, true) | Ours::AtMost(ours, true) => same(ours == number),
            Ours::AtLeast(None, _) => {
                if number.is_some() {
                    Verdict::Open
                } else {
                    Verdict::Same
                }
            }
            Ours::AtMost(None, _) => {
                if number.is_some() {
                    Verdict::Open
                } else {
                    Verdict::Same
                }
            }
            // An empty set has no least value, and any bound is right.
            Ours::AtLeast(Some(ours), false) => match number {
                Some(number) if ours < number => Verdict::Open,
                Some(number) => same(ours == number),
                None => same(isl != "-infty"),
            },
            Ours::AtMost(Some(ours), false) => match number {
                Some(number) if ours > number => Verdict::Open,
                Some(number) => same(ours == number),
                None => same(isl != "infty"),
            },
            Ours::Length(ours) => match number {
                Some(number) if ours as i64 > number => Verdict::Open,
                _ => Verdict::Same,
            },
        }
    }
}

struct Asked {
    question: &'static str,
    case: String,
    about: String,
    term: Value,
    ours: Ours,
}

#[derive(Default)]
struct Suite {
    name: String,
    asked: Vec<Asked>,
}

impl Suite {
    fn ask(&mut self, question: &'static str, about: &dyn std::fmt::Display, term: Value, ours: Ours) {
        let (case, about) = (self.name.clone(), about.to_string());
        self.asked.push(Asked { question, case, about, term, ours });
    }
}

const KINDS: [(&str, fn(&mut Suite, &mut Drawn)); 11] = [
    ("simplify", simplify),
    ("compose", compose),
    ("preimage", preimage),
    ("gist", gist),
    ("coalesce", coalesce),
    ("union", unions),
    ("empty", emptiness),
    ("implies", implication),
    ("bounds", bounds),
    ("axis", axis),
    ("injective", injectivity),
];

fn simplify(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let expr = random.expr(&space, 3);
    let simpler = expr.simplify_under(&space.ranges);
    let about = format!("{expr} became {simpler} within {:?}", space.ranges);
    suite.ask("simplify", &about, json!(["is_empty", space.difference(&expr, &simpler)]), Ours::Truth(Some(true)));
}

fn compose(suite: &mut Suite, random: &mut Drawn) {
    let inner = random.space();
    let outer = Space { dims: 1 + random.below(2) as u32, symbols: 0, ranges: Ranges::default() };
    let results = (0..outer.dims).map(|_| random.expr(&inner, 1)).collect();
    let first = AffineMap::new(inner.dims, inner.symbols, results).expect("declared");
    let results = (0..1 + random.below(2)).map(|_| random.expr(&outer, 1)).collect();
    let second = AffineMap::new(outer.dims, 0, results).expect("declared");
    let both = second.compose(&first).expect("small").simplify_under(&inner.ranges);
    let applied = json!(["apply_range", inner.map(first.results(), &[]), outer.map(second.results(), &[])]);
    let about = format!("{second} after {first} is {both}");
    suite.ask("compose", &about, json!(["is_equal", applied, inner.map(both.results(), &[])]), Ours::Truth(Some(true)));
}

fn preimage(suite: &mut Suite, random: &mut Drawn) {
    let inner = random.space();
    let outer = Space { dims: 1 + random.below(2) as u32, ranges: Ranges::default(), ..inner.clone() };
    let results = (0..outer.dims).map(|_| random.expr(&inner, 1)).collect();
    let map = AffineMap::new(inner.dims, inner.symbols, results).expect("declared");
    let set = random.set(&outer, 3);
    let found = set.preimage(&map).expect("small");
    let isl = json!(["domain", ["intersect_range", inner.map(map.results(), &[]), outer.set(&set)]]);
    let about = format!("{found} is what {map} takes into {set}");
    suite.ask("preimage", &about, json!(["is_equal", isl, inner.set(&found)]), Ours::Truth(Some(true)));
}

fn gist(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let (set, context) = (random.set(&space, 4), random.set(&space, 3));
    let short = set.gist(&context, &space.ranges);
    let (isl_set, isl_context) = (space.set(&set), space.set(&context));
    let (both, ours) =
        (json!(["intersect", isl_set, isl_context]), json!(["intersect", space.set(&short), isl_context]));
    let about = format!("{set} is {short} where {context}");
    suite.ask("gist", &about, json!(["is_equal", both, ours]), Ours::Truth(Some(true)));
    let alone = set.without_redundant(&space.ranges);
    let about = format!("{set} is {alone}");
    suite.ask("without redundant", &about, json!(["is_equal", isl_set, space.set(&alone)]), Ours::Truth(Some(true)));
}

fn coalesce(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    // Parts of something, which may fit together again, or anything.
    let whole = random.set(&space, 2);
    let mut domain = Domain::new(space.dims, space.symbols, vec![whole.clone()]).expect("alike");
    if random.below(2) == 0 {
        let part = random.set(&space, 3);
        let rest = domain.subtract(&part, &space.ranges).expect("small");
        let inside = Domain::new(space.dims, space.symbols, vec![part]).and_then(|part| domain.intersect(&part));
        domain = rest.union(&inside.expect("alike")).expect("alike");
    } else {
        domain = domain.union(&random.domain(&space, 2)).expect("alike");
    }
    let joined = domain.coalesce(&space.ranges);
    let (before, after) = (space.domain(&domain), space.domain(&joined));
    let about = format!("{domain:?} became {joined:?}");
    suite.ask("coalesce", &about, json!(["is_equal", before, after]), Ours::Truth(Some(true)));
    let pieces = json!(["n_basic_set", ["coalesce", before]]);
    suite.ask("coalesce to as few pieces", &about, pieces, Ours::Length(joined.pieces().len()));
}

fn unions(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let (a, b) = (random.domain(&space, 2), random.domain(&space, 2));
    let set = random.set(&space, 3);
    let about = format!("{a:?} and {b:?} and {set}");
    let (isl_a, isl_b) = (space.domain(&a), space.domain(&b));
    let mut is = |question, method: &str, ours: &Domain, other: &str| {
        let term = json!(["is_equal", [method, isl_a, other], space.domain(ours)]);
        suite.ask(question, &about, term, Ours::Truth(Some(true)));
    };
    is("union", "union", &a.union(&b).expect("alike"), &isl_b);
    is("intersect", "intersect", &a.intersect(&b).expect("alike"), &isl_b);
    is("subtract", "subtract", &a.subtract(&set, &space.ranges).expect("small"), &space.set(&set));
    let subset = a.is_subset_of(&b, &space.ranges).expect("small");
    suite.ask("is a union a subset", &about, json!(["is_subset", isl_a, isl_b]), Ours::Truth(subset));
    let all = a.union(&b).expect("alike");
    let subset = a.is_subset_of(&all, &space.ranges).expect("small");
    suite.ask("is a union a subset", &about, json!(["is_subset", isl_a, space.domain(&all)]), Ours::Truth(subset));
    suite.ask("is a union empty", &about, json!(["is_empty", isl_a]), Ours::Truth(a.is_empty(&space.ranges)));
}

fn emptiness(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let set = random.set(&space, 5);
    let about = format!("{set} within {:?}", space.ranges);
    suite.ask("is it empty", &about, json!(["is_empty", space.set(&set)]), Ours::Truth(set.is_empty(&space.ranges)));
}

fn implication(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let set = random.set(&space, 3);
    let constraint = random.constraint(&space);
    let one = IntegerSet::new(space.dims, space.symbols, vec![constraint.clone()]).expect("declared");
    let about = format!("{one} where {set}");
    let term = json!(["is_subset", space.set(&set), space.set(&one)]);
    suite.ask("does a constraint follow", &about, term, Ours::Found(set.implies(&constraint, &space.ranges)));
    let other = random.set(&space, 2);
    let both = set.intersect(&random.set(&space, 1)).expect("alike");
    for (own, other) in [(&set, &other), (&both, &set)] {
        let term = json!(["is_subset", space.set(own), space.set(other)]);
        let ours = own.is_subset_of(other, &space.ranges);
        suite.ask("is it a subset", &format!("{own} of {other}"), term, Ours::Found(ours));
    }
}

fn bounds(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let anything = IntegerSet::new(space.dims, space.symbols, Vec::new()).expect("declared");
    let linear = random.expr(&space, 0);
    let boxed = space.ranges.limits.is_empty();
    let range = linear.range_of(&space.ranges);
    let mut ask = |question, set: &IntegerSet, expr: &AffineExpr, range: Interval, exact: bool| {
        let (image, about) = (space.image(expr, set), format!("{expr} in {range} where {set}"));
        suite.ask(question, &about, json!(["dim_min_val", image, 0]), Ours::AtLeast(range.lo(), exact));
        suite.ask(question, &about, json!(["dim_max_val", image, 0]), Ours::AtMost(range.hi(), exact));
    };
    ask("range of a sum", &anything, &linear, range, boxed);
    let expr = random.expr(&space, 2);
    ask("range", &anything, &expr, expr.range_of(&space.ranges), false);
    let set = random.set(&space, 3);
    ask("bounds of a sum", &set, &linear, set.bounds_of(&linear, &space.ranges), false);
    ask("bounds", &set, &expr, set.bounds_of(&expr, &space.ranges), false);
}

fn axis(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let dim = random.below(space.dims as usize) as u32;
    // The sides of the box are among what bounds the dimension.
    let sides = IntegerSet::new(space.dims, space.symbols, space.sides(dim)).expect("declared");
    let set = sides.intersect(&random.set(&space, 2)).expect("alike");
    let Some(bounds) = set.bounds_on(dim, &space.ranges) else {
        return;
    };
    let between = |expr: &AffineExpr, below: bool| {
        let (greater, less) =
            if below { (AffineExpr::Dim(dim), expr.clone()) } else { (expr.clone(), AffineExpr::Dim(dim)) };
        Constraint::at_least(&greater, &less).expect("small")
    };
    let lower = bounds.lower.iter().map(|expr| between(expr, true));
    let upper = bounds.upper.iter().map(|expr| between(expr, false));
    let constraints = lower.chain(upper).chain(bounds.others.iter().cloned()).collect();
    let same = IntegerSet::new(space.dims, space.symbols, constraints).expect("declared");
    let about = format!("d{dim} in {set}: {bounds:?}");
    suite.ask(
        "bounds of an axis",
        &about,
        json!(["is_equal", space.set(&set), space.set(&same)]),
        Ours::Truth(Some(true)),
    );
    let point = random.point(&space);
    let (dims, symbols) = point.split_at(space.dims as usize);
    let count = space.line(&set, dim, &point);
    let ours = points_between(&bounds, dims, symbols);
    let (inside, at_most) = (space.contains(dim, &point), bounds.count(&space.ranges));
    if let Some(ours) = at_most.filter(|_| inside) {
        let others = bounds.others.iter().all(|other| other.holds(dims, symbols).expect("small"));
        let ours = if others { ours.eval(dims, symbols).expect("small").max(0) } else { 0 };
        let about = format!("{about} at {point:?}");
        suite.ask("points of an axis, as an expression", &about, json!(["count_val", count]), Ours::Number(Some(ours)));
    }
    let bounded = !bounds.lower.is_empty() && !bounds.upper.is_empty();
    if bounded && inside {
        suite.ask(
            "points of an axis",
            &format!("{about} at {point:?}"),
            json!(["count_val", count]),
            Ours::Number(ours),
        );
    }
}

/// How many points of an axis are between its bounds at a point of the other dimensions.
fn points_between(bounds: &AxisBounds, dims: &[i64], symbols: &[i64]) -> Option<i64> {
    let at = |expr: &AffineExpr| expr.eval(dims, symbols).expect("small");
    let others = bounds.others.iter().all(|other| other.holds(dims, symbols).expect("small"));
    let (lower, upper) = (bounds.lower.iter().map(at).max()?, bounds.upper.iter().map(at).min()?);
    Some(if others { (upper - lower + 1).max(0) } else { 0 })
}

fn injectivity(suite: &mut Suite, random: &mut Drawn) {
    let space = random.space();
    let set = random.set(&space, 2);
    let results: Vec<AffineExpr> = (0..1 + random.below(space.dims as usize)).map(|_| random.expr(&space, 1)).collect();
    let map = AffineMap::new(space.dims, space.symbols, results).expect("declared");
    let ours = map.is_injective_on(&set, &space.ranges).expect("small");
    let about = format!("{map} on {set} within {:?}", space.ranges);
    let isl = space.map(map.results(), set.constraints());
    suite.ask("is a map injective", &about, json!(["is_injective", isl]), Ours::Truth(ours));
}

/// Dimensions and symbols with their ranges, and the ways to write them for isl.
#[derive(Clone)]
struct Space {
    dims: u32,
    symbols: u32,
    ranges: Ranges,
}

impl Space {
    fn names(&self, letter: char, count: u32) -> String {
        (0..count).map(|index| format!("{letter}{index}")).collect::<Vec<_>>().join(", ")
    }

    /// `[s0] -> `
    fn parameters(&self) -> String {
        format!("[{}] -> ", self.names('s', self.symbols))
    }

    /// What the ranges say, and some constraints.
    fn condition(&self, constraints: &[Constraint]) -> String {
        let mut text = "true".to_owned();
        let mut within = |name: &str, interval: Interval| {
            interval.lo().iter().for_each(|lo| write!(text, " and {name} >= {lo}").expect("memory"));
            interval.hi().iter().for_each(|hi| write!(text, " and {name} <= {hi}").expect("memory"));
        };
        (0..self.dims).for_each(|dim| within(&format!("d{dim}"), self.ranges.dim(dim)));
        (0..self.symbols).for_each(|symbol| within(&format!("s{symbol}"), self.ranges.symbol(symbol)));
        for (dim, limit) in self.ranges.limits.iter().enumerate() {
            limit.iter().for_each(|limit| write!(text, " and d{dim} < {}", isl(limit)).expect("memory"));
        }
        for constraint in constraints {
            let relation = if constraint.relation == Relation::Zero { "=" } else { ">=" };
            write!(text, " and {} {relation} 0", isl(&constraint.expr)).expect("memory");
        }
        text
    }

    fn set(&self, set: &IntegerSet) -> String {
        let dims = self.names('d', self.dims);
        format!("{}{{ [{dims}] : {} }}", self.parameters(), self.condition(set.constraints()))
    }

    /// The points at which two expressions differ.
    fn difference(&self, one: &AffineExpr, other: &AffineExpr) -> String {
        let (dims, condition) = (self.names('d', self.dims), self.condition(&[]));
        format!("{}{{ [{dims}] : {condition} and {} != {} }}", self.parameters(), isl(one), isl(other))
    }

    fn domain(&self, domain: &Domain) -> String {
        let dims = self.names('d', self.dims);
        let piece = |piece: &IntegerSet| format!("[{dims}] : {}", self.condition(piece.constraints()));
        let pieces: Vec<String> = domain.pieces().iter().map(piece).collect();
        let nothing = format!("[{dims}] : false");
        format!("{}{{ {} }}", self.parameters(), if pieces.is_empty() { nothing } else { pieces.join("; ") })
    }

    fn map(&self, results: &[AffineExpr], constraints: &[Constraint]) -> String {
        let (dims, condition) = (self.names('d', self.dims), self.condition(constraints));
        let results: Vec<String> = results.iter().map(isl).collect();
        format!("{}{{ [{dims}] -> [{}] : {condition} }}", self.parameters(), results.join(", "))
    }

    fn all_names(&self) -> String {
        let names = [self.names('d', self.dims), self.names('s', self.symbols)];
        names.iter().filter(|names| !names.is_empty()).cloned().collect::<Vec<_>>().join(", ")
    }

    /// The values of an expression on a set, for any symbols.
    fn image(&self, expr: &AffineExpr, set: &IntegerSet) -> String {
        let condition = self.condition(set.constraints());
        format!("{{ [v] : exists {} : v = {} and {condition} }}", self.all_names(), isl(expr))
    }

    /// The points of a set on the line through a point along a dimension.
    fn line(&self, set: &IntegerSet, dim: u32, point: &[i64]) -> String {
        let (dims, symbols) = point.split_at(self.dims as usize);
        let mut text = format!("{{ [{}] : {}", self.all_names(), self.condition(set.constraints()));
        for (index, value) in dims.iter().enumerate().filter(|(index, _)| *index != dim as usize) {
            write!(text, " and d{index} = {value}").expect("memory");
        }
        symbols.iter().enumerate().for_each(|(index, value)| write!(text, " and s{index} = {value}").expect("memory"));
        text + " }"
    }

    /// The range and the limit of a dimension as constraints.
    fn sides(&self, dim: u32) -> Vec<Constraint> {
        let (own, range) = (AffineExpr::Dim(dim), self.ranges.dim(dim));
        let lower = range.lo().map(|lo| Constraint::at_least(&own, &lo.into()));
        let upper = range.hi().map(|hi| Constraint::at_least(&hi.into(), &own));
        let limit = self.ranges.limits.get(dim as usize).cloned().flatten();
        let below = limit.map(|limit| Constraint::at_least(&limit.sub(&1.into()).expect("small"), &own));
        [lower, upper, below].into_iter().flatten().map(|side| side.expect("small")).collect()
    }

    /// Whether a point is within the ranges but for one dimension.
    fn contains(&self, but: u32, point: &[i64]) -> bool {
        let (dims, symbols) = point.split_at(self.dims as usize);
        let others = (0..self.dims).filter(|dim| *dim != but);
        let sides: Vec<Constraint> = others.flat_map(|dim| self.sides(dim)).collect();
        let within = |(symbol, value): (usize, &i64)| self.ranges.symbol(symbol as u32).contains(*value);
        sides.iter().all(|side| side.holds(dims, symbols).expect("small")) && symbols.iter().enumerate().all(within)
    }
}

/// An expression as isl writes it.
fn isl(expr: &AffineExpr) -> String {
    let node = match expr {
        AffineExpr::Binary(node) => node,
        leaf => return leaf.to_string(),
    };
    let (lhs, rhs) = (isl(node.lhs()), isl(node.rhs()));
    match node.op() {
        BinaryOp::Add => format!("({lhs} + {rhs})"),
        BinaryOp::Mul => format!("({lhs} * {rhs})"),
        BinaryOp::FloorDiv => format!("floord({lhs}, {rhs})"),
        BinaryOp::CeilDiv => format!("ceild({lhs}, {rhs})"),
        BinaryOp::Mod => format!("(({lhs}) mod {rhs})"),
    }
}

struct Drawn(Random);

impl Drawn {
    fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// In `lo..=hi`.
    fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    fn pick(&mut self, items: &[i64]) -> i64 {
        items[self.below(items.len())]
    }

    /// One to six dimensions, up to two symbols; a box, sizes that are symbols, or ranges with open ends.
    fn space(&mut self) -> Space {
        let (dims, symbols) = (1 + self.below(6) as u32, self.below(3) as u32);
        let kind = self.below(4);
        let mut interval = |least: i64| {
            let lo = self.within(least, 2);
            match (kind, self.below(4)) {
                (3, 0) => Interval::new(lo, i64::MAX),
                (3, 1) => Interval::new(i64::MIN, lo + 3),
                _ => Interval::new(lo, lo + self.within(0, 9)),
            }
        };
        let mut ranges = Ranges {
            dims: (0..dims).map(|_| interval(-3)).collect(),
            symbols: (0..symbols).map(|_| interval(-4)).collect(),
            limits: Vec::new(),
        };
        if kind == 2 && symbols > 0 {
            let size = |_| {
                let symbol = AffineExpr::Symbol(self.below(symbols as usize) as u32);
                let size = match self.below(4) {
                    0 => return self.within(1, 8).into(),
                    1 => symbol.ceildiv(&self.within(2, 4).into()),
                    2 => symbol.mul(&2.into()).and_then(|double| double.add(&1.into())),
                    _ => Ok(symbol),
                };
                size.expect("small")
            };
            ranges = Ranges::of_symbolic_sizes(&(0..dims).map(size).collect::<Vec<_>>());
        }
        Space { dims, symbols, ranges }
    }

    /// A sum of few dimensions and symbols, with up to so many quotients and remainders, nested ones among them.
    fn expr(&mut self, space: &Space, mut quotients: usize) -> AffineExpr {
        let mut sum = AffineExpr::Constant(self.within(-6, 6));
        for _ in 0..1 + self.below(3) {
            let leaf = match self.below((space.dims + space.symbols) as usize) as u32 {
                symbol if symbol >= space.dims => AffineExpr::Symbol(symbol - space.dims),
                dim => AffineExpr::Dim(dim),
            };
            let term = if quotients > 0 && self.below(2) == 0 {
                let inside = self.below(quotients);
                quotients -= 1 + inside;
                let (inner, divisor) = (self.expr(space, inside), self.pick(&[2, 2, 3, 4, 5, 6, 8]).into());
                match self.below(5) {
                    0 => inner.ceildiv(&divisor),
                    1 | 2 => inner.floordiv(&divisor),
                    _ => inner.modulo(&divisor),
                }
                .expect("small")
            } else {
                leaf
            };
            let factor = self.pick(&[1, 1, 1, -1, -1, 2, -2, 3, 4, 6]).into();
            sum = sum.add(&term.mul(&factor).expect("small")).expect("small");
        }
        sum
    }

    fn constraint(&mut self, space: &Space) -> Constraint {
        let quotients = usize::from(self.below(3) == 0);
        let relation = if self.below(5) == 0 { Relation::Zero } else { Relation::NotNegative };
        Constraint { expr: self.expr(space, quotients), relation }
    }

    fn set(&mut self, space: &Space, most: usize) -> IntegerSet {
        let constraints = (0..self.below(most + 1)).map(|_| self.constraint(space)).collect();
        IntegerSet::new(space.dims, space.symbols, constraints).expect("declared")
    }

    fn domain(&mut self, space: &Space, most: usize) -> Domain {
        let pieces = (0..self.below(most + 1)).map(|_| self.set(space, 2)).collect();
        Domain::new(space.dims, space.symbols, pieces).expect("alike")
    }

    /// Somewhere near the ranges.
    fn point(&mut self, space: &Space) -> Vec<i64> {
        (0..space.dims + space.symbols).map(|_| self.within(-3, 8)).collect()
    }
}
