//! What a call on tensors of a device costs on this side of the driver: `cargo bench -p dlc --bench launch`.
//!
//! The driver does nothing, so what is left is ours: a call is bound once, and then launched with addresses. Times are
//! the medians of several runs, in microseconds.

use std::hint::black_box;
use std::time::Instant;

use dlc::cuda::driver::Driver;
use dlc::cuda::fake::Fake;
use dlc::cuda::gpu::Gpu;
use dlc::{CompileOptions, Device, DeviceTensor, Elem, Session, SessionOptions, Source};
use dlc_ir::types::FloatKind;

const PROGRAM: &str =
    "tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}";

const RUNS: usize = 9;
const CALLS: usize = 2000;

fn main() {
    let gpu = Gpu::new(Box::new(|_| {
        let mut fake = Fake::new();
        fake.is_quiet = true;
        Ok(Box::new(fake) as Box<dyn Driver>)
    }));
    let session = Session::on(gpu, SessionOptions { device: Device::Cpu, cache: None, ..SessionOptions::default() });
    let program = session.compile(Source::Text(PROGRAM), &CompileOptions::default()).expect("it is right");
    let tensor = DeviceTensor { shape: vec![4096, 4096], elem: Elem::Float(FloatKind::F16) };
    let bind = || program.on_device(0, &[tensor.clone(), tensor.clone()], &[], &[]).expect("it fits");
    let call = bind();
    let launch = |inputs: [u64; 2], output: u64| call.launch(&inputs, &[output], 1).expect("it is launched");
    launch([0x10000, 0x20000], 0x30000);
    let measured = [
        ("a call is bound", microseconds(|_| drop(black_box(bind())))),
        ("launched, with the same addresses", microseconds(|_| launch([0x10000, 0x20000], 0x30000))),
        ("launched, with other addresses in turn", {
            microseconds(|number| launch([0x10000, 0x20000], 0x30000 + 0x1000 * (number as u64 % 4)))
        }),
    ];
    for (what, time) in measured {
        println!("| {what}, us | {time:.2} |");
    }
}

fn microseconds(mut compute: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            (0..CALLS).for_each(&mut compute);
            begin.elapsed().as_secs_f64() * 1e6 / CALLS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}
