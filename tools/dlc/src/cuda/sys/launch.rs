//! Launches with everything that the driver is given for them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys;
use dlc_translate::manifest::numbers::Start;

use super::super::driver::Value;
use super::functions::Functions;

/// A launch as the driver takes it. Its parts point at each other: they lie in memory of their own, which stays where it
/// is when this is moved, and nothing of it is handed out.
pub(super) struct Launch {
    function: sys::CUfunction,
    config: sys::CUlaunchConfig,
    /// What `config` points at.
    _attributes: Box<[sys::CUlaunchAttribute]>,
    /// Where each parameter is.
    pointers: Box<[*mut c_void]>,
    /// What `pointers` point at.
    values: Box<[Value]>,
}

impl Launch {
    pub(super) fn new(function: sys::CUfunction, stream: sys::CUstream, start: &Start, values: Box<[Value]>) -> Launch {
        let mut attributes: Vec<sys::CUlaunchAttribute> = Vec::new();
        let mut attribute = |id, value| attributes.push(sys::CUlaunchAttribute { id, pad: [0; 4], value });
        let [x, y, z] = start.cluster;
        if start.cluster != [1; 3] {
            let size = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
            let id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute(id, sys::CUlaunchAttributeValue { clusterDim: size });
        }
        if start.early {
            let id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute(id, sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 });
        }
        let mut attributes = attributes.into_boxed_slice();
        let config = sys::CUlaunchConfig {
            gridDimX: start.grid[0],
            gridDimY: start.grid[1],
            gridDimZ: start.grid[2],
            blockDimX: start.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: start.shared,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as c_uint,
        };
        let pointers = values.iter().map(pointer).collect();
        Launch { function, config, _attributes: attributes, pointers, values }
    }

    /// Gives parameters other values.
    pub(super) fn set(&mut self, changed: &[(usize, Value)]) {
        for &(number, value) in changed {
            if let Some(old) = self.values.get_mut(number) {
                *old = value;
            }
        }
        // Writing has ended what the pointers were made of.
        for (at, value) in self.pointers.iter_mut().zip(&self.values) {
            *at = pointer(value);
        }
    }

    /// Calls the driver, which copies what it is given.
    pub(super) fn enqueue(&self, call: &Functions) -> c_int {
        // SAFETY: the configuration points at attributes, and the pointers at parameters, which this owns and which have
        // not moved. The function belongs to a module that is loaded: launches are forgotten before it is unloaded. That
        // the parameters are those of the entry, and that the kernel writes its own memory alone, is up to the manifest.
        unsafe { (call.launch)(&self.config, self.function, self.pointers.as_ptr().cast_mut(), null_mut()) }
    }
}

/// Where the driver reads a parameter; it writes none.
fn pointer(value: &Value) -> *mut c_void {
    match value {
        Value::Map(map) => (&raw const map.0).cast_mut().cast(),
        Value::Address(address) => (&raw const *address).cast_mut().cast(),
        Value::I32(number) => (&raw const *number).cast_mut().cast(),
        Value::I64(number) => (&raw const *number).cast_mut().cast(),
    }
}
