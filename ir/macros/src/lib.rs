//! The declaration macros of `dlc-ir`.
