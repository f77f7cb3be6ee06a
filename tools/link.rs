//! How the tools are linked.
//!
//! Built for size, as they are handed on, they lie at a fixed address on Linux: 18 000 places that the loader would have
//! to fill in each time, and their list, are half a megabyte and half a millisecond. Functions that are equal down to the
//! last byte, of which generics make a thousand, are there once. Built otherwise they lie anywhere.

/// Says how to link.
pub fn main() {
    println!("cargo::rerun-if-changed=../link.rs");
    let is = |name: &str, values: &[&str]| std::env::var(name).is_ok_and(|value| values.contains(&value.as_str()));
    if is("OPT_LEVEL", &["s", "z"]) && is("CARGO_CFG_TARGET_OS", &["linux"]) {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // There it is lld that links, unless somebody says otherwise; others do not know this.
        if is("CARGO_CFG_TARGET_ARCH", &["x86_64"]) && is("CARGO_CFG_TARGET_ENV", &["gnu"]) {
            println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}
