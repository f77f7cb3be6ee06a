//! What region kernels consist of, to tell which are equal but for names.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::context::OpName;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Attr, Context, OpId, RegionId, Str, Type, ValueId};
use dlc_region::ops::{Func, Yield};
use rustc_hash::FxHashMap;

/// A part of a kernel, without names that only people read.
#[derive(PartialEq, Eq, Hash)]
pub enum Part {
    /// What an op is.
    Op(OpName),
    /// Which of the values that were met before.
    Value(usize),
    /// A property of an op.
    Prop(Str, Attr),
    /// Its other attributes.
    Attrs(Attr),
    /// The type of a value that is new.
    Type(Type),
    /// Which of the results.
    Output(usize),
    /// How many regions follow.
    Regions(usize),
    /// A block begins.
    Block,
    /// A region ends.
    End,
}

/// What a kernel would have in place of what it has.
#[derive(Default)]
pub struct Change {
    /// Properties of ops.
    pub props: FxHashMap<(OpId, Str), Attr>,
    /// Types of values.
    pub types: FxHashMap<ValueId, Type>,
}

/// What a kernel consists of once it is changed, in order: kernels with the same parts are equal but for names.
pub fn parts(ctx: &Context, kernel: &Body, change: &Change) -> Vec<Part> {
    let func = Func::from(OpRef::new(ctx, kernel, kernel.root()));
    let outputs: Vec<String> = func.outputs().into_iter().map(String::from).collect();
    let mut lister = Lister { ctx, kernel, change, outputs, values: FxHashMap::default(), parts: Vec::new() };
    lister.op(kernel.root());
    lister.parts
}

struct Lister<'k> {
    ctx: &'k Context,
    kernel: &'k Body,
    change: &'k Change,
    outputs: Vec<String>,
    values: FxHashMap<ValueId, usize>,
    parts: Vec<Part>,
}

impl Lister<'_> {
    fn op(&mut self, op: OpId) {
        let (ctx, kernel) = (self.ctx, self.kernel);
        let is_root = op == kernel.root();
        self.parts.push(Part::Op(kernel.op_name(op)));
        for value in kernel.operands(op) {
            // Operands are defined before, and a kernel refers to nothing outside.
            self.parts.extend(self.values.get(&value).map(|&number| Part::Value(number)));
        }
        let view = OpRef::new(ctx, kernel, op);
        let is_yield = view.is(Yield::DEF);
        for &(key, attr) in kernel.props(op).as_dict(ctx).unwrap_or(&[]) {
            match ctx.str(key) {
                "sym_name" if is_root => {}
                "outputs" if is_root => self.parts.push(Part::Output(self.outputs.len())),
                "to" if is_yield => {
                    let names = TextArray::get(ctx, attr).unwrap_or_default();
                    let place = |name: &str| self.outputs.iter().position(|output| output == name);
                    let places: Vec<Part> = names.into_iter().filter_map(place).map(Part::Output).collect();
                    self.parts.extend(places);
                }
                _ => {
                    let attr = self.change.props.get(&(op, key)).copied().unwrap_or(attr);
                    self.parts.push(Part::Prop(key, attr));
                }
            }
        }
        self.parts.push(Part::Attrs(kernel.attrs(op)));
        for value in kernel.results(op) {
            self.define(value);
        }
        let regions: Vec<RegionId> = kernel.regions(op).to_vec();
        self.parts.push(Part::Regions(regions.len()));
        for region in regions {
            for block in kernel.blocks(region) {
                self.parts.push(Part::Block);
                kernel.args(block).iter().for_each(|&arg| self.define(arg));
                for op in kernel.ops(block) {
                    self.op(op);
                }
            }
            self.parts.push(Part::End);
        }
    }

    fn define(&mut self, value: ValueId) {
        let number = self.values.len();
        self.values.insert(value, number);
        let ty = self.change.types.get(&value).copied().unwrap_or_else(|| self.kernel.value_type(value));
        self.parts.push(Part::Type(ty));
    }
}
