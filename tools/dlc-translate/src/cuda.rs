//! From functions of instructions to CUDA C++ for people.
//!
//! What is translated are the instructions, so that every kernel that has some has C++, and it is the same kernel: the
//! same loads, barriers and products in the same order. What makes it readable is found again: nested statements for
//! branches (`tree`, `tidy`), expressions for what is used once (`values`, `expr`), arrays for fragments, types
//! (`kinds`). An instruction that C++ has no words for is a call of a small function that holds it (`helpers`).
//! What runs again and again is rolled up (`runs`); a `main` compares a kernel with plain loops (`check`, `loops`).

mod address;
mod check;
mod entry;
mod expr;
mod helpers;
mod kinds;
mod loops;
mod numbers;
mod runs;
mod scopes;
mod source;
mod tidy;
mod tree;
mod values;

use std::fmt::Write as _;

use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Body, Context, OpRef};
use dlc_ptx::ops::Func;

use crate::manifest::Manifest;
use crate::manifest::schema::Kernel;
use helpers::Helpers;
use values::Values;

dlc_ir::codes! {
    /// A kernel has no C++: its branches are no nested statements, or an op of it is no instruction.
    NO_STRUCTURE = "E0571" "NoStructure";
    /// A `main` that checks kernels cannot be written: there is nothing to compare them with, or something else.
    NO_CHECK = "E0572" "NoCheck";
    /// A program has no plain loops.
    NO_LOOPS = "E0573" "NoLoops";
}

/// What a `main` compares a kernel with.
pub struct Against<'a> {
    /// A module of regions.
    pub program: &'a Body,
    /// The sizes that symbols have unless they are given.
    pub shape: &'a [(String, i64)],
}

/// The integers that a host's header has.
const INTEGERS: &[(&str, &str)] = &[
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
    ("int64_t", "long long"),
    ("uint64_t", "unsigned long long"),
];

/// A module in C++.
pub struct Made {
    /// The kernels, and what they need.
    pub text: String,
}

/// The kernels of a module in C++. What goes wrong is reported.
pub fn translate(
    ctx: &Context,
    module: &Body,
    manifest: &Manifest,
    against: Option<Against<'_>>,
    diags: &Diagnostics,
) -> Option<Made> {
    let main = match against {
        Some(against) => Some(checked(ctx, manifest, &against, diags)?),
        None => None,
    };
    let mut helpers = Helpers::default();
    let mut entries = String::new();
    for id in module.entry_block().into_iter().flat_map(|block| module.ops(block)) {
        let function = OpRef::new(ctx, module, id).resolve();
        if Func::of(function).is_none() {
            continue;
        }
        let name = function.symbol_name().unwrap_or_default();
        if let Some(kernel) = manifest.kernels.iter().find(|kernel| kernel.name == name) {
            entries.push_str(&signature(kernel));
        }
        for entry in dlc_ptx::emit::entries(function) {
            let Some(&region) = entry.regions().first() else { continue };
            if entry.shared() > 0 {
                helpers.preset("shared_address");
            }
            let values = match Values::of(entry, region) {
                Ok(values) => values,
                Err((op, why)) => {
                    diags.emit(Diagnostic::error(&NO_STRUCTURE, op.loc(), why).at(op.name()));
                    return None;
                }
            };
            let Some(nodes) = tree::structure(ctx, function.body, region) else {
                let message = "a loop is entered in several places, which C++ has no statement for";
                let error = Diagnostic::error(&NO_STRUCTURE, entry.loc(), message).at((*entry).name());
                diags.emit(error.suggest("let branches from outside of a loop go to its first block alone"));
                return None;
            };
            let nodes = tidy::tidy(nodes, &values);
            entries.push_str(&entry::entry(entry, values, &nodes, &mut helpers, source::Lines::new(ctx)));
            entries.push('\n');
        }
    }
    let mut text = String::from("// Written by dlc-translate --to-cuda.\n//\n");
    let of = manifest.target.strip_prefix("sm_").unwrap_or(&manifest.target);
    let _ = writeln!(text, "//   nvcc -std=c++17 -O3 -fmad=false -gencode arch=compute_{of},code=sm_{of}");
    text.push_str(
        "//\n// -fmad=false leaves sums and products apart where the kernel does; what it joins says fmaf.\n\n",
    );
    let functions = helpers.text();
    let all = format!("{functions}{entries}");
    let has = |word: &str| all.contains(word);
    text.push_str("#ifdef __CUDACC_RTC__\n");
    text.push_str("// NVRTC has no headers of a host.\n");
    for (name, of) in INTEGERS {
        if has(name) || name == &"uint32_t" {
            let _ = writeln!(text, "typedef {of} {name};");
        }
    }
    if has("CUtensorMap") {
        text.push_str("struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };\n");
    }
    text.push_str("#else\n#include <cstdint>\n");
    if has("CUtensorMap") {
        text.push_str("#include <cuda.h>\n");
    }
    text.push_str("#endif\n");
    for (word, file) in [("__nv_bfloat16", "cuda_bf16.h"), ("__half", "cuda_fp16.h"), ("__nv_fp8", "cuda_fp8.h")] {
        if has(word) {
            let _ = writeln!(text, "#include <{file}>");
        }
    }
    if has("INFINITY") {
        text.push_str("#include <math_constants.h>\n#ifndef INFINITY\n#define INFINITY CUDART_INF_F\n#endif\n");
    }
    text.push('\n');
    text.push_str(&functions);
    text.push_str(entries.trim_end());
    text.push('\n');
    text.push_str(&main.unwrap_or_default());
    Some(Made { text })
}

/// The `main` of the kernels.
fn checked(ctx: &Context, manifest: &Manifest, against: &Against<'_>, diags: &Diagnostics) -> Option<String> {
    let refuse = |message: String, hint: &str| {
        let error = Diagnostic::error(&NO_CHECK, dlc_ir::Loc::UNKNOWN, message);
        diags.emit(error.suggest(hint.to_string()));
        None
    };
    let loops = match loops::loops(ctx, against.program) {
        Ok(Some(loops)) => loops,
        Ok(None) => {
            return refuse("the program to compare with has no regions".into(), "run 'dlc-opt --emit=region' before");
        }
        Err(loops::Wrong(op, why)) => {
            diags.emit(Diagnostic::error(&NO_LOOPS, op.loc(), why).at(op.name()));
            return None;
        }
    };
    let wanted = (loops.symbols.len(), loops.inputs, loops.outputs);
    for kernel in &manifest.kernels {
        let takes = (kernel.symbols.len(), kernel.inputs.len(), kernel.outputs.len());
        if takes != wanted {
            let message = format!(
                "the kernel '{}' has {} symbols, {} inputs and {} outputs, and the program {}, {} and {}",
                kernel.name, takes.0, takes.1, takes.2, wanted.0, wanted.1, wanted.2
            );
            let hint = "compare it with a program of the same symbols, inputs and outputs, in the same order; write each \
                        kernel of a module that is not one of several for the same by itself";
            return refuse(message, hint);
        }
    }
    Some(check::main(&manifest.kernels, &loops, against.shape))
}

/// What a kernel takes and gives, as a comment.
fn signature(kernel: &Kernel) -> String {
    let shape = |shape: &[crate::manifest::expr::Expr]| {
        let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
        format!("[{}]", sizes.join(", "))
    };
    let inputs: Vec<String> = kernel
        .inputs
        .iter()
        .map(|port| format!("{}: {} {}", port.name, port.elem.name(), shape(&port.shape)))
        .collect();
    let outputs: Vec<String> = kernel
        .outputs
        .iter()
        .filter_map(|name| kernel.buffers.iter().find(|buffer| buffer.name == *name))
        .map(|buffer| format!("{}: {} {}", buffer.name, buffer.elem.name(), shape(&buffer.shape)))
        .collect();
    let mut text = format!("// {}({}) -> {}\n", kernel.name, inputs.join(", "), outputs.join(", "));
    if !kernel.requires.is_empty() {
        let all: Vec<String> = kernel.requires.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "// for {}", all.join(", "));
    }
    text
}
