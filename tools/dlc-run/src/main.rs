//! `dlc-run`: see the library of the same name.

fn main() -> std::process::ExitCode {
    dlc_allocator::keep_freed();
    dlc_run::main()
}
