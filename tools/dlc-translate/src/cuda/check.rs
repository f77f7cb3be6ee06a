//! A `main` that runs a kernel on random numbers and compares what it gives with plain loops.

use std::fmt::Write as _;

use dlc_ir::affine::SizeExpr;

use super::loops::{Loops, count, factor, size, stored};
use crate::manifest::Elem;
use crate::manifest::expr::{Expr, Guard};
use crate::manifest::schema::{Arg, Formula, Kernel, Launch, Role, TensorMap};

/// What every `main` needs.
const PRELUDE: &str = r#"
#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <cuda_runtime.h>

static void must(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(3);
  }
}

[[maybe_unused]] static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// What is no number stays none.
template <class T> T larger(T a, T b) { return a != a || a > b ? a : b; }
template <class T> T smaller(T a, T b) { return a != a || a < b ? a : b; }

// Elements here and on the device.
template <class T>
struct Tensor {
  std::vector<T> host;
  T* device = nullptr;

  explicit Tensor(int64_t count) : host(count) {
    must(cudaMalloc(&device, std::max<int64_t>(count, 1) * sizeof(T)), "memory");
    must(cudaMemset(device, 0, count * sizeof(T)), "memory");
  }
  Tensor(const Tensor&) = delete;
  ~Tensor() { cudaFree(device); }
  void up() { must(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "copying"); }
  void down() { must(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost), "copying"); }
};

// Floats between -1 and 1, and small integers.
template <class T>
static void fill(std::vector<T>& all, std::mt19937& random) {
  for (T& one : all) {
    if (std::is_integral<T>::value) {
      one = T(int(random() % 8));
    } else {
      one = T(float(random() % 2048) / 1024.0f - 1.0f);
    }
  }
}

// Says how far two tensors are apart at most; whether that is within the tolerance.
template <class T>
static bool compare(const char* name, const std::vector<T>& found, const std::vector<T>& wanted, double tolerance) {
  double worst = 0;
  bool good = true;
  for (size_t i = 0; i < found.size(); ++i) {
    const double a = double(float(found[i])), b = double(float(wanted[i]));
    const double error = a == b || (a != a && b != b) ? 0 : std::abs(a - b);
    if (!(error <= tolerance + tolerance * std::abs(b))) {
      good = false;
    }
    if (!(error <= worst)) {
      worst = error;
    }
  }
  printf("%s: maximum error %.6f of %zu numbers\n", name, worst, found.size());
  return good;
}
"#;

/// What tensor maps need besides it.
const MAPS: &str = r#"
// The driver's functions, without a library to link with.
static void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  must(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), name);
#else
  must(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found), name);
#endif
  if (found != cudaDriverEntryPointSuccess) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(3);
  }
  return function;
}
"#;

/// The text of the `main` of kernels that compute the same, each for some sizes. `shape` has the sizes that symbols have
/// where none are given.
pub fn main(kernels: &[Kernel], loops: &Loops, shape: &[(String, i64)]) -> String {
    let mut text = String::from(PRELUDE);
    if kernels.iter().any(|kernel| !kernel.tensor_maps.is_empty()) {
        text.push_str(MAPS);
    }
    text.push_str("\n// What the kernel computes, as plain loops.\n");
    text.push_str(&loops.text);
    for kernel in kernels {
        let sizes: Vec<String> = kernel.symbols.iter().map(|symbol| format!("int64_t {symbol}")).collect();
        let _ = writeln!(text, "// 0 where it is as expected, 1 where it is not, 2 where the sizes are not for it.");
        let _ = writeln!(text, "static int check_{}({}) {{", kernel.name, sizes.join(", "));
        body(kernel, loops, &mut text);
        text.push_str("}\n\n");
    }
    text.push_str("int main(int count, char** words) {\n");
    let symbols = kernels.first().map_or(&[][..], |kernel| kernel.symbols.as_slice());
    for symbol in symbols {
        let given = shape.iter().find(|(name, _)| name == symbol).map_or(128, |(_, size)| *size);
        let _ = writeln!(text, "  int64_t {symbol} = {given};");
    }
    text.push_str("  // Sizes may be given: M=300 N=40\n  for (int i = 1; i < count; ++i) {\n");
    for symbol in symbols {
        let length = symbol.len() + 1;
        let _ = writeln!(
            text,
            "    if (strncmp(words[i], \"{symbol}=\", {length}) == 0) {symbol} = atoll(words[i] + {length});"
        );
    }
    text.push_str("  }\n  int status = 2;\n");
    for kernel in kernels {
        // What all of them are for comes first, by name where names are the same.
        let by_name = symbols.iter().all(|symbol| kernel.symbols.contains(symbol));
        let sizes = if by_name { kernel.symbols.join(", ") } else { symbols.join(", ") };
        let _ = writeln!(text, "  {{\n    const int one = check_{}({sizes});", kernel.name);
        text.push_str("    status = one == 2 ? status : status == 2 ? one : status | one;\n  }\n");
    }
    text.push_str("  printf(status == 0 ? \"as expected\\n\" : status == 1 ? \"too far apart\\n\" : \"not for these sizes\\n\");\n");
    text.push_str("  return status;\n}\n#endif\n");
    text
}

fn body(kernel: &Kernel, loops: &Loops, text: &mut String) {
    for value in &kernel.values {
        let number = match &value.formula {
            Formula::Expr(expr) => number(expr),
            Formula::Min(all) => nested("std::min<int64_t>", all),
            Formula::Max(all) => nested("std::max<int64_t>", all),
        };
        let _ = writeln!(text, "  const int64_t {} = {number};", value.name);
    }
    for guard in &kernel.requires {
        let _ = writeln!(text, "  if (!({})) {{", condition(guard));
        let _ =
            writeln!(text, "    fprintf(stderr, \"the kernel is for sizes with {guard}\\n\");\n    return 2;\n  }}");
    }
    text.push_str("  std::mt19937 random(123);\n");
    for port in &kernel.inputs {
        let _ = writeln!(text, "  Tensor<{}> {}_({});", stored(port.elem), port.name, elements(&port.shape));
        let _ = writeln!(text, "  fill({0}_.host, random);\n  {0}_.up();", port.name);
    }
    for buffer in &kernel.buffers {
        let _ = writeln!(text, "  Tensor<{}> {}_({});", stored(buffer.elem), buffer.name, elements(&buffer.shape));
    }
    for map in &kernel.tensor_maps {
        tensor_map(kernel, map, text);
    }
    for launch in &kernel.launches {
        launched(launch, text);
    }
    text.push_str("  must(cudaDeviceSynchronize(), \"running\");\n  bool good = true;\n");
    for name in &kernel.outputs {
        let Some(buffer) = kernel.buffers.iter().find(|buffer| buffer.name == *name && buffer.role == Role::Output)
        else {
            continue;
        };
        let _ = writeln!(
            text,
            "  {name}_.down();\n  std::vector<{}> {name}_wanted({name}_.host.size());",
            stored(buffer.elem)
        );
    }
    let pointer = |name: &str, elem: Elem, of: &str| {
        if elem == Elem::I1 { format!("(bool*){name}{of}.data()") } else { format!("{name}{of}.data()") }
    };
    // Sizes go by name where both have the same ones, and else by their order.
    let by_name = loops.symbols.iter().all(|name| kernel.symbols.contains(name));
    let mut args: Vec<String> = if by_name { loops.symbols.clone() } else { kernel.symbols.clone() };
    args.extend(kernel.inputs.iter().map(|port| pointer(&port.name, port.elem, "_.host")));
    let elem_of = |name: &String| {
        let buffer = kernel.buffers.iter().find(|buffer| buffer.name == *name);
        buffer.expect("an output of a manifest is one of its buffers").elem
    };
    for name in &kernel.outputs {
        let elem = elem_of(name);
        args.push(pointer(name, elem, "_wanted"));
    }
    let _ = writeln!(text, "  {}({});", loops.name, args.join(", "));
    for name in &kernel.outputs {
        let elem = elem_of(name);
        let tolerance = tolerance(kernel, elem);
        let _ = writeln!(text, "  good = compare(\"{name}\", {name}_.host, {name}_wanted, {tolerance}) && good;");
    }
    text.push_str("  return good ? 0 : 1;\n");
}

/// How far results may be from those of plain loops, as a part of them and of one: a few steps of the coarsest type.
fn tolerance(kernel: &Kernel, out: Elem) -> &'static str {
    let elems = kernel.inputs.iter().map(|port| port.elem).chain([out]);
    let coarse = elems.map(|elem| match elem {
        Elem::F8E4M3FN | Elem::F8E5M2 => 4,
        Elem::BF16 => 3,
        Elem::F16 => 2,
        Elem::F32 => 1,
        _ => 0,
    });
    match coarse.max().unwrap_or(0) {
        4 => "0.1",
        3 => "2e-2",
        2 => "4e-3",
        1 => "1e-3",
        _ if out == Elem::F64 => "1e-9",
        _ => "0",
    }
}

fn number(expr: &Expr) -> String {
    size(&expr.0)
}

fn nested(function: &str, all: &[Expr]) -> String {
    let mut all = all.iter().map(number);
    let first = all.next().unwrap_or_default();
    all.fold(first, |made, next| format!("{function}({made}, {next})"))
}

fn elements(shape: &[Expr]) -> String {
    count(&shape.iter().map(|expr| expr.0.clone()).collect::<Vec<SizeExpr>>())
}

fn condition(guard: &Guard) -> String {
    format!("{} {} {}", factor(&number(&guard.left)), guard.sign(), factor(&number(&guard.right)))
}

fn data_type(elem: Elem) -> &'static str {
    match elem {
        Elem::F16 => "FLOAT16",
        Elem::BF16 => "BFLOAT16",
        Elem::F32 => "FLOAT32",
        Elem::F64 => "FLOAT64",
        Elem::I32 => "INT32",
        Elem::UI32 => "UINT32",
        Elem::I64 | Elem::Index => "INT64",
        Elem::UI64 => "UINT64",
        Elem::I16 | Elem::UI16 => "UINT16",
        Elem::F8E4M3FN | Elem::F8E5M2 | Elem::I1 | Elem::I8 | Elem::UI8 => "UINT8",
    }
}

/// Encodes a tensor map: the driver has the fastest axis first.
fn tensor_map(kernel: &Kernel, map: &TensorMap, text: &mut String) {
    let shape = kernel
        .inputs
        .iter()
        .map(|port| (&port.name, &port.shape))
        .chain(kernel.buffers.iter().map(|buffer| (&buffer.name, &buffer.shape)))
        .find(|(name, _)| **name == map.buffer)
        .map_or(&[][..], |(_, shape)| shape.as_slice());
    let shape = map.shape.as_deref().unwrap_or(shape);
    let rank = shape.len();
    let name = &map.name;
    let dims: Vec<String> = shape.iter().rev().map(|size| format!("cuuint64_t({})", number(size))).collect();
    let bytes = map.elem.size();
    let strides: Vec<String> = (1..rank)
        .map(|axis| {
            let inner: Vec<SizeExpr> = shape[rank - axis..].iter().map(|expr| expr.0.clone()).collect();
            format!("cuuint64_t({} * {bytes})", count(&inner))
        })
        .collect();
    let strides = if strides.is_empty() { vec!["0".into()] } else { strides };
    let swizzle = match map.swizzle {
        128 => "128B",
        64 => "64B",
        32 => "32B",
        _ => "NONE",
    };
    let list = |numbers: Vec<String>| numbers.join(", ");
    let _ = writeln!(text, "  CUtensorMap {name};");
    let _ = writeln!(text, "  {{\n    const cuuint64_t dims[] = {{{}}};", list(dims));
    let _ = writeln!(text, "    const cuuint64_t strides[] = {{{}}};", list(strides));
    let mut steps = vec!["1".to_string(); rank];
    let ends = format!(
        "steps, CU_TENSOR_MAP_INTERLEAVE_NONE,\n        CU_TENSOR_MAP_SWIZZLE_{swizzle}, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, \
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"
    );
    let begins = format!(
        "&{name}, CU_TENSOR_MAP_DATA_TYPE_{}, {rank}, {}_.device, dims, strides",
        data_type(map.elem),
        map.buffer
    );
    let (function, middle) = match &map.im2col {
        None => {
            let tile: Vec<String> = map.tile.iter().rev().map(ToString::to_string).collect();
            let _ = writeln!(text, "    const cuuint32_t box[] = {{{}}};", list(tile));
            ("cuTensorMapEncodeTiled", "box".to_string())
        }
        Some(window) => {
            for (step, wanted) in steps.iter_mut().skip(1).zip(window.strides.iter().rev()) {
                *step = wanted.to_string();
            }
            let corner = |corner: &[i32]| list(corner.iter().rev().map(ToString::to_string).collect());
            let _ = writeln!(
                text,
                "    const int lower[] = {{{}}}, upper[] = {{{}}};",
                corner(&window.lower),
                corner(&window.upper)
            );
            let (pixels, channels) = (map.tile.first().copied().unwrap_or(1), map.tile.get(1).copied().unwrap_or(1));
            ("cuTensorMapEncodeIm2col", format!("lower, upper, {channels}, {pixels}"))
        }
    };
    let _ = writeln!(text, "    const cuuint32_t steps[] = {{{}}};", list(steps));
    let _ = writeln!(text, "    const auto encode = (decltype(&{function}))driver_function(\"{function}\");");
    let _ = writeln!(text, "    const CUresult made = encode({begins}, {middle},\n        {ends});");
    let _ = writeln!(
        text,
        "    if (made != CUDA_SUCCESS) {{\n      fprintf(stderr, \"no tensor map of {} for these sizes: %d\\n\", int(made));\n      return 2;\n    }}\n  }}",
        map.buffer
    );
}

/// Starts an entry.
fn launched(launch: &Launch, text: &mut String) {
    let entry = &launch.entry;
    let _ = writeln!(text, "  {{\n    cudaLaunchConfig_t start = {{}};");
    let grid: Vec<String> = launch.grid.iter().map(|size| format!("unsigned({})", number(size))).collect();
    let _ = writeln!(
        text,
        "    start.gridDim = dim3({});\n    start.blockDim = dim3({});",
        grid.join(", "),
        launch.threads
    );
    if launch.shared > 0 {
        let _ = writeln!(text, "    start.dynamicSmemBytes = {};", launch.shared);
        let _ = writeln!(
            text,
            "    must(cudaFuncSetAttribute({entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}), \"shared memory\");",
            launch.shared
        );
    }
    if launch.early {
        text.push_str(
            "    cudaLaunchAttribute early = {};\n    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n",
        );
        text.push_str("    early.val.programmaticStreamSerializationAllowed = 1;\n    start.attrs = &early;\n    start.numAttrs = 1;\n");
    }
    let mut args = Vec::new();
    for (number_of, arg) in launch.args.iter().enumerate() {
        args.push(match arg {
            Arg::Map(name) => format!("&{name}"),
            Arg::Buffer(name) => format!("&{name}_.device"),
            Arg::I32(expr) | Arg::I64(expr) => {
                let name = format!("size{number_of}");
                let ty = if matches!(arg, Arg::I64(_)) { "int64_t" } else { "int" };
                let _ = writeln!(text, "    {ty} {name} = {ty}({});", number(expr));
                format!("&{name}")
            }
        });
    }
    let _ = writeln!(text, "    void* args[] = {{{}}};", args.join(", "));
    text.push_str("    if (start.gridDim.x > 0 && start.gridDim.y > 0 && start.gridDim.z > 0) {\n");
    let _ = writeln!(
        text,
        "      must(cudaLaunchKernelExC(&start, (const void*){entry}, args), \"launching {entry}\");\n    }}\n  }}"
    );
}
