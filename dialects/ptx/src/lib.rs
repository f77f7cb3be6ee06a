//! The layer ptx: the instructions of a kernel.
//!
//! From above come fragments and tiles with layouts; here every thread has its own registers and addresses. An op is an
//! instruction of PTX, in SSA form, and one [`table`] says what each takes and gives. What is done when a kernel is
//! launched stays as it was above; its grids have become entries, whose blocks branch to each other.
//!
//! ```text
//! entry "double_0" (N ceildiv 128) threads 128 shared 0 memory (%X, %Y) sizes (N) {
//! ^start(%x: i64, %y: i64, %n: i32):
//!   %b = sreg.ctaid.x
//!   %t = sreg.tid.x
//!   %i = mad.lo.s32 %b, 128, %t
//!   %in = setp.lt.s32 %i, %n
//!   bra_if %in, ^inside, ^end
//! ^inside:
//!   %p = mad.wide.s32 %i, 4, %x
//!   %v = ld.global.f32 [%p]
//!   %w = add.f32 %v, %v
//!   %q = mad.wide.s32 %i, 4, %y
//!   st.global.f32 [%q], %w
//!   bra ^end
//! ^end:
//!   exit
//! }
//! ```
//!
//! [`emit`] writes such functions as the text that the driver and ptxas read; [`verified`] says of which it is known that
//! the kernel after them was verified.

pub mod build;
pub mod emit;
pub mod form;
pub mod inst;
pub mod interp;
pub mod ops;
pub mod symbol;
pub mod syntax;
pub mod table;
pub mod verified;
pub mod verify;

/// How many ops are no instructions: functions, entries and branches.
const FRAME: [&dlc_ir::op::OpDef; 5] =
    [ops::Func::DEF, ops::Entry::DEF, ops::Bra::DEF, ops::BraIf::DEF, ops::Exit::DEF];

/// All ops, those of the frame first.
static OPS: [&dlc_ir::op::OpDef; FRAME.len() + table::ops::ALL.len()] = {
    let mut all = [FRAME[0]; FRAME.len() + table::ops::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < FRAME.len() { FRAME[at] } else { table::ops::ALL[at - FRAME.len()] };
        at += 1;
    }
    all
};

/// The dialect `ptx`.
pub static DIALECT: dlc_ir::op::Dialect = dlc_ir::op::Dialect {
    name: "ptx",
    summary: "The instructions of a kernel.",
    ops: &OPS,
    types: &[],
    attrs: &[],
    materialize: None,
    synonyms: &[],
};
dlc_ir::inventory::submit! { &DIALECT }
