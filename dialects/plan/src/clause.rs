//! The clauses of a schedule that are more than a number or a table: words, and records of them with their syntax.

use dlc_core::precision::Precision;
use dlc_ir::text::{ParseResult, Parser, SYNTAX, Token};
use dlc_ir::{Context, Type};

use crate::value::{Value, records, word_value, words};

word_value! { Precision: "precision" }

words! {
    /// What multiplies.
    enum Kind: "instruction" {
        /// A multiplication and an addition of each thread.
        Fma = "fma",
        /// Fragments in the registers of a warp, `mma.sync`.
        Mma = "mma",
        /// Tiles in shared memory, by a group of four warps.
        Wgmma = "wgmma",
    }

    /// Where a tensor is kept.
    enum Place: "place" {
        /// A tile in shared memory.
        Smem = "smem",
        /// Registers.
        Reg = "reg",
        /// Nowhere: read from global memory each time.
        Global = "global",
    }

    /// How a value gets from one op to another.
    enum Buffer: "buffer" {
        /// In registers.
        Reg = "reg",
        /// Through a ring of tiles in shared memory.
        SmemRing = "smem_ring",
    }

    /// What tells that a tile has arrived.
    enum Barrier: "barrier model" {
        /// A barrier of the block after synchronous copies.
        Block = "block",
        /// Groups of `cp.async`.
        CpAsyncGroup = "cp_async_group",
        /// Barriers in shared memory, with TMA.
        Mbarrier = "mbarrier",
    }

    /// How consumer warpgroups share the tiles.
    enum Sharing: "kind of roles" {
        /// All work on one tile.
        Cooperative = "cooperative",
        /// Ping-pong: each has a tile of its own, and they multiply one after another.
        PingPong = "ping_pong",
    }

    /// The order of tiles.
    enum Walk: "order of tiles" {
        /// Groups of rows, column by column in each.
        Grouped = "grouped",
        /// The curve of Hilbert over the next power of two.
        Hilbert = "hilbert",
        /// Row by row.
        Row = "row",
        /// Column by column.
        Column = "column",
        /// Those with the most work first.
        LongestFirst = "longest_first",
    }

    /// How parts of a sum come together.
    enum Through: "way to add parts" {
        /// Through global memory, in order.
        Workspace = "workspace",
        /// Through the shared memory of a cluster, in order.
        Cluster = "cluster",
        /// By atomic additions, in any order.
        Atomic = "atomic",
    }

    /// How results get to global memory.
    enum StoreMethod: "way to store" {
        /// Through shared memory, by TMA.
        Tma = "tma",
        /// Through shared memory, rows by threads.
        Rows = "rows",
        /// From the fragments, by the threads that hold them.
        Fragments = "fragments",
    }

    /// How long a tensor should stay in the L2 cache.
    enum Policy: "cache policy" {
        /// It makes room first: what is read once.
        EvictFirst = "evict_first",
        /// It makes room last: what is read again.
        EvictLast = "evict_last",
        /// As the hardware likes.
        Normal = "normal",
    }
}

records! {
    /// `instruction wgmma [64, 128, 32] promote` or `instruction mma [16, 8, 8] promote as tf32x3`: what multiplies; the shape is rows,
    /// columns and depth.
    struct Instruction: "an instruction", parse_instruction, instruction_text {
        /// What multiplies.
        need kind: Kind = "kind",
        /// Rows, columns and depth of one instruction.
        opt shape: Vec<i64> = "shape",
        /// Whether each step of the loop multiplies onto zero, and its product is added to the sum in `f32`.
        flag promote: bool = "promote",
        /// How factors of `f32` are multiplied.
        opt precision: Precision = "precision",
    }

    /// `cache A (m, k) f16 in smem at k.i pingpong`: where a tensor is kept while a tile is computed.
    struct Cache: "a cached tensor", parse_cache, cache_text {
        /// The tensor.
        need tensor: String = "tensor",
        /// The axes that it is read along, the contiguous one last.
        opt axes: Vec<String> = "axes",
        /// The type of its elements.
        opt dtype: Type = "dtype",
        /// Where it is kept.
        need place: Place = "where",
        /// The loop at which it is exchanged.
        opt at: String = "at",
        /// Whether one tile is filled while another is used.
        flag pingpong: bool = "pingpong",
        /// How many tiles of it there are, if not as many as the schedule has stages.
        opt buffers: i64 = "buffers",
        /// Whether the tile is transposed.
        flag transposed: bool = "transposed",
    }

    /// `vectorize n.i.i by 8`: the width of accesses to global memory, in elements, along a loop.
    struct Vectorize: "a vectorized loop", parse_vectorize, vectorize_text {
        /// The loop.
        need axis: String = "axis",
        /// How many elements.
        need width: i64 = "width",
    }

    /// `async prefetch 2 overlap_epilogue`: what runs concurrently with what. `async off` for nothing.
    struct Async: "the asynchronous part", parse_async, async_text {
        /// Whether copies and epilogue may overlap with the rest.
        need enable: bool = "enable",
        /// How many tiles are loaded ahead.
        opt prefetch_depth: i64 = "prefetch_depth",
        /// Whether the epilogue runs alongside the loads of the next tile.
        flag epilogue_overlap: bool = "epilogue_overlap",
    }

    /// `edge sum_k to relu in reg`: a value that goes from one op to another without global memory.
    struct Edge: "an edge", parse_edge, edge_text {
        /// Where it comes from.
        need from: String = "from",
        /// Where it goes to.
        need to: String = "to",
        /// Where it is on the way.
        need buffer: Buffer = "buffer",
        /// How many tiles a ring has.
        opt depth: i64 = "depth",
    }

    /// `roles ping_pong consumers 2`: a producer loads, groups of four warps compute.
    struct Roles: "the roles of warps", parse_roles, roles_text {
        /// How the consumers share tiles.
        need kind: Sharing = "kind",
        /// How many groups of four warps compute.
        need consumers: i64 = "consumers",
        /// Whether the consumers of one tile multiply in ping-pong order.
        flag in_turn: bool = "in_turn",
    }

    /// `order grouped 8 along m`: which tile comes after which.
    struct Order: "an order of tiles", parse_order, order_text {
        /// How.
        need kind: Walk = "kind",
        /// How many tiles a group has, or how many bytes of the cache a section of heads may take.
        opt size: i64 = "size",
        /// The axis along which a group has them.
        opt along: String = "along",
    }

    /// `split_k 4 along k through cluster`: the reduced axis is divided among blocks.
    struct Split: "a divided sum", parse_split, split_text {
        /// Among how many.
        need parts: i64 = "parts",
        /// The axis, if there is more than one that is reduced.
        opt along: String = "along",
        /// How the parts are combined.
        opt through: Through = "through",
    }

    /// `stream_k at_least 8 through workspace`: blocks share the steps of the last waves evenly.
    struct Stream: "a streamed sum", parse_stream, stream_text {
        /// The fewest steps that one block takes of a tile.
        opt at_least: i64 = "at_least",
        /// How the parts are combined.
        opt through: Through = "through",
    }

    /// `store tma panels 2 together 1`: how results get to global memory.
    struct Store: "a store", parse_store, store_text {
        /// How.
        need way: StoreMethod = "way",
        /// How many panels of 64 rows and 128 bytes each group of four warps has in shared memory.
        opt panels: i64 = "panels",
        /// How many of them are stored at once.
        opt together: i64 = "together",
    }
}

/// A number after a word, if the word comes next.
fn number_after(p: &mut Parser<'_>, word: &str) -> ParseResult<Option<i64>> {
    p.eat_word(word).then(|| p.integer()).transpose()
}

/// A value after a word, if the word comes next.
fn following<T: Value>(p: &mut Parser<'_>, word: &str) -> ParseResult<Option<T>> {
    p.eat_word(word).then(|| T::parse(p)).transpose()
}

/// Parts that clauses had, which no pass read: the clause, the word in a text, the key in JSON, and what to write.
pub(crate) const REMOVED: [(&str, &str, &str, &str); 4] = [
    ("cache", "as", "keep", "registers keep the type that memory has: leave it out, or cast in the program"),
    ("roles", "start", "start", "ping-pong consumers start one tile apart: leave it out"),
    ("async", "overlap_chain", "chain_overlap", "'roles cooperative consumers 2 in_turn' orders back-to-back products"),
    ("store", "per_warp", "per_warp", "four warps store together: leave it out"),
];

/// Refuses a part that a clause had.
fn removed(p: &mut Parser<'_>, clause: &str) -> ParseResult<()> {
    let is_next = |word: &str| p.token() == Token::Word && p.text() == word;
    match REMOVED.iter().find(|(of, word, ..)| *of == clause && is_next(word)) {
        Some((_, word, _, way)) => Err(
            p.fail(p.error(&SYNTAX, format!("'{clause}' has no '{word}' any more: nothing followed it")).suggest(*way))
        ),
        None => Ok(()),
    }
}

/// ` word value`, or nothing.
fn tail<T: Value>(ctx: &Context, word: &str, value: Option<&T>) -> String {
    value.map_or_else(String::new, |value| format!(" {word} {}", value.text(ctx)))
}

/// ` word`, or nothing.
fn mark(word: &str, there: bool) -> String {
    if there { format!(" {word}") } else { String::new() }
}

fn parse_instruction(p: &mut Parser<'_>) -> ParseResult<Instruction> {
    let kind = Kind::parse(p)?;
    let shape = (p.token() == Token::LBracket).then(|| Vec::parse(p)).transpose()?;
    let promote = p.eat_word("promote");
    Ok(Instruction { kind, shape, promote, precision: following(p, "as")? })
}

impl From<Kind> for Instruction {
    /// The instruction of a kind, with nothing said of its shape.
    fn from(kind: Kind) -> Instruction {
        Instruction { kind, shape: None, promote: false, precision: None }
    }
}

fn instruction_text(of: &Instruction, ctx: &Context) -> String {
    let shape = of.shape.as_ref().map_or_else(String::new, |shape| format!(" {}", shape.text(ctx)));
    of.kind.text(ctx) + &shape + &mark("promote", of.promote) + &tail(ctx, "as", of.precision.as_ref())
}

fn parse_cache(p: &mut Parser<'_>) -> ParseResult<Cache> {
    let tensor = String::parse(p)?;
    let (mut axes, mut dtype) = (None, None);
    if p.token() == Token::LParen {
        axes = Some(p.list(Token::LParen, Token::RParen, |p| String::parse(p))?);
    }
    if !p.eat_word("in") {
        dtype = Some(Type::parse(p)?);
        p.expect_word("in")?;
    }
    let cache = Cache {
        tensor,
        axes,
        dtype,
        place: Place::parse(p)?,
        at: following(p, "at")?,
        pingpong: p.eat_word("pingpong"),
        buffers: number_after(p, "buffers")?,
        transposed: p.eat_word("transposed"),
    };
    removed(p, "cache")?;
    Ok(cache)
}

fn cache_text(of: &Cache, ctx: &Context) -> String {
    let axes = of.axes.as_ref().map_or_else(String::new, |axes| {
        format!(" ({})", axes.iter().map(|axis| axis.text(ctx)).collect::<Vec<_>>().join(", "))
    });
    let dtype = of.dtype.map_or_else(String::new, |ty| format!(" {}", ty.text(ctx)));
    format!("{}{axes}{dtype} in {}", of.tensor.text(ctx), of.place.word())
        + &tail(ctx, "at", of.at.as_ref())
        + &mark("pingpong", of.pingpong)
        + &tail(ctx, "buffers", of.buffers.as_ref())
        + &mark("transposed", of.transposed)
}

fn parse_vectorize(p: &mut Parser<'_>) -> ParseResult<Vectorize> {
    let axis = String::parse(p)?;
    p.expect_word("by")?;
    Ok(Vectorize { axis, width: p.integer()? })
}

fn vectorize_text(of: &Vectorize, ctx: &Context) -> String {
    format!("{} by {}", of.axis.text(ctx), of.width)
}

fn parse_async(p: &mut Parser<'_>) -> ParseResult<Async> {
    let of = Async {
        enable: !p.eat_word("off"),
        prefetch_depth: number_after(p, "prefetch")?,
        epilogue_overlap: p.eat_word("overlap_epilogue"),
    };
    removed(p, "async")?;
    Ok(of)
}

fn async_text(of: &Async, ctx: &Context) -> String {
    let text = mark("off", !of.enable)
        + &tail(ctx, "prefetch", of.prefetch_depth.as_ref())
        + &mark("overlap_epilogue", of.epilogue_overlap);
    text.trim_start().to_string()
}

fn parse_edge(p: &mut Parser<'_>) -> ParseResult<Edge> {
    let from = String::parse(p)?;
    p.expect_word("to")?;
    let to = String::parse(p)?;
    p.expect_word("in")?;
    Ok(Edge { from, to, buffer: Buffer::parse(p)?, depth: number_after(p, "depth")? })
}

fn edge_text(of: &Edge, ctx: &Context) -> String {
    format!("{} to {} in {}", of.from.text(ctx), of.to.text(ctx), of.buffer.word())
        + &tail(ctx, "depth", of.depth.as_ref())
}

fn parse_roles(p: &mut Parser<'_>) -> ParseResult<Roles> {
    let kind = Sharing::parse(p)?;
    p.expect_word("consumers")?;
    let consumers = p.integer()?;
    removed(p, "roles")?;
    Ok(Roles { kind, consumers, in_turn: p.eat_word("in_turn") })
}

fn roles_text(of: &Roles, _: &Context) -> String {
    format!("{} consumers {}", of.kind.word(), of.consumers) + &mark("in_turn", of.in_turn)
}

fn parse_order(p: &mut Parser<'_>) -> ParseResult<Order> {
    let kind = Walk::parse(p)?;
    let size = (p.token() == Token::Integer).then(|| p.integer()).transpose()?;
    Ok(Order { kind, size, along: following(p, "along")? })
}

fn order_text(of: &Order, ctx: &Context) -> String {
    let size = of.size.map_or_else(String::new, |size| format!(" {size}"));
    format!("{}{size}", of.kind.word()) + &tail(ctx, "along", of.along.as_ref())
}

impl Split {
    /// The most parts of a sum.
    pub const MOST_PARTS: i64 = 1024;
}

fn parse_split(p: &mut Parser<'_>) -> ParseResult<Split> {
    Ok(Split { parts: p.integer()?, along: following(p, "along")?, through: following(p, "through")? })
}

fn split_text(of: &Split, ctx: &Context) -> String {
    of.parts.to_string() + &tail(ctx, "along", of.along.as_ref()) + &tail(ctx, "through", of.through.as_ref())
}

fn parse_stream(p: &mut Parser<'_>) -> ParseResult<Stream> {
    Ok(Stream { at_least: number_after(p, "at_least")?, through: following(p, "through")? })
}

fn stream_text(of: &Stream, ctx: &Context) -> String {
    let text = tail(ctx, "at_least", of.at_least.as_ref()) + &tail(ctx, "through", of.through.as_ref());
    text.trim_start().to_string()
}

fn parse_store(p: &mut Parser<'_>) -> ParseResult<Store> {
    let store = Store {
        way: StoreMethod::parse(p)?,
        panels: number_after(p, "panels")?,
        together: number_after(p, "together")?,
    };
    removed(p, "store")?;
    Ok(store)
}

fn store_text(of: &Store, ctx: &Context) -> String {
    of.way.text(ctx) + &tail(ctx, "panels", of.panels.as_ref()) + &tail(ctx, "together", of.together.as_ref())
}
