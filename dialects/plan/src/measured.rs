//! A plan that was measured: for which kernel, at which sizes, on which device, and how long it took.
//!
//! Files of such plans are caches of tuning that people read and edit. `choose-plan` takes them in place of its estimate.

use dlc_ir::diag::Diagnostic;
use dlc_ir::op::{AttrKind, AttrSpec, op_error};
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Token};
use dlc_ir::{Attr, Body, Builder, Context, Diagnostics, Loc, OpId, OpRef};

use dlc_ir::body::OpParts;
use dlc_ir::define::{Int, Kind, Text};

use crate::check::check;
use crate::places::{ClauseLocs, first_place};
use crate::schedule::{Schedule, TargetName, targets};
use crate::syntax::{clause_word, parse_targets, print_clauses, print_rest, print_targets};
use crate::target::Target;
use crate::value::{Table, Value, quoted};
use crate::verify::unknown;

/// How many hexadecimal digits name a kernel.
pub const DIGITS: usize = 16;

/// A plan that was measured.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Measured {
    /// The name of the kernel, for people.
    pub name: String,
    /// What the kernel computes, as [`DIGITS`] hexadecimal digits of a hash of its text.
    pub kernel: String,
    /// What the symbols of the kernel were.
    pub sizes: Table<i64>,
    /// The name of the device.
    pub device: String,
    /// The version of CUDA that the driver is for: 13000 for 13.0.
    pub driver: i64,
    /// How long the kernel took, with cold caches.
    pub nanoseconds: i64,
    /// The plan; it names no kernel.
    pub plan: Schedule,
}

impl Measured {
    /// The name of the op.
    pub const OP: &'static str = "plan.measured";

    /// The attributes: those of the plan are one.
    pub(crate) const SPECS: &'static [AttrSpec] = &[
        AttrSpec { name: "name", kind: Text::KIND, optional: false },
        AttrSpec { name: "kernel", kind: Text::KIND, optional: false },
        AttrSpec { name: "sizes", kind: &SIZES, optional: false },
        AttrSpec { name: "device", kind: Text::KIND, optional: false },
        AttrSpec { name: "driver", kind: Int::KIND, optional: false },
        AttrSpec { name: "nanoseconds", kind: Int::KIND, optional: false },
        AttrSpec { name: "plan", kind: &PLAN, optional: false },
    ];

    /// The words of what stands before the clauses of the plan.
    const WORDS: [&'static str; 5] = ["kernel", "sizes", "device", "driver", "nanoseconds"];

    /// What an op says, if it is a plan that was measured.
    pub fn of(op: OpRef<'_>) -> Option<Measured> {
        if !op.is(Measured::DEF) {
            return None;
        }
        let (ctx, prop) = (op.ctx, |key: &str| op.prop_named(key));
        let text = |key: &str| prop(key).and_then(|attr| attr.as_str(ctx)).unwrap_or_default().to_string();
        let number = |key: &str| prop(key).and_then(|attr| attr.as_int(ctx)).unwrap_or_default();
        let plan = prop("plan").map(|attr| Schedule::of_props(ctx, attr)).unwrap_or_default();
        Some(Measured {
            name: text("name"),
            kernel: text("kernel"),
            sizes: prop("sizes").and_then(|attr| Value::get(ctx, attr)).unwrap_or_default(),
            device: text("device"),
            driver: number("driver"),
            nanoseconds: number("nanoseconds"),
            plan,
        })
    }

    /// Those of a module, in order.
    pub fn all(ctx: &Context, module: &Body) -> Vec<(OpId, Measured)> {
        let ops = module.blocks(module.root_region()).flat_map(|block| module.ops(block));
        ops.filter_map(|id| Some((id, Measured::of(OpRef::new(ctx, module, id))?))).collect()
    }

    /// Puts the op at the place of a builder.
    pub fn build(&self, builder: &mut Builder<'_>, loc: Loc) -> OpId {
        let ctx = builder.ctx;
        builder.create(OpParts { props: self.props(ctx), ..OpParts::new(ctx.op_name(Measured::OP), loc) })
    }

    /// The target that it is for, of those that are built in.
    pub fn target(&self) -> &str {
        self.plan.targets.first().map_or("", TargetName::name)
    }

    /// Whether both are for the same kernel, at the same sizes, on the same device.
    pub fn is_for_same(&self, other: &Measured) -> bool {
        let key = |of: &Measured| (of.kernel.clone(), of.sizes.clone(), of.device.clone(), of.driver);
        key(self) == key(other) && self.target() == other.target()
    }

    fn props(&self, ctx: &Context) -> Attr {
        let Measured { name, kernel, sizes, device, driver, nanoseconds, plan } = self;
        let plan = Schedule { of: None, ..plan.clone() };
        let named = [
            ("name", name.make(ctx)),
            ("kernel", kernel.make(ctx)),
            ("sizes", sizes.make(ctx)),
            ("device", device.make(ctx)),
            ("driver", driver.make(ctx)),
            ("nanoseconds", nanoseconds.make(ctx)),
            ("plan", plan.props(ctx)),
        ];
        let named: Vec<_> = named.into_iter().map(|(key, attr)| (ctx.intern_str(key), attr)).collect();
        ctx.dict_attr(&named)
    }
}

static SIZES: AttrKind = AttrKind {
    name: "a list of symbols with a number each",
    admits: |ctx, attr| <Table<i64> as Value>::get(ctx, attr).is_some(),
    parse: None,
    print: None,
};

static PLAN: AttrKind = AttrKind {
    name: "the attributes of a schedule that names no kernel",
    admits: |ctx, attr| {
        let plan = Schedule::of_props(ctx, attr);
        plan.of.is_none() && !plan.targets.is_empty() && plan.props(ctx) == attr
    },
    parse: None,
    print: None,
};

/// `"gemm" for sm90 { kernel "9b1f0c6d2a4e8f35" sizes (M: 256) device "NVIDIA H200" driver 13000 nanoseconds 29700 tile (m: 64) .. }`
pub(crate) fn parse(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let mut read = Measured { name: String::parse(p)?, ..Measured::default() };
    let named = parse_targets(p)?;
    let words: Vec<&'static str> = Measured::WORDS.iter().chain(Schedule::WORDS).copied().collect();
    let (mut seen, mut places): (Vec<&str>, ClauseLocs) = Default::default();
    p.expect(Token::LBrace)?;
    while p.token() != Token::RBrace {
        let loc = p.loc();
        let word = clause_word(p, "measured plan", &words, |word| seen.contains(&word) || read.plan.is_set(word))?;
        match word {
            "kernel" => read.kernel = String::parse(p)?,
            "sizes" => read.sizes = Value::parse(p)?,
            "device" => read.device = String::parse(p)?,
            "driver" => read.driver = p.integer()?,
            "nanoseconds" => read.nanoseconds = p.integer()?,
            word => read.plan.parse_clause(word, p)?,
        }
        seen.extend(Some(word).filter(|word| Measured::WORDS.contains(word)));
        places.add(ctx, &read.plan.name_of_last(word), loc);
    }
    if let Some(missing) = Measured::WORDS.iter().find(|word| **word != "sizes" && !seen.contains(word)) {
        return p.expected(&format!("the clause '{missing}' of a measured plan"));
    }
    p.expect(Token::RBrace)?;
    p.state.loc = places.fused(ctx, p.state.loc);
    read.plan.targets = targets(ctx, ctx.array_attr(&named)).unwrap_or_default();
    for &(key, attr) in read.props(ctx).as_dict(ctx).unwrap_or_default() {
        p.set_prop(ctx.str(key), attr);
    }
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    Ok(())
}

/// Writes what [`parse`] reads.
pub(crate) fn print(p: &mut OpPrinter<'_, '_>) {
    let Some(measured) = Measured::of(p.op) else { return };
    p.write(&format!(" {}", quoted(&measured.name)));
    print_targets(p, &measured.plan.targets);
    let ctx = p.ctx;
    let mut clauses = vec![format!("kernel \"{}\"", measured.kernel.escape_debug())];
    clauses.extend((!measured.sizes.0.is_empty()).then(|| format!("sizes {}", measured.sizes.text(ctx))));
    clauses.push(format!("device {}", quoted(&measured.device)));
    clauses.push(format!("driver {}", measured.driver));
    clauses.push(format!("nanoseconds {}", measured.nanoseconds));
    clauses.extend(measured.plan.clauses(ctx));
    print_clauses(p, &clauses);
    let named = |key: &str| Measured::SPECS.iter().any(|spec| spec.name == key);
    print_rest(p, &named);
}

/// The target is built in, the plan fits it, and times and sizes are such.
pub(crate) fn verify(op: OpRef<'_>, diags: &Diagnostics) {
    let Some(measured) = Measured::of(op) else { return };
    let name = match measured.plan.targets.as_slice() {
        [TargetName::BuiltIn(name)] => name,
        _ => return diags.emit(op_error(op, "it was measured for one target that is built in")),
    };
    let Some(target) = Target::built_in(name) else { return diags.emit(unknown(op, name)) };
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if measured.kernel.len() != DIGITS || !measured.kernel.bytes().all(is_digit) {
        let message = format!("'kernel' must be {DIGITS} hexadecimal digits, but is '{}'", measured.kernel);
        diags.emit(op_error(op, message));
    }
    if measured.nanoseconds < 1 {
        diags.emit(op_error(op, format!("'nanoseconds' is {}, and a kernel takes time", measured.nanoseconds)));
    }
    if let Some((symbol, size)) = measured.sizes.0.iter().find(|(_, size)| *size < 0) {
        diags.emit(op_error(op, format!("'sizes' says that {symbol} is {size}")));
    }
    if let Some(symbol) = measured.sizes.twice() {
        diags.emit(op_error(op, format!("'sizes' has '{symbol}' twice")));
    }
    for rule in check(op.ctx, &measured.plan, &target) {
        let place = first_place(op.ctx, op.loc(), &rule.clauses);
        diags.emit(Diagnostic::error(rule.code, place, rule.message).at(op.name()));
    }
}
