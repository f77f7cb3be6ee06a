//! Threads that wait for each other, shared memory, clusters.

use super::run;

fn fails(head: &str, body: &str, wanted: &str) {
    match run(head, body, &[1, 2, 3, 4], &[64]) {
        Ok(_) => panic!("it runs, and '{wanted}' is expected"),
        Err(message) => assert!(message.contains(wanted), "{message}"),
    }
}

/// Two warps give each other numbers through shared memory.
const EXCHANGE: &str = "    %t = sreg.tid.x
    %s = smem
    %a = mad.lo.s32 %t, 4, %s
    st.shared.u32 [%a], %t
    BARRIER
    %r = sub.s32 63, %t
    %b = mad.lo.s32 %r, 4, %s
    %v = ld.shared.u32 [%b]
    %o = mad.wide.u32 %t, 4, %p1
    st.global.u32 [%o], %v
    exit";

#[test]
fn warps_meet_at_a_barrier() {
    for barrier in ["bar.sync 0", "bar.sync 3, 64"] {
        let out = run("(1) threads 64 shared 256", &EXCHANGE.replace("BARRIER", barrier), &[0], &[64]).unwrap();
        assert_eq!(out[0], (0..64).rev().collect::<Vec<u32>>());
    }
}

#[test]
fn what_was_not_written_is_not_read() {
    fails("(1) threads 64 shared 256", &EXCHANGE.replace("BARRIER", ""), "warp 0, lane 0: reads byte 252 of shared");
    fails("(1) threads 64 shared 64", &EXCHANGE.replace("BARRIER", ""), "lane 16: writes bytes 64 to 68 of shared");
    let global = |text: &str| format!("    {text}\n    exit");
    fails(
        "(1) threads 32 shared 0",
        &global("%v = ld.global.u32 [%p0 + 16]"),
        "lane 0: reads bytes 16 to 20 of buffer 0",
    );
    fails("(1) threads 32 shared 0", &global("%v = ld.global.u32 [%p0 - 4]"), "4 bytes before the begin of buffer 0");
    fails("(1) threads 32 shared 0", &global("%v:2 = ld.global.v2.u32 [%p0 + 4]"), "is no multiple of 8");
    fails(
        "(1) threads 32 shared 0",
        &global("st.global.u32 [%p0], 1"),
        "an argument of the kernel, which is only read",
    );
    fails("(1) threads 32 shared 0", &global("%v = ld.global.u32 [0]"), "address 0x0, which is in no buffer");
    fails("(1) threads 32 shared 0", &global("trap"), "block (0, 0, 0), warp 0, lane 0: traps");
}

/// A deadlock names the threads that wait, and where.
#[test]
fn nobody_waits_for_ever() {
    let half = "    %t = sreg.tid.x
    %p = setp.lt.u32 %t, 32
    bra_if %p, ^wait, ^end
  ^wait:
    bar.sync 1, 64
    bra ^end
  ^end:
    exit";
    fails("(1) threads 64 shared 0", half, "no thread can go on");
    fails("(1) threads 64 shared 0", half, "block (0, 0, 0), warp 0: all lanes at 'ptx.bar'");
    let spin = "    %s = smem
    %t = sreg.tid.x
    %one = setp.eq.u32 %t, 0
    mbarrier.init.shared::cta.b64 [%s], 1 if %one
    bar.warp.sync -1
    bra ^loop
  ^loop:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^end, ^loop
  ^end:
    exit";
    fails("(1) threads 32 shared 8", spin, "no thread can go on");
    let poll = "    bra ^loop
  ^loop:
    %v = ld.acquire.gpu.global.u32 [%p1]
    %p = setp.ne.u32 %v, 0
    bra_if %p, ^end, ^loop
  ^end:
    exit";
    fails("(1) threads 32 shared 0", poll, "no thread can go on");
    let round = "    bra ^loop\n  ^loop:\n    bra ^loop";
    fails("(1) threads 32 shared 0", round, "is stopped after 1048576 instructions");
    // A shuffle of lanes that are elsewhere.
    let apart = "    %t = sreg.tid.x
    %p = setp.lt.u32 %t, 16
    bra_if %p, ^some, ^others
  ^some:
    %v = shfl.sync.bfly.b32 %t, 1, 31, -1
    bra ^end
  ^others:
    bar.sync 1, 64
    bra ^end
  ^end:
    exit";
    fails("(1) threads 32 shared 0", apart, "16 lanes from lane 16 on at 'ptx.bar'");
}

/// A block that waits for a later one gets what it waits for.
#[test]
fn blocks_may_wait_for_later_ones() {
    let body = "    %b = sreg.ctaid.x
    %p = setp.eq.u32 %b, 0
    bra_if %p, ^first, ^other
  ^first:
    %v = ld.acquire.gpu.global.u32 [%p1]
    %q = setp.eq.u32 %v, 96
    bra_if %q, ^found, ^first
  ^found:
    st.global.u32 [%p1 + 4], 7
    exit
  ^other:
    %o = atom.global.add.u32 [%p1], 1
    exit";
    let out = run("(4) threads 32 shared 0", body, &[0], &[2]).unwrap();
    assert_eq!(out[0], [96, 7]);
}

/// One thread waits at low places of the program for what others of its warp do at higher ones.
#[test]
fn lanes_that_ask_let_others_go_on() {
    let body = "    %t = sreg.tid.x
    %s = smem
    %one = setp.eq.u32 %t, 0
    mbarrier.init.shared::cta.b64 [%s], 31 if %one
    bar.warp.sync -1
    bra_if %one, ^wait, ^arrive
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^end, ^wait
  ^arrive:
    mbarrier.arrive.shared::cta.b64 _, [%s]
    bra ^end
  ^end:
    bar.warp.sync -1
    %o = mad.wide.u32 %t, 4, %p1
    st.global.u32 [%o], 5
    exit";
    assert_eq!(run("(1) threads 32 shared 8", body, &[0], &[32]).unwrap()[0], vec![5; 32]);
    fails("(1) threads 32 shared 8", &body.replace("_, [%s]", "_, [%s], 32"), "more arrive at an mbarrier than the 31");
}

/// Blocks of a cluster give each other numbers.
#[test]
fn blocks_of_a_cluster_share_memory() {
    let body = "    %t = sreg.tid.x
    %s = smem
    %rank = sreg.cluster_ctarank
    %count = sreg.cluster_nctarank
    %a = mad.lo.s32 %t, 4, %s
    %v = mad.lo.s32 %rank, 1000, %t
    %next = add.s32 %rank, 1
    %over = setp.eq.s32 %next, %count
    %to = selp.b32 0, %next, %over
    %there = mapa.shared::cluster.u32 %a, %to
    barrier.cluster.arrive.relaxed.aligned
    barrier.cluster.wait.aligned
    st.shared::cluster.u32 [%there], %v
    barrier.cluster.arrive.release.aligned
    barrier.cluster.wait.acquire.aligned
    %w = ld.shared.u32 [%a]
    %b = sreg.ctaid.x
    %i = mad.lo.s32 %b, 32, %t
    %o = mad.wide.u32 %i, 4, %p1
    st.global.u32 [%o], %w
    exit";
    let out = run("(4) cluster [2] threads 32 shared 128", body, &[0], &[128]).unwrap();
    let wanted: Vec<u32> = (0..128).map(|at| if at / 32 % 2 == 0 { 1000 + at % 32 } else { at % 32 }).collect();
    assert_eq!(out[0], wanted);
    let plain = body.replace("st.shared::cluster.u32", "st.shared.u32");
    match run("(4) cluster [2] threads 32 shared 128", &plain, &[0], &[128]) {
        Err(message) => assert!(message.contains("only 'shared::cluster' goes there"), "{message}"),
        Ok(_) => panic!("it runs"),
    }
}

/// Copies are there when their group was waited for, and not before.
#[test]
fn copies_are_waited_for() {
    let body = "    %t = sreg.tid.x
    %s = smem
    %a = mad.lo.s32 %t, 16, %s
    %in = setp.lt.u32 %t, 2
    %n = selp.b32 16, 4, %in
    cp.async.cg.shared.global [%a], [%p0], 16, %n
    cp.async.commit_group
    cp.async.commit_group
    WAIT
    %v:4 = ld.shared.v4.u32 [%a]
    %w = add.u32 %v#0, %v#3
    %o = mad.wide.u32 %t, 4, %p1
    st.global.u32 [%o], %w
    exit";
    let out = run("(1) threads 32 shared 512", &body.replace("WAIT", "cp.async.wait_group 1"), &[1, 2, 3, 40], &[32]);
    let wanted: Vec<u32> = (0..32).map(|lane| if lane < 2 { 41 } else { 1 }).collect();
    assert_eq!(out.unwrap()[0], wanted);
    fails(
        "(1) threads 32 shared 512",
        &body.replace("WAIT", "cp.async.wait_group 2"),
        "which a copy that is not awaited brings",
    );
}

#[test]
fn memory_is_combined_with() {
    let body = "    %t = sreg.tid.x
    %f = cvt.rn.f32.u32 %t
    red.global.add.f32 [%p1], %f
    red.global.max.u32 [%p1 + 4], %t
    red.global.add.noftz.f16x2 [%p1 + 8], 1006648320
    %o = atom.global.cas.b32 [%p1 + 12], 0, 9
    %p = setp.eq.s32 %o, 0
    red.global.add.u32 [%p1 + 16], 1 if %p
    exit";
    let out = run("(1) threads 32 shared 0", body, &[0], &[5]).unwrap();
    // 0x3C003C00 are two 16-bit floats of 1.
    assert_eq!(out[0], [496f32.to_bits(), 31, 0x5000_5000, 9, 1]);
}

/// Lanes of a warp exchange numbers through shared memory, and must meet in between.
#[test]
fn lanes_that_exchange_must_meet() {
    let body = "    %t = sreg.tid.x
    %s = smem
    %a = mad.lo.s32 %t, 4, %s
    %o = xor.b32 %t, 1
    %b = mad.lo.s32 %o, 4, %s
    st.shared.u32 [%a], %t
    bar.warp.sync -1
    %v = ld.shared.u32 [%b]
    %to = mad.wide.u32 %t, 4, %p1
    st.global.u32 [%to], %v
    exit";
    assert_eq!(run("(1) threads 32 shared 128", body, &[0], &[32]).unwrap()[0][..3], [1, 0, 3]);
    let apart = body.replace("    bar.warp.sync -1\n", "");
    fails("(1) threads 32 shared 128", &apart, "which lane 1 of the warp wrote, with no 'bar.warp.sync' between");
    let own = apart.replace("ld.shared.u32 [%b]", "ld.shared.u32 [%a]");
    assert_eq!(run("(1) threads 32 shared 128", &own, &[0], &[32]).unwrap()[0][..3], [0, 1, 2]);
}

/// An mbarrier is ended before another one is made in its place.
#[test]
fn an_mbarrier_is_ended_before_the_next() {
    let body = "    %t = sreg.tid.x
    %s = smem
    %one = setp.eq.u32 %t, 0
    mbarrier.init.shared::cta.b64 [%s], 1 if %one
    mbarrier.inval.shared::cta.b64 [%s] if %one
    mbarrier.init.shared::cta.b64 [%s], 32 if %one
    bar.warp.sync -1
    mbarrier.arrive.shared::cta.b64 _, [%s]
    bra ^wait
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^end, ^wait
  ^end:
    exit";
    run("(1) threads 32 shared 8", body, &[0], &[]).unwrap();
    let twice = body.replace("    mbarrier.inval.shared::cta.b64 [%s] if %one\n", "");
    fails("(1) threads 32 shared 8", &twice, "there is an mbarrier at byte 0 of shared memory");
    let none = body.replacen("    mbarrier.init.shared::cta.b64 [%s], 1 if %one\n", "", 1);
    fails("(1) threads 32 shared 8", &none, "there is no mbarrier at byte 0 of shared memory");
}

/// Warps come to a barrier, and the others end.
#[test]
fn nobody_is_left_at_a_barrier() {
    let body = "    %t = sreg.tid.x
    %first = setp.lt.u32 %t, 32
    bra_if %first, ^first, ^end
  ^first:
    bar.arrive 1, 64
    bra ^end
  ^end:
    exit";
    fails("(1) threads 64 shared 0", body, "the block ends, and 32 of 64 threads have come to barrier 1");
}
