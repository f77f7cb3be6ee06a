//! A schedule as a value of Rust: what passes read, change and put next to a kernel.

use std::collections::HashMap;

use dlc_core::json::{Item, Node, Read};
use dlc_ir::attrs::AttrData;
use dlc_ir::body::OpParts;
use dlc_ir::op::{AttrKind, AttrSpec};
use dlc_ir::text::{ParseResult, Parser};
use dlc_ir::{Attr, Body, Builder, Context, Loc, OpId, OpRef, Str};

use crate::clause::{
    Async, Barrier, Cache, Edge, Instruction, Kind, Order, Policy, Roles, Sharing, Split, Store, StoreMethod, Stream,
    Vectorize, Walk,
};
use crate::value::{Choice, Table, Value, read_flag};

/// The schedules of a module by the kernels that they name: collected once, for whoever asks about many kernels.
#[derive(Debug)]
pub struct Schedules {
    named: HashMap<String, Vec<(usize, OpId)>>,
    nameless: Vec<(usize, OpId)>,
}

impl Schedules {
    /// Those of a module.
    pub fn of(ctx: &Context, module: &Body) -> Schedules {
        let mut found = Schedules { named: HashMap::new(), nameless: Vec::new() };
        let ops = module.blocks(module.root_region()).flat_map(|block| module.ops(block));
        for (place, id) in ops.enumerate() {
            let op = OpRef::new(ctx, module, id);
            if op.is(&crate::ops::SCHEDULE) {
                match Schedule::kernel_of(ctx, module.props(id)) {
                    Some(kernel) => found.named.entry(kernel.to_string()).or_default().push((place, id)),
                    None => found.nameless.push((place, id)),
                }
            }
        }
        found
    }

    /// The schedules for a kernel: those that name it, and those that name none, in the order of the text.
    pub fn plans_of(&self, ctx: &Context, module: &Body, kernel: &str) -> Vec<(OpId, Schedule)> {
        let named = self.named.get(kernel).into_iter().flatten();
        let mut ids: Vec<(usize, OpId)> = named.chain(&self.nameless).copied().collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(|(_, id)| Some((id, Schedule::of(OpRef::new(ctx, module, id))?))).collect()
    }
}

/// What a schedule is for: a target that is built in, or one of the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TargetName {
    /// `sm90`
    BuiltIn(String),
    /// `@mine`
    Symbol(String),
}

impl TargetName {
    /// The name, without a sign.
    pub fn name(&self) -> &str {
        match self {
            TargetName::BuiltIn(name) | TargetName::Symbol(name) => name,
        }
    }
}

/// What a field of a schedule may be: absent, there, several.
trait Field: Sized {
    /// Whether it is there, and cannot be there again.
    fn is_set(&self) -> bool;
    /// Reads what stands after the word of the clause.
    fn parse_clause(&mut self, p: &mut Parser<'_>) -> ParseResult<()>;
    /// For each clause what stands after the word.
    fn texts(&self, ctx: &Context) -> Vec<String>;
    fn read_json(&mut self, ctx: &Context, node: &Node<'_>) -> Read<()>;
    fn json(&self, ctx: &Context) -> Option<Item>;
    fn of_attr(ctx: &Context, attr: Attr) -> Option<Self>;
    fn attr(&self, ctx: &Context) -> Option<Attr>;
}

impl<T: Value> Field for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
    fn parse_clause(&mut self, p: &mut Parser<'_>) -> ParseResult<()> {
        *self = Some(T::parse(p)?);
        Ok(())
    }
    fn texts(&self, ctx: &Context) -> Vec<String> {
        self.iter().map(|value| value.text(ctx)).collect()
    }
    fn read_json(&mut self, ctx: &Context, node: &Node<'_>) -> Read<()> {
        *self = Some(T::read(ctx, node)?);
        Ok(())
    }
    fn json(&self, ctx: &Context) -> Option<Item> {
        self.as_ref().map(|value| value.item(ctx))
    }
    fn of_attr(ctx: &Context, attr: Attr) -> Option<Self> {
        T::get(ctx, attr).map(Some)
    }
    fn attr(&self, ctx: &Context) -> Option<Attr> {
        self.as_ref().map(|value| value.make(ctx))
    }
}

/// Clauses that may be there several times.
impl<T: Value> Field for Vec<T> {
    fn is_set(&self) -> bool {
        false
    }
    fn parse_clause(&mut self, p: &mut Parser<'_>) -> ParseResult<()> {
        self.push(T::parse(p)?);
        Ok(())
    }
    fn texts(&self, ctx: &Context) -> Vec<String> {
        self.iter().map(|value| value.text(ctx)).collect()
    }
    fn read_json(&mut self, ctx: &Context, node: &Node<'_>) -> Read<()> {
        *self = Value::read(ctx, node)?;
        Ok(())
    }
    fn json(&self, ctx: &Context) -> Option<Item> {
        (!self.is_empty()).then(|| self.item(ctx))
    }
    fn of_attr(ctx: &Context, attr: Attr) -> Option<Self> {
        Value::get(ctx, attr)
    }
    fn attr(&self, ctx: &Context) -> Option<Attr> {
        (!self.is_empty()).then(|| self.make(ctx))
    }
}

/// Clauses that are a word.
impl Field for bool {
    fn is_set(&self) -> bool {
        *self
    }
    fn parse_clause(&mut self, _: &mut Parser<'_>) -> ParseResult<()> {
        *self = true;
        Ok(())
    }
    fn texts(&self, _: &Context) -> Vec<String> {
        self.then(String::new).into_iter().collect()
    }
    fn read_json(&mut self, _: &Context, node: &Node<'_>) -> Read<()> {
        *self = read_flag(node)?;
        Ok(())
    }
    fn json(&self, _: &Context) -> Option<Item> {
        self.then_some(Item::Bool(true))
    }
    fn of_attr(_: &Context, attr: Attr) -> Option<Self> {
        (attr == Attr::UNIT).then_some(true)
    }
    fn attr(&self, _: &Context) -> Option<Attr> {
        self.then_some(Attr::UNIT)
    }
}

/// Declares the fields of a schedule: each is a clause `word`, a key of JSON and an attribute.
macro_rules! clauses {
    ($($(#[doc = $doc:literal])+ $field:ident: $ty:ty = $word:literal, $key:literal, $wanted:literal;)+) => {
        /// How a kernel is made. Every part may be absent; then the passes decide.
        #[derive(Clone, PartialEq, Eq, Default, Debug)]
        pub struct Schedule {
            /// The kernel, by its name; none for the only one.
            pub of: Option<String>,
            /// What it is for; it must fit each of them.
            pub targets: Vec<TargetName>,
            $($(#[doc = $doc])+ pub $field: $ty,)+
        }

        impl Schedule {
            /// The words of the clauses, in the order in which they are written.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            /// What each clause is, in the same order, and what its value must be.
            pub const DOCS: &'static [(&'static str, &'static str)] = &[$((concat!($($doc),+), $wanted)),+];
            /// The keys of JSON, in the same order; that of a target is `arch`, that of the kernel `kernel`.
            pub(crate) const KEYS: &'static [&'static str] = &[$($key),+];
            /// The attributes, in the same order.
            pub(crate) const SPECS: &'static [AttrSpec] = &[
                AttrSpec { name: "of", kind: <dlc_ir::define::SymbolRef as dlc_ir::define::Kind>::KIND, optional: true },
                AttrSpec { name: "target", kind: &TARGETS, optional: false },
                $(AttrSpec {
                    name: stringify!($field),
                    kind: &AttrKind {
                        name: $wanted,
                        admits: |ctx, attr| <$ty as Field>::of_attr(ctx, attr).is_some(),
                        parse: None,
                        print: None,
                    },
                    optional: true,
                },)+
            ];

            /// Whether a clause is there, and cannot be there again.
            pub(crate) fn is_set(&self, word: &str) -> bool {
                match word {
                    $($word => self.$field.is_set(),)+
                    _ => false,
                }
            }

            /// Takes a clause out, if it is there.
            pub fn clear(&mut self, word: &str) {
                match word {
                    $($word => self.$field = Default::default(),)+
                    _ => {}
                }
            }

            /// Reads what stands after the word of a clause.
            pub(crate) fn parse_clause(&mut self, word: &str, p: &mut Parser<'_>) -> ParseResult<()> {
                match word {
                    $($word => self.$field.parse_clause(p),)+
                    _ => p.expected("a clause"),
                }
            }

            /// The clauses, in order.
            pub fn clauses(&self, ctx: &Context) -> Vec<String> {
                let mut clauses = Vec::new();
                $(for text in self.$field.texts(ctx) {
                    clauses.push(if text.is_empty() { $word.to_string() } else { format!("{} {text}", $word) });
                })+
                clauses
            }

            /// Reads the value of a key.
            pub(crate) fn read_key(&mut self, ctx: &Context, key: &str, node: &Node<'_>) -> Read<()> {
                match key {
                    $($key => self.$field.read_json(ctx, node),)+
                    _ => Ok(()),
                }
            }

            /// What a key is written as.
            pub(crate) fn json_of(&self, ctx: &Context, key: &str) -> Option<Item> {
                match key {
                    $($key => self.$field.json(ctx),)+
                    _ => None,
                }
            }

            /// The schedule that an op is. An attribute that is none of its kind, which the verifier refuses, is passed over.
            fn of_fields(ctx: &Context, props: Attr) -> Schedule {
                let mut schedule = Schedule::default();
                let field = |key: &str| ctx.dict_get(props, ctx.intern_str(key));
                $(if let Some(value) = field(stringify!($field)).and_then(|attr| Field::of_attr(ctx, attr)) {
                    schedule.$field = value;
                })+
                schedule
            }

            fn field_attrs(&self, ctx: &Context) -> Vec<(Str, Attr)> {
                let attrs = [$((stringify!($field), self.$field.attr(ctx))),+];
                attrs.into_iter().filter_map(|(key, attr)| Some((ctx.intern_str(key), attr?))).collect()
            }
        }
    };
}

clauses! {
    /// The tile of a block, by axis: those of the results, then those that are reduced. An axis that is not named is 1.
    tile: Option<Table<i64>> = "tile", "tile", "a list of axes with a number each, such as [[\"m\", 128], [\"n\", 64]]";
    /// The axes of the tile that are reduced; without it the last one is, where something multiplies.
    reduced: Option<Vec<String>> = "reduced", "reduced", "a list of axes";
    /// Numbers that symbols are fixed to: the kernel is for these alone.
    fix: Option<Table<i64>> = "fix", "fix", "a list of symbols with a number each";
    /// Numbers that divide symbols.
    assume: Option<Table<i64>> = "assume", "assume", "a list of symbols with a divisor each";
    /// What multiplies.
    instruction: Option<Instruction> = "instruction", "instruction", "an instruction, {kind = \"mma\", shape = [16, 8, 16]}";
    /// The tile of a warp, of a group of four with `wgmma`.
    warp_tile: Option<Table<i64>> = "warp_tile", "warp_tile", "a list of axes with a number each";
    /// The tile of a thread: what it has at once, contiguous along each axis.
    thread_tile: Option<Table<i64>> = "thread_tile", "thread_tile", "a list of axes with a number each";
    /// The grid of the threads of a warp.
    lanes: Option<Table<i64>> = "lanes", "lanes", "a list of axes with a number each";
    /// The grid of the warps of a block that compute.
    warps: Option<Table<i64>> = "warps", "warps", "a list of axes with a number each";
    /// The grid of the threads of a block that compute.
    threads: Option<Table<i64>> = "threads", "threads", "a list of axes with a number each";
    /// How many tiles of each operand shared memory has.
    stages: Option<i64> = "stages", "stages", "an integer";
    /// How often loops along axes are unrolled.
    unroll: Option<Table<i64>> = "unroll", "unroll", "a list of axes with a number each";
    /// Which part of the machine a loop runs on.
    bind: Option<Table<String>> = "bind", "bind", "a list of loops with a place each";
    /// How many blocks a cluster has along axes.
    cluster: Option<Table<i64>> = "cluster", "cluster", "a list of axes with a number each";
    /// The operands of which each block of a cluster loads a part for all.
    multicast: Option<Vec<String>> = "multicast", "multicast", "a list of tensors";
    /// The number of blocks if these go from tile to tile; `sms` for one on each SM.
    persistent: Option<Choice> = "persistent", "persistent", "an integer or \"sms\"";
    /// The order of tiles.
    order: Option<Order> = "order", "tile_order", "an order of tiles, {kind = \"grouped\", size = 8}";
    /// The roles of warps; without them all do everything.
    roles: Option<Roles> = "roles", "roles", "roles, {kind = \"ping_pong\", consumers = 2}";
    /// Registers of each thread, by role: `producer`, `consumer`, or `thread` for all.
    registers: Option<Table<i64>> = "registers", "registers", "a list of roles with a number each";
    /// How many blocks an SM must hold.
    blocks_per_sm: Option<i64> = "blocks_per_sm", "blocks_per_sm", "an integer";
    /// The reduced axis divided among blocks.
    split_k: Option<Split> = "split_k", "split_k", "a divided sum, {parts = 4}";
    /// The steps of the last waves shared evenly among blocks.
    stream_k: Option<Stream> = "stream_k", "stream_k", "a streamed sum, {}";
    /// Where tensors are kept.
    caches: Vec<Cache> = "cache", "cache", "a list of cached tensors, {tensor = \"A\", where = \"smem\"}";
    /// How long tensors should stay in the L2 cache.
    policy: Option<Table<Policy>> = "policy", "cache_policy", "a list of tensors with a policy each";
    /// The swizzle of tiles in shared memory, in bytes: 0, 32, 64, 128, or `auto`.
    swizzle: Option<Table<Choice>> = "swizzle", "swizzle", "a list of tensors with a number or \"auto\" each";
    /// The layout of results in memory.
    stride: Option<Table<String>> = "stride", "stride", "a list of tensors with a word each";
    /// The width of accesses to global memory along a loop.
    vectorize: Option<Vectorize> = "vectorize", "vectorize", "a loop and a width, {axis = \"n.i.i\", width = 8}";
    /// The width of accesses to tensors in global memory, in elements.
    vectors: Option<Table<i64>> = "vectors", "vectors", "a list of tensors with a number each";
    /// The loops whose last step is partial and needs predicates.
    predicate_tail: Option<Vec<String>> = "predicate_tail", "predicate_tail", "a list of loops";
    /// What tells that a tile has arrived.
    barrier: Option<Barrier> = "barrier", "barrier_model", "a barrier model: \"block\", \"cp_async_group\", \"mbarrier\"";
    /// What runs concurrently with what.
    overlap: Option<Async> = "async", "async", "the asynchronous part, {enable = true}";
    /// How many groups of multiplications are in flight when a step ends.
    in_flight: Option<i64> = "in_flight", "in_flight", "an integer";
    /// Values that go from one op to another without global memory.
    edges: Vec<Edge> = "edge", "local_edges", "a list of edges, {from = \"s\", to = \"y\", buffer = \"reg\"}";
    /// What is applied to the accumulators before they are stored.
    epilogue: Option<Vec<String>> = "epilogue", "epilogue", "a list of words";
    /// How results get to global memory.
    store: Option<Store> = "store", "store", "a store, {way = \"tma\"}";
    /// Which way is taken where there are several; the words belong to the passes that know them.
    algo: Option<Table<Choice>> = "algo", "algo_choice", "a list of names with a word or number each";
    /// Whether the operands change sides: what is the right one fills the rows of the instruction.
    swap_operands: bool = "swap_operands", "swap_operands", "unit";
    /// Whether equal inputs must give equal bits.
    deterministic: bool = "deterministic", "deterministic", "unit";
    /// Whether the kernel may begin before the one before it has ended.
    launch_overlap: bool = "launch_overlap", "launch_overlap", "unit";
}

/// The targets of a schedule: words and symbols.
static TARGETS: AttrKind = AttrKind {
    name: "a list of targets, such as [\"sm90\", @mine]",
    admits: |ctx, attr| targets(ctx, attr).is_some(),
    parse: None,
    print: None,
};

pub(crate) fn targets(ctx: &Context, attr: Attr) -> Option<Vec<TargetName>> {
    let target = |attr: &Attr| match (attr.as_str(ctx), attr.as_symbol(ctx)) {
        (Some(name), _) => Some(TargetName::BuiltIn(name.to_string())),
        (_, Some([name])) => Some(TargetName::Symbol(ctx.str(*name).to_string())),
        _ => None,
    };
    let targets: Option<Vec<TargetName>> = attr.as_array(ctx)?.iter().map(target).collect();
    targets.filter(|targets| !targets.is_empty())
}

impl Schedule {
    /// What a clause is, and what its value must be.
    pub fn clause_doc(word: &str) -> Option<(&'static str, &'static str)> {
        let at = Schedule::WORDS.iter().position(|own| *own == word)?;
        Schedule::DOCS.get(at).map(|(doc, wanted)| (doc.trim(), *wanted))
    }

    /// The words that may stand after the word of a clause, of those that take one of some words.
    pub fn words_after(clause: &str) -> &'static [&'static str] {
        match clause {
            "instruction" => Kind::WORDS,
            "order" => Walk::WORDS,
            "roles" => Sharing::WORDS,
            "barrier" => Barrier::WORDS,
            "store" => StoreMethod::WORDS,
            _ => &[],
        }
    }

    /// The name of the op.
    pub const OP: &'static str = "plan.schedule";

    /// A schedule of a kernel for a target that is built in, with nothing decided.
    pub fn new(kernel: &str, target: &str) -> Schedule {
        let targets = vec![TargetName::BuiltIn(target.to_string())];
        Schedule { of: Some(kernel.to_string()), targets, ..Schedule::default() }
    }

    /// What an op says, if it is a schedule.
    pub fn of(op: OpRef<'_>) -> Option<Schedule> {
        if !op.is(&crate::ops::SCHEDULE) {
            return None;
        }
        Some(Schedule::of_props(op.ctx, op.body.props(op.id)))
    }

    /// The kernel that the attributes of a schedule name.
    fn kernel_of(ctx: &Context, props: Attr) -> Option<&str> {
        ctx.dict_get(props, Str::OF).and_then(|attr| attr.as_symbol(ctx)?.first().map(|&name| ctx.str(name)))
    }

    /// What the attributes of a schedule say.
    pub fn of_props(ctx: &Context, props: Attr) -> Schedule {
        let of = Schedule::kernel_of(ctx, props);
        let targets = ctx.dict_get(props, ctx.intern_str("target")).and_then(|attr| targets(ctx, attr));
        let targets = targets.unwrap_or_default();
        Schedule { of: of.map(String::from), targets, ..Schedule::of_fields(ctx, props) }
    }

    /// The attributes of the op.
    pub fn props(&self, ctx: &Context) -> Attr {
        let mut props = self.field_attrs(ctx);
        if let Some(of) = &self.of {
            props.push((Str::OF, ctx.symbol_attr(of)));
        }
        let target = |target: &TargetName| match target {
            TargetName::BuiltIn(name) => ctx.str_attr(name),
            TargetName::Symbol(name) => ctx.attr(AttrData::Symbol(&[ctx.intern_str(name)])),
        };
        let targets: Vec<Attr> = self.targets.iter().map(target).collect();
        props.push((ctx.intern_str("target"), ctx.array_attr(&targets)));
        ctx.dict_attr(&props)
    }

    /// Puts the op at the place of a builder.
    pub fn build(&self, builder: &mut Builder<'_>, loc: Loc) -> OpId {
        let ctx = builder.ctx;
        builder.create(OpParts { props: self.props(ctx), ..OpParts::new(ctx.op_name(Schedule::OP), loc) })
    }

    /// Writes the schedule over an op that is one; its discardable attributes stay.
    pub fn replace(&self, ctx: &Context, body: &mut Body, op: OpId) {
        body.set_props(op, self.props(ctx));
    }

    /// The clause of a word that was read last, by its word and what it is about.
    pub(crate) fn name_of_last(&self, word: &str) -> String {
        let about = match word {
            "cache" => self.caches.last().map(|cache| &cache.tensor),
            "edge" => self.edges.last().map(|edge| &edge.from),
            _ => None,
        };
        about.map_or_else(|| word.to_string(), |about| format!("{word} {about}"))
    }

    /// How a tensor is kept, if a clause says so.
    pub fn cache_of(&self, tensor: &str) -> Option<&Cache> {
        self.caches.iter().find(|cache| cache.tensor == tensor)
    }

    /// The extent of the block tile along an axis.
    pub fn tile_of(&self, axis: &str) -> i64 {
        self.tile.as_ref().map_or(1, |tile| tile.along(axis))
    }
}
