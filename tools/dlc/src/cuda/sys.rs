//! The driver itself: only what is in here calls it.
//!
//! Functions are taken from the library one by one by their names, and give their results as plain integers: an error
//! that this program does not know of is an error all the same, and a function that a driver lacks is reported.

#![allow(unsafe_code)]

mod cublaslt;
mod functions;
mod launch;
mod maps;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use cudarc::driver::sys;
use dlc_translate::manifest::numbers::{Map, Start};
use dlc_translate::manifest::read::architecture;

use super::driver::{
    Address, ArgSlots, Baseline, Device, Done, Driver, Entry, Failure, Graph, Kind, Mark, Occupancy, Prepared, Product,
    Ready, TensorMap, Value,
};
use super::flush;
use cublaslt::{CublasLt, Multiply, WORKSPACE};
use functions::{Functions, NOT_READY, SUCCESS};
use launch::Launch;

/// Room for what the compiler in the driver says.
const LOG: usize = 16 << 10;
/// With more blocks than this, a cluster is not portable.
const PORTABLE: u32 = 8;

/// A device of this machine, opened.
pub struct Cuda {
    call: Functions,
    info: Device,
    device: sys::CUdevice,
    context: sys::CUcontext,
    /// Where work goes.
    stream: sys::CUstream,
    /// Its own stream.
    own: sys::CUstream,
    /// Whether work went into streams of others.
    is_shared: bool,
    /// The module that was loaded last.
    module: Option<sys::CUmodule>,
    /// Those before that stay.
    modules: Vec<sys::CUmodule>,
    entries: Vec<sys::CUfunction>,
    launches: Vec<Launch>,
    graphs: Vec<(sys::CUgraph, sys::CUgraphExec)>,
    events: Vec<sys::CUevent>,
    /// Events that may be used again.
    idle: Vec<usize>,
    flush: Option<Flush>,
    /// The library, once it was asked for, and memory for it.
    library: Option<(CublasLt, Address)>,
    baselines: Vec<Multiply>,
    /// Whether nothing can be done with the device any more, not even giving memory back.
    dead: bool,
}

/// What reads so much memory that nothing is left in the caches.
struct Flush {
    module: sys::CUmodule,
    memory: Address,
    launch: Launch,
}

impl Cuda {
    /// The version of CUDA that the driver is for: 13000 for 13.0.
    pub fn version() -> Done<u32> {
        let call = Functions::load()?;
        let mut version = 0;
        // SAFETY: it writes one integer, and needs no initialization.
        let status = unsafe { (call.driver_version)(&mut version) };
        match status {
            SUCCESS => Ok(version.max(0) as u32),
            other => Err(call.failure(other)),
        }
    }

    /// Opens a device.
    pub fn open(number: u32) -> Done<Cuda> {
        let call = Functions::load()?;
        let driver = Cuda::version()?;
        // SAFETY: all out-parameters are places of the type that is written; the context stays until `drop`.
        unsafe {
            call.check((call.init)(0))?;
            let (mut count, mut device) = (0, 0);
            call.check((call.device_count)(&mut count))?;
            if i64::from(number) >= i64::from(count) {
                let message = format!("there is no device {number}; the machine has {count}, numbered from 0");
                return Err(Failure { kind: Kind::NoDevice, message });
            }
            call.check((call.device_get)(&mut device, number as c_int))?;
            let mut name = [0 as c_char; 256];
            call.check((call.device_name)(name.as_mut_ptr(), name.len() as c_int - 1, device))?;
            let attribute = |which| -> Done<u32> {
                let mut value = 0;
                call.check((call.device_attribute)(&mut value, which, device))?;
                Ok(value.max(0) as u32)
            };
            use sys::CUdevice_attribute as A;
            let capability = (
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            );
            let shared = attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
            let name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
            let (mut context, mut stream) = (null_mut(), null_mut());
            call.check((call.context_retain)(&mut context, device))?;
            let info = Device { name, capability, driver, shared };
            let made = call
                .check((call.context_set)(context))
                // Not blocked by, and not blocking, the stream that is always there.
                .and_then(|()| call.check((call.stream_create)(&mut stream, 1)));
            if let Err(failure) = made {
                (call.context_release)(device);
                return Err(failure);
            }
            Ok(Cuda {
                call,
                info,
                device,
                context,
                stream,
                own: stream,
                is_shared: false,
                module: None,
                modules: Vec::new(),
                entries: Vec::new(),
                launches: Vec::new(),
                graphs: Vec::new(),
                events: Vec::new(),
                idle: Vec::new(),
                flush: None,
                library: None,
                baselines: Vec::new(),
                dead: false,
            })
        }
    }

    /// Notes what ends all work with the device.
    fn done(&mut self, status: c_int) -> Done {
        let done = self.call.check(status);
        if matches!(&done, Err(Failure { kind: Kind::Fault, .. })) {
            self.dead = true;
        }
        done
    }

    fn load_module(&mut self, image: &[u8]) -> Done<sys::CUmodule> {
        let (mut module, mut log) = (null_mut(), vec![0u8; LOG]);
        use sys::CUjit_option as O;
        let mut options = [O::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, O::CU_JIT_ERROR_LOG_BUFFER];
        // A number is given in place of a pointer.
        let mut values = [(LOG - 1) as *mut c_void, log.as_mut_ptr().cast()];
        // SAFETY: an image says itself how long it is: machine code, which a driver has made and which is whole, in its
        // header, and PTX by the zero at its end. There are as many values as options, each of the kind that its option
        // takes, and the log outlives the call.
        let status = self.in_captures(|call| unsafe {
            let count = options.len() as c_uint;
            let image = image.as_ptr().cast();
            (call.module_load)(&mut module, image, count, options.as_mut_ptr(), values.as_mut_ptr())
        });
        self.done(status).map(|()| module).map_err(|failure| with_log(failure, &log))
    }

    fn function(&mut self, module: sys::CUmodule, name: &str) -> Done<sys::CUfunction> {
        let name = CString::new(name).map_err(|_| other("the name of an entry has a zero in it"))?;
        let mut function = null_mut();
        // SAFETY: the module is loaded, and the name ends with a zero.
        let status = unsafe { (self.call.module_function)(&mut function, module, name.as_ptr()) };
        self.done(status)?;
        Ok(function)
    }

    /// Calls what a stream that the caller captures would not let this thread call: modules are loaded, memory is taken and
    /// constants are written once, when a program is first launched in a stream, also while that is captured into a graph.
    fn in_captures(&self, run: impl FnOnce(&Functions) -> c_int) -> c_int {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: both write the mode that was there before; the second one puts it back.
        unsafe { (self.call.capture_mode_exchange)(&mut mode) };
        let done = run(&self.call);
        // SAFETY: as above.
        unsafe { (self.call.capture_mode_exchange)(&mut mode) };
        done
    }

    /// Forgets the modules that are loaded with all that is of them.
    fn forget(&mut self) {
        self.entries.clear();
        self.launches.clear();
        self.baselines.clear();
        let (graphs, mut modules) = (std::mem::take(&mut self.graphs), std::mem::take(&mut self.modules));
        modules.extend(self.module.take());
        // What faulted or hangs cannot be cleared away; the end of the process does it.
        if self.dead {
            return;
        }
        // SAFETY: each was made by this driver and is destroyed once, while its context is there and when nothing of it is
        // under way any more.
        unsafe {
            if !modules.is_empty() {
                match self.is_shared {
                    true => (self.call.context_wait)(),
                    false => (self.call.stream_wait)(self.own),
                };
            }
            for (graph, exec) in graphs {
                (self.call.graph_exec_destroy)(exec);
                (self.call.graph_destroy)(graph);
            }
            for module in modules {
                (self.call.module_unload)(module);
            }
        }
        self.is_shared = false;
    }
}

/// What failed, with what the compiler of the driver wrote about it.
fn with_log(failure: Failure, log: &[u8]) -> Failure {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    let log = String::from_utf8_lossy(&log[..end]).trim().to_string();
    match log.is_empty() {
        true => failure,
        false => Failure { message: format!("{}:\n{log}", failure.message), ..failure },
    }
}

fn other(message: &str) -> Failure {
    Failure { kind: Kind::Other, message: message.to_string() }
}

// SAFETY: what the pointers mean belongs to the driver, whose functions may be called from any thread; which context is meant
// is a matter of the thread, and `attach` sets it. Only one thread at a time has the exclusive reference that work takes.
unsafe impl Send for Cuda {}

impl Driver for Cuda {
    fn device(&self) -> &Device {
        &self.info
    }

    fn is_lost(&self) -> bool {
        self.dead
    }

    fn attach(&mut self) -> Done {
        // SAFETY: the context was retained when the device was opened, and stays until `drop`.
        let status = unsafe { (self.call.context_set)(self.context) };
        self.done(status)
    }

    fn memory(&mut self) -> Done<(u64, u64)> {
        let (mut free, mut all) = (0, 0);
        // SAFETY: it writes two numbers.
        let status = unsafe { (self.call.memory_info)(&mut free, &mut all) };
        self.done(status)?;
        Ok((free as u64, all as u64))
    }

    fn compile(&mut self, ptx: &str) -> Done<Vec<u8>> {
        let text = CString::new(ptx).map_err(|_| other("the PTX has a zero in it"))?;
        let mut log = vec![0u8; LOG];
        // What belongs to one device alone is compiled for just that: the capability says less.
        let target = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
        let target = target.and_then(|rest| architecture(rest.trim().split(',').next()?.trim()));
        let (major, minor) = self.info.capability;
        let target = match target {
            Some((number, dlc_translate::manifest::read::Kind::Exact)) => (1 << 16) + number,
            Some((number, dlc_translate::manifest::read::Kind::Family)) => (1 << 17) + number,
            _ => 10 * major + minor,
        };
        use sys::CUjit_option as O;
        let mut options = [O::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, O::CU_JIT_ERROR_LOG_BUFFER, O::CU_JIT_TARGET];
        // Numbers are given in place of pointers.
        let mut values = [(LOG - 1) as *mut c_void, log.as_mut_ptr().cast(), target as usize as *mut c_void];
        let (mut state, mut image, mut size) = (null_mut(), null_mut(), 0usize);
        // SAFETY: there are as many values as options, each of the kind that its option takes; the log outlives the
        // state, and what is copied from the image belongs to the state until that is destroyed.
        let (status, code) = unsafe {
            let count = options.len() as c_uint;
            let mut status = (self.call.link_create)(count, options.as_mut_ptr(), values.as_mut_ptr(), &mut state);
            let mut code = Vec::new();
            if status == SUCCESS {
                let bytes = text.as_bytes_with_nul();
                status = (self.call.link_add)(
                    state,
                    sys::CUjitInputType::CU_JIT_INPUT_PTX,
                    bytes.as_ptr().cast_mut().cast(),
                    bytes.len(),
                    c"module.ptx".as_ptr(),
                    0,
                    null_mut(),
                    null_mut(),
                );
                if status == SUCCESS {
                    status = (self.call.link_complete)(state, &mut image, &mut size);
                }
                if status == SUCCESS {
                    code = std::slice::from_raw_parts(image.cast::<u8>(), size).to_vec();
                }
                (self.call.link_destroy)(state);
            }
            (status, code)
        };
        self.done(status).map(|()| code).map_err(|failure| with_log(failure, &log))
    }

    fn load(&mut self, image: &[u8]) -> Done {
        self.forget();
        self.load_alongside(image)
    }

    fn load_alongside(&mut self, image: &[u8]) -> Done {
        let module = self.load_module(image)?;
        self.modules.extend(self.module.replace(module));
        Ok(())
    }

    fn unload(&mut self) {
        self.forget();
    }

    fn entry(&mut self, name: &str, shared: u32, cluster: u32) -> Done<Entry> {
        let Some(module) = self.module else { return Err(other("no module is loaded")) };
        let function = self.function(module, name)?;
        use sys::CUfunction_attribute as A;
        let mut set = |which, value: u32| {
            // SAFETY: the function belongs to a module that stays loaded.
            let status = unsafe { (self.call.function_set)(function, which, value as c_int) };
            self.done(status)
        };
        set(A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)?;
        if cluster > PORTABLE {
            set(A::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        self.entries.push(function);
        Ok(Entry(self.entries.len() - 1))
    }

    fn allocate(&mut self, bytes: u64) -> Done<Address> {
        let mut at = 0;
        // SAFETY: it writes an address. Nothing is an amount that the driver refuses.
        let status = self.in_captures(|call| unsafe { (call.memory_allocate)(&mut at, bytes.max(1) as usize) });
        self.done(status).map(|()| at)
    }

    fn release(&mut self, at: Address) {
        if !self.dead {
            // SAFETY: addresses come from `allocate`, and are given back once. A failure could not be helped.
            unsafe { (self.call.memory_free)(at) };
        }
    }

    fn upload(&mut self, at: Address, bytes: &[u8]) -> Done {
        if bytes.is_empty() {
            return Ok(());
        }
        // In our stream: a copy without one may still be on its way to the device when the call returns, and a stream that
        // the others do not block would not wait for it. A stream of the caller may be capturing, which would copy when the
        // graph is launched, from bytes that are gone: what it launches waits for the copy here.
        let (own, is_ours) = (self.own, self.stream == self.own);
        // SAFETY: the driver knows which addresses are memory, and refuses others; the bytes, whose pages are not locked, are
        // read in the call. The stream is there until `drop`.
        let status = self.in_captures(|call| unsafe {
            match (call.copy_up)(at, bytes.as_ptr().cast(), bytes.len(), own) {
                SUCCESS if !is_ours => (call.stream_wait)(own),
                done => done,
            }
        });
        self.done(status)
    }

    fn download(&mut self, at: Address, bytes: &mut [u8]) -> Done {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the stream is there until `drop`; the bytes are written in the call.
        let status = unsafe {
            match (self.call.stream_wait)(self.stream) {
                SUCCESS => (self.call.copy_down)(bytes.as_mut_ptr().cast(), at, bytes.len()),
                failed => failed,
            }
        };
        self.done(status)
    }

    fn fill(&mut self, at: Address, byte: u8, bytes: u64) -> Done {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the driver knows which addresses are memory.
        let status = unsafe { (self.call.fill)(at, byte, bytes as usize, self.stream) };
        self.done(status)
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Done {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the driver knows which addresses are memory, and refuses others.
        let status = unsafe { (self.call.copy_across)(to, from, bytes as usize, self.stream) };
        self.done(status)
    }

    fn use_stream(&mut self, stream: Option<u64>) {
        self.is_shared |= stream.is_some();
        self.stream = stream.map_or(self.own, |stream| stream as usize as sys::CUstream);
    }

    fn tensor_map(&mut self, map: &Map, at: Address) -> Done<TensorMap> {
        self.make_map(map, at)
    }

    fn prepare(&mut self, entry: Entry, start: &Start, params: &[Value]) -> Done<Prepared> {
        let Some(&function) = self.entries.get(entry.0) else { return Err(other("there is no such entry")) };
        self.launches.push(Launch::new(function, self.stream, start, params.into()));
        Ok(Prepared(self.launches.len() - 1))
    }

    fn launch(&mut self, prepared: Prepared) -> Done {
        let Some(launch) = self.launches.get(prepared.0) else { return Err(other("there is no such launch")) };
        let status = launch.enqueue(&self.call);
        self.done(status)
    }

    fn launch_with(&mut self, prepared: Prepared, changed: &[(usize, Value)]) -> Done {
        let Some(launch) = self.launches.get_mut(prepared.0) else { return Err(other("there is no such launch")) };
        launch.set(changed);
        let status = launch.enqueue(&self.call);
        self.done(status)
    }

    fn occupancy(&mut self, entry: Entry, start: &Start) -> Done<Occupancy> {
        let Some(&function) = self.entries.get(entry.0) else { return Err(other("there is no such entry")) };
        let mut get = |which| {
            let mut value = 0;
            // SAFETY: it writes one integer; the function belongs to a module that is loaded.
            let status = unsafe { (self.call.function_get)(&mut value, which, function) };
            self.done(status).map(|()| value.max(0) as u32)
        };
        use sys::CUfunction_attribute as A;
        let registers = get(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let local = get(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?;
        let shared = get(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? + start.shared;
        let mut blocks = 0;
        let (threads, dynamic) = (start.threads as c_int, start.shared as usize);
        // SAFETY: as above.
        let status = unsafe { (self.call.occupancy)(&mut blocks, function, threads, dynamic) };
        self.done(status)?;
        let mut most = 0;
        let which = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
        // SAFETY: it writes one integer.
        let status = unsafe { (self.call.device_attribute)(&mut most, which, self.device) };
        self.done(status)?;
        let blocks = blocks.max(0) as u32;
        let warps = blocks * start.threads.div_ceil(32);
        Ok(Occupancy { registers, local, shared, blocks, warps, most: most.max(0) as u32 / 32 })
    }

    fn wait(&mut self, limit: Duration) -> Done {
        let begin = Instant::now();
        let mut pause = Duration::from_micros(5);
        loop {
            // SAFETY: the stream is there until `drop`.
            let status = unsafe { (self.call.stream_query)(self.stream) };
            if status != NOT_READY {
                return self.done(status);
            }
            if begin.elapsed() > limit {
                self.dead = true;
                let message = format!("it has not ended after {} s", limit.as_secs_f64());
                return Err(Failure { kind: Kind::TimedOut, message });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }

    fn record(&mut self) -> Done {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is there until `drop`, and nothing is being recorded on it.
        let status = unsafe { (self.call.capture_begin)(self.stream, mode) };
        self.done(status)
    }

    fn recorded(&mut self) -> Done<Graph> {
        let (mut graph, mut exec) = (null_mut(), null_mut());
        // SAFETY: both are written before they are used, and destroyed in `drop`.
        let status = unsafe { (self.call.capture_end)(self.stream, &mut graph) };
        self.done(status)?;
        // SAFETY: the graph was made just now.
        let status = unsafe { (self.call.graph_instantiate)(&mut exec, graph, 0) };
        if status != SUCCESS {
            // SAFETY: nothing else has it.
            unsafe { (self.call.graph_destroy)(graph) };
        }
        self.done(status)?;
        self.graphs.push((graph, exec));
        Ok(Graph(self.graphs.len() - 1))
    }

    fn replay(&mut self, graph: Graph) -> Done {
        let Some(&(_, exec)) = self.graphs.get(graph.0) else { return Err(other("there is no such graph")) };
        // SAFETY: both are there until `drop`.
        let status = unsafe { (self.call.graph_launch)(exec, self.stream) };
        self.done(status)
    }

    fn bare(&mut self, ready: Ready, count: usize) -> Done<Duration> {
        let mut status = SUCCESS;
        let begin = Instant::now();
        match ready {
            Ready::Launch(prepared) => {
                let Some(launch) = self.launches.get(prepared.0) else { return Err(other("there is no such launch")) };
                for _ in 0..count {
                    status = status.max(launch.enqueue(&self.call));
                }
            }
            Ready::Graph(graph) => {
                let Some(&(_, exec)) = self.graphs.get(graph.0) else { return Err(other("there is no such graph")) };
                for _ in 0..count {
                    // SAFETY: both are there until `drop`.
                    status = status.max(unsafe { (self.call.graph_launch)(exec, self.stream) });
                }
            }
        }
        let time = begin.elapsed();
        self.done(status).map(|()| time)
    }

    fn mark(&mut self) -> Done<Mark> {
        let number = match self.idle.pop() {
            Some(number) => number,
            None => {
                let mut event = null_mut();
                // SAFETY: it writes an event, which is destroyed in `drop`.
                let status = unsafe { (self.call.event_create)(&mut event, 0) };
                self.done(status)?;
                self.events.push(event);
                self.events.len() - 1
            }
        };
        // SAFETY: both are there until `drop`.
        let status = unsafe { (self.call.event_record)(self.events[number], self.stream) };
        self.done(status).map(|()| Mark(number))
    }

    fn between(&mut self, from: Mark, to: Mark) -> Done<f32> {
        let (Some(&first), Some(&second)) = (self.events.get(from.0), self.events.get(to.0)) else {
            return Err(other("there is no such mark"));
        };
        let mut time = 0.0;
        // SAFETY: both events are there until `drop`.
        let status = unsafe {
            match (self.call.event_wait)(second) {
                SUCCESS => (self.call.event_elapsed)(&mut time, first, second),
                failed => failed,
            }
        };
        self.idle.extend([from.0, to.0]);
        self.done(status).map(|()| time)
    }

    fn library(&mut self, product: &Product, places: &ArgSlots) -> Done<Vec<Baseline>> {
        if self.library.is_none() {
            let library = CublasLt::open()?;
            self.library = Some((library, self.allocate(WORKSPACE)?));
        }
        let Some((library, _)) = &mut self.library else { return Err(other("there is no library")) };
        let first = self.baselines.len();
        self.baselines.extend(library.prepare(product, places)?);
        Ok((first..self.baselines.len()).map(Baseline).collect())
    }

    fn library_name(&self) -> String {
        self.library.as_ref().map_or(String::new(), |(library, _)| library.name())
    }

    fn compete(&mut self, baseline: Baseline) -> Done {
        match (&self.library, self.baselines.get(baseline.0)) {
            (Some((library, workspace)), Some(baseline)) => library.multiply(baseline, *workspace, self.stream),
            _ => Err(other("there is no such product")),
        }
    }

    fn flush(&mut self) -> Done {
        if self.flush.is_none() {
            let text = CString::new(flush::PTX).map_err(|_| other("the PTX has a zero in it"))?;
            let module = self.load_module(text.as_bytes_with_nul())?;
            let function = self.function(module, flush::ENTRY)?;
            let memory = self.allocate(flush::BYTES)?;
            self.fill(memory, 0, flush::BYTES)?;
            // Both are 64-bit numbers: where to read, and how often.
            let values = [Value::Address(memory), Value::Address(flush::BYTES / 16)];
            let launch = Launch::new(function, self.stream, &flush::start(), values.into());
            self.flush = Some(Flush { module, memory, launch });
        }
        let status = self.flush.as_ref().map_or(SUCCESS, |flush| flush.launch.enqueue(&self.call));
        self.done(status)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        self.forget();
        let library = self.library.take();
        // What faulted or hangs cannot be cleared away; the end of the process does it.
        if self.dead {
            std::mem::forget(library);
            return;
        }
        if let Some((library, workspace)) = library {
            drop(library);
            self.release(workspace);
        }
        // SAFETY: each was made by this driver and is destroyed once, before its context is released.
        unsafe {
            for &event in &self.events {
                (self.call.event_destroy)(event);
            }
            if let Some(Flush { module, memory, .. }) = self.flush {
                (self.call.memory_free)(memory);
                (self.call.module_unload)(module);
            }
            (self.call.stream_destroy)(self.own);
            (self.call.context_release)(self.device);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tensor map is what the driver makes of it, aligned at least as a parameter must be.
    #[test]
    fn tensor_maps_are_128_bytes() {
        assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 128));
        assert_eq!(size_of::<sys::CUtensorMap_st>(), 128);
        assert!(align_of::<sys::CUtensorMap_st>() <= align_of::<TensorMap>());
    }
}
