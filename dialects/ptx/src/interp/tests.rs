//! Small entries on small memory.

mod flight;
mod matrices;
mod threads;

use dlc_core::launch::Seed;
use dlc_ir::diag::{Diagnostics, Style, render};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, OpRef};

use super::machine::{Launch, MAP_BASE, Machine, Map};
use super::memory::Global;
use super::program;
use crate::ops::Entry;

fn context() -> Context {
    Context::new([&crate::DIALECT, &dlc_core::DIALECT])
}

fn parse(ctx: &Context, text: &str) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let body = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
    body.unwrap_or_else(|| {
        let list: String = diags.take().iter().map(|each| render(ctx, each, Style::default())).collect();
        panic!("{list}\n{text}")
    })
}

/// Runs an entry on buffers, the first of which is only read, and gives what is in the others then.
fn run(head: &str, body: &str, input: &[u32], outputs: &[usize]) -> Result<Vec<Vec<u32>>, String> {
    run_with(head, body, input, outputs, &|_| Vec::new())
}

/// The same with tensor maps, which are made when it is known where the input is; their addresses stand after that.
fn run_with(
    head: &str,
    body: &str,
    input: &[u32],
    outputs: &[usize],
    maps: &dyn Fn(u64) -> Vec<Map>,
) -> Result<Vec<Vec<u32>>, String> {
    run_in_order(head, body, input, outputs, maps, 0)
}

/// The same in the order of a seed.
fn run_in_order(
    head: &str,
    body: &str,
    input: &[u32],
    outputs: &[usize],
    maps: &dyn Fn(u64) -> Vec<Map>,
    seed: u64,
) -> Result<Vec<Vec<u32>>, String> {
    let ctx = context();
    let mut global = Global::default();
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    global.push(bytes(input), None);
    for &count in outputs {
        global.push(vec![0; 4 * count], Some(vec![true; 4 * count]));
    }
    let maps = maps(global.buffers[0].base);
    let mut addresses: Vec<u64> = global.buffers.iter().map(|buffer| buffer.base).collect();
    addresses.splice(1..1, (0..maps.len() as u64).map(|number| MAP_BASE + 128 * number));
    let list = |of: &dyn Fn(usize) -> String| (0..addresses.len()).map(of).collect::<Vec<_>>().join(", ");
    let text = format!(
        "ptx.func @f<N>({}) {{\n  entry \"f\" {head} memory ({}) {{\n  ^start({}):\n{body}\n  }}\n}}\n",
        list(&|number| format!("%m{number}: memref<[N], i32>")),
        list(&|number| format!("%m{number}")),
        list(&|number| format!("%p{number}: i64")),
    );
    let module = parse(&ctx, &text);
    let function = OpRef::new(&ctx, &module, module.ops(module.entry_block().expect("a block")).next().expect("an op"));
    let entry = crate::emit::entries(function).next().expect("an entry");
    let program = program::decode(*entry, entry.regions()[0]).map_err(|error| error.message.to_string())?;
    let launch = Launch { params: addresses, ..launch(entry) };
    let mut machine = Machine {
        program: &program,
        launch,
        global,
        maps,
        entry: *entry,
        events: 0,
        steps: 0,
        limit: 1 << 20,
        order: (seed != 0).then(|| Seed(seed).random()),
        late: Vec::new(),
    };
    machine.run().map_err(|error| {
        let notes: String = error.notes.iter().map(|note| format!("\n{}", note.message)).collect();
        format!("{}{notes}", error.message)
    })?;
    let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let words = |bytes: &[u8]| bytes.chunks_exact(4).map(word).collect();
    Ok(machine.global.buffers[1..].iter().map(|buffer| words(&buffer.bytes)).collect())
}

fn launch(entry: Entry<'_>) -> Launch {
    let three = |sizes: Vec<i64>| std::array::from_fn(|axis| sizes.get(axis).map_or(1, |&size| size as u32));
    Launch {
        grid: three(entry.dims().iter().map(|size| size.as_constant().expect("a number")).collect()),
        cluster: three(entry.cluster().unwrap_or_default()),
        threads: entry.threads() as u32,
        shared: entry.shared() as usize,
        params: Vec::new(),
    }
}

/// An instruction for each lane: `x` and `y` are words of the input, `z` is what is stored.
fn each(text: &str, input: &[u32]) -> Vec<u32> {
    let pairs = input.len() / 2;
    let mut words = input.to_vec();
    // The other lanes do the same as the last.
    while words.len() < 64 {
        words.push(words[words.len() - 2]);
    }
    let body = format!(
        "    %t = sreg.tid.x\n    %a = mad.wide.u32 %t, 8, %p0\n    %x, %y = ld.global.v2.b32 [%a]\n{text}\n    \
         %o = mad.wide.u32 %t, 4, %p1\n    st.global.b32 [%o], %z\n    exit"
    );
    let out = run("(1) threads 32 shared 0", &body, &words, &[32]).unwrap_or_else(|error| panic!("{error}"));
    out[0][..pairs].to_vec()
}

fn f(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn integers_wrap() {
    let two = [7, 3, 0xFFFF_FFFF, 2, 0x8000_0000, 0xFFFF_FFFF];
    assert_eq!(each("%z = add.s32 %x, %y", &two), [10, 1, 0x7FFF_FFFF]);
    assert_eq!(each("%z = sub.s32 %x, %y", &two), [4, 0xFFFF_FFFD, 0x8000_0001]);
    assert_eq!(each("%z = mul.lo.s32 %x, %y", &two), [21, 0xFFFF_FFFE, 0x8000_0000]);
    assert_eq!(each("%z = mul.hi.u32 %x, %y", &two), [0, 1, 0x7FFF_FFFF]);
    assert_eq!(each("%z = mul.hi.s32 %x, %y", &two), [0, 0xFFFF_FFFF, 0]);
    assert_eq!(each("%z = div.s32 %x, %y", &two), [2, 0, 0x8000_0000]);
    assert_eq!(each("%z = rem.s32 %x, %y", &two), [1, 0xFFFF_FFFF, 0]);
    assert_eq!(each("%z = div.u32 %x, %y", &two), [2, 0x7FFF_FFFF, 0]);
    assert_eq!(each("%z = min.s32 %x, %y", &two), [3, 0xFFFF_FFFF, 0x8000_0000]);
    assert_eq!(each("%z = max.u32 %x, %y", &two), [7, 0xFFFF_FFFF, 0xFFFF_FFFF]);
    assert_eq!(each("%z = abs.s32 %x", &two), [7, 1, 0x8000_0000]);
    assert_eq!(each("%z = mad.lo.s32 %x, %y, 5", &two), [26, 3, 0x8000_0005]);
    assert_eq!(each("%w = mul.wide.s32 %x, %y\n%l, %z = unpack.b64 %w", &two), [0, 0xFFFF_FFFF, 0]);
    assert_eq!(each("%s = shr.s32 %x, %y\n%z = add.s32 %s, 0", &two), [0, 0xFFFF_FFFF, 0xFFFF_FFFF]);
    assert_eq!(each("%z = shr.u32 %x, %y", &two), [0, 0x3FFF_FFFF, 0]);
    assert_eq!(each("%z = shl.b32 %x, %y", &two), [56, 0xFFFF_FFFC, 0]);
}

#[test]
fn bits_are_chosen() {
    let two = [0x0403_0281, 0x0807_0605];
    assert_eq!(each("%z = prmt.b32 %x, %y, 21520", &two), [0x0605_0281]);
    // The sign of byte 0 in all places.
    assert_eq!(each("%z = prmt.b32 %x, %y, 34952", &two), [0xFFFF_FFFF]);
    assert_eq!(each("%z = lop3.b32 %x, %y, 15, 150", &two), [0x0403_0281 ^ 0x0807_0605 ^ 15]);
    assert_eq!(each("%p = setp.lt.and.s32 %x, %y, 1\n%z = selp.b32 11, 12, %p", &two), [11]);
    assert_eq!(each("%p = setp.ge.u32 %x, %y\n%n = not.pred %p\n%z = selp.b32 11, 12, %n", &two), [11]);
    assert_eq!(each("%h:2 = unpack.b32 %x\n%z = pack.b32 {%h#1, %h#0}", &two), [0x0281_0403]);
}

#[test]
fn floats_are_rounded_as_they_say() {
    let third = [f(1.0), f(3.0), f(-1.0), f(3.0)];
    let float = |text: &str, input: &[u32]| -> Vec<f32> {
        let text = format!("%u = mov.b32 %x : f32\n%v = mov.b32 %y : f32\n{text}\n%z = mov.b32 %w");
        each(&text, input).into_iter().map(f32::from_bits).collect()
    };
    assert_eq!(float("%w = div.rn.f32 %u, %v", &third), [1.0 / 3.0, -1.0 / 3.0]);
    let tiny = [f(1.0), f(1e-10), f(-1.0), f(1e-10)];
    let above = f32::from_bits(f(1.0) + 1);
    let below = f32::from_bits(f(1.0) - 1);
    assert_eq!(float("%w = add.rn.f32 %u, %v", &tiny), [1.0, -1.0]);
    assert_eq!(float("%w = add.rp.f32 %u, %v", &tiny), [above, -below]);
    assert_eq!(float("%w = add.rm.f32 %u, %v", &tiny), [1.0, -1.0]);
    assert_eq!(float("%w = add.rz.f32 %u, %v", &tiny), [1.0, -below]);
    assert_eq!(float("%w = fma.rn.f32 %u, %u, %v", &[f(above), f(-1.0)]), [above.mul_add(above, -1.0)]);
    // What is too small to have all bits.
    let small = [1, f(1.0), 0x8000_0001, f(1.0)];
    assert_eq!(float("%w = mul.f32 %u, %v", &small), [f32::from_bits(1), -f32::from_bits(1)]);
    let flushed: Vec<u32> = float("%w = mul.ftz.f32 %u, %v", &small).into_iter().map(f32::to_bits).collect();
    assert_eq!(flushed, [0, 0x8000_0000]);
    assert_eq!(float("%w = add.sat.f32 %u, %v", &[f(0.75), f(0.75), f(-3.0), f(1.0)]), [1.0, 0.0]);
    let none = [f(f32::NAN), f(2.0), f(2.0), f(f32::NAN)];
    assert_eq!(float("%w = max.f32 %u, %v", &none), [2.0, 2.0]);
    assert!(float("%w = max.NaN.f32 %u, %v", &none).iter().all(|x| x.to_bits() == 0x7FFF_FFFF));
    assert_eq!(
        each("%u = mov.b32 %x : f32\n%v = mov.b32 %y : f32\n%w = min.f32 %u, %v\n%z = mov.b32 %w", &[0, f(-0.0)]),
        [f(-0.0)]
    );
    assert_eq!(float("%w = ex2.approx.ftz.f32 %u", &[f(3.0), 0]), [8.0]);
    assert_eq!(float("%w = rsqrt.approx.f32 %u", &[f(4.0), 0]), [0.5]);
    let compare = |how: &str| {
        each(
            &format!(
                "%u = mov.b32 %x : f32\n%v = mov.b32 %y : f32\n%p = setp.{how}.f32 %u, %v\n%z = selp.b32 1, 0, %p"
            ),
            &[f(1.0), f(2.0), f(f32::NAN), f(2.0)],
        )
    };
    assert_eq!(compare("lt"), [1, 0]);
    assert_eq!(compare("ltu"), [1, 1]);
    assert_eq!(compare("ne"), [1, 0]);
    assert_eq!(compare("neu"), [1, 1]);
    assert_eq!(compare("num"), [1, 0]);
    assert_eq!(compare("nan"), [0, 1]);
}

#[test]
fn conversions() {
    let of_floats = |text: &str, values: &[f32]| {
        let input: Vec<u32> = values.iter().map(|&value| f(value)).collect();
        each(&format!("%u = mov.b32 %x : f32\n%v = mov.b32 %y : f32\n{text}"), &input)
    };
    // The first number is the high half.
    assert_eq!(of_floats("%z = cvt.rn.f16x2.f32 %u, %v", &[1.0, 2.0]), [0x3C00_4000]);
    assert_eq!(of_floats("%z = cvt.rn.bf16x2.f32 %u, %v", &[1.0, -2.0]), [0x3F80_C000]);
    assert_eq!(of_floats("%z = cvt.rn.relu.bf16x2.f32 %u, %v", &[1.0, -2.0]), [0x3F80_0000]);
    assert_eq!(of_floats("%h = cvt.rn.satfinite.e4m3x2.f32 %u, %v\n%z = cvt.u32.u16 %h", &[1000.0, 1.0]), [0x7E38]);
    assert_eq!(
        of_floats("%h = cvt.rn.satfinite.e5m2x2.f32 %u, %v\n%z = cvt.rn.f16x2.e5m2x2 %h", &[-2.0, 1.0]),
        [0xC000_3C00]
    );
    // A tie is rounded to even, or away from zero.
    let tie = f32::from_bits(0x3F80_1000);
    assert_eq!(of_floats("%z = cvt.rna.tf32.f32 %u", &[tie, 0.0]), [0x3F80_2000]);
    assert_eq!(of_floats("%z = cvt.rn.tf32.f32 %u", &[tie, 0.0]), [0x3F80_0000]);
    assert_eq!(
        of_floats("%z = cvt.rni.s32.f32 %u", &[2.5, 0.0, -3.5, 0.0, 1e20, 0.0]),
        [2, -4i32 as u32, i32::MAX as u32]
    );
    assert_eq!(of_floats("%z = cvt.rzi.u32.f32 %u", &[-3.5, 0.0, f32::NAN, 0.0]), [0, 0]);
    assert_eq!(of_floats("%h = cvt.rz.f16.f32 %u\n%z = cvt.u32.u16 %h", &[65535.0, 0.0]), [0x7BFF]);
    assert_eq!(of_floats("%w = cvt.rmi.f32.f32 %u\n%z = mov.b32 %w", &[-1.5, 0.0]), [f(-2.0)]);
    assert_eq!(each("%h = cvt.sat.s8.s32 %x\n%z = cvt.s32.s8 %h", &[300, 0, -300i32 as u32, 0]), [127, -128i32 as u32]);
    assert_eq!(each("%w = cvt.rn.f32.u32 %x\n%z = mov.b32 %w", &[0xFFFF_FFFF, 0]), [f(4294967296.0)]);
    assert_eq!(each("%w = cvt.rz.f32.u32 %x\n%z = mov.b32 %w", &[0xFFFF_FFFF, 0]), [f(4294967040.0)]);
    assert_eq!(each("%d = cvt.rn.f64.s32 %x\n%w = cvt.rn.f32.f64 %d\n%z = mov.b32 %w", &[-5i32 as u32, 0]), [f(-5.0)]);
}

#[test]
fn halves_come_in_pairs() {
    let two = [0x3C00_4000, 0x4000_4000];
    assert_eq!(each("%z = add.f16x2 %x, %y", &two), [0x4200_4400]);
    assert_eq!(each("%z = fma.rn.f16x2 %x, %y, %y", &two), [0x4400_4600]);
    assert_eq!(each("%z = mul.bf16x2 %x, %y", &[0x3F80_4000, 0x4000_4000]), [0x4000_4080]);
    assert_eq!(each("%z = max.f16x2 %x, %y", &[0xBC00_3C00, 0x3C00_7FFF]), [0x3C00_3C00]);
}

/// Lanes that went apart meet again: the shuffle after needs all.
#[test]
fn lanes_meet_again() {
    let body = "
    %t = sreg.tid.x
    %odd = and.b32 %t, 1
    %is = setp.eq.s32 %odd, 1
    bra_if %is, ^odd, ^even
  ^odd:
    bra ^loop(%t, %t)
  ^even:
    bra ^join(%t)
  ^loop(%i: i32, %v: i32):
    %j = sub.s32 %i, 1
    %w = add.s32 %v, 100
    %more = setp.gt.s32 %j, 0
    bra_if %more, ^loop(%j, %w), ^join(%w)
  ^join(%r: i32):
    %s = shfl.sync.bfly.b32 %r, 1, 31, -1
    %o = mad.wide.u32 %t, 4, %p1
    st.global.b32 [%o], %s
    exit";
    let out = run("(1) threads 32 shared 0", body, &[0], &[32]).unwrap();
    let wanted: Vec<u32> = (0..32).map(|t| if t % 2 == 1 { t - 1 } else { t + 1 + 100 * (t + 1) }).collect();
    assert_eq!(out[0], wanted);
}

#[test]
fn shuffles_and_votes() {
    let of = |text: &str| {
        let body = format!(
            "    %t = sreg.tid.x\n{text}\n    %o = mad.wide.u32 %t, 4, %p1\n    st.global.b32 [%o], %z\n    exit"
        );
        run("(1) threads 32 shared 0", &body, &[0], &[32]).unwrap()[0].clone()
    };
    let lanes = |f: fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    assert_eq!(of("%z = shfl.sync.up.b32 %t, 3, 0, -1"), lanes(|t| if t < 3 { t } else { t - 3 }));
    assert_eq!(of("%z = shfl.sync.down.b32 %t, 3, 31, -1"), lanes(|t| if t > 28 { t } else { t + 3 }));
    assert_eq!(of("%z = shfl.sync.idx.b32 %t, 5, 31, -1"), lanes(|_| 5));
    // Groups of eight lanes: the clamp is 31, the mask 24 << 8.
    assert_eq!(of("%z = shfl.sync.idx.b32 %t, 5, 6175, -1"), lanes(|t| t / 8 * 8 + 5));
    assert_eq!(of("%z = redux.sync.add.s32 %t, -1"), lanes(|_| 496));
    assert_eq!(of("%p = setp.lt.u32 %t, 4\n%z = vote.sync.ballot.b32 %p, -1"), lanes(|_| 15));
    assert_eq!(of("%p = setp.lt.u32 %t, 4\n%q = vote.sync.any.pred %p, -1\n%z = selp.b32 1, 0, %q"), lanes(|_| 1));
    assert_eq!(of("%p = elect.sync -1\n%z = selp.b32 1, 0, %p"), lanes(|t| u32::from(t == 0)));
}

#[test]
fn guards_say_what_is_given_otherwise() {
    let out = each("%p = setp.lt.s32 %x, %y\n%z = add.s32 %x, 100 if %p else %y", &[1, 2, 5, 2]);
    assert_eq!(out, [101, 2]);
}
