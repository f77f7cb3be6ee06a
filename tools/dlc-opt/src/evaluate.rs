//! `--evaluate-each`: the program is run before and after each pass, and the first pass that changes what it gives is
//! named.

use dlc_ir::pass::instrument::Instrument;

/// Runs the program between passes. What runs it comes with the layers; until then this is the place where it goes.
#[derive(Default)]
pub struct Evaluate {}

impl Instrument for Evaluate {}
