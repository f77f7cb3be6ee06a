//! Running on a GPU: PTX with its launch manifest, by the CUDA driver.
//!
//! - [`gpu`]: the device of a process, opened when it is wanted; [`compile`]: from a program to PTX for it.
//! - [`driver`]: what is asked of the driver; [`sys`]: the driver itself, loaded when the program runs.
//! - [`device`]: whether there is a device, and whether it can run a module; [`cache`]: modules compiled once.
//! - [`exec`]: memory, launches and graphs of a plan; [`bench`](mod@bench): how long it takes; [`flush`]: cold caches;
//!   [`against`]: a library beside it.
//! - [`run`](mod@run): a program or a manifest with its inputs, from files to files.
//!
//! Which launches there are, with which numbers and in which order, is decided above [`driver::Driver`], so tests prove
//! it without a GPU.

pub mod against;
pub mod bench;
pub mod cache;
pub mod compile;
pub mod device;
pub mod driver;
pub mod exec;
pub mod flush;
pub mod gpu;
pub mod run;
pub mod sys;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

dlc_ir::codes! {
    /// There is no CUDA driver that can be used.
    NO_DRIVER = "E0551" "NoDriver";
    /// The CUDA driver is older than what is to be run.
    DRIVER_TOO_OLD = "E0552" "DriverTooOld";
    /// There is no device of this number.
    NO_DEVICE = "E0553" "NoDevice";
    /// A module is for another device.
    WRONG_ARCHITECTURE = "E0554" "WrongArchitecture";
    /// The CUDA driver does not take a module, or an entry is not in it.
    BAD_MODULE = "E0555" "BadModule";
    /// The device has not enough memory.
    OUT_OF_MEMORY = "E0556" "OutOfMemory";
    /// A kernel has done what it must not: a wrong address, an assert.
    KERNEL_FAULT = "E0557" "KernelFault";
    /// A kernel does not end.
    KERNEL_HANGS = "E0558" "KernelHangs";
    /// The CUDA driver reports something else.
    DRIVER_FAILS = "E0559" "DriverFails";
    /// What is given cannot run on the device that is asked for.
    WRONG_DEVICE = "E0560" "WrongDevice";
    /// No pass makes instructions of a program.
    NOT_COMPILED = "E0561" "NotCompiled";
    /// The device has stopped working for this process.
    DEVICE_LOST = "E0562" "DeviceLost";
    /// The library that is to be measured against is not installed, or does not do what is asked of it.
    NO_LIBRARY = "E0564" "NoLibrary";
    /// A program is no product of matrices that a library has.
    NOT_A_PRODUCT = "E0565" "NotAProduct";
    /// A program and a library give different numbers.
    DISAGREES = "E0566" "Disagrees";
    /// What was to be written is, and nothing was run.
    NOT_RUN = "E0567" "NotRun";
}
