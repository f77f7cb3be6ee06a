//! The context: everything that bodies share. It is `Sync` and only grows, so bodies are worked on in parallel.

use std::any::{Any, TypeId};
use std::sync::{Arc, PoisonError, RwLock};

use bumpalo::Bump;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::attrs::{Attr, AttrData, AttrName, DenseData, NamedAttr, wrap_integer};
use crate::intern::Interner;
use crate::location::{Loc, LocData, SourceMap};
use crate::op::{AttrDef, Dialect, OpDef, TypeDef};
use crate::types::{FloatKind, Signedness, Type, TypeData, TypeName};

/// An interned string: names, keys, text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Str(pub(crate) u32);

macro_rules! well_known {
    ($($(#[$doc:meta])+ $name:ident = $id:literal $text:literal;)*) => {
        impl Str {
            $($(#[$doc])+ pub const $name: Str = Str($id);)*
            const WELL_KNOWN: &'static [&'static str] = &[$($text),*];
        }
    };
}

well_known! {
    /// The empty string; as the name of a value or block: unnamed.
    EMPTY = 0 "";
    /// The name of a symbol.
    SYM_NAME = 1 "sym_name";
    /// The visibility of a symbol: `private` ones are erased when unused.
    SYM_VISIBILITY = 2 "sym_visibility";
    /// The type of a function.
    FUNCTION_TYPE = 3 "function_type";
    /// The constant of a constant-like op.
    VALUE = 4 "value";
    /// The symbol that a call calls.
    CALLEE = 5 "callee";
    /// How many operands each group has, for ops with several groups of any number.
    OPERAND_SEGMENTS = 6 "operandSegmentSizes";
    /// How many results each group has.
    RESULT_SEGMENTS = 7 "resultSegmentSizes";
    /// The symbols of sizes that a function takes: `["M", "K"]`.
    SYMBOLS = 8 "symbols";
    /// The name of the symbol that an op accompanies.
    OF = 9 "of";
    /// The dialect of what MLIR has built in.
    BUILTIN = 10 "builtin";
}

/// The name of an op, registered or not; [`Context::op_def`] gives its declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OpName(pub(crate) u32);

/// What is known of an op name.
struct OpEntry {
    name: &'static str,
    /// The declaration; that of [`UNKNOWN_OP`] for a name that no dialect registers.
    def: &'static OpDef,
}

impl std::hash::Hash for OpEntry {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Stands in for the declaration of every op that no dialect registers.
static UNKNOWN_OP: OpDef = OpDef::bare("");

/// Everything that bodies share: interned data, the registered dialects, the sources.
pub struct Context {
    strings: Interner<&'static str>,
    types: Interner<TypeData<'static>>,
    attrs: Interner<AttrData<'static>>,
    locs: Interner<LocData<'static>>,
    ops: Interner<OpEntry>,
    /// The declarations of the registered ops, which come first among all.
    op_defs: Vec<&'static OpDef>,
    dialects: Vec<&'static Dialect>,
    type_defs: Vec<&'static TypeDef>,
    attr_defs: Vec<&'static AttrDef>,
    op_names: FxHashMap<&'static str, OpName>,
    type_names: FxHashMap<&'static str, TypeName>,
    attr_names: FxHashMap<&'static str, AttrName>,
    short_types: FxHashMap<&'static str, TypeName>,
    infix_types: FxHashMap<&'static str, TypeName>,
    derived: RwLock<FxHashMap<(TypeId, Attr), Arc<dyn Any + Send + Sync>>>,
    /// The texts that were read.
    pub sources: SourceMap,
}

impl Context {
    /// A context that knows the given dialects, and `builtin`. The order does not matter; of two dialects with one name
    /// the first is kept.
    pub fn new(dialects: impl IntoIterator<Item = &'static Dialect>) -> Context {
        let mut known: Vec<&'static Dialect> = vec![&crate::builtin::DIALECT];
        for dialect in dialects {
            if known.iter().all(|k| k.name != dialect.name) {
                known.push(dialect);
            }
        }
        known.sort_by_key(|dialect| dialect.name);
        let mut ctx = Context {
            strings: Interner::new(),
            types: Interner::new(),
            attrs: Interner::new(),
            locs: Interner::new(),
            ops: Interner::new(),
            op_defs: Vec::new(),
            dialects: known,
            type_defs: Vec::new(),
            attr_defs: Vec::new(),
            op_names: FxHashMap::default(),
            type_names: FxHashMap::default(),
            attr_names: FxHashMap::default(),
            short_types: FxHashMap::default(),
            infix_types: FxHashMap::default(),
            derived: RwLock::default(),
            sources: SourceMap::default(),
        };
        ctx.intern_well_known();
        for dialect in &ctx.dialects {
            for def in dialect.ops {
                let make = |_: &'static Bump| OpEntry { name: def.name, def };
                let id = ctx.ops.intern(&def.name, |entry| entry.name == def.name, make);
                if ctx.op_defs.len() == id as usize {
                    ctx.op_defs.push(def);
                }
                ctx.op_names.insert(def.name, OpName(id));
            }
            for def in dialect.types {
                let name = TypeName(ctx.type_defs.len() as u32);
                ctx.type_defs.push(def);
                ctx.type_names.insert(def.name, name);
                if !def.short.is_empty() {
                    ctx.short_types.insert(def.short, name);
                }
                if !def.infix.is_empty() {
                    ctx.infix_types.insert(def.infix, name);
                }
            }
            for def in dialect.attrs {
                ctx.attr_names.insert(def.name, AttrName(ctx.attr_defs.len() as u32));
                ctx.attr_defs.push(def);
            }
        }
        ctx
    }

    /// A context that knows every dialect linked into the program.
    pub fn with_linked_dialects() -> Context {
        Context::new(inventory::iter::<&'static Dialect>().copied())
    }

    fn intern_well_known(&self) {
        for (id, text) in Str::WELL_KNOWN.iter().enumerate() {
            assert_eq!(self.intern_str(text).0 as usize, id, "well-known strings come first");
        }
        for (id, data) in Type::WELL_KNOWN.iter().enumerate() {
            assert_eq!(self.ty(data.clone()).0 as usize, id, "well-known types come first");
        }
        for (id, data) in Attr::WELL_KNOWN.iter().enumerate() {
            assert_eq!(self.attr(data.clone()).0 as usize, id, "well-known attributes come first");
        }
    }

    /// The dialects, by name.
    pub fn dialects(&self) -> &[&'static Dialect] {
        &self.dialects
    }

    /// The dialect of a name.
    pub fn dialect(&self, name: &str) -> Option<&'static Dialect> {
        self.dialects.iter().find(|dialect| dialect.name == name).copied()
    }

    // Strings.

    /// The interned form of a text.
    pub fn intern_str(&self, text: &str) -> Str {
        Str(self.strings.intern(&text, |s| *s == text, |bump| bump.alloc_str(text)))
    }

    /// The text of an interned string.
    #[inline]
    pub fn str(&self, id: Str) -> &str {
        self.strings.get(id.0)
    }

    // Types.

    /// The type that `data` describes.
    pub fn ty(&self, data: TypeData<'_>) -> Type {
        let id = self.types.intern(
            &data,
            |stored| *stored == data,
            |bump| match &data {
                TypeData::Function { inputs, results } => TypeData::Function {
                    inputs: bump.alloc_slice_copy(inputs),
                    results: bump.alloc_slice_copy(results),
                },
                TypeData::Tuple(types) => TypeData::Tuple(bump.alloc_slice_copy(types)),
                TypeData::Dialect { def, params } => {
                    TypeData::Dialect { def: *def, params: bump.alloc_slice_copy(params) }
                }
                TypeData::None => TypeData::None,
                TypeData::Index => TypeData::Index,
                TypeData::Integer { width, sign } => TypeData::Integer { width: *width, sign: *sign },
                TypeData::Float(kind) => TypeData::Float(*kind),
                TypeData::Opaque { dialect, text } => TypeData::Opaque { dialect: *dialect, text: *text },
            },
        );
        Type(id)
    }

    /// What a type is.
    #[inline]
    pub fn type_data(&self, ty: Type) -> &TypeData<'_> {
        self.types.get(ty.0)
    }

    /// A signless integer type.
    pub fn int_type(&self, width: u32) -> Type {
        self.ty(TypeData::Integer { width, sign: Signedness::Signless })
    }

    /// A float type.
    pub fn float_type(&self, kind: FloatKind) -> Type {
        self.ty(TypeData::Float(kind))
    }

    /// A function type.
    pub fn function_type(&self, inputs: &[Type], results: &[Type]) -> Type {
        self.ty(TypeData::Function { inputs, results })
    }

    /// A type of a registered dialect, by its full name. `None` when no dialect declares it.
    pub fn dialect_type(&self, name: &str, params: &[Attr]) -> Option<Type> {
        let def = *self.type_names.get(name)?;
        Some(self.ty(TypeData::Dialect { def, params }))
    }

    /// The declaration of a registered type.
    pub fn type_def(&self, name: TypeName) -> &'static TypeDef {
        self.type_defs[name.0 as usize]
    }

    /// The registered type of a full name: `core.tensor`.
    pub fn type_name(&self, name: &str) -> Option<TypeName> {
        self.type_names.get(name).copied()
    }

    /// The registered type of a short word: `tensor`.
    pub fn short_type(&self, word: &str) -> Option<TypeName> {
        self.short_types.get(word).copied()
    }

    /// The registered type with a word in the middle: `over`.
    pub fn infix_type(&self, word: &str) -> Option<TypeName> {
        self.infix_types.get(word).copied()
    }

    // Attributes.

    /// The attribute that `data` describes.
    pub fn attr(&self, data: AttrData<'_>) -> Attr {
        let id = self.attrs.intern(&data, |stored| *stored == data, |bump| copy_attr(&data, bump));
        Attr(id)
    }

    /// What an attribute is.
    #[inline]
    pub fn attr_data(&self, attr: Attr) -> &AttrData<'_> {
        self.attrs.get(attr.0)
    }

    /// What an attribute says, read once and kept: for what takes long to read and is asked for again and again, such as
    /// expressions, which are text. `read` must give the same whenever it is asked. There is one answer for each type.
    pub fn derived<T: Any + Send + Sync>(&self, attr: Attr, read: impl FnOnce() -> T) -> Arc<T> {
        let key = (TypeId::of::<T>(), attr);
        let known = self.derived.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let known = known.and_then(|known| known.downcast().ok());
        known.unwrap_or_else(|| {
            let made = Arc::new(read());
            let kept = Arc::clone(&made) as Arc<dyn Any + Send + Sync>;
            // Who asks at the same time may have made it as well: both are the same.
            self.derived.write().unwrap_or_else(PoisonError::into_inner).insert(key, kept);
            made
        })
    }

    /// An integer attribute; the value is taken modulo two to the power of the width.
    pub fn int_attr(&self, value: i128, ty: Type) -> Attr {
        self.attr(AttrData::Integer { ty, value: wrap_integer(value, self.type_data(ty)) })
    }

    /// A 64-bit integer attribute, written without its type.
    pub fn i64_attr(&self, value: i64) -> Attr {
        self.attr(AttrData::Integer { ty: Type::I64, value: value.into() })
    }

    /// `true` or `false`.
    pub fn bool_attr(&self, value: bool) -> Attr {
        if value { Attr::TRUE } else { Attr::FALSE }
    }

    /// A string attribute.
    pub fn str_attr(&self, text: &str) -> Attr {
        self.attr(AttrData::String(self.intern_str(text)))
    }

    /// A type as an attribute.
    pub fn type_attr(&self, ty: Type) -> Attr {
        self.attr(AttrData::Type(ty))
    }

    /// A reference to a symbol of the nearest symbol table.
    pub fn symbol_attr(&self, name: &str) -> Attr {
        self.attr(AttrData::Symbol(&[self.intern_str(name)]))
    }

    /// An array attribute.
    pub fn array_attr(&self, items: &[Attr]) -> Attr {
        self.attr(AttrData::Array(items))
    }

    /// A dictionary attribute. Of two entries with one key the later is kept.
    pub fn dict_attr(&self, entries: &[NamedAttr]) -> Attr {
        let mut sorted: SmallVec<[NamedAttr; 8]> = entries.into();
        if !sorted.is_sorted_by(|(a, _), (b, _)| self.str(*a) < self.str(*b)) {
            // Stable, so entries with one key stay in order.
            sorted.sort_by(|(a, _), (b, _)| self.str(*a).cmp(self.str(*b)));
            sorted.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 = later.1;
                }
                same
            });
        }
        self.attr(AttrData::Dict(&sorted))
    }

    /// The attribute of a key in a dictionary.
    #[inline]
    pub fn dict_get(&self, dict: Attr, key: Str) -> Option<Attr> {
        match self.attr_data(dict) {
            AttrData::Dict(entries) => entries.iter().find(|(k, _)| *k == key).map(|(_, attr)| *attr),
            _ => None,
        }
    }

    /// The dictionary with the attribute of a key set, or taken out.
    #[must_use]
    pub fn dict_with(&self, dict: Attr, key: Str, attr: Option<Attr>) -> Attr {
        let mut entries: SmallVec<[NamedAttr; 8]> = dict.as_dict(self).unwrap_or(&[]).iter().copied().collect();
        entries.retain(|(k, _)| *k != key);
        entries.extend(attr.map(|attr| (key, attr)));
        self.dict_attr(&entries)
    }

    /// `array<i32: ...>`
    pub fn i32_array(&self, items: &[i32]) -> Attr {
        let items: SmallVec<[Attr; 8]> = items.iter().map(|&i| self.int_attr(i.into(), Type::I32)).collect();
        self.attr(AttrData::DenseArray { elem: Type::I32, items: &items })
    }

    /// An attribute of a registered dialect, by its full name. `None` when no dialect declares it.
    pub fn dialect_attr(&self, name: &str, params: &[Attr]) -> Option<Attr> {
        let def = *self.attr_names.get(name)?;
        Some(self.attr(AttrData::Dialect { def, params }))
    }

    /// The declaration of a registered attribute.
    pub fn attr_def(&self, name: AttrName) -> &'static AttrDef {
        self.attr_defs[name.0 as usize]
    }

    /// The registered attribute of a full name.
    pub fn attr_name(&self, name: &str) -> Option<AttrName> {
        self.attr_names.get(name).copied()
    }

    // Locations.

    /// The location that `data` describes.
    pub fn loc(&self, data: LocData<'_>) -> Loc {
        let id = self.locs.intern(
            &data,
            |stored| *stored == data,
            |bump| match &data {
                LocData::File { file, start, end } => LocData::File { file: *file, start: *start, end: *end },
                LocData::Name { name, child } => LocData::Name { name: *name, child: *child },
                LocData::Fused { locs, meta } => LocData::Fused { locs: bump.alloc_slice_copy(locs), meta: *meta },
                LocData::CallSite { callee, caller } => LocData::CallSite { callee: *callee, caller: *caller },
            },
        );
        Loc::interned(id)
    }

    /// What a location is; `None` when it is unknown or a position in a source that was read.
    pub fn loc_data(&self, loc: Loc) -> Option<&LocData<'_>> {
        loc.interned_id().map(|id| self.locs.get(id))
    }

    /// The location of what several ops became: unknown ones and repetitions are dropped.
    pub fn fused_loc(&self, locs: &[Loc]) -> Loc {
        let mut distinct: SmallVec<[Loc; 4]> = SmallVec::new();
        for &loc in locs {
            if loc != Loc::UNKNOWN && !distinct.contains(&loc) {
                distinct.push(loc);
            }
        }
        match distinct[..] {
            [] => Loc::UNKNOWN,
            [one] => one,
            _ => self.loc(LocData::Fused { locs: &distinct, meta: None }),
        }
    }

    // Ops.

    /// The name of an op, made known if it was not.
    pub fn op_name(&self, name: &str) -> OpName {
        let make = |bump: &'static Bump| OpEntry { name: bump.alloc_str(name), def: &UNKNOWN_OP };
        OpName(self.ops.intern(&name, |entry| entry.name == name, make))
    }

    /// The text of an op's name.
    #[inline]
    pub fn op_name_str(&self, name: OpName) -> &str {
        self.ops.get(name.0).name
    }

    /// The declaration of an op; for a name that no dialect registers one that says nothing, see
    /// [`is_registered`](Self::is_registered).
    #[inline]
    pub fn op_def(&self, name: OpName) -> &'static OpDef {
        // It is asked for more than anything else.
        match self.op_defs.get(name.0 as usize) {
            Some(def) => def,
            None => self.ops.get(name.0).def,
        }
    }

    /// Whether a dialect registers the name.
    #[inline]
    pub fn is_registered(&self, name: OpName) -> bool {
        // By its empty name: a shared library has its own copy of the static.
        self.op_def(name).name != UNKNOWN_OP.name
    }

    /// The registered op of a full name.
    pub fn registered_op(&self, name: &str) -> Option<OpName> {
        self.op_names.get(name).copied()
    }

    /// The declaration of the registered op of a full name.
    pub fn lookup_op(&self, name: &str) -> Option<&'static OpDef> {
        self.registered_op(name).map(|name| self.op_def(name))
    }
}

fn copy_attr<'b>(data: &AttrData<'_>, bump: &'b Bump) -> AttrData<'b> {
    match data {
        AttrData::Unit => AttrData::Unit,
        AttrData::Integer { ty, value } => AttrData::Integer { ty: *ty, value: *value },
        AttrData::Float { ty, bits } => AttrData::Float { ty: *ty, bits: *bits },
        AttrData::String(text) => AttrData::String(*text),
        AttrData::Array(items) => AttrData::Array(bump.alloc_slice_copy(items)),
        AttrData::Dict(entries) => AttrData::Dict(bump.alloc_slice_copy(entries)),
        AttrData::Type(ty) => AttrData::Type(*ty),
        AttrData::Symbol(path) => AttrData::Symbol(bump.alloc_slice_copy(path)),
        AttrData::AffineMap(map) => AttrData::AffineMap(map.clone()),
        AttrData::IntegerSet(set) => AttrData::IntegerSet(set.clone()),
        AttrData::DenseArray { elem, items } => {
            AttrData::DenseArray { elem: *elem, items: bump.alloc_slice_copy(items) }
        }
        AttrData::Dense(dense) => AttrData::Dense(DenseData {
            shape: bump.alloc_slice_copy(dense.shape),
            elem: dense.elem,
            payload: dense.payload.clone(),
            container: dense.container,
            resource: dense.resource,
        }),
        AttrData::Resource { ty, payload, place } => {
            AttrData::Resource { ty: *ty, payload: payload.clone(), place: *place }
        }
        AttrData::Loc(loc) => AttrData::Loc(*loc),
        AttrData::Dialect { def, params } => AttrData::Dialect { def: *def, params: bump.alloc_slice_copy(params) },
        AttrData::Opaque { dialect, text, ty } => AttrData::Opaque { dialect: *dialect, text: *text, ty: *ty },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_derived_is_read_once_for_each_type() {
        let ctx = Context::new([]);
        let text = ctx.str_attr("7");
        let number = || ctx.derived(text, || 7_i64);
        assert!(Arc::ptr_eq(&number(), &number()));
        assert_eq!(*ctx.derived(text, || -> i64 { panic!("it is known") }), 7);
        assert_eq!(*ctx.derived(text, || "seven".to_string()), "seven");
        assert_eq!(*ctx.derived(ctx.str_attr("8"), || 8_i64), 8);
    }
}
