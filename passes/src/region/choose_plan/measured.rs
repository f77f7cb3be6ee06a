//! Plans that were measured, which replace the estimate: `plan.measured` of the module.

use std::collections::HashMap;

use dlc_ir::body::Body;
use dlc_ir::define::{Kind, Text};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::text::{PrintOptions, print_op};
use dlc_ir::{Context, Str};
use dlc_plan::Measured;
use dlc_plan::measured::DIGITS;

use crate::rewrites::launches::symbols;

/// The measured plans of a module.
pub struct MeasuredPlans {
    /// By what the kernel computes.
    of: HashMap<String, Vec<Measured>>,
}

impl MeasuredPlans {
    /// Takes those for a target out of a module: whoever takes them decides, and nothing reads them later.
    pub fn take(ctx: &Context, module: &mut Body, target: &str) -> MeasuredPlans {
        let mut of: HashMap<String, Vec<Measured>> = HashMap::new();
        for (op, measured) in Measured::all(ctx, module) {
            module.erase_op(op);
            if measured.target() == target {
                of.entry(measured.kernel.clone()).or_default().push(measured);
            }
        }
        MeasuredPlans { of }
    }

    /// What is known of a kernel; nothing is printed and hashed where no plan was measured. A remark says where plans were
    /// measured for kernels of its name, and for none like it.
    pub fn plans_of(&self, cx: &PassCx<'_>, name: &str, kernel: &Body) -> &[Measured] {
        if self.of.is_empty() {
            return &[];
        }
        let key = kernel_key(cx.ctx, kernel);
        if let Some(known) = self.of.get(&key) {
            return known;
        }
        if cx.wants_remarks() && self.of.values().flatten().any(|measured| measured.name == name) {
            let message =
                format!("the plans that were measured for '{name}' are for other kernels; this one is \"{key}\"");
            cx.remark(RemarkKind::Missed, kernel.loc(kernel.root()), message);
        }
        &[]
    }
}

/// The fastest of some plans of a kernel that were measured at sizes.
pub fn fastest<'a>(
    measured: &'a [Measured],
    ctx: &Context,
    kernel: &Body,
    size: &dyn Fn(&str) -> i64,
) -> Option<&'a Measured> {
    if measured.is_empty() {
        return None;
    }
    let sizes = sizes_of(ctx, kernel, size);
    let at_these = measured.iter().filter(|measured| measured.sizes.0 == sizes);
    at_these.min_by_key(|measured| measured.nanoseconds)
}

/// What the symbols of a kernel are, in the order in which it declares them.
pub fn sizes_of(ctx: &Context, kernel: &Body, size: &dyn Fn(&str) -> i64) -> Vec<(String, i64)> {
    symbols(ctx, kernel).into_iter().map(|name| (name.clone(), size(&name))).collect()
}

/// What a kernel computes, as [`DIGITS`] hexadecimal digits: the hash of its text without the names of the kernel and of the
/// values in it. Plans name axes, inputs and outputs, so these stay.
pub fn kernel_key(ctx: &Context, kernel: &Body) -> String {
    let mut kernel = kernel.clone();
    let root = kernel.root();
    kernel.set_prop(ctx, root, Str::SYM_NAME, Some(Text::make(ctx, "kernel")));
    kernel.set_prop(ctx, root, Str::SYM_VISIBILITY, None);
    for op in kernel.walk() {
        let results: Vec<_> = kernel.results(op).collect();
        for result in results {
            kernel.set_value_name(result, Str::EMPTY);
        }
    }
    let text = print_op(ctx, &kernel, root, PrintOptions::default());
    let mut key = blake3::hash(text.as_bytes()).to_hex().to_string();
    key.truncate(DIGITS);
    key
}
