//! From functions of axes and schedules to programs of blocks.

pub mod tensorize;
