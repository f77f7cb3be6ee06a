//! From values with their axes to kernels.

pub mod form_regions;
