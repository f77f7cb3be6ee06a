//! Names of entries, of which PTX takes fewer than functions may have.

use std::fmt::Write as _;

/// A name as PTX takes it: letters, digits and underscores stay, and every other byte, `$` and a digit at the beginning
/// too, is `$` and two hexadecimal digits. Different names stay different.
pub fn symbol(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len());
    for (place, byte) in name.bytes().enumerate() {
        match byte {
            b'0'..=b'9' if place > 0 => symbol.push(byte.into()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => symbol.push(byte.into()),
            _ => {
                let _ = write!(symbol, "${byte:02x}");
            }
        }
    }
    symbol
}

#[cfg(test)]
mod tests {
    use super::symbol;

    #[test]
    fn names_that_ptx_takes_stay() {
        assert_eq!(symbol("gemm_0"), "gemm_0");
        assert_eq!(symbol("_A9_1"), "_A9_1");
    }

    #[test]
    fn different_names_stay_different() {
        assert_eq!(symbol("a.b#1_0"), "a$2eb$231_0");
        assert_eq!(symbol("a$2eb$231_0"), "a$242eb$24231_0");
        assert_eq!(symbol("0f"), "$30f");
        assert_eq!(symbol("\u{e4}"), "$c3$a4");
    }
}
