//! How programs are compiled and run.

/// What a program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// The GPU if there is one, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of a number.
    Cuda(u32),
    /// Nothing: programs are compiled, and not run.
    None,
}

impl Device {
    /// The number of the GPU that is meant.
    pub fn number(self) -> u32 {
        if let Device::Cuda(number) = self { number } else { 0 }
    }
}

impl std::str::FromStr for Device {
    type Err = String;

    /// `cpu`, `cuda`, `cuda:1`, `auto` or `none`.
    fn from_str(text: &str) -> Result<Device, String> {
        let wrong = || "it must be cpu, cuda, cuda:1, auto or none".to_string();
        match text {
            "auto" => Ok(Device::Auto),
            "cpu" => Ok(Device::Cpu),
            "cuda" => Ok(Device::Cuda(0)),
            "none" => Ok(Device::None),
            _ => {
                let number = text.strip_prefix("cuda:").and_then(|number| number.parse::<u16>().ok());
                number.map(|number| Device::Cuda(number.into())).ok_or_else(wrong)
            }
        }
    }
}

/// How kernels without a plan are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planning {
    /// With the default tiling, which fits every target.
    Off,
    /// By the plan that an estimate says is fastest on the target.
    Choose(F32),
}

/// How products of `f32` are multiplied where plans are chosen: the option `f32` of `choose-plan`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum F32 {
    /// By tensor cores, as three products of `tf32`, or by threads, whichever is faster.
    #[default]
    Tf32x3,
    /// The same with one product of `tf32`, which keeps 11 bits of each factor.
    Tf32,
    /// By threads.
    Ieee,
}

impl F32 {
    /// The words of the option.
    pub const WORDS: [&str; 3] = ["tf32x3", "tf32", "ieee"];

    /// The word of the option.
    pub fn word(self) -> &'static str {
        match self {
            F32::Tf32x3 => "tf32x3",
            F32::Tf32 => "tf32",
            F32::Ieee => "ieee",
        }
    }
}

impl std::str::FromStr for F32 {
    type Err = String;

    fn from_str(text: &str) -> Result<F32, String> {
        let all = [F32::Tf32x3, F32::Tf32, F32::Ieee];
        all.into_iter().find(|of| of.word() == text).ok_or_else(|| format!("it must be {}", F32::WORDS.join(", ")))
    }
}

/// Sizes that a plan of its own is chosen for (specification 2.3): a number for each symbol.
pub type ShapeSet = Vec<(String, i64)>;

/// What is run before the program is evaluated.
#[derive(Clone, PartialEq, Debug)]
pub enum Passes {
    /// The named pipeline `evaluate`, if there is one.
    Standard,
    /// Nothing: the program is evaluated as it is written.
    None,
    /// A pipeline.
    Text(String),
}

#[cfg(test)]
mod tests {
    use super::Device;

    #[test]
    fn devices_have_numbers() {
        let device = |text: &str| text.parse::<Device>();
        assert_eq!(device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(device("cuda:3"), Ok(Device::Cuda(3)));
        assert_eq!((device("cpu"), device("auto")), (Ok(Device::Cpu), Ok(Device::Auto)));
        assert_eq!(device("none"), Ok(Device::None));
        assert!(["gpu", "cuda:", "cuda:-1", "cuda:x", ""].iter().all(|text| device(text).is_err()));
    }
}
