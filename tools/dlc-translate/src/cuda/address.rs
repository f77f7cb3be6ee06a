//! Memory in C++: elements at addresses, and the types that they have there.

use dlc_ptx::inst::Arg;

use super::entry::Writer;
use super::expr::{ATOM, Ex, PLUS, UNARY, convert, infix, number};
use super::kinds::{Kind, element};
use super::runs::OFFSET;

impl Writer<'_> {
    /// An element of shared memory.
    pub fn shared(&mut self, ty: &str, base: Arg, offset: Arg, kind: Kind) -> Ex {
        self.uses("shared");
        let at = self.shared_address(base, offset);
        let word = loaded_of(ty, kind);
        Ex::new(format!("shared<{ty}>({})", at.text), ATOM, word)
    }

    /// An address in shared memory.
    pub fn shared_address(&mut self, base: Arg, offset: Arg) -> Ex {
        let base = self.arg(base, Kind::Unsigned);
        offset_by(&base, if let Arg::Int(offset) = offset { offset } else { 0 })
    }

    /// What lies in memory at an address, as a type.
    pub fn element_at(&mut self, ty: &str, base: Arg, offset: Arg, read_only: bool) -> String {
        let offset = if let Arg::Int(offset) = offset { offset } else { 0 };
        let base = self.plain(base, Kind::Long);
        let constant = if read_only { "const " } else { "" };
        if let Kind::Pointer(elem, _) = base.kind {
            let size = elem.size() as i64;
            if offset % size == 0 {
                let by = offset / size;
                if element(elem) == ty {
                    return match (&base.place, by) {
                        (Some((array, place)), by @ 0..) => format!("{array}[{place}{OFFSET}{by}]"),
                        (Some((array, place)), by) => format!("{array}[{place} - {}]", -by),
                        (None, by) => format!("{}[{by}]", base.at(UNARY + 1)),
                    };
                }
                let sum = if by == 0 { base } else { pointer_sum(&base, &number(Arg::Int(by), Kind::Int), base.kind) };
                return format!("*({constant}{ty}*){}", sum.at(UNARY));
            }
            return format!("*({constant}{ty}*)(({constant}char*){} + {offset})", base.at(UNARY));
        }
        let base = convert(base, Kind::Long);
        match offset {
            0 => format!("*({constant}{ty}*){}", base.at(UNARY)),
            offset => format!("*({constant}{ty}*)({} + {offset})", base.at(PLUS)),
        }
    }

    /// The address itself, for a function that takes one.
    pub fn pointer(&mut self, base: Arg, offset: Arg) -> Ex {
        let offset = if let Arg::Int(offset) = offset { offset } else { 0 };
        let base = self.plain(base, Kind::Long);
        match base.kind {
            Kind::Pointer(elem, _) if offset % elem.size() as i64 == 0 => {
                Ex { kind: base.kind, ..offset_by(&base, offset / elem.size() as i64) }
            }
            Kind::Pointer(..) => Ex::new(format!("(const char*){} + {offset}", base.at(UNARY)), PLUS, base.kind),
            Kind::Map => base,
            _ => Ex::new(format!("(void*)({} + {offset})", base.at(PLUS)), UNARY, Kind::Long),
        }
    }
}

/// An address and a number that is added to it, as an operand of a function.
fn offset_by(base: &Ex, offset: i64) -> Ex {
    match offset {
        ..0 => infix(base, "-", &number(Arg::Int(-offset), Kind::Int), PLUS, base.kind),
        offset => Ex::new(format!("{}{OFFSET}{offset}", base.at(PLUS)), PLUS, base.kind),
    }
}

/// An address that a number of elements is added to.
pub fn pointer_sum(base: &Ex, by: &Ex, kind: Kind) -> Ex {
    let place = match &base.place {
        Some((array, place)) => (array.clone(), format!("{place} + {}", by.at(PLUS))),
        None => (base.at(ATOM), by.text.clone()),
    };
    let text = format!("{} + {}", base.at(PLUS), by.at(PLUS));
    Ex { place: Some(place), ..Ex::new(text, PLUS, kind) }
}

/// The type that something has in memory.
pub fn memory_type(word: &str, kind: Kind) -> String {
    match (word, kind) {
        ("b16", Kind::Half | Kind::Bfloat) => kind.text(),
        ("b8" | "u8", _) => "uint8_t".into(),
        ("s8", _) => "int8_t".into(),
        ("s16", _) => "int16_t".into(),
        ("b16" | "u16", _) => "uint16_t".into(),
        ("f32", _) | ("b32", Kind::Float) => "float".into(),
        ("s32", _) => "int".into(),
        ("b32" | "u32", _) => "uint32_t".into(),
        ("f64", _) | ("b64", Kind::Double) => "double".into(),
        ("s64", _) => "int64_t".into(),
        _ => "uint64_t".into(),
    }
}

/// The kind that memory of a type has when it is read.
pub fn loaded(word: &str, kind: Kind) -> Kind {
    match (word, kind) {
        ("b16", Kind::Half | Kind::Bfloat) => kind,
        ("b8" | "u8" | "s8" | "b16" | "u16" | "s16", _) => Kind::Short,
        ("f32", _) | ("b32", Kind::Float) => Kind::Float,
        ("s32", _) => Kind::Int,
        ("b32" | "u32", _) => Kind::Unsigned,
        ("f64", _) | ("b64", Kind::Double) => Kind::Double,
        _ => Kind::Long,
    }
}

fn loaded_of(ty: &str, kind: Kind) -> Kind {
    match ty {
        "float" => Kind::Float,
        "int" => Kind::Int,
        "uint32_t" => Kind::Unsigned,
        "double" => Kind::Double,
        "uint64_t" | "int64_t" => Kind::Long,
        "__half" | "__nv_bfloat16" => kind,
        _ => Kind::Short,
    }
}
