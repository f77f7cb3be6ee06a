//! The functions that a program can call, by the tables that hold them.

use rustc_hash::FxHashMap;

use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::context::{Context, Str};
use crate::op::Traits;

/// All symbol tables of a module. A table is named by its place in the list; the module's own is the first.
pub(super) struct Tables<'a>(Vec<Table<'a>>);

struct Table<'a> {
    parent: Option<usize>,
    symbols: FxHashMap<Str, Symbol<'a>>,
}

#[derive(Clone, Copy)]
struct Symbol<'a> {
    op: OpRef<'a>,
    /// The table that the op is.
    inner: Option<usize>,
}

impl<'a> Tables<'a> {
    /// The symbols of a body and of the tables nested in it.
    pub(super) fn of(ctx: &'a Context, body: &'a Body) -> Tables<'a> {
        let mut tables = vec![Table { parent: None, symbols: FxHashMap::default() }];
        let mut open = vec![(0, body)];
        while let Some((table, body)) = open.pop() {
            let ops = body.regions(body.root()).iter().flat_map(|&region| body.blocks(region));
            for id in ops.flat_map(|block| body.ops(block)) {
                let op = OpRef::new(ctx, body, id);
                let mut inner = None;
                if let Some(nested) = body.nested(id).filter(|_| op.has(Traits::SYMBOL_TABLE)) {
                    inner = Some(tables.len());
                    open.push((tables.len(), nested));
                    tables.push(Table { parent: Some(table), symbols: FxHashMap::default() });
                }
                if let Some(name) = op.symbol() {
                    tables[table].symbols.entry(name).or_insert(Symbol { op, inner });
                }
            }
        }
        Tables(tables)
    }

    /// What a reference means inside of a table: the op, and the table that holds it.
    pub(super) fn look_up(&self, ctx: &Context, from: usize, reference: Attr) -> Option<(OpRef<'a>, usize)> {
        let (first, rest) = reference.as_symbol(ctx)?.split_first()?;
        let mut table = from;
        let mut symbol = loop {
            match self.0[table].symbols.get(first) {
                Some(symbol) => break *symbol,
                None => table = self.0[table].parent?,
            }
        };
        for name in rest {
            table = symbol.inner?;
            symbol = *self.0[table].symbols.get(name)?;
        }
        Some((symbol.op, table))
    }
}
