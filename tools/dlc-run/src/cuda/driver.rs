//! What is asked of the CUDA driver: a trait between the logic and the calls, so that tests can stand in for a GPU.

use std::time::Duration;

use dlc_translate::manifest::numbers::{Map, Start};

/// An address in the memory of the device.
pub type Address = u64;

/// An entry of the module that is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(pub usize);

/// A sequence of launches that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Graph(pub usize);

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
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// There is no driver.
    NoDriver,
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
pub trait Driver {
    /// The device.
    fn device(&self) -> &Device;
    /// Free and all bytes of its memory.
    fn memory(&mut self) -> Done<(u64, u64)>;

    /// Makes machine code of PTX.
    fn compile(&mut self, ptx: &str) -> Done<Vec<u8>>;
    /// Loads machine code, or PTX with a zero behind it. Entries are those of the module that was loaded last.
    fn load(&mut self, image: &[u8]) -> Done;
    /// Finds an entry, and lets it have this many bytes of shared memory and clusters of this many blocks.
    fn entry(&mut self, name: &str, shared: u32, cluster: u32) -> Done<Entry>;

    /// Takes memory, aligned to 256 bytes.
    fn allocate(&mut self, bytes: u64) -> Done<Address>;
    /// Gives memory back.
    fn release(&mut self, at: Address);
    /// Copies to the device.
    fn upload(&mut self, at: Address, bytes: &[u8]) -> Done;
    /// Copies from the device, after all work before.
    fn download(&mut self, at: Address, bytes: &mut [u8]) -> Done;
    /// Sets bytes, in the sequence of work.
    fn fill(&mut self, at: Address, byte: u8, bytes: u64) -> Done;

    /// Makes a tensor map.
    fn tensor_map(&mut self, map: &Map, at: Address) -> Done<TensorMap>;
    /// Launches an entry, in the sequence of work.
    fn launch(&mut self, entry: Entry, start: &Start, params: &[Value]) -> Done;
    /// Waits until all work is done, but not longer than this.
    fn wait(&mut self, limit: Duration) -> Done;

    /// From here on work is recorded, not done.
    fn record(&mut self) -> Done;
    /// Ends what [`Driver::record`] began.
    fn recorded(&mut self) -> Done<Graph>;
    /// Does what was recorded, in the sequence of work.
    fn replay(&mut self, graph: Graph) -> Done;

    /// Takes the time, in the sequence of work.
    fn mark(&mut self) -> Done<Mark>;
    /// The milliseconds between two marks that have passed; then both are forgotten.
    fn between(&mut self, from: Mark, to: Mark) -> Done<f32>;
    /// Reads so much other memory that nothing of before is left in the caches, in the sequence of work.
    fn flush(&mut self) -> Done;
}
