//! Reading dense constants, and the payloads that stand at the end of a file.

use std::sync::Arc;

use super::types::builtin_scalar;
use super::*;
use crate::attrs::{AttrData, Container, DenseData, Resource};
use crate::types::TypeData;

/// A payload from the resources of the file.
#[derive(Clone)]
pub(super) struct Blob {
    align: u32,
    bytes: Arc<[u8]>,
}

/// A container with static sizes, whose elements dlc computes with.
struct StaticShape {
    container: Container,
    shape: Vec<u64>,
    elem: Type,
}

/// The most bytes that a splat or literal may describe when it is written out.
const MAX_ELEMENTS: u64 = 1 << 40;
/// The most sizes of such a tensor: a literal is nested as deep.
const MAX_RANK: usize = 64;

impl<'s> Parser<'s> {
    /// `dense<literal> : tensor<2x3xi64>`
    pub(super) fn parse_dense(&mut self) -> ParseResult<Attr> {
        let start = self.start;
        self.advance();
        self.expect(Token::Less)?;
        let literal_start = self.last_end;
        let literal = self.raw_body(Raw::Plain)?;
        let literal_end = self.last_end;
        let Some(shape) = self.static_shape()? else {
            if !self.options.allow_unregistered {
                let message = "a dense constant is a tensor or vector of integers or floats with static sizes";
                let error = self.error_at(&BAD_LITERAL, start, message).spanning(literal_end - start);
                return Err(self.fail(error.suggest("for example dense<[1, 2]> : tensor<2xi64>")));
            }
            return self.opaque_attr(Str::BUILTIN, start, literal_end);
        };
        let after = self.start;
        self.jump_to(literal_start);
        let payload = self.dense_payload(literal, &shape)?;
        if self.token != Token::Greater {
            return self.expected("'>'");
        }
        self.jump_to(after);
        let data =
            DenseData { shape: &shape.shape, elem: shape.elem, payload, container: shape.container, resource: None };
        Ok(self.ctx.attr(AttrData::Dense(data)))
    }

    /// `dense_resource<key> : tensor<2xi64>`, with the payload at the end of the file.
    pub(super) fn parse_dense_resource(&mut self) -> ParseResult<Attr> {
        let start = self.start;
        self.advance();
        self.expect(Token::Less)?;
        let key_start = self.start;
        let key = self.resource_key()?;
        let key_len = self.last_end - key_start;
        self.expect(Token::Greater)?;
        let end = self.last_end;
        if self.resources.is_none() {
            let resources = self.find_resources()?;
            self.resources = Some(resources);
        }
        let blob = self.resources.as_ref().and_then(|r| r.get(&*key)).cloned();
        let colon = self.start;
        let shape = self.static_shape()?;
        let name = self.ctx.intern_str(&key);
        let (Some(blob), Some(shape)) = (&blob, shape) else {
            self.jump_to(colon);
            if self.options.allow_unregistered {
                let Some(blob) = blob else { return self.opaque_attr(Str::BUILTIN, start, end) };
                self.expect(Token::Colon)?;
                let ty = self.parse_type()?;
                let place = Resource { name, align: blob.align };
                return Ok(self.ctx.attr(AttrData::Resource { ty, payload: blob.bytes, place }));
            }
            let message = format!("the file has no resource '{}' for a tensor of static sizes", shorten(&key));
            let known: Vec<&str> = self.resources.iter().flat_map(|r| r.keys().map(String::as_str)).collect();
            let error = self.error_at(&BAD_LITERAL, key_start, message).spanning(key_len);
            return Err(self.fail(error.suggest_if(did_you_mean(&key, known))));
        };
        let data = DenseData {
            shape: &shape.shape,
            elem: shape.elem,
            payload: Arc::clone(&blob.bytes),
            container: shape.container,
            resource: Some(Resource { name, align: blob.align }),
        };
        let (elements, each) = (data.len().unwrap_or(u64::MAX), data.elem_bytes(self.ctx) as u64);
        if elements.checked_mul(each) != Some(data.payload.len() as u64) {
            let has = data.payload.len();
            let message = format!("the resource '{key}' has {has} bytes, the type wants {elements} elements of {each}");
            return Err(self.fail(self.error_at(&BAD_LITERAL, key_start, message).spanning(key_len)));
        }
        Ok(self.ctx.attr(AttrData::Dense(data)))
    }

    /// Looks at `: tensor<2x3xi64>` and takes it, when the elements and sizes are such that dlc computes with them;
    /// otherwise stays where it is.
    fn static_shape(&mut self) -> ParseResult<Option<StaticShape>> {
        if self.token != Token::Colon {
            self.expected::<()>("':'")?;
        }
        let colon = self.start;
        self.advance();
        let container = match (self.token, self.text()) {
            (Token::Word, "tensor") => Some(Container::Tensor),
            (Token::Word, "vector") => Some(Container::Vector),
            _ => None,
        };
        let found = match container {
            None => None,
            Some(container) => {
                self.advance();
                self.expect(Token::Less)?;
                let body: String = self.raw_body(Raw::Plain)?.split_whitespace().collect();
                let mut rest = body.as_str();
                let mut shape = Vec::new();
                while let Some((size, after)) =
                    rest.split_once('x').and_then(|(n, a)| Some((n.parse::<u64>().ok()?, a)))
                {
                    shape.push(size);
                    rest = after;
                }
                let elem = builtin_scalar(rest)
                    .filter(|data| !matches!(data, TypeData::None | TypeData::Integer { width: 0 | 65.., .. }));
                let elements = shape.iter().try_fold(1u64, |n, &size| n.checked_mul(size));
                let sane = elements.is_some_and(|n| n <= MAX_ELEMENTS) && shape.len() <= MAX_RANK;
                elem.filter(|_| sane).map(|data| StaticShape { container, shape, elem: self.ctx.ty(data) })
            }
        };
        if found.is_none() {
            self.jump_to(colon);
        }
        Ok(found)
    }

    /// The elements of a literal: nested lists, one number for all, nothing, or a string of hexadecimal bytes.
    fn dense_payload(&mut self, literal: &str, shape: &StaticShape) -> ParseResult<Arc<[u8]>> {
        let elements = shape.shape.iter().product::<u64>();
        let each = shape.elem.bits(self.ctx).unwrap_or(0).div_ceil(8) as usize;
        let start = self.start;
        let wrong =
            |p: &Self, message: String| p.fail(p.error_at(&BAD_LITERAL, start, message).spanning(literal.trim().len()));
        if literal.trim().is_empty() {
            return match elements {
                0 => Ok(Arc::from([])),
                _ => Err(wrong(self, format!("the literal is empty, the type wants {elements} elements"))),
            };
        }
        if self.token == Token::String {
            let text = self.text();
            let Some(bytes) = hex_bytes(&text[1..text.len() - 1]) else {
                return Err(wrong(self, "a string here is hexadecimal bytes: \"0x0012\"".into()));
            };
            self.advance();
            let bytes = if shape.elem == Type::I1 { unpacked(bytes, elements) } else { bytes };
            let wanted = elements.checked_mul(each as u64);
            if wanted != Some(bytes.len() as u64) && bytes.len() != each {
                let has = bytes.len();
                return Err(wrong(self, format!("{has} bytes are no {elements} elements of {each}")));
            }
            return Ok(bytes.into());
        }
        let mut bytes = Vec::new();
        if self.token != Token::LBracket {
            self.dense_element(shape.elem, each, &mut bytes)?;
            return Ok(bytes.into());
        }
        self.dense_list(shape, 0, each, &mut bytes)?;
        Ok(bytes.into())
    }

    fn dense_list(&mut self, shape: &StaticShape, depth: usize, each: usize, bytes: &mut Vec<u8>) -> ParseResult<()> {
        let Some(&size) = shape.shape.get(depth) else {
            return self.dense_element(shape.elem, each, bytes);
        };
        let start = self.start;
        let items =
            self.nested(|p| p.list(Token::LBracket, Token::RBracket, |p| p.dense_list(shape, depth + 1, each, bytes)))?;
        if items.len() as u64 != size {
            let message = format!("{} elements where the type wants {size}", items.len());
            return Err(self.fail(self.error_at(&BAD_LITERAL, start, message).spanning(self.last_end - start)));
        }
        Ok(())
    }

    fn dense_element(&mut self, elem: Type, each: usize, bytes: &mut Vec<u8>) -> ParseResult<()> {
        let bits = match (self.token, self.text()) {
            (Token::Word, "true") if elem == Type::I1 => {
                self.advance();
                1
            }
            (Token::Word, "false") if elem == Type::I1 => {
                self.advance();
                0
            }
            (Token::Integer | Token::Hex | Token::Float | Token::Minus, _) => {
                let attr = self.parse_attr_of(elem)?;
                match self.ctx.attr_data(attr) {
                    AttrData::Integer { value, .. } => *value as u64,
                    AttrData::Float { bits, .. } => *bits,
                    _ => return self.expected("a number"),
                }
            }
            _ => return self.expected("a number"),
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..each]);
        Ok(())
    }

    // The resources at the end of the file: {-# dialect_resources: { builtin: { key: "0x.." } } #-}

    /// Finds the payloads of the file, wherever in it the parser is.
    fn find_resources(&mut self) -> ParseResult<FxHashMap<String, Blob>> {
        let mut blobs = FxHashMap::default();
        let Some(at) = self.source.rfind("{-#") else { return Ok(blobs) };
        let back = self.start;
        self.jump_to(at);
        self.expect(Token::MetaOpen)?;
        self.read_resource_level(0, "", &mut blobs)?;
        self.jump_to(back);
        Ok(blobs)
    }

    /// A key in the resources: a word or a string.
    fn resource_key(&mut self) -> ParseResult<String> {
        match self.token {
            Token::Word => self.word().map(str::to_string),
            _ => self.string(),
        }
    }

    /// Passes over the resources; their payloads were read where they are used.
    pub(super) fn skip_resources(&mut self) -> ParseResult<()> {
        self.expect(Token::MetaOpen)?;
        self.read_resource_level(0, "", &mut FxHashMap::default())?;
        if self.token != Token::MetaClose {
            return self.expected("'#-}'");
        }
        self.advance();
        Ok(())
    }

    /// `key: { .. }` or `key: "0x.."`, with commas, as deep as they go.
    fn read_resource_level(
        &mut self,
        level: u32,
        section: &str,
        blobs: &mut FxHashMap<String, Blob>,
    ) -> ParseResult<()> {
        while matches!(self.token, Token::Word | Token::String) {
            let key = self.resource_key()?;
            self.expect(Token::Colon)?;
            if self.eat(Token::LBrace) {
                let inner = if level < 2 { format!("{section}/{key}") } else { String::new() };
                self.nested(|p| p.read_resource_level(level + 1, &inner, blobs))?;
                self.expect(Token::RBrace)?;
            } else if self.token == Token::String && section == "/dialect_resources/builtin" {
                let text = self.text();
                match hex_bytes(&text[1..text.len() - 1]).filter(|bytes| bytes.len() >= 4) {
                    Some(bytes) => {
                        let align = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                        blobs.insert(key, Blob { align, bytes: bytes[4..].into() });
                    }
                    None => {
                        let message =
                            "a resource is hexadecimal bytes, the alignment in the first four: \"0x04000000..\"";
                        return Err(self.fail(self.error(&BAD_LITERAL, message)));
                    }
                }
                self.advance();
            } else if matches!(self.token, Token::String | Token::Integer | Token::Word) {
                self.advance();
            } else {
                return self.expected("a resource");
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        Ok(())
    }
}

/// The elements of an `i1` constant, which MLIR writes as eight to a byte, the first in the lowest bit; a single byte of
/// zeros or ones stands for all. What does not fit the number of elements is left as it is.
fn unpacked(bytes: Vec<u8>, elements: u64) -> Vec<u8> {
    match bytes[..] {
        [all @ (0 | 0xff)] => vec![all & 1],
        _ if bytes.len() as u64 == elements.div_ceil(8) => {
            (0..elements as usize).map(|i| bytes[i / 8] >> (i % 8) & 1).collect()
        }
        _ => bytes,
    }
}

/// The bytes of `0x0012`.
fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?.as_bytes();
    let digit = |b: u8| (b as char).to_digit(16);
    let pair = |p: &[u8]| Some((digit(p[0])? * 16 + digit(*p.get(1)?)?) as u8);
    digits.chunks(2).map(pair).collect()
}
