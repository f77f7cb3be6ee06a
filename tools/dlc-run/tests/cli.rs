//! The command line of dlc-run: how it ends, and what dialects of any kind may do to it.

use std::ffi::OsString;

use dlc::evaluate::EVALUATION_PANICKED;
use dlc_ir::op::{Dialect, OpDef, Traits};
use dlc_ir::pass::registry::{PipelineDef, Registry};
use dlc_opt::{Io, Setup, Status};
use dlc_passes as _;

/// The pipeline that is run before evaluation: it is registered here.
static EVALUATE: PipelineDef = PipelineDef {
    name: "evaluate",
    summary: "What is run before evaluation.",
    text: "cse,dce",
    to_layer: "",
    lowering: "",
};

static BAD: OpDef = OpDef { traits: Traits::PURE, eval: Some(|_| panic!("for a test")), ..OpDef::bare("bad.panic") };
static DIALECT: Dialect = Dialect {
    name: "bad",
    summary: "Ops that go wrong.",
    ops: &[&BAD],
    types: &[],
    attrs: &[],
    materialize: None,
    synonyms: &[],
};

/// Runs the tool: the status, and what it printed on both streams.
fn run(args: &[&str], mut stdin: &[u8]) -> (Status, String, String) {
    dlc_ir::pass::panics::install_hook();
    let dialects = vec![&dlc_core::DIALECT, &dlc_sample::DIALECT, &dlc_tiny::DIALECT, &DIALECT];
    let mut registry = Registry::linked();
    registry.add_pipeline(&EVALUATE);
    let setup = Setup { dialects, registry, plugins: Default::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut err, terminal: false };
    // Whether the machine has a GPU is no matter.
    let args = ["dlc-run", "--device=cpu"].iter().chain(args).map(OsString::from);
    let status = dlc_opt::on_big_stack(dlc_run::run, &setup, args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("the tool writes UTF-8");
    (status, text(out), text(err))
}

/// A function of the sample dialect with an op whose evaluator panics, and whose result nothing uses.
const PANICS: &[u8] = b"sample.func @f(%a: i64) -> i64 { \"bad.panic\"() : () -> ()  return %a }";

#[test]
fn a_panic_of_an_evaluator_is_our_mistake() {
    let (status, out, err) = run(&["-", "--strict"], PANICS);
    assert_eq!((status, out.as_str()), (Status::Internal, ""));
    assert!(err.contains(EVALUATION_PANICKED.code) && err.contains("cli.rs"), "{err}");
    assert!(err.contains("the evaluation of @f has panicked") && err.contains("for a test"), "{err}");
}

#[test]
fn the_pipeline_evaluate_is_run_unless_the_program_is_taken_as_it_is() {
    // Without the op, which `dce` removes.
    let (status, out, err) = run(&["-"], PANICS);
    assert_eq!(status, Status::Success, "{err}");
    assert!(out.starts_with("@f on the CPU\n"), "{out}");
    assert_eq!(run(&["-", "--passes=cse"], PANICS).0, Status::Internal);
    assert_eq!(run(&["-", "--passes=dce"], PANICS).0, Status::Success);
}

#[test]
fn wrong_calls_have_a_status_of_their_own() {
    for args in [&["--nonsense"][..], &[], &["-", "x=y.txt"], &["-", "-o", "y.txt"], &["-", "--passes=nonsense"]] {
        let (status, out, err) = run(args, PANICS);
        assert_eq!((status, out.as_str()), (Status::Usage, ""), "{args:?}: {err}");
        assert!(!err.is_empty());
    }
    assert_eq!(run(&["--help"], b"").0, Status::Success);
    assert_eq!(run(&["-"], b"nonsense").0, Status::Failure);
    assert_eq!(run(&["-"], b"\xff").0, Status::Failure);
}

#[test]
fn single_numbers_are_inputs_and_outputs_too() {
    let program = b"sample.func @f(%a: i64, %c: i1) -> (i64, i1) { %b = addi %a, %a : i64  return %b, %c }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.npz").to_string_lossy().into_owned();
    let (status, out, err) = run(&["-", "-o", &file], program);
    assert_eq!((status, out.as_str()), (Status::Success, ""), "{err}");
    let (status, out, err) = run(&["-", "--check", &file], program);
    assert_eq!(status, Status::Success, "{err}");
    assert_eq!(out, "b: as expected (1 elements, off by at most 0)\nc: as expected (1 elements, off by at most 0)\n");
    let (status, out, _) = run(&["-"], program);
    assert!(status == Status::Success && out.contains("a      i64   seed 0"), "{out}");
    let (status, _, err) = run(&["-", &format!("a={file}:c")], program);
    assert!(status == Status::Failure && err.contains("is i64, but the array in"), "{err}");
}

#[test]
fn what_is_no_number_is_told() {
    let (status, _, err) = run(&["-"], b"sample.func @f(%a: none) -> none { return %a }");
    assert_eq!(status, Status::Failure);
    assert!(err.contains("the input a of the type none is neither a tensor nor a number"), "{err}");
}

#[test]
fn types_that_no_file_has_are_run_but_not_written() {
    let program = b"tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], tf32> { %y = cast %x to tf32  return %y }";
    let (status, out, err) = run(&["-"], program);
    assert!(status == Status::Success && out.contains("tensor<[2], tf32>"), "{out}{err}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("y.npy").to_string_lossy().into_owned();
    let (status, _, err) = run(&["-", "-o", &file], program);
    assert_eq!(status, Status::Failure);
    assert!(err.contains("the output y has elements of the type tf32, which files have no way for"), "{err}");
}

#[test]
fn diagnostics_have_a_form_for_programs() {
    let program = b"tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> { return %x }";
    let (status, out, err) = run(&["-", "--diagnostics=json"], program);
    assert_eq!((status, out.as_str()), (Status::Failure, ""));
    assert!(err.starts_with(['[', '{']) && err.contains("\"kind\": \"BadSymbol\""), "{err}");
}

/// A stream with room for nothing, or one that nothing reads.
struct Full(std::io::ErrorKind);

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_does_not_arrive_is_an_error_of_every_tool() {
    use std::io::ErrorKind::{BrokenPipe, StorageFull};
    let program: &[u8] = b"sample.func @f(%a: i64) -> i64 { return %a }";
    let tools: [(dlc_opt::RunFn, &[&str]); 6] = [
        (dlc_run::run, &["dlc-run", "--device=cpu", "-"]),
        (dlc_run::run, &["dlc-run", "--help"]),
        (dlc_opt::run, &["dlc-opt", "-"]),
        (dlc_opt::run, &["dlc-opt", "--list-passes"]),
        (dlc_opt::run, &["dlc-opt", "--show-dialects"]),
        (dlc_opt::run, &["dlc-opt", "--help"]),
    ];
    for (tool, args) in tools {
        for (kind, wanted) in [(StorageFull, Status::Failure), (BrokenPipe, Status::Success)] {
            let setup = Setup {
                dialects: vec![&dlc_sample::DIALECT],
                registry: Registry::linked(),
                plugins: Default::default(),
            };
            let (mut stdin, mut err) = (program, Vec::new());
            let mut io = Io { stdin: &mut stdin, stdout: &mut Full(kind), stderr: &mut err, terminal: false };
            let status = dlc_opt::on_big_stack(tool, &setup, args.iter().map(OsString::from), &mut io);
            let err = String::from_utf8(err).expect("the tool writes UTF-8");
            assert_eq!(status, wanted, "{args:?} {kind}: {err}");
            assert_eq!(err.contains("E0502"), wanted == Status::Failure, "{args:?} {kind}: {err}");
        }
    }
}

#[test]
fn diagnostics_that_do_not_arrive_are_an_error() {
    let setup =
        Setup { dialects: vec![&dlc_sample::DIALECT], registry: Registry::linked(), plugins: Default::default() };
    let (mut stdin, mut out) = (&b"sample.func @f(%a: i64) -> i64 { return %a }"[..], Vec::new());
    let mut full = Full(std::io::ErrorKind::StorageFull);
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut full, terminal: false };
    let args = ["dlc-opt", "-", "--timing"].iter().map(OsString::from);
    assert_eq!(dlc_opt::on_big_stack(dlc_opt::run, &setup, args, &mut io), Status::Failure);
}

#[test]
fn a_log_is_read_up_to_a_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log.csv");
    // A file with a hole takes no room.
    std::fs::File::create(&file).and_then(|file| file.set_len(1 << 40)).expect("a file");
    let log = |file: &str| run(&["-", &format!("--log={file}")], b"sample.func @f(%a: i64) -> i64 { return %a }");
    let (status, _, err) = log(file.to_str().expect("a name"));
    assert_eq!(status, Status::Failure, "{err}");
    assert!(err.contains("E0563") && err.contains("is larger than the 67108864 bytes"), "{err}");
    // A device is written to, and what it has no room for is reported.
    let (status, _, err) = log("/dev/full");
    assert_eq!(status, Status::Failure, "{err}");
    assert!(err.contains("E0502") && err.contains("'/dev/full' cannot be written"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_a_device_has_no_room_for_are_errors() {
    let program = b"tiny.func @f(%x: tensor<[4096], f32>) -> tensor<[4096], f32> { %y = neg %x : tensor<[4096], f32>  return %y }";
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["y.npy", "y.npz", "y.safetensors"] {
        // Formats are identified by names, and devices have none.
        let file = folder.path().join(name);
        std::os::unix::fs::symlink("/dev/full", &file).expect("a link");
        let (status, _, err) = run(&["-", "-o", file.to_str().expect("a name")], program);
        assert_eq!(status, Status::Failure, "{name}: {err}");
        assert!(err.contains("cannot be written"), "{name}: {err}");
    }
}
