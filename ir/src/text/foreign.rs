//! What other compilers write: their dialects and their names of element types, for messages alone. None of it is read.

use crate::diag::fold_spelling;
use crate::op::{Dialect, OpDef};

/// How a model that is not in dlc's own forms comes in.
pub const MODEL_DOOR: &str = "a PyTorch model comes in by `dlc.compile(model, inputs)` of the Python package, which calls \
                              `torch.export`, and any other model as a graph in JSON (docs/json.md)";

/// Dialects of others, and whose they are.
const DIALECTS: [(&str, &[&str]); 7] = [
    ("StableHLO", &["stablehlo", "mhlo", "chlo", "vhlo"]),
    ("ONNX", &["onnx", "krnl"]),
    ("PyTorch", &["torch", "aten", "prims"]),
    ("TensorFlow", &["tf", "tfl", "tf_executor", "tfg"]),
    ("TOSA", &["tosa"]),
    ("Triton", &["tt", "ttg", "ttng", "triton", "triton_gpu"]),
    (
        "MLIR",
        &[
            "affine",
            "amdgpu",
            "arith",
            "async",
            "bufferization",
            "cf",
            "complex",
            "func",
            "gpu",
            "linalg",
            "llvm",
            "math",
            "memref",
            "ml_program",
            "nvgpu",
            "nvvm",
            "quant",
            "rocdl",
            "scf",
            "shape",
            "sparse_tensor",
            "spirv",
            "std",
            "tensor",
            "transform",
            "vector",
            "xegpu",
        ],
    ),
];

/// The layers in which people write programs: what an op of others is called there is worth naming.
const PROGRAM_LAYERS: [&str; 2] = ["frontend", "tiny"];

/// Element types by the names that PyTorch, numpy, C and JSON have for them, and dlc's.
const ELEMENT_TYPES: [(&str, &[&str]); 15] = [
    ("f16", &["float16", "half", "fp16"]),
    ("bf16", &["bfloat16"]),
    ("f32", &["float32", "float", "fp32"]),
    ("f64", &["float64", "double", "fp64"]),
    ("f8E4M3FN", &["fp8e4m3", "float8e4m3fn", "e4m3", "fp8"]),
    ("f8E5M2", &["fp8e5m2", "float8e5m2", "e5m2"]),
    ("i1", &["bool", "boolean"]),
    ("i8", &["int8", "char", "s8"]),
    ("i16", &["int16", "short", "s16"]),
    ("i32", &["int32", "int", "s32"]),
    ("i64", &["int64", "long", "s64"]),
    ("ui8", &["uint8", "u8", "uchar", "byte"]),
    ("ui16", &["uint16", "u16", "ushort"]),
    ("ui32", &["uint32", "u32", "uint"]),
    ("ui64", &["uint64", "u64", "ulong"]),
];

/// dlc's name of an element type that others call so: of `torch.float16` and of `half` it is `f16`.
pub fn element_type(name: &str) -> Option<&'static str> {
    let last = fold_spelling(name.rsplit('.').next()?);
    let is_known = |(own, others): &&(&str, &[&str])| others.contains(&last.as_str()) || fold_spelling(own) == last;
    ELEMENT_TYPES.iter().find(is_known).map(|(own, _)| *own)
}

/// What to do about an op of a dialect of others: whose it is, how such a program comes in, and what dlc calls the op.
pub(super) fn dialect_hint(dialect: &str, op: &str, own: &dyn Fn(&str) -> Option<&'static Dialect>) -> Option<String> {
    let (owner, _) = DIALECTS.iter().find(|(_, names)| names.contains(&dialect))?;
    let door = match *owner {
        "Triton" => "write what the kernel computes in the layer tiny, and dlc makes a kernel of it",
        _ => MODEL_DOOR,
    };
    let named: Vec<String> = PROGRAM_LAYERS.iter().filter_map(|layer| name_in(own(layer)?, op)).collect();
    let named = if named.is_empty() { String::new() } else { format!("; here it is {}", named.join(" or ")) };
    Some(format!("'{dialect}' is a dialect of {owner}, which dlc does not read: {door}{named}"))
}

/// What a dialect calls an op of others, of which one part of its name says what it computes: `aten.relu.default`.
fn name_in(dialect: &Dialect, op: &str) -> Option<String> {
    let spelled = |word: &str| {
        let own: Option<&OpDef> = dialect.op_spelled(word);
        let name = own.map(OpDef::mnemonic).or_else(|| dialect.synonym(word).filter(|own| dialect.names_op(own)))?;
        Some(format!("'{}.{name}'", dialect.name))
    };
    op.split('.').find_map(spelled)
}
