//! Passes inside the layer region, in the order of its pipeline.

pub mod join_kernels;

pub mod merge_kernels;

pub mod share_axes;

pub mod widen_sums;

pub mod ccon1;

pub mod slice_inputs;
pub mod srnf;

pub mod normalize_select;

pub mod sink_epilogue;

pub mod stream_softmax;

pub mod stream_extrema;

pub mod chain_contractions;

pub mod merge_axes;

pub mod flatten_reductions;

pub mod order_buffers;

pub mod explicit_broadcast;

pub mod choose_plan;

pub mod resolve_plan;

pub mod add_fallback;
