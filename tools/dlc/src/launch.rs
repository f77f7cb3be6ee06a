//! A program on tensors that are in the memory of a device already, in a stream of the caller.

use std::sync::Arc;

use dlc_ir::Loc;
use dlc_ir::diag::{Diagnostic, Diagnostics};

use crate::bind::{Bound, Needed, Reported};
use crate::cuda::WRONG_DEVICE;
use crate::cuda::compile::not_compiled;
use crate::cuda::driver::Address;
use crate::cuda::resident::{Runnable, Stream};
use crate::cuda::steps::StepInputs;
use crate::error::Error;
use crate::files::{Array, Elem};
use crate::program::{Arguments, OnDevice, Program};
use crate::session::on_big_stack;

/// What is known of a tensor in the memory of a device, which lies row by row without gaps, but where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceTensor {
    /// The sizes.
    pub shape: Vec<usize>,
    /// The type of the elements.
    pub elem: Elem,
}

/// A program for tensors of certain sizes on a device. It is called with addresses, as often as one likes.
pub struct DeviceCall {
    program: Program,
    on_device: Arc<OnDevice>,
    device: u32,
}

impl Program {
    /// Makes calls on tensors in the memory of a device ready, which are given in the order of the inputs or by their names:
    /// binds them, and compiles the program for their sizes, which is done once. `sizes` has the symbols that no tensor
    /// says.
    ///
    /// # Errors
    /// As [`Program::call`], and that there is no such device, or that no passes lead to instructions.
    pub fn on_device(
        &self,
        device: u32,
        positional: &[DeviceTensor],
        named: &[(String, DeviceTensor)],
        sizes: &[(String, i64)],
    ) -> Result<DeviceCall, Error> {
        let (ctx, function, diags) = (&self.compiled.ctx, &self.compiled.function, Diagnostics::new());
        let failed = |Reported { input }: Reported| Error::of(ctx, &diags.take()).about(input);
        // Everything is known of them but the elements.
        let array = |tensor: &DeviceTensor| Array { shape: tensor.shape.clone(), elem: tensor.elem, bytes: Vec::new() };
        let mut arguments = positional.iter().fold(Arguments::new(), |all, tensor| all.and(array(tensor)));
        arguments = named.iter().fold(arguments, |all, (name, tensor)| all.named(name, array(tensor)));
        arguments = sizes.iter().fold(arguments, |all, (symbol, size)| all.size(symbol, *size));
        let given = self.given(arguments, &diags).map_err(failed)?;
        let bound = Bound::of(ctx, function, Needed::All, given, &diags).map_err(failed)?;
        let machine = self.machine(device)?;
        let on_device = match self.known(&bound.symbols, &machine) {
            Some(known) => known,
            None => on_big_stack(|| self.for_sizes(&bound.symbols, &machine, &diags))??
                .ok_or_else(|| Error::one(&not_compiled(function)))?,
        };
        Ok(DeviceCall { program: self.clone(), on_device, device })
    }
}

impl DeviceCall {
    /// The sizes and types of the outputs, in order.
    pub fn outputs(&self) -> Vec<(Vec<usize>, Option<Elem>)> {
        let ctx = &self.program.compiled.ctx;
        let output = |tensor: &dlc_translate::manifest::numbers::Tensor| {
            (tensor.shape.iter().map(|&size| size as usize).collect(), Elem::of(ctx, tensor.elem.ty()))
        };
        self.on_device.plan.outputs.iter().map(|(tensor, _)| output(tensor)).collect()
    }

    /// Puts the launches into a stream of the device's primary context, and does not wait. The tensors must stay until
    /// the stream has done them. Inputs are at these addresses, in the order that the program has them, and outputs too,
    /// row by row without gaps.
    ///
    /// What a call computes again is what its addresses change: with those of the call before it only launches.
    ///
    /// # Errors
    /// A tensor whose address or layout does not fit, and what the device reports, of work before too.
    pub fn launch(&self, inputs: &[Address], outputs: &[Address], stream: Stream) -> Result<(), Error> {
        let OnDevice { manifest, ptx, plan, number, users } = &*self.on_device;
        for (what, given, taken) in
            [("inputs", inputs.len(), plan.inputs.len()), ("outputs", outputs.len(), plan.outputs.len())]
        {
            if given != taken {
                let message = format!("{given} {what} are given, and there are {taken}");
                return Err(Error::one(&Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message)));
            }
        }
        let shared = &self.program.session.0;
        let mut gpu = shared.gpu();
        let fail = |error: Box<Diagnostic>| Error::one(&error);
        let (driver, resident) = gpu.attached(self.device).map_err(fail)?;
        let what = Runnable { manifest, ptx, plan, users };
        let given = StepInputs { inputs, outputs };
        resident.launch(driver, *number, what, shared.cache.as_ref(), given, stream).map_err(fail)
    }
}
