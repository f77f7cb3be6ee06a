//! Positions of the protocol, lines and UTF-16 units, and bytes of the text.

use std::ops::Range;

use serde_json::{Value, json};

/// A text with the starts of its lines.
pub struct Text {
    /// The whole text.
    pub text: String,
    lines: Vec<usize>,
}

impl Text {
    /// Finds the lines of a text.
    pub fn new(text: String) -> Text {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Text { text, lines }
    }

    /// The bytes of a line, with its end; empty beyond the last line.
    pub fn line(&self, line: usize) -> Range<usize> {
        let end = self.text.len();
        let start = self.lines.get(line).copied().unwrap_or(end);
        start..self.lines.get(line + 1).copied().unwrap_or(end)
    }

    /// The line of a byte.
    pub fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The byte of a position; positions beyond the end of a line are at its end.
    pub fn offset(&self, line: usize, character: usize) -> usize {
        let range = self.line(line);
        let mut units = 0;
        let text = &self.text[range.clone()];
        for (at, c) in text.char_indices() {
            if units >= character || c == '\n' {
                return range.start + at;
            }
            units += c.len_utf16();
        }
        range.end
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize) -> Value {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let before = &self.text[self.line(line).start..offset];
        json!({ "line": line, "character": before.encode_utf16().count() })
    }

    /// The positions of some bytes.
    pub fn range(&self, range: Range<usize>) -> Value {
        json!({ "start": self.position(range.start), "end": self.position(range.end) })
    }
}
