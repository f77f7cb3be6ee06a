//! The launch manifest as it stands in the file: `docs/manifest.md` describes it for people.

use dlc_host::choice::Rates;
use dlc_ir::Type;
use serde::{Deserialize, Serialize};

use super::expr::{Expr, Guard};
use super::layout::Layout;
use super::verified::Covered;

/// The version of the schema that is written. Older ones are read too.
pub const VERSION: u64 = 5;

/// What is next to a file of PTX: which kernels it holds and how they are launched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the schema, up to [`VERSION`].
    pub manifest: u64,
    /// What the PTX is for: `sm_90a`.
    pub target: String,
    /// The version of PTX that it is written in: `8.0`.
    pub ptx_version: String,
    /// The file of the PTX, next to the manifest.
    pub module: String,
    /// The checksum of the PTX. What is verified is verified of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_crc32: Option<String>,
    /// The kernels.
    #[serde(default)]
    pub kernels: Vec<Kernel>,
    /// Programs that launch them.
    #[serde(default)]
    pub programs: Vec<Program>,
}

/// Something that computes outputs from inputs, by one launch or several.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The symbols of its sizes.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Whether it was verified to be free of races and deadlocks.
    #[serde(default)]
    pub verified: bool,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it reads, in order.
    pub inputs: Vec<Port>,
    /// What it writes, in order: names of buffers.
    pub outputs: Vec<String>,
    /// Its outputs and the memory that it needs besides them.
    pub buffers: Vec<Buffer>,
    /// Names for numbers that depend on the sizes.
    #[serde(default)]
    pub values: Vec<Value>,
    /// The sizes that it is for: all of these hold.
    #[serde(default)]
    pub requires: Vec<Guard>,
    /// The most elements of a tensor that it computes with, where an axis of zero counts as one of one. No symbol is more,
    /// either.
    #[serde(default = "narrow", skip_serializing_if = "is_narrow")]
    pub elements: u64,
    /// Views of buffers for TMA.
    #[serde(default)]
    pub tensor_maps: Vec<TensorMap>,
    /// What is launched, in order.
    pub launches: Vec<Launch>,
}

fn narrow() -> u64 {
    dlc_ptx::ops::NARROW_ELEMENTS as u64
}

fn is_narrow(elements: &u64) -> bool {
    *elements == narrow()
}

/// A tensor that a kernel or program reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub elem: Elem,
    /// Its sizes.
    pub shape: Vec<Expr>,
    /// Where its elements lie; row-major without gaps unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// What its address is a multiple of, in bytes.
    #[serde(default = "one")]
    pub align: u64,
}

/// A tensor that a kernel writes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub elem: Elem,
    /// Its sizes.
    pub shape: Vec<Expr>,
    /// Where its elements lie; row-major without gaps unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// What its address is a multiple of, in bytes.
    #[serde(default = "one")]
    pub align: u64,
}

fn one() -> u64 {
    1
}

/// What a buffer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A result of the kernel.
    Output,
    /// Memory between launches; it is zero when the kernel starts.
    Scratch,
    /// Memory between launches; the kernel writes what it reads there.
    Workspace,
}

/// A name for a number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawValue", into = "RawValue")]
pub struct Value {
    /// The name.
    pub name: String,
    /// The number.
    pub formula: Formula,
}

/// How a number is computed.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// By an expression.
    Expr(Expr),
    /// The smallest of several.
    Min(Vec<Expr>),
    /// The largest of several.
    Max(Vec<Expr>),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawValue {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expr: Option<Expr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Vec<Expr>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Vec<Expr>>,
}

impl TryFrom<RawValue> for Value {
    type Error = String;
    fn try_from(raw: RawValue) -> Result<Value, String> {
        let formula = match (raw.expr, raw.min, raw.max) {
            (Some(expr), None, None) => Formula::Expr(expr),
            (None, Some(all), None) if !all.is_empty() => Formula::Min(all),
            (None, None, Some(all)) if !all.is_empty() => Formula::Max(all),
            _ => return Err(format!("the value '{}' has not one of 'expr', 'min' and 'max'", raw.name)),
        };
        Ok(Value { name: raw.name, formula })
    }
}

impl From<Value> for RawValue {
    fn from(value: Value) -> RawValue {
        let mut raw = RawValue { name: value.name, expr: None, min: None, max: None };
        match value.formula {
            Formula::Expr(expr) => raw.expr = Some(expr),
            Formula::Min(all) => raw.min = Some(all),
            Formula::Max(all) => raw.max = Some(all),
        }
        raw
    }
}

/// A view of a buffer for TMA.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorMap {
    /// Its name.
    pub name: String,
    /// The buffer or input.
    pub buffer: String,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub elem: Elem,
    /// The sizes of its axes, where they are not those of the buffer: some that lie one after another as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<Expr>>,
    /// The elements from one position to the next along each axis but the last, where the buffer has a layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<Expr>>,
    /// What one copy takes: a size for each axis, the slowest first; with `im2col`, pixels and channels.
    #[serde(rename = "box")]
    pub tile: Vec<u32>,
    /// The bytes after which the order of 16-byte pieces repeats in shared memory: 128, 64, 32, or 0 for none.
    #[serde(default)]
    pub swizzle: u32,
    /// Where pixels of a window are taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub im2col: Option<Im2col>,
}

/// Where pixels of a window are taken from: one number for each spatial axis, the slowest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Im2col {
    /// How far the first pixel of the walk is from that of the tensor.
    pub lower: Vec<i32>,
    /// How far the last pixel of the walk is from that of the tensor.
    pub upper: Vec<i32>,
    /// The steps of the walk.
    pub strides: Vec<u32>,
}

/// The start of an entry of the PTX.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The entry.
    pub entry: String,
    /// How many blocks there are along x, y and z.
    pub grid: [Expr; 3],
    /// How many blocks are in a cluster along x, y and z.
    #[serde(default = "unit_dims")]
    pub cluster: [u32; 3],
    /// How many threads a block has.
    pub threads: u32,
    /// The bytes of shared memory that a block is given when it starts.
    #[serde(default)]
    pub shared: u32,
    /// Whether it may start before the launch before it has ended (programmatic dependent launch).
    #[serde(default)]
    pub early: bool,
    /// The parameters of the entry, in order.
    pub args: Vec<Arg>,
    /// What its verification covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<Covered>,
}

fn unit_dims() -> [u32; 3] {
    [1; 3]
}

/// A parameter of an entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arg {
    /// A tensor map by value: 128 bytes, aligned to 64.
    Map(String),
    /// The address of a buffer or input: 64 bits.
    Buffer(String),
    /// A signed 32-bit integer.
    I32(Expr),
    /// A signed 64-bit integer.
    I64(Expr),
}

/// Launches of kernels in order, with what lies where.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The symbols of its sizes.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// What it reads, in order.
    pub inputs: Vec<Port>,
    /// What it gives, in order.
    pub outputs: Vec<Port>,
    /// The bytes of memory for what lies between launches.
    pub arena: Expr,
    /// The bytes of memory for constants.
    #[serde(default)]
    pub pool: u64,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// The values that are its outputs.
    pub results: Vec<String>,
}

/// A step of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawStep", into = "RawStep")]
pub enum Step {
    /// A constant.
    Const(Const),
    /// A kernel runs.
    Launch(Call),
    /// The same memory with other sizes.
    View(View),
}

/// A constant in the pool.
#[derive(Clone, PartialEq, Debug)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub elem: Elem,
    /// Its sizes.
    pub shape: Vec<Expr>,
    /// Where it lies in the pool, in bytes.
    pub offset: u64,
    /// Its elements, row-major, the lowest byte first.
    pub bytes: Vec<u8>,
}

/// A kernel runs: the first that is for the sizes, and of several after each other that have a cost the one with the least.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The kernels.
    pub choices: Vec<Choice>,
    /// What it reads.
    pub inputs: Vec<String>,
    /// What it gives.
    pub outputs: Vec<Out>,
}

/// A kernel that may run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name.
    pub kernel: String,
    /// What its symbols are.
    #[serde(default)]
    pub sizes: std::collections::BTreeMap<String, Expr>,
    /// How long it takes, where an estimate says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// When it may be taken: all of these hold, in the symbols of the program.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guard>,
}

/// How long a kernel takes by an estimate (`dlc_host::choice::Cost`), in the symbols of the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// The tiles of its results.
    pub tiles: Expr,
    /// The steps of a tile along what is reduced.
    pub steps: Expr,
    /// The bytes that are read and written.
    pub bytes: Expr,
    /// What is done once, in nanoseconds: the launch, and what nothing hides at the end.
    pub launch: i64,
    /// What is done once for each tile, in nanoseconds.
    pub tile: i64,
    /// What is computed in a step of a tile, in nanoseconds.
    pub step: i64,
    /// How long a step of a tile waits for its loads, in nanoseconds.
    pub wait: i64,
    /// The bytes that memory moves in a nanosecond; at least 1.
    pub gbps: i64,
    /// The SMs; at least 1.
    pub sms: i64,
    /// The blocks that an SM holds at once; at least 1.
    pub blocks: i64,
}

impl Cost {
    /// Its expressions: tiles, steps, bytes.
    pub fn exprs(&self) -> [&Expr; 3] {
        [&self.tiles, &self.steps, &self.bytes]
    }

    /// Its numbers; `None` where one is too small.
    pub fn rates(&self) -> Option<Rates> {
        Rates::of([self.launch, self.tile, self.step, self.wait, self.gbps, self.sms, self.blocks])
    }
}

/// What a step gives.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Out {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub elem: Elem,
    /// Its sizes.
    pub shape: Vec<Expr>,
    /// Where its elements lie; row-major without gaps unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Where it lies in the arena, in bytes; `None` for a result of the program, which has memory of its own.
    pub offset: Option<Expr>,
}

/// The same memory with other sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// Its name.
    pub name: String,
    /// What it is a view of.
    pub of: String,
    /// Its sizes.
    pub shape: Vec<Expr>,
    /// The part of the memory that it is; all of it without.
    pub part: Option<Part>,
}

/// A part of the memory of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The element at which it begins.
    pub from: Expr,
    /// How it lies from there on, unless row-major without gaps.
    pub layout: Option<Layout>,
}

/// A step with everything that one may have.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawStep {
    #[serde(rename = "const", skip_serializing_if = "Option::is_none")]
    constant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    elem: Option<Elem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<Expr>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Expr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<Layout>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<Out>>,
}

impl TryFrom<RawStep> for Step {
    type Error = String;
    fn try_from(raw: RawStep) -> Result<Step, String> {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let RawStep { constant, launch, view, of, elem, shape, from, layout, offset, base64, inputs, outputs } = raw;
        if view.is_none() && (from.is_some() || layout.is_some()) {
            return Err("'from' and 'layout' are of views".into());
        }
        match (constant, launch, view) {
            (Some(name), None, None) => match (elem, shape, offset, base64, of, inputs, outputs) {
                (Some(elem), Some(shape), Some(offset), Some(text), None, None, None) => {
                    let bytes = STANDARD.decode(text);
                    let bytes = bytes.map_err(|error| format!("the constant '{name}' is no base64: {error}"))?;
                    Ok(Step::Const(Const { name, elem, shape, offset, bytes }))
                }
                _ => Err(format!("the constant '{name}' has 'type', 'shape', 'offset' and 'base64', and nothing else")),
            },
            (None, Some(choices), None) => match (inputs, outputs, of, elem, shape, offset, base64) {
                (Some(inputs), Some(outputs), None, None, None, None, None) => {
                    Ok(Step::Launch(Call { choices, inputs, outputs }))
                }
                _ => Err("a launch has 'launch', 'inputs' and 'outputs', and nothing else".into()),
            },
            (None, None, Some(name)) => match (of, shape, elem, offset, base64, inputs, outputs) {
                (Some(of), Some(shape), None, None, None, None, None) => match (from, layout) {
                    (None, Some(_)) => Err(format!("the view '{name}' has a layout and does not say 'from' where")),
                    (from, layout) => {
                        let part = from.map(|from| Part { from, layout });
                        Ok(Step::View(View { name, of, shape, part }))
                    }
                },
                _ => {
                    Err(format!("the view '{name}' has 'of', 'shape' and maybe 'from' and 'layout', and nothing else"))
                }
            },
            _ => Err("a step is a 'const', a 'launch' or a 'view'".into()),
        }
    }
}

impl From<Step> for RawStep {
    fn from(step: Step) -> RawStep {
        use base64::{Engine, engine::general_purpose::STANDARD};
        match step {
            Step::Const(Const { name, elem, shape, offset, bytes }) => RawStep {
                constant: Some(name),
                elem: Some(elem),
                shape: Some(shape),
                offset: Some(offset),
                base64: Some(STANDARD.encode(bytes)),
                ..RawStep::default()
            },
            Step::Launch(Call { choices, inputs, outputs }) => {
                RawStep { launch: Some(choices), inputs: Some(inputs), outputs: Some(outputs), ..RawStep::default() }
            }
            Step::View(View { name, of, shape, part }) => {
                let (from, layout) = part.map_or((None, None), |part| (Some(part.from), part.layout));
                RawStep { view: Some(name), of: Some(of), shape: Some(shape), from, layout, ..RawStep::default() }
            }
        }
    }
}

/// The types of elements, with their names, their bytes and their types in the IR.
macro_rules! elems {
    ($($name:ident $text:literal $size:literal $ty:ident;)*) => {
        /// The type of an element in the memory of the device.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the names are those of the text")]
        pub enum Elem {
            $(#[serde(rename = $text)] $name,)*
        }

        impl Elem {
            /// All of them.
            pub const ALL: &[Elem] = &[$(Elem::$name),*];

            /// The name in the text.
            pub fn name(self) -> &'static str {
                match self { $(Elem::$name => $text),* }
            }

            /// How many bytes one has.
            pub fn size(self) -> u64 {
                match self { $(Elem::$name => $size),* }
            }

            /// The type in the IR.
            pub fn ty(self) -> Type {
                match self { $(Elem::$name => Type::$ty),* }
            }

            /// The element that a type of the IR has in memory; `None` for types that have none.
            pub fn of(ty: Type) -> Option<Elem> {
                Elem::ALL.iter().copied().find(|elem| elem.ty() == ty)
            }
        }
    };
}

elems! {
    F16 "f16" 2 F16;
    BF16 "bf16" 2 BF16;
    F32 "f32" 4 F32;
    F64 "f64" 8 F64;
    F8E4M3FN "f8E4M3FN" 1 F8E4M3FN;
    F8E5M2 "f8E5M2" 1 F8E5M2;
    I1 "i1" 1 I1;
    I8 "i8" 1 I8;
    I16 "i16" 2 I16;
    I32 "i32" 4 I32;
    I64 "i64" 8 I64;
    UI8 "ui8" 1 UI8;
    UI16 "ui16" 2 UI16;
    UI32 "ui32" 4 UI32;
    UI64 "ui64" 8 UI64;
    Index "index" 8 INDEX;
}
