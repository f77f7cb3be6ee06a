//! The kernels of a program as they were when each had its plan, taken on the way to PTX.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_passes::analysis::axes::is_kernel;

/// The pass before which kernels are whole and have their plans.
const BEFORE: &str = "tensorize";

/// The kernels of a program when they had plans and were not yet lowered to blocks.
#[derive(Default)]
pub struct Planned(Mutex<Option<Body>>);

impl Instrument for Planned {
    fn before(&self, at: &At<'_>, module: &Body) {
        if at.pass.def.name == BEFORE {
            *self.module() = Some(module.clone());
        }
    }
}

impl Planned {
    /// The module, once it was seen.
    pub fn module(&self) -> MutexGuard<'_, Option<Body>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be known of the kernel of a name; `None` where it is no longer, or not yet, a region there.
    pub fn kernel<T>(&self, ctx: &Context, name: &str, look: impl FnOnce(&Body) -> T) -> Option<T> {
        let module = self.module();
        let module = module.as_ref()?;
        let mut ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
        let kernel = ops.find(|&op| OpRef::new(ctx, module, op).symbol_name() == Some(name))?;
        module.nested(kernel).filter(|kernel| is_kernel(ctx, kernel)).map(look)
    }
}
