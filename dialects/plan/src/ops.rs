//! What exists: schedules, and targets besides those that are built in.
//!
//! The declarations are written by hand: their attributes are made from the tables of clauses, and one of the name `of` has
//! no place among derived accessors. [`Schedule`] and [`Target`] are the accessors.

use dlc_ir::op::{Effects, Interface, OpDef, Traits};

use crate::measured::{self, Measured};
use crate::schedule::Schedule;
use crate::target::Target;
use crate::{syntax, verify};

impl Schedule {
    /// The declaration of the op.
    pub const DEF: &'static OpDef = &SCHEDULE;
}

impl Measured {
    /// The declaration of the op.
    pub const DEF: &'static OpDef = &MEASURED;
}

impl Target {
    /// The declaration of the op.
    pub const DEF: &'static OpDef = &TARGET;
}

/// `plan.schedule`
pub static SCHEDULE: OpDef = OpDef {
    doc: "How a kernel is made: it accompanies the kernel that it names, or without a name the only one.\n\n\
          After `for` stand the targets, all of which it must fit: words for those that are built in, symbols for those \
          of `plan.target`. Between the braces are clauses, in any order; a part that no clause says is left to the \
          passes. Extents are by the name of an axis. A loop is an axis with `o` for its steps from tile to tile and `i` \
          for those inside: `m.o` goes over blocks, `m.i.o` over warps, `m.i.i` is inside of a warp.",
    example: "plan.schedule of @gemm for sm90 { tile (m: 128, n: 128, k: 64) stages 6 }",
    effects: Some(Effects::ANY),
    attrs: Schedule::SPECS,
    parse: Some(syntax::parse_schedule),
    print: Some(syntax::print_schedule),
    verify: Some(verify::schedule),
    interfaces: &[Interface::of(&verify::SYMBOLS)],
    ..OpDef::bare(Schedule::OP)
};

/// `plan.measured`
pub static MEASURED: OpDef = OpDef {
    doc: "A plan that was measured: the time that a kernel took with it on a device. Files of such plans are what tuning \
          keeps, and `choose-plan` takes them in place of its estimate.\n\n\
          The string is the name of the kernel, for people. `kernel` is a hash of the text of the kernel without names, \
          `sizes` what its symbols were, `driver` the version of CUDA that the driver is for. After them stand the clauses \
          of `plan.schedule`.",
    example: "plan.measured gemm for sm90 { kernel \"9b1f0c6d2a4e8f35\" sizes (M: 256) device \"NVIDIA H200\" \
              driver 13000 nanoseconds 29700 tile (m: 64, n: 64, k: 64) }",
    effects: Some(Effects::ANY),
    attrs: Measured::SPECS,
    parse: Some(measured::parse),
    print: Some(measured::print),
    verify: Some(measured::verify),
    ..OpDef::bare(Measured::OP)
};

/// `plan.target`
pub static TARGET: OpDef = OpDef {
    doc: "A machine, like one that is built in but for what the clauses say.\n\n\
          Rates are multiplications and additions, each counted, per clock and SM, by instruction and type of \
          the operands; those that are not given stay. Features replace those of the other machine.",
    example: "plan.target @small like sm90 { sms 66 memory_gbps 2000 }",
    traits: Traits::SYMBOL,
    effects: Some(Effects::ANY),
    attrs: Target::SPECS,
    parse: Some(syntax::parse_target),
    print: Some(syntax::print_target),
    verify: Some(verify::target),
    ..OpDef::bare("plan.target")
};
