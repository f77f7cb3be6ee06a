//! `dlc-opt` with the example linked in, and with a pass that is wrong.

mod drop_relu;
mod plant;

// What is linked in registers itself.
use example_linked as _;

fn main() -> std::process::ExitCode {
    dlc_opt::main()
}
