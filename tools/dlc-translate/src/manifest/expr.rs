//! Numbers of a manifest that depend on sizes, and conditions on them.

use std::fmt;

use dlc_core::sizes::Bindings;
use dlc_ir::affine::SizeExpr;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number that depends on symbols: `(M + 3) floordiv 4`. In the file it is a text, or an integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr(pub SizeExpr);

impl Expr {
    /// Reads the text of one.
    pub fn parse(text: &str) -> Result<Expr, String> {
        SizeExpr::parse(text).map(Expr).map_err(|error| format!("'{text}' is no size: {}", error.message))
    }

    /// The number.
    pub fn eval(&self, symbols: &Bindings) -> Result<i64, String> {
        symbols.integer(&self.0).map_err(|reason| format!("the size {self} cannot be computed: {reason}"))
    }

    /// The number, which must not be negative.
    pub fn size(&self, symbols: &Bindings) -> Result<u64, String> {
        let value = self.eval(symbols)?;
        u64::try_from(value).map_err(|_| format!("the size {self} is {value}"))
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr(SizeExpr::from(value))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expr, D::Error> {
        struct Reads;
        impl Visitor<'_> for Reads {
            type Value = Expr;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size, such as \"2*K + 1\" or 4")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Expr, E> {
                Expr::parse(text).map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Expr, E> {
                Ok(value.into())
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Expr, E> {
                i64::try_from(value).map(Expr::from).map_err(|_| E::custom(format!("{value} goes beyond 64 bits")))
            }
        }
        deserializer.deserialize_any(Reads)
    }
}

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Each with its text; those that begin like another one come before it.
const SIGNS: [(&str, Sign); 5] = [
    ("==", Sign::Equal),
    ("<=", Sign::LessOrEqual),
    (">=", Sign::GreaterOrEqual),
    ("<", Sign::Less),
    (">", Sign::Greater),
];

/// A condition on sizes: `K mod 8 == 0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// What is compared.
    pub left: Expr,
    sign: Sign,
    /// What it is compared with.
    pub right: Expr,
}

impl Guard {
    /// Reads the text of one.
    pub fn parse(text: &str) -> Result<Guard, String> {
        let found = SIGNS.iter().filter_map(|(word, sign)| Some((text.find(word)?, *word, *sign)));
        // The first in the text; of two that begin there, the longer.
        let Some((at, word, sign)) = found.min_by_key(|(at, word, _)| (*at, std::cmp::Reverse(word.len()))) else {
            return Err(format!("'{text}' is no condition: it has none of ==, <, <=, > and >="));
        };
        Ok(Guard { left: Expr::parse(&text[..at])?, sign, right: Expr::parse(&text[at + word.len()..])? })
    }

    /// How it compares, as it is written.
    pub fn sign(&self) -> &'static str {
        SIGNS.iter().find(|(_, sign)| *sign == self.sign).map_or("", |(word, _)| word)
    }

    /// Whether it holds.
    pub fn holds(&self, symbols: &Bindings) -> Result<bool, String> {
        let (left, right) = (self.left.eval(symbols)?, self.right.eval(symbols)?);
        Ok(match self.sign {
            Sign::Equal => left == right,
            Sign::Less => left < right,
            Sign::LessOrEqual => left <= right,
            Sign::Greater => left > right,
            Sign::GreaterOrEqual => left >= right,
        })
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.sign(), self.right)
    }
}

impl Serialize for Guard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Guard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Guard, D::Error> {
        let text = String::deserialize(deserializer)?;
        Guard::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(all: &[(&str, i64)]) -> Bindings {
        Bindings::from(std::collections::BTreeMap::from_iter(
            all.iter().map(|(name, value)| (name.to_string(), *value)),
        ))
    }

    #[test]
    fn sizes_are_computed() {
        let symbols = symbols(&[("M", 150), ("N", 130), ("Z", 0)]);
        let value = |text: &str| Expr::parse(text).and_then(|expr| expr.eval(&symbols));
        assert_eq!(value("(M ceildiv 128)*(N ceildiv 64)"), Ok(6));
        assert_eq!(value("M mod 8 + 2*N floordiv 3 - 1"), Ok(6 + 86 - 1));
        assert_eq!(value("-M"), Ok(-150));
        assert_eq!(Expr::parse("-M").and_then(|expr| expr.size(&symbols)), Err("the size -M is -150".into()));
        for wrong in ["M*", "K", "M floordiv Z", "M floordiv 0", "9223372036854775807*M", "99999999999999999999"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn conditions_hold_or_do_not() {
        let symbols = symbols(&[("K", 24)]);
        let holds = |text: &str| Guard::parse(text).and_then(|guard| guard.holds(&symbols));
        for (text, expected) in [
            ("K mod 8 == 0", true),
            ("K < 24", false),
            ("K <= 24", true),
            ("K > 23", true),
            ("K >= 25", false),
            ("48 == 2*K", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
            assert_eq!(Guard::parse(text).map(|guard| guard.to_string()), Ok(text.to_string()));
        }
        for wrong in ["K", "K = 24", "K ==", "K < L", "0 < K < 30", "K != 1"] {
            assert!(holds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn in_a_file_they_are_texts_or_integers() {
        let read = |text: &str| serde_json::from_str::<Vec<Expr>>(text).map(|all| serde_json::to_string(&all).ok());
        assert_eq!(read("[\"K*2 + M\", 4, \"7\"]").ok().flatten().as_deref(), Some("[\"2*K + M\",\"4\",\"7\"]"));
        for wrong in ["[true]", "[1.5]", "[\"2 +\"]", "[18446744073709551615]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
