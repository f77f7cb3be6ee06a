//! Functions of passes and analyses, called directly.
//!
//! They are not unit tests within the library: it would be checked and built a second time, with every pass, for them.

// What is linked in registers itself.
use dlc_passes as _;

mod unit {
    mod access;
    mod check_async;
    mod clauses;
    mod expressions;
    mod liveness;
    mod locality;
    mod loops;
    mod order_tiles;
    mod pipelines;
    mod poly_core;
    mod recognize_iota;
    mod taps;
}
