//! The functions of the driver, by their names, and what their results mean.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr::null;

use cudarc::driver::sys;

use super::super::driver::{Done, Failure, Kind};

/// What the driver says by numbers.
pub(super) const SUCCESS: c_int = 0;
const OUT_OF_MEMORY: c_int = 2;
const STUB: c_int = 34;
const NO_DEVICE: c_int = 100;
const UNSUPPORTED_PTX: c_int = 222;
const NOT_FOUND: c_int = 500;
pub(super) const NOT_READY: c_int = 600;
/// Modules that are not taken: a wrong image, PTX that does not compile, nothing for this device.
const BAD_MODULE: [c_int; 6] = [200, 209, 218, 221, 223, 300];
/// What kernels do wrong: addresses, asserts, instructions, time.
const FAULTS: [c_int; 12] = [214, 700, 701, 702, 710, 714, 715, 716, 717, 718, 719, 721];
/// Declares the functions of the driver that are called: `field = "symbol" (types of the parameters)`.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($param:ty),*);)*) => {
        /// The functions of the driver that are called.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($param),*) -> c_int,)*
        }

        impl Functions {
            pub(super) fn load() -> Done<Functions> {
                // SAFETY: opening the library of the driver runs its initializers, as every CUDA program does.
                if !unsafe { sys::is_culib_present() } {
                    let message = "libcuda.so.1 is not found".to_string();
                    return Err(Failure { kind: Kind::NoDriver, message });
                }
                // SAFETY: it was found just now.
                let library = unsafe { sys::culib() };
                Ok(Functions { $(
                    $field: {
                        // SAFETY: the types are those of the header of CUDA for this symbol, which never change.
                        let found = unsafe { library.get($symbol.as_bytes()) };
                        *found.map_err(|_| {
                            let message = format!("the CUDA driver has no function {}", $symbol);
                            Failure { kind: Kind::TooOld, message }
                        })?
                    },
                )* })
            }
        }
    };
}

functions! {
    init = "cuInit" (c_uint);
    driver_version = "cuDriverGetVersion" (*mut c_int);
    error_name = "cuGetErrorName" (c_int, *mut *const c_char);
    error_string = "cuGetErrorString" (c_int, *mut *const c_char);
    device_count = "cuDeviceGetCount" (*mut c_int);
    device_get = "cuDeviceGet" (*mut sys::CUdevice, c_int);
    device_name = "cuDeviceGetName" (*mut c_char, c_int, sys::CUdevice);
    device_attribute = "cuDeviceGetAttribute" (*mut c_int, sys::CUdevice_attribute, sys::CUdevice);
    context_retain = "cuDevicePrimaryCtxRetain" (*mut sys::CUcontext, sys::CUdevice);
    context_release = "cuDevicePrimaryCtxRelease_v2" (sys::CUdevice);
    context_set = "cuCtxSetCurrent" (sys::CUcontext);
    context_wait = "cuCtxSynchronize" ();
    memory_info = "cuMemGetInfo_v2" (*mut usize, *mut usize);
    memory_allocate = "cuMemAlloc_v2" (*mut sys::CUdeviceptr, usize);
    memory_free = "cuMemFree_v2" (sys::CUdeviceptr);
    copy_up = "cuMemcpyHtoDAsync_v2" (sys::CUdeviceptr, *const c_void, usize, sys::CUstream);
    copy_across = "cuMemcpyDtoDAsync_v2" (sys::CUdeviceptr, sys::CUdeviceptr, usize, sys::CUstream);
    copy_down = "cuMemcpyDtoH_v2" (*mut c_void, sys::CUdeviceptr, usize);
    fill = "cuMemsetD8Async" (sys::CUdeviceptr, u8, usize, sys::CUstream);
    stream_create = "cuStreamCreate" (*mut sys::CUstream, c_uint);
    stream_query = "cuStreamQuery" (sys::CUstream);
    stream_wait = "cuStreamSynchronize" (sys::CUstream);
    stream_destroy = "cuStreamDestroy_v2" (sys::CUstream);
    capture_begin = "cuStreamBeginCapture_v2" (sys::CUstream, sys::CUstreamCaptureMode);
    capture_end = "cuStreamEndCapture" (sys::CUstream, *mut sys::CUgraph);
    capture_mode_exchange = "cuThreadExchangeStreamCaptureMode" (*mut sys::CUstreamCaptureMode);
    graph_instantiate = "cuGraphInstantiateWithFlags" (*mut sys::CUgraphExec, sys::CUgraph, c_ulonglong);
    graph_launch = "cuGraphLaunch" (sys::CUgraphExec, sys::CUstream);
    graph_destroy = "cuGraphDestroy" (sys::CUgraph);
    graph_exec_destroy = "cuGraphExecDestroy" (sys::CUgraphExec);
    event_create = "cuEventCreate" (*mut sys::CUevent, c_uint);
    event_record = "cuEventRecord" (sys::CUevent, sys::CUstream);
    event_wait = "cuEventSynchronize" (sys::CUevent);
    event_elapsed = "cuEventElapsedTime" (*mut f32, sys::CUevent, sys::CUevent);
    event_destroy = "cuEventDestroy_v2" (sys::CUevent);
    module_load = "cuModuleLoadDataEx" (
        *mut sys::CUmodule,
        *const c_void,
        c_uint,
        *mut sys::CUjit_option,
        *mut *mut c_void
    );
    module_function = "cuModuleGetFunction" (*mut sys::CUfunction, sys::CUmodule, *const c_char);
    module_unload = "cuModuleUnload" (sys::CUmodule);
    function_set = "cuFuncSetAttribute" (sys::CUfunction, sys::CUfunction_attribute, c_int);
    function_get = "cuFuncGetAttribute" (*mut c_int, sys::CUfunction_attribute, sys::CUfunction);
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor" (*mut c_int, sys::CUfunction, c_int, usize);
    link_create = "cuLinkCreate_v2" (c_uint, *mut sys::CUjit_option, *mut *mut c_void, *mut sys::CUlinkState);
    link_add = "cuLinkAddData_v2" (
        sys::CUlinkState,
        sys::CUjitInputType,
        *mut c_void,
        usize,
        *const c_char,
        c_uint,
        *mut sys::CUjit_option,
        *mut *mut c_void
    );
    link_complete = "cuLinkComplete" (sys::CUlinkState, *mut *mut c_void, *mut usize);
    link_destroy = "cuLinkDestroy" (sys::CUlinkState);
    map_tiled = "cuTensorMapEncodeTiled" (
        *mut sys::CUtensorMap,
        sys::CUtensorMapDataType,
        u32,
        *mut c_void,
        *const u64,
        *const u64,
        *const u32,
        *const u32,
        sys::CUtensorMapInterleave,
        sys::CUtensorMapSwizzle,
        sys::CUtensorMapL2promotion,
        sys::CUtensorMapFloatOOBfill
    );
    map_im2col = "cuTensorMapEncodeIm2col" (
        *mut sys::CUtensorMap,
        sys::CUtensorMapDataType,
        u32,
        *mut c_void,
        *const u64,
        *const u64,
        *const c_int,
        *const c_int,
        u32,
        u32,
        *const u32,
        sys::CUtensorMapInterleave,
        sys::CUtensorMapSwizzle,
        sys::CUtensorMapL2promotion,
        sys::CUtensorMapFloatOOBfill
    );
    launch = "cuLaunchKernelEx" (*const sys::CUlaunchConfig, sys::CUfunction, *mut *mut c_void, *mut *mut c_void);
}

impl Functions {
    pub(super) fn check(&self, status: c_int) -> Done {
        if status == SUCCESS { Ok(()) } else { Err(self.failure(status)) }
    }

    pub(super) fn failure(&self, status: c_int) -> Failure {
        let text = |function: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int| {
            let mut text = null();
            // SAFETY: it writes a pointer to a text that stays forever, or none.
            let found = unsafe { function(status, &mut text) } == SUCCESS && !text.is_null();
            // SAFETY: such a text ends with a zero.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let name = text(self.error_name).unwrap_or_else(|| format!("error {status}"));
        let message = text(self.error_string).map_or(name.clone(), |what| format!("{name} ({what})"));
        Failure { kind: kind(status), message }
    }
}

/// What kind of thing a number of the driver says.
fn kind(status: c_int) -> Kind {
    match status {
        STUB => Kind::NoDriver,
        NO_DEVICE => Kind::NoDevice,
        OUT_OF_MEMORY => Kind::OutOfMemory,
        UNSUPPORTED_PTX => Kind::TooOld,
        NOT_FOUND => Kind::NoEntry,
        _ if BAD_MODULE.contains(&status) => Kind::BadModule,
        _ if FAULTS.contains(&status) => Kind::Fault,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the header of CUDA.
    #[test]
    fn numbers_of_the_driver() {
        use sys::CUresult as R;
        let same = [
            (SUCCESS, R::CUDA_SUCCESS),
            (OUT_OF_MEMORY, R::CUDA_ERROR_OUT_OF_MEMORY),
            (STUB, R::CUDA_ERROR_STUB_LIBRARY),
            (NO_DEVICE, R::CUDA_ERROR_NO_DEVICE),
            (UNSUPPORTED_PTX, R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
            (NOT_FOUND, R::CUDA_ERROR_NOT_FOUND),
            (NOT_READY, R::CUDA_ERROR_NOT_READY),
        ];
        assert!(same.iter().all(|(number, name)| *number == *name as c_int));
        assert_eq!(kind(R::CUDA_ERROR_ILLEGAL_ADDRESS as c_int), Kind::Fault);
        assert_eq!(kind(R::CUDA_ERROR_MISALIGNED_ADDRESS as c_int), Kind::Fault);
        assert_eq!(kind(R::CUDA_ERROR_LAUNCH_FAILED as c_int), Kind::Fault);
        assert_eq!(kind(R::CUDA_ERROR_INVALID_PTX as c_int), Kind::BadModule);
        assert_eq!(kind(R::CUDA_ERROR_NO_BINARY_FOR_GPU as c_int), Kind::BadModule);
        assert_eq!(kind(12345), Kind::Other);
    }
}
