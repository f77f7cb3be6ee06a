//! What is on its way is neither read nor overwritten, whenever it comes.

use super::matrices::{WGMMA, halves, map, wgmma};
use super::run_in_order;

/// As many orders as are tried.
const ORDERS: u64 = 16;

/// A box of 4 rows of 16 comes, is looked at, and goes out again.
const BOX: &str = "    %s = smem
    %first = elect.sync -1
    bra_if %first, ^one, ^end
  ^one:
    mbarrier.init.shared::cta.b64 [%s], 1
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 128
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 128], [%p1, {0, 0}], [%s]
    bra ^wait
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^out, ^wait
  ^out:
    %v = ld.shared.u32 [%s + 128]
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%p2, {0, 0}], [%s + 128]
    cp.async.bulk.commit_group
    cp.async.bulk.wait_group 0
    st.shared.u32 [%s + 128], %v
    bra ^end
  ^end:
    exit";

/// In how many orders it ends, and what is said otherwise. What it has stored is what has come.
fn runs(body: &str) -> (u64, Vec<String>) {
    let stores = !body.contains("^never");
    let maps = |base: u64| {
        let output = (base + 128 + 1024).next_multiple_of(256);
        vec![map(base, &[4, 16], &[4, 16], 32, None), map(output, &[4, 16], &[4, 16], 32, None)]
    };
    let input = halves(64, 5);
    let (mut ended, mut said) = (0, Vec::new());
    for seed in 0..ORDERS {
        match run_in_order("(1) threads 32 shared 256", body, &input, &[32], &maps, seed) {
            Ok(out) => {
                assert!(!stores || out[0] == input, "{out:?}");
                ended += 1;
            }
            Err(message) => said.push(message),
        }
    }
    (ended, said)
}

#[test]
fn what_is_waited_for_is_there_in_every_order() {
    assert_eq!(runs(BOX), (ORDERS, Vec::new()));
}

/// When a box comes, the seed decides.
#[test]
fn a_box_that_is_not_waited_for_comes_late_in_some_order() {
    let (ended, said) = runs(&BOX.replace("    bra ^wait\n", "    bra ^out\n"));
    assert!(ended > 0 && ended < ORDERS, "{said:?}");
    assert!(said.iter().all(|message| message.contains("which a copy that is not awaited brings")), "{said:?}");
}

#[test]
fn a_block_does_not_end_before_what_comes_to_it() {
    let body = BOX.replace("    bra ^wait\n", "    bra ^end\n");
    let (ended, said) = runs(&body.replace("  ^wait:", "  ^never:").replace("^out, ^wait", "^out, ^never"));
    assert!(ended < ORDERS, "it ends in every order");
    let wanted = "the block ends while a copy to its shared memory is on its way";
    assert!(said.iter().all(|message| message.contains(wanted)), "{said:?}");
}

#[test]
fn a_tile_is_not_written_while_a_store_reads_it() {
    let wanted =
        "writes byte 128 of shared memory, which a matrix product or a store that is not awaited may still read";
    let wait = "    cp.async.bulk.wait_group 0\n";
    for wrong in ["", "    cp.async.bulk.wait_group.read 1\n"] {
        let (ended, said) = runs(&BOX.replace(wait, wrong));
        assert!(ended == 0 && said.iter().all(|message| message.contains(wanted)), "{said:?}");
    }
    // That it was read is enough.
    assert_eq!(runs(&BOX.replace(wait, "    cp.async.bulk.wait_group.read 0\n")).0, ORDERS);
    let unread = BOX.replace(wait, "").replace("    st.shared.u32 [%s + 128], %v\n", "");
    let (ended, said) = runs(&unread);
    assert!(ended == 0 && said.iter().all(|message| message.contains("the block ends while")), "{said:?}");
}

#[test]
fn a_matrix_is_not_written_while_a_product_reads_it() {
    let write = "st.shared.b32 [%s + OFFSET], 0\n";
    let wait = "wgmma.wait_group.sync.aligned 0\n";
    for offset in ["1024", "9216"] {
        let write = write.replace("OFFSET", offset);
        let early = wgmma(&WGMMA.replace("WAIT", &format!("{write}    {wait}")), 128);
        let wanted = format!("writes byte {offset} of shared memory, which a matrix product");
        assert!(early.as_ref().is_err_and(|message| message.contains(&wanted)), "{early:?}");
        let late = wgmma(&WGMMA.replace("WAIT", &format!("{wait}    {write}")), 128);
        assert!(late.is_ok(), "{late:?}");
    }
}
