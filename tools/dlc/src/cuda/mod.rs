//! Running on a GPU: PTX with its launch manifest, by the CUDA driver.
//!
//! - [`gpu`]: the device of a session, opened when it is wanted; [`compile`]: from a program to PTX for it.
//! - [`driver`]: what is asked of the driver; [`sys`]: the driver itself, loaded when the program runs.
//! - [`device`]: whether there is a device, and whether it can run a module; [`cache`]: modules compiled once.
//! - [`exec`]: memory, launches and graphs of a plan; [`flush`]: cold caches; [`measure`]: how long that takes.
//! - [`tune`]: the best plans of each kernel, measured; [`plans`]: files of what was measured.
//! - [`module`](mod@module): PTX and its manifest on a device; [`resident`] and [`steps`]: programs on memory of the
//!   caller, with launches that are ready.
//! - [`fake`]: a driver for tests.
//!
//! Which launches there are, with which numbers and in which order, is decided above [`driver::Driver`], so tests show it
//! without a GPU.

pub mod cache;
pub mod compile;
pub mod device;
pub mod driver;
pub mod exec;
pub mod fake;
pub mod flush;
pub mod gpu;
pub mod measure;
pub mod module;
pub mod plans;
pub mod resident;
pub mod steps;
pub mod sys;
pub mod tune;

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
}
