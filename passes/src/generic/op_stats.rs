//! Counts ops by name, to see what a program consists of and what a pass leaves of it.
//!
//! **Requires**: any layer.
//! **Ensures**: the same program; the table goes out as `op-stats.txt` or `op-stats.json`.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64) -> i64 {
//!   %s = addi %x, %x : i64
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64) -> i64 {
//!   %s = addi %x, %x : i64
//!   return %s
//! }
//! ```
//!
//! **Does not** change anything, nor count attributes, types or values.

use std::collections::BTreeMap;

use dlc_ir::context::Str;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, Context};
use serde_json::{Value, json};

static DEF: PassDef = PassDef {
    on: On::Module,
    options: &[
        OptionDef {
            name: "by-body",
            kind: OptionKind::Bool,
            default: "false",
            doc: "A table for the module and each isolated op in it, not one for all.",
        },
        OptionDef {
            name: "format",
            kind: OptionKind::Choice(&["text", "json"]),
            default: "text",
            doc: "For people or for programs.",
        },
    ],
    ..PassDef::base("op-stats", "Counts ops by name.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(OpStats { by_body: options.flag("by-body"), json: options.text("format") == "json" }))
}

struct OpStats {
    by_body: bool,
    json: bool,
}

impl Pass for OpStats {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut tables = Vec::new();
        op_stats(cx.ctx, body, "", &mut tables);
        if !self.by_body {
            tables = vec![sum(tables)];
        }
        match self.json {
            true => cx.output("op-stats.json", format!("{}\n", json(&tables, self.by_body))),
            false => cx.output("op-stats.txt", text(&tables, self.by_body)),
        }
        Ok(())
    }
}

/// The ops of one body, or of all.
#[derive(Debug)]
pub struct Table {
    /// The body: the names of the symbols down to it.
    pub body: String,
    /// How many ops there are of each name.
    pub ops: BTreeMap<String, u64>,
}

/// Adds a table for a body and each one nested in it, in the order of the text. An isolated op counts where it stands;
/// the outermost one, which stands nowhere, in its own table.
pub fn op_stats(ctx: &Context, body: &Body, around: &str, tables: &mut Vec<Table>) {
    let root = body.root();
    let symbol = body.prop(ctx, root, Str::SYM_NAME).and_then(|name| name.as_str(ctx));
    let own = symbol.map_or_else(|| ctx.op_name_str(body.op_name(root)).to_owned(), |name| format!("@{name}"));
    let path = if around.is_empty() { own } else { format!("{around}::{own}") };
    let mut ops: BTreeMap<String, u64> = BTreeMap::new();
    let outermost = around.is_empty().then_some(root);
    for op in outermost.into_iter().chain(body.walk()) {
        *ops.entry(ctx.op_name_str(body.op_name(op)).to_owned()).or_default() += 1;
    }
    tables.push(Table { body: path.clone(), ops });
    for op in body.nested_ops() {
        if let Some(nested) = body.nested(op) {
            op_stats(ctx, nested, &path, tables);
        }
    }
}

fn sum(tables: Vec<Table>) -> Table {
    let mut all = Table { body: String::new(), ops: BTreeMap::new() };
    for (name, count) in tables.into_iter().flat_map(|table| table.ops) {
        *all.ops.entry(name).or_default() += count;
    }
    all
}

fn text(tables: &[Table], by_body: bool) -> String {
    let mut text = String::new();
    let names = tables.iter().flat_map(|table| table.ops.keys());
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0).max("total".len());
    for table in tables {
        if by_body {
            text += &format!("{}\n", table.body);
        }
        let indent = if by_body { "  " } else { "" };
        let total: u64 = table.ops.values().sum();
        for (name, count) in table.ops.iter().map(|(name, count)| (name.as_str(), count)).chain([("total", &total)]) {
            text += &format!("{indent}{name:width$} {count:8}\n");
        }
    }
    text
}

fn json(tables: &[Table], by_body: bool) -> Value {
    match tables {
        [all] if !by_body => json!({ "ops": all.ops }),
        tables => {
            let bodies: Vec<Value> =
                tables.iter().map(|table| json!({ "body": table.body, "ops": table.ops })).collect();
            json!({ "bodies": bodies })
        }
    }
}
