//! From the ops of models to those of tinygrad.

pub mod lower_frontend;
