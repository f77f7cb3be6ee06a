//! Says of each value of `book` how near to where it is used it can be kept: before anything is fused, this shows what
//! can be.
//!
//! **Requires**: `book`.
//! **Ensures**: the same program; the report goes out as `book-report.NAME.txt` or `.json`, `NAME` being that of the
//! function.
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
//! **Does not** change anything, nor decide what is fused: `form-regions` does. What is reported, and by which formulas,
//! says [`locality`](crate::analysis::locality).

use std::fmt::Write;

use dlc_ir::affine::SizeExpr;
use dlc_ir::context::Str;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, Context, ValueId};
use serde_json::{Map, Value, json};

use crate::analysis::locality::{ComputeAt, Halo, Locality, localities};

static DEF: PassDef = PassDef {
    on: On::Op("book.func"),
    requires: &["book"],
    options: &[
        OptionDef {
            name: "tile",
            kind: OptionKind::Int,
            default: "16",
            doc: "How many points a tile has along each axis.",
        },
        OptionDef {
            name: "format",
            kind: OptionKind::Choice(&["text", "json"]),
            default: "text",
            doc: "For people or for programs.",
        },
    ],
    ..PassDef::base("book-report", "Reports tails, halos, least buffers and where values may be computed.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let tile = options.int("tile");
    if !(1..=1 << 20).contains(&tile) {
        return Err(format!("a tile has from 1 to {} points, not {tile}", 1 << 20));
    }
    Ok(Box::new(BookReport { tile, json: options.text("format") == "json" }))
}

struct BookReport {
    tile: i64,
    json: bool,
}

impl Pass for BookReport {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let report = book_report(cx.ctx, body, self.tile);
        match self.json {
            true => cx.output(format!("book-report.{}.json", report.name), format!("{:#}\n", report.json())),
            false => cx.output(format!("book-report.{}.txt", report.name), report.text()),
        }
        Ok(())
    }
}

/// What is reported of a function.
#[derive(Debug)]
pub struct Report {
    /// The name of the function.
    pub name: String,
    /// The points of a tile along each axis.
    pub tile: i64,
    /// Of each value.
    pub values: Vec<Locality>,
    /// What values are called.
    names: Names,
}

/// The names of values: their own, or numbers for those that have none.
#[derive(Debug)]
struct Names(Vec<(ValueId, String)>);

impl Names {
    fn of(ctx: &Context, body: &Body, values: impl Iterator<Item = ValueId>) -> Names {
        let given: Vec<(ValueId, &str)> = values.map(|value| (value, ctx.str(body.value_name(value)))).collect();
        Names(dlc_core::json::names::distinct(&given, 'v').into_iter().collect())
    }

    fn get(&self, value: ValueId) -> &str {
        self.0.iter().find(|(known, _)| *known == value).map_or("", |(_, name)| name)
    }
}

/// Determines what is to be reported of a function.
pub fn book_report(ctx: &Context, body: &Body, tile: i64) -> Report {
    let name = body.prop(ctx, body.root(), Str::SYM_NAME).and_then(|name| name.as_str(ctx)).unwrap_or("book");
    let values = localities(ctx, body, tile);
    let args = body.entry_block().map(|block| body.args(block).to_vec()).unwrap_or_default();
    let all = args.into_iter().chain(values.iter().map(|found| found.value));
    Report { name: name.into(), tile, names: Names::of(ctx, body, all), values }
}

fn axis(number: usize) -> String {
    format!("i{number}")
}

fn list(axes: &[usize]) -> String {
    axes.iter().map(|&number| axis(number)).collect::<Vec<_>>().join(", ")
}

fn number(size: &SizeExpr) -> Value {
    size.as_constant().map_or_else(|| json!(size.to_string()), |size| json!(size))
}

impl Report {
    /// A paragraph for each value.
    pub fn text(&self) -> String {
        let mut text = format!("@{}, tiles of {}\n", self.name, self.tile);
        for found in &self.values {
            // Writing to a string does not fail.
            let _ = self.value(&mut text, found);
        }
        text
    }

    fn value(&self, text: &mut String, found: &Locality) -> std::fmt::Result {
        let kept = found.axes.len() - found.reduced;
        let named = found.axes.iter().enumerate().map(|(at, size)| format!("{}: {size}", axis(at)));
        let named: Vec<String> = named.collect();
        write!(text, "%{} ({})", self.names.get(found.value), named[..kept].join(", "))?;
        if found.reduced > 0 {
            write!(text, " over ({})", named[kept..].join(", "))?;
        }
        let depth = found.depth.map(|depth| format!(" depth {depth}")).unwrap_or_default();
        writeln!(text, ": {}{depth}, fan-out {}", found.buffer.word(), found.fan_out)?;
        if !found.tails.is_empty() {
            writeln!(text, "  tails {}", list(&found.tails))?;
        }
        for read in &found.reads {
            write!(text, "  reads %{}: {}", self.names.get(read.value), halo_text(read.halo.as_ref()))?;
            if let Some(at) = &read.compute_at {
                write!(text, "; {}", compute_at_text(at))?;
            }
            text.push('\n');
        }
        Ok(())
    }

    /// One object, with the keys of the specification's section 7.1.
    pub fn json(&self) -> Value {
        let values: Vec<Value> = self.values.iter().map(|found| self.value_json(found)).collect();
        json!({ "function": self.name, "tile": self.tile, "values": values })
    }

    fn value_json(&self, found: &Locality) -> Value {
        let kept = found.axes.len() - found.reduced;
        let axes = |range: std::ops::Range<usize>| range.map(axis).collect::<Vec<_>>();
        let mut buffer = Map::new();
        buffer.insert("buffer".into(), json!(found.buffer.word()));
        buffer.extend(found.depth.map(|depth| ("depth".into(), json!(depth))));
        let reads = found.reads.iter().map(|read| {
            let mut entries = Map::new();
            entries.insert("value".into(), json!(self.names.get(read.value)));
            entries.insert("halo".into(), read.halo.as_ref().map_or(Value::Null, halo_json));
            entries.extend(read.compute_at.as_ref().map(|at| ("compute_at".into(), compute_at_json(at))));
            Value::Object(entries)
        });
        let reads: Vec<Value> = reads.collect();
        json!({
            "value": self.names.get(found.value),
            "axes": axes(0..kept),
            "reduce_axes": axes(kept..found.axes.len()),
            "tail_axes": found.tails.iter().map(|&tail| axis(tail)).collect::<Vec<_>>(),
            "min_buffer": buffer,
            "fan_out": found.fan_out,
            "reads": reads,
        })
    }
}

fn halo_text(halo: Option<&Halo>) -> String {
    let Some(halo) = halo else { return "halo not known".into() };
    let along = halo.per_axis.iter().enumerate().filter(|(_, size)| size.as_constant() != Some(0));
    let along: Vec<String> = along.map(|(at, size)| format!("{} along {}", size, axis(at))).collect();
    match along.is_empty() {
        true => "no halo".into(),
        false => format!("halo {} ({} bytes)", along.join(", "), halo.bytes),
    }
}

fn compute_at_text(at: &ComputeAt) -> String {
    let mut text = match at.refused {
        Some(refusal) => return format!("not to be computed here: {}", refusal.word()),
        None => "may be computed here".to_string(),
    };
    if at.distance.iter().any(|distance| *distance != Some(0)) {
        let each = at.distance.iter().map(|distance| distance.map_or("?".into(), |distance| distance.to_string()));
        text += &format!(", distance ({})", each.collect::<Vec<String>>().join(", "));
    }
    if !at.repeated.is_empty() {
        text += &format!(", repeated along {}", list(&at.repeated));
    }
    text
}

fn halo_json(halo: &Halo) -> Value {
    let per_axis: Map<String, Value> =
        halo.per_axis.iter().enumerate().map(|(at, size)| (axis(at), number(size))).collect();
    json!({ "bytes": number(&halo.bytes), "per_axis": per_axis })
}

fn compute_at_json(at: &ComputeAt) -> Value {
    let mut entries = Map::new();
    entries.insert("ok".into(), json!(at.refused.is_none()));
    entries.extend(at.refused.map(|refusal| ("why".into(), json!(refusal.word()))));
    entries.insert("distance".into(), json!(at.distance));
    entries.insert("repeated".into(), json!(at.repeated.iter().map(|&number| axis(number)).collect::<Vec<_>>()));
    Value::Object(entries)
}
