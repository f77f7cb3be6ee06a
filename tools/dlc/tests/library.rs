//! Programs compiled and run as a library does it: on the CPU, on a device that does nothing, and from several threads.

use std::path::Path;

use dlc::cuda::driver::Driver;
use dlc::cuda::fake::{Fake, Log};
use dlc::cuda::gpu::Gpu;
use dlc::{Arguments, Array, CompileOptions, Device, DeviceTensor, Elem, Error, Session, SessionOptions, Source};
use dlc_ir::types::FloatKind;

const SCALE: &str = "tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mul %X, %row
  return %y
}";

const F32: Elem = Elem::Float(FloatKind::F32);

fn array(shape: &[usize], values: &[f32]) -> Array {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Array { shape: shape.to_vec(), elem: F32, bytes }
}

fn values(array: &Array) -> Vec<f32> {
    array.bits().map(|bits| f32::from_bits(bits as u32)).collect()
}

fn compile(session: &Session, text: &str) -> Result<dlc::Program, Error> {
    session.compile(Source::Text(text), &CompileOptions::default())
}

fn x() -> Array {
    array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
}

fn row() -> Array {
    array(&[3], &[1.0, 10.0, 100.0])
}

#[test]
fn a_text_runs_on_arrays() {
    let program = compile(&Session::cpu(), SCALE).expect("it is right");
    assert_eq!((program.name(), program.symbols()), ("scale", &["M".to_string(), "N".to_string()][..]));
    let inputs = program.inputs();
    assert_eq!((inputs[0].name.as_str(), &inputs[0].shape[..]), ("X", &["M".to_string(), "N".to_string()][..]));
    assert_eq!((inputs[1].ty.as_str(), inputs[1].elem), ("tensor<[N], f32>", Some(F32)));
    let outputs = program.run([x(), row()]).expect("it runs");
    assert_eq!(outputs[0].shape, [2, 3]);
    assert_eq!(values(&outputs[0]), [1.0, 20.0, 300.0, 4.0, 50.0, 600.0]);
    // By name, in any order.
    let named = program.call(Arguments::new().named("row", row()).named("X", x())).expect("it runs");
    assert_eq!((named.outputs, named.device.as_str()), (outputs, "the CPU"));
}

#[test]
fn files_and_json_are_programs_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let session = Session::cpu();
    let path = root.join("test/dialects/tiny/gemm_bias_relu.mlir");
    let program = session.compile(Source::Path(&path), &CompileOptions::default()).expect("it is right");
    assert_eq!(program.name(), "gemm_bias_relu");
    let missing = session.compile(Source::Path(Path::new("gone.mlir")), &CompileOptions::default());
    assert_eq!(missing.map(|_| ()).expect_err("there is no such file").code(), "E0501");
    let json = r#"{"name": "f", "signature": {"inputs": [{"tensor": "a"}], "outputs": [{"tensor": "y"}]},
        "tensors": {"a": {"dtype": "fp32", "shape": ["N"]}, "y": {"dtype": "fp32", "shape": ["N"]}},
        "graph": [{"op": "Elementwise", "fn": "relu", "inputs": ["a"], "outputs": ["y"]}]}"#;
    let outputs = compile(&session, json).and_then(|program| program.run([array(&[2], &[-1.0, 1.0])]));
    assert_eq!(outputs.map(|outputs| values(&outputs[0])).expect("it runs"), [0.0, 1.0]);
}

#[test]
fn what_is_wrong_with_a_text_has_a_place_and_a_way_out() {
    let wrong = SCALE.replace("mul %X", "mull %X");
    let error = compile(&Session::cpu(), &wrong).map(|_| ()).expect_err("there is no such op");
    let place = error.first().place.clone().expect("a place");
    assert_eq!((place.file.as_str(), place.line, place.column), ("<text>", 2, 8));
    assert!(error.suggestion().is_some_and(|way| way.contains("mul")), "{error}");
    assert!(error.to_string().contains("mull %X, %row"), "{error}");
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let program = compile(&Session::cpu(), SCALE).expect("it is right");
    let fails = |arguments: Arguments| program.call(arguments).map(|_| ()).expect_err("it does not fit");
    let error = fails(Arguments::new().and(x()).and(array(&[2], &[1.0, 2.0])));
    assert_eq!((error.code(), error.argument()), ("E0533", Some("row")));
    assert_eq!(error.first().message, "N is 3 by axis 1 of X, but 2 by axis 0 of row");
    let error = fails(Arguments::new().and(row()).and(row()));
    assert_eq!((error.code(), error.argument()), ("E0532", Some("X")));
    assert_eq!(error.first().message, "the input X is tensor<[M, N], f32>, but the array has 1 axes, not 2");
    let doubles = Array { elem: Elem::Float(FloatKind::F64), bytes: vec![0; 24], shape: vec![3] };
    let error = fails(Arguments::new().and(x()).named("row", doubles));
    assert_eq!(error.first().message, "the input row is tensor<[N], f32>, but the array is of float64, not float32");
    let error = fails(Arguments::new().and(x()));
    assert_eq!((error.argument(), error.code()), (Some("row"), "E0532"));
    let error = fails(Arguments::new().and(x()).and(row()).and(row()));
    assert_eq!(error.first().message, "3 arrays are given, and @scale takes X, row");
    let error = fails(Arguments::new().and(x()).named("rows", row()));
    assert_eq!(error.suggestion(), Some("did you mean 'row'?"));
    let error = fails(Arguments::new().and(x()).and(row()).named("row", row()));
    assert_eq!(error.first().message, "the input row is given twice");
    let error = fails(Arguments::new().and(x()).and(row()).size("M", 3));
    assert_eq!((error.code(), error.argument()), ("E0533", Some("X")));
    assert_eq!(error.first().message, "M is 3 by sizes, but 2 by axis 0 of X");
}

#[test]
fn sizes_that_no_array_says_are_asked_for() {
    let text = "tiny.func @fill<N>(%x: tensor<[1], f32>) -> tensor<[2*N], f32> {
  %y = expand %x to [2*N]
  return %y
}";
    let program = compile(&Session::cpu(), text).expect("it is right");
    let given = Arguments::new().and(array(&[1], &[4.0]));
    let outputs = program.call(given.clone().size("N", 2)).expect("it runs").outputs;
    assert_eq!(values(&outputs[0]), [4.0; 4]);
    let sizes = vec![("N".to_string(), 1)];
    let options = CompileOptions { sizes, ..CompileOptions::default() };
    let program = Session::cpu().compile(Source::Text(text), &options).expect("it is right");
    assert_eq!(values(&program.call(given).expect("it runs").outputs[0]), [4.0; 2]);
}

#[test]
fn threads_share_a_session() {
    let session = Session::cpu();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let session = &session;
            scope.spawn(move || {
                let program = compile(session, SCALE).expect("it is right");
                let x = array(&[1, 3], &[number as f32; 3]);
                let outputs = program.run([x, row()]).expect("it runs");
                assert_eq!(values(&outputs[0])[2], 100.0 * number as f32);
            });
        }
    });
}

/// A session on a device that writes down what is asked of it.
fn on_fake(device: Device) -> (Session, Log) {
    let log = Log::default();
    let own = log.clone();
    let gpu = Gpu::new(Box::new(move |_| {
        let mut fake = Fake::new();
        fake.log = own.clone();
        Ok(Box::new(fake) as Box<dyn Driver>)
    }));
    let options = SessionOptions { device, cache: None, ..SessionOptions::default() };
    (Session::on(gpu, options), log)
}

/// Plans are measured at sizes that are said, kept in a file, and what was compiled before is compiled with them.
#[test]
fn plans_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plans.mlir");
    let (session, log) = on_fake(Device::Auto);
    let options = CompileOptions { plan_cache: Some(file.clone()), ..CompileOptions::default() };
    let program = session.compile(Source::Text(SCALE), &options).expect("it is right");
    let time = std::time::Duration::from_secs(100);
    let refused = |sizes: &[(String, i64)]| program.tune(sizes, time).err().expect("it is refused").to_string();
    let size = |name: &str, size| (name.to_string(), size);
    assert!(refused(&[size("M", 2)]).contains("does not say what N is"));
    assert!(refused(&[size("M", 2), size("N", 3), size("K", 4)]).contains("has no such symbol"));
    assert!(!file.exists());

    program.run([x(), row()]).expect("it runs");
    // What is launched last, without the addresses.
    let threads = || {
        let lines = log.lines();
        let line = lines.iter().rfind(|line| line.starts_with("launch")).expect("a launch");
        line.split(" (").next().unwrap_or_default().to_string()
    };
    let code = || log.lines().iter().rfind(|line| line.starts_with("load ")).expect("a module").clone();
    let estimated = code();
    let loads = || log.lines().iter().filter(|line| line.starts_with("load ")).count();
    let before = loads();
    let tuned = program.tune(&[size("M", 2), size("N", 3)], time).expect("it is measured");
    assert!(tuned.kernels.len() == 1 && tuned.kernels[0].measured > 3 && loads() > before + 3);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("sizes (M: 2, N: 3)") && text.contains("device Fake"), "{text}");

    // A plan that is distinguished from all that are chosen.
    let clauses = text.find("  tile").expect("a tile");
    let own = "  tile (m: 1, n: 32)\n  threads (n: 32)\n}\n";
    std::fs::write(&file, text[..clauses].to_string() + own).expect("it writes");
    program.run([x(), row()]).expect("it runs");
    let chosen = threads();
    assert!(code() != estimated, "another plan is the fastest on this device");
    drop(program);
    session.compile(Source::Text(SCALE), &options).expect("it is right").run([x(), row()]).expect("it runs");
    assert!(threads().contains("by [1, 1, 1], 32, 0") && chosen != threads(), "{chosen}, {}", threads());

    let sets = CompileOptions { shape_sets: vec![vec![size("M", 2), size("N", 3)]], ..CompileOptions::default() };
    let sets = session.compile(Source::Text(SCALE), &sets).expect("it is right");
    let error = sets.tune(&[size("M", 2)], time).err().expect("it is refused");
    assert!(error.to_string().contains("at the sizes of the shape sets"), "{error}");
    assert_eq!(sets.tune(&[], time).expect("it is measured").kernels.len(), 1);
}

#[test]
fn a_device_gets_launches() {
    let (session, log) = on_fake(Device::Auto);
    let program = compile(&session, SCALE).expect("it is right");
    let returned = program.call(Arguments::new().and(x()).and(row())).expect("it runs");
    assert_eq!((returned.device.as_str(), &returned.outputs[0].shape[..]), ("Fake", &[2, 3][..]));
    let count = |word: &str| log.lines().iter().filter(|line| line.starts_with(word)).count();
    assert_eq!((count("launch"), count("upload"), count("compile")), (1, 2, 1));
    program.run([x(), row()]).expect("it runs again");
    assert_eq!((count("launch"), count("upload")), (2, 4));
}

#[test]
fn a_session_without_a_device_runs_nothing() {
    let (session, log) = on_fake(Device::None);
    let program = compile(&session, SCALE).expect("it is right");
    assert_eq!(program.run([x(), row()]).expect_err("it does not run").code(), "E0560");
    assert!(log.lines().is_empty());
}

#[test]
fn a_program_is_shown_at_any_layer() {
    let sizes = vec![("M".to_string(), 64), ("N".to_string(), 128)];
    let options = CompileOptions { sizes, ..CompileOptions::default() };
    let program = Session::cpu().compile(Source::Text(SCALE), &options).expect("it is right");
    for (layer, word) in [
        ("tiny", "tiny.func @scale"),
        ("book", "book.func"),
        ("poly", "poly."),
        ("region", "region.func private @scale_0"),
        ("plan", "plan.schedule of @scale_0 for sm90"),
        ("kernel", "kernel.func"),
        ("ptx", "ptx.func"),
        ("indexbook", "book.func"),
    ] {
        let text = program.text(layer).unwrap_or_else(|error| panic!("{layer}: {error}"));
        assert!(text.contains(word), "{layer}: {text}");
    }
    let error = program.text("regions").expect_err("there is none");
    assert_eq!((error.code(), error.suggestion()), ("E0537", Some("did you mean 'region'?")));
    assert_eq!(program.text("frontend").expect_err("it is above").code(), "E0415");
}

#[test]
fn plans_ptx_and_reasons_are_given() {
    let program = compile(&Session::cpu(), SCALE).expect("it is right");
    let plans = program.plans().expect("it has kernels");
    assert_eq!((plans.len(), plans[0].kernel.as_str()), (1, "scale_0"));
    assert!(plans[0].json.contains("\"tile\"") && plans[0].clauses[0].starts_with("tile"), "{plans:?}");
    // A plan that is given is the one that is taken.
    let given = plans[0].json.clone();
    let options = CompileOptions { plans: vec![given], ..CompileOptions::default() };
    let again = Session::cpu().compile(Source::Text(SCALE), &options).expect("it fits");
    assert_eq!(again.plans(), Ok(plans));
    assert_eq!(again.run([x(), row()]), program.run([x(), row()]));
    let wrong = CompileOptions { plans: vec!["{\"tile\": 5}".into()], ..CompileOptions::default() };
    let error = Session::cpu().compile(Source::Text(SCALE), &wrong).map(|_| ()).expect_err("it is no plan");
    assert_eq!(error.first().place.as_ref().map(|place| place.file.as_str()), Some("<plan>"));
    let ptx = program.ptx().expect("it is compiled");
    assert!(ptx.text.contains(".target sm_90a") && ptx.manifest.contains("\"scale\""), "{}", ptx.manifest);
    let text = program.explain().expect("it is compiled");
    assert!(text.starts_with("@scale(X: tensor<[M, N], f32>, row: tensor<[N], f32>) -> (y: "), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("@scale_0 ")).expect("a row of the table");
    let words: Vec<&str> = row.split_whitespace().collect();
    assert!(words[1].parse::<f64>().is_ok() && row.contains(" mul ") && row.contains(" tile ("), "{row}");
    assert!(text.contains("\n1 kernel, ") && text.contains("\ndecisions\n"), "{text}");
}

fn tensor(shape: &[usize]) -> DeviceTensor {
    DeviceTensor { shape: shape.to_vec(), elem: F32 }
}

/// What was asked of a driver since the last time.
fn asked(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lines())
}

#[test]
fn tensors_of_a_device_are_launched_on_in_a_stream() {
    let (session, log) = on_fake(Device::Cpu);
    let program = compile(&session, SCALE).expect("it is right");
    let (x, row) = (tensor(&[2, 3]), tensor(&[3]));
    let named = [("row".to_string(), row.clone())];
    let call = program.on_device(0, std::slice::from_ref(&x), &named, &[]).expect("it fits");
    assert_eq!(call.outputs(), [(vec![2, 3], Some(F32))]);
    call.launch(&[0x8000, 0x9000], &[0xa000], 7).expect("it is launched");
    let first = asked(&log);
    assert!(
        first[0] == "stream 7" && first[1].starts_with("compile") && first[2].starts_with("load next to"),
        "{first:?}"
    );
    let launches =
        |lines: &[String]| lines.iter().filter(|line| line.starts_with("launch")).cloned().collect::<Vec<_>>();
    assert!(launches(&first)[0].ends_with("(0x8000, 0x9000, 0xa000, 2, 3)"), "{first:?}");
    assert!(
        !first.iter().any(|line| line == "wait") && first.last().is_some_and(|line| line == "own stream"),
        "{first:?}"
    );
    // The next one launches and nothing else, in this stream and in another one, with its own addresses.
    for (stream, inputs, output) in
        [(8, [0x8000, 0x9000], 0xb000), (7, [0x8000, 0x9000], 0xa000), (7, [0x8100, 0x9000], 0xb000)]
    {
        call.launch(&inputs, &[output], stream).expect("it is launched");
        let next = asked(&log);
        assert_eq!((next.len(), &next[0], launches(&next).len()), (3, &format!("stream {stream}"), 1), "{next:?}");
        let [x, row] = inputs;
        assert!(launches(&next)[0].ends_with(&format!("({x:#x}, {row:#x}, {output:#x}, 2, 3)")), "{next:?}");
    }
    let error = program.on_device(0, &[x.clone(), tensor(&[4])], &[], &[]).map(|_| ()).expect_err("it does not");
    assert_eq!((error.code(), error.argument()), ("E0533", Some("row")));
    for stream in [7, 9] {
        let odd = call.launch(&[0x8001, 0x9000], &[0xa000], stream);
        assert_eq!(odd.expect_err("its address does not fit").code(), "E0532");
        let few = call.launch(&[0x8000], &[0xa000], stream);
        assert_eq!(few.expect_err("an input is missing").code(), "E0560");
    }
    assert!(launches(&asked(&log)).is_empty());
    let other = program.on_device(1, &[x, row], &[], &[]).and_then(|call| call.launch(&[0, 0], &[0xa000], 0));
    assert_eq!(other.expect_err("another GPU").code(), "E0560");
}

/// Tensor maps are made once for each address, and an address that failed does not count as known.
#[test]
fn tensor_maps_are_made_once_for_an_address() {
    let source = "tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}";
    let (session, log) = on_fake(Device::Cpu);
    let program = compile(&session, source).expect("it is right");
    let half = |shape: &[usize]| DeviceTensor { elem: Elem::Float(FloatKind::F16), ..tensor(shape) };
    let call = program.on_device(0, &[half(&[4096, 4096]), half(&[4096, 4096])], &[], &[]).expect("it fits");
    let maps = |log: &Log| {
        let lines = asked(log);
        let maps = lines.iter().filter(|line| line.starts_with("map ")).count();
        (maps, lines.into_iter().find(|line| line.starts_with("launch")).expect("a launch"))
    };
    call.launch(&[0x10000, 0x20000], &[0x30000], 1).expect("it is launched");
    let (made, first) = maps(&log);
    assert!(made >= 2 && first.contains("map(0x10000), map(0x20000)"), "{first}");
    call.launch(&[0x10000, 0x20000], &[0x30000], 1).expect("it is launched");
    assert_eq!(maps(&log), (0, first.clone()));
    call.launch(&[0x40000, 0x20000], &[0x30000], 1).expect("it is launched");
    assert_eq!(maps(&log), (1, first.replace("0x10000", "0x40000")));
    call.launch(&[0x10000, 0x20000], &[0x30000], 1).expect("it is launched");
    assert_eq!(maps(&log), (0, first));
}

/// A program with shape sets is compiled once, and launches take the plan that costs the least at their sizes.
#[test]
fn shape_sets_have_plans() {
    let source = "tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}";
    let set = |sizes: [i64; 3]| ["M", "N", "K"].map(str::to_string).into_iter().zip(sizes).collect::<Vec<_>>();
    let options = |shape_sets| CompileOptions { shape_sets, ..CompileOptions::default() };
    let (session, log) = on_fake(Device::Cpu);
    let sets = options(vec![set([4096; 3]), set([16, 14336, 4096])]);
    let program = session.compile(Source::Text(source), &sets).expect("it is right");
    let half = |shape: &[usize]| DeviceTensor { elem: Elem::Float(FloatKind::F16), ..tensor(shape) };
    let taken = |m: usize, n: usize, k: usize| {
        let call = program.on_device(0, &[half(&[m, k]), half(&[k, n])], &[], &[]).expect("it fits");
        call.launch(&[0x10000, 0x20000], &[0x30000], 1).expect("it is launched");
        let launch = asked(&log).into_iter().find(|line| line.starts_with("launch ")).expect("a launch");
        launch.split_whitespace().nth(1).expect("a name").to_string()
    };
    let [large, few] = [taken(4096, 4096, 4096), taken(16, 14336, 4096)];
    assert_ne!(large, few);
    // At sizes that nobody named as well, and where a plan is not for the sizes the fallback runs.
    assert_eq!([taken(3000, 4096, 2048), taken(8, 16384, 4096)], [large.clone(), few.clone()]);
    let odd = taken(64, 65, 67);
    assert!(odd != large && odd != few, "{odd}");
    let manifest = program.ptx().expect("it is compiled").manifest;
    assert!(manifest.contains("\"cost\""), "{manifest}");
    assert!(
        program.explain().expect("it is compiled").contains("sm90, M = 4096, N = 4096, K = 4096; M = 16, N = 14336")
    );
    for (wrong, why) in [
        (vec![set([4096; 3])[..2].to_vec()], "does not say what K is"),
        (vec![[set([1; 3]), vec![("Q".into(), 1)]].concat()], "names 'Q'"),
        (vec![set([0, 1, 1])], "M is 0"),
        (vec![[set([1; 3]), set([1; 3])].concat()], "says twice what M is"),
    ] {
        let error = session.compile(Source::Text(source), &options(wrong)).map(|_| ()).expect_err("it is wrong");
        assert!(error.code() == "E0532" && error.to_string().contains(why), "{error}");
    }
}

/// What is loaded for host arrays forgets the modules of others, which are loaded again.
#[test]
fn host_arrays_and_tensors_of_a_device_share_it() {
    let (session, log) = on_fake(Device::Auto);
    let program = compile(&session, SCALE).expect("it is right");
    let call = program.on_device(0, &[tensor(&[2, 3]), tensor(&[3])], &[], &[]).expect("it fits");
    call.launch(&[0x8000, 0x9000], &[0xa000], 7).expect("it is launched");
    program.run([x(), row()]).expect("it runs");
    call.launch(&[0x8000, 0x9000], &[0xa000], 7).expect("it is launched");
    assert_eq!(log.lines().iter().filter(|line| line.starts_with("load next to")).count(), 2);
}

/// The memory of a program is given back when nobody can launch it any more, and that of all with the session.
#[test]
fn memory_is_given_back() {
    let two = |op: &str| {
        format!(
            "tiny.func @f(%X: tensor<[8, 512], f32>, %W: tensor<[512, 512], f32>) -> tensor<[8, 512], f32> {{
  %a = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %b = {op} %a
  %c = contract %b [m, k], %W [k, n] to [m, n] acc f32
  return %c
}}"
        )
    };
    let (session, log) = on_fake(Device::Cpu);
    let counted = |what: &str| asked(&log).iter().filter(|line| line.starts_with(what)).count();
    let run = |op: &str| {
        let program = compile(&session, &two(op)).expect("it is right");
        let call = program.on_device(0, &[tensor(&[8, 512]), tensor(&[512, 512])], &[], &[]).expect("it fits");
        call.launch(&[0x8000, 0x9000], &[0xa000], 7).expect("it is launched");
        (program, call)
    };
    let (program, call) = run("relu");
    let each = counted("allocate");
    assert!(each > 0);
    drop(program);
    let other = run("exp2");
    assert_eq!(counted("release"), 0, "a call may still be launched");
    drop(call);
    let third = run("neg");
    assert_eq!(counted("release"), each, "nobody can any more");
    drop((other, third));
    drop(session);
    assert_eq!(counted("release"), 2 * each);
}
