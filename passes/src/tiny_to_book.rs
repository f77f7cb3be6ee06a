//! From views, arithmetic and reductions to entries that say where each element lives.

pub mod lower_indexbook;
