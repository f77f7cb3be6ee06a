//! Passes inside the layer book.

pub mod align_params;

pub mod book_report;
pub mod fold_counts;
pub mod hoist_gathers;
pub mod nest_reductions;
pub mod nest_variances;
pub mod order_gathers;
pub mod poly_report;
pub mod recognize_scans;
pub mod split_axes;
pub mod split_scans;
pub mod split_sorts;
pub mod widen_products;
