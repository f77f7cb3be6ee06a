//! Passes inside the layer book.

pub mod align_params;

pub mod book_report;
pub mod fold_counts;
pub mod nest_reductions;
pub mod poly_report;
pub mod split_axes;
pub mod widen_products;
