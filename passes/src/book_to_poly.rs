//! From values with their axes to what analyses see of them.

pub mod build_poly_view;
