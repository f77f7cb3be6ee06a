//! The frame around instructions: functions, entries, branches. The instructions are in [`crate::table`].

use dlc_core::memref::MemRef;
use dlc_core::sizes::Exprs;
use dlc_ir::define::{
    AnyType, Bool, DictArray, FunctionType, Index as IndexType, Int, IntArray, Kind, SymbolName, Text, TextArray, op,
};
use dlc_ir::op::{Arity, AttrKind, AttrSpec, OperandDef, ResultDef, TypeConstraint};

use crate::{interp, syntax, verify};

/// The most elements of a tensor of a function that says nothing else: places in it have 32 bits. It is below 2^31 by what
/// a position may be beyond its tensor, as by a tile or by the step of a loop.
pub const NARROW_ELEMENTS: i64 = (1 << 31) - (1 << 24);

/// The most elements of a tensor of a function whose places have 64 bits.
pub const WIDE_ELEMENTS: i64 = 1 << 40;

/// A kernel in instructions: what is done when it is launched, in the words of the layer kernel, with an entry for each
/// grid.
#[op("ptx.func", traits(Callable, Symbol, IsolatedFromAbove), parse = dlc_ir::text::function::parse,
     print = dlc_ir::text::function::print, verify = verify::func, eval = interp::nothing,
     example = "ptx.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {target = \"sm_80\"} { .. }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    /// The machine that the instructions are for: `sm_80`, `sm_90a`.
    target: OptionalAttr<Text>,
    /// The fingerprint of the instructions that were made from a kernel that was verified.
    verified: OptionalAttr<Text>,
    /// What that covered, for each entry.
    covered: OptionalAttr<DictArray>,
    /// Why the kernel was not verified.
    unverified: OptionalAttr<Text>,
    /// The most elements of a tensor that it may be launched on, where an axis of zero counts as one of one; 2130706432
    /// where it does not say.
    elements: OptionalAttr<Int>,
    body: Region,
}

/// What every thread of a grid does. The arguments of its first block are the addresses of the memory, as 64-bit
/// integers, then those of the tensor maps, then the sizes, as integers of 32 or of 64 bits.
#[op("ptx.entry", parse = syntax::parse_entry, print = syntax::print_entry, verify = verify::entry, eval = interp::entry,
     example = "entry \"f_0\" (N ceildiv 128) cluster [2] threads 128 shared 1024 memory (%X, %Y) maps (%m) sizes (N, 2*N) { .. }")]
pub struct Entry {
    /// Values in `dims` and `sizes`.
    args: Variadic<IndexType>,
    memory: Variadic<MemRef>,
    maps: Variadic<AnyType>,
    /// Its name in the PTX module.
    name: Attr<Text>,
    /// The number of blocks along up to three axes.
    dims: Attr<Exprs>,
    /// The number of blocks of a cluster along the axes.
    cluster: OptionalAttr<IntArray>,
    /// The number of threads of a block.
    threads: Attr<Int>,
    /// The bytes of shared memory of a block.
    shared: Attr<Int>,
    /// The integers that it takes.
    sizes: Attr<Exprs>,
    /// How many blocks are to fit on an SM.
    blocks: OptionalAttr<Int>,
    body: Region,
}

impl Entry<'_> {
    /// The most bytes of parameters, from PTX 8.1 on, on sm_70 and later.
    pub const MOST_PARAMETERS: usize = 32_764;

    /// The bytes of its parameters: addresses, tensor maps at multiples of 64 bytes, and integers, each at a multiple of its
    /// size.
    pub fn parameter_bytes(&self) -> usize {
        let (memory, maps) = (8 * self.memory().len(), self.maps().len());
        let pointers = if maps == 0 { memory } else { memory.next_multiple_of(64) + 128 * maps };
        let first = self.regions().first().and_then(|&region| self.body.first_block(region));
        let args = first.map_or(&[][..], |first| self.body.args(first));
        let integers = args.iter().skip(self.memory().len() + maps);
        integers.fold(pointers, |bytes, &arg| match self.type_of(arg) {
            dlc_ir::Type::I64 => bytes.next_multiple_of(8) + 8,
            _ => bytes + 4,
        })
    }
}

/// Goes to a block.
#[op("ptx.bra", traits(Terminator), format = "$dest attr-dict", eval = interp::frame_op,
     example = "bra ^bb1(%x, %y)")]
pub struct Bra {
    #[passes_to(dest)]
    args: Variadic<AnyType>,
    dest: Successor,
}

/// Goes to the first block where the predicate holds, else to the second.
#[op("ptx.bra_if", traits(Terminator), format = "$cond `,` $then `,` $otherwise attr-dict",
     eval = interp::frame_op, example = "bra_if %p, ^bb1(%x), ^bb2")]
pub struct BraIf {
    cond: Operand<Bool>,
    #[passes_to(then)]
    then_args: Variadic<AnyType>,
    #[passes_to(otherwise)]
    otherwise_args: Variadic<AnyType>,
    then: Successor,
    otherwise: Successor,
}

/// Ends the thread.
#[op("ptx.exit", traits(Terminator), format = "attr-dict", eval = interp::frame_op, example = "exit")]
pub struct Exit {}

/// A list of numbers and gaps: what stands in the places of an instruction that are no values.
pub struct Literals;

impl Kind for Literals {
    type Value<'a> = &'a [dlc_ir::Attr];
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of numbers, with 'unit' where a value stands",
        admits: |ctx, attr| {
            let number = |item: &dlc_ir::Attr| *item == dlc_ir::Attr::UNIT || item.value_type(ctx).is_some();
            attr.as_array(ctx).is_some_and(|items| items.iter().all(number))
        },
        parse: None,
        print: None,
    };
    fn get(ctx: &dlc_ir::Context, attr: dlc_ir::Attr) -> Option<&[dlc_ir::Attr]> {
        attr.as_array(ctx)
    }
    fn make(ctx: &dlc_ir::Context, items: &[dlc_ir::Attr]) -> dlc_ir::Attr {
        ctx.array_attr(items)
    }
}

dlc_ir::keywords! {
    /// When a guarded instruction is done.
    pub enum Guarded: "when an instruction is done" {
        /// Where the predicate holds.
        If = "if",
        /// Where it does not.
        Unless = "unless",
    }
}

const REGISTER: TypeConstraint = TypeConstraint {
    name: "what a register holds: i1, i16, i32, i64, f32 or f64",
    admits: |_, ty| {
        use dlc_ir::Type;
        [Type::I1, Type::I16, Type::I32, Type::I64, Type::F32, Type::F64].contains(&ty)
    },
};

/// The operands of every instruction.
pub(crate) static OPERANDS: &[OperandDef] =
    &[OperandDef { name: "args", ty: REGISTER, arity: Arity::Variadic, successor: None }];

/// The results of every instruction.
pub(crate) static RESULTS: &[ResultDef] = &[ResultDef { name: "outs", ty: REGISTER, arity: Arity::Variadic }];

/// The attributes of every instruction.
pub(crate) static ATTRS: &[AttrSpec] = &[
    AttrSpec { name: "modifiers", kind: Text::KIND, optional: true },
    AttrSpec { name: "literals", kind: Literals::KIND, optional: true },
    AttrSpec { name: "guarded", kind: Guarded::KIND, optional: true },
];
