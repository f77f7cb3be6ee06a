//! Kernels in blocks: what each role does and whom it waits for, and how tiles lie in shared memory.

use std::collections::HashMap;

use dlc_ir::body::{Body, OpRef};
use dlc_ir::op::OpDef;
use dlc_ir::text::{PrintOptions, print_with_spans};
use dlc_ir::{BlockId, Context, OpId, Type, ValueId};
use dlc_kernel::layout::{Conflicts, MAX_VECTOR_BYTES, SharedTile};
use dlc_kernel::ops::{
    Acquire, Arrive, Await, AwaitRead, Barrier, BarrierArrive, ClusterBarrier, Convert, Copy, CopyAsync, Elect, Expect,
    FenceAsync, Fma, For, Func, Grid, GridRelease, GridWait, If, Load, LoadShared, Mma, Reduce, Release, Role, Scan,
    Shared, Sort, Store, StoreShared, Ticket, TmaLoad, TmaStore, Wait, WarpIf, WarpSync, Wgmma, Yield,
};
use dlc_kernel::types::{Frag, MBarrier, Tile};
use dlc_passes::analysis::tiles::tile_of;
use serde_json::{Value, json};

/// The most rows of a tile that are drawn: by then the pattern of any layout repeats.
const MOST_ROWS: u32 = 16;
/// The most units of a row that are drawn.
const MOST_UNITS: u32 = 32;
/// The bytes that one lane moves at most, and that a swizzle exchanges as a whole.
const UNIT: u32 = 16;

/// The kernels of a module, which is a stage of this number when it is printed with these options.
pub fn all(ctx: &Context, module: &Body, stage: usize, options: PrintOptions) -> Vec<Value> {
    let text = Text::of(ctx, module, options);
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let kernels = ops.filter_map(|op| Some((OpRef::new(ctx, module, op), module.nested(op)?)));
    let kernels = kernels.filter(|(op, _)| op.is(Func::DEF));
    let kernel = |(op, body): (OpRef<'_>, &Body)| {
        let grids = body.walk().into_iter().filter_map(|op| Grid::of(OpRef::new(ctx, body, op)));
        let grids: Vec<Value> = grids.map(|grid| View { ctx, body, text: &text }.grid(grid)).collect();
        json!({ "name": op.symbol_name(), "stage": stage, "grids": grids })
    };
    kernels.map(kernel).collect()
}

/// The text of a module, and the line at which each op begins.
struct Text {
    lines: Vec<String>,
    of: HashMap<(*const Body, OpId), usize>,
}

impl Text {
    fn of(ctx: &Context, module: &Body, options: PrintOptions) -> Text {
        let (text, spans) = print_with_spans(ctx, module, options);
        let starts: Vec<usize> =
            text.split_inclusive('\n').scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).collect();
        let line = |at: usize| starts.partition_point(|&start| start <= at).saturating_sub(1);
        let of =
            spans.iter().map(|span| ((std::ptr::from_ref(span.op.body), span.op.id), line(span.range.start))).collect();
        Text { lines: text.lines().map(str::to_string).collect(), of }
    }
}

/// A kernel, looked at.
struct View<'a> {
    ctx: &'a Context,
    body: &'a Body,
    text: &'a Text,
}

/// What some threads of a block do.
struct Lane {
    name: String,
    /// Its warps and registers, in words.
    who: String,
    /// How many warps do each op of it together.
    warps: u32,
    events: Vec<Value>,
    /// Ops since the last event that are no event.
    others: usize,
}

impl View<'_> {
    fn op(&self, op: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.body, op)
    }

    /// The number and the text of the line at which an op begins.
    fn line(&self, op: OpId) -> (usize, &str) {
        let line = self.text.of.get(&(std::ptr::from_ref(self.body), op)).copied().unwrap_or(0);
        (line, self.text.lines.get(line).map_or("", |line| line.trim()))
    }

    /// The name of the first result of an op, as it is printed.
    fn result(&self, op: OpId) -> &str {
        self.line(op).1.split([' ', ':', ',']).next().unwrap_or("")
    }

    fn grid(&self, grid: Grid<'_>) -> Value {
        let op = grid.id;
        let warps = grid.threads().unsigned_abs() as u32 / 32;
        let who = if warps == 1 { "1 warp".to_string() } else { format!("{warps} warps") };
        let mut lanes = vec![Lane::new("block", who, warps)];
        let mut tiles = Vec::new();
        for block in self.blocks(op) {
            self.events(block, 0, 0, &mut lanes);
        }
        let mut inner = Vec::new();
        self.body.walk_regions(op, &mut inner);
        for &op in &inner {
            tiles.extend(Shared::of(self.op(op)).and_then(|shared| self.tile(op, shared.out())));
        }
        lanes.iter_mut().for_each(Lane::end);
        let accesses = self.accesses(op, &lanes);
        let shown = lanes.iter().filter(|lane| !lane.events.is_empty());
        let shown = shown.map(|lane| json!({ "name": lane.name, "who": lane.who, "events": lane.events }));
        json!({ "line": self.line(op).0, "text": self.line(op).1, "lanes": shown.collect::<Vec<_>>(), "tiles": tiles, "accesses": accesses })
    }

    fn blocks(&self, op: OpId) -> Vec<BlockId> {
        self.body.regions(op).iter().flat_map(|&region| self.body.blocks(region)).collect()
    }

    /// Adds what the ops of a block do to a lane; roles are lanes of their own.
    fn events(&self, block: BlockId, depth: usize, lane: usize, lanes: &mut Vec<Lane>) {
        for op in self.body.ops(block) {
            let view = self.op(op);
            if let Some(role) = Role::of(view) {
                let groups = role.groups().max(1);
                let warps = (role.last() - role.first()).max(0) / groups;
                let groups = if groups > 1 { format!(", {groups} groups") } else { String::new() };
                let single = if role.single().is_some() { ", one thread" } else { "" };
                let registers = role.registers().map_or(String::new(), |registers| format!(", {registers} registers"));
                let who = format!("warps {} to {}{groups}{single}{registers}", role.first(), role.last() - 1);
                lanes.push(Lane::new(role.name(), who, warps.unsigned_abs() as u32));
                let own = lanes.len() - 1;
                self.blocks(op).into_iter().for_each(|block| self.events(block, 0, own, lanes));
                continue;
            }
            let Some(kind) = kind(view) else {
                lanes[lane].others += usize::from(!view.is(Yield::DEF) && !view.is(Shared::DEF));
                continue;
            };
            let (line, text) = self.line(op);
            let barrier = self.barrier(view);
            let direction = barrier.is_some().then_some(if view.is(Wait::DEF) { "wait" } else { "signal" });
            lanes[lane].end();
            lanes[lane].events.push(json!({
                "kind": kind, "depth": depth, "line": line, "text": text.trim_end_matches(" {"), "barrier": barrier, "way": direction,
            }));
            self.blocks(op).into_iter().for_each(|block| self.events(block, depth + 1, lane, lanes));
            lanes[lane].end();
        }
    }

    /// The mbarriers that an op is about.
    fn barrier(&self, op: OpRef<'_>) -> Option<&str> {
        let of = op.operands().find(|&value| MBarrier::of(self.ctx, self.body.value_type(value)).is_some())?;
        Some(self.result(self.body.defining_op(of)?))
    }

    /// The banks of the first rows of a tile.
    fn tile(&self, op: OpId, value: ValueId) -> Option<Value> {
        let ty = self.body.value_type(value);
        let tile = Tile::of(self.ctx, ty)?.place(self.ctx).ok()?;
        let axis = tile.contiguous_axis()?;
        let other = (0..tile.shape().len()).rev().find(|&other| other != axis);
        let row = tile.shape()[axis] * tile.elem_bytes();
        let unit = UNIT.min(row).max(tile.elem_bytes());
        let (rows, units) = (other.map_or(1, |other| tile.shape()[other]), row.div_ceil(unit));
        let bank = |at: u32, number: u32| {
            let mut coords = vec![0; tile.shape().len()];
            coords[axis] = number * unit / tile.elem_bytes();
            if let Some(other) = other {
                coords[other] = at;
            }
            tile.address(0, &coords) / 4 % 32
        };
        let banks = |at: u32| (0..units.min(MOST_UNITS)).map(|number| bank(at, number)).collect::<Vec<u32>>();
        Some(json!({
            "name": self.result(op), "type": ty.display(self.ctx), "bytes": tile.bytes(), "unit": unit, "rows": rows, "units": units,
            "banks": (0..rows.min(MOST_ROWS)).map(banks).collect::<Vec<_>>(),
        }))
    }

    /// Loads and stores between fragments and tiles, with their bank conflicts.
    fn accesses(&self, grid: OpId, lanes: &[Lane]) -> Vec<Value> {
        let mut inner = Vec::new();
        self.body.walk_regions(grid, &mut inner);
        let of = |&op: &OpId| {
            let view = self.op(op);
            let (tile, transposed, fragment, is_load) = match (LoadShared::of(view), StoreShared::of(view)) {
                (Some(load), _) => (load.tile(), load.transposed().is_some(), load.out(), true),
                (_, Some(store)) => (store.tile(), store.transposed().is_some(), store.value(), false),
                _ => return None,
            };
            let root = tile_of(self.ctx, self.body, tile).map_or("", |op| self.result(op));
            let tile = Tile::of(self.ctx, self.body.value_type(tile))?.place(self.ctx).ok()?;
            let tile = if transposed { tile.transposed()? } else { tile };
            let warps = self.warps(op, lanes);
            let (instruction, conflicts) = self.access(self.body.value_type(fragment), &tile, warps, is_load)?;
            let (line, text) = self.line(op);
            Some(json!({
                "line": line, "text": text, "tile": root, "instruction": instruction, "ways": conflicts.ways,
                "wavefronts": conflicts.wavefronts,
            }))
        };
        inner.iter().filter_map(of).collect()
    }

    /// How many warps do an op together.
    fn warps(&self, op: OpId, lanes: &[Lane]) -> u32 {
        let around = std::iter::successors(self.body.parent_op(op), |&op| self.body.parent_op(op));
        let role = around.filter_map(|op| Role::of(self.op(op))).next();
        let lane = role.and_then(|role| lanes.iter().skip(1).find(|lane| lane.name == *role.name()));
        lane.unwrap_or(&lanes[0]).warps
    }

    /// The instruction that moves a fragment from or to a tile, and its bank conflicts.
    fn access(&self, ty: Type, tile: &SharedTile, warps: u32, is_load: bool) -> Option<(String, Conflicts)> {
        let frag = Frag::of(self.ctx, ty)?;
        let fragment = frag.place(self.ctx, warps).ok()?;
        let vectors = fragment.shared_access(tile, MAX_VECTOR_BYTES).ok()?;
        let matrices = match is_load {
            true => fragment.load_by_matrices(&frag.layout(self.ctx), &vectors, tile),
            false => fragment.store_by_matrices(&vectors, tile),
        };
        if let Some(matrices) = matrices {
            let word = if is_load { "ldmatrix" } else { "stmatrix" };
            let transposed = if matrices.trans { ", transposed" } else { "" };
            let conflicts = matrices.conflicts(tile, 0, fragment.warps());
            return Some((
                format!("{} {word} of {} matrices{transposed}", matrices.groups.len(), matrices.matrices),
                conflicts,
            ));
        }
        let word = if is_load { "loads" } else { "stores" };
        let bytes = vectors.bytes(fragment.elem_bits());
        Some((format!("{} {word} of {bytes} bytes", vectors.groups.len()), vectors.conflicts(&fragment, tile, 0)))
    }
}

impl Lane {
    fn new(name: &str, who: String, warps: u32) -> Lane {
        Lane { name: name.to_string(), who, warps, events: Vec::new(), others: 0 }
    }

    /// Ends a run of ops that are no events: it is an event with their number, at the depth of what it follows.
    fn end(&mut self) {
        let others = std::mem::take(&mut self.others);
        let Some(last) = self.events.last().filter(|_| others > 0) else { return };
        let opens = matches!(last["kind"].as_str(), Some("loop" | "branch"));
        let depth = last["depth"].as_u64().unwrap_or(0) + u64::from(opens);
        let text = if others == 1 { "1 op".to_string() } else { format!("{others} ops") };
        self.events.push(json!({ "kind": "others", "depth": depth, "line": null, "text": text }));
    }
}

/// What an op is to the lane that it stands in; `None` for what is done in registers alone.
fn kind(op: OpRef<'_>) -> Option<&'static str> {
    let kinds: [(&str, &[&'static OpDef]); 7] = [
        ("loop", &[For::DEF]),
        ("branch", &[If::DEF, WarpIf::DEF, Elect::DEF]),
        ("wait", &[Wait::DEF, Await::DEF, AwaitRead::DEF, GridWait::DEF, Acquire::DEF]),
        ("barrier", &[Barrier::DEF, ClusterBarrier::DEF, WarpSync::DEF]),
        ("signal", &[Arrive::DEF, Expect::DEF, BarrierArrive::DEF, GridRelease::DEF, Release::DEF, FenceAsync::DEF]),
        (
            "memory",
            &[
                TmaLoad::DEF,
                TmaStore::DEF,
                CopyAsync::DEF,
                Copy::DEF,
                Load::DEF,
                Store::DEF,
                LoadShared::DEF,
                StoreShared::DEF,
                Ticket::DEF,
            ],
        ),
        ("product", &[Wgmma::DEF, Mma::DEF, Fma::DEF, Reduce::DEF, Scan::DEF, Sort::DEF, Convert::DEF]),
    ];
    kinds.into_iter().find(|(_, defs)| defs.iter().any(|&def| op.is(def))).map(|(kind, _)| kind)
}
