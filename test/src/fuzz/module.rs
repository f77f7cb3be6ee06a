//! Modules that are valid: random ops, registered and not, with regions, branches, types, attributes and locations.

use dlc_ir::attrs::{AttrData, Container, DenseData, NamedAttr, Resource};
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::location::LocData;
use dlc_ir::types::{FloatKind, Signedness};
use dlc_ir::{Attr, BlockId, Body, Context, Loc, OpId, RegionId, Str, Type, TypeData, ValueId};

use dlc_ir::random::Random;

/// Names of values and blocks; few, so that they collide.
const NAMES: &[&str] = &["x", "y", "x_0", "x_0_0", "arg", "0x", "a-b", "$", "_", "bb", "007", "y.z"];
const LABELS: &[&str] = &["loop", "exit", "loop_1", "bb", "bbb", "x-1"];
/// Keys and symbols, some of which need quotes.
const KEYS: &[&str] = &["a", "b", "value", "odd key", "i32", "é", "x.y", "1", "true", "_", "quote\"", "sym"];
const TEXTS: &[&str] =
    &["", "text", "a\"b\\c", "line\nline\ttab\r", "é日本🎉", "\0\u{1}\u{7f}", "%0 // {", "<>", "\\FF"];
const OPS: &[&str] = &["x.a", "x.b", "y.long.name", "nodot", "odd name", "x.\"q\""];

/// A random module that the verifier accepts.
pub fn module(ctx: &Context, rng: &mut Random) -> Body {
    let mut body = Body::module(ctx);
    let block = body.entry_block().expect("a new module has a block");
    let root = body.root();
    if rng.one_in(4) {
        let attrs = Generator { ctx, rng }.dict(2);
        body.set_attrs(root, attrs);
    }
    if rng.one_in(4) {
        let loc = Generator { ctx, rng }.loc(2);
        body.set_loc(root, loc);
    }
    let mut symbols = 0;
    for _ in 0..rng.below(4) {
        if rng.one_in(2) {
            function(ctx, rng, &mut body, block, &mut symbols);
        } else {
            Ops { make: Generator { ctx, rng }, body: &mut body, visible: Vec::new(), depth: 0 }.fill(block, 6);
        }
    }
    body
}

/// A function with a body of its own.
fn function(ctx: &Context, rng: &mut Random, body: &mut Body, block: BlockId, symbols: &mut usize) {
    let loc = Generator { ctx, rng }.loc(2);
    let mut inner = Body::new(ctx.op_name("sample.func"), loc, 1);
    let region = inner.root_region();
    let entry = inner.append_block(region);
    let inputs: Vec<Type> = (0..rng.below(4)).map(|_| Generator { ctx, rng }.ty(2)).collect();
    let mut ops = Ops { make: Generator { ctx, rng }, body: &mut inner, visible: Vec::new(), depth: 1 };
    for &ty in &inputs {
        ops.arg(entry, ty);
    }
    let results = ops.function_body(region, entry);
    *symbols += 1;
    let name = format!("{}{symbols}", rng.one_of(&["f", "odd name ", "g."]));
    let mut props: Vec<NamedAttr> = vec![
        (Str::SYM_NAME, ctx.str_attr(&name)),
        (Str::FUNCTION_TYPE, ctx.type_attr(ctx.function_type(&inputs, &results))),
    ];
    if rng.one_in(3) {
        props.push((Str::SYM_VISIBILITY, ctx.str_attr("private")));
    }
    let root = inner.root();
    inner.set_props(root, ctx.dict_attr(&props));
    if rng.one_in(3) {
        let attrs = Generator { ctx, rng }.discardable();
        inner.set_attrs(root, attrs);
    }
    let op = body.create_op(OpParts { nested: Some(Box::new(inner)), ..OpParts::new(ctx.op_name("sample.func"), loc) });
    body.insert(op, InsertPoint::EndOf(block));
}

/// Makes ops in a body.
struct Ops<'a> {
    make: Generator<'a>,
    body: &'a mut Body,
    /// The values that dominate the place where ops are put.
    visible: Vec<ValueId>,
    depth: usize,
}

impl Ops<'_> {
    fn name(&mut self, value: ValueId) {
        if self.make.rng.one_in(2) {
            let name = self.make.ctx.intern_str(self.make.rng.one_of(NAMES));
            self.body.set_value_name(value, name);
        }
    }

    fn arg(&mut self, block: BlockId, ty: Type) {
        let loc = self.make.loc(1);
        let value = self.body.add_arg(block, ty, loc);
        self.name(value);
        self.visible.push(value);
    }

    fn value(&mut self, ty: Option<Type>) -> Option<ValueId> {
        let fits = |&value: &ValueId| ty.is_none_or(|ty| self.body.value_type(value) == ty);
        let values: Vec<ValueId> = self.visible.iter().copied().filter(fits).collect();
        self.make.rng.pick(&values).copied()
    }

    fn put(&mut self, block: BlockId, parts: OpParts<'_>) -> OpId {
        let op = self.body.create_op(parts);
        self.body.insert(op, InsertPoint::EndOf(block));
        let results: Vec<ValueId> = self.body.results(op).collect();
        for value in results {
            self.name(value);
            self.visible.push(value);
        }
        op
    }

    fn registered(&mut self, block: BlockId, name: &str, operands: &[ValueId], results: &[Type], props: Attr) {
        let loc = self.make.loc(2);
        let attrs = if self.make.rng.one_in(6) { self.make.discardable() } else { Attr::EMPTY_DICT };
        let name = self.make.ctx.op_name(name);
        self.put(block, OpParts { operands, results, props, attrs, ..OpParts::new(name, loc) });
    }

    /// Ops of the neutral dialect and unknown ones, in one block, without a terminator.
    fn fill(&mut self, block: BlockId, most: usize) {
        for _ in 0..self.make.rng.below(most + 1) {
            match self.make.rng.below(5) {
                0 => {
                    let (ty, value) = self.make.number();
                    let props = self.make.ctx.dict_attr(&[(Str::VALUE, value)]);
                    self.registered(block, "sample.constant", &[], &[ty], props);
                }
                1 => {
                    let Some(lhs) = self.value(Some(Type::I64)) else { continue };
                    let rhs = self.value(Some(Type::I64)).unwrap_or(lhs);
                    let name = self.make.rng.one_of(&["sample.addi", "sample.muli", "sample.divsi"]);
                    self.registered(block, name, &[lhs, rhs], &[Type::I64], Attr::EMPTY_DICT);
                }
                2 => {
                    let values: Vec<ValueId> = (0..self.make.rng.below(4)).filter_map(|_| self.value(None)).collect();
                    self.registered(block, "sample.use", &values, &[], Attr::EMPTY_DICT);
                }
                _ => self.unknown(block),
            }
        }
    }

    /// An op that no dialect registers.
    fn unknown(&mut self, block: BlockId) {
        let name = self.make.ctx.op_name(self.make.rng.one_of(OPS));
        let loc = self.make.loc(3);
        let operands: Vec<ValueId> = (0..self.make.rng.below(4)).filter_map(|_| self.value(None)).collect();
        let results: Vec<Type> = (0..self.make.rng.below(4)).map(|_| self.make.ty(3)).collect();
        let props = if self.make.rng.one_in(4) { self.make.dict(2) } else { Attr::EMPTY_DICT };
        let attrs = if self.make.rng.one_in(2) { self.make.dict(3) } else { Attr::EMPTY_DICT };
        let mut regions: Vec<RegionId> = Vec::new();
        if self.depth < 3 && self.make.rng.one_in(4) {
            for _ in 0..1 + self.make.rng.below(2) {
                regions.push(self.region());
            }
        }
        let parts = OpParts {
            operands: &operands,
            results: &results,
            props,
            attrs,
            regions: &regions,
            ..OpParts::new(name, loc)
        };
        self.put(block, parts);
    }

    /// A region of an unknown op: empty, one block, or several that jump to each other.
    fn region(&mut self) -> RegionId {
        let region = self.body.create_region();
        let outside = self.visible.len();
        self.depth += 1;
        let count = self.make.rng.below(4);
        let blocks: Vec<BlockId> = (0..count).map(|_| self.block(region)).collect();
        for (index, &block) in blocks.iter().enumerate() {
            // Only the entry dominates the others for sure.
            let before = self.visible.len();
            for _ in 0..self.make.rng.below(3) {
                let ty = self.make.ty(2);
                self.arg(block, ty);
            }
            self.fill(block, 4);
            // Of several blocks each ends with an op that says where control goes on, if anywhere.
            if count > 1 {
                let targets: Vec<BlockId> =
                    (0..self.make.rng.below(4)).map(|_| blocks[1 + self.make.rng.below(count - 1)]).collect();
                let name = self.make.ctx.op_name("x.jump");
                let parts = OpParts { successors: &targets, ..OpParts::new(name, Loc::UNKNOWN) };
                self.put(block, parts);
            }
            if index > 0 {
                self.visible.truncate(before);
            }
        }
        self.depth -= 1;
        self.visible.truncate(outside);
        region
    }

    fn block(&mut self, region: RegionId) -> BlockId {
        let block = self.body.append_block(region);
        if self.make.rng.one_in(3) {
            let label = self.make.ctx.intern_str(self.make.rng.one_of(LABELS));
            self.body.set_label(block, label);
        }
        block
    }

    /// Blocks with branches between them, and a return. Gives the types that are returned.
    fn function_body(&mut self, region: RegionId, entry: BlockId) -> Vec<Type> {
        self.fill(entry, 6);
        let mut last = entry;
        for _ in 0..self.make.rng.below(3) {
            let next = self.block(region);
            let given: Vec<ValueId> = (0..self.make.rng.below(3)).filter_map(|_| self.value(None)).collect();
            let parts_name = self.make.ctx.op_name("sample.br");
            let loc = self.make.loc(1);
            self.put(last, OpParts { operands: &given, successors: &[next], ..OpParts::new(parts_name, loc) });
            for value in given {
                let ty = self.body.value_type(value);
                self.arg(next, ty);
            }
            self.fill(next, 4);
            last = next;
        }
        let returned: Vec<ValueId> = (0..self.make.rng.below(3)).filter_map(|_| self.value(None)).collect();
        let types = returned.iter().map(|&value| self.body.value_type(value)).collect();
        self.registered(last, "sample.return", &returned, &[], Attr::EMPTY_DICT);
        types
    }
}

/// Makes types, attributes and locations.
struct Generator<'a> {
    ctx: &'a Context,
    rng: &'a mut Random,
}

impl Generator<'_> {
    fn float_kind(&mut self) -> FloatKind {
        FloatKind::ALL[self.rng.below(FloatKind::ALL.len())]
    }

    fn integer_type(&mut self) -> Type {
        let width = [1, 2, 7, 8, 16, 31, 32, 64, 65, 127, 128][self.rng.below(11)];
        let sign =
            [Signedness::Signless, Signedness::Signless, Signedness::Signed, Signedness::Unsigned][self.rng.below(4)];
        self.ctx.ty(TypeData::Integer { width, sign })
    }

    fn ty(&mut self, depth: usize) -> Type {
        let ctx = self.ctx;
        match self.rng.below(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => Type::I64,
            2 => self.integer_type(),
            3 => ctx.float_type(self.float_kind()),
            4 => [Type::INDEX, Type::NONE, Type::F32][self.rng.below(3)],
            5 => {
                let text = self.rng.one_of(&[
                    "!x.y",
                    "!x.y<1, \"a>\">",
                    "!x<[a], {b}>",
                    "tensor<4x?xf32, #x.e<1>>",
                    "vector<[4]xi8>",
                    "f80",
                    "memref<*xf32>",
                    "memref<4xf32, affine_map<(d0) -> (d0 + 1)>>",
                ]);
                let dialect = ctx.intern_str(if text.starts_with('!') { "x" } else { "builtin" });
                let text = ctx.intern_str(text);
                ctx.ty(TypeData::Opaque { dialect, text })
            }
            6 => {
                let types: Vec<Type> = (0..self.rng.below(4)).map(|_| self.ty(depth - 1)).collect();
                ctx.ty(TypeData::Tuple(&types))
            }
            7 => {
                let inner = self.ty(depth - 1);
                ctx.dialect_type("sample.box", &[ctx.type_attr(inner)]).expect("it is registered")
            }
            _ => {
                let inputs: Vec<Type> = (0..self.rng.below(3)).map(|_| self.ty(depth - 1)).collect();
                let results: Vec<Type> = (0..self.rng.below(3)).map(|_| self.ty(depth - 1)).collect();
                ctx.function_type(&inputs, &results)
            }
        }
    }

    fn integer(&mut self, ty: Type) -> Attr {
        let small = self.rng.below(300) as i128 - 150;
        let large = (self.rng.bits() as i128) << 64 | self.rng.bits() as i128;
        let value = if self.rng.one_in(2) { small } else { large };
        let unsigned = matches!(self.ctx.type_data(ty), TypeData::Integer { sign: Signedness::Unsigned, width: 128 });
        self.ctx.int_attr(if unsigned { value & i128::MAX } else { value }, ty)
    }

    fn float(&mut self) -> Attr {
        let kind = self.float_kind();
        let bits = if self.rng.one_in(4) { self.rng.below(20) as u64 } else { self.rng.bits() };
        let ty = self.ctx.float_type(kind);
        self.ctx
            .attr(AttrData::Float { ty, bits: if kind.bits() == 64 { bits } else { bits & ((1 << kind.bits()) - 1) } })
    }

    /// A number and its type.
    fn number(&mut self) -> (Type, Attr) {
        let attr = match self.rng.below(3) {
            0 => self.float(),
            1 => self.integer(Type::I64),
            _ => {
                let ty = self.integer_type();
                self.integer(ty)
            }
        };
        (attr.value_type(self.ctx).expect("numbers have types"), attr)
    }

    fn dict(&mut self, depth: usize) -> Attr {
        let entries: Vec<NamedAttr> =
            (0..self.rng.below(4)).map(|_| (self.ctx.intern_str(self.rng.one_of(KEYS)), self.attr(depth))).collect();
        self.ctx.dict_attr(&entries)
    }

    /// Attributes that no declaration claims.
    fn discardable(&mut self) -> Attr {
        let key = self.ctx.intern_str(self.rng.one_of(&["x.a", "x.b", "odd key", "é"]));
        let attr = self.attr(2);
        self.ctx.dict_attr(&[(key, attr)])
    }

    fn attr(&mut self, depth: usize) -> Attr {
        let ctx = self.ctx;
        match self.rng.below(if depth == 0 { 9 } else { 13 }) {
            0 => Attr::UNIT,
            1 => self.number().1,
            2 => ctx.str_attr(self.rng.one_of(TEXTS)),
            3 => {
                let path: Vec<Str> =
                    (0..1 + self.rng.below(3)).map(|_| ctx.intern_str(self.rng.one_of(KEYS))).collect();
                ctx.attr(AttrData::Symbol(&path))
            }
            4 => {
                let number = self.number();
                let items: Vec<Attr> = match ctx.type_data(number.0) {
                    TypeData::Integer { .. } => (0..self.rng.below(5)).map(|_| self.integer(number.0)).collect(),
                    _ => vec![number.1; self.rng.below(4)],
                };
                ctx.attr(AttrData::DenseArray { elem: number.0, items: &items })
            }
            5 => self.dense(),
            6 => {
                let text = self.rng.one_of(&[
                    "#x.y",
                    "#x.y<1, {a}>",
                    "#x<[\">\"]>",
                    "distinct[0]<>",
                    "strided<[1, ?], offset: 3>",
                ]);
                let ty = self.rng.one_in(3).then(|| self.ty(1)).filter(|_| text.starts_with('#'));
                let dialect = ctx.intern_str(if text.starts_with('#') { "x" } else { "builtin" });
                let text = ctx.intern_str(text);
                ctx.attr(AttrData::Opaque { dialect, text, ty })
            }
            7 => {
                let map = self.rng.one_of(&[
                    "(d0, d1)[s0] -> (d0 + s0 * 2, d1 mod 8)",
                    "() -> ()",
                    "(d0) -> (d0 floordiv 3 - 1)",
                ]);
                let map = dlc_ir::affine::AffineMap::parse(map).expect("it is a map");
                ctx.attr(AttrData::AffineMap(std::sync::Arc::new(map)))
            }
            8 => {
                let loc = self.loc(2);
                ctx.attr(AttrData::Loc(loc))
            }
            9 => {
                let ty = self.ty(depth);
                ctx.type_attr(ty)
            }
            10 | 11 => {
                let items: Vec<Attr> = (0..self.rng.below(4)).map(|_| self.attr(depth - 1)).collect();
                ctx.array_attr(&items)
            }
            _ => self.dict(depth - 1),
        }
    }

    fn dense(&mut self) -> Attr {
        let ctx = self.ctx;
        let shape: Vec<u64> = (0..self.rng.below(4)).map(|_| [0, 1, 2, 3, 7][self.rng.below(5)]).collect();
        let elem = [Type::I1, Type::I8, Type::I32, Type::I64, Type::F32, Type::F64, Type::INDEX, Type::BF16]
            [self.rng.below(8)];
        let container = if self.rng.one_in(2) && !shape.contains(&0) { Container::Vector } else { Container::Tensor };
        let mut data = DenseData { shape: &shape, elem, payload: [].into(), container, resource: None };
        let elements = if self.rng.one_in(3) { 1 } else { data.len().unwrap_or(0) };
        let mask = if elem == Type::I1 { 1 } else { 0xff };
        let bytes = elements as usize * data.elem_bytes(ctx);
        data.payload = (0..bytes).map(|_| self.rng.bits() as u8 & mask).collect();
        if data.len() == Some(elements) && self.rng.one_in(4) {
            // A key stands for one payload in the whole file.
            let name = format!("blob{}", self.rng.bits());
            data.resource = Some(Resource { name: ctx.intern_str(&name), align: 1 << self.rng.below(7) });
        }
        ctx.attr(AttrData::Dense(data))
    }

    fn loc(&mut self, depth: usize) -> Loc {
        let ctx = self.ctx;
        let kind = self.rng.below(if depth == 0 { 3 } else { 7 });
        let name = ctx.intern_str(self.rng.one_of(TEXTS));
        match kind {
            0 | 1 => Loc::UNKNOWN,
            2 => {
                let start = (self.rng.below(100) as u32, self.rng.below(100) as u32);
                let end = if self.rng.one_in(2) { start } else { (start.0 + self.rng.below(2) as u32, start.1 + 1) };
                ctx.loc(LocData::File { file: name, start, end })
            }
            3 | 4 => {
                let child = self.loc(depth - 1);
                ctx.loc(LocData::Name { name, child })
            }
            5 => {
                let (callee, caller) = (self.loc(depth - 1), self.loc(depth - 1));
                ctx.loc(LocData::CallSite { callee, caller })
            }
            _ => {
                let locs: Vec<Loc> = (0..self.rng.below(3)).map(|_| self.loc(depth - 1)).collect();
                let meta = self.rng.one_in(2).then(|| self.attr(1));
                ctx.loc(LocData::Fused { locs: &locs, meta })
            }
        }
    }
}
