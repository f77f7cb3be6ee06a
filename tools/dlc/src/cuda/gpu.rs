//! The GPU of a process: opened when the first program wants it, and kept for those after it.

use dlc_ir::Loc;
use dlc_ir::diag::{Diagnostic, Diagnostics, Severity};
use dlc_opt::Status;

use super::driver::Driver;
use super::resident::Resident;
use super::{DEVICE_LOST, NO_DEVICE, NO_DRIVER, WRONG_ARCHITECTURE, WRONG_DEVICE, device};
use crate::options::Device;

/// The least compute capability that programs are compiled for.
const MIN_CAPABILITY: (u32, u32) = (8, 0);

/// How a device is opened.
pub type Open = Box<dyn Fn(u32) -> Result<Box<dyn Driver>, Box<Diagnostic>> + Send>;

/// The device that programs run on, if there is one.
pub struct Gpu {
    open: Open,
    driver: Option<Box<dyn Driver>>,
    /// The number of the device that was opened.
    number: Option<u32>,
    /// The programs whose modules are loaded.
    pub(crate) resident: Resident,
    /// Whether it is known that there is none.
    none: bool,
}

impl Default for Gpu {
    fn default() -> Gpu {
        Gpu::new(Box::new(|number| device::open(number).map(|cuda| Box::new(cuda) as Box<dyn Driver>)))
    }
}

impl Gpu {
    /// With another way to open it, which tests have.
    pub fn new(open: Open) -> Gpu {
        Gpu { open, driver: None, number: None, resident: Resident::default(), none: false }
    }

    /// Without any, whatever there is.
    pub fn none() -> Gpu {
        let mut gpu = Gpu::default();
        gpu.none = true;
        gpu
    }

    /// Whether programs run on it. That a device which is asked for cannot be had is reported.
    pub fn is_chosen(&mut self, device: Device, diags: &Diagnostics) -> Result<bool, Status> {
        let number = match device {
            Device::Cpu | Device::None => return Ok(false),
            Device::Auto if self.none => return Ok(false),
            Device::Auto => 0,
            Device::Cuda(number) => number,
        };
        let found = self.driver(number).map(|driver| driver.device().clone());
        let usable = found.and_then(|found| match found.capability {
            (major, minor) if device == Device::Auto && (major, minor) < MIN_CAPABILITY => {
                let message = format!(
                    "{} (sm_{major}{minor}) is older than the devices that programs are compiled for, from sm_{}{} on",
                    found.name, MIN_CAPABILITY.0, MIN_CAPABILITY.1
                );
                Err(Box::new(Diagnostic::error(&WRONG_ARCHITECTURE, Loc::UNKNOWN, message)))
            }
            _ => Ok(()),
        });
        match usable {
            Ok(()) => Ok(true),
            Err(error) if device == Device::Auto && error.code != &DEVICE_LOST => {
                self.none = true;
                // A machine without a GPU is nothing to talk about; one whose driver or GPU cannot be used is.
                if ![&NO_DRIVER, &NO_DEVICE].contains(&error.code) {
                    let message = format!("{}; programs run on the CPU", error.message);
                    diags.emit(Diagnostic { severity: Severity::Warning, message, ..*error });
                }
                Ok(false)
            }
            Err(error) => {
                diags.emit(*error);
                Err(Status::Failure)
            }
        }
    }

    /// The device of a number. All programs of a process run on the same one.
    pub fn driver(&mut self, number: u32) -> Result<&mut dyn Driver, Box<Diagnostic>> {
        if self.driver.as_ref().is_some_and(|driver| driver.is_lost()) {
            let message = "a kernel has stopped the device before, and nothing runs on it until this process ends";
            return Err(Box::new(Diagnostic::error(&DEVICE_LOST, Loc::UNKNOWN, message).suggest("run the rest again")));
        }
        let driver = match self.driver.take() {
            Some(driver) => driver,
            None => {
                self.number = Some(number);
                (self.open)(number)?
            }
        };
        Ok(self.driver.insert(driver).as_mut())
    }

    /// The device of a number for the calling thread, with the programs that are loaded on it. Errors where another one is
    /// open.
    pub(crate) fn attached(&mut self, number: u32) -> Result<(&mut dyn Driver, &mut Resident), Box<Diagnostic>> {
        self.driver(number)?.attach().map_err(super::exec::fails)?;
        match (&mut self.driver, self.number) {
            (Some(driver), Some(own)) if own == number => Ok((driver.as_mut(), &mut self.resident)),
            (_, own) => {
                let own = own.unwrap_or_default();
                let message = format!("the session has opened GPU {own}, and GPU {number} is asked for");
                let error = Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message);
                Err(Box::new(error.suggest("make a session for each GPU")))
            }
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // The context is that of the process: what is not given back stays taken.
        if let Some(driver) = self.driver.as_mut().filter(|driver| !driver.is_lost())
            && driver.attach().is_ok()
        {
            self.resident.clear(driver.as_mut());
        }
    }
}
