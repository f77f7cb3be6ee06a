//! Reductions: `{"op": "sum", "axes": ["k"], "init": 0.0, "dtype": "fp32", "body": ..}`. With several accumulators
//! `init`, `dtype` and `body` are lists. A region that combines them is `{"args": [..], "lets": [..], "yield": [..]}` under
//! `combine`, in place of `op`; a body in which values have names is `{"lets": [..], "yield": [..]}`. `over` says the
//! axes of each result where they are not those that its contributions leave.

use dlc_core::json::{Kind as JsonKind, Node, Read, Record};
use dlc_core::scalar::Combiner;
use dlc_core::sizes::Sizes;
use dlc_core::types::Types;
use dlc_ir::body::OpParts;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Attr, Builder, RegionId, Type, ValueId};

use super::expr::number;
use super::read::Build;
use super::sizes::distinct_axes;
use crate::ops;
use crate::syntax::Numbers;
use crate::verify::ACC_DTYPE_MISSING;

/// The elements of a list, or what is none as the only one.
fn some<'a>(node: &Node<'a>) -> Read<Vec<Node<'a>>> {
    match node.kind() {
        JsonKind::List => node.list("a list"),
        _ => Ok(vec![node.clone()]),
    }
}

impl Build<'_> {
    /// Reads a reduction. Its results.
    pub fn reduce(&mut self, node: &Node<'_>, depth: usize) -> Read<Vec<ValueId>> {
        let record = Record::new(node, "a reduction", &["op", "axes", "init", "dtype", "body", "combine", "over"])?;
        let combiner = match record.get("op") {
            None => None,
            Some(node) => {
                let word = node.string("a combiner")?;
                let wanted = format!("one of {}", Combiner::WORDS.join(", "));
                Some(Combiner::of(&word).ok_or_else(|| node.not(&wanted))?)
            }
        };
        let place = record.need("axes")?;
        let axes = distinct_axes(place)?;
        let sizes = axes.iter().map(|axis| self.axes.size(axis, place)).collect::<Read<Vec<_>>>()?;
        let Some(dtypes) = record.get("dtype") else {
            let error = node.error(&ACC_DTYPE_MISSING, "nothing says in which type it accumulates");
            return Err(node.report(error.suggest("write \"dtype\": \"fp32\"")));
        };
        let acc = some(dtypes)?.iter().map(|node| node.dtype(self.ctx)).collect::<Read<Vec<Type>>>()?;
        let inits = record.need("init")?;
        let list = some(inits)?;
        if list.len() != acc.len() {
            return Err(inits.not(&format!("a number for each of the {} accumulators", acc.len())));
        }
        let init = list.iter().zip(&acc).map(|(node, &ty)| number(self.ctx, node, ty)).collect::<Read<Vec<Attr>>>()?;

        let contributions = self.body.create_region();
        let (block, outer) = (self.body.append_block(contributions), self.block);
        let names = self.enter();
        self.block = block;
        let values = self.inside(record.need("body")?, Some((combiner, &acc)), depth + 1);
        self.leave(names);
        self.block = outer;
        let values = values?;
        if values.len() != acc.len() {
            return Err(
                node.not(&format!("a reduction with a contribution for each of the {} accumulators", acc.len()))
            );
        }
        let over = record.get("over").map(|node| node.list_of("a list of lists of axes", distinct_axes)).transpose()?;
        let result = |(at, (&elem, &value)): (usize, (&Type, &ValueId))| {
            let kept = self.ty(value).1.into_iter().filter(|axis| !axes.contains(axis)).collect::<Vec<_>>();
            let given = over.as_ref().and_then(|over| over.get(at));
            self.value_type(elem, given.unwrap_or(&kept))
        };
        let results: Vec<Type> = acc.iter().zip(&values).enumerate().map(result).collect();

        let combine = self.body.create_region();
        if let Some(node) = record.get("combine") {
            self.combine(node, combine, &results, depth + 1)?;
        }
        let axes = TextArray::make(self.ctx, axes.iter().map(String::as_str).collect());
        let mut props = vec![
            ("axes", axes),
            ("sizes", Sizes::make(self.ctx, sizes)),
            ("init", Numbers::make(self.ctx, &init)),
            ("acc", Types::make(self.ctx, acc)),
        ];
        props.extend(combiner.map(|combiner| ("combiner", self.ctx.str_attr(combiner.word()))));
        let parts = OpParts {
            results: &results,
            props: self.dict(&props),
            regions: &[contributions, combine],
            ..OpParts::new(self.ctx.op_name(ops::Reduce::NAME), node.loc())
        };
        let op = Builder::at_end(self.ctx, &mut self.body, outer).create(parts);
        Ok(self.body.results(op).collect())
    }

    /// Reads what is in a region, with its `yield`. The values that are yielded; of a sum, products stay exact.
    fn inside(
        &mut self,
        node: &Node<'_>,
        sums: Option<(Option<Combiner>, &[Type])>,
        depth: usize,
    ) -> Read<Vec<ValueId>> {
        let has_names =
            node.kind() == JsonKind::Object && node.entries("a body")?.iter().any(|(key, ..)| key == "yield");
        let exprs = match has_names {
            false => some(node)?,
            true => {
                let record = Record::new(node, "a body", &["lets", "yield"])?;
                if let Some(lets) = record.get("lets") {
                    self.lets(&lets.list("a list of values")?)?;
                }
                record.need("yield")?.list("a list of values")?
            }
        };
        let mut values = Vec::new();
        for (at, expr) in exprs.iter().enumerate() {
            values.push(match sums.and_then(|(combiner, acc)| Some((combiner, *acc.get(at)?))) {
                Some((combiner, acc)) => self.summed(expr, combiner, acc, depth)?,
                None => self.expr(expr, depth, None)?,
            });
        }
        self.op(ops::Yield::NAME, &values, &[], &[], node.loc());
        Ok(values)
    }

    /// Reads `{"args": [..], "lets": [..], "yield": [..]}` into a region.
    fn combine(&mut self, node: &Node<'_>, region: RegionId, results: &[Type], depth: usize) -> Read<()> {
        let record = Record::new(node, "a combiner", &["args", "lets", "yield"])?;
        let place = record.need("args")?;
        let args = place.list("a list of names")?;
        if args.len() != 2 * results.len() {
            return Err(place.not(&format!("{} names: each accumulator twice", 2 * results.len())));
        }
        let (block, outer) = (self.body.append_block(region), self.block);
        let names = self.enter();
        for (arg, &ty) in args.iter().zip(results.iter().chain(results)) {
            let value = self.body.add_arg(block, ty, arg.loc());
            self.define(&arg.name()?, Some(value), arg)?;
        }
        self.block = block;
        let read = self.combined(&record, depth);
        self.block = outer;
        self.leave(names);
        read
    }

    fn combined(&mut self, record: &Record<'_>, depth: usize) -> Read<()> {
        if let Some(lets) = record.get("lets") {
            self.lets(&lets.list("a list of values")?)?;
        }
        let mut values = Vec::new();
        for expr in record.need("yield")?.list("a list of values")? {
            values.push(self.expr(&expr, depth, None)?);
        }
        self.op(ops::Yield::NAME, &values, &[], &[], record.node().loc());
        Ok(())
    }
}
