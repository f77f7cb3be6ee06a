//! Names of values and blocks: scopes, definitions, uses that come before their definition.

use rustc_hash::FxHashMap;

use super::*;
use crate::body::ValueDef;
use crate::entity::{BlockId, RegionId, ValueId};

/// A value as it is written: a name, and the number of a result (`%x#1`).
#[derive(Clone, Copy, Debug)]
pub struct OperandName {
    key: Key,
    result: u32,
    start: u32,
    end: u32,
}

/// The name of a value: a number, or (with `NAMED`) an interned word.
type Key = u32;
const NAMED: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Entry {
    /// The first of the values that the name stands for.
    first: ValueId,
    /// How many; 0 while the name has been used but not defined.
    count: u32,
}

/// The names that are known inside one isolated body.
pub(super) struct Scope {
    pub(super) body: Body,
    numbers: Vec<Option<Entry>>,
    names: FxHashMap<Key, Entry>,
    /// Names in the order of their definition: those of a region are forgotten when it ends.
    defined: Vec<Key>,
    /// Uses before the definition: the placeholder of each result of a name, and where it was first used.
    forward: FxHashMap<(Key, u32), (ValueId, Loc)>,
    /// The results in `forward` of each name.
    waiting: FxHashMap<Key, Vec<u32>>,
    /// The open regions, innermost last.
    regions: Vec<RegionScope>,
}

#[derive(Default)]
struct RegionScope {
    /// The blocks by label, and where the label stands if it has only been used so far.
    labels: FxHashMap<Str, (BlockId, Option<Loc>)>,
    first_defined: usize,
}

impl Scope {
    pub(super) fn new(body: Body) -> Scope {
        Scope {
            body,
            numbers: Vec::new(),
            names: FxHashMap::default(),
            defined: Vec::new(),
            forward: FxHashMap::default(),
            waiting: FxHashMap::default(),
            regions: vec![RegionScope::default()],
        }
    }

    #[inline]
    fn get(&self, key: Key) -> Option<Entry> {
        let numbered = self.numbers.get(key as usize).copied().flatten();
        if numbered.is_some() || self.names.is_empty() { numbered } else { self.names.get(&key).copied() }
    }

    /// Numbers up to about twice the number of values get a slot in a table; others (`%2000000000`) are kept like
    /// names, so that memory is bounded by what is defined.
    fn set(&mut self, key: Key, entry: Entry) {
        let limit = 2 * self.body.value_slots() + 64;
        if key & NAMED == 0 && (key as usize) < limit {
            if self.numbers.len() <= key as usize {
                self.numbers.resize((key as usize + 1).next_power_of_two(), None);
            }
            self.numbers[key as usize] = Some(entry);
            if !self.names.is_empty() {
                self.names.remove(&key);
            }
        } else {
            self.names.insert(key, entry);
        }
    }

    fn remove(&mut self, key: Key) {
        if let Some(entry) = self.numbers.get_mut(key as usize) {
            *entry = None;
        }
        self.names.remove(&key);
    }
}

impl<'s> Parser<'s> {
    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("values are parsed inside a body")
    }

    /// Takes a value within an expression, where the syntax of the op allows that: its number among the values that the
    /// expressions name. `None` where no value may stand. See [`OpParser::expressions`].
    pub fn value_in_expression(&mut self) -> Option<ParseResult<usize>> {
        if self.token != Token::Value || self.in_expressions.is_none() {
            return None;
        }
        Some(self.operand_name().map(|name| {
            let named = self.in_expressions.get_or_insert_default();
            let same = |other: &OperandName| (other.key, other.result) == (name.key, name.result);
            named.iter().position(same).unwrap_or_else(|| {
                named.push(name);
                named.len() - 1
            })
        }))
    }

    /// Takes a value as it is written. [`resolve`](Self::resolve) gives the value, once its type is known.
    #[inline]
    pub fn operand_name(&mut self) -> ParseResult<OperandName> {
        if self.token != Token::Value {
            return self.expected_value();
        }
        let text = &self.text()[1..];
        let bytes = text.as_bytes();
        let (start, end) = (self.start as u32, self.end as u32);
        let operand = |key, result| OperandName { key, result, start, end };
        // Plain numbers are by far the most: they are read in one go.
        let mut number = 0u32;
        let digits = bytes.iter().take_while(|b| b.is_ascii_digit());
        let digits = digits.map(|b| number = number.wrapping_mul(10).wrapping_add((b - b'0') as u32)).count();
        let operand = if digits == bytes.len() && digits < 10 && (bytes[0] != b'0' || digits == 1) {
            operand(number, 0)
        } else {
            let (name, result) = match text.split_once('#') {
                None => (text, 0),
                Some((name, result)) => (name, self.small_number(result)?),
            };
            operand(self.key(name)?, result)
        };
        self.advance();
        Ok(operand)
    }

    /// Whether a value comes next that is an operand, and not, on the next line, the result of the next op.
    pub(crate) fn at_operand(&self) -> bool {
        self.token == Token::Value && !(self.source[self.last_end..self.start].contains('\n') && self.names_results())
    }

    /// Whether the values from the next token on are those before the `=` of an op.
    fn names_results(&self) -> bool {
        let mut lexer = self.lexer.clone();
        let mut next = || lexer.next().and_then(Result::ok);
        loop {
            let mut token = next();
            if token == Some(Token::Colon) {
                if next() != Some(Token::Integer) {
                    return false;
                }
                token = next();
            }
            match token {
                Some(Token::Equal) => return true,
                Some(Token::Comma) if next() == Some(Token::Value) => {}
                _ => return false,
            }
        }
    }

    #[inline]
    fn key(&mut self, name: &str) -> ParseResult<Key> {
        if name.as_bytes()[0].is_ascii_digit() {
            // `%007` and `%7` are two names to MLIR; leading zeros keep the word.
            if name.len() == 1 || name.as_bytes()[0] != b'0' {
                return self.small_number(name);
            }
        }
        Ok(NAMED | self.ctx.intern_str(name).0)
    }

    #[inline]
    fn small_number(&self, digits: &str) -> ParseResult<u32> {
        let mut number: u32 = 0;
        for digit in digits.bytes() {
            number = number.saturating_mul(10).saturating_add((digit - b'0') as u32);
        }
        if number >= NAMED {
            return Err(self.fail(self.error(&TOO_LARGE, "the number of a value must be below 2147483648")));
        }
        Ok(number)
    }

    fn spelling(&self, name: OperandName) -> &'s str {
        &self.source[name.start as usize..name.end as usize]
    }

    fn error_of(&self, name: OperandName, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        self.error_at(code, name.start as usize, message).spanning((name.end - name.start) as usize)
    }

    /// The value of a name when it is defined already, whatever its type.
    pub fn known_value(&self, name: OperandName) -> Option<ValueId> {
        let scope = self.scopes.last()?;
        let entry = scope.get(name.key)?;
        if entry.count == 0 {
            return scope.forward.get(&(name.key, name.result)).map(|(value, _)| *value);
        }
        if name.result >= entry.count {
            return None;
        }
        Some(nth(&scope.body, entry.first, name.result))
    }

    /// The value of a name, which must be (or, when it is defined later, must become) of a type.
    #[inline]
    pub fn resolve(&mut self, name: OperandName, ty: Type) -> ParseResult<ValueId> {
        let scope = self.scopes.last_mut().expect("values are parsed inside a body");
        match scope.get(name.key) {
            Some(entry) if name.result < entry.count => {
                let value = nth(&scope.body, entry.first, name.result);
                if scope.body.value_type(value) != ty {
                    return Err(self.wrong_type(name, value, ty));
                }
                Ok(value)
            }
            Some(entry) if entry.count > 0 => {
                let message = format!("'{}' has {} results, counted from 0", self.spelling(name), entry.count);
                Err(self.fail(self.error_of(name, &UNDEFINED_VALUE, message)))
            }
            known => {
                if let Some(&(value, _)) = scope.forward.get(&(name.key, name.result)) {
                    if scope.body.value_type(value) != ty {
                        return Err(self.wrong_type(name, value, ty));
                    }
                    return Ok(value);
                }
                let value = scope.body.create_placeholder(ty);
                if known.is_none() {
                    scope.set(name.key, Entry { first: value, count: 0 });
                }
                let loc = Loc::source(self.base + name.start);
                scope.forward.insert((name.key, name.result), (value, loc));
                scope.waiting.entry(name.key).or_default().push(name.result);
                Ok(value)
            }
        }
    }

    /// The value of a name that must be defined before: custom forms take operand types from the definitions.
    pub fn resolve_known(&mut self, name: OperandName) -> ParseResult<ValueId> {
        let ty = match self.known_value(name) {
            Some(value) => self.current_body().value_type(value),
            None if self.scopes.last().is_some_and(|s| s.get(name.key).is_some_and(|e| e.count > 0)) => Type::NONE,
            None => {
                let message = format!("'{}' is not defined before this use", self.spelling(name));
                let near = self.near_value(name);
                let hint = near.unwrap_or_else(|| {
                    "define it before, or write the op in generic form, which says the types of its operands".into()
                });
                return Err(self.fail(self.error_of(name, &UNDEFINED_VALUE, message).suggest(hint)));
            }
        };
        self.resolve(name, ty)
    }

    fn wrong_type(&self, name: OperandName, value: ValueId, wanted: Type) -> ParseFailed {
        let has = self.current_body().value_type(value);
        let print = |ty| super::printer::type_to_string(self.ctx, ty);
        let message = format!("'{}' is used as {}, but its type is {}", self.spelling(name), print(wanted), print(has));
        let mut error = self.error_of(name, &TYPE_MISMATCH, message);
        if let Some(loc) = self.value_loc(value) {
            error = error.note(loc, format!("'{}' is defined here", self.spelling(name)));
        }
        self.fail(error)
    }

    fn value_loc(&self, value: ValueId) -> Option<Loc> {
        let body = self.current_body();
        match body.value_def(value) {
            ValueDef::Result(op, _) => Some(body.loc(op)),
            ValueDef::Arg(block, index) => Some(body.arg_loc(block, index)).filter(|&loc| loc != Loc::UNKNOWN),
            ValueDef::Placeholder => None,
        }
    }

    /// Lets a name stand for values, which are what any use before meant.
    pub(super) fn define(&mut self, name: OperandName, first: ValueId, count: u32) -> ParseResult<()> {
        let spelling = self.spelling(name);
        let scope = self.scopes.last_mut().expect("values are parsed inside a body");
        let old = scope.get(name.key);
        scope.set(name.key, Entry { first, count });
        scope.defined.push(name.key);
        if name.key & NAMED != 0 {
            scope.body.set_value_name(first, Str(name.key & !NAMED));
        }
        match old {
            None => Ok(()),
            Some(entry) if entry.count > 0 => {
                let message = format!("'{spelling}' is defined already");
                let mut error = self.error_of(name, &REDEFINED, message);
                if let Some(loc) = self.value_loc(entry.first) {
                    error = error.note(loc, "the first definition is here");
                }
                Err(self.fail(error))
            }
            Some(_) => self.bind_forward(name, first, count),
        }
    }

    #[cold]
    fn bind_forward(&mut self, name: OperandName, first: ValueId, count: u32) -> ParseResult<()> {
        let scope = self.scope();
        let mut waiting = scope.waiting.remove(&name.key).unwrap_or_default();
        waiting.sort_unstable();
        for result in waiting {
            let scope = self.scope();
            let Some((placeholder, loc)) = scope.forward.remove(&(name.key, result)) else { continue };
            if result >= count {
                let message = format!("'{}' has {count} results, counted from 0", self.spelling(name));
                return Err(self.fail(Diagnostic::error(&UNDEFINED_VALUE, loc, message)));
            }
            let value = nth(&scope.body, first, result);
            let (wanted, has) = (scope.body.value_type(placeholder), scope.body.value_type(value));
            if wanted != has {
                let print = |ty| super::printer::type_to_string(self.ctx, ty);
                let message =
                    format!("'{}' is used as {}, but its type is {}", self.spelling(name), print(wanted), print(has));
                let error = Diagnostic::error(&TYPE_MISMATCH, loc, message);
                return Err(self.fail(error.note(self.loc_at(name.start as usize), "it is defined here")));
            }
            scope.body.replace_all_uses(placeholder, value);
            scope.body.erase_placeholder(placeholder);
        }
        Ok(())
    }

    // Regions and blocks.

    pub(super) fn open_region(&mut self) {
        let scope = self.scope();
        let first_defined = scope.defined.len();
        scope.regions.push(RegionScope { labels: FxHashMap::default(), first_defined });
    }

    /// Ends a region: its names are forgotten, and every block that was named must be there.
    pub(super) fn close_region(&mut self) -> ParseResult<()> {
        let scope = self.scope();
        let region = scope.regions.pop().expect("opened before");
        for at in region.first_defined..scope.defined.len() {
            let key = scope.defined[at];
            scope.remove(key);
        }
        scope.defined.truncate(region.first_defined);
        self.check_labels(region)
    }

    fn check_labels(&self, region: RegionScope) -> ParseResult<()> {
        let missing = region.labels.iter().filter_map(|(label, (_, used))| used.map(|loc| (*label, loc)));
        let Some((label, loc)) = missing.min_by_key(|(_, loc)| loc.source_offset()) else { return Ok(()) };
        let name = self.ctx.str(label);
        let known = region.labels.iter().filter(|(_, (_, used))| used.is_none()).map(|(label, _)| self.ctx.str(*label));
        let near = did_you_mean(name, known).map(|s| s.replace('\'', "'^").replacen("'^?", "'?", 1));
        Err(self.fail(
            Diagnostic::error(&UNDEFINED_BLOCK, loc, format!("the region has no block '^{name}'")).suggest_if(near),
        ))
    }

    /// Takes a block label that is used, and gives the block, which may be defined later in the region.
    pub fn successor(&mut self) -> ParseResult<BlockId> {
        if self.token != Token::Block {
            return self.expected("a block label");
        }
        let label = self.ctx.intern_str(&self.text()[1..]);
        let loc = self.loc();
        self.advance();
        let scope = self.scope();
        let Scope { regions, body, .. } = scope;
        let region = regions.last_mut().expect("a successor is named inside a region");
        Ok(region.labels.entry(label).or_insert_with(|| (body.create_block(), Some(loc))).0)
    }

    /// Takes a block label that is defined, and puts the block at the end of the region.
    pub(super) fn define_block(&mut self, region: RegionId) -> ParseResult<BlockId> {
        let text = self.text();
        let label = self.ctx.intern_str(&text[1..]);
        let error = self.error(&REDEFINED, format!("the region has a block '{text}' already"));
        self.advance();
        let Scope { regions, body, .. } = self.scope();
        let labels = &mut regions.last_mut().expect("a block is defined inside a region").labels;
        let entry = labels.entry(label).or_insert_with(|| (body.create_block(), Some(Loc::UNKNOWN)));
        if entry.1.take().is_none() {
            return Err(self.fail(error));
        }
        let block = entry.0;
        if !crate::text::is_numbered_label(&text[1..]) {
            body.set_label(block, label);
        }
        body.insert_block(block, region, None);
        Ok(block)
    }

    /// Ends an isolated body: every value that was used must have been defined.
    pub(super) fn finish_scope(&mut self) -> ParseResult<()> {
        let scope = self.scope();
        if let Some(region) = scope.regions.pop() {
            self.check_labels(region)?;
        }
        let scope = self.scope();
        let first = scope
            .forward
            .iter()
            .map(|(&(key, _), &(_, loc))| (key, loc))
            .min_by_key(|&(key, loc)| (loc.source_offset(), key));
        let Some((key, loc)) = first else { return Ok(()) };
        let name = if key & NAMED == 0 { key.to_string() } else { self.ctx.str(Str(key & !NAMED)).to_string() };
        let near = self.near_name(&name);
        let error = Diagnostic::error(&UNDEFINED_VALUE, loc, format!("nothing defines '%{name}'"));
        Err(self.fail(error.suggest_if(near)))
    }

    fn near_value(&self, name: OperandName) -> Option<String> {
        let spelling = self.spelling(name).trim_start_matches('%');
        self.near_name(spelling.split('#').next().unwrap_or(spelling))
    }

    fn near_name(&self, name: &str) -> Option<String> {
        let scope = self.scopes.last()?;
        let known = scope.defined.iter().filter(|&&key| key & NAMED != 0).map(|&key| self.ctx.str(Str(key & !NAMED)));
        did_you_mean(name, known).map(|hint| hint.replacen('\'', "'%", 1))
    }
}

/// The value `offset` places after another of the same op or block.
fn nth(body: &Body, first: ValueId, offset: u32) -> ValueId {
    if offset == 0 {
        return first;
    }
    match body.value_def(first) {
        ValueDef::Result(op, index) => body.result(op, index + offset as usize),
        ValueDef::Arg(block, index) => body.args(block)[index + offset as usize],
        ValueDef::Placeholder => unreachable!("a defined name stands for defined values"),
    }
}
