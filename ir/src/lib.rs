//! The IR of dlc.
