//! What a schedule is checked against and measured by: one machine.

use dlc_ir::op::{AttrKind, AttrSpec};
use dlc_ir::text::{ParseResult, Parser};
use dlc_ir::{Attr, Context, OpRef, Type};

use crate::clause::Kind;
use crate::targets::TARGETS;
use crate::value::{Table, Value};

/// A machine that is known.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Every number of [`Target`], by the name of its field.
    pub numbers: &'static [(&'static str, i64)],
    /// See [`Target::rates`].
    pub rates: &'static [(&'static str, i64)],
    /// See [`Target::features`].
    pub features: &'static [&'static str],
}

/// Declares the numbers of a target: each is a field, a clause and an attribute.
macro_rules! numbers {
    ($($(#[$doc:meta])+ $field:ident,)+) => {
        /// A machine.
        #[derive(Clone, PartialEq, Eq, Default, Debug)]
        pub struct Target {
            /// Its name.
            pub name: String,
            $($(#[$doc])+ pub $field: i64,)+
            /// Multiplications and additions, each counted, per clock and SM: by instruction and type, such
            /// as `wgmma.f16`.
            pub rates: Table<i64>,
            /// What it can: `cp_async`, `cache_hint`, `tma`, `wgmma`, `cluster`, `setmaxnreg`, `launch_overlap`.
            pub features: Vec<String>,
        }

        impl Target {
            /// The words of its clauses.
            pub const WORDS: &'static [&'static str] = &[$(stringify!($field),)+ "rates", "features"];
            pub(crate) const SPECS: &'static [AttrSpec] = &[
                AttrSpec { name: "sym_name", kind: <dlc_ir::define::SymbolName as dlc_ir::define::Kind>::KIND, optional: false },
                AttrSpec { name: "like", kind: <dlc_ir::define::Text as dlc_ir::define::Kind>::KIND, optional: false },
                $(AttrSpec { name: stringify!($field), kind: <dlc_ir::define::Int as dlc_ir::define::Kind>::KIND, optional: true },)+
                AttrSpec { name: "rates", kind: &RATES, optional: true },
                AttrSpec { name: "features", kind: <dlc_ir::define::TextArray as dlc_ir::define::Kind>::KIND, optional: true },
            ];

            fn set_number(&mut self, name: &str, value: i64) {
                match name {
                    $(stringify!($field) => self.$field = value,)+
                    _ => {}
                }
            }
        }
    };
}

numbers! {
    /// SMs.
    sms,
    /// The clock, in MHz.
    clock_mhz,
    /// What global memory gives, in 10^9 bytes per second.
    memory_gbps,
    /// How long a load from global memory is waited for where many are on their way, in nanoseconds.
    memory_latency_ns,
    /// The size of the L2 cache, in bytes.
    l2_bytes,
    /// What it gives to all SMs, in bytes per clock.
    l2_bytes_per_clock,
    /// What the shared memory of an SM gives, in bytes per clock.
    smem_bytes_per_clock,
    /// The most shared memory of a block, in bytes.
    smem_per_block,
    /// The shared memory of an SM, in bytes.
    smem_per_sm,
    /// How much of it each block costs besides its own, in bytes.
    smem_reserved,
    /// The registers of an SM, of 32 bits.
    registers_per_sm,
    /// The most registers of a thread.
    registers_per_thread,
    /// The most threads of a block.
    threads_per_block,
    /// The most threads of an SM.
    threads_per_sm,
    /// The most blocks of an SM.
    max_blocks_per_sm,
    /// The most blocks of a cluster.
    cluster_blocks,
    /// Exponentials and the like, per clock and SM.
    special_per_clock,
    /// What the launch of a kernel costs, in nanoseconds.
    launch_ns,
}

static RATES: AttrKind = AttrKind {
    name: "a list of rates, such as [[\"mma.f16\", 2048]]",
    admits: |ctx, attr| <Table<i64> as Value>::get(ctx, attr).is_some(),
    parse: None,
    print: None,
};

impl Target {
    /// A target that is built in.
    pub fn built_in(name: &str) -> Option<Target> {
        let found = TARGETS.iter().find(|target| target.name == name)?;
        let mut target = Target { name: name.to_string(), ..Target::default() };
        found.numbers.iter().for_each(|&(name, value)| target.set_number(name, value));
        target.rates = Table::of(found.rates.iter().copied());
        target.features = found.features.iter().map(|word| word.to_string()).collect();
        Some(target)
    }

    /// The names of those that are built in.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TARGETS.iter().map(|target| target.name)
    }

    /// The target that an op `plan.target` declares.
    pub fn of(op: OpRef<'_>) -> Option<Target> {
        if !op.is(&crate::ops::TARGET) {
            return None;
        }
        Target::of_props(op.ctx, op.body.props(op.id))
    }

    /// The target that the properties of a `plan.target` say.
    pub fn of_props(ctx: &Context, props: Attr) -> Option<Target> {
        let entries = props.as_dict(ctx)?;
        let entry = |name: &str| entries.iter().find(|(key, _)| ctx.str(*key) == name).map(|(_, attr)| *attr);
        let mut target = Target::built_in(entry("like")?.as_str(ctx)?)?;
        target.name = entry("sym_name")?.as_str(ctx)?.to_string();
        for &(key, attr) in entries {
            if let Some(value) = attr.as_int(ctx) {
                target.set_number(ctx.str(key), value);
            }
        }
        for (name, rate) in entry("rates").and_then(|attr| <Table<i64> as Value>::get(ctx, attr)).unwrap_or_default().0
        {
            match target.rates.get_mut(&name) {
                Some(own) => *own = rate,
                None => target.rates.0.push((name, rate)),
            }
        }
        if let Some(features) = entry("features").and_then(|attr| Value::get(ctx, attr)) {
            target.features = features;
        }
        Some(target)
    }

    /// Reads what stands after the word of a clause.
    pub(crate) fn parse_clause(word: &str, p: &mut Parser<'_>) -> ParseResult<Attr> {
        let ctx = p.ctx;
        Ok(match word {
            "rates" => Table::<i64>::parse(p)?.make(ctx),
            "features" => Vec::<String>::parse(p)?.make(ctx),
            _ => p.integer()?.make(ctx),
        })
    }

    /// The clauses of an op `plan.target`, in order.
    pub(crate) fn clauses(op: OpRef<'_>) -> Vec<String> {
        let ctx = op.ctx;
        let text = |word: &str, attr: Attr| match word {
            "rates" => <Table<i64> as Value>::get(ctx, attr).map(|table| table.text(ctx)),
            "features" => <Vec<String> as Value>::get(ctx, attr).map(|words| words.text(ctx)),
            _ => attr.as_int(ctx).map(|value| value.to_string()),
        };
        let clause = |word: &&'static str| Some(format!("{word} {}", text(word, op.prop_named(word)?)?));
        Target::WORDS.iter().filter_map(clause).collect()
    }

    /// Whether it has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|own| own == feature)
    }

    /// Multiplications and additions per clock and SM of an instruction on operands of a type; `None` where
    /// it has no such instruction. Threads compute what is no float of 32 or 64 bits as `f32`.
    pub fn rate(&self, ctx: &Context, kind: Kind, elem: Type) -> Option<i64> {
        let name = match (kind, elem) {
            (Kind::Fma, Type::F64) => "f64".to_string(),
            (Kind::Fma, _) => "f32".to_string(),
            (_, Type::F32) => "tf32".to_string(),
            (_, elem) => elem.display(ctx),
        };
        self.rates.get(&format!("{}.{name}", kind.word())).copied().filter(|&rate| rate > 0)
    }

    /// The registers that each thread of a block has when it starts, if none of the block's roles asks for its own.
    pub fn entry_registers(&self, threads: i64) -> i64 {
        let even = self.registers_per_sm / threads.max(1) / 8 * 8;
        even.min(self.registers_per_thread)
    }
}
