//! The test bench of dlc.
