//! Passes inside the layer book.

pub mod align_params;

pub mod book_report;
pub mod poly_report;
pub mod widen_products;
