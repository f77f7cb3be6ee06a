//! Tests of what text tests cannot see: running graphs.
