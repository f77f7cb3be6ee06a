//! Loops of small programs of branches, by the places of their blocks.

use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{BlockId, Context, Diagnostics, OpId};
use dlc_passes::analysis::loops::natural_loops;

/// The head, the blocks, those that always run, and the loop around.
type Plain = (usize, Vec<usize>, Vec<usize>, Option<usize>);

/// The loops of blocks that begin with `^0`.
fn plain_loops(blocks: &str) -> Vec<Plain> {
    let text = format!(
        "ptx.func @f<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {{target = \"sm_80\"}} {{\n\
           entry \"f_0\" (1) threads 32 shared 0 memory (%X) sizes (N) {{\n\
           ^start(%x: i64, %n: i32):\n\
             %c = setp.lt.s32 %n, 1\n\
             %d = setp.lt.s32 %n, 2\n\
             {blocks}\n\
             exit\n\
           }}\n\
           kernel.return %X\n\
         }}\n"
    );
    let ctx = Context::new([&dlc_core::DIALECT, &dlc_kernel::DIALECT, &dlc_ptx::DIALECT]);
    let file = ctx.sources.add("test.mlir", text.to_string()).expect("the text is short");
    let diags = Diagnostics::new();
    let module = parse_module(&ctx, &file, 0..text.len(), ParseOptions::default(), &diags).expect("right");
    let body = module.nested_ops().into_iter().find_map(|op| module.nested(op)).unwrap();
    let held = |op: OpId| body.regions(op).iter().copied().find(|&region| !body.has_single_block(region));
    let region = body.walk().into_iter().find_map(held).unwrap();
    let order: Vec<BlockId> = body.blocks(region).collect();
    let place = |block: &BlockId| order.iter().position(|known| known == block).unwrap();
    let places = |blocks: &[BlockId]| blocks.iter().map(place).collect::<Vec<_>>();
    let loops = natural_loops(body, region);
    loops.iter().map(|it| (place(&it.head), places(&it.blocks), places(&it.always), it.around)).collect()
}

#[test]
fn branches_back_to_one_block_are_one_loop() {
    let blocks = "bra ^a\n^a:\nbra_if %c, ^a, ^b\n^b:\nbra_if %d, ^a, ^end\n^end:";
    // An iteration may end in both.
    assert_eq!(plain_loops(blocks), [(1, vec![1, 2], vec![1], None)]);
}

#[test]
fn inner_loops_come_first() {
    let blocks = "bra ^a\n^a:\nbra ^b\n^b:\nbra_if %c, ^b, ^l\n^l:\nbra_if %d, ^a, ^end\n^end:";
    assert_eq!(plain_loops(blocks), [(2, vec![2], vec![2], Some(1)), (1, vec![1, 2, 3], vec![1, 2, 3], None)]);
}

#[test]
fn what_leaves_early_ends_an_iteration() {
    let blocks = "bra ^a\n^a:\nbra_if %c, ^b, ^end\n^b:\nbra ^a\n^end:";
    assert_eq!(plain_loops(blocks), [(1, vec![1, 2], vec![1], None)]);
}

#[test]
fn not_every_iteration_goes_through_both_ways() {
    let blocks = "bra ^a\n^a:\nbra_if %c, ^b, ^l\n^b:\nbra ^l\n^l:\nbra_if %d, ^a, ^end\n^end:";
    assert_eq!(plain_loops(blocks), [(1, vec![1, 2, 3], vec![1, 3], None)]);
}

#[test]
fn what_is_entered_in_two_places_is_none() {
    assert_eq!(plain_loops("bra_if %c, ^a, ^b\n^a:\nbra_if %d, ^b, ^end\n^b:\nbra ^a\n^end:"), []);
}

#[test]
fn loops_side_by_side_have_none_around() {
    let blocks = "bra ^a\n^a:\nbra_if %c, ^a, ^b\n^b:\nbra_if %d, ^b, ^end\n^end:";
    assert_eq!(plain_loops(blocks), [(2, vec![2], vec![2], None), (1, vec![1], vec![1], None)]);
}
