//! The axes of a kernel.

use dlc_core::sizes::Sizes;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Attr, Body, Context, OpRef};

use crate::ops::Reduce;

/// The axes of a kernel and their sizes: those of the results, then those that are reduced, each once.
#[derive(Clone, Debug, Default)]
pub struct KernelAxes {
    /// The names.
    pub names: Vec<String>,
    /// The sizes.
    pub sizes: Vec<SizeExpr>,
    /// How many of them are axes of the results.
    pub iters: usize,
}

impl KernelAxes {
    /// The axes of the kernel whose body this is. Where an axis has two sizes, the first counts.
    pub fn of(ctx: &Context, body: &Body) -> KernelAxes {
        let root = OpRef::new(ctx, body, body.root());
        let mut axes = KernelAxes::default();
        let mut add = |names: Option<Attr>, sizes: Option<Attr>| {
            let names = names.and_then(|names| TextArray::get(ctx, names)).unwrap_or_default();
            let sizes = sizes.and_then(|sizes| Sizes::get(ctx, sizes)).unwrap_or_default();
            for (name, size) in names.into_iter().zip(sizes) {
                if axes.position(name).is_none() {
                    axes.names.push(name.to_string());
                    axes.sizes.push(size);
                }
            }
            axes.names.len()
        };
        let iters = add(root.prop_named("iters"), root.prop_named("iter_sizes"));
        for op in body.walk() {
            let op = OpRef { id: op, ..root };
            if op.is(Reduce::DEF) {
                add(op.prop_named("axes"), op.prop_named("sizes"));
            }
        }
        axes.iters = iters;
        axes
    }

    /// The place of an axis.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The size of an axis.
    pub fn size(&self, name: &str) -> Option<&SizeExpr> {
        self.position(name).map(|at| &self.sizes[at])
    }
}
