//! The frame: a graph becomes a function, what it gives a return.

use dlc_frontend::ops as frontend;
use dlc_ir::rewrite::{Conversion, ConversionPattern, Rewrite, Root};
use dlc_ir::{OpId, ValueId};
use dlc_tiny::ops as tiny;

use super::emit::{Emit, Lower, Values};

/// The rules of what ends a graph.
pub const RULES: &[Lower] = &[Lower { op: frontend::Output::DEF, emit: output }];

/// A graph as a function of the same name.
pub struct GraphToFunction;

impl ConversionPattern for GraphToFunction {
    fn name(&self) -> &'static str {
        "graph"
    }
    fn root(&self) -> Root {
        Root::Op(frontend::Graph::DEF.name)
    }
    fn convert(&self, op: OpId, _: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite {
        let name = cv.ctx.op_name(tiny::Func::DEF.name);
        cv.convert_function(op, Some(name));
        Rewrite::Changed
    }
}

/// Each value in the type that it is given in.
fn output(e: &mut Emit<'_>) -> Values {
    let elems = frontend::Output::from(e.source()).elems();
    let mut values: Vec<ValueId> = e.operands.to_vec();
    for (value, elem) in values.iter_mut().zip(elems.unwrap_or_default()) {
        *value = e.cast(*value, elem);
    }
    tiny::Return::build(&mut e.builder, e.loc, &values);
    Values::new()
}
