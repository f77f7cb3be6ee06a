//! What is asked of the CUDA driver: a trait between the logic and the calls, so that tests can stand in for a GPU.

use std::time::Duration;

use dlc_translate::manifest::numbers::{Map, Start};
use dlc_translate::manifest::schema::Elem;

/// An address in the memory of the device.
pub type Address = u64;

/// An entry of the module that is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(pub usize);

/// A launch whose numbers are all known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prepared(pub usize);

/// A sequence of launches that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Graph(pub usize);

/// Everything that a run launches, as one call of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// A single launch.
    Launch(Prepared),
    /// Several.
    Graph(Graph),
}

/// A point in the sequence of work whose time is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark(pub usize);

/// A tensor map as kernels take it by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(128))]
pub struct TensorMap(pub [u64; 16]);

/// A parameter of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A tensor map.
    Map(TensorMap),
    /// An address.
    Address(Address),
    /// A number.
    I32(i32),
    /// A 64-bit number.
    I64(i64),
}

/// What of an SM an entry fills.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Occupancy {
    /// The registers of a thread.
    pub registers: u32,
    /// The bytes of a thread that did not fit into registers.
    pub local: u32,
    /// The bytes of shared memory of a block: those that the entry declares, and those that it is launched with.
    pub shared: u32,
    /// How many blocks run at once on an SM.
    pub blocks: u32,
    /// The warps of them.
    pub warps: u32,
    /// The most warps of an SM.
    pub most: u32,
}

/// What is done to a product before it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Epilogue {
    /// Nothing.
    None,
    /// What is below zero becomes zero.
    Relu,
    /// A row is added to each row.
    Bias,
    /// Both: first the row.
    BiasRelu,
}

/// A product of matrices, as a library is asked for it. Matrices lie row by row; the result has `m` rows and `n` columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The rows of the result.
    pub m: u64,
    /// Its columns.
    pub n: u64,
    /// How many products are added for each element.
    pub k: u64,
    /// The elements of the factors; sums are `f32`.
    pub elem: Elem,
    /// The elements of the result and of what is added to it.
    pub out: Elem,
    /// Whether the left factor lies as `k` rows of `m`.
    pub trans_a: bool,
    /// Whether the right factor lies as `n` rows of `k`.
    pub trans_b: bool,
    /// What is done after it.
    pub epilogue: Epilogue,
}

/// Where the parts of a product lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgSlots {
    /// The left factor.
    pub a: Address,
    /// The right factor.
    pub b: Address,
    /// What is added, if something is.
    pub bias: Address,
    /// The result.
    pub d: Address,
}

/// A product that a library is ready to compute in one of its ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Baseline(pub usize);

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// There is no driver.
    NoDriver,
    /// A library is not installed.
    NoLibrary,
    /// The driver does not have a function, or does not know a version of PTX.
    TooOld,
    /// There is no such device.
    NoDevice,
    /// The module is not taken; the message is the log of the compiler in the driver.
    BadModule,
    /// There is no entry of this name.
    NoEntry,
    /// There is not enough memory.
    OutOfMemory,
    /// Work did not end in the time that it was given. Nothing can be done with the device after that.
    TimedOut,
    /// A kernel has done what it must not. Nothing can be done with the device after that.
    Fault,
    /// Anything else.
    Other,
}

/// A call that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind of thing went wrong.
    pub kind: Kind,
    /// What the driver says of it: `CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)`.
    pub message: String,
}

/// What a call gives.
pub type Done<T = ()> = Result<T, Failure>;

/// A device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its name: `NVIDIA H200`.
    pub name: String,
    /// Its compute capability.
    pub capability: (u32, u32),
    /// The version of CUDA that the driver is for: 13000 for 13.0.
    pub driver: u32,
    /// The most bytes of shared memory that a block may have.
    pub shared: u32,
}

/// A device with one sequence of work, in which everything happens in order.
pub trait Driver: Send {
    /// The device.
    fn device(&self) -> &Device;
    /// Whether nothing can be done with the device any more in this process.
    fn is_lost(&self) -> bool;
    /// Makes the device that of the calling thread: to be called first where another thread may have used it.
    fn attach(&mut self) -> Done;
    /// Free and all bytes of its memory.
    fn memory(&mut self) -> Done<(u64, u64)>;

    /// Makes machine code of PTX.
    fn compile(&mut self, ptx: &str) -> Done<Vec<u8>>;
    /// Loads machine code, or PTX with a zero after it. Entries are those of the module that was loaded last.
    fn load(&mut self, image: &[u8]) -> Done;
    /// The same next to the modules that are loaded: their entries stay.
    fn load_alongside(&mut self, image: &[u8]) -> Done;
    /// Waits for all work, and forgets all modules with their entries, launches and graphs.
    fn unload(&mut self);
    /// Finds an entry, and lets it have this many bytes of shared memory and clusters of this many blocks.
    fn entry(&mut self, name: &str, shared: u32, cluster: u32) -> Done<Entry>;

    /// Takes memory, aligned to 256 bytes.
    fn allocate(&mut self, bytes: u64) -> Done<Address>;
    /// Gives memory back.
    fn release(&mut self, at: Address);
    /// Copies to the device, in the sequence of work; the bytes are read in the call.
    fn upload(&mut self, at: Address, bytes: &[u8]) -> Done;
    /// Copies from the device, after all work before.
    fn download(&mut self, at: Address, bytes: &mut [u8]) -> Done;
    /// Sets bytes, in the sequence of work.
    fn fill(&mut self, at: Address, byte: u8, bytes: u64) -> Done;

    /// Copies within the device, in the sequence of work.
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Done;
    /// Takes a stream of the caller for the sequence of work, or with none its own again.
    fn use_stream(&mut self, stream: Option<u64>);

    /// Makes a tensor map.
    fn tensor_map(&mut self, map: &Map, at: Address) -> Done<TensorMap>;
    /// Makes a launch ready, so that nothing is left to be computed when it starts.
    fn prepare(&mut self, entry: Entry, start: &Start, params: &[Value]) -> Done<Prepared>;
    /// Launches what was prepared, in the sequence of work.
    fn launch(&mut self, prepared: Prepared) -> Done;
    /// Launches what was prepared with other values for some of its parameters, by their numbers, which stay.
    fn launch_with(&mut self, prepared: Prepared, changed: &[(usize, Value)]) -> Done;
    /// What of an SM the blocks of a launch fill.
    fn occupancy(&mut self, entry: Entry, start: &Start) -> Done<Occupancy>;
    /// Waits until all work is done, but not longer than this.
    fn wait(&mut self, limit: Duration) -> Done;

    /// From here on work is recorded, not done.
    fn record(&mut self) -> Done;
    /// Ends what [`Driver::record`] began.
    fn recorded(&mut self) -> Done<Graph>;
    /// Does what was recorded, in the sequence of work.
    fn replay(&mut self, graph: Graph) -> Done;

    /// Does the same several times by the driver's function alone, and takes the time that the calls need on this side.
    fn bare(&mut self, ready: Ready, count: usize) -> Done<Duration>;

    /// Takes the time, in the sequence of work.
    fn mark(&mut self) -> Done<Mark>;
    /// The milliseconds between two marks that have passed; then both are forgotten.
    fn between(&mut self, from: Mark, to: Mark) -> Done<f32>;
    /// Lets the library cublasLt make a product ready, in the ways that it proposes, the best first.
    fn library(&mut self, product: &Product, places: &ArgSlots) -> Done<Vec<Baseline>>;
    /// The name and version of the library, once it was asked.
    fn library_name(&self) -> String;
    /// Lets the library compute a product, in the sequence of work.
    fn compete(&mut self, baseline: Baseline) -> Done;
    /// Reads so much other memory that nothing of before is left in the caches, in the sequence of work.
    fn flush(&mut self) -> Done;
}
