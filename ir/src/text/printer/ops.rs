//! Writing ops, blocks and regions, in custom and in generic form.

use std::ops::{Deref, DerefMut, Range};

use super::names::{Names, ValueLabel};
use super::{OpSpan, Printer};
use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::entity::{BlockId, OpId, RegionId, ValueId};
use crate::location::Loc;
use crate::text::format;

/// Writes the custom form of an op; what hooks with hand-written syntax get. It is a [`Printer`] besides.
pub struct OpPrinter<'p, 'a> {
    printer: &'p mut Printer<'a>,
    /// The op.
    pub op: OpRef<'a>,
}

impl<'a> Deref for OpPrinter<'_, 'a> {
    type Target = Printer<'a>;
    fn deref(&self) -> &Printer<'a> {
        self.printer
    }
}

impl<'a> DerefMut for OpPrinter<'_, 'a> {
    fn deref_mut(&mut self) -> &mut Printer<'a> {
        self.printer
    }
}

impl<'a> Printer<'a> {
    /// Writes the root of a body and everything in it.
    pub(super) fn print_root(&mut self, body: &'a Body) {
        self.names.push(Names::new(self.ctx, body, None));
        let op = OpRef::new(self.ctx, body, body.root());
        self.op(op);
        self.names.pop();
        self.out.push('\n');
    }

    /// Writes one op of a body, under the names it has in the whole body.
    pub(super) fn print_single(&mut self, body: &'a Body, op: OpId) {
        let mut names = Names::new(self.ctx, body, None);
        names.set_all_written();
        self.names.push(names);
        let op = OpRef::new(self.ctx, body, op);
        if let Some(dialect) = op.body.parent_op(op.id).map(|parent| self.dialect_of(OpRef { id: parent, ..op })) {
            self.default_dialects.push(dialect);
        }
        self.op(op);
        self.names.pop();
    }

    fn dialect_of(&self, op: OpRef<'a>) -> &'static str {
        if self.ctx.is_registered(op.op_name()) { op.def().dialect() } else { "builtin" }
    }

    fn op(&mut self, op: OpRef<'a>) {
        let start = self.out.len();
        let span = self.spans.as_mut().map(|spans| {
            spans.push(OpSpan { op, range: start..start });
            spans.len() - 1
        });
        self.op_text(op);
        if let (Some(span), Some(spans)) = (span, &mut self.spans) {
            spans[span].range.end = self.out.len();
        }
    }

    fn op_text(&mut self, op: OpRef<'a>) {
        self.result_names(op);
        let def = op.def();
        // The custom form takes the types of operands from their definitions, so these have to come before.
        let custom = !self.options.generic
            && (def.print.is_some() || !def.format.is_empty())
            && op.operands().all(|value| self.names_of_body().is_written(value));
        if custom {
            let shown = def.dialect();
            if shown != "builtin" && self.default_dialects.last() != Some(&shown) {
                self.write(def.name);
            } else {
                self.write(def.mnemonic());
            }
            let mut printer = OpPrinter { printer: self, op };
            match def.print {
                Some(print) => print(&mut printer),
                None => format::print_op(&mut printer, def),
            }
        } else {
            self.generic_op(op);
        }
        self.trailing_loc(op.loc());
        if !self.options.generic {
            let names = self.names.last_mut().expect("ops are written inside a body");
            op.results().for_each(|value| names.set_written(value));
        }
    }

    fn trailing_loc(&mut self, loc: Loc) {
        if self.options.locations {
            self.write(" ");
            self.loc(loc);
        }
    }

    fn result_names(&mut self, op: OpRef<'a>) {
        let count = op.body.num_results(op.id);
        if count == 0 {
            return;
        }
        let mut index = 0;
        while index < count {
            if index > 0 {
                self.write(", ");
            }
            self.value(op.body, op.result(index));
            let group = self.names_of_body().group_len(op.body, op.id, index);
            if group > 1 {
                self.write(":");
                self.number(group as u64);
            }
            index += group;
        }
        self.write(" = ");
    }

    fn enter_names(&mut self, body: &'a Body) {
        let around = self.names.last().filter(|_| self.options.generic);
        let names = Names::new(self.ctx, body, around);
        self.names.push(names);
    }

    fn names_of_body(&self) -> &Names {
        self.names.last().expect("ops are written inside a body")
    }

    fn value(&mut self, body: &Body, value: ValueId) {
        self.out.push('%');
        match self.names_of_body().value(body, value) {
            ValueLabel::Number(number) => self.number(number.into()),
            ValueLabel::Named(name) => {
                let ctx = self.ctx;
                self.write(ctx.str(name));
            }
            ValueLabel::Grouped(first, index) => {
                self.out.pop();
                self.value(body, first);
                self.write("#");
                self.number(index as u64);
            }
            ValueLabel::Unknown => self.write("<not in the body>"),
        }
    }

    fn block(&mut self, block: BlockId) {
        self.out.push('^');
        match self.names_of_body().block(block) {
            Some(name) => {
                let ctx = self.ctx;
                self.write(ctx.str(name));
            }
            None => self.write("<not in the body>"),
        }
    }

    fn generic_op(&mut self, op: OpRef<'a>) {
        self.string(op.name());
        self.write("(");
        self.list(op.operands(), |p, value| p.value(op.body, value));
        self.write(")");
        if !op.successors().is_empty() {
            self.write(" [");
            self.list(op.successors().iter(), |p, &block| p.block(block));
            self.write("]");
        }
        let entries = op.body.props(op.id).as_dict(self.ctx).unwrap_or(&[]);
        if !entries.is_empty() {
            self.write(" <");
            self.dict(entries);
            self.write(">");
        }
        self.generic_regions(op);
        let attrs = op.body.attrs(op.id);
        if attrs != Attr::EMPTY_DICT {
            self.write(" ");
            self.dict(attrs.as_dict(self.ctx).unwrap_or(&[]));
        }
        self.write(" : (");
        self.list(op.operands(), |p, value| p.ty(op.type_of(value)));
        self.write(") -> ");
        if op.body.num_results(op.id) == 1 {
            let ty = op.type_of(op.result(0));
            let is_function = matches!(self.ctx.type_data(ty), crate::types::TypeData::Function { .. });
            if !is_function {
                return self.ty(ty);
            }
        }
        self.write("(");
        self.list(op.results(), |p, value| p.ty(op.type_of(value)));
        self.write(")");
    }

    fn generic_regions(&mut self, op: OpRef<'a>) {
        let count = op.resolve().regions().len();
        if count == 0 {
            return;
        }
        self.write(" (");
        let mut printer = OpPrinter { printer: self, op };
        for index in 0..count {
            if index > 0 {
                printer.write(", ");
            }
            printer.region_full(index, false);
        }
        self.write(")");
    }

    fn block_ops(&mut self, body: &'a Body, block: BlockId) {
        self.indent += 1;
        for op in body.ops(block) {
            self.flush_if_long();
            self.newline();
            self.op(OpRef::new(self.ctx, body, op));
        }
        self.indent -= 1;
    }

    fn region(&mut self, body: &'a Body, region: RegionId, hide_args: bool) {
        self.write("{");
        for (index, block) in body.blocks(region).enumerate() {
            let args = body.args(block);
            let names = self.names.last_mut().expect("blocks are written inside a body");
            args.iter().for_each(|&arg| names.set_written(arg));
            // The syntax of the op has written the arguments of the first block; nothing branches to it.
            let hidden = index == 0 && hide_args;
            // An empty first block must be written as a label, or the region would read back without blocks.
            let lost = body.first_op(block).is_none();
            let labelled = body.label(block) != crate::context::Str::EMPTY && !body.has_single_block(region);
            let plain = index == 0 && args.is_empty() && !lost && !labelled;
            if !hidden && !plain {
                self.newline();
                self.block(block);
                if !args.is_empty() {
                    self.write("(");
                    self.list(args.iter().enumerate(), |p, (index, &arg)| {
                        p.value(body, arg);
                        p.write(": ");
                        p.ty(body.value_type(arg));
                        p.trailing_loc(body.arg_loc(block, index));
                    });
                    self.write(")");
                }
                self.write(":");
            }
            self.block_ops(body, block);
        }
        self.newline();
        self.write("}");
    }
}

impl<'a> OpPrinter<'_, 'a> {
    /// Writes operands with commas between them.
    pub fn operands(&mut self, range: Range<usize>) {
        let op = self.op;
        self.list(range, |p, index| p.value(op.body, op.operand(index)));
    }

    /// Writes one operand.
    pub fn operand(&mut self, index: usize) {
        let op = self.op;
        self.printer.value(op.body, op.operand(index));
    }

    /// Writes a value of the op's own body.
    pub fn value_name(&mut self, value: ValueId) {
        let op = self.op;
        self.printer.value(op.body, value);
    }

    /// Writes ` : a, b`, the types of all results. Nothing when there are none.
    pub fn result_types(&mut self) {
        let op = self.op;
        if op.body.num_results(op.id) == 0 {
            return;
        }
        self.write(" : ");
        self.list(op.result_types(), |p, ty| p.ty(ty));
    }

    /// Writes the label of a block.
    pub fn block_name(&mut self, block: BlockId) {
        self.printer.block(block);
    }

    /// Writes ` {..}` with the discardable attributes and those inherent ones that are not `named` by the syntax.
    /// Nothing when there are none.
    pub fn attr_dict(&mut self, named: &dyn Fn(&str) -> bool) {
        let ctx = self.ctx;
        let op = self.op;
        let implied = |key: &str| named(key) || key == "operandSegmentSizes" || key == "resultSegmentSizes";
        let inherent = op.body.props(op.id).as_dict(ctx).unwrap_or(&[]);
        let discardable = op.body.attrs(op.id).as_dict(ctx).unwrap_or(&[]);
        let shown: Vec<_> =
            inherent.iter().filter(|(key, _)| !implied(ctx.str(*key))).chain(discardable).copied().collect();
        if !shown.is_empty() {
            self.write(" ");
            self.dict(&shown);
        }
    }

    /// Writes the region at an index, `{` to `}`.
    pub fn region(&mut self, index: usize) {
        self.region_full(index, false);
    }

    /// Writes the region at an index without the arguments of its first block, which the syntax has written before
    /// (with [`region_args`](Self::region_args)).
    pub fn region_without_args(&mut self, index: usize) {
        self.region_full(index, true);
    }

    fn region_full(&mut self, index: usize, hide_args: bool) {
        let owner = self.op;
        let resolved = owner.resolve();
        let dialect = self.printer.dialect_of(owner);
        let Some(&region) = resolved.regions().get(index) else { return };
        self.default_dialects.push(dialect);
        let own_names = !std::ptr::eq(resolved.body, owner.body);
        if own_names {
            self.printer.enter_names(resolved.body);
        }
        self.printer.region(resolved.body, region, hide_args);
        if own_names {
            self.printer.names.pop();
        }
        self.default_dialects.pop();
    }

    /// Writes the arguments of the first block of a region as `%x: type`, each followed by what `after` writes.
    pub fn region_args(&mut self, index: usize, mut after: impl FnMut(&mut Printer<'a>, usize)) {
        let resolved = self.op.resolve();
        let Some(block) = resolved.regions().get(index).and_then(|&region| resolved.body.first_block(region)) else {
            return;
        };
        let own_names = !std::ptr::eq(resolved.body, self.op.body);
        if own_names {
            self.printer.enter_names(resolved.body);
        }
        self.list(resolved.body.args(block).iter().enumerate(), |p, (index, &arg)| {
            p.value(resolved.body, arg);
            p.write(": ");
            p.ty(resolved.body.value_type(arg));
            after(p, index);
            p.trailing_loc(resolved.body.arg_loc(block, index));
        });
        if own_names {
            self.printer.names.pop();
        }
    }
}
