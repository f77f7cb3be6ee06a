//! Writing IR text.
//!
//! Values keep the names they had in the source; unnamed ones are numbered in order, afresh in each isolated body.
//! Where two names that are visible in one place collide, the later gets a suffix.

mod attrs;
mod floats;
mod names;
mod ops;

use std::ops::Range;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::context::{Context, Str};
use crate::entity::OpId;
use crate::types::Type;

pub use ops::OpPrinter;

/// How text is written.
#[derive(Clone, Copy, Default, Debug)]
pub struct PrintOptions {
    /// Every op in generic form, as MLIR reads it.
    pub generic: bool,
    /// With locations.
    pub locations: bool,
    /// Dense constants with more elements than this are left out (`dense<...>` does not parse back).
    pub elide_elements: Option<u64>,
}

/// Takes text piece by piece.
pub type Sink<'a> = &'a mut dyn FnMut(&str);

/// Writes IR text. Dialects with hand-written syntax meet it as the argument of their hooks.
pub struct Printer<'a> {
    /// The context of the types and attributes.
    pub ctx: &'a Context,
    options: PrintOptions,
    out: String,
    sink: Option<Sink<'a>>,
    indent: usize,
    /// The names of values and blocks in each open body, innermost last.
    names: Vec<names::Names>,
    /// The dialects whose ops are written without prefix, innermost last.
    default_dialects: Vec<&'static str>,
    /// The spelling of each type that was written.
    type_cache: FxHashMap<Type, Box<str>>,
    /// Payloads to write at the end of the file, by key.
    resources: IndexMap<Str, Attr>,
    /// Where the text of each op lies, when somebody asks.
    spans: Option<Vec<OpSpan<'a>>>,
}

/// Where the text of an op lies, in bytes of the text.
#[derive(Clone)]
pub struct OpSpan<'a> {
    /// The op.
    pub op: OpRef<'a>,
    /// Its text, with the names of its results and with its regions.
    pub range: Range<usize>,
}

/// Pieces go to the sink when they are about this long.
const PIECE: usize = 1 << 16;

impl<'a> Printer<'a> {
    pub(crate) fn new(ctx: &'a Context, options: PrintOptions, sink: Option<Sink<'a>>) -> Printer<'a> {
        Printer {
            ctx,
            options,
            out: String::new(),
            sink,
            indent: 0,
            names: Vec::new(),
            default_dialects: vec!["builtin"],
            type_cache: FxHashMap::default(),
            resources: IndexMap::new(),
            spans: None,
        }
    }

    /// Writes text as it is.
    #[inline]
    pub fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a blank, unless one stands there already or the last character is an opening bracket.
    #[inline]
    pub fn space(&mut self) {
        if !matches!(self.out.as_bytes().last(), Some(b' ' | b'(' | b'[' | b'<' | b'\n') | None) {
            self.out.push(' ');
        }
    }

    /// Writes a decimal number.
    pub fn number(&mut self, value: u64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.out.push_str(std::str::from_utf8(&digits[at..]).expect("digits are ASCII"));
    }

    /// Writes items with commas between them.
    pub fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        for (index, it) in items.into_iter().enumerate() {
            if index > 0 {
                self.write(", ");
            }
            item(self, it);
        }
    }

    /// Ends the line and indents the next.
    pub fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn flush_if_long(&mut self) {
        if self.out.len() >= PIECE
            && let Some(sink) = &mut self.sink
        {
            sink(&self.out);
            self.out.clear();
        }
    }

    fn finish(mut self) -> String {
        match self.sink.take() {
            Some(sink) => {
                sink(&self.out);
                String::new()
            }
            None => self.out,
        }
    }
}

/// Writes a body (a module, or any other isolated op) as a whole file, piece by piece.
pub fn print_body(ctx: &Context, body: &Body, options: PrintOptions, sink: Sink<'_>) {
    let mut printer = Printer::new(ctx, options, Some(sink));
    printer.print_root(body);
    printer.print_resources();
    printer.finish();
}

/// A body as a whole file, and where each op lies in it: an op before those in its regions.
pub fn print_with_spans<'a>(ctx: &'a Context, body: &'a Body, options: PrintOptions) -> (String, Vec<OpSpan<'a>>) {
    let mut printer = Printer::new(ctx, options, None);
    printer.spans = Some(Vec::new());
    printer.print_root(body);
    printer.print_resources();
    let spans = printer.spans.take().unwrap_or_default();
    (printer.finish(), spans)
}

/// The text of one op of a body, with what is in its regions.
pub fn print_op(ctx: &Context, body: &Body, op: OpId, options: PrintOptions) -> String {
    let mut printer = Printer::new(ctx, options, None);
    printer.print_single(body, op);
    printer.finish()
}

/// The spelling of a type.
pub(crate) fn type_to_string(ctx: &Context, ty: Type) -> String {
    let mut printer = Printer::new(ctx, PrintOptions::default(), None);
    printer.ty(ty);
    printer.finish()
}

/// The spelling of an attribute.
pub(crate) fn attr_to_string(ctx: &Context, attr: Attr) -> String {
    let options = PrintOptions { generic: true, ..PrintOptions::default() };
    let mut printer = Printer::new(ctx, options, None);
    printer.attr(attr);
    printer.finish()
}

impl Type {
    /// The type as it is written in custom form.
    pub fn display(self, ctx: &Context) -> String {
        type_to_string(ctx, self)
    }
}

impl Attr {
    /// The attribute as it is written in generic form.
    pub fn display(self, ctx: &Context) -> String {
        attr_to_string(ctx, self)
    }
}
