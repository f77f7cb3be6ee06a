//! Writing types, attributes and locations, spelled as MLIR spells them.

use super::Printer;
use super::floats::decimal;
use crate::attrs::{Attr, AttrData, Container, DenseData, NamedAttr, Resource};
use crate::context::Str;
use crate::location::{Loc, LocData};
use crate::types::{Signedness, Type, TypeData};

/// Dense constants with more elements than this are written as hexadecimal bytes, as MLIR does.
const HEX_ABOVE: u64 = 100;

impl Printer<'_> {
    /// Writes a type: in custom form the short spelling if its declaration has one.
    pub fn ty(&mut self, ty: Type) {
        match ty {
            Type::I64 => return self.write("i64"),
            Type::F32 => return self.write("f32"),
            _ => {}
        }
        if let Some(text) = self.type_cache.get(&ty) {
            self.out.push_str(text);
            return;
        }
        let start = self.out.len();
        self.ty_uncached(ty);
        let text: Box<str> = self.out[start..].into();
        self.type_cache.insert(ty, text);
    }

    fn ty_uncached(&mut self, ty: Type) {
        let ctx = self.ctx;
        match ctx.type_data(ty) {
            TypeData::None => self.write("none"),
            TypeData::Index => self.write("index"),
            TypeData::Integer { width, sign } => {
                self.write(match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                });
                self.number((*width).into());
            }
            TypeData::Float(kind) => self.write(kind.name()),
            TypeData::Function { inputs, results } => self.function_type(inputs, results),
            TypeData::Tuple(types) => {
                self.write("tuple<");
                self.list(types.iter(), |p, &ty| p.ty(ty));
                self.write(">");
            }
            TypeData::Dialect { def, params } => {
                let def = ctx.type_def(*def);
                if let (false, false, [first, rest @ ..]) = (self.options.generic, def.infix.is_empty(), &params[..]) {
                    self.attr(*first);
                    self.write(" ");
                    self.write(def.infix);
                    match def.print {
                        Some(print) => {
                            self.write(" ");
                            print(self, rest);
                        }
                        None => self.params(rest),
                    }
                    return;
                }
                if !self.options.generic && !def.short.is_empty() {
                    self.write(def.short);
                    if let Some(print) = def.print {
                        self.write("<");
                        print(self, params);
                        self.write(">");
                        return;
                    }
                } else {
                    self.write("!");
                    self.write(def.name);
                }
                self.params(params);
            }
            TypeData::Opaque { text, .. } => self.write(ctx.str(*text)),
        }
    }

    fn params(&mut self, params: &[Attr]) {
        if !params.is_empty() {
            self.write("<");
            self.list(params.iter(), |p, &param| p.attr(param));
            self.write(">");
        }
    }

    /// Writes `(a, b) -> c`.
    pub fn function_type(&mut self, inputs: &[Type], results: &[Type]) {
        self.write("(");
        self.list(inputs.iter(), |p, &ty| p.ty(ty));
        self.write(") -> ");
        match results {
            [one] if !matches!(self.ctx.type_data(*one), TypeData::Function { .. }) => self.ty(*one),
            _ => {
                self.write("(");
                self.list(results.iter(), |p, &ty| p.ty(ty));
                self.write(")");
            }
        }
    }

    /// Writes an attribute, with its type where it has one.
    pub fn attr(&mut self, attr: Attr) {
        let ctx = self.ctx;
        match ctx.attr_data(attr) {
            AttrData::Unit => self.write("unit"),
            AttrData::Integer { ty, value } => {
                self.integer(*value, *ty);
                if *ty != Type::I1 && *ty != Type::I64 {
                    self.write(" : ");
                    self.ty(*ty);
                }
            }
            AttrData::Float { ty, bits } => {
                let start = self.out.len();
                self.float(*bits, *ty);
                // Bits would read as an integer.
                if *ty != Type::F64 || self.out[start..].starts_with("0x") {
                    self.write(" : ");
                    self.ty(*ty);
                }
            }
            AttrData::String(text) => self.string(ctx.str(*text)),
            AttrData::Array(items) => {
                self.write("[");
                self.list(items.iter(), |p, &item| p.attr(item));
                self.write("]");
            }
            AttrData::Dict(entries) => self.dict(entries),
            AttrData::Type(ty) => self.ty(*ty),
            AttrData::Symbol(path) => {
                for (index, &name) in path.iter().enumerate() {
                    if index > 0 {
                        self.write("::");
                    }
                    self.symbol_name(name);
                }
            }
            AttrData::AffineMap(map) => self.write(&map.to_string()),
            AttrData::IntegerSet(set) => self.write(&set.to_string()),
            AttrData::DenseArray { elem, items } => {
                self.write("array<");
                self.ty(*elem);
                for (index, item) in items.iter().enumerate() {
                    self.write(if index == 0 { ": " } else { ", " });
                    match ctx.attr_data(*item) {
                        AttrData::Integer { ty, value } => self.integer(*value, *ty),
                        AttrData::Float { ty, bits } => self.float(*bits, *ty),
                        _ => self.attr(*item),
                    }
                }
                self.write(">");
            }
            AttrData::Dense(dense) => self.dense(attr, dense),
            AttrData::Resource { ty, place, .. } => {
                self.resource(*place, attr);
                self.write(" : ");
                self.ty(*ty);
            }
            AttrData::Loc(loc) => self.loc(*loc),
            AttrData::Dialect { def, params } => {
                self.write("#");
                self.write(ctx.attr_def(*def).name);
                self.params(params);
            }
            AttrData::Opaque { text, ty, .. } => {
                self.write(ctx.str(*text));
                if let Some(ty) = ty {
                    self.write(" : ");
                    self.ty(*ty);
                }
            }
        }
    }

    /// Writes `{a = 1, b}`; nothing is left out.
    pub fn dict(&mut self, entries: &[NamedAttr]) {
        self.write("{");
        self.list(entries.iter(), |p, &(key, attr)| p.entry(key, attr));
        self.write("}");
    }

    /// Writes an entry of a dictionary.
    pub(super) fn entry(&mut self, key: Str, attr: Attr) {
        self.word_or_string(key);
        if attr != Attr::UNIT {
            self.write(" = ");
            self.attr(attr);
        }
    }

    /// Writes `@name`, in quotes where the name is no word.
    pub fn symbol_name(&mut self, name: Str) {
        self.write("@");
        self.word_or_string(name);
    }

    /// Writes a string in quotes, escaped as MLIR does: bytes that are no printable ASCII in hexadecimal.
    pub fn string(&mut self, text: &str) {
        self.out.push('"');
        for byte in text.bytes() {
            match byte {
                b'\\' => self.out.push_str("\\\\"),
                b'"' | 0..=0x1f | 0x7f.. => {
                    let digit = |d: u8| char::from_digit(d.into(), 16).expect("below 16").to_ascii_uppercase();
                    self.out.push('\\');
                    self.out.push(digit(byte >> 4));
                    self.out.push(digit(byte & 15));
                }
                _ => self.out.push(byte as char),
            }
        }
        self.out.push('"');
    }

    /// Writes the value of an integer: `true` and `false` for `i1`.
    pub fn integer(&mut self, value: i128, ty: Type) {
        if ty == Type::I1 {
            return self.write(if value == 0 { "false" } else { "true" });
        }
        if value < 0 {
            self.write("-");
        }
        match u64::try_from(value.unsigned_abs()) {
            Ok(magnitude) => self.number(magnitude),
            Err(_) => self.write(&value.unsigned_abs().to_string()),
        }
    }

    /// Writes the value of a float as MLIR does: six digits if they are enough, else as many as are needed, else (and
    /// for infinities and NaN) the bits.
    pub fn float(&mut self, bits: u64, ty: Type) {
        let Some(kind) = ty.float_kind(self.ctx) else { return };
        match decimal(bits, kind) {
            Some(text) => self.write(&text),
            None => {
                self.write(&format!("0x{bits:X}"));
            }
        }
    }

    fn dense(&mut self, attr: Attr, dense: &DenseData<'_>) {
        let ctx = self.ctx;
        let elements = dense.len().unwrap_or(u64::MAX);
        match dense.resource {
            Some(place) => self.resource(place, attr),
            None => {
                self.write("dense<");
                let each = dense.elem_bytes(ctx);
                if dense.payload.is_empty() {
                } else if dense.is_splat(ctx) {
                    self.dense_element(dense, 0, each);
                } else if self.options.elide_elements.is_some_and(|most| elements > most) {
                    self.write("...");
                } else if elements > HEX_ABOVE {
                    self.write("\"");
                    match dense.elem {
                        // Eight to a byte, the first in the lowest bit.
                        Type::I1 => {
                            let pack = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit & 1);
                            self.hex(&dense.payload.chunks(8).map(pack).collect::<Vec<u8>>());
                        }
                        _ => self.hex(&dense.payload),
                    }
                    self.write("\"");
                } else {
                    let mut next = 0;
                    self.dense_list(dense, 0, each, &mut next);
                }
                self.write(">");
            }
        }
        self.write(match dense.container {
            Container::Tensor => " : tensor<",
            Container::Vector => " : vector<",
        });
        for &size in dense.shape {
            self.number(size);
            self.write("x");
        }
        self.ty(dense.elem);
        self.write(">");
    }

    fn resource(&mut self, place: Resource, attr: Attr) {
        self.write("dense_resource<");
        self.word_or_string(place.name);
        self.write(">");
        self.resources.insert(place.name, attr);
    }

    fn word_or_string(&mut self, text: Str) {
        let text = self.ctx.str(text);
        if is_word(text) { self.write(text) } else { self.string(text) }
    }

    fn dense_list(&mut self, dense: &DenseData<'_>, depth: usize, each: usize, next: &mut usize) {
        let Some(&size) = dense.shape.get(depth) else {
            self.dense_element(dense, *next, each);
            *next += 1;
            return;
        };
        self.write("[");
        self.list(0..size, |p, _| p.dense_list(dense, depth + 1, each, next));
        self.write("]");
    }

    fn dense_element(&mut self, dense: &DenseData<'_>, index: usize, each: usize) {
        let mut bytes = [0u8; 8];
        bytes[..each].copy_from_slice(&dense.payload[index * each..(index + 1) * each]);
        let bits = u64::from_le_bytes(bytes);
        if dense.elem.float_kind(self.ctx).is_some() {
            return self.float(bits, dense.elem);
        }
        let value = crate::attrs::wrap_integer(bits.into(), self.ctx.type_data(dense.elem));
        self.integer(value, dense.elem);
    }

    fn hex(&mut self, bytes: &[u8]) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        self.out.push_str("0x");
        for &byte in bytes {
            self.out.push(DIGITS[byte as usize >> 4] as char);
            self.out.push(DIGITS[byte as usize & 15] as char);
        }
    }

    /// Writes the payloads that were referred to, at the end of a file.
    pub(super) fn print_resources(&mut self) {
        if self.resources.is_empty() {
            return;
        }
        let ctx = self.ctx;
        self.write("\n{-#\n  dialect_resources: {\n    builtin: {\n");
        let resources = std::mem::take(&mut self.resources);
        for (index, (name, attr)) in resources.iter().enumerate() {
            let (payload, align) = match ctx.attr_data(*attr) {
                AttrData::Dense(dense) => (&dense.payload, dense.resource.map_or(1, |place| place.align)),
                AttrData::Resource { payload, place, .. } => (payload, place.align),
                _ => continue,
            };
            if index > 0 {
                self.write(",\n");
            }
            self.write("      ");
            self.word_or_string(*name);
            self.write(": \"");
            self.hex(&align.to_le_bytes());
            for piece in payload.chunks(1 << 14) {
                let start = self.out.len();
                self.hex(piece);
                self.out.replace_range(start..start + 2, "");
                self.flush_if_long();
            }
            self.write("\"");
        }
        self.write("\n    }\n  }\n#-}\n");
    }

    // Locations.

    /// Writes `loc(..)`.
    pub fn loc(&mut self, loc: Loc) {
        self.write("loc(");
        self.loc_inner(loc);
        self.write(")");
    }

    fn loc_inner(&mut self, loc: Loc) {
        let ctx = self.ctx;
        if let Some(offset) = loc.source_offset() {
            let Some((file, at)) = ctx.sources.find(offset) else { return self.write("unknown") };
            let (line, column) = file.line_column(at);
            self.string(&file.name);
            self.write(":");
            self.number(line.into());
            self.write(":");
            self.number(column.into());
            return;
        }
        match ctx.loc_data(loc) {
            None => self.write("unknown"),
            Some(LocData::File { file, start, end }) => {
                self.string(ctx.str(*file));
                self.write(":");
                self.number(start.0.into());
                self.write(":");
                self.number(start.1.into());
                if start != end {
                    self.write(" to ");
                    if end.0 != start.0 {
                        self.number(end.0.into());
                    }
                    self.write(":");
                    self.number(end.1.into());
                }
            }
            Some(LocData::Name { name, child }) => {
                self.string(ctx.str(*name));
                if *child != Loc::UNKNOWN {
                    self.write("(");
                    self.loc_inner(*child);
                    self.write(")");
                }
            }
            Some(LocData::Fused { locs, meta }) => {
                self.write("fused");
                if let Some(meta) = meta {
                    self.write("<");
                    self.attr(*meta);
                    self.write(">");
                }
                self.write("[");
                self.list(locs.iter(), |p, &loc| p.loc_inner(loc));
                self.write("]");
            }
            Some(LocData::CallSite { callee, caller }) => {
                self.write("callsite(");
                self.loc_inner(*callee);
                self.write(" at ");
                self.loc_inner(*caller);
                self.write(")");
            }
        }
    }
}

/// Whether a name can stand without quotes.
pub(super) fn is_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}
