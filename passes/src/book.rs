//! Passes inside the layer book.

pub mod book_report;
