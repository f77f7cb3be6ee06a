//! The table of instructions: the only place that says what an instruction takes, what it gives, what it does to memory,
//! and which PTX version and machine it needs. [`crate::form`] explains the language of patterns and signatures.
//!
//! Source: the PTX ISA 9.0; which texts ptxas accepts, and from which version on, was tried with ptxas 12.9 and 13.0.

use dlc_ir::op::{Effects, Traits};

use crate::form::Target;

/// An instruction.
#[derive(Debug)]
pub struct Instruction {
    /// The name of its op, without the dialect.
    pub name: &'static str,
    /// How it is written, where that is not the name.
    pub spelling: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// A line of text.
    pub example: &'static str,
    /// Its properties.
    pub traits: Traits,
    /// What it does to memory.
    pub effects: Effects,
    /// What modifiers it takes, and with which operands.
    pub forms: &'static [Form],
    /// Whether registers of results are read as well, in some of the forms.
    pub ties: bool,
}

/// Modifiers of an instruction and what goes with them.
#[derive(Debug)]
pub struct Form {
    /// The modifiers.
    pub pattern: &'static str,
    /// Results and operands.
    pub signature: &'static str,
    /// The least PTX version.
    pub since: (u32, u32),
    /// The least machine.
    pub target: Target,
}

const SM_80: Target = Target { sm: 80, exact: false };
const SM_90: Target = Target { sm: 90, exact: false };
const SM_90A: Target = Target { sm: 90, exact: true };

const fn form(pattern: &'static str, signature: &'static str) -> Form {
    Form { pattern, signature, since: (7, 0), target: SM_80 }
}

const fn since(since: (u32, u32), target: Target, pattern: &'static str, signature: &'static str) -> Form {
    Form { pattern, signature, since, target }
}

/// Whether a signature has a `=`.
const fn ties(forms: &[Form]) -> bool {
    let mut form = 0;
    while form < forms.len() {
        let text = forms[form].signature.as_bytes();
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'=' {
                return true;
            }
            at += 1;
        }
        form += 1;
    }
    false
}

/// What an instruction does to memory, in a word: what passes may do with it follows from it.
const PURE: (Traits, Effects) = (Traits::PURE, Effects::NONE);
/// It has no effect, but not for all numbers a result: it may be left out or merged, and is not done where it would not be.
const PARTIAL: (Traits, Effects) = (Traits::NONE, Effects::NONE);
/// It reads memory, or what other lanes have: it may be left out, and not moved past a write.
const READS: (Traits, Effects) = (Traits::NONE, Effects::READ);
const WRITES: (Traits, Effects) = (Traits::NONE, Effects::WRITE);
const SYNCS: (Traits, Effects) = (Traits::NONE, Effects::SYNC);
const ANY: (Traits, Effects) = (Traits::NONE, Effects::ANY);

macro_rules! instructions {
    ($($(#[doc = $doc:literal])+ $id:ident $name:literal $(($spelling:literal))? $kind:ident $example:literal { $($form:expr),* $(,)? })*) => {
        $(
            $(#[doc = $doc])+
            pub static $id: Instruction = Instruction {
                name: $name,
                spelling: instructions!(@spelling $name $($spelling)?),
                doc: concat!($($doc),+),
                example: $example,
                traits: $kind.0,
                effects: $kind.1,
                forms: &[$($form),*],
                ties: ties(&[$($form),*]),
            };
        )*
        /// Every instruction.
        pub static INSTRUCTIONS: &[&Instruction] = &[$(&$id),*];

        /// The ops of the instructions.
        pub mod ops {
            use crate::{interp, syntax, verify};
            use dlc_ir::op::OpDef;
            $(
                $(#[doc = $doc])+
                pub static $id: OpDef = OpDef {
                    doc: super::$id.doc,
                    example: super::$id.example,
                    traits: super::$id.traits,
                    effects: Some(super::$id.effects),
                    operands: crate::ops::OPERANDS,
                    results: crate::ops::RESULTS,
                    attrs: crate::ops::ATTRS,
                    parse: Some(syntax::parse_instruction),
                    print: Some(syntax::print_instruction),
                    verify: Some(verify::instruction),
                    eval: Some(interp::instruction),
                    ..OpDef::bare(concat!("ptx.", $name))
                };
            )*
            /// Every one of them.
            pub static ALL: &[&OpDef] = &[$(&$id),*];
        }
    };
    (@spelling $name:literal) => { $name };
    (@spelling $name:literal $spelling:literal) => { $spelling };
}

instructions! {
    /// What a register of the machine says: the number of the thread in its block, of the block in the grid, and so on.
    SREG "sreg" ("mov.u32") PURE "%t = sreg.tid.x" {
        form("{tid,ntid,ctaid,nctaid} {x,y,z}", "u32 <-"),
        form("{laneid,warpid}", "u32 <-"),
        since((7, 8), SM_90, "{cluster_ctaid,cluster_nctaid,clusterid,nclusterid} {x,y,z}", "u32 <-"),
        since((7, 8), SM_90, "{cluster_ctarank,cluster_nctarank}", "u32 <-"),
    }
    /// The address in shared memory at which the memory of the block begins.
    SMEM "smem" ("mov.u32") PURE "%s = smem" { form("", "u32 <-") }
    /// The same value. With `b32` and `b64` the bits of an integer as a float, or the other way round.
    MOV "mov" PURE "%x = mov.f32 0.0" {
        form("{b16,b32,b64,u32,s32,u64,s64,f32,f64,pred}", "T <- T"),
    }
    /// A register that nothing has been put into yet: what is in it does not matter.
    UNDEF "undef" SYNCS "%x = undef.f32" { form("{b16,b32,b64,f32,f64,pred}", "T <-") }
    /// Two halves as one register, the low one first.
    PACK "pack" ("mov") PURE "%w = pack.b32 {%a, %b}" {
        form("b32", "b32 <- {2:b16}"), form("b64", "b64 <- {2:b32}"),
    }
    /// The halves of a register, the low one first.
    UNPACK "unpack" ("mov") PURE "%h:2 = unpack.b32 %w" {
        form("b32", "{2:b16} <- b32"), form("b64", "{2:b32} <- b64"),
    }
    /// A sum.
    ADD "add" PURE "%c = add.s32 %a, 4" {
        form("{INT}", "T <- T T"), form("[rn,rz,rm,rp] [ftz] [sat] f32", "f32 <- f32 f32"), form("[rn,rz] f64", "f64 <- f64 f64"),
        form("[rn] {f16,f16x2}", "T <- T T"), since((7, 8), SM_90, "[rn] {bf16,bf16x2}", "T <- T T"),
    }
    /// A difference.
    SUB "sub" PURE "%c = sub.s32 %a, %b" {
        form("{INT}", "T <- T T"), form("[rn,rz,rm,rp] [ftz] [sat] f32", "f32 <- f32 f32"), form("[rn,rz] f64", "f64 <- f64 f64"),
        form("[rn] {f16,f16x2}", "T <- T T"), since((7, 8), SM_90, "[rn] {bf16,bf16x2}", "T <- T T"),
    }
    /// A product; of integers the low half, the high half, or all of it.
    MUL "mul" PURE "%c = mul.wide.s32 %a, 2" {
        form("{lo,hi} {INT}", "T <- T T"), form("wide {s32,u32}", "b64 <- T T"), form("wide {s16,u16}", "b32 <- T T"),
        form("[rn,rz,rm,rp] [ftz] [sat] f32", "f32 <- f32 f32"), form("[rn,rz] f64", "f64 <- f64 f64"),
        form("[rn] {f16,f16x2}", "T <- T T"), since((7, 8), SM_90, "[rn] {bf16,bf16x2}", "T <- T T"),
    }
    /// A product of integers and a third number added to it.
    MAD "mad" PURE "%c = mad.wide.s32 %a, %b, %base" {
        form("lo {INT}", "T <- T T T"), form("wide {s32,u32}", "b64 <- T T b64"), form("wide {s16,u16}", "b32 <- T T b32"),
    }
    /// A product and a third number added to it, rounded once.
    FMA "fma" PURE "%d = fma.rn.f32 %a, %b, %c" {
        form("{rn,rz} [ftz] [sat] f32", "f32 <- f32 f32 f32"), form("rn f64", "f64 <- f64 f64 f64"),
        form("rn [ftz] [relu] {f16,f16x2}", "T <- T T T"), form("rn [relu] {bf16,bf16x2}", "T <- T T T"),
    }
    /// A quotient; of integers cut towards zero.
    DIV "div" PARTIAL "%c = div.s32 %a, %b" {
        form("{INT}", "T <- T T"), form("{rn,full,approx} [ftz] f32", "f32 <- f32 f32"), form("rn f64", "f64 <- f64 f64"),
    }
    /// What an integer division leaves, of the sign of the dividend.
    REM "rem" PARTIAL "%c = rem.s32 %a, %b" { form("{INT}", "T <- T T") }
    /// The number with the other sign.
    NEG "neg" PURE "%b = neg.f32 %a" {
        form("{s16,s32,s64}", "T <- T"), form("[ftz] f32", "f32 <- f32"), form("f64", "f64 <- f64"),
        form("{f16,f16x2,bf16,bf16x2}", "T <- T"),
    }
    /// The number without its sign.
    ABS "abs" PURE "%b = abs.f32 %a" {
        form("{s16,s32,s64}", "T <- T"), form("[ftz] f32", "f32 <- f32"), form("f64", "f64 <- f64"),
        form("{f16,f16x2,bf16,bf16x2}", "T <- T"),
    }
    /// The smaller number; with `NaN` no number where one of them is none.
    MIN "min" PURE "%c = min.s32 %a, %b" {
        form("{INT}", "T <- T T"), form("[ftz] [NaN] f32", "f32 <- f32 f32"), form("f64", "f64 <- f64 f64"),
        form("[ftz] [NaN] {f16,f16x2}", "T <- T T"), form("[NaN] {bf16,bf16x2}", "T <- T T"),
    }
    /// The larger number; with `NaN` no number where one of them is none.
    MAX "max" PURE "%c = max.f32 %a, %b" {
        form("{INT}", "T <- T T"), form("[ftz] [NaN] f32", "f32 <- f32 f32"), form("f64", "f64 <- f64 f64"),
        form("[ftz] [NaN] {f16,f16x2}", "T <- T T"), form("[NaN] {bf16,bf16x2}", "T <- T T"),
    }
    /// Bits that both have.
    AND "and" PURE "%c = and.b32 %a, 31" { form("{pred,BITS}", "T <- T T") }
    /// Bits that one of both has.
    OR "or" PURE "%c = or.b32 %a, %b" { form("{pred,BITS}", "T <- T T") }
    /// Bits that one of both has, and not the other.
    XOR "xor" PURE "%c = xor.b32 %a, %b" { form("{pred,BITS}", "T <- T T") }
    /// The other bits.
    NOT "not" PURE "%b = not.pred %a" { form("{pred,BITS}", "T <- T") }
    /// Bits moved up.
    SHL "shl" PURE "%b = shl.b32 %a, 4" { form("{BITS}", "T <- T u32") }
    /// Bits moved down; of a signed number its sign comes in.
    SHR "shr" PURE "%b = shr.u32 %a, 4" { form("{BITS,INT}", "T <- T u32") }
    /// Four bytes out of eight, chosen by four digits.
    PRMT "prmt" PURE "%c = prmt.b32 %a, %b, 21520" { form("b32", "b32 <- b32 b32 u32") }
    /// Any function of three bits, given by its table.
    LOP3 "lop3" PURE "%d = lop3.b32 %a, %b, %c, 150" { form("b32", "b32 <- b32 b32 b32 imm") }
    /// A comparison; one with `u` after it also holds where a number is none. With a second word, that and another one.
    SETP "setp" PURE "%p = setp.lt.s32 %a, %b" {
        form("{eq,ne,lt,le,gt,ge} {INT}", "pred <- T T"), form("{eq,ne} {BITS}", "pred <- T T"),
        form("{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan} [ftz] f32", "pred <- T T"),
        form("{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan} f64", "pred <- T T"),
        form("{eq,ne,lt,le,gt,ge} {and,or,xor} {INT}", "pred <- T T pred"),
    }
    /// One of two values, the first where the predicate holds.
    SELP "selp" PURE "%c = selp.f32 %a, %b, %p" { form("{BITS,INT,f32,f64}", "T <- T T pred") }
    /// The number as another type.
    CVT "cvt" PURE "%h = cvt.rn.f16.f32 %x" {
        form("{SMALL} {SMALL}", "T <- U"), form("sat s8 {u8,INT}", "T <- U"), form("sat u8 {s8,INT}", "T <- U"),
        form("sat s16 {u16,s32,u32,s64,u64}", "T <- U"), form("sat u16 {s8,s16,s32,u32,s64,u64}", "T <- U"),
        form("sat s32 {u32,s64,u64}", "T <- U"), form("sat u32 {s8,s16,s32,s64,u64}", "T <- U"),
        form("sat s64 u64", "T <- U"), form("sat u64 {s8,s16,s32,s64}", "T <- U"),
        form("{rn,rz,rm,rp} {f16,f32,f64} {SMALL}", "T <- U"), since((7, 8), SM_90, "{rn,rz} bf16 {INT}", "T <- U"),
        form("{rni,rzi,rmi,rpi} [ftz] [sat] {SMALL} f32", "T <- U"), form("{rni,rzi,rmi,rpi} [sat] {SMALL} {f16,f64}", "T <- U"),
        since((7, 8), SM_90, "{rni,rzi,rmi,rpi} {INT} bf16", "T <- U"),
        form("[ftz] f32 {f16,f32}", "T <- U"), form("[ftz] f64 f32", "T <- U"), form("f64 {f16,f64}", "T <- U"),
        since((7, 1), SM_80, "f32 bf16", "f32 <- b16"),
        form("{rn,rz,rm,rp} [ftz] f16 f32", "T <- U"), form("{rn,rz} relu f16 f32", "T <- U"),
        form("{rn,rz,rm,rp} f16 f64", "T <- U"), form("{rn,rz,rm,rp} [ftz] f32 f64", "T <- U"),
        form("{rn,rz} [relu] bf16 f32", "b16 <- f32"),
        form("{rni,rzi,rmi,rpi} [ftz] f32 f32", "f32 <- f32"), form("{rni,rzi,rmi,rpi} f64 f64", "f64 <- f64"),
        form("{rni,rzi,rmi,rpi} f16 f16", "b16 <- b16"),
        form("{rn,rz} [relu] {f16x2,bf16x2} f32", "b32 <- f32 f32"),
        form("{rna} tf32 f32", "b32 <- f32"), since((7, 8), SM_90, "{rn,rz} tf32 f32", "b32 <- f32"),
        since((8, 1), SM_90, "rn satfinite {e4m3x2,e5m2x2} f32", "b16 <- f32 f32"),
        since((8, 1), SM_90, "rn f16x2 {e4m3x2,e5m2x2}", "b32 <- b16"),
    }
    /// Two to the power of a number.
    EX2 "ex2" PURE "%y = ex2.approx.ftz.f32 %x" {
        form("approx [ftz] f32", "f32 <- f32"), form("approx {f16,f16x2}", "T <- T"), since((7, 8), SM_90, "approx ftz {bf16,bf16x2}", "T <- T"),
    }
    /// The logarithm to the base of two.
    LG2 "lg2" PURE "%y = lg2.approx.f32 %x" { form("approx [ftz] f32", "f32 <- f32") }
    /// One divided by a number.
    RCP "rcp" PURE "%y = rcp.approx.ftz.f32 %x" { form("{approx,rn} [ftz] f32", "f32 <- f32"), form("rn f64", "f64 <- f64") }
    /// One divided by the square root.
    RSQRT "rsqrt" PURE "%y = rsqrt.approx.f32 %x" { form("approx [ftz] f32", "f32 <- f32"), form("approx f64", "f64 <- f64") }
    /// The square root.
    SQRT "sqrt" PURE "%y = sqrt.rn.f32 %x" { form("{approx,rn} [ftz] f32", "f32 <- f32"), form("rn f64", "f64 <- f64") }
    /// The sine.
    SIN "sin" PURE "%y = sin.approx.f32 %x" { form("approx [ftz] f32", "f32 <- f32") }
    /// The cosine.
    COS "cos" PURE "%y = cos.approx.f32 %x" { form("approx [ftz] f32", "f32 <- f32") }
    /// The hyperbolic tangent.
    TANH "tanh" PURE "%y = tanh.approx.f32 %x" { form("approx f32", "f32 <- f32"), form("approx {f16,f16x2}", "T <- T") }
    /// What is in memory at an address.
    LD "ld" READS "%x:4 = ld.global.v4.f32 [%p + 16]" {
        form("global [v2,v4] {MEMORY}", "{V:T} <- a64"), form("global nc [v2,v4] {MEMORY}", "{V:T} <- a64"),
        form("global {cg,cs,lu,cv} [v2,v4] {MEMORY}", "{V:T} <- a64"),
        since((7, 4), SM_80, "global [nc] {L1::no_allocate,L1::evict_first,L1::evict_last} [L2::128B,L2::256B] [v2,v4] {MEMORY}", "{V:T} <- a64"),
        form("{relaxed,acquire} {gpu,cta,sys} global {MEMORY}", "T <- a64"),
        form("shared [v2,v4] {MEMORY}", "{V:T} <- a32"),
        since((7, 8), SM_90, "shared::cluster [v2,v4] {MEMORY}", "{V:T} <- a32"),
    }
    /// Puts a value into memory at an address.
    ST "st" WRITES "st.global.v4.f32 [%p], {%a, %b, %c, %d}" {
        form("global [cg,cs,wt] [v2,v4] {MEMORY}", "a64 {V:T}"), since((7, 4), SM_80, "global L1::no_allocate [v2,v4] {MEMORY}", "a64 {V:T}"),
        form("{relaxed,release} {gpu,cta,sys} global {MEMORY}", "a64 T"),
        form("shared [v2,v4] {MEMORY}", "a32 {V:T}"), since((7, 8), SM_90, "shared::cluster [v2,v4] {MEMORY}", "a32 {V:T}"),
    }
    /// Combines a value with what is in memory, in one step.
    RED "red" WRITES "red.global.add.f32 [%p], %x" {
        form("[relaxed] [gpu] global add {u32,s32,u64,f32,f64}", "a64 T"), form("[relaxed] [gpu] global add noftz {f16,f16x2}", "a64 T"),
        since((7, 8), SM_90, "[relaxed] [gpu] global add noftz {bf16,bf16x2}", "a64 T"),
        form("[relaxed] [gpu] global {min,max} {u32,s32,u64,s64}", "a64 T"), form("shared add {u32,s32,f32}", "a32 T"),
        since((8, 1), SM_90, "[relaxed] [gpu] global add {v2,v4} f32", "a64 {V:f32}"),
    }
    /// Combines a value with what is in memory, in one step, and gives what was there.
    ATOM "atom" ANY "%o = atom.global.add.u32 [%p], 1" {
        form("global {add,min,max} {u32,s32,u64}", "T <- a64 T"), form("global exch {b32,b64}", "T <- a64 T"),
        form("{relaxed,acq_rel,acquire,release} gpu global add {u32,s32}", "T <- a64 T"),
        form("{relaxed,acq_rel,acquire,release} gpu global exch b32", "T <- a64 T"),
        form("global add {f32,f64}", "T <- a64 T"), form("global cas {b16,b32,b64}", "T <- a64 T T"),
    }
    /// Brings a tensor map near.
    PREFETCH "prefetch" ANY "prefetch.tensormap [%map]" { since((8, 0), SM_90, "tensormap", "a64") }
    /// Copies from global to shared memory, and does not wait; what is after the last number of bytes that are read is
    /// zero.
    CP_ASYNC "cp.async" ANY "cp.async.cg.shared.global [%s], [%p], 16" {
        form("{ca,cg} shared global", "a32 a64 imm"), form("{ca,cg} shared global", "a32 a64 imm u32"),
        since((7, 4), SM_80, "{ca,cg} shared global {L2::128B,L2::256B}", "a32 a64 imm"),
        since((7, 4), SM_80, "{ca,cg} shared global {L2::128B,L2::256B}", "a32 a64 imm u32"),
    }
    /// Makes a group of the copies so far.
    CP_ASYNC_COMMIT "cp.async.commit_group" SYNCS "cp.async.commit_group" { form("", "") }
    /// Waits until at most so many groups are left.
    CP_ASYNC_WAIT "cp.async.wait_group" SYNCS "cp.async.wait_group 2" { form("", "imm") }
    /// TMA brings a box to shared memory, or takes one from there.
    BULK_TENSOR "cp.async.bulk.tensor" ANY "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%map, {%x, %y}], [%bar]" {
        since((8, 0), SM_90, "{1d,2d,3d,4d,5d} shared::cluster global tile mbarrier::complete_tx::bytes [multicast::cluster] [L2::cache_hint]",
            "a32 tensor a32 ?multicast::cluster:b16 ?L2::cache_hint:b64"),
        since((8, 0), SM_90, "{3d,4d,5d} shared::cluster global im2col mbarrier::complete_tx::bytes [multicast::cluster] [L2::cache_hint]",
            "a32 tensor a32 {D-2:b16} ?multicast::cluster:b16 ?L2::cache_hint:b64"),
        since((8, 0), SM_90, "{1d,2d,3d,4d,5d} global shared::cta tile bulk_group [L2::cache_hint]", "tensor a32 ?L2::cache_hint:b64"),
    }
    /// TMA combines a box in memory with one of shared memory.
    BULK_REDUCE "cp.reduce.async.bulk.tensor" ANY "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%map, {%x, %y}], [%s]" {
        since((8, 0), SM_90, "{1d,2d,3d,4d,5d} global shared::cta {add,min,max} tile bulk_group", "tensor a32"),
    }
    /// Makes a group of the bulk copies so far.
    BULK_COMMIT "cp.async.bulk.commit_group" SYNCS "cp.async.bulk.commit_group" { since((8, 0), SM_90, "", "") }
    /// Waits until at most so many groups of bulk copies are left; with `read`, until the others have read.
    BULK_WAIT "cp.async.bulk.wait_group" SYNCS "cp.async.bulk.wait_group.read 1" { since((8, 0), SM_90, "[read]", "imm") }
    /// A new mbarrier for so many arrivals.
    MBARRIER_INIT "mbarrier.init" SYNCS "mbarrier.init.shared::cta.b64 [%b], 1" { since((7, 8), SM_90, "shared::cta b64", "a32 u32") }
    /// Ends an mbarrier, so that another one can be made there.
    MBARRIER_INVAL "mbarrier.inval" SYNCS "mbarrier.inval.shared::cta.b64 [%b]" { since((7, 8), SM_90, "shared::cta b64", "a32") }
    /// Arrives at an mbarrier, also at that of another block.
    MBARRIER_ARRIVE "mbarrier.arrive" SYNCS "mbarrier.arrive.shared::cta.b64 _, [%b]" {
        since((7, 8), SM_90, "shared::cta b64", "_ a32"), since((7, 8), SM_90, "shared::cta b64", "_ a32 u32"),
        since((8, 0), SM_90, "shared::cluster b64", "_ a32"), since((8, 0), SM_90, "shared::cluster b64", "_ a32 u32"),
        since((8, 0), SM_90, "release cluster shared::cluster b64", "_ a32"),
        since((8, 0), SM_90, "expect_tx {shared::cta,shared::cluster} b64", "_ a32 u32"),
    }
    /// Whether the phase with a parity has ended; it may take a while to answer.
    MBARRIER_TRY_WAIT "mbarrier.try_wait" SYNCS "%p = mbarrier.try_wait.parity.shared::cta.b64 [%b], %parity" {
        since((7, 8), SM_90, "parity shared::cta b64", "pred <- a32 u32"),
        since((8, 0), SM_90, "parity acquire {cta,cluster} shared::cta b64", "pred <- a32 u32"),
    }
    /// Orders what is before it and what is after it.
    FENCE "fence" SYNCS "fence.proxy.async.shared::cta" {
        since((8, 0), SM_90, "proxy async [shared::cta,shared::cluster,global]", ""), since((8, 0), SM_90, "mbarrier_init release cluster", ""),
        form("{acq_rel,sc} {cta,gpu,sys}", ""), since((7, 8), SM_90, "acq_rel cluster", ""),
    }
    /// Waits at a barrier of the block, or arrives there and goes on.
    BAR "bar" SYNCS "bar.sync 1, 256" { form("sync", "u32"), form("sync", "u32 u32"), form("arrive", "u32 u32") }
    /// The lanes of a warp wait for each other.
    BAR_WARP "bar.warp" SYNCS "bar.warp.sync -1" { form("sync", "u32") }
    /// The threads of a cluster arrive and wait for each other.
    BARRIER_CLUSTER "barrier.cluster" SYNCS "barrier.cluster.arrive.release.aligned" {
        since((8, 0), SM_90, "arrive [release,relaxed] aligned", ""), since((8, 0), SM_90, "wait [acquire] aligned", ""),
    }
    /// What another lane has.
    SHFL "shfl.sync" READS "%y = shfl.sync.bfly.b32 %x, 1, 31, -1" { form("{idx,bfly,up,down} b32", "w32 <- w32 u32 u32 u32") }
    /// Whether a predicate holds in a lane, in all, or in which.
    VOTE "vote.sync" READS "%q = vote.sync.any.pred %p, -1" { form("{any,all,uni} pred", "pred <- pred u32"), form("ballot b32", "b32 <- pred u32") }
    /// What the numbers of all lanes combine to.
    REDUX "redux.sync" READS "%y = redux.sync.add.s32 %x, -1" { form("{add,min,max} {s32,u32}", "T <- T u32"), form("{and,or,xor} b32", "b32 <- b32 u32") }
    /// Holds in one lane of the warp.
    ELECT "elect.sync" READS "%p = elect.sync -1" { since((8, 0), SM_90, "", "pred <- u32") }
    /// The address of the same place in another block of the cluster.
    MAPA "mapa" PURE "%q = mapa.shared::cluster.u32 %p, %rank" { since((7, 8), SM_90, "shared::cluster u32", "u32 <- u32 u32") }
    /// Matrices of 8 by 8 16-bit floats, from shared memory into the lanes of a warp.
    LDMATRIX "ldmatrix" READS "%a:4 = ldmatrix.sync.aligned.m8n8.x4.shared.b16 [%p]" { form("sync aligned m8n8 {x1,x2,x4} [trans] shared b16", "{X:u32} <- a32") }
    /// Matrices of 8 by 8 16-bit floats, out of the lanes of a warp into shared memory.
    STMATRIX "stmatrix" WRITES "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%p], {%a, %b, %c, %d}" {
        since((7, 8), SM_90, "sync aligned m8n8 {x1,x2,x4} [trans] shared b16", "a32 {X:u32}"),
    }
    /// A product of matrices in the registers of a warp, added to a third.
    MMA "mma" READS "%d:4 = mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3}" {
        form("sync aligned m16n8k16 row col f32 f16 f16 f32", "{4:f32} <- {4:u32} {2:u32} {4:f32}"),
        form("sync aligned m16n8k16 row col f32 bf16 bf16 f32", "{4:f32} <- {4:u32} {2:u32} {4:f32}"),
        form("sync aligned m16n8k8 row col f32 f16 f16 f32", "{4:f32} <- {2:u32} {1:u32} {4:f32}"),
        form("sync aligned m16n8k8 row col f32 bf16 bf16 f32", "{4:f32} <- {2:u32} {1:u32} {4:f32}"),
        form("sync aligned m16n8k8 row col f32 tf32 tf32 f32", "{4:f32} <- {4:u32} {2:u32} {4:f32}"),
        form("sync aligned m16n8k4 row col f32 tf32 tf32 f32", "{4:f32} <- {2:u32} {1:u32} {4:f32}"),
        form("sync aligned m16n8k16 row col f16 f16 f16 f16", "{2:u32} <- {4:u32} {2:u32} {2:u32}"),
        form("sync aligned m16n8k32 row col s32 s8 s8 s32", "{4:u32} <- {4:u32} {2:u32} {4:u32}"),
        since((8, 4), Target { sm: 89, exact: false }, "sync aligned m16n8k32 row col f32 {e4m3,e5m2} {e4m3,e5m2} f32", "{4:f32} <- {4:u32} {2:u32} {4:f32}"),
    }
    /// A product of matrices in shared memory, the left one perhaps in registers, added to a third in the registers of four
    /// warps, which do not wait. The last numbers negate (-1) and transpose (1) matrices.
    WGMMA "wgmma.mma_async" ANY "%d:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %a, %b, %p, 1, 1, 0, 0" {
        since((8, 0), SM_90A, "sync aligned m64n#k16 f32 f16 f16", "{#/2:f32} <- ={#/2:f32} b64 b64 pred imm imm imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k16 f32 bf16 bf16", "{#/2:f32} <- ={#/2:f32} b64 b64 pred imm imm imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k16 f32 f16 f16", "{#/2:f32} <- ={#/2:f32} {4:u32} b64 pred imm imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k16 f32 bf16 bf16", "{#/2:f32} <- ={#/2:f32} {4:u32} b64 pred imm imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k8 f32 tf32 tf32", "{#/2:f32} <- ={#/2:f32} b64 b64 pred imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k8 f32 tf32 tf32", "{#/2:f32} <- ={#/2:f32} {4:u32} b64 pred imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k32 f32 {e4m3,e5m2} {e4m3,e5m2}", "{#/2:f32} <- ={#/2:f32} b64 b64 pred imm imm"),
        since((8, 0), SM_90A, "sync aligned m64n#k32 f32 {e4m3,e5m2} {e4m3,e5m2}", "{#/2:f32} <- ={#/2:f32} {4:u32} b64 pred imm imm"),
    }
    /// What was written to registers and shared memory before it is there for products after it.
    WGMMA_FENCE "wgmma.fence" SYNCS "wgmma.fence.sync.aligned" { since((8, 0), SM_90A, "sync aligned", "") }
    /// Makes a group of the products so far.
    WGMMA_COMMIT "wgmma.commit_group" SYNCS "wgmma.commit_group.sync.aligned" { since((8, 0), SM_90A, "sync aligned", "") }
    /// Waits until at most so many groups of products are left.
    WGMMA_WAIT "wgmma.wait_group" SYNCS "wgmma.wait_group.sync.aligned 1" { since((8, 0), SM_90A, "sync aligned", "imm") }
    /// Gives registers of this group of warps back, or takes more.
    SETMAXNREG "setmaxnreg" SYNCS "setmaxnreg.dec.sync.aligned.u32 40" { since((8, 0), SM_90A, "{inc,dec} sync aligned u32", "imm") }
    /// Waits for the grid before this one, or lets the next one begin.
    GRIDDEPCONTROL "griddepcontrol" SYNCS "griddepcontrol.wait" { since((7, 8), SM_90, "{wait,launch_dependents}", "") }
    /// Ends the program with an error.
    TRAP "trap" ANY "trap" { form("", "") }
}
