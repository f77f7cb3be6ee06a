//! JSON with a record on a line: small, and made for diffs.

use std::fmt;

/// A value to be written. Objects keep the order of their keys.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `-3`
    Int(i128),
    /// `0.5`; what is not finite is no number of JSON and must be written otherwise.
    Float(f64),
    /// `"text"`
    Text(String),
    /// `[1, 2]`
    List(Vec<Item>),
    /// `{"a": 1}`
    Object(Vec<(String, Item)>),
}

impl Item {
    /// An object.
    pub fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Item)>) -> Item {
        Item::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// A list.
    pub fn list<T: Into<Item>>(items: impl IntoIterator<Item = T>) -> Item {
        Item::List(items.into_iter().map(Into::into).collect())
    }

    /// The whole text of a document. Each entry of the object begins a line; where one is a list or object that holds
    /// others, these have a line each.
    pub fn document(&self) -> String {
        let Item::Object(entries) = self else { return format!("{self}\n") };
        let entry = |(key, value): &(String, Item)| format!("  {}: {}", Quoted(key), rows(value));
        format!("{{\n{}\n}}\n", entries.iter().map(entry).collect::<Vec<_>>().join(",\n"))
    }
}

fn rows(value: &Item) -> String {
    let holds_others = |item: &Item| matches!(item, Item::List(_) | Item::Object(_));
    let (open, rows, close) = match value {
        Item::List(items) if items.iter().any(holds_others) => {
            ('[', items.iter().map(Item::to_string).collect::<Vec<_>>(), ']')
        }
        Item::Object(entries) if entries.iter().any(|(_, item)| holds_others(item)) => {
            ('{', entries.iter().map(|(key, item)| format!("{}: {item}", Quoted(key))).collect(), '}')
        }
        other => return other.to_string(),
    };
    format!("{open}\n    {}\n  {close}", rows.join(",\n    "))
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Null => f.write_str("null"),
            Item::Bool(value) => write!(f, "{value}"),
            Item::Int(value) => write!(f, "{value}"),
            Item::Float(value) => write_float(f, *value),
            Item::Text(text) => write!(f, "{}", Quoted(text)),
            Item::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Item::Object(entries) => {
                f.write_str("{")?;
                for (index, (key, item)) in entries.iter().enumerate() {
                    write!(f, "{}{}: {item}", if index > 0 { ", " } else { "" }, Quoted(key))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A float with the digits that tell it, and a dot or an exponent so that it stays one; as Python writes it, so that the
/// text of an exporter comes out as it was.
fn write_float(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
        return write!(f, "{value:?}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            write!(f, "{digits}e{sign}{exponent:0>2}")
        }
        None => f.write_str(&text),
    }
}

/// A string between quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

impl From<&str> for Item {
    fn from(text: &str) -> Item {
        Item::Text(text.to_string())
    }
}

impl From<i64> for Item {
    fn from(value: i64) -> Item {
        Item::Int(value.into())
    }
}
