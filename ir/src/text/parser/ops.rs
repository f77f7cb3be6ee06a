//! Reading ops, blocks and regions, in generic and in custom form.

use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use super::hints::LastOp;
use super::values::OperandName;
use super::*;
use crate::attrs::NamedAttr;
use crate::body::{InsertPoint, OpParts};
use crate::entity::{BlockId, OpId, RegionId, ValueId};
use crate::op::{OpDef, Traits};
use crate::types::TypeData;

/// An op that is being read: what its syntax has given so far.
pub struct OpState {
    /// Its name.
    pub name: OpName,
    /// Where it stands.
    pub loc: Loc,
    /// Its operands.
    pub operands: SmallVec<[ValueId; 4]>,
    /// The types of its results; left empty, they are inferred where the declaration can.
    pub results: SmallVec<[Type; 2]>,
    /// Its inherent attributes, in any order.
    pub props: SmallVec<[NamedAttr; 4]>,
    /// Its discardable attributes, in any order.
    pub attrs: SmallVec<[NamedAttr; 2]>,
    /// Its regions, in the body that is being read (that of the op itself if it is isolated).
    pub regions: SmallVec<[RegionId; 2]>,
    /// Its successors.
    pub successors: SmallVec<[BlockId; 2]>,
    /// The body of its own that an isolated op gets as soon as the first region is read.
    nested: Option<Box<Body>>,
}

/// Reads the custom form of an op; what hooks with hand-written syntax get. It is a [`Parser`] besides.
pub struct OpParser<'a, 's> {
    parser: &'a mut Parser<'s>,
    /// What has been read so far.
    pub state: OpState,
    /// The number of results that the line names.
    pub named_results: usize,
}

impl<'s> Deref for OpParser<'_, 's> {
    type Target = Parser<'s>;
    fn deref(&self) -> &Parser<'s> {
        self.parser
    }
}

impl<'s> DerefMut for OpParser<'_, 's> {
    fn deref_mut(&mut self) -> &mut Parser<'s> {
        self.parser
    }
}

/// The names before the `=` of an op: each stands for some results.
type ResultNames = SmallVec<[(OperandName, u32); 2]>;

/// The inherent attribute with the modifiers of an op, which in custom form are part of its name: `ld.global.f32`.
const MODIFIERS: &str = "modifiers";

/// Where modifiers stand in the source.
#[derive(Clone, Copy)]
struct Modifiers {
    start: usize,
    end: usize,
}

impl<'s> Parser<'s> {
    /// Reads one op and puts it at the end of a block.
    pub(super) fn parse_op_into(&mut self, block: BlockId) -> ParseResult<OpId> {
        let names = self.parse_result_names()?;
        let named: usize = names.iter().map(|(_, count)| *count as usize).sum();
        let loc = self.loc();
        let name_start = self.start;
        let op = match self.token {
            Token::String => {
                let state = self.parse_generic_op(loc)?;
                self.finish_op(state, block)?
            }
            Token::Word => self.parse_custom_op(loc, named, block)?,
            _ if names.is_empty() => return self.expected("an operation"),
            _ => return self.expected("the name of an operation"),
        };
        let results = self.body().num_results(op);
        if !names.is_empty() && named != results {
            let message = format!("the operation has {results} results, but {named} are named");
            return Err(self.fail(self.error_at(&SYNTAX, name_start, message)));
        }
        let mut index = 0;
        for (name, count) in names {
            let first = self.body().result(op, index);
            self.define(name, first, count)?;
            index += count as usize;
        }
        Ok(op)
    }

    /// `%a, %b:2 =`
    #[inline]
    fn parse_result_names(&mut self) -> ParseResult<ResultNames> {
        let mut names = ResultNames::new();
        if self.token != Token::Value {
            return Ok(names);
        }
        loop {
            if self.text().contains('#') {
                return self.expected("the name of a result, without '#'");
            }
            let name = self.operand_name()?;
            let mut count = 1;
            if self.eat(Token::Colon) {
                let number = if self.token == Token::Integer { self.text().parse().ok() } else { None };
                let Some(number) = number.filter(|n| (1..=u16::MAX as u32).contains(n)) else {
                    return self.expected("a number of results from 1 to 65535");
                };
                count = number;
                self.advance();
            }
            names.push((name, count));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Equal)?;
        Ok(names)
    }

    fn op_name(&mut self, spelling: &'s str, name: &str) -> ParseResult<OpName> {
        if let Some(&known) = self.op_names.get(spelling) {
            return Ok(known);
        }
        if name.is_empty() {
            return self.expected("the name of an operation");
        }
        let id = self.ctx.op_name(name);
        if !self.ctx.is_registered(id) && !self.options.allow_unregistered {
            return Err(self.unknown_op(name, name));
        }
        self.op_names.insert(spelling, id);
        Ok(id)
    }

    // The generic form.

    fn parse_generic_op(&mut self, loc: Loc) -> ParseResult<OpState> {
        let spelling = self.text();
        let quoted = &spelling[1..spelling.len() - 1];
        let name = match quoted.contains('\\') {
            true => {
                let unescaped = self.unescape(quoted)?;
                self.op_name(spelling, &unescaped)?
            }
            false => self.op_name(spelling, quoted)?,
        };
        self.advance();
        let mut state = OpState::new(name, loc);
        let mut operands: SmallVec<[OperandName; 4]> = SmallVec::new();
        self.expect(Token::LParen)?;
        if !self.eat(Token::RParen) {
            loop {
                operands.push(self.operand_name()?);
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            if self.token != Token::RParen {
                return self.expected("',' or ')'");
            }
            self.advance();
        }
        if self.token == Token::LBracket {
            state.successors = self.list(Token::LBracket, Token::RBracket, Self::successor)?.into();
        }
        if self.token == Token::Less {
            self.advance();
            state.props = self.parse_entries(Token::LBrace, Token::RBrace)?;
            self.expect(Token::Greater)?;
        }
        if self.token == Token::LParen {
            let mut op = OpParser { parser: self, state, named_results: 0 };
            op.advance();
            loop {
                op.region(&[])?;
                if !op.eat(Token::Comma) {
                    break;
                }
            }
            op.expect(Token::RParen)?;
            state = op.state;
        }
        if self.token == Token::LBrace {
            let entries = self.parse_entries(Token::LBrace, Token::RBrace)?;
            self.split_attrs(&mut state, entries);
        }
        self.expect(Token::Colon)?;
        self.expect(Token::LParen)?;
        let mut index = 0;
        if !self.eat(Token::RParen) {
            loop {
                let ty = self.parse_type()?;
                if let Some(&name) = operands.get(index) {
                    let value = self.resolve(name, ty)?;
                    state.operands.push(value);
                }
                index += 1;
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            if self.token != Token::RParen {
                return self.expected("',' or ')'");
            }
            self.advance();
        }
        if index != operands.len() {
            let message = format!("{} operands, but {index} operand types", operands.len());
            return Err(self.fail(self.error_at(&SYNTAX, self.last_end - 1, message)));
        }
        self.expect(Token::Arrow)?;
        state.results = self.parse_result_types()?;
        Ok(state)
    }

    /// Sorts attributes in braces into inherent ones, which the declaration names, and discardable ones. Both forms of
    /// MLIR's generic syntax are read: before `<{..}>` existed all attributes stood in the braces.
    fn split_attrs(&self, state: &mut OpState, entries: SmallVec<[NamedAttr; 4]>) {
        let def = self.ctx.op_def(state.name);
        for (key, attr) in entries {
            let inherent = def.declares_attr(self.ctx.str(key)) && state.props.iter().all(|(k, _)| *k != key);
            if inherent { state.props.push((key, attr)) } else { state.attrs.push((key, attr)) }
        }
    }

    // The custom form.

    fn parse_custom_op(&mut self, loc: Loc, named_results: usize, block: BlockId) -> ParseResult<OpId> {
        let (name, modifiers) = match self.with_modifiers() {
            Some(found) => found,
            None => (self.custom_name(self.text())?, None),
        };
        let def = self.ctx.op_def(name);
        if def.parse.is_none() && def.format.is_empty() {
            let message = format!("'{}' has no custom form", def.name);
            let hint = "write it in generic form: \"name\"(operands) : (types) -> types";
            return Err(self.fail(self.error(&SYNTAX, message).suggest(hint)));
        }
        match modifiers {
            Some(modifiers) => self.jump_to(modifiers.end),
            None => self.advance(),
        }
        let mut op = OpParser { parser: self, state: OpState::new(name, loc), named_results };
        if let Some(modifiers) = modifiers {
            let modifiers = op.ctx.str_attr(&op.source[modifiers.start..modifiers.end]);
            op.set_prop(MODIFIERS, modifiers);
        }
        match def.parse {
            Some(parse) => parse(&mut op)?,
            None => format::parse_op(&mut op, def)?,
        }
        let state = op.state;
        self.last_op = Some(LastOp { def, end: self.last_end });
        self.finish_op(state, block)
    }

    /// The op whose name is followed by modifiers, `ld.global.v4.f32`, and where these stand. The name is the longest
    /// that is registered, for an op that declares modifiers. `None` in dialects that have no such ops.
    fn with_modifiers(&mut self) -> Option<(OpName, Option<Modifiers>)> {
        let dialect = self.default_dialects.last().copied().unwrap_or("builtin");
        if !std::ptr::eq(self.modified_dialect.0, dialect) {
            let declared = |dialect: &crate::op::Dialect| dialect.ops.iter().any(|op| op.declares_attr(MODIFIERS));
            self.modified_dialect = (dialect, self.ctx.dialect(dialect).is_some_and(declared));
        }
        if !self.modified_dialect.1 {
            return None;
        }
        let rest = &self.source.as_bytes()[self.start..];
        let mut len = 0;
        loop {
            match rest.get(len..) {
                Some([b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.', ..]) => len += 1,
                Some([b':', b':', ..]) => len += 2,
                _ => break,
            }
        }
        let word = &self.source[self.start..self.start + len];
        let mut end = len;
        loop {
            let name = &word[..end];
            let known = self.ctx.registered_op(&format!("{dialect}.{name}")).or_else(|| self.ctx.registered_op(name));
            if let Some(known) = known.filter(|&known| self.ctx.op_def(known).declares_attr(MODIFIERS)) {
                let modifiers = (end < len).then_some(Modifiers { start: self.start + end + 1, end: self.start + len });
                return Some((known, modifiers));
            }
            end = name.rfind('.')?;
        }
    }

    fn custom_name(&mut self, word: &'s str) -> ParseResult<OpName> {
        if word.contains('.') {
            let name = self.op_name(word, word)?;
            if !self.ctx.is_registered(name) {
                let message = format!("'{}' is not registered, so it has no custom form", shorten(word));
                let hint = format!("write it in generic form: \"{}\"(..) : (..) -> ..", shorten(word));
                return Err(self.fail(self.error(&UNKNOWN_OP, message).suggest(hint)));
            }
            return Ok(name);
        }
        let dialect = self.default_dialects.last().copied().unwrap_or("builtin");
        if let Some(&known) = self.short_names.get(&(dialect, word)) {
            return Ok(known);
        }
        let full = format!("{dialect}.{word}");
        let id = self.ctx.registered_op(&full).or_else(|| self.ctx.registered_op(&format!("builtin.{word}")));
        let Some(id) = id else { return Err(self.unknown_op(word, &full)) };
        self.short_names.insert((dialect, word), id);
        Ok(id)
    }

    /// Makes the op of what was read, and puts it at the end of a block.
    fn finish_op(&mut self, mut state: OpState, block: BlockId) -> ParseResult<OpId> {
        let loc = self.trailing_loc(state.loc)?;
        let ctx = self.ctx;
        let props = if state.props.is_empty() { Attr::EMPTY_DICT } else { ctx.dict_attr(&state.props) };
        let attrs = if state.attrs.is_empty() { Attr::EMPTY_DICT } else { ctx.dict_attr(&state.attrs) };
        if state.results.len() > u16::MAX as usize {
            return Err(self.fail(Diagnostic::error(&TOO_LARGE, loc, "an operation has at most 65535 results")));
        }
        let isolated = ctx.op_def(state.name).traits.has(Traits::ISOLATED_FROM_ABOVE);
        if isolated {
            let mut nested = state.nested.take().unwrap_or_else(|| Box::new(Body::new(state.name, loc, 0)));
            let root = nested.root();
            nested.set_props(root, props);
            nested.set_attrs(root, attrs);
            nested.set_loc(root, loc);
            state.nested = Some(nested);
            state.regions.clear();
        }
        let body = self.body();
        let op = body.create_op(OpParts {
            name: state.name,
            loc,
            operands: &state.operands,
            results: &state.results,
            props: if isolated { Attr::EMPTY_DICT } else { props },
            attrs: if isolated { Attr::EMPTY_DICT } else { attrs },
            regions: &state.regions,
            successors: &state.successors,
            nested: state.nested,
        });
        body.insert(op, InsertPoint::EndOf(block));
        Ok(op)
    }

    /// The blocks of a region, after its `{` and up to its `}`.
    fn parse_blocks(&mut self, region: RegionId, args: &[(OperandName, Type, Loc)]) -> ParseResult<()> {
        if self.token == Token::RBrace && args.is_empty() {
            return Ok(());
        }
        if self.token != Token::Block || !args.is_empty() {
            let block = self.body().append_block(region);
            for &(name, ty, loc) in args {
                let value = self.body().add_arg(block, ty, loc);
                self.define(name, value, 1)?;
            }
            self.parse_block_ops(block)?;
        }
        while self.token == Token::Block {
            let block = self.define_block(region)?;
            if self.token == Token::LParen {
                let args = self.list(Token::LParen, Token::RParen, Self::parse_argument)?;
                for (name, ty, loc) in args {
                    let value = self.body().add_arg(block, ty, loc);
                    self.define(name, value, 1)?;
                }
            }
            self.expect(Token::Colon)?;
            self.parse_block_ops(block)?;
        }
        Ok(())
    }

    fn parse_block_ops(&mut self, block: BlockId) -> ParseResult<()> {
        while !matches!(self.token, Token::RBrace | Token::Block | Token::End) {
            self.parse_op_into(block)?;
        }
        Ok(())
    }

    /// `%x: type`, with a location after it if there is one.
    pub fn parse_argument(&mut self) -> ParseResult<(OperandName, Type, Loc)> {
        let name = self.operand_name()?;
        self.expect(Token::Colon)?;
        let ty = self.parse_type()?;
        let loc = self.trailing_loc(Loc::UNKNOWN)?;
        Ok((name, ty, loc))
    }
}

impl OpState {
    fn new(name: OpName, loc: Loc) -> OpState {
        OpState {
            name,
            loc,
            operands: SmallVec::new(),
            results: SmallVec::new(),
            props: SmallVec::new(),
            attrs: SmallVec::new(),
            regions: SmallVec::new(),
            successors: SmallVec::new(),
            nested: None,
        }
    }
}

impl OpParser<'_, '_> {
    /// The declaration of the op.
    pub fn def(&self) -> &'static OpDef {
        self.ctx.op_def(self.state.name)
    }

    /// Takes a value that is defined, as the next operand.
    pub fn operand(&mut self) -> ParseResult<ValueId> {
        let name = self.operand_name()?;
        let value = self.resolve_known(name)?;
        self.state.operands.push(value);
        Ok(value)
    }

    /// Takes a value of a known type, which may be defined later, as the next operand.
    pub fn operand_of(&mut self, ty: Type) -> ParseResult<ValueId> {
        let name = self.operand_name()?;
        let value = self.resolve(name, ty)?;
        self.state.operands.push(value);
        Ok(value)
    }

    /// Reads expressions in which values may stand. Those become the next operands of the op, in the order in which they
    /// are named first; in the expressions the first of them is `_0`, the second `_1`.
    pub fn expressions<T>(&mut self, read: impl FnOnce(&mut Parser<'_>) -> ParseResult<T>) -> ParseResult<T> {
        let outer = self.in_expressions.replace(Vec::new());
        let expressions = read(self.parser);
        let named = std::mem::replace(&mut self.in_expressions, outer).unwrap_or_default();
        let expressions = expressions?;
        for name in named {
            let value = self.resolve_known(name)?;
            self.state.operands.push(value);
        }
        Ok(expressions)
    }

    /// Sets an inherent attribute.
    pub fn set_prop(&mut self, key: &str, attr: Attr) {
        let key = self.ctx.intern_str(key);
        self.state.props.push((key, attr));
    }

    /// Takes `{..}` if it stands here: discardable attributes, and inherent ones that the syntax has not given.
    pub fn attr_dict(&mut self) -> ParseResult<()> {
        if self.token() != Token::LBrace {
            return Ok(());
        }
        let entries = self.parse_entries(Token::LBrace, Token::RBrace)?;
        let Self { parser, state, .. } = self;
        parser.split_attrs(state, entries);
        Ok(())
    }

    /// Takes a region, `{` to `}`, as the next region. `args` are the arguments of its first block where the syntax of
    /// the op gave them before.
    pub fn region(&mut self, args: &[(OperandName, Type, Loc)]) -> ParseResult<()> {
        let def = self.def();
        let isolated = def.traits.has(Traits::ISOLATED_FROM_ABOVE);
        let dialect = match def.name {
            "" => "builtin",
            _ => def.dialect(),
        };
        let open = self.start;
        let Self { parser, state, .. } = self;
        parser.expect(Token::LBrace)?;
        parser.default_dialects.push(dialect);
        parser.last_op = None;
        let region = if isolated {
            let nested = state.nested.take().unwrap_or_else(|| Box::new(Body::new(state.name, state.loc, 0)));
            parser.scopes.push(Scope::new(*nested));
            let body = parser.body();
            body.add_region(body.root())
        } else {
            parser.body().create_region()
        };
        parser.nested(|p| {
            p.open_region();
            p.parse_blocks(region, args)?;
            p.close_region()
        })?;
        if def.traits.has(Traits::SINGLE_BLOCK.with(Traits::NO_TERMINATOR)) {
            // `{ }` is the block without ops.
            let body = parser.body();
            if body.first_block(region).is_none() {
                body.append_block(region);
            }
        }
        if isolated {
            parser.finish_scope()?;
            let mut body = parser.scopes.pop().expect("pushed above").body;
            // A module has many functions, most of them small: what growing left over is a third of them.
            body.shrink_to_fit();
            state.nested = Some(Box::new(body));
        }
        parser.default_dialects.pop();
        state.regions.push(region);
        if parser.token == Token::End {
            let open = parser.loc_at(open);
            let error = parser.error(&SYNTAX, "expected '}', found the end of the text");
            return Err(parser.fail(error.note(open, "the region starts here")));
        }
        parser.expect(Token::RBrace)
    }

    /// A region without blocks as the next region: what a declaration has in place of a body.
    pub fn empty_region(&mut self) {
        let isolated = self.def().traits.has(Traits::ISOLATED_FROM_ABOVE);
        let Self { parser, state, .. } = self;
        let region = if isolated {
            let name = state.name;
            let nested = state.nested.get_or_insert_with(|| Box::new(Body::new(name, state.loc, 0)));
            let root = nested.root();
            nested.add_region(root)
        } else {
            parser.body().create_region()
        };
        state.regions.push(region);
    }

    /// Whether the last region that was read has no blocks.
    pub fn region_is_empty(&mut self) -> bool {
        let Self { parser, state, .. } = self;
        let body: &Body = match &state.nested {
            Some(nested) => nested,
            None => parser.body(),
        };
        state.regions.last().is_none_or(|&region| body.first_block(region).is_none())
    }

    /// The types of the results, inferred from what has been read. Reports an error where that is not possible.
    pub fn infer_results(&mut self) -> ParseResult<()> {
        let def = self.def();
        let Some(infer) = def.infer else {
            return self.expected("':' and the types of the results, which cannot be inferred");
        };
        let cx = crate::op::InferCx {
            ctx: self.parser.ctx,
            body: self.parser.current_body(),
            operands: &self.state.operands,
            props: &self.state.props,
        };
        if cx.operands.iter().any(|&v| cx.body.value_def(v) == crate::body::ValueDef::Placeholder) {
            return self.expected("':' and the types of the results: an operand is defined later");
        }
        match infer(&cx) {
            Ok(types) => {
                self.state.results = types;
                Ok(())
            }
            Err(broken) => {
                let error = broken.diagnostic(&TYPE_MISMATCH, self.state.loc).at(def.name);
                Err(self.fail(error))
            }
        }
    }

    /// `: a, b` as the types of the results; inferred where they are left out and the declaration can.
    pub fn result_types(&mut self) -> ParseResult<()> {
        if !self.eat(Token::Colon) {
            return self.infer_results();
        }
        loop {
            let ty = self.parse_type()?;
            self.state.results.push(ty);
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// Whether a type is that of a function, taken apart.
    pub fn function_parts(&self, ty: Type) -> Option<(&[Type], &[Type])> {
        match self.ctx.type_data(ty) {
            TypeData::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }
}
