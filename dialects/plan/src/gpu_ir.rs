//! The JSON of section 9.3 of the specification: the statements of one tile of a kernel, with tokens.
//!
//! They name no types, no loops and no sizes, so they are no kernel; they say how one is made: the tile and what multiplies
//! it, which tensors come through rings of how many tiles, what tells that a tile has arrived, what the epilogue does and
//! next to what it runs. That is a schedule, and it is read as one, to be given with `--plan`. Tokens are checked by the rules
//! of section 9.2: a wait is for loads, an epilogue for a product, a store for an epilogue.

use std::ops::Range;

use dlc_core::json::outline::Outline;
use dlc_core::json::{Document, Kind as JsonKind, Node, Read, Record, WRONG_VALUE};
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::diag::Diagnostics;
use dlc_ir::location::SourceFile;
use dlc_ir::pass::registry::Translation;
use dlc_ir::text::UNDEFINED_VALUE;
use dlc_ir::{Body, Context};

use crate::clause::{Async, Barrier, Cache, Kind, Place};
use crate::places::ClauseLocs;
use crate::schedule::{Schedule, TargetName};
use crate::value::Table;

/// Statements of a kernel as JSON, read as the schedule that they follow.
pub static TRANSLATION: Translation = Translation {
    name: "gpu-json",
    summary: "the statements of a kernel, {\"gpu_ir\": {\"arch\": \"sm90\", \"stmts\": [..]}}, read as a plan",
    extension: ".gpu.json",
    detects: Some(|text| Outline::of(text).has("gpu_ir")),
    layer: "plan",
    read: Some(read),
    write: None,
};

dlc_ir::inventory::submit! { &TRANSLATION }

/// What a token says has come to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Load,
    Compute,
    Epilogue,
}

impl Token {
    fn word(self) -> &'static str {
        match self {
            Token::Load => "a load",
            Token::Compute => "a product",
            Token::Epilogue => "an epilogue",
        }
    }
}

/// A statement: its name, its keys, and the token that it gives and takes.
struct Statement {
    name: &'static str,
    keys: &'static [&'static str],
    gives: Option<Token>,
    takes: Option<Token>,
}

const STATEMENTS: [Statement; 9] = [
    Statement {
        name: "TmaLoad",
        keys: &["dst_smem", "desc", "coords", "mbarrier", "out_token"],
        gives: Some(Token::Load),
        takes: None,
    },
    Statement {
        name: "CpAsync",
        keys: &["dst_smem", "src", "desc", "coords", "bytes", "out_token"],
        gives: Some(Token::Load),
        takes: None,
    },
    Statement { name: "CommitGroup", keys: &[], gives: None, takes: None },
    Statement { name: "MBarrierArrive", keys: &["mbarrier"], gives: None, takes: None },
    Statement { name: "Wait", keys: &["token"], gives: None, takes: Some(Token::Load) },
    Statement {
        name: "Wgmma",
        keys: &["acc", "a_desc", "b_desc", "shape", "dtype", "out_token"],
        gives: Some(Token::Compute),
        takes: None,
    },
    Statement {
        name: "Mma",
        keys: &["acc", "a", "b", "shape", "dtype", "out_token"],
        gives: Some(Token::Compute),
        takes: None,
    },
    Statement {
        name: "Epilogue",
        keys: &["acc", "ops", "in_token", "out_token", "async"],
        gives: Some(Token::Epilogue),
        takes: Some(Token::Compute),
    },
    Statement {
        name: "StGlobalVec",
        keys: &["ptr", "regs", "pred", "in_token"],
        gives: None,
        takes: Some(Token::Epilogue),
    },
];

fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part, diags);
    let root = document.root().ok()?;
    let (plan, places) = schedule(ctx, &root).ok().filter(|_| diags.errors() == before)?;
    let mut module = Body::module(ctx);
    let place = module.entry_block().map(InsertPoint::EndOf)?;
    let loc = places.fused(ctx, root.loc());
    let op = module.create_op(OpParts { props: plan.props(ctx), ..OpParts::new(ctx.op_name(Schedule::OP), loc) });
    module.insert(op, place);
    Some(module)
}

/// The schedule as it is determined, statement by statement.
#[derive(Default)]
struct GpuIrNodes {
    plan: Schedule,
    places: ClauseLocs,
    tokens: Vec<(String, Token)>,
    /// For each tensor that is loaded the tiles of it that are named, and the axes of its coordinates.
    rings: Vec<(String, Vec<String>, Vec<String>)>,
    /// Rows, columns and depth of what is multiplied at once.
    shape: Option<Vec<i64>>,
    is_predicated: bool,
}

fn schedule(ctx: &Context, root: &Node<'_>) -> Read<(Schedule, ClauseLocs)> {
    let root = Record::new(root, "a kernel", &["gpu_ir", "kernel"])?;
    let record = Record::new(root.need("gpu_ir")?, "a kernel", &["arch", "stmts"])?;
    let arch = record.need("arch")?;
    let mut found = GpuIrNodes::default();
    found.plan.of = root.get("kernel").map(|name| Ok(name.name()?.into_owned())).transpose()?;
    found.plan.targets = vec![TargetName::BuiltIn(arch.name()?.into_owned())];
    for node in record.need("stmts")?.list("a list of statements")? {
        found.statement(ctx, &node)?;
    }
    found.finish(&record)
}

impl GpuIrNodes {
    fn statement(&mut self, ctx: &Context, node: &Node<'_>) -> Read<()> {
        let entries = node.entries("a statement, such as {\"Wait\": {\"token\": [\"t\"]}}")?;
        let [(name, place, value)] = &entries[..] else { return Err(node.not("one statement")) };
        let Some(statement) = STATEMENTS.iter().find(|statement| statement.name == *name) else {
            let known = STATEMENTS.map(|statement| statement.name).join(", ");
            let error = place.error(&WRONG_VALUE, format!("there is no statement '{name}'"));
            return Err(place.report(error.suggest(format!("there are {known}"))));
        };
        let record = Record::new(value, "a statement", statement.keys)?;
        self.tokens(statement, &record)?;
        match statement.name {
            "TmaLoad" | "CpAsync" => self.load(ctx, statement.name, &record)?,
            "Wgmma" | "Mma" => self.product(ctx, statement.name, &record)?,
            "Epilogue" => self.epilogue(ctx, &record)?,
            "StGlobalVec" => self.is_predicated |= record.get("pred").is_some(),
            _ => {}
        }
        Ok(())
    }

    /// Tokens are given before they are taken, by what they are taken for.
    fn tokens(&mut self, statement: &Statement, record: &Record<'_>) -> Read<()> {
        let taken = match record.get("token") {
            Some(node) if node.kind() == JsonKind::List => node.list("a list of tokens")?,
            other => other.or(record.get("in_token")).into_iter().cloned().collect(),
        };
        for node in taken {
            let name = node.name()?;
            let given = self.tokens.iter().find(|(known, _)| *known == *name).map(|(_, token)| *token);
            let error = match (given, statement.takes) {
                (Some(token), Some(wanted)) if token == wanted => continue,
                (Some(token), wanted) => {
                    let wanted = wanted.map_or("nothing", Token::word);
                    let message =
                        format!("'{}' waits for {wanted}, and '{name}' is of {}", statement.name, token.word());
                    node.error(&WRONG_VALUE, message)
                }
                (None, _) => node.error(&UNDEFINED_VALUE, format!("no statement before this gives the token '{name}'")),
            };
            return Err(node.report(error));
        }
        if let Some((node, token)) = record.get("out_token").zip(statement.gives) {
            self.tokens.push((node.name()?.into_owned(), token));
        }
        Ok(())
    }

    /// A tile of a tensor, `A_desc`, comes to a slot of its ring, `smA[s0]`; its coordinates say its axes, `(m, k0)`.
    fn load(&mut self, ctx: &Context, name: &str, record: &Record<'_>) -> Read<()> {
        let barrier = if name == "TmaLoad" { Barrier::Mbarrier } else { Barrier::CpAsyncGroup };
        if self.plan.barrier.is_none() {
            self.places.add(ctx, "barrier", record.node().loc());
        }
        self.plan.barrier = Some(barrier);
        let source = match record.get("desc") {
            Some(desc) => desc,
            None => record.need("src")?,
        };
        let tensor = source.name()?;
        let tensor = tensor.strip_suffix("_desc").unwrap_or(&tensor).to_string();
        let slot = record.need("dst_smem")?.name()?.into_owned();
        let coords = record.need("coords")?;
        let text = coords.name()?;
        let axes: Vec<String> = text
            .trim_matches(['(', ')'])
            .split(',')
            .map(|axis| axis.trim().trim_end_matches(|letter: char| letter.is_ascii_digit()).to_string())
            .collect();
        if axes.iter().any(String::is_empty) {
            return Err(coords.not("coordinates by the names of axes, such as \"(m,k0)\""));
        }
        match self.rings.iter_mut().find(|(known, ..)| *known == tensor) {
            Some((_, _, known)) if *known != axes => {
                return Err(coords.not(&format!("those along ({}), as before", known.join(", "))));
            }
            Some((_, slots, _)) if slots.contains(&slot) => {}
            Some((_, slots, _)) => slots.push(slot),
            None => {
                self.places.add(ctx, &format!("cache {tensor}"), record.node().loc());
                self.rings.push((tensor, vec![slot], axes));
            }
        }
        Ok(())
    }

    /// The tile is what is multiplied at once, `64x128x64`.
    fn product(&mut self, ctx: &Context, name: &str, record: &Record<'_>) -> Read<()> {
        let kind = if name == "Wgmma" { Kind::Wgmma } else { Kind::Mma };
        let node = record.need("shape")?;
        let shape: Option<Vec<i64>> = node.name()?.split('x').map(|part| part.parse().ok()).collect();
        let Some(shape) = shape.filter(|shape| shape.len() == 3) else {
            return Err(node.not("rows, columns and depth, such as \"64x128x64\""));
        };
        if self.shape.as_ref().is_some_and(|known| *known != shape) {
            return Err(node.not("the shape of the products before"));
        }
        if self.shape.is_none() {
            self.places.add(ctx, "instruction", record.node().loc());
            self.places.add(ctx, "tile", node.loc());
        }
        self.plan.instruction = Some(kind.into());
        self.shape = Some(shape);
        Ok(())
    }

    fn epilogue(&mut self, ctx: &Context, record: &Record<'_>) -> Read<()> {
        let ops = record.need("ops")?;
        self.places.add(ctx, "epilogue", ops.loc());
        self.plan.epilogue = Some(ops.list_of("a list of functions", |op| Ok(op.name()?.into_owned()))?);
        if record.get("async").is_some_and(|node| node.text() == "true") {
            self.plan.overlap = Some(Async { enable: true, prefetch_depth: None, epilogue_overlap: true });
        }
        Ok(())
    }

    fn finish(mut self, record: &Record<'_>) -> Read<(Schedule, ClauseLocs)> {
        let stmts = record.need("stmts")?;
        let (Some(shape), [first, second]) = (&self.shape, &self.rings[..]) else {
            let error = stmts.error(&WRONG_VALUE, "the statements are of no product of two tensors that are loaded");
            return Err(stmts.report(error.suggest("a product of more has a plan, or text")));
        };
        // Rows are the axis of the first factor alone, columns that of the second, and what both have is summed.
        let own = |one: &[String], other: &[String], shared: bool| {
            one.iter().filter(|axis| other.contains(axis) == shared).cloned().collect::<Vec<_>>()
        };
        let axes = [own(&first.2, &second.2, false), own(&second.2, &first.2, false), own(&first.2, &second.2, true)];
        let [[rows], [columns], [summed]] = axes.each_ref().map(Vec::as_slice) else {
            let error =
                stmts.error(&WRONG_VALUE, "the factors of a product have one axis of their own each, and share one");
            return Err(stmts.report(error));
        };
        let named = [rows, columns, summed].into_iter().cloned().zip(shape.iter().copied());
        self.plan.tile = Some(Table(named.collect()));
        let stages = self.rings.iter().map(|(_, slots, _)| slots.len()).max().unwrap_or(1);
        self.plan.stages = Some(stages as i64);
        if self.is_predicated {
            self.plan.predicate_tail = Some(vec![rows.clone(), columns.clone(), summed.clone()]);
        }
        self.plan.caches = self.rings.iter().map(|(tensor, _, axes)| cache(tensor, axes)).collect();
        Ok((self.plan, self.places))
    }
}

fn cache(tensor: &str, axes: &[String]) -> Cache {
    Cache {
        tensor: tensor.to_string(),
        axes: Some(axes.to_vec()),
        dtype: None,
        place: Place::Smem,
        at: None,
        pingpong: false,
        buffers: None,
        transposed: false,
    }
}
