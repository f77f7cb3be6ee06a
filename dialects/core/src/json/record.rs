//! Objects whose keys are known.

use std::borrow::Cow;

use dlc_ir::diag::did_you_mean;

use super::node::{Node, Read};
use super::{DUPLICATE_KEY, MISSING_KEY, UNKNOWN_KEY};

/// An object with known keys.
pub struct Record<'a> {
    node: Node<'a>,
    /// What it is, as in "a tensor has no key 'x'".
    what: String,
    entries: Vec<(Cow<'a, str>, Node<'a>)>,
}

impl<'a> Record<'a> {
    /// Reads an object. Keys that are not among those known, and keys that come twice, are reported and left out.
    ///
    /// `what` says what the record is, with its article: `a uop`.
    pub fn new(node: &Node<'a>, what: impl Into<String>, known: &[&str]) -> Read<Record<'a>> {
        let what = what.into();
        let mut entries: Vec<(Cow<'a, str>, Node<'a>)> = Vec::new();
        for (key, place, value) in node.entries(&what)? {
            if !known.contains(&&*key) {
                let message = format!("{what} has no key '{key}' ('{}')", node.path());
                let near = did_you_mean(&key, known.iter().copied());
                let otherwise = || match known {
                    [] => "it takes none".to_string(),
                    known => format!("its keys are {}", known.join(", ")),
                };
                node.report(place.error(&UNKNOWN_KEY, message).suggest(near.unwrap_or_else(otherwise)));
            } else if let Some((_, first)) = entries.iter().find(|(other, _)| *other == key) {
                let message = format!("the key '{key}' comes twice ('{}')", node.path());
                node.report(place.error(&DUPLICATE_KEY, message).note(first.loc(), "its first value is here"));
            } else {
                entries.push((key, value));
            }
        }
        Ok(Record { node: node.clone(), what, entries })
    }

    /// A record without entries, for what may be left out at a value.
    pub fn empty(node: &Node<'a>, what: impl Into<String>) -> Record<'a> {
        Record { node: node.clone(), what: what.into(), entries: Vec::new() }
    }

    /// The object itself.
    pub fn node(&self) -> &Node<'a> {
        &self.node
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: &str) -> Read<&Node<'a>> {
        self.get(key).ok_or_else(|| {
            let message = format!("{} needs the key '{key}' ('{}')", self.what, self.node.path());
            self.node.report(self.node.error(&MISSING_KEY, message))
        })
    }

    /// The keys that are there, with their values, in the order in which they are written.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Node<'a>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }
}
