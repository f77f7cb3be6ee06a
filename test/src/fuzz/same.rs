//! Whether two modules are the same but for names and locations.

use std::collections::HashMap;

use dlc_ir::{BlockId, Body, Context, OpId, OpRef, RegionId, ValueId};

/// Compares two bodies of one context op by op; the error names the first difference.
pub fn same(ctx: &Context, a: &Body, b: &Body) -> Result<(), String> {
    let mut pairs = Pairs { ctx, a, b, values: HashMap::new(), blocks: HashMap::new(), ops: Vec::new() };
    pairs.op(a.root(), b.root())?;
    // Uses may come before definitions, so they are compared last.
    for &(x, y) in &pairs.ops {
        let differs = |what: &str| Err(format!("{what} of '{}' differ", OpRef::new(ctx, a, x).name()));
        let operands: Vec<_> = a.operands(x).map(|value| pairs.values.get(&value).copied()).collect();
        if operands != b.operands(y).map(Some).collect::<Vec<_>>() {
            return differs("the operands");
        }
        let successors: Vec<_> = a.successors(x).iter().map(|block| pairs.blocks.get(block).copied()).collect();
        if successors != b.successors(y).iter().copied().map(Some).collect::<Vec<_>>() {
            return differs("the successors");
        }
    }
    Ok(())
}

struct Pairs<'a> {
    ctx: &'a Context,
    a: &'a Body,
    b: &'a Body,
    values: HashMap<ValueId, ValueId>,
    blocks: HashMap<BlockId, BlockId>,
    ops: Vec<(OpId, OpId)>,
}

impl Pairs<'_> {
    fn op(&mut self, x: OpId, y: OpId) -> Result<(), String> {
        let (a, b) = (self.a, self.b);
        let name = OpRef::new(self.ctx, a, x).name();
        let differs = |what: &str| Err(format!("{what} of '{name}' differ"));
        if a.op_name(x) != b.op_name(y) {
            return differs("the names");
        }
        let show =
            |body: &Body, op| format!("{} {}", body.props(op).display(self.ctx), body.attrs(op).display(self.ctx));
        if a.props(x) != b.props(y) || a.attrs(x) != b.attrs(y) {
            return differs(&format!("the attributes {} and {}", show(a, x), show(b, y)));
        }
        if !a.results(x).map(|v| a.value_type(v)).eq(b.results(y).map(|v| b.value_type(v))) {
            return differs("the results");
        }
        self.values.extend(a.results(x).zip(b.results(y)));
        self.ops.push((x, y));
        match (a.nested(x), b.nested(y)) {
            (Some(inner), Some(other)) => same(self.ctx, inner, other)?,
            (None, None) => {}
            _ => return differs("the bodies"),
        }
        if a.regions(x).len() != b.regions(y).len() {
            return differs("the regions");
        }
        for (&region, &other) in a.regions(x).iter().zip(b.regions(y)) {
            if !self.region(region, other)? {
                return differs("the blocks");
            }
        }
        Ok(())
    }

    fn region(&mut self, x: RegionId, y: RegionId) -> Result<bool, String> {
        let (a, b) = (self.a, self.b);
        if a.blocks(x).count() != b.blocks(y).count() {
            return Ok(false);
        }
        for (block, other) in a.blocks(x).zip(b.blocks(y)) {
            let types = |body: &Body, block| body.args(block).iter().map(|&v| body.value_type(v)).collect::<Vec<_>>();
            if types(a, block) != types(b, other) || a.ops(block).count() != b.ops(other).count() {
                return Ok(false);
            }
            self.blocks.insert(block, other);
            self.values.extend(a.args(block).iter().copied().zip(b.args(other).iter().copied()));
            for (op, other) in a.ops(block).zip(b.ops(other)) {
                self.op(op, other)?;
            }
        }
        Ok(true)
    }
}
