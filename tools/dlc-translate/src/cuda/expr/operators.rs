//! Instructions on bits, truth values, parts of words and lanes as expressions of C++.

use super::*;

impl Writer<'_> {
    /// The lesser or the greater of two numbers.
    pub(super) fn extreme(&mut self, inst: &Inst<'_>, word: &str) -> Option<Ex> {
        let (args, modifiers) = (inst.args.clone(), inst.modifiers);
        Some(match inst.instruction.name {
            "min" | "max" if modifiers == "f32" => {
                let (left, right) = (self.arg(args[0], Kind::Float), self.arg(args[1], Kind::Float));
                call(if inst.instruction.name == "min" { "fminf" } else { "fmaxf" }, &[&left, &right], Kind::Float)
            }
            "min" | "max" if word == "s32" || word == "u32" => {
                let (left, right) = (self.signed(args[0], word), self.signed(args[1], word));
                let (left, right) = match (left.kind, right.kind) {
                    (Kind::Int, Kind::Unsigned) => {
                        (Ex::new(format!("unsigned({})", left.text), ATOM, Kind::Unsigned), right)
                    }
                    (Kind::Unsigned, Kind::Int) => {
                        (left, Ex::new(format!("unsigned({})", right.text), ATOM, Kind::Unsigned))
                    }
                    _ => (left, right),
                };
                let common = left.kind;
                call(inst.instruction.name, &[&left, &right], common)
            }
            _ => return None,
        })
    }

    /// Operators on bits and on truth values.
    pub(super) fn logic(&mut self, inst: &Inst<'_>, word: &str, kind: Kind) -> Option<Ex> {
        let args = inst.args.clone();
        Some(match inst.instruction.name {
            "and" | "or" | "xor" if word == "pred" => {
                let (left, right) = (self.arg(args[0], Kind::Bool), self.arg(args[1], Kind::Bool));
                match inst.instruction.name {
                    "and" => infix_same(&left, "&&", &right, BOTH),
                    "or" => infix_same(&left, "||", &right, EITHER),
                    _ => infix(&left, "!=", &right, EQUAL, Kind::Bool),
                }
            }
            "and" | "or" | "xor" if word == "b32" || word == "b64" => {
                let (left, right) = (self.plain(args[0], kind), self.plain(args[1], kind));
                let (sign, level) = match inst.instruction.name {
                    "and" => ("&", 8),
                    "xor" => ("^", 7),
                    _ => ("|", 6),
                };
                let (left, right) = (bits(left), bits(right));
                let common = Self::common(&left, &right);
                infix(&left, sign, &right, level, common)
            }
            "not" if word == "pred" => {
                let of = self.arg(args[0], Kind::Bool);
                Ex::new(format!("!{}", of.at(UNARY)), UNARY, Kind::Bool)
            }
            _ => return None,
        })
    }

    /// Shifts by a number of bits that is known.
    pub(super) fn shift(&mut self, inst: &Inst<'_>, word: &str, kind: Kind) -> Option<Ex> {
        let args = inst.args.clone();
        Some(match inst.instruction.name {
            "shl" | "shr" if matches!(word, "b32" | "u32" | "s32") && matches!(args[1], Arg::Int(0..=31)) => {
                let left = if inst.instruction.name == "shl" {
                    self.plain(args[0], kind)
                } else {
                    self.signed(args[0], if word == "s32" { "s32" } else { "u32" })
                };
                let left = bits(left);
                if let (Kind::Int, "shl", Arg::Int(by)) = (left.kind, inst.instruction.name, args[1])
                    && by < 31
                {
                    return Some(infix(&left, "*", &number(Arg::Int(1 << by), Kind::Int), TIMES, Kind::Int));
                }
                let by = number(args[1], Kind::Int);
                let sign = if inst.instruction.name == "shl" { "<<" } else { ">>" };
                let kind = left.kind;
                infix(&left, sign, &by, SHIFT, kind)
            }
            "shl" | "shr" if matches!(word, "b64" | "u64") && matches!(args[1], Arg::Int(0..=63)) => {
                let left = self.arg(args[0], Kind::Long);
                let by = number(args[1], Kind::Int);
                infix(&left, if inst.instruction.name == "shl" { "<<" } else { ">>" }, &by, SHIFT, Kind::Long)
            }
            _ => return None,
        })
    }

    /// Halves, shorts or words side by side.
    pub(super) fn packed(&mut self, inst: &Inst<'_>) -> Option<Ex> {
        let args = inst.args.clone();
        let modifiers = inst.modifiers;
        Some(match inst.instruction.name {
            "pack" if modifiers == "b32" => {
                let halves = |ex: &Ex| ex.kind == Kind::Half;
                let (low, high) = (self.plain(args[0], Kind::Short), self.plain(args[1], Kind::Short));
                if halves(&low) && halves(&high) {
                    self.uses("pack_halves");
                    return Some(call("pack_halves", &[&low, &high], Kind::Unsigned));
                }
                let (low, high) = (convert(low, Kind::Short), convert(high, Kind::Short));
                self.uses("pack_shorts");
                call("pack_shorts", &[&low, &high], Kind::Unsigned)
            }
            "pack" if modifiers == "b64" => {
                let (low, high) = (self.arg(args[0], Kind::Unsigned), self.arg(args[1], Kind::Unsigned));
                self.uses("pack_words");
                call("pack_words", &[&low, &high], Kind::Long)
            }
            _ => return None,
        })
    }

    /// What the lanes of a warp exchange.
    pub(super) fn across_lanes(&mut self, inst: &Inst<'_>, kind: Kind) -> Option<Ex> {
        let args = inst.args.clone();
        let modifiers = inst.modifiers;
        Some(match inst.instruction.name {
            "shfl.sync" if args[3] == Arg::Int(-1) => {
                let name = match (modifiers, args[2]) {
                    ("idx.b32", Arg::Int(31)) => "__shfl_sync",
                    ("bfly.b32", Arg::Int(31)) => "__shfl_xor_sync",
                    ("down.b32", Arg::Int(31)) => "__shfl_down_sync",
                    ("up.b32", Arg::Int(0)) => "__shfl_up_sync",
                    _ => return None,
                };
                let (of, by) = (self.arg(args[0], kind), self.plain(args[1], Kind::Int));
                Ex::new(format!("{name}(0xffffffffu, {}, {})", of.text, by.text), ATOM, of.kind)
            }
            "vote.sync" if args[1] == Arg::Int(-1) && matches!(modifiers, "any.pred" | "all.pred") => {
                let of = self.arg(args[0], Kind::Bool);
                let name = if modifiers == "any.pred" { "__any_sync" } else { "__all_sync" };
                Ex::new(format!("{name}(0xffffffffu, {}) != 0", of.text), EQUAL, Kind::Bool)
            }
            "redux.sync" if args[1] == Arg::Int(-1) && matches!(modifiers, "add.s32" | "min.s32" | "max.s32") => {
                let of = self.signed(args[0], "s32");
                let name = modifiers.split_once('.')?.0;
                Ex::new(format!("__reduce_{name}_sync(0xffffffffu, {})", of.text), ATOM, Kind::Int)
            }
            _ => return None,
        })
    }
}
