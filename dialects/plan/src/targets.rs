//! The machines that are known: numbers alone. `plan.target` makes others of them.
//!
//! Rates are multiplications and additions, each counted, per clock and SM, by instruction and type of the
//! operands (`tf32` where these are `f32`).

use crate::clause::Kind;
use crate::target::BuiltIn;

/// A100 80 GB SXM. From NVIDIA's data sheet and whitepaper: 312 TFLOPS of f16 at 1.41 GHz are 2048 on each of 108
/// SMs; memory is taken as 85 % of 2039 GB/s.
const SM80: BuiltIn = BuiltIn {
    name: "sm80",
    numbers: &[
        ("sms", 108),
        ("clock_mhz", 1410),
        ("memory_gbps", 1730),
        ("memory_latency_ns", 600),
        ("l2_bytes", 40 << 20),
        ("l2_bytes_per_clock", 5120),
        ("smem_bytes_per_clock", 128),
        ("smem_per_block", 163 << 10),
        ("smem_per_sm", 164 << 10),
        ("smem_reserved", 1 << 10),
        ("registers_per_sm", 1 << 16),
        ("registers_per_thread", 255),
        ("threads_per_block", 1024),
        ("threads_per_sm", 2048),
        ("max_blocks_per_sm", 32),
        ("cluster_blocks", 1),
        ("special_per_clock", 16),
        ("launch_ns", 3500),
    ],
    rates: &[
        ("fma.f32", 128),
        ("fma.f64", 64),
        ("mma.f16", 2048),
        ("mma.bf16", 2048),
        ("mma.tf32", 1024),
        ("mma.i8", 4096),
        ("mma.ui8", 4096),
        ("mma.f64", 128),
    ],
    features: &["cp_async", "cache_hint"],
};

/// H200 SXM, as measured: rates with every operand in place, 4.3 TB/s of a copy, 10.6 TB/s from the L2 cache.
/// The clock is what the power limit leaves of 1.98 GHz under full load.
const SM90: BuiltIn = BuiltIn {
    name: "sm90",
    numbers: &[
        ("sms", 132),
        ("clock_mhz", 1400),
        ("memory_gbps", 4300),
        ("memory_latency_ns", 800),
        ("l2_bytes", 60 << 20),
        ("l2_bytes_per_clock", 7570),
        ("smem_bytes_per_clock", 128),
        ("smem_per_block", 227 << 10),
        ("smem_per_sm", 228 << 10),
        ("smem_reserved", 1 << 10),
        ("registers_per_sm", 1 << 16),
        ("registers_per_thread", 255),
        ("threads_per_block", 1024),
        ("threads_per_sm", 2048),
        ("max_blocks_per_sm", 32),
        ("cluster_blocks", 8),
        ("special_per_clock", 16),
        ("launch_ns", 3500),
    ],
    rates: &[
        ("fma.f32", 256),
        ("fma.f64", 128),
        ("mma.f16", 2732),
        ("mma.bf16", 2732),
        ("mma.tf32", 1366),
        ("mma.i8", 5460),
        ("mma.ui8", 5460),
        ("mma.f8E4M3FN", 2183),
        ("mma.f8E5M2", 2183),
        ("mma.f64", 256),
        ("wgmma.f16", 4090),
        ("wgmma.bf16", 4090),
        ("wgmma.tf32", 2046),
        ("wgmma.i8", 8186),
        ("wgmma.ui8", 8186),
        ("wgmma.f8E4M3FN", 8185),
        ("wgmma.f8E5M2", 8185),
    ],
    features: &["cp_async", "cache_hint", "tma", "wgmma", "cluster", "setmaxnreg", "launch_overlap"],
};

/// Every target.
pub const TARGETS: [&BuiltIn; 2] = [&SM80, &SM90];

/// The shapes of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Shapes {
    /// The instruction.
    pub kind: Kind,
    /// Rows.
    pub rows: i64,
    /// Columns: the least, the most, and what they are multiples of.
    pub columns: (i64, i64, i64),
    /// Bits of one row of an operand along the depth.
    pub depth_bits: &'static [i64],
}

/// The shapes of `mma.sync` and `wgmma` (PTX ISA 8.5, sections 9.7.14 and 9.7.15), but for those of `f64`.
pub const SHAPES: [Shapes; 2] = [
    Shapes { kind: Kind::Mma, rows: 16, columns: (8, 8, 8), depth_bits: &[256, 128] },
    Shapes { kind: Kind::Wgmma, rows: 64, columns: (8, 256, 8), depth_bits: &[256] },
];
