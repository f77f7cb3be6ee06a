//! Answers the questions of the specification's section 7.1 about a program, as JSON: what is parallel, what must wait for
//! what, what may be computed where.
//!
//! **Requires**: book.
//! **Ensures**: the same program; the report goes out as `poly-report.NAME.json`, `NAME` being that of the function.
//!
//! **Before**
//! ```mlir before
//! book.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//!   %y = reduce max axes (i0: M) over (i1: 3) of %x at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) acc f32 : tensor<[M], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//!   %y = reduce max axes (i0: M) over (i1: 3) of %x at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) acc f32 : tensor<[M], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** change anything, nor write the view (`build-poly-view`). The formulas are those of
//! [`poly_core`](crate::analysis::poly_core).
//!
//! `analysis` is about the function as a whole. Axes of one name and size are taken together; one whose name stands for
//! another size already has that of its block before it. An axis that some block reduces is a reduce axis, all others are
//! parallel; halos are the widest along each axis and their bytes summed; the least buffer is the largest of those of values
//! that are not returned. `blocks` has the same for each block by itself, and what only a block has.

use dlc_ir::affine::SizeExpr;
use dlc_ir::context::Str;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, Context};
use serde_json::{Map, Value, json};

use crate::analysis::locality::Buffer;
use crate::analysis::poly_core::{Answer, answers};
use crate::analysis::polyhedral::{Block, Polyhedral, polyhedral};

static DEF: PassDef = PassDef {
    on: On::Op("book.func"),
    requires: &["book"],
    options: &[OptionDef {
        name: "tile",
        kind: OptionKind::Int,
        default: "16",
        doc: "How many points a tile has along each axis.",
    }],
    ..PassDef::base(
        "poly-report",
        "Reports what is parallel, what depends on what, and what may be computed where.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let tile = options.int("tile");
    if !(1..=1 << 20).contains(&tile) {
        return Err(format!("a tile has from 1 to {} points, not {tile}", 1 << 20));
    }
    Ok(Box::new(PolyReport { tile }))
}

struct PolyReport {
    tile: i64,
}

impl Pass for PolyReport {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let name = body.prop(cx.ctx, body.root(), Str::SYM_NAME).and_then(|name| name.as_str(cx.ctx)).unwrap_or("book");
        let report = poly_report(cx.ctx, body, self.tile);
        cx.output(format!("poly-report.{name}.json"), format!("{report:#}\n"));
        Ok(())
    }
}

/// The report of a function, with tiles of some points.
pub fn poly_report(ctx: &Context, body: &Body, tile: i64) -> Value {
    let found = polyhedral(ctx, body);
    let answers = answers(ctx, body, &found, tile);
    let pairs = || found.blocks.iter().zip(&answers);
    let mut whole = Summary::default();
    pairs().enumerate().for_each(|(number, (block, answer))| whole.add(&found, number, block, answer));
    let blocks: Vec<Value> =
        pairs().enumerate().map(|(number, (block, answer))| block_json(&found, number, block, answer)).collect();
    let excluded = found.excluded.iter().map(|left| json!({ "value": left.name, "why": left.why }));
    let mut analysis = whole.json();
    let open = found.excluded.first().map(|left| format!("'{}' is not affine: {}", left.name, left.why));
    let open = open.or_else(|| answers.iter().find_map(|answer| answer.open.clone()));
    analysis.insert("affine_closure".into(), closure(open));
    json!({
        "analysis": analysis,
        "blocks": blocks,
        "excluded": excluded.collect::<Vec<_>>(),
        "tile": tile,
    })
}

fn number(size: &SizeExpr) -> Value {
    size.as_constant().map_or_else(|| json!(size.to_string()), |size| json!(size))
}

fn closure(open: Option<String>) -> Value {
    let mut entries = Map::new();
    entries.insert("ok".into(), json!(open.is_none()));
    entries.extend(open.map(|why| ("why".into(), json!(why))));
    Value::Object(entries)
}

/// What is said of several blocks together.
#[derive(Default)]
struct Summary {
    axes: Vec<Axis>,
    refused: Option<String>,
    /// The bytes of halos; nothing once one is not known.
    bytes: Option<SizeExpr>,
    unknown: bool,
    buffer: Option<(Buffer, Option<u32>)>,
}

struct Axis {
    label: String,
    name: String,
    size: SizeExpr,
    reduced: bool,
    tail: bool,
    halo: SizeExpr,
}

impl Summary {
    fn add(&mut self, found: &Polyhedral, number: usize, block: &Block, answer: &Answer) {
        let kept = block.axes.len() - block.reduced;
        for (at, (name, size)) in block.axes.iter().enumerate() {
            let place = self.axes.iter().position(|axis| axis.name == *name && axis.size == *size);
            let place = place.unwrap_or_else(|| {
                let taken = self.axes.iter().any(|axis| axis.name == *name);
                let label = if taken { format!("{}.{name}", block.name) } else { name.clone() };
                let (name, size, halo) = (name.clone(), size.clone(), SizeExpr::from(0));
                self.axes.push(Axis { label, name, size, reduced: false, tail: false, halo });
                self.axes.len() - 1
            });
            let axis = &mut self.axes[place];
            axis.reduced |= at >= kept;
            axis.tail |= answer.tails.contains(&at);
            if let Some(halo) = answer.halo.as_ref().and_then(|halo| halo.per_axis.get(at)) {
                let wider = match (axis.halo.as_constant(), halo.as_constant()) {
                    (Some(known), Some(halo)) => halo > known,
                    (known, halo) => known.is_some() && halo.is_none(),
                };
                if wider {
                    axis.halo = halo.clone();
                }
            }
        }
        let bytes = self.bytes.take().unwrap_or_else(|| SizeExpr::from(0));
        match answer.halo.as_ref().and_then(|halo| bytes.add(&halo.bytes).ok()) {
            Some(sum) => self.bytes = Some(sum),
            None => self.unknown = true,
        }
        if let (Some((value, why)), None) = (&answer.refused, &self.refused) {
            self.refused = Some(format!("{value}: {}", why.word()));
        }
        // What only leaves the function is held by none of its blocks.
        if found.edges.iter().any(|edge| edge.source == number) {
            let (buffer, depth) = self.buffer.unwrap_or((Buffer::Reg, None));
            self.buffer = Some((buffer.max(answer.buffer), depth.max(answer.depth)));
        }
    }

    fn json(&self) -> Map<String, Value> {
        let labels = |holds: &dyn Fn(&Axis) -> bool| {
            self.axes.iter().filter(|axis| holds(axis)).map(|axis| axis.label.clone()).collect::<Vec<String>>()
        };
        let per_axis: Map<String, Value> =
            self.axes.iter().map(|axis| (axis.label.clone(), number(&axis.halo))).collect();
        let halo = match (&self.bytes, self.unknown) {
            (_, true) => Value::Null,
            (bytes, false) => {
                json!({ "bytes": bytes.as_ref().map_or(json!(0), number), "per_axis": per_axis })
            }
        };
        let mut at = Map::new();
        at.insert("ok".into(), json!(self.refused.is_none()));
        at.extend(self.refused.iter().map(|why| ("why".into(), json!(why))));
        at.insert("halo".into(), halo);
        let (buffer, depth) = self.buffer.unwrap_or((Buffer::Reg, Some(2)));
        let mut least = Map::new();
        least.insert("buffer".into(), json!(buffer.word()));
        least.extend(depth.filter(|_| buffer != Buffer::Gmem).map(|depth| ("depth".into(), json!(depth))));
        let mut analysis = Map::new();
        analysis.insert("parallel_axes".into(), json!(labels(&|axis| !axis.reduced)));
        analysis.insert("reduce_axes".into(), json!(labels(&|axis| axis.reduced)));
        analysis.insert("tail_axes".into(), json!(labels(&|axis| axis.tail)));
        analysis.insert("compute_at".into(), Value::Object(at));
        analysis.insert("min_buffer".into(), Value::Object(least));
        analysis
    }
}

fn block_json(found: &Polyhedral, at: usize, block: &Block, answer: &Answer) -> Value {
    let mut one = Summary::default();
    one.add(found, at, block, answer);
    // A block by itself is said to be held by what it needs, returned or not.
    one.buffer = Some((answer.buffer, answer.depth));
    let mut analysis = one.json();
    analysis.insert("affine_closure".into(), closure(answer.open.clone()));
    let barriers = answer
        .barriers
        .iter()
        .map(|barrier| json!({ "wait_for": barrier.tensor, "sm80": barrier.sm80(), "sm90": barrier.sm90() }));
    let barriers: Vec<Value> = barriers.collect();
    let conflicts = answer.conflicts.iter().map(|conflict| {
        json!({
            "tensor": conflict.tensor,
            "axis": block.axes[conflict.axis].0,
            "stride_bytes": conflict.stride,
            "ways": conflict.ways,
            "swizzle": conflict.ways > 1,
        })
    });
    let conflicts: Vec<Value> = conflicts.collect();
    analysis.insert("barrier_hints".into(), json!(barriers));
    analysis.insert("bank_conflict_hints".into(), json!(conflicts));
    json!({ "name": block.name, "analysis": analysis, "dependences": dependences(found, at, block) })
}

/// What a block depends on: what it reads from others, and of a reduction its own value along the reduced axes.
fn dependences(found: &Polyhedral, at: usize, block: &Block) -> Vec<Value> {
    let others = found.edges.iter().filter(|edge| edge.target == at).map(|edge| {
        let source = &found.blocks[edge.source].name;
        json!({ "kind": "true", "from": source, "tensor": source, "distance": edge.distance })
    });
    let kept = block.axes.len() - block.reduced;
    let carried: Vec<&str> = block.axes[kept..].iter().map(|(name, _)| name.as_str()).collect();
    let kinds: &[&str] = if carried.is_empty() { &[] } else { &["true", "anti", "output"] };
    let own = kinds.iter().map(|kind| {
        json!({ "kind": kind, "from": block.name, "tensor": block.name, "carried_by": carried, "reduction": true })
    });
    others.chain(own).collect()
}
