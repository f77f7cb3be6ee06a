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
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// The global offset of its first byte.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The location of a byte of the text.
    ///
    /// # Panics
    /// If it lies behind the end.
    pub fn loc(&self, offset: usize) -> Loc {
        assert!(offset <= self.text.len(), "byte {offset} of a text of {}", self.text.len());
        Loc::source(self.base + offset as u32)
    }

    /// Line and column (both from 1, the column in bytes) of a byte of the text.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
        let starts = self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
            std::iter::once(0).chain(newlines).collect()
        });
        let line = starts.partition_point(|&start| start as usize <= offset) - 1;
        (line as u32 + 1, (offset - starts[line] as usize) as u32 + 1)
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
        let file = Arc::new(SourceFile { name: name.into(), text, base: base as u32, line_starts: OnceLock::new() });
        files.push(Arc::clone(&file));
        Some(file)
    }

    /// The file of a global offset, and the offset inside it.
    pub fn find(&self, offset: u32) -> Option<(Arc<SourceFile>, usize)> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let index = files.partition_point(|file| file.base <= offset).checked_sub(1)?;
        let file = &files[index];
        Some((Arc::clone(file), (offset - file.base) as usize))
    }
}
