//! Views seen as indices.

use dlc_core::space::Space;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::Diagnostics;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, OpRef};
use dlc_passes::analysis::access::{Access, Shapes, Step};

/// What the returned value of a function with the argument `%x` is: the index into the source, and the guard.
fn seen(symbols: &str, ty: &str, views: &[&str]) -> String {
    let ctx = Context::new([&dlc_tiny::DIALECT, &dlc_core::DIALECT]);
    let result = views.last().and_then(|line| line.rsplit_once(" : ")).map_or(ty, |(_, ty)| ty);
    let text = format!(
        "tiny.func @f{symbols}(%x: {ty}) -> {result} {{\n{}\n  return %x\n}}",
        views.iter().map(|line| format!("  %x = {line}\n")).collect::<String>()
    );
    // Each line defines the next `%x`.
    let text = number(&text);
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.as_str().into()).expect("the text is short");
    let module = parse_module(&ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let module = module.ok().filter(|module| verify(&ctx, module, &diags));
    let module = module.unwrap_or_else(|| panic!("{text}\n{:?}", diags.take()));
    let func = module.ops(module.entry_block().expect("a module has a block")).next().expect("there is a function");
    show(&ctx, module.nested(func).expect("a function is isolated"))
}

fn number(text: &str) -> String {
    let mut current = 0;
    let lines = text.lines().map(|line| match line.strip_prefix("  %x = ") {
        Some(rest) => {
            current += 1;
            format!("  %x{current} = {}\n", rest.replace("%x", &format!("%x{}", current - 1)))
        }
        None => line.replace("return %x", &format!("return %x{current}")).replace("%x:", "%x0:") + "\n",
    });
    lines.collect()
}

fn show(ctx: &Context, body: &Body) -> String {
    let end = body.last_op(body.entry_block().expect("a function has a block")).expect("it returns");
    let value = body.operand(end, 0);
    let shapes = Shapes::default();
    let sizes = shapes.of(ctx, body.value_type(value));
    let mut space = Space::of(&sizes).expect("the sizes are small");
    let mut access = Access::of(value, sizes.len());
    let stopped = loop {
        match access.step(ctx, body, &mut space, &shapes) {
            Step::To(next) => access = next,
            Step::Source => break String::new(),
            Step::Unknown(why) => {
                let op = body.defining_op(access.source).expect("a view is an op");
                break format!(" at {}: {why}", OpRef::new(ctx, body, op).name());
            }
        }
    };
    let text = |expr: &_| {
        let dim = |index: u32| SizeExpr::symbol(&format!("d{index}")).ok();
        space.to_size(expr, &dim).expect("the numbers are small").to_string()
    };
    let index: Vec<String> = access.index.iter().map(text).collect();
    let guard = access.guard.iter().map(|bound| format!(" if 0 <= {} < {}", text(&bound.expr), text(&bound.size)));
    let fill = access.fill.map(|fill| format!(" else {}", fill.display(ctx))).unwrap_or_default();
    format!("[{}]{}{fill}{stopped}", index.join(", "), guard.collect::<String>())
}

#[test]
fn single_views() {
    let one = |view: &str| seen("<M, N, K>", "tensor<[M, N], f32>", &[view]);
    assert_eq!(one("reshape %x to [M, 1, N] : tensor<[M, 1, N], f32>"), "[d0, d2]");
    assert_eq!(one("reshape %x to [M*N] : tensor<[M*N], f32>"), "[d0 floordiv N, d0 mod N]");
    assert_eq!(one("permute %x by [1, 0] : tensor<[N, M], f32>"), "[d1, d0]");
    assert_eq!(one("expand %x to [M, K, N] dims [0, 2] : tensor<[M, K, N], f32>"), "[d0, d2]");
    assert_eq!(one("flip %x over [1] : tensor<[M, N], f32>"), "[d0, N - d1 - 1]");
    assert_eq!(
        one("shrink %x from [1, 0] to [M, N] step [1, 2] : tensor<[M - 1, N ceildiv 2], f32>"),
        "[d0 + 1, 2*d1]"
    );
    assert_eq!(
        one("pad %x low [1, 0] high [0, K] : tensor<[M + 1, N + K], f32>"),
        "[d0 - 1, d1] if 0 <= d0 - 1 < M if 0 <= d1 < N"
    );
    assert_eq!(
        one("pad %x low [1, 0] high [0, 0] value 1.0 : f32 : tensor<[M + 1, N], f32>"),
        "[d0 - 1, d1] if 0 <= d0 - 1 < M else 1.000000e+00 : f32"
    );
    assert_eq!(one("view %x : tensor<[M, N], f32>"), "[d0, d1]");
    assert_eq!(one("load %x at [i1, i0 floordiv 2] : tensor<[N, M], f32>"), "[d1, d0 floordiv 2]");
    assert_eq!(one("load %x at [0, i0 + K] : tensor<[N], f32>"), "[0, K + d0]");
}

#[test]
fn strided_views() {
    let text = seen("", "tensor<[6, 4], f32>", &["view %x as [4, 6] strides [1, 4] start [0] : tensor<[4, 6], f32>"]);
    assert_eq!(text, "[d1, d0]");
}

#[test]
fn axes_of_equal_size_are_paired() {
    let views = ["reshape %x to [B, S, H, D] : tensor<[B, S, H, D], f32>"];
    assert_eq!(seen("<B, S, H, D>", "tensor<[B*S, H*D], f32>", &views), "[S*d0 + d1, D*d2 + d3]");
    let views = [
        "reshape %x to [B*S, H*D] : tensor<[B*S, H*D], f32>",
        "reshape %x to [B, S, H, D] : tensor<[B, S, H, D], f32>",
    ];
    assert_eq!(seen("<B, S, H, D>", "tensor<[B, S, H, D], f32>", &views), "[d0, d1, d2, d3]");
    let views = ["reshape %x to [1, 2, 12] : tensor<[1, 2, 12], f32>"];
    assert_eq!(seen("", "tensor<[2, 3, 4, 1], f32>", &views), "[d1, d2 floordiv 4, d2 mod 4, 0]");
}

#[test]
fn repetition_is_a_quotient() {
    let views = [
        "expand %x to [4, 1, 2, 24] dims [1, 2, 3] : tensor<[4, 1, 2, 24], f16>",
        "permute %x by [1, 2, 0, 3] : tensor<[1, 2, 4, 24], f16>",
        "reshape %x to [1, 8, 24] : tensor<[1, 8, 24], f16>",
    ];
    assert_eq!(seen("", "tensor<[1, 2, 24], f16>", &views), "[d0, d1 floordiv 4, d2]");
}

/// The windows of a convolution with stride 2 and one row and column around, as tinygrad writes them.
#[test]
fn windows_of_a_convolution() {
    let views = [
        "pad %x low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[2, 8, 17, 19], f16>",
        "reshape %x to [2, 8, 1, 17, 1, 19] : tensor<[2, 8, 1, 17, 1, 19], f16>",
        "reshape %x to [2, 8, 17, 19] : tensor<[2, 8, 17, 19], f16>",
        "expand %x to [4, 4, 2, 8, 17, 19] dims [2, 3, 4, 5] : tensor<[4, 4, 2, 8, 17, 19], f16>",
        "permute %x by [2, 3, 0, 4, 1, 5] : tensor<[2, 8, 4, 17, 4, 19], f16>",
        "reshape %x to [2, 8, 68, 76] : tensor<[2, 8, 68, 76], f16>",
        "shrink %x from [0, 0, 0, 0] to [2, 8, 54, 60] : tensor<[2, 8, 54, 60], f16>",
        "reshape %x to [2, 8, 3, 18, 3, 20] : tensor<[2, 8, 3, 18, 3, 20], f16>",
        "shrink %x from [0, 0, 0, 0, 0, 0] to [2, 8, 3, 16, 3, 18] : tensor<[2, 8, 3, 16, 3, 18], f16>",
        "reshape %x to [2, 8, 3, 8, 2, 3, 9, 2] : tensor<[2, 8, 3, 8, 2, 3, 9, 2], f16>",
        "shrink %x from [0, 0, 0, 0, 0, 0, 0, 0] to [2, 8, 3, 8, 1, 3, 9, 1] : tensor<[2, 8, 3, 8, 1, 3, 9, 1], f16>",
        "reshape %x to [2, 8, 3, 8, 3, 9] : tensor<[2, 8, 3, 8, 3, 9], f16>",
        "permute %x by [0, 1, 3, 5, 2, 4] : tensor<[2, 8, 8, 9, 3, 3], f16>",
    ];
    assert_eq!(
        seen("", "tensor<[2, 8, 15, 17], f16>", &views),
        "[d0, d1, 2*d2 + d4 - 1, 2*d3 + d5 - 1] if 0 <= 2*d2 + d4 - 1 < 15 if 0 <= 2*d3 + d5 - 1 < 17"
    );
}

/// A triangle of ones, which is how tinygrad counts.
#[test]
fn a_triangle() {
    let views = [
        "expand %x to [24] dims [] : tensor<[24], i32>",
        "pad %x low [23] high [0] : tensor<[47], i32>",
        "expand %x to [25, 47] dims [1] : tensor<[25, 47], i32>",
        "reshape %x to [1175] : tensor<[1175], i32>",
        "shrink %x from [0] to [1152] : tensor<[1152], i32>",
        "reshape %x to [24, 48] : tensor<[24, 48], i32>",
        "shrink %x from [0, 0] to [24, 24] : tensor<[24, 24], i32>",
    ];
    assert_eq!(seen("", "tensor<[], i32>", &views), "[] if 0 <= d0 + d1 - 23 < 24");
}

#[test]
fn pads_that_differ_end_an_access() {
    let pads =
        ["pad %x low [1] high [0] value 1.0 : f32 : tensor<[5], f32>", "pad %x low [2] high [0] : tensor<[7], f32>"];
    let text = seen("", "tensor<[4], f32>", &pads);
    assert_eq!(text, "[d0 - 2] if 0 <= d0 - 2 < 5 at tiny.pad: two pads put different numbers around");
    let pads = ["pad %x low [1] high [0] : tensor<[5], f32>", "pad %x low [2] high [0] : tensor<[7], f32>"];
    // What the second one bounds follows from the first.
    assert_eq!(seen("", "tensor<[4], f32>", &pads), "[d0 - 3] if 0 <= d0 - 3 < 4");
    // Only padding is cut off, so there is no guard.
    let cut = ["pad %x low [1] high [3] : tensor<[8], f32>", "shrink %x from [1] to [5] : tensor<[4], f32>"];
    assert_eq!(seen("", "tensor<[4], f32>", &cut), "[d0]");
}

/// Without elements there is nothing to find, and nothing goes wrong.
#[test]
fn no_elements() {
    let of = |from: &str, view: &str| seen("", from, &[view]);
    let unknown = " at tiny.reshape: how the axes of a reshape go together is not known";
    assert_eq!(of("tensor<[0, 3], f32>", "reshape %x to [5, 0] : tensor<[5, 0], f32>"), format!("[d0, d1]{unknown}"));
    assert_eq!(of("tensor<[2, 0], f32>", "reshape %x to [0] : tensor<[0], f32>"), format!("[d0]{unknown}"));
    assert_eq!(of("tensor<[0, 6], f32>", "reshape %x to [0, 2, 3] : tensor<[0, 2, 3], f32>"), "[d0, 3*d1 + d2]");
    // Any position will do where there is none.
    assert_eq!(of("tensor<[0], f32>", "flip %x over [0] : tensor<[0], f32>"), "[-d0 - 1]");
}

#[test]
fn splitting_an_axis() {
    let size = |text: &str| SizeExpr::parse(text).expect(text);
    let mut space = Space::of(&[size("2*H"), size("N")]).expect("the sizes are small");
    let (split, dims) = space.split(0, &size("2")).expect("two divides it");
    assert_eq!(split.sizes(), [size("H"), size("2"), size("N")]);
    assert_eq!(dims.iter().map(|dim| dim.to_string()).collect::<Vec<_>>(), ["d0 * 2 + d1", "d2"]);
    assert!(space.split(1, &size("2")).is_none());
    assert!(space.affine(&size("H*N")).is_some());
}
