//! Tests of programs on a device: what is compiled, launched, told and written. The passes are those that are linked in.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_opt::{Io, Setup, Status};

use dlc::cuda::driver::{Driver, Kind};
use dlc::cuda::fake::{Fake, Log};
use dlc::cuda::gpu::Gpu;
use dlc::cuda::{DRIVER_TOO_OLD, NO_DRIVER};

/// The result of a command line.
struct Said {
    status: Status,
    out: String,
    err: String,
    /// What was asked of the driver: the first line of each.
    asked: Vec<String>,
    /// How often a device was opened.
    opened: usize,
}

impl Said {
    /// What was asked that begins with one of these words.
    fn only(&self, words: &[&str]) -> Vec<&str> {
        let wanted = |line: &&str| words.iter().any(|word| line.starts_with(word));
        self.asked.iter().map(String::as_str).filter(wanted).collect()
    }
}

fn run_on(gpu: &mut Gpu, args: &[&str], mut stdin: &[u8]) -> (Status, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut err, terminal: false };
    // What a test compiles is no module for the folder of the user.
    let args = ["dlc-run", "--no-cache"].iter().chain(args).map(OsString::from).collect::<Vec<_>>();
    let status = crate::run_on(gpu, &Setup::linked(), &args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("the tool writes UTF-8");
    (status, text(out), text(err))
}

/// Runs a program on a machine with a device that does nothing.
fn run(args: &[&str], stdin: &str, change: impl Fn(&mut Fake) + Send + 'static) -> Said {
    let log = Log::default();
    let opened = Arc::new(AtomicUsize::new(0));
    let (own, count) = (log.clone(), opened.clone());
    let mut gpu = Gpu::new(Box::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        let mut fake = Fake::new();
        fake.log = own.clone();
        change(&mut fake);
        Ok(Box::new(fake) as Box<dyn Driver>)
    }));
    let (status, out, err) = run_on(&mut gpu, args, stdin.as_bytes());
    let asked = log.lines().iter().filter_map(|line: &String| line.lines().next().map(String::from)).collect();
    let opened = opened.load(Ordering::Relaxed);
    Said { status, out, err, asked, opened }
}

fn same(_: &mut Fake) {}

/// Rows times a row.
const SCALE: &str = "tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mul %X, %row
  return %y
}";

/// A product, and what is there next to it.
const GEMM: &str = "tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %x1 = reshape %X to [M, 1, K]
  %w1 = reshape %W to [1, K, N]
  %w2 = permute %w1 by [0, 2, 1]
  %p = mul %x1, %w2
  %s = reduce sum %p over [2] acc f32
  %y = cast %s to f16
  return %y
}
tiny.func @other<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = exp2 %x
  return %y
}";

const SIZES: &str = "--shape=M=256,N=512,K=128";

fn file(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

#[test]
fn a_program_is_compiled_for_the_device_and_launched() {
    let said = run(&["-", "--shape=M=2,N=3", "--device=cuda", "--plan=off"], SCALE, |fake| {
        fake.answers
            .push_back([1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|number| number.to_le_bytes()).collect());
    });
    assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
    assert!(said.asked[0].starts_with("compile .version") && said.asked[1].starts_with("load code of .version"));
    let expected = "\
allocate 24
fill 24 at 0x1000 with 255
allocate 12
fill 12 at 0x2000 with 255
allocate 24
fill 24 at 0x3000 with 255
wait
entry scale_0_0, shared 0, clusters of 1
upload 24 to 0x1000
upload 12 to 0x2000
wait
launch scale_0_0 [1, 1, 1] by [1, 1, 1], 128, 0 (0x1000, 0x2000, 0x3000, 2, 3)
wait
download 24 from 0x3000
release 0x1000
release 0x2000
release 0x3000";
    assert_eq!(said.asked[2..].join("\n"), expected);
    assert!(said.out.contains("y       tensor<[2, 3], f32>    1    6   3.5  1, 2, 3, 4, .."), "{}", said.out);
}

/// Where nobody says it, the device decides; what a program becomes is not that of another target or without a plan.
#[test]
fn programs_are_compiled_for_a_target_with_or_without_a_plan() {
    let launched = |args: &[&str], capability| {
        let args = [&["-", "--function=gemm", SIZES], args].concat();
        let said = run(&args, GEMM, move |fake| fake.device.capability = capability);
        assert_eq!(said.status, Status::Success, "{}", said.err);
        let lines = said.only(&["launch", "map"]);
        assert_eq!(lines.iter().filter(|line| line.starts_with("launch")).count(), 1, "{lines:?}");
        (lines.len() > 1, lines.last().map(|line| line.to_string()).unwrap_or_default())
    };
    // TMA has tensor maps; before it there is none.
    assert!(launched(&[], (9, 0)).0);
    assert!(!launched(&[], (8, 0)).0);
    assert!(!launched(&[], (10, 0)).0);
    assert_eq!(launched(&["--target=sm80"], (9, 0)), launched(&[], (8, 0)));
    assert_eq!(launched(&["--plan=off"], (9, 0)), launched(&["--plan=off"], (8, 0)));
    assert_ne!(launched(&["--plan=off"], (8, 0)), launched(&[], (8, 0)));
    // Passes that are asked for come first.
    let fma = launched(&["--passes=tiny-to-region,tensorize{instruction=fma}", "--plan=off"], (8, 0));
    assert_ne!(fma, launched(&["--plan=off"], (8, 0)));
}

/// Plans are compared for the sizes of the run.
#[test]
fn plans_are_for_the_sizes_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.csv");
    for sizes in ["--shape=M=16,N=4096,K=4096", "--shape=M=4096,N=4096,K=4096"] {
        let said = run(&["-", "--function=gemm", sizes, "--log", &log, "--bench=1"], GEMM, same);
        assert_eq!(said.status, Status::Success, "{}", said.err);
    }
    let text = std::fs::read_to_string(&log).expect("it is written");
    let plans: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split("tile (").nth(1)).collect();
    assert!(plans.len() == 2 && plans[0] != plans[1], "{text}");
}

/// A kernel that nothing launches has no other one next to it: where its plan is not for the sizes, it has none.
#[test]
fn a_kernel_alone_runs_for_all_sizes() {
    let region = "region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
";
    let launched = |text: &str, sizes: &str| {
        let said = run(&["-", "--device=cuda", sizes], text, same);
        let count = |word| said.only(&[word]).len();
        if said.status == Status::Success { Ok((count("launch"), count("map") > 0)) } else { Err(said.err) }
    };
    assert_eq!(launched(region, "--shape=M=256,N=512,K=128"), Ok((1, true)));
    assert_eq!(launched(region, "--shape=M=25,N=51,K=13"), Ok((1, false)));
    // A plan by hand stays what it is.
    let plan = "plan.schedule of @gemm for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8)
  instruction wgmma
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
}";
    let planned = format!("{region}{plan}");
    assert!(launched(&planned, "--shape=M=256,N=512,K=128").is_ok());
    let error = launched(&planned, "--shape=M=25,N=51,K=13");
    assert!(
        error.as_ref().is_err_and(|err| err.contains("error[E0543]: the kernel 'gemm' is for sizes with")),
        "{error:?}"
    );
}

/// Where there is nothing to compute nothing is launched, also where that is measured.
#[test]
fn nothing_may_be_launched() {
    let said = run(&["-", "--device=cuda", "--shape=M=0,N=3", "--bench=2"], SCALE, same);
    assert_eq!((said.status, said.only(&["launch", "replay", "record"]).len()), (Status::Success, 0), "{}", said.err);
    let last: Vec<&str> = said.out.split_whitespace().rev().take(2).collect();
    assert_eq!(last, ["-", "-"], "{}", said.out);
}

#[test]
fn what_a_program_needs_is_told() {
    let error = |args: &[&str], change: fn(&mut Fake)| {
        let said = run(&[&["-", "--shape=M=2,N=3", "--device=cuda", "--plan=off"], args].concat(), SCALE, change);
        assert_eq!(said.status, Status::Failure, "{}", said.out);
        said.err
    };
    let err = error(&["--target=sm90", "--plan=choose"], |fake| fake.device.capability = (8, 0));
    assert!(err.contains("error[E0554]: the module is for sm_90a, and the device is Fake (sm_80)"), "{err}");
    assert!(err.contains("help: --target=sm80 is for all devices from sm_80 on"), "{err}");
    let err = error(&[], |fake| fake.device.capability = (7, 5));
    assert!(err.contains("error[E0554]: the module is for sm_80, and the device is Fake (sm_75)"), "{err}");
    let err = error(&[], |fake| fake.fails.push(("compile", 0, Kind::TooOld)));
    assert!(err.contains("error[E0552]: the module is in PTX"), "{err}");
    let err = error(&[], |fake| fake.fails.push(("compile", 0, Kind::BadModule)));
    assert!(err.contains("error[E0555]: the CUDA driver does not take 'scale.ptx'"), "{err}");
    let err = error(&[], |fake| fake.total = 40);
    assert!(err.contains("error[E0556]: 24 bytes for the output 'y', of 60 in all, are more"), "{err}");
    let err = error(&[], |fake| fake.fails.push(("launch", 0, Kind::Fault)));
    assert!(err.contains("error[E0557]: 'scale_0_0' of the kernel 'scale_0' (grid [1, 1, 1]"), "{err}");
    let err = error(&[], |fake| fake.fails.push(("wait", 2, Kind::TimedOut)));
    assert!(err.contains("error[E0558]: 'scale_0_0' of the kernel 'scale_0'") && err.contains("hangs"), "{err}");
    let folder = tempfile::tempdir().expect("a folder");
    let expected = file(folder.path(), "expected.npz");
    let cpu = run(&["-", "--shape=M=2,N=3", "--device=cpu", "-o", &expected], SCALE, same);
    assert_eq!((cpu.status, cpu.opened), (Status::Success, 0), "{}", cpu.err);
    let err = error(&["--check", &expected], same);
    assert!(err.contains("error[E0534]: 6 of 6 elements of y are not as"), "{err}");
}

/// `auto` takes the device where there is one, and else the CPU.
#[test]
fn auto_is_the_device_that_there_is() {
    let args = ["-", "--shape=M=2,N=3"];
    let said = run(&args, SCALE, same);
    assert!(said.status == Status::Success && said.only(&["launch"]).len() == 1, "{}", said.err);
    // What is evaluated as it is written is evaluated.
    let said = run(&["-", "--shape=M=2,N=3", "--strict"], SCALE, same);
    assert_eq!((said.status, said.opened), (Status::Success, 0));
    let said = run(&["-", "--shape=M=2,N=3", "--strict", "--device=cuda"], SCALE, same);
    assert_eq!((said.status, said.opened), (Status::Usage, 0));

    let without = |code: &'static _, args: &[&str]| {
        let mut gpu = Gpu::new(Box::new(move |_| Err(Box::new(Diagnostic::error(code, Loc::UNKNOWN, "why not")))));
        run_on(&mut gpu, args, SCALE.as_bytes())
    };
    let (status, out, err) = without(&NO_DRIVER, &args);
    assert!(status == Status::Success && err.is_empty() && out.contains("tensor<[2, 3], f32>"), "{err}");
    let (status, _, err) = without(&DRIVER_TOO_OLD, &args);
    assert!(status == Status::Success && err.contains("warning[E0552]: why not; programs run on the CPU"), "{err}");
    let said = run(&args, SCALE, |fake| fake.device.capability = (7, 5));
    assert!(said.status == Status::Success && said.only(&["launch"]).is_empty(), "{}", said.err);
    let warning = "warning[E0554]: Fake (sm_75) is older than the devices that programs are compiled for, from sm_80 on; \
                   programs run on the CPU";
    assert!(said.err.contains(warning), "{}", said.err);
    let (status, _, err) = without(&NO_DRIVER, &["-", "--shape=M=2,N=3", "--device=cuda"]);
    assert!(status == Status::Failure && err.contains("error[E0551]: why not"), "{err}");
    let (status, _, err) = without(&NO_DRIVER, &["-", "--shape=M=2,N=3", "--bench"]);
    assert!(status == Status::Failure && err.contains("error[E0560]: --bench measures on a GPU"), "{err}");
    let (status, _, err) = without(&NO_DRIVER, &["-", "--shape=M=2,N=3", "--emit-manifest=m.json"]);
    assert!(status == Status::Failure && err.contains("error[E0560]: --emit-manifest writes"), "{err}");
    assert!(err.contains("--target=sm90"), "{err}");
}

/// A layer without a way to instructions is evaluated, unless a device is asked for.
#[test]
fn what_cannot_be_compiled_is_told() {
    let program = "sample.func @f(%a: i64) -> i64 { %b = addi %a, %a : i64  return %b }";
    let said = run(&["-"], program, same);
    assert_eq!((said.status, said.opened, said.asked.len()), (Status::Success, 1, 0), "{}", said.err);
    let said = run(&["-", "--device=cuda"], program, same);
    assert_eq!(said.status, Status::Failure);
    assert!(said.err.contains("[E0561] Error: no registered pass makes instructions of @f"), "{}", said.err);
    // What it has to do with is not asked for.
    let said = run(&["-", "--function=other", "--shape=M=4", "--device=cuda", "--plan=off"], GEMM, same);
    assert!(said.status == Status::Success && said.only(&["launch other_0_0"]).len() == 1, "{}", said.err);
    assert_eq!(said.only(&["entry"]).len(), 1);
}

/// What is written is what runs: the manifest gives the same launches.
#[test]
fn the_manifest_of_a_program_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = file(folder.path(), "gemm.json");
    let program = run(&["-", "--function=gemm", SIZES, "--emit-manifest", &manifest], GEMM, same);
    assert_eq!(program.status, Status::Success, "{}", program.err);
    let ptx = std::fs::read_to_string(file(folder.path(), "gemm.ptx")).expect("it is written");
    assert!(ptx.contains(".target sm_90a") && ptx.contains(".entry gemm_0"), "{ptx}");
    let again = run(&[&manifest, SIZES], "", same);
    assert_eq!(
        (again.status, &again.asked, &again.out),
        (Status::Success, &program.asked, &program.out),
        "{}",
        again.err
    );
    let said = run(&["-", "--function=gemm", SIZES, "--emit-manifest=/nowhere/m.json"], GEMM, same);
    assert!(said.status == Status::Failure && said.err.contains("error[E0502]: '/nowhere/m.json'"), "{}", said.err);
}

/// For a machine that is named, without one: for sizes and for all of them.
#[test]
fn the_manifest_of_a_program_is_written_without_a_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = file(folder.path(), "gemm.json");
    for sizes in [&[][..], &[SIZES]] {
        let mut gpu = Gpu::new(Box::new(|_| Err(Box::new(Diagnostic::error(&NO_DRIVER, Loc::UNKNOWN, "why not")))));
        let mut args = vec!["-", "--function=gemm", "--target=sm90", "--emit-manifest", &manifest];
        args.extend(sizes);
        let (status, out, err) = run_on(&mut gpu, &args, GEMM.as_bytes());
        assert!(status == Status::Success && out.is_empty() && err.contains("warning[E0567]: '"), "{out}{err}");
        let again = run(&[&manifest, SIZES], "", same);
        assert_eq!((again.status, again.only(&["launch"]).len()), (Status::Success, 1), "{}", again.err);
    }
}

#[test]
fn programs_are_measured() {
    let said = run(&["-", "--function=gemm", SIZES, "--bench=3"], GEMM, same);
    assert_eq!(said.status, Status::Success, "{}", said.err);
    let row: Vec<&str> = said.out.lines().nth(1).map(|line| line.split_whitespace().collect()).unwrap_or_default();
    assert!(row[..3] == ["@gemm", "1", "3"] && row[9] == "2.00", "{}", said.out);
}

#[test]
fn every_run_has_a_line_in_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.csv");
    let run_gemm = |args: &[&str]| run(&[&["-", "--function=gemm", SIZES, "--log", &log], args].concat(), GEMM, same);
    assert_eq!(run_gemm(&[]).status, Status::Success);
    assert_eq!(run_gemm(&["--plan=off"]).status, Status::Success);
    assert_eq!(run(&["-", "--shape=M=2,N=3", "--device=cpu", "--log", &log], SCALE, same).status, Status::Success);
    let text = std::fs::read_to_string(&log).expect("it is written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("program,kernels,device,sizes,flops,bytes,registers,"), "{text}");
    // 2 * M * N * K, and both factors and the result in two bytes each.
    assert!(lines[1].starts_with("gemm,gemm_0,Fake,M=256;N=512;K=128,33554432,458752,32,0,"), "{text}");
    assert!(lines[1].contains("instruction wgmma") && lines[1].ends_with('"'), "{text}");
    // Without a plan there is no estimate.
    assert!(lines[2].starts_with("gemm,gemm_0,Fake,") && lines[2].ends_with(",20,"), "{text}");
    assert!(lines[3].starts_with("scale,,cpu,M=2;N=3,,,,") && lines[3].ends_with(",1,"), "{text}");

    // What is no log stays as it is.
    std::fs::write(&log, "a,b\n1,2\n").expect("it is written");
    let said = run_gemm(&[]);
    assert!(said.status == Status::Failure && said.err.contains("error[E0563]: "), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&log).ok().as_deref(), Some("a,b\n1,2\n"));
}

/// Every program of a folder runs on the device, which is opened once; what stops it stops those after too.
#[test]
fn folders_run_on_one_device() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a", "b", "c"] {
        let own = folder.path().join(name);
        std::fs::create_dir(&own).expect("a folder");
        std::fs::write(own.join("p.tiny"), SCALE).expect("it is written");
        let inputs = file(&own, "inputs.npz");
        let made = run(&["-", "--seed=3", "-o", &inputs, "--device=cpu"], &both(), same);
        assert_eq!(made.status, Status::Success, "{}", made.err);
        let made = run(&["-", &inputs, "-o", &file(&own, "expected.npz"), "--device=cpu"], SCALE, same);
        assert_eq!(made.status, Status::Success, "{}", made.err);
    }
    let batch = format!("--batch={}", folder.path().display());
    let said = run(&[&batch, "--device=cuda", "--log", &file(folder.path(), "l.csv")], "", same);
    assert_eq!((said.status, said.opened), (Status::Failure, 1));
    assert!(said.out.contains("0 of 3 as expected") && said.out.contains("differs"), "{}", said.out);
    assert_eq!(said.only(&["compile"]).len(), 3);
    let log = std::fs::read_to_string(file(folder.path(), "l.csv")).expect("it is written");
    let is_run = |line: &&str| line.starts_with("scale,scale_0") && line.contains(",Fake,M=2;N=3,");
    assert_eq!(log.lines().filter(is_run).count(), 3, "{log}");

    let said = run(&[&batch], "", |fake| fake.fails.push(("launch", 1, Kind::Fault)));
    assert_eq!((said.status, said.opened), (Status::Failure, 1));
    let rows: Vec<&str> = said.out.lines().filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(rows[1..4], ["differs", "fails", "fails"], "{}", said.out);
    assert!(said.err.contains("error[E0557]") && said.err.contains("error[E0562]"), "{}", said.err);

    let mut gpu = Gpu::new(Box::new(|_| Err(Box::new(Diagnostic::error(&NO_DRIVER, Loc::UNKNOWN, "why not")))));
    let (status, out, err) = run_on(&mut gpu, &[&batch, "--device=cuda"], b"");
    assert!(status == Status::Failure && out.is_empty() && err.matches("E0551").count() == 1, "{out}{err}");
    let (status, out, _) = run_on(&mut gpu, &[&batch], b"");
    assert!(status == Status::Success && out.contains("3 of 3 as expected"), "{out}");
}

/// A program that gives what another one is called with.
fn both() -> String {
    "tiny.func @both(%X: tensor<[2, 3], f32>, %row: tensor<[3], f32>) -> (tensor<[2, 3], f32>, tensor<[3], f32>) {
  return %X, %row
}"
    .to_string()
}

/// A product is measured interleaved with the library; what is none is reported.
#[test]
fn products_are_measured_against_the_library() {
    let program = |epilogue: &str, bias: &str| {
        format!(
            "frontend.graph @f<M, N, K>(%A: tensor<[K, M], f16>, %B: tensor<[N, K], f16>{bias}) -> tensor<[M, N], f16> {{
  %s = gemm %A, %B trans_a trans_b acc f32
  {epilogue}
  output %r as f16
}}"
        )
    };
    let bias = ", %bias: tensor<[N], f16>";
    let args = ["-", SIZES, "--against=cublaslt", "--bench=3"];
    let said = run(&args, &program("%t = add %s, %bias\n  %r = relu %t", bias), same);
    assert_eq!(said.status, Status::Success, "{}", said.err);
    let asked = said.only(&["library"]);
    let shape =
        "Product { m: 256, n: 512, k: 128, elem: F16, out: F16, trans_a: true, trans_b: true, epilogue: BiasRelu }";
    assert_eq!(asked.len(), 1);
    // The inputs are the first that memory is taken for, and the last is for what the library gives.
    let is_placed = |line: &str| line.contains("ArgSlots { a: 4096, b: 73728, bias: ") && line.contains(shape);
    assert!(is_placed(asked[0]), "{asked:?}");
    // Two ways, five trials each, then three times by the fastest.
    assert_eq!((said.only(&["compete 0"]).len(), said.only(&["compete 1"]).len()), (5 + 3, 5));
    let row: Vec<&str> = said.out.lines().nth(1).map(|line| line.split_whitespace().collect()).unwrap_or_default();
    assert!(row[..3] == ["@f", "cublasLt", "1.2.3"] && row.last() == Some(&"0"), "{}", said.out);
    assert!(said.out.contains("measured"), "{}", said.out);

    let epilogue = |text: &str, bias: &str| {
        let said = run(&args, &program(text, bias), same);
        let asked = said.only(&["library"]).first().map(|line| line.to_string());
        asked.ok_or(said.err)
    };
    assert!(epilogue("%r = relu %s", "").is_ok_and(|line| line.contains("epilogue: Relu")));
    assert!(epilogue("%r = add %s, %bias", bias).is_ok_and(|line| line.contains("epilogue: Bias ")));
    assert!(epilogue("%r = mul %s, %bias", bias).is_err_and(|err| err.contains("error[E0565]") && err.contains("mul")));
    let wide = ", %bias: tensor<[M, N], f16>";
    assert!(epilogue("%r = add %s, %bias", wide).is_err_and(|err| err.contains("no row of the type of the result")));
    let said = run(&["-", "--shape=M=2,N=3", "--against=cublaslt"], SCALE, same);
    assert!(said.status == Status::Failure && said.err.contains("its kernel has 0 products"), "{}", said.err);

    // Numbers that differ, and a library that is not there.
    let relu = program("%r = relu %s", "");
    let ones = || [0x3c00u16; 256 * 512].iter().flat_map(|bits| bits.to_le_bytes()).collect::<Vec<u8>>();
    let said =
        run(&args, &relu, move |fake| fake.answers.extend([vec![0; 2 * 256 * 512], vec![0; 2 * 256 * 512], ones()]));
    assert!(
        said.status == Status::Failure && said.err.contains("error[E0566]: 131072 of 131072 elements"),
        "{}",
        said.err
    );
    let said = run(&args, &relu, |fake| fake.fails.push(("library", 0, Kind::NoLibrary)));
    assert!(said.status == Status::Failure && said.err.contains("error[E0564]: there is no cublasLt"), "{}", said.err);
}

/// A kernel that reads what other warps write, with no barrier between.
const EARLY: &str = "kernel.func @early<N>(%X: memref<[N], f32, row_major>) -> memref<[N], f32, row_major> {
  %Y = output : memref<[N], f32, row_major>
  grid (N ceildiv 256) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    %b = block_id 0
    copy %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 to %s by blocked [1] lanes [32] warps [4]
    %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}";

/// What is not verified is refused, or runs with a warning and is named in the summary.
#[test]
fn kernels_that_are_not_verified_run_only_when_asked() {
    let said = run(&["-", "--shape=N=300", "--device=cuda"], EARLY, same);
    assert_eq!((said.status, said.only(&["launch"]).len()), (Status::Failure, 0), "{}", said.err);
    assert!(said.err.contains("[E1811] Error"), "{}", said.err);
    for sizes in ["--shape=N=300", "--shape=N=1"] {
        let said = run(&["-", sizes, "--device=cuda", "--unchecked"], EARLY, same);
        assert_eq!((said.status, said.only(&["launch"]).len()), (Status::Success, 1), "{}", said.err);
        let count = |word| said.err.matches(word).count();
        assert_eq!((count("[E1811] Warning"), count("[E0547] Warning"), count("Error")), (1, 1, 0), "{}", said.err);
        assert!(said.out.contains("\nnot verified: @early\n"), "{}", said.out);
    }
    // Asking makes nothing unverified, and a program is lowered as it is without.
    for sizes in ["--shape=M=2,N=3", "--shape=M=256,N=512"] {
        let said = run(&["-", sizes, "--device=cuda", "--unchecked"], SCALE, same);
        assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
        assert!(!said.out.contains("not verified"), "{}", said.out);
    }
}

/// PTX that is not what a manifest was written with runs with a warning; so do instructions that somebody wrote.
#[test]
fn ptx_from_elsewhere_runs_with_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, ptx) = (file(folder.path(), "m.json"), file(folder.path(), "m.ptx"));
    let written =
        run(&["-", "--shape=M=2,N=3", "--device=none", "--target=sm90", "--emit-manifest", &json], SCALE, same);
    assert_eq!((written.status, written.err), (Status::Success, format!("wrote {json}, {ptx}: 1 kernel for sm90\n")));
    let said = run(&[&json, "--shape=M=2,N=3", "--device=cuda"], "", same);
    assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
    assert!(!said.out.contains("not verified"), "{}", said.out);
    let text = std::fs::read_to_string(&ptx).expect("it is written");
    std::fs::write(&ptx, text + "// changed\n").expect("it can be written");
    let said = run(&[&json, "--shape=M=2,N=3", "--device=cuda"], "", same);
    assert_eq!(said.status, Status::Success, "{}", said.err);
    assert_eq!(said.err.matches("warning[E0547]").count(), 1, "{}", said.err);
    assert!(said.err.contains("the PTX is not the one that the manifest was written with"), "{}", said.err);
    assert!(said.out.contains("\nnot verified: @scale_0"), "{}", said.out);

    let instructions = "ptx.func @fill<N>() -> memref<[N], f32> attributes {target = \"sm_80\"} {
  %Y = kernel.output : memref<[N], f32>
  entry \"fill_0\" (1) threads 32 shared 0 memory (%Y) {
  ^start(%y: i64):
    exit
  }
  kernel.return %Y
}";
    let said = run(&["-", "--shape=N=3", "--device=cuda"], instructions, same);
    assert_eq!((said.status, said.only(&["launch"]).len()), (Status::Success, 1), "{}", said.err);
    assert_eq!(said.err.matches("[E0547] Warning").count(), 1, "{}", said.err);
    assert!(said.out.contains("\nnot verified: @fill\n"), "{}", said.out);
}

/// What a run launches of a product with the plans of a file.
fn launched(plans: &str) -> String {
    let cache = format!("--plan-cache={plans}");
    let said = run(&["-", "--function=gemm", SIZES, "--device=cuda", &cache], GEMM, same);
    assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
    said.only(&["launch"])[0].to_string()
}

/// Plans are measured and kept in a file, and taken from it where kernel, sizes and device are the same.
#[test]
fn plans_are_measured_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let plans = file(folder.path(), "plans.mlir");
    let cache = format!("--plan-cache={plans}");
    let tune = |change: fn(&mut Fake)| {
        let said = run(&["-", "--function=gemm", SIZES, "--device=cuda", "--tune=100", &cache], GEMM, change);
        assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
        let row = said.out.lines().nth(1).expect("a kernel").split_whitespace().map(String::from);
        (row.collect::<Vec<_>>(), std::fs::read_to_string(&plans).expect("a file"))
    };
    let (row, text) = tune(same);
    // The kernel, its sizes, its plans, those that were measured, those that are wrong.
    assert_eq!(row[..2], ["@gemm_0", "M=256,N=512,K=128"]);
    assert!(row[2].parse::<usize>().is_ok_and(|plans| plans > 4) && row[3] == row[2] && row[4] == "0", "{row:?}");
    assert_eq!(text.matches("plan.measured gemm_0 for sm90 {").count(), 1, "{text}");

    // The same again replaces what was measured before, and a plan that gives other numbers none.
    let wrong = |fake: &mut Fake| {
        let bytes = 256 * 512 * 2;
        fake.answers.extend([vec![0; bytes], vec![0x3c; bytes]]);
    };
    let (row, text) = tune(wrong);
    assert_eq!(row[4], "1", "{row:?}");
    assert_eq!(text.matches("plan.measured").count(), 1, "{text}");

    // A person may say what it is.
    let clauses = text.find("  tile").expect("a tile");
    let own = "  tile (m: 16, n: 64, k: 64)\n  instruction mma\n  warps (m: 1, n: 4)\n}\n";
    let edit = |text: &str| std::fs::write(&plans, text).expect("it writes");
    edit(&(text[..clauses].to_string() + own));
    let edited = launched(&plans);
    assert!(edited.starts_with("launch gemm_0_0 [128, 1, 1] by [1, 1, 1], 128, 10240 "), "{edited}");
    for (is, other) in [("device Fake", "device Other"), ("driver 13000", "driver 12080"), ("M: 256", "M: 255")] {
        edit(&(text[..clauses].replace(is, other) + own));
        assert_ne!(launched(&plans), edited, "{other}");
    }
}

/// What is no file of measured plans is refused, and a plan that its kernel cannot have is not taken.
#[test]
fn wrong_files_of_measured_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    let plans = file(folder.path(), "plans.mlir");
    let cache = format!("--plan-cache={plans}");
    let args = ["-", "--function=gemm", SIZES, "--device=cuda", &cache];
    let absent = run(&args, GEMM, same);
    assert!(absent.status == Status::Failure && absent.err.contains("plans.mlir"), "{}", absent.err);
    std::fs::write(&plans, "plan.schedule for sm90 {}").expect("it writes");
    let other = run(&args, GEMM, same);
    assert_eq!(other.status, Status::Failure);
    assert!(other.err.contains("is given as a file of measured plans, and 'plan.schedule' is none"), "{}", other.err);

    std::fs::remove_file(&plans).expect("it goes");
    let tuned = run(&[&args[..], &["--tune=100"]].concat(), GEMM, same);
    assert_eq!(tuned.status, Status::Success, "{}", tuned.err);
    let text = std::fs::read_to_string(&plans).expect("a file");
    std::fs::write(&plans, text.replace('X', "V")).expect("it writes");
    let refused = run(&args, GEMM, same);
    assert_eq!(refused.status, Status::Success, "{}", refused.err);
    assert!(refused.err.contains("E1616") && refused.err.contains("on Fake is not taken"), "{}", refused.err);
    // What has a plan that was written is not measured.
    let region =
        "region.func @k<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
      %a = read %x[m] : f32 over (m)
      yield %a to y
    }
    plan.schedule of @k for sm90 { tile (m: 256) threads (m: 128) }";
    let own = run(&["-", "--shape=M=64", "--device=cuda", "--tune"], region, same);
    assert!(own.status == Status::Success && !own.out.contains("@k"), "{}{}", own.out, own.err);
    let manifest = run(&["-", "--device=cuda", "--tune"], "{\"manifest\": 1}", same);
    assert!(manifest.status == Status::Failure && manifest.err.contains("its plans are chosen"), "{}", manifest.err);
    let off = run(&["-", "--plan=off", "--tune"], GEMM, same);
    assert!(off.status == Status::Usage && off.err.contains("--tune chooses plans"), "{}", off.err);
}
