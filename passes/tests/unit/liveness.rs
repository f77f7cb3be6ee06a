//! What small programs of branches need where, by the names of values.

use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{BlockId, Body, Context, Diagnostics, OpId, RegionId, Type, ValueId};
use dlc_passes::analysis::liveness::{Liveness, registers};

/// What is found of the first region with so many blocks.
fn look<T>(text: &str, blocks: usize, found: impl FnOnce(&Context, &Body, RegionId, &Liveness) -> T) -> T {
    let ctx = Context::new([&dlc_core::DIALECT, &dlc_kernel::DIALECT, &dlc_ptx::DIALECT]);
    let file = ctx.sources.add("test.mlir", text.to_string()).expect("the text is short");
    let diags = Diagnostics::new();
    let module = parse_module(&ctx, &file, 0..text.len(), ParseOptions::default(), &diags).expect("right");
    let body = module.nested_ops().into_iter().find_map(|op| module.nested(op)).unwrap();
    let held = |op: OpId| body.regions(op).iter().copied().find(|&region| body.blocks(region).count() == blocks);
    let region = body.walk().into_iter().find_map(held).unwrap();
    found(&ctx, body, region, &Liveness::of(&ctx, body, region))
}

/// The names of what is needed at the start of each block of that region, and the most registers in it.
fn register_counts(text: &str, blocks: usize) -> Vec<(String, i64)> {
    look(text, blocks, needed)
}

fn needed(ctx: &Context, body: &Body, region: RegionId, liveness: &Liveness) -> Vec<(String, i64)> {
    let mut values: Vec<ValueId> = body.args(body.entry_block().unwrap()).to_vec();
    for op in body.walk() {
        values.extend(body.results(op));
        let inner = body.regions(op).iter().flat_map(|&region| body.blocks(region).collect::<Vec<_>>());
        values.extend(inner.flat_map(|block| body.args(block).to_vec()));
    }
    let names = |block: BlockId| {
        let live = liveness.at_start(block).unwrap();
        let names = values.iter().filter(|&&value| live.contains(value)).map(|&value| ctx.str(body.value_name(value)));
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.join(" ")
    };
    body.blocks(region).map(|block| (names(block), liveness.most_registers(block))).collect()
}

fn function(blocks: &str) -> String {
    format!(
        "ptx.func @f<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {{target = \"sm_80\"}} {{\n\
           entry \"f_0\" (1) threads 32 shared 0 memory (%X) sizes (N) {{\n\
           ^start(%x: i64, %n: i32):\n\
             {blocks}\n\
             exit\n\
           }}\n\
           kernel.return %X\n\
         }}\n"
    )
}

fn of_blocks(blocks: &str, count: usize) -> Vec<(String, i64)> {
    register_counts(&function(blocks), count)
}

fn is(blocks: &[(&str, i64)]) -> Vec<(String, i64)> {
    blocks.iter().map(|(names, most)| ((*names).to_string(), *most)).collect()
}

#[test]
fn registers_have_32_bits() {
    let ctx = Context::new([&dlc_ptx::DIALECT]);
    assert_eq!([Type::I1, Type::I32, Type::I64, Type::F16, Type::F64].map(|ty| registers(&ctx, ty)), [0, 1, 2, 1, 2]);
}

#[test]
fn registers_are_counted_after_each_op() {
    // The address takes two. After the last op of the loop there is what its next round needs as well.
    let blocks = "%v = add.s32 %n, 1\n%w = add.s32 %v, %n\nbra ^a(%w)\n\
                  ^a(%k: i32):\nst.global.u32 [%x], %k\n%c = setp.lt.s32 %v, 9\nbra_if %c, ^a(%v), ^end\n\
                  ^end:";
    let counts = look(&function(blocks), 3, |_, body, region, liveness| {
        let of = |block| liveness.registers_after(body, block).into_iter().rev().map(|(_, count)| count).collect();
        body.blocks(region).map(of).collect::<Vec<Vec<i64>>>()
    });
    assert_eq!(counts, [vec![4, 4, 3], vec![3, 3, 3], vec![0]]);
}

#[test]
fn what_a_loop_after_needs_goes_through_all_blocks() {
    // %v is needed after the outer loop alone: three rounds until all blocks know.
    let blocks = "%v = add.s32 %n, 1\n%c = setp.lt.s32 %n, 1\nbra ^a\n\
                  ^a:\nbra_if %c, ^b, ^end\n\
                  ^b:\nbra_if %c, ^l, ^a\n\
                  ^l:\nbra ^b\n\
                  ^end:\nst.global.u32 [%x], %v";
    let loops = ("c v x", 3);
    assert_eq!(of_blocks(blocks, 5), is(&[("", 4), loops, loops, loops, ("v x", 3)]));
}

#[test]
fn what_a_block_makes_is_not_needed_before_it() {
    let blocks = "%z = mov.u32 0\nbra ^a(%z)\n\
                  ^a(%k: i32):\n%w = add.s32 %k, %n\n%c = setp.lt.s32 %w, 9\nbra_if %c, ^b, ^end\n\
                  ^b:\nst.global.u32 [%x], %w\nbra ^a(%k)\n\
                  ^end:";
    // Truth values are no registers.
    assert_eq!(of_blocks(blocks, 4), is(&[("", 4), ("n x", 5), ("k n w x", 5), ("", 0)]));
}

#[test]
fn what_nobody_reads_is_written_still() {
    let blocks = "bra ^a\n^a:\n%w = cvt.s64.s32 %n\nst.global.u32 [%x], %n\nbra ^end\n^end:";
    assert_eq!(of_blocks(blocks, 3), is(&[("", 3), ("n x", 5), ("", 0)]));
}

#[test]
fn what_stands_in_an_op_is_needed_where_the_op_is() {
    let text = "kernel.func @f<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = \"sm80\"} {\n\
                  %D = output : memref<[N], f32>\n\
                  grid (1) threads 32 {\n\
                    for %k = 0 to 4 {\n\
                      %c = load %X[i0] where (i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>\n\
                      store %c to %D[32*%k + i0] where (32*%k + i0 < N)\n\
                    }\n\
                  }\n\
                  return %D\n\
                }\n";
    assert_eq!(register_counts(text, 1).into_iter().map(|(names, _)| names).collect::<Vec<_>>(), ["D X"]);
}
