//! Locations: where an op came from, in the source and through the lowerings.
//!
//! A position in a file that was read takes no storage beyond its 32 bits: it is an offset into the [`SourceMap`].
//! Every other kind is interned.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::attrs::Attr;
use crate::context::Str;

/// Where something came from: unknown, a byte of a source that was read, or interned [`LocData`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Loc(u32);

const INTERNED: u32 = 1 << 31;

impl Loc {
    /// No location.
    pub const UNKNOWN: Loc = Loc(0);

    /// The byte at a global offset, as [`SourceMap`] counts them.
    #[inline]
    pub(crate) fn source(offset: u32) -> Loc {
        debug_assert!(offset < INTERNED - 1);
        Loc(offset + 1)
    }

    pub(crate) fn interned(id: u32) -> Loc {
        Loc(id | INTERNED)
    }

    /// The global offset, when this is a position in a source that was read.
    #[inline]
    pub fn source_offset(self) -> Option<u32> {
        (self.0 != 0 && self.0 & INTERNED == 0).then(|| self.0 - 1)
    }

    pub(crate) fn interned_id(self) -> Option<u32> {
        (self.0 & INTERNED != 0).then_some(self.0 & !INTERNED)
    }
}

/// The kinds of location that are written out as `loc(...)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LocData<'a> {
    /// `loc("f.mlir":1:2)` or, over a range, `loc("f.mlir":1:2 to 3:4)`. Lines and columns count from 1.
    File {
        /// The name of the file.
        file: Str,
        /// First line and column.
        start: (u32, u32),
        /// Last line and column; equal to `start` for a single position.
        end: (u32, u32),
    },
    /// `loc("name"(child))`
    Name {
        /// The name.
        name: Str,
        /// Where the named thing is.
        child: Loc,
    },
    /// `loc(fused<meta>[a, b])`: several ops became one.
    Fused {
        /// The merged locations.
        locs: &'a [Loc],
        /// What merged them.
        meta: Option<Attr>,
    },
    /// `loc(callsite(callee at caller))`: inlined.
    CallSite {
        /// Where the op stands.
        callee: Loc,
        /// Where the call stood.
        caller: Loc,
    },
}

/// One text that was read: a file, standard input, or a piece built in memory.
#[derive(Debug)]
pub struct SourceFile {
    /// As the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    base: u32,
    /// For each [`BLOCK`] of the text: the lines that begin before it, and where the last of them begins.
    lines: OnceLock<Vec<(u32, u32)>>,
}

/// Lines are counted from the start of a block of so many bytes, so that a place is found without a table of all lines.
const BLOCK: usize = 4096;

impl SourceFile {
    /// The global offset of its first byte.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The location of a byte of the text.
    ///
    /// # Panics
    /// If it lies after the end.
    pub fn loc(&self, offset: usize) -> Loc {
        assert!(offset <= self.text.len(), "byte {offset} of a text of {}", self.text.len());
        Loc::source(self.base + offset as u32)
    }

    /// Line and column (both from 1, the column in bytes) of a byte of the text.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
        let bytes = self.text.as_bytes();
        let offset = offset.min(bytes.len());
        let blocks = self.lines.get_or_init(|| {
            let mut state = (1, 0);
            let advance = |(index, block): (usize, &[u8])| {
                let before = state;
                state = lines_in(block, index * BLOCK, state);
                before
            };
            bytes.chunks(BLOCK).enumerate().map(advance).collect()
        });
        let block = (offset / BLOCK).min(blocks.len().saturating_sub(1));
        let before = blocks.get(block).copied().unwrap_or((1, 0));
        let (line, start) = lines_in(&bytes[block * BLOCK..offset], block * BLOCK, before);
        (line, offset as u32 - start + 1)
    }
}

/// The number of the last line that begins in a piece of text at an offset, or before it, and where it begins.
fn lines_in(piece: &[u8], offset: usize, before: (u32, u32)) -> (u32, u32) {
    match memchr::memrchr(b'\n', piece) {
        None => before,
        Some(last) => {
            let lines = memchr::memchr_iter(b'\n', piece).count() as u32;
            (before.0 + lines, (offset + last + 1) as u32)
        }
    }
}

/// Every text that was read into a context, laid end to end in one space of 31-bit offsets.
#[derive(Default)]
pub struct SourceMap {
    files: RwLock<Vec<Arc<SourceFile>>>,
}

impl SourceMap {
    /// The most bytes that all sources of a context may have together.
    pub const MAX_BYTES: usize = (INTERNED - 2) as usize;

    /// Adds a text. `None` when the sources of the context would exceed [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn add(&self, name: impl Into<String>, text: String) -> Option<Arc<SourceFile>> {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        // One byte between files, so that the end of one is not the start of the next.
        let base = files.last().map_or(0, |last| last.base as usize + last.text.len() + 1);
        if base + text.len() >= Self::MAX_BYTES {
            return None;
        }
        let file = Arc::new(SourceFile { name: name.into(), text, base: base as u32, lines: OnceLock::new() });
        files.push(Arc::clone(&file));
        Some(file)
    }

    /// The first file of a name.
    pub fn named(&self, name: &str) -> Option<Arc<SourceFile>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.iter().find(|file| file.name == name).cloned()
    }

    /// The file of a global offset, and the offset inside it.
    pub fn find(&self, offset: u32) -> Option<(Arc<SourceFile>, usize)> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let index = files.partition_point(|file| file.base <= offset).checked_sub(1)?;
        let file = &files[index];
        Some((Arc::clone(file), (offset - file.base) as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_those_of_counting_from_the_start() {
        let line = |i: usize| "x".repeat(i * 37 % 91) + if i.is_multiple_of(5) { "\n\n" } else { "\n" };
        let text: String = (0..500).map(line).chain(["y".repeat(3 * BLOCK), "\nend".into()]).collect();
        let sources = SourceMap::default();
        let file = sources.add("f", text.clone()).expect("it is small");
        let (mut lines, mut columns) = (1, 1);
        for (offset, byte) in text.bytes().chain([0]).enumerate() {
            assert_eq!(file.line_column(offset), (lines, columns), "byte {offset}");
            (lines, columns) = if byte == b'\n' { (lines + 1, 1) } else { (lines, columns + 1) };
        }
        assert_eq!(sources.add("empty", String::new()).expect("it is small").line_column(0), (1, 1));
    }
}
