//! A text that an editor has open: what it says as tokens, and as far as it parses, as ops with types.

use dlc_core::memref::shaped;
use dlc_ir::diag::{Diagnostic, Diagnostics, Severity};
use dlc_ir::op::OpDef;
use dlc_ir::pass::panics;
use dlc_ir::text::{ParseOptions, Token};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Loc, Type};
use dlc_opt::{Setup, input};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::text::Text;
use crate::tokens::Tokens;

/// A document and what is known of it.
pub struct Document {
    /// Its text.
    pub text: Text,
    /// The text as tokens.
    pub tokens: Tokens,
    /// The dialects, for look-ups by name.
    pub ctx: Context,
    /// What is wrong with it, as the protocol writes it.
    pub diagnostics: Vec<Value>,
    /// The ops of the parts that parse, by the place of their names.
    pub ops: FxHashMap<usize, OpInfo>,
    /// The types of block arguments, by the place of their names.
    pub args: FxHashMap<usize, String>,
    /// The elements and bytes of types whose sizes are numbers, by the text of the type.
    pub sizes: FxHashMap<String, (i64, i64)>,
}

/// An op of a part that parses.
pub struct OpInfo {
    /// Its declaration.
    pub def: &'static OpDef,
    /// The types of its results.
    pub results: Vec<String>,
}

impl Document {
    /// Reads a text. `name` is for messages, and says by its end whether the text is JSON.
    pub fn new(setup: &Setup, name: &str, text: String) -> Document {
        let ctx = Context::new(setup.dialects.iter().copied());
        let tokens = Tokens::of(&text);
        let mut document = Document {
            text: Text::new(text),
            tokens,
            ctx: Context::new(setup.dialects.iter().copied()),
            diagnostics: Vec::new(),
            ops: FxHashMap::default(),
            args: FxHashMap::default(),
            sizes: FxHashMap::default(),
        };
        let diags = Diagnostics::new();
        // A mistake in a verifier must not end the session: what was found so far is shown.
        let whole = panics::catch(|| document.read(setup, &ctx, name, &diags));
        let found = diags.take();
        document.diagnostics = found.iter().map(|diagnostic| document.diagnostic(&ctx, name, diagnostic)).collect();
        if whole.is_err() {
            let message = "dlc has failed on this text; this is a mistake in dlc";
            let range = document.text.range(0..0);
            document.diagnostics.push(json!({ "range": range, "severity": 1, "source": "dlc", "message": message }));
        }
        document
    }

    fn read(&mut self, setup: &Setup, ctx: &Context, name: &str, diags: &Diagnostics) {
        let Some(file) = input::add(ctx, name, self.text.text.clone(), diags) else { return };
        let allow_unregistered = file.text.contains("--allow-unregistered");
        let base = file.base() as usize;
        for part in input::split(&file.text) {
            let options = ParseOptions { allow_unregistered };
            let Some(body) = input::module(ctx, &setup.registry, &file, part, options, diags) else { continue };
            let mut types = FxHashMap::default();
            self.record(ctx, &body, base, &mut types);
            for (ty, text) in types {
                self.sizes.extend(size_of(ctx, ty).map(|size| (text, size)));
            }
            verify(ctx, &body, diags);
        }
    }

    fn record(&mut self, ctx: &Context, body: &Body, base: usize, types: &mut FxHashMap<Type, String>) {
        let at = |loc: Loc| (loc.source_offset()? as usize).checked_sub(base);
        let mut show = |ty: Type| types.entry(ty).or_insert_with(|| ty.display(ctx)).clone();
        let mut nested = Vec::new();
        for op in std::iter::once(body.root()).chain(body.walk()) {
            if let Some(at) = at(body.loc(op)) {
                let def = ctx.op_def(body.op_name(op));
                let results = body.results(op).map(|value| show(body.value_type(value))).collect();
                self.ops.insert(at, OpInfo { def, results });
            }
            for &region in body.regions(op) {
                for block in body.blocks(region) {
                    for (index, &arg) in body.args(block).iter().enumerate() {
                        if let Some(at) = at(body.arg_loc(block, index)) {
                            self.args.insert(at, show(body.value_type(arg)));
                        }
                    }
                }
            }
            nested.extend(body.nested(op));
        }
        for body in nested {
            self.record(ctx, body, base, types);
        }
    }

    fn diagnostic(&self, ctx: &Context, name: &str, diagnostic: &Diagnostic) -> Value {
        let range = |loc: Loc, len: usize| {
            let at = loc.source_offset().and_then(|offset| ctx.sources.find(offset)).map_or(0, |(_, at)| at);
            let at = at.min(self.text.text.len());
            let end = match len {
                0 => self.tokens.at(at).map_or(at, |index| self.tokens.list[index].range.end.max(at)),
                len => (at + len).min(self.text.text.len()),
            };
            self.text.range(at..end)
        };
        let severity = match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            _ => 3,
        };
        let mut message = diagnostic.message.clone();
        if let Some(suggestion) = &diagnostic.suggestion {
            message += &format!("\n{suggestion}");
        }
        let notes: Vec<Value> = diagnostic
            .notes
            .iter()
            .map(|note| json!({ "location": { "uri": name, "range": range(note.loc, 0) }, "message": note.message }))
            .collect();
        json!({
            "range": range(diagnostic.loc, diagnostic.len as usize),
            "severity": severity,
            "code": diagnostic.code.code,
            "source": "dlc",
            "message": message,
            "relatedInformation": notes,
        })
    }

    /// The text of a token.
    pub fn token_text(&self, index: usize) -> &str {
        &self.text.text[self.tokens.list[index].range.clone()]
    }

    /// The declaration of the op whose name a token is.
    pub fn op(&self, index: usize) -> Option<&'static OpDef> {
        let lexed = &self.tokens.list[index];
        let parsed = self.ops.get(&lexed.range.start).filter(|_| matches!(lexed.token, Token::Word | Token::String));
        parsed.map(|op| op.def).or_else(|| self.tokens.op(&self.ctx, &self.text.text, index))
    }

    /// The type of the value that a token names, where its part parses.
    pub fn value_type(&self, index: usize) -> Option<&str> {
        let text = &self.text.text;
        let defined = self.tokens.definition(text, index)?;
        if let Some(ty) = self.args.get(&self.tokens.list[defined].range.start) {
            return Some(ty);
        }
        // `%a, %b:2 = op`: the results before this one are counted from the start of the list.
        let list = &self.tokens.list;
        let mut name = defined;
        while name < defined + 1024 && list.get(name).is_some_and(|lexed| lexed.token != Token::Equal) {
            name += 1;
        }
        let op = self.ops.get(&list.get(name + 1)?.range.start)?;
        let mut first = defined;
        let mut results = 0;
        while first >= 2 && list[first - 1].token == Token::Comma {
            let many = list[first - 2].token == Token::Integer && first >= 4;
            let count = if many { self.token_text(first - 2).parse::<usize>().unwrap_or(1) } else { 1 };
            results += count;
            first -= if many { 4 } else { 2 };
        }
        let own = self.token_text(index).split_once('#').and_then(|(_, number)| number.parse::<usize>().ok());
        op.results.get(results.checked_add(own.unwrap_or(0))?).map(String::as_str)
    }
}

/// The elements and bytes of a tensor or memref whose sizes are numbers.
fn size_of(ctx: &Context, ty: Type) -> Option<(i64, i64)> {
    let (dims, elem) = shaped(ctx, ty)?;
    let elements = dims.iter().try_fold(1i64, |all, dim| all.checked_mul(dim.as_constant()?))?;
    let bits = elements.checked_mul(i64::from(elem.bits(ctx)?))?;
    Some((elements, bits / 8 + i64::from(bits % 8 != 0)))
}
