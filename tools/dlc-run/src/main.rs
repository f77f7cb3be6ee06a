//! `dlc-run`: see the library of the same name.

fn main() -> std::process::ExitCode {
    dlc_run::main()
}
