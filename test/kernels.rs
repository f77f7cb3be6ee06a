//! Evaluates every kernel of `kernels/` in several orders of its thread groups and compares it with the program of tensors
//! next to it, at sizes with tails, at one and at zero; and so some that passes make.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dlc_core::sizes::Bindings;
use dlc_ir::diag::{Diagnostics, Style, render};
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};
use dlc_kernel::interp::Seed;
use dlc_opt::compare::{Tolerance, compare};
use dlc_opt::function::{Function, functions, sizes};
use dlc_opt::generate::{Spread, numbers};
use dlc_opt::numbers::{Numbers, Values};
use dlc_passes as _;

/// A kernel, what it must agree with, and the sizes of both.
struct Case {
    kernel: &'static str,
    reference: &'static str,
    /// What the text says of the machine, and what is said here so that a few tiles are several for each block.
    machine: (&'static str, &'static str),
    /// In the order of the symbols.
    sizes: &'static [&'static [i64]],
    tolerance: Tolerance,
    /// What the numbers, which are up to one, are multiplied by.
    factor: f64,
}

/// What sums of products of numbers up to one differ by when they are rounded to f16 once.
const HALF: Tolerance = Tolerance { rtol: 2e-3, atol: 2e-3 };

/// Rows for each of the kernels that a program of them chooses from: whole vectors, few and many, and unaligned rows.
const ROWS: &[&[i64]] =
    &[&[3, 1000], &[1, 4096], &[2, 4104], &[1, 8192], &[1, 1], &[9, 13], &[2, 8185], &[0, 8], &[4, 0], &[0, 3]];

/// How many orders each is evaluated in.
const SEEDS: u64 = 3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

fn parse(ctx: &Context, name: &str, text: String) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add(name, text).expect("the text is short");
    let body = parse_module(ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok();
    body.filter(|body| verify(ctx, body, &diags)).unwrap_or_else(|| {
        let list: String = diags.take().iter().map(|each| render(ctx, each, Style::default())).collect();
        panic!("{name}:\n{list}")
    })
}

fn read(ctx: &Context, name: &str, (word, instead): (&str, &str)) -> (Body, Function) {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(text.contains(word), "{name} does not say '{word}'");
    let body = parse(ctx, name, text.replacen(word, instead, 1));
    // A program of several kernels comes before them.
    let function = functions(ctx, &body).into_iter().next().expect("a function");
    (body, function)
}

fn call(
    ctx: &Context,
    (body, function): &(Body, Function),
    inputs: &[Datum],
    bindings: &Bindings,
    seed: u64,
) -> Vec<Values> {
    let mut interpreter = Interpreter::new(ctx, body);
    *interpreter.state::<Bindings>() = bindings.clone();
    interpreter.state::<Seed>().0 = seed;
    let results = interpreter
        .call(&function.name, inputs)
        .unwrap_or_else(|failure| panic!("{bindings:?}, order {seed}: {}", render(ctx, &failure, Style::default())));
    let values = |(port, datum)| {
        let port: &dlc_opt::function::Port = port;
        Values::of(ctx, port.ty, datum).unwrap_or_else(|why| panic!("the output {}: {why}", port.name))
    };
    function.outputs.iter().zip(&results).map(values).collect()
}

fn check(case: &Case) {
    let ctx = Context::new([&dlc_core::DIALECT, &dlc_frontend::DIALECT, &dlc_host::DIALECT, &dlc_kernel::DIALECT]);
    let kernel = read(&ctx, &format!("{}.mlir", case.kernel), case.machine);
    let reference = read(&ctx, &format!("Inputs/{}.mlir", case.reference), ("", ""));
    agree(&ctx, case, &kernel, &reference);
}

/// Runs a kernel in several orders, and what it must agree with.
fn agree(ctx: &Context, case: &Case, kernel: &(Body, Function), reference: &(Body, Function)) {
    let function = &kernel.1;
    for sizes_of in case.sizes {
        assert_eq!(sizes_of.len(), function.symbols.len(), "{}: a size for each symbol", case.kernel);
        let mut bindings = Bindings::default();
        for (symbol, &size) in function.symbols.iter().zip(*sizes_of) {
            bindings.set(symbol, size).expect("each symbol once");
        }
        let input = |port: &dlc_opt::function::Port| {
            let (dims, elem) = sizes(ctx, port.ty).expect("a memref");
            let shape = bindings.values(&dims).expect("sizes that are not negative");
            let mut numbers =
                numbers(ctx, elem, shape.iter().product(), Spread::Small, 1, &port.name).expect("numbers");
            if let Numbers::Float(values) = &mut numbers {
                values.iter_mut().for_each(|value| *value *= case.factor);
            }
            Values { shape, elem, numbers }.to_datum(ctx, port.ty).expect("numbers of the type")
        };
        let inputs: Vec<Datum> = function.inputs.iter().map(input).collect();
        let wanted = call(ctx, reference, &inputs, &bindings, 0);
        for seed in 0..SEEDS {
            let found = call(ctx, kernel, &inputs, &bindings, seed);
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(found.shape, wanted.shape, "{}: {bindings:?}", case.kernel);
                let result = compare(&found.numbers, &wanted.numbers, case.tolerance);
                assert_eq!(result.differing, 0, "{}: {bindings:?}, order {seed}: {result:?}", case.kernel);
            }
        }
    }
}

const CASES: &[Case] = &[
    Case {
        kernel: "gemm_pingpong",
        reference: "gemm",
        machine: ("index (132)", "index (2)"),
        sizes: &[&[1, 8, 8], &[300, 136, 200], &[130, 0, 8], &[0, 8, 8], &[8, 8, 0], &[400, 400, 64]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "gemm_cooperative",
        reference: "gemm",
        machine: ("index (66)", "index (1)"),
        sizes: &[&[1, 8, 8], &[300, 272, 328], &[130, 0, 8], &[0, 8, 8], &[8, 8, 0], &[8, 520, 128]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "chain",
        reference: "chain",
        machine: ("index (132)", "index (2)"),
        sizes: &[&[1, 1, 8], &[2, 200, 136], &[0, 8, 8], &[1, 0, 8], &[2, 8, 0], &[5, 72, 200]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "conv_im2col",
        reference: "conv",
        machine: ("index (132)", "index (2)"),
        sizes: &[&[1, 1, 1, 8, 8], &[3, 9, 12, 72, 136], &[0, 4, 4, 8, 8], &[2, 5, 6, 0, 8], &[1, 21, 26, 8, 16]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "attention",
        reference: "attention",
        machine: ("index (132)", "index (2)"),
        sizes: &[&[1, 1, 1], &[2, 200, 250], &[0, 8, 8], &[3, 0, 8], &[5, 65, 113]],
        tolerance: HALF,
        factor: 4.0,
    },
    Case {
        kernel: "attention_causal",
        reference: "attention_causal",
        machine: ("index (132)", "index (2)"),
        sizes: &[&[1, 1, 1], &[2, 200, 250], &[0, 8, 8], &[3, 0, 8], &[1, 450, 450], &[5, 130, 20]],
        tolerance: HALF,
        factor: 4.0,
    },
    Case { kernel: "row_softmax", reference: "softmax", machine: ("", ""), sizes: ROWS, tolerance: HALF, factor: 8.0 },
    Case {
        kernel: "row_layernorm",
        reference: "layernorm",
        machine: ("", ""),
        sizes: ROWS,
        tolerance: HALF,
        factor: 1.0,
    },
    Case { kernel: "row_rmsnorm", reference: "rmsnorm", machine: ("", ""), sizes: ROWS, tolerance: HALF, factor: 1.0 },
    Case { kernel: "gelu_add", reference: "gelu_add", machine: ("", ""), sizes: ROWS, tolerance: HALF, factor: 4.0 },
    Case {
        kernel: "gemm_small_m",
        reference: "gemm_small_m",
        machine: ("", ""),
        sizes: &[&[1, 8, 8], &[17, 136, 72], &[16, 128, 832], &[0, 8, 8], &[4, 0, 8], &[4, 8, 0]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "conv_window",
        reference: "conv_window",
        machine: ("index (132)", "index (1)"),
        sizes: &[&[1, 1], &[2, 5], &[0, 4], &[2, 0]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "gemm_sm80",
        reference: "gemm_nn",
        machine: ("", ""),
        sizes: &[&[1, 8, 8], &[150, 136, 264], &[0, 8, 8], &[4, 0, 8], &[4, 8, 0]],
        tolerance: HALF,
        factor: 1.0,
    },
    Case {
        kernel: "sgemm",
        reference: "sgemm",
        machine: ("", ""),
        sizes: &[&[1, 4, 4], &[150, 132, 36], &[0, 8, 8], &[4, 0, 8], &[4, 8, 0]],
        tolerance: Tolerance::WIDE,
        factor: 1.0,
    },
    Case {
        kernel: "split_k",
        reference: "sgemm",
        machine: ("", ""),
        sizes: &[&[1, 4, 4], &[70, 136, 100], &[0, 8, 8], &[4, 0, 8], &[4, 8, 0]],
        tolerance: Tolerance::WIDE,
        factor: 1.0,
    },
    Case {
        kernel: "split_k_flags",
        reference: "sgemm",
        machine: ("", ""),
        sizes: &[&[1, 4, 4], &[70, 136, 100], &[0, 8, 8], &[4, 0, 8], &[4, 8, 0]],
        tolerance: Tolerance::WIDE,
        factor: 1.0,
    },
    Case {
        kernel: "scan",
        reference: "cumsum",
        machine: ("", ""),
        sizes: &[&[1, 4], &[200, 140], &[33, 1], &[0, 8], &[4, 0], &[321, 3]],
        tolerance: Tolerance::WIDE,
        factor: 1.0,
    },
];

/// A test for each kernel.
macro_rules! kernels {
    ($($kernel:ident)*) => {
        $(#[test]
        fn $kernel() {
            let case = CASES.iter().find(|case| case.kernel == stringify!($kernel)).expect("a case");
            check(case);
        })*

        #[test]
        fn every_kernel_has_a_test() {
            let files = std::fs::read_dir(folder()).expect("the folder is there");
            let kernels: BTreeSet<String> = files
                .filter_map(|file| file.expect("the folder can be read").file_name().into_string().ok())
                .filter_map(|name| name.strip_suffix(".mlir").map(str::to_string))
                .collect();
            let tests: BTreeSet<String> = [$(stringify!($kernel).to_string()),*].into();
            assert_eq!(kernels, tests);
        }
    };
}

kernels! {
    gemm_pingpong gemm_cooperative chain conv_im2col attention attention_causal row_softmax row_layernorm
    row_rmsnorm gelu_add gemm_small_m conv_window gemm_sm80 sgemm split_k split_k_flags scan
}

/// What passes make where blocks share the steps of the last tiles, against the regions that they come from.
#[test]
fn shared_steps() {
    let dialects = [&dlc_core::DIALECT, &dlc_kernel::DIALECT, &dlc_plan::DIALECT, &dlc_region::DIALECT];
    let ctx = Context::new(dialects);
    let path = folder().join("../pipelines/kernel-schedule-stream.mlir");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let regions = parse(&ctx, "kernel-schedule-stream.mlir", text);
    let (registry, counters, diags) = (Registry::linked(), DebugCounters::off(), Diagnostics::new());
    let manager = Manager {
        ctx: &ctx,
        registry: &registry,
        options: ManagerOptions::default(),
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let pipeline = Pipeline::parse(&registry, "tensorize,kernel-schedule").expect("the passes are linked in");
    let mut kernels = regions.clone();
    assert!(manager.run(&pipeline, &mut kernels, &diags).failure.is_none());
    let case = Case {
        kernel: "kernel-schedule-stream",
        reference: "",
        machine: ("", ""),
        sizes: &[&[130, 392, 328], &[1, 8, 8], &[3, 8, 0], &[0, 8, 8], &[520, 136, 72]],
        tolerance: HALF,
        factor: 1.0,
    };
    for (kernel, region) in functions(&ctx, &kernels).into_iter().zip(functions(&ctx, &regions)) {
        assert_eq!(kernel.name, region.name);
        agree(&ctx, &case, &(kernels.clone(), kernel), &(regions.clone(), region));
    }
}
