//! The command line of dlc-opt, with passes that go wrong in every way.

mod cli {
    pub mod setup;

    mod bad_input;
    mod diagnostics;
    mod layers;
    mod new_plugin;
    mod observe;
    mod options;
    mod passes;
}
