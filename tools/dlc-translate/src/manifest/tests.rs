//! Tests of the manifest.

use std::collections::BTreeMap;

use dlc_ir::Context;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use serde_json::{Value, json};

use super::numbers::{Numbers, Param, Use};
use super::plan::{Place, Plan, Target};
use super::read::{Kind, architecture, is_manifest, ptx_version, read};
use super::schema::{Elem, Manifest, Step, VERSION};
use super::verified::{checksum, unverified};
use super::{BAD_MANIFEST, BAD_PLACE, MANIFEST_VERSION, NOT_FOR_SIZES, write};

/// A product of matrices with scratch, two launches and tensor maps.
fn gemm() -> Value {
    json!({
        "name": "gemm", "symbols": ["M", "N", "K"],
        "inputs": [
            {"name": "A", "type": "f16", "shape": ["M", "K"], "align": 16},
            {"name": "B", "type": "f16", "shape": ["N", "K"], "align": 16},
        ],
        "outputs": ["D"],
        "buffers": [
            {"name": "D", "role": "output", "type": "f16", "shape": ["M", "N"], "align": 16},
            {"name": "w", "role": "scratch", "type": "f32", "shape": ["splits", "M", 4], "align": 16},
            {"name": "own", "role": "workspace", "type": "f32", "shape": ["M"], "align": 16},
        ],
        "values": [
            {"name": "tiles", "expr": "(M ceildiv 128)*(N ceildiv 128)"},
            {"name": "clusters", "min": ["66", "tiles"]},
            {"name": "splits", "max": ["K floordiv 64", "1"]},
        ],
        "requires": ["K mod 8 == 0", "N <= 8192"],
        "tensor_maps": [
            {"name": "mA", "buffer": "A", "type": "f16", "box": [128, 64], "swizzle": 128},
            {"name": "mD", "buffer": "D", "type": "bf16", "box": [64, 32], "swizzle": 64},
        ],
        "launches": [
            {"entry": "gemm_0", "grid": ["2*clusters", "1", "1"], "cluster": [2, 1, 1], "threads": 384, "shared": 215296,
             "args": [{"map": "mA"}, {"buffer": "w"}, {"i32": "M"}, {"i32": "tiles - 100"}]},
            {"entry": "gemm_1", "grid": ["M", "1", "1"], "threads": 128, "early": true,
             "args": [{"buffer": "w"}, {"map": "mD"}, {"buffer": "B"}]},
        ],
    })
}

/// A kernel that adds two vectors.
fn add() -> Value {
    json!({
        "name": "add", "symbols": ["N"],
        "inputs": [{"name": "x", "type": "f32", "shape": ["N"], "align": 16}, {"name": "y", "type": "f32", "shape": ["N"]}],
        "outputs": ["z"], "buffers": [{"name": "z", "role": "output", "type": "f32", "shape": ["N"], "align": 16}],
        "requires": ["N <= 1000"],
        "launches": [{"entry": "add", "grid": ["N ceildiv 256", 1, 1], "threads": 256, "args": [{"buffer": "x"}]}],
    })
}

/// Two additions of vectors, by either of two kernels.
fn program() -> Value {
    json!({
        "name": "p", "symbols": ["B"],
        "inputs": [{"name": "x", "type": "f32", "shape": ["B", "4"]}],
        "outputs": [{"name": "y", "type": "f32", "shape": ["4*B"]}],
        "arena": "32*B", "pool": 16,
        "steps": [
            {"const": "c", "type": "f32", "shape": ["4"], "offset": 0, "base64": "AACAPwAAAEAAAEBAAACAQA=="},
            {"view": "v", "of": "x", "shape": ["4*B"]},
            {"launch": [{"kernel": "wide", "sizes": {"N": "4*B"}, "where": ["B mod 8 == 0"]}, {"kernel": "add", "sizes": {"N": "4*B"}}],
             "inputs": ["v", "v"], "outputs": [{"name": "h", "type": "f32", "shape": ["4*B"], "offset": "0"}]},
            {"launch": [{"kernel": "add", "sizes": {"N": "4*B"}}],
             "inputs": ["h", "v"], "outputs": [{"name": "k", "type": "f32", "shape": ["4*B"], "offset": "16*B"}]},
            {"launch": [{"kernel": "add", "sizes": {"N": "4*B"}}],
             "inputs": ["h", "k"], "outputs": [{"name": "r", "type": "f32", "shape": ["4*B"], "offset": null}]},
        ],
        "results": ["r"],
    })
}

fn whole() -> Value {
    let mut wide = add();
    wide["name"] = json!("wide");
    json!({
        "manifest": 1, "target": "sm_90a", "ptx_version": "8.0", "module": "m.ptx",
        "kernels": [gemm(), add(), wide], "programs": [program()],
    })
}

/// Reads a text: the manifest, or what is wrong.
fn read_text(text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let (ctx, diags) = (Context::new([]), Diagnostics::new());
    let file = ctx.sources.add("m.json", text.to_string()).expect("a small text");
    read(&file, &diags).ok_or_else(|| diags.take())
}

fn manifest() -> Manifest {
    read_text(&whole().to_string()).expect("it is well formed")
}

/// What is wrong with a manifest in which something was changed.
fn wrong(change: impl FnOnce(&mut Value)) -> String {
    let mut value = whole();
    change(&mut value);
    let found = read_text(&value.to_string()).expect_err("it is not well formed");
    assert!(found.iter().all(|error| error.code == &BAD_MANIFEST), "{found:?}");
    found.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("\n")
}

fn symbols(all: &[(&str, i64)]) -> BTreeMap<String, i64> {
    all.iter().map(|(name, value)| (name.to_string(), *value)).collect()
}

fn numbers(all: &[(&str, i64)]) -> Result<Numbers, String> {
    manifest().kernels[0].numbers(&symbols(all))
}

/// The plan of the program, with something changed in it.
fn plan(rows: i64, change: impl FnOnce(&mut Value)) -> Result<Plan, Box<Diagnostic>> {
    let mut value = whole();
    value["manifest"] = json!(VERSION);
    change(&mut value["programs"][0]);
    let manifest = read_text(&value.to_string()).expect("it is well formed");
    Target::Program(&manifest.programs[0]).plan(&manifest, &symbols(&[("B", rows)]))
}

#[test]
fn what_is_written_is_read() {
    let manifest = manifest();
    let text = write(&manifest);
    assert!(is_manifest(&text));
    assert_eq!(read_text(&text).as_ref().ok(), Some(&manifest));
    assert_eq!(write(&read_text(&text).expect("it is well formed")), text);
    let Step::Const(constant) = &manifest.programs[0].steps[0] else { panic!("the first step is a constant") };
    assert_eq!(constant.bytes[..8], [0, 0, 128, 63, 0, 0, 0, 64]);
}

#[test]
fn other_texts_are_no_manifests() {
    for text in ["", "{}", "[{\"manifest\": 1}]", "module {}", "{\"nodes\": []}", "{\"a\": {\"manifest\": 1}}"] {
        assert!(!is_manifest(text), "{text}");
    }
    // What is wrong with one is said as of one.
    assert!(is_manifest("{\"manifest\": 1, }"));
    let found = read_text("{\"manifest\": 1, }").expect_err("it is not well formed");
    assert!(found[0].code == &BAD_MANIFEST && found[0].message.contains("trailing comma"), "{found:?}");
}

#[test]
fn other_versions_are_not_read() {
    for version in ["6", "0", "\"1\"", "1.5", "null"] {
        // Whatever else is there: a later version may have other fields.
        let found = read_text(&format!("{{\"manifest\": {version}, \"new\": []}}")).expect_err("another version");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code, &MANIFEST_VERSION);
        assert!(
            found[0].message.contains(&format!("the version {version}, and 1 to {VERSION} are read")),
            "{}",
            found[0].message
        );
    }
}

#[test]
fn wrong_fields_are_told_with_their_place() {
    let ctx = Context::new([]);
    let diags = Diagnostics::new();
    let text = "{\"manifest\": 1,\n \"target\": \"sm_90a\",\n \"ptx_versoin\": \"8.0\"}";
    let file = ctx.sources.add("m.json", text.to_string()).expect("a small text");
    assert_eq!(read(&file, &diags), None);
    let shown = dlc_ir::diag::render(&ctx, &diags.take()[0], Default::default());
    assert!(shown.contains("m.json:3:") && shown.contains("unknown field `ptx_versoin`"), "{shown}");

    assert!(wrong(|m| drop(m.as_object_mut().map(|m| m.remove("module")))).contains("missing field `module`"));
    assert!(wrong(|m| m["kernels"][0]["launches"][0]["threads"] = json!("many")).contains("invalid type"));
    assert!(wrong(|m| m["kernels"][0]["launches"][0]["grid"] = json!(["1"])).contains("invalid length"));
    assert!(wrong(|m| m["kernels"][0]["inputs"][0]["type"] = json!("f17")).contains("unknown variant `f17`"));
    assert!(wrong(|m| m["kernels"][0]["requires"] = json!(["K = 8"])).contains("'K = 8' is no condition"));
    assert!(wrong(|m| m["kernels"][0]["inputs"][0]["shape"] = json!(["M +"])).contains("'M +' is no size"));
    assert!(wrong(|m| m["kernels"][0]["values"][0] = json!({"name": "a"})).contains("not one of 'expr'"));
    assert!(wrong(|m| m["kernels"][0]["values"][0] = json!({"name": "a", "min": []})).contains("not one of 'expr'"));
    let step = |value: Value| wrong(|m| m["programs"][0]["steps"][0] = value);
    assert!(step(json!({})).contains("a step is a 'const', a 'launch' or a 'view'"));
    assert!(step(json!({"view": "a", "const": "b"})).contains("a step is a 'const', a 'launch' or a 'view'"));
    assert!(step(json!({"view": "a", "of": "x"})).contains("'of', 'shape' and maybe 'from' and 'layout'"));
    let layout = json!({"strides": [2, 1]});
    let view = json!({"view": "a", "of": "x", "shape": [2, 2], "layout": layout});
    assert!(step(view).contains("does not say 'from' where"));
    assert!(
        step(json!({"launch": [], "inputs": [], "outputs": [], "from": 3}))
            .contains("'from' and 'layout' are of views")
    );
    assert!(step(json!({"launch": [], "inputs": []})).contains("'inputs' and 'outputs'"));
    assert!(step(json!({"const": "c", "type": "f32", "shape": [1], "offset": 0})).contains("'offset' and 'base64'"));
    let coded = json!({"const": "c", "type": "f32", "shape": [1], "offset": 0, "base64": "?"});
    assert!(step(coded).contains("'c' is no base64"));
}

#[test]
fn what_is_named_must_be_there() {
    let kernel = |path: &str, value: Value| wrong(|m| *m["kernels"][0].pointer_mut(path).expect("a path") = value);
    assert!(kernel("/launches/0/args/0/map", json!("mB")).contains("the tensor map 'mB', which is not there"));
    assert!(kernel("/launches/0/args/1/buffer", json!("E")).contains("the buffer 'E', which is not there"));
    assert!(kernel("/launches/0/args/2/i32", json!("L")).contains("names 'L', which is none of its symbols"));
    assert!(kernel("/launches/0/grid/1", json!("L")).contains("names 'L'"));
    assert!(kernel("/requires/0", json!("tiles > 1")).contains("names 'tiles'"));
    assert!(kernel("/values/0/expr", json!("clusters")).contains("names 'clusters'"));
    assert!(kernel("/values/0/name", json!("M")).contains("two values 'M'"));
    assert!(kernel("/values/0/name", json!("2*M")).contains("no name for a value"));
    assert!(kernel("/tensor_maps/0/buffer", json!("Z")).contains("is of 'Z', which is no buffer"));
    assert!(kernel("/outputs/0", json!("w")).contains("the output 'w' is no buffer with the role 'output'"));
    assert!(kernel("/outputs", json!([])).contains("'D' has the role 'output' and is none of the outputs"));
    assert!(kernel("/buffers/1/name", json!("A")).contains("two buffers 'A'"));
    assert!(kernel("/launches", json!([])).contains("it has no launch"));
    assert!(wrong(|m| m["kernels"][1]["name"] = json!("gemm")).contains("two kernels 'gemm'"));
    assert!(wrong(|m| m["target"] = json!("ptx")).contains("the target 'ptx' is none"));
    assert!(wrong(|m| m["ptx_version"] = json!("8")).contains("the version '8' of PTX is none"));
    assert!(wrong(|m| m["module"] = json!("../m.ptx")).contains("is not the name of a file"));

    let program = |path: &str, value: Value| wrong(|m| *m["programs"][0].pointer_mut(path).expect("a path") = value);
    assert!(program("/steps/3/launch/0/kernel", json!("sub")).contains("'sub', which is no kernel"));
    assert!(program("/steps/3/launch/0/kernel", json!("gemm")).contains("has the symbols (K, M, N)"));
    assert!(program("/steps/3/inputs", json!(["h"])).contains("takes 2 inputs"));
    assert!(program("/steps/3/inputs/0", json!("r")).contains("'r' is used, and no step before gives it"));
    assert!(program("/steps/3/outputs/0/name", json!("h")).contains("'h' is given twice"));
    assert!(program("/steps/3/launch", json!([])).contains("a launch has no kernel"));
    assert!(program("/steps/2/launch/0/where/0", json!("M == 1")).contains("names 'M'"));
    assert!(program("/results", json!(["q"])).contains("the result 'q' is given by no step"));
    assert!(program("/results", json!([])).contains("0 results and 1 outputs"));
    assert!(program("/arena", json!("M")).contains("names 'M'"));
}

#[test]
fn what_no_device_takes_is_refused() {
    let kernel = |path: &str, value: Value| wrong(|m| *m["kernels"][0].pointer_mut(path).expect("a path") = value);
    assert!(kernel("/launches/0/threads", json!(2048)).contains("2048 threads"));
    assert!(kernel("/launches/0/threads", json!(0)).contains("0 threads"));
    assert!(kernel("/launches/0/cluster", json!([4, 4, 2])).contains("not of 1 to 16 blocks"));
    assert!(kernel("/launches/0/cluster", json!([4_000_000_000u32, 4_000_000_000u32, 0])).contains("1 to 16"));
    assert!(kernel("/inputs/0/align", json!(3)).contains("no power of two"));
    let map = |path: &str, value: Value| kernel(&format!("/tensor_maps/0/{path}"), value);
    assert!(map("box", json!([128])).contains("has 1 sizes, and needs 2"));
    assert!(map("box", json!([512, 64])).contains("0 or too large"));
    assert!(map("box", json!([0, 64])).contains("0 or too large"));
    assert!(map("box", json!([128, 128])).contains("rows of 256 bytes, more than its swizzle of 128"));
    assert!(map("box", json!([128, 60])).contains("rows of 120 bytes, no multiple of 16"));
    assert!(map("swizzle", json!(48)).contains("none of 0, 32, 64 and 128"));
    assert!(map("type", json!("f32")).contains("elements of f32, and its buffer of f16"));
    let flat = wrong(|m| m["kernels"][0]["inputs"][0]["shape"] = json!(["M", 1, 1, 1, 1, "K"]));
    assert!(flat.contains("is of 6 axes, and 1 to 5 are possible"), "{flat}");
    let window = json!({"lower": [-1], "upper": [-1], "strides": [1]});
    let flat = wrong(|m| m["kernels"][0]["tensor_maps"][0]["im2col"] = window.clone());
    assert!(flat.contains("is of 2 axes, and 3 to 5 are possible") && flat.contains("needs 0 numbers"), "{flat}");
}

#[test]
fn a_kernel_for_sizes() {
    let numbers = numbers(&[("M", 300), ("N", 256), ("K", 96)]).expect("it is for these sizes");
    let buffers = numbers.buffers.iter().map(|(tensor, is)| (tensor.name.as_str(), tensor.shape.as_slice(), *is));
    let expected: [(&str, &[u64], Use); 5] = [
        ("A", &[300, 96], Use::Input(0)),
        ("B", &[256, 96], Use::Input(1)),
        ("D", &[300, 256], Use::Output(0)),
        ("w", &[1, 300, 4], Use::Scratch),
        ("own", &[300], Use::Workspace),
    ];
    assert!(buffers.eq(expected));
    assert_eq!(numbers.buffers[3].0.bytes(), 4800);
    let first = &numbers.starts[0];
    assert_eq!((first.grid, first.cluster, first.threads, first.shared), ([12, 1, 1], [2, 1, 1], 384, 215_296));
    assert_eq!(first.params, [Param::Map(0), Param::Buffer(3), Param::I32(300), Param::I32(-94)]);
    let second = &numbers.starts[1];
    assert_eq!((second.grid, second.cluster, second.early), ([300, 1, 1], [1, 1, 1], true));
    assert_eq!(second.params, [Param::Buffer(3), Param::Map(1), Param::Buffer(1)]);
    // The driver takes the fastest axis first.
    let map = &numbers.maps[0];
    assert_eq!((&map.dims[..], &map.strides[..], &map.tile[..]), (&[96, 300][..], &[192][..], &[64, 128][..]));
    assert_eq!((map.buffer, numbers.maps[1].buffer, numbers.maps[1].elem), (0, 2, Elem::BF16));
}

#[test]
fn windows_of_pixels() {
    let mut value = whole();
    value["kernels"][0]["inputs"][0]["shape"] = json!(["M", 7, 9, "K"]);
    value["kernels"][0]["tensor_maps"][0] = json!({
        "name": "mA", "buffer": "A", "type": "f16", "box": [1024, 64], "swizzle": 128,
        "im2col": {"lower": [-1, -2], "upper": [1, 0], "strides": [1, 2]},
    });
    let manifest = read_text(&value.to_string()).expect("it is well formed");
    let numbers = manifest.kernels[0].numbers(&symbols(&[("M", 2), ("N", 256), ("K", 64)])).expect("numbers");
    let map = &numbers.maps[0];
    assert_eq!((&map.dims[..], &map.strides[..]), (&[64, 9, 7, 2][..], &[128, 1152, 8064][..]));
    assert_eq!(map.tile, [1024, 64]);
    assert_eq!(map.im2col.as_ref().map(|window| &window.lower[..]), Some(&[-1, -2][..]));
}

#[test]
fn axes_taken_as_one() {
    let numbers = |shape: Value| {
        let mut value = whole();
        value["kernels"][0]["inputs"][0]["shape"] = json!(["M", 7, 9, "K"]);
        value["kernels"][0]["tensor_maps"][0]["shape"] = shape;
        let manifest = read_text(&value.to_string()).expect("it is well formed");
        manifest.kernels[0].numbers(&symbols(&[("M", 2), ("N", 256), ("K", 64)]))
    };
    let made = numbers(json!(["63*M", "K"])).expect("numbers");
    assert_eq!((&made.maps[0].dims[..], &made.maps[0].strides[..]), (&[64, 126][..], &[128][..]));
    let refused = numbers(json!(["9*M", "K"])).expect_err("it is a part");
    assert_eq!(refused, "the tensor map 'mA' of [18, 64] elements is not 'A' of [2, 7, 9, 64]");
    let unknown = wrong(|m| m["kernels"][0]["tensor_maps"][0]["shape"] = json!(["L", "K"]));
    assert!(unknown.contains("names 'L'"), "{unknown}");
}

#[test]
fn sizes_that_a_kernel_is_not_for() {
    let refused = |sizes: &[(&str, i64)]| numbers(sizes).expect_err("it is not for these sizes");
    let message = refused(&[("M", 300), ("N", 256), ("K", 100)]);
    assert_eq!(message, "the kernel 'gemm' is for sizes with K mod 8 == 0, but K = 100");
    assert!(refused(&[("M", 300), ("N", 9000), ("K", 8)]).ends_with("N <= 8192, but N = 9000"));
    let message = refused(&[("M", 1 << 20), ("N", 256), ("K", 1 << 13)]);
    assert_eq!(
        message,
        "'A' has the sizes [1048576, 8192], and the kernel 'gemm' is for tensors of at most 2130706432 elements; \
         kernel-to-ptx{index=64} makes one for larger ones"
    );
    assert!(refused(&[("M", 1 << 40), ("N", 256), ("K", 1 << 30)]).contains("at most 2130706432 elements"));
    assert!(refused(&[("M", -1), ("N", 256), ("K", 8)]).contains("is -1"));
    // Rows of 68 elements are no multiple of 16 bytes.
    assert!(refused(&[("M", 300), ("N", 68), ("K", 8)]).contains("'mD' needs rows of a multiple of 16 bytes"));
}

#[test]
fn places_of_64_bits() {
    let numbers = |args: Value, sizes: &[(&str, i64)]| {
        let mut value = whole();
        value["kernels"][0]["elements"] = json!(1u64 << 40);
        value["kernels"][0]["requires"] = json!([]);
        value["kernels"][0]["launches"][0]["args"] = args;
        // As many blocks as there are rows are too many before the axis is too long.
        value["kernels"][0]["launches"][1]["grid"] = json!([1, 1, 1]);
        read_text(&value.to_string()).expect("it is well formed").kernels[0].numbers(&symbols(sizes))
    };
    let sizes = [("M", 1 << 20), ("N", 256), ("K", 1 << 13)];
    let made = numbers(json!([{"i64": "K*M"}]), &sizes).expect("numbers");
    assert_eq!(made.starts[0].params, [Param::I64(1 << 33)]);
    assert!(numbers(json!([{"i32": "K*M"}]), &sizes).expect_err("it is large").contains("goes beyond 32 bits"));
    let large = numbers(json!([]), &[("M", 1 << 21), ("N", 8), ("K", 1 << 20)]).expect_err("it is too large");
    assert!(large.ends_with("is for tensors of at most 1099511627776 elements"), "{large}");
    // An axis of zero counts as one of one.
    assert!(numbers(json!([]), &[("M", 1 << 21), ("N", 0), ("K", 1 << 20)]).is_err());
    let long =
        numbers(json!([{"map": "mA"}]), &[("M", (1 << 31) + 8), ("N", 8), ("K", 8)]).expect_err("an axis is long");
    assert_eq!(long, "the tensor map 'mA' would have an axis of 2147483656 elements, and has 1 to 2147483648");
    // What a kernel says is written again, and nothing where it says nothing.
    let mut value = whole();
    assert!(!write(&read_text(&value.to_string()).expect("it is well formed")).contains("elements"));
    value["kernels"][0]["elements"] = json!(4096);
    assert!(write(&read_text(&value.to_string()).expect("it is well formed")).contains("\"elements\": 4096"));
}

#[test]
fn launches_that_do_not_fit() {
    let start = |launch: Value, sizes: &[(&str, i64)]| {
        let mut value = whole();
        value["kernels"][1]["requires"] = json!([]);
        let own = value["kernels"][1]["launches"][0].as_object_mut().expect("a launch");
        own.extend(launch.as_object().expect("fields").clone());
        read_text(&value.to_string()).expect("it is well formed").kernels[1].numbers(&symbols(sizes))
    };
    let refused = |launch, sizes: &[(&str, i64)]| start(launch, sizes).expect_err("it does not fit");
    assert!(refused(json!({"grid": [1, "N", 1]}), &[("N", 65536)]).contains("65536 blocks along y"));
    assert!(refused(json!({"grid": ["4*N", 1, 1]}), &[("N", 1 << 30)]).contains("4294967296 blocks along x"));
    assert!(
        refused(json!({"cluster": [2, 1, 1]}), &[("N", 600)]).contains("3 blocks, no whole number of clusters of 2")
    );
    let large = json!({"args": [{"i32": "4*N"}]});
    assert!(refused(large, &[("N", 1 << 30)]).contains("4*N is 4294967296, which goes beyond 32 bits"));
    assert!(refused(json!({"grid": ["-N", 1, 1]}), &[("N", 3)]).contains("is -3"));
    // Of nothing, nothing is launched.
    assert_eq!(start(json!({}), &[("N", 0)]).map(|numbers| numbers.starts.len()), Ok(0));
}

#[test]
fn nothing_needs_no_tensor_map() {
    let none = numbers(&[("M", 0), ("N", 256), ("K", 8)]).expect("it is for these sizes");
    assert!(none.starts.is_empty());
}

#[test]
fn a_kernel_by_itself() {
    let manifest = manifest();
    let sizes = symbols(&[("M", 300), ("N", 256), ("K", 192)]);
    let plan = Target::Kernel(&manifest.kernels[0]).plan(&manifest, &sizes).expect("a plan");
    assert_eq!(plan.owned, [300 * 256 * 2]);
    // Scratch of three times 4800 bytes and a workspace of 1200, in whole pieces of 256.
    assert_eq!((plan.scratch, plan.arena, plan.pool), (14592 + 1280, 0, 0));
    let places = [Place::Input(0, 0), Place::Input(1, 0), Place::Owned(0, 0), Place::Scratch(0), Place::Scratch(14592)];
    assert_eq!(plan.runs[0].places, places);
    assert_eq!(plan.outputs[0].1, Place::Owned(0, 0));
    assert_eq!(plan.launches(), 2);
}

#[test]
fn a_program_for_sizes() {
    let plan = plan(10, |_| {}).expect("a plan");
    assert_eq!((plan.arena, plan.pool, &plan.owned[..]), (320, 16, &[160][..]));
    assert_eq!(plan.constants.len(), 1);
    let kernels = |plan: &Plan| plan.runs.iter().map(|run| run.kernel.clone()).collect::<Vec<_>>();
    assert_eq!(kernels(&plan), ["add", "add", "add"]);
    let places: Vec<_> = plan.runs.iter().map(|run| run.places.clone()).collect();
    assert_eq!(places[0], [Place::Input(0, 0), Place::Input(0, 0), Place::Arena(0)]);
    assert_eq!(places[1], [Place::Arena(0), Place::Input(0, 0), Place::Arena(160)]);
    assert_eq!(places[2], [Place::Arena(0), Place::Arena(160), Place::Owned(0, 0)]);
    assert_eq!(kernels(&self::plan(16, |_| {}).expect("a plan")), ["wide", "add", "add"]);
}

#[test]
fn a_kernel_that_is_not_for_the_sizes_is_passed_over() {
    let only_wide = |m: &mut Value| {
        m["steps"][2]["launch"] = json!([{"kernel": "wide", "sizes": {"N": "4*B"}, "where": ["B mod 8 == 0"]}])
    };
    let error = plan(10, only_wide).expect_err("no kernel");
    assert_eq!(error.code, &NOT_FOR_SIZES);
    assert!(error.notes[0].message.contains("the kernel 'wide' is taken with"), "{error:?}");
    let error = plan(400, |_| {}).expect_err("no kernel");
    assert!(error.message.contains("no kernel that is for these sizes"), "{error:?}");
    assert!(error.notes.iter().all(|note| note.message.contains("N <= 1000, but N = 1600")), "{error:?}");
    assert_eq!(error.notes.len(), 2);
}

/// The kernel that the first launch of the program runs where both have a cost, for 4 elements in each of some rows.
fn cheapest(rows: i64, version: u64, change: impl FnOnce(&mut Value)) -> Result<String, String> {
    let cost = |step: i64, tile: i64| {
        json!({"tiles": "B ceildiv 4", "steps": "B ceildiv 64", "bytes": "32*B", "launch": 3000, "tile": tile,
               "step": step, "wait": 0, "gbps": 4000, "sms": 8, "blocks": 1})
    };
    let mut value = whole();
    value["manifest"] = json!(version);
    for kernel in value["kernels"].as_array_mut().expect("a list") {
        kernel["verified"] = json!(false);
        kernel["reason"] = json!("not asked");
    }
    value["programs"][0]["steps"][2]["launch"] = json!([
        {"kernel": "wide", "sizes": {"N": "4*B"}, "cost": cost(10, 500)},
        {"kernel": "add", "sizes": {"N": "4*B"}, "cost": cost(300, 100), "where": ["B mod 8 == 0"]}]);
    change(&mut value["programs"][0]["steps"][2]["launch"]);
    let text = |found: Vec<Diagnostic>| found.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; ");
    let manifest = read_text(&value.to_string()).map_err(text)?;
    assert_eq!(read_text(&write(&manifest)).map_err(text)?, manifest);
    let plan = Target::Program(&manifest.programs[0]).plan(&manifest, &symbols(&[("B", rows)]));
    Ok(plan.expect("a plan").runs[0].kernel.clone())
}

#[test]
fn of_kernels_that_may_run_the_one_with_the_least_cost_is_taken() {
    let taken = |rows| cheapest(rows, 4, |_| {}).expect("it is well formed");
    // Rounds of 32 rows: 500 for each and 10 for each step against 100 and 300; two steps from 65 rows on.
    assert_eq!([16, 17, 64, 72].map(taken), ["add", "wide", "add", "wide"]);
    let taken = |change: fn(&mut Value)| cheapest(64, 4, change).expect("it is well formed");
    assert_eq!(taken(|all| all[1]["cost"]["tile"] = json!(210)), "wide");
    assert_eq!(taken(|all| all[1]["cost"]["tile"] = json!(209)), "add");
    // Equal ones in order, also one without a cost, and what is beyond 64 bits costs the most.
    assert_eq!(taken(|all| all[1]["cost"] = all[0]["cost"].clone()), "wide");
    assert_eq!(taken(|all| drop(all[1].as_object_mut().map(|own| own.remove("cost")))), "wide");
    assert_eq!(taken(|all| all[1]["cost"]["bytes"] = json!("4611686018427387904*B")), "wide");
    let wrong = |change: fn(&mut Value)| cheapest(64, 4, change).expect_err("it is not well formed");
    assert!(wrong(|all| all[0]["cost"]["sms"] = json!(0)).contains("the cost of 'wide' breaks a rule"));
    assert!(wrong(|all| all[0]["cost"]["tile"] = json!(-1)).contains("times are not negative"));
    assert!(wrong(|all| all[0]["cost"]["tiles"] = json!("Q")).contains("'Q'"));
    assert!(cheapest(64, 3, |_| {}).expect_err("it is too old").contains("'cost' is of version 4"));
}

#[test]
fn memory_that_is_still_needed_is_not_given_again() {
    let bad = |change: fn(&mut Value)| {
        let error = plan(10, change).expect_err("memory is used twice");
        assert_eq!(error.code, &BAD_PLACE, "{error:?}");
        error.message
    };
    let message = bad(|m| m["steps"][3]["outputs"][0]["offset"] = json!("16*B - 32"));
    assert!(
        message.contains("'k' has the bytes 128 to 288 of the arena, and 'h', from 0 to 160, is still"),
        "{message}"
    );
    let message = bad(|m| m["steps"][3]["outputs"][0]["offset"] = json!("16*B + 16"));
    assert!(message.contains("'k' has 160 bytes from 176 on, and the arena has 320"), "{message}");
    let message = bad(|m| m["steps"][3]["outputs"][0]["offset"] = json!("9223372036854775807"));
    assert!(message.contains("and the arena has 320"), "{message}");
    let message = bad(|m| m["steps"][0]["offset"] = json!(4));
    assert!(message.contains("'c' has 16 bytes from 4 on, and the pool has 16"), "{message}");
    let message = bad(|m| m["steps"][0]["shape"] = json!([5]));
    assert!(message.contains("the constant 'c' has 16 bytes, not 20"), "{message}");
    let message = bad(|m| {
        m["arena"] = json!("32*B + 4");
        m["steps"][3]["outputs"][0]["offset"] = json!("16*B + 4");
    });
    assert!(message.contains("'k' lies at byte 164, and the kernel 'add' needs a multiple of 16"), "{message}");
    // A view keeps the memory of what it is a view of.
    let view = |m: &mut Value| {
        let steps = m["steps"].as_array_mut().expect("steps");
        steps.insert(3, json!({"view": "hv", "of": "h", "shape": ["4*B"]}));
        steps[4]["inputs"] = json!(["v", "v"]);
        steps[4]["outputs"][0]["offset"] = json!("0");
        steps[5]["inputs"] = json!(["k", "hv"]);
    };
    assert!(plan(10, view).expect_err("memory is used twice").message.contains("is still needed"));
    // What nothing reads any more may be written over.
    let again = |m: &mut Value| {
        m["steps"][3]["inputs"] = json!(["v", "v"]);
        m["steps"][3]["outputs"][0]["offset"] = json!("0");
        m["steps"][4]["inputs"] = json!(["k", "k"]);
    };
    assert!(plan(10, again).is_ok());
}

#[test]
fn parts_of_memory_lie_within_it() {
    // The program adds a part of a value to itself.
    let part = |view: Value| {
        plan(10, move |m| {
            let steps = m["steps"].as_array_mut().expect("steps");
            steps.push(view);
            steps.push(json!({"launch": [{"kernel": "add", "sizes": {"N": "2*B"}}], "inputs": ["part", "part"],
                "outputs": [{"name": "q", "type": "f32", "shape": ["2*B"], "offset": null}]}));
        })
    };
    let view = |of: &str, from: &str| json!({"view": "part", "of": of, "shape": ["2*B"], "from": from});
    let place = |of: &str, from: &str| part(view(of, from)).expect("it lies within").runs[3].places[0];
    assert_eq!(place("x", "B + 6"), Place::Input(0, 64));
    assert_eq!(place("k", "2*B"), Place::Arena(240));
    assert_eq!(place("r", "8"), Place::Owned(0, 32));
    let refused = |view: Value| part(view).expect_err("it does not lie within").message;
    assert!(refused(view("x", "2*B + 1")).contains("'part' of [20] is no view of [10, 4] from element 21 on"));
    assert!(refused(view("x", "B - 11")).contains("is -1"));
    // Elements of 4 bytes, and the kernel wants multiples of 16.
    assert!(refused(view("k", "1")).contains("lies at byte 164, and the kernel 'add' needs a multiple of 16"));
    assert!(refused(view("x", "1")).contains("lies at byte 4, and the kernel 'add' needs a multiple of 16"));
    let mut apart = view("x", "0");
    apart["layout"] = json!({"strides": [2]});
    let message = refused(apart.clone());
    assert!(message.contains("strides [2] from 0"), "{message}");
    apart["from"] = json!("2");
    assert!(refused(apart).contains("is no view of"));
}

#[test]
fn what_is_handed_on_must_be_what_is_taken() {
    let bad = |change: fn(&mut Value)| {
        let error = plan(10, change).expect_err("sizes differ");
        assert_eq!(error.code, &NOT_FOR_SIZES, "{error:?}");
        error.message
    };
    let message = bad(|m| m["steps"][3]["launch"][0]["sizes"]["N"] = json!("4*B + 1"));
    assert!(
        message.contains("'h' is tensor<[40], f32>, but the kernel 'add' has tensor<[41], f32> as 'x'"),
        "{message}"
    );
    let message = bad(|m| m["steps"][1]["shape"] = json!(["3*B"]));
    assert!(message.contains("'v' of [30] is no view of [10, 4]"), "{message}");
    let message = bad(|m| m["outputs"][0]["shape"] = json!(["B"]));
    assert!(message.contains("the output 'y' is tensor<[10], f32>, but 'r' is tensor<[40], f32>"), "{message}");
    assert!(bad(|m| m["arena"] = json!("-B")).contains("is -10"));
}

#[test]
fn targets_and_versions() {
    assert_eq!(architecture("sm_90a"), Some((90, Kind::Exact)));
    assert_eq!(architecture("sm_100f"), Some((100, Kind::Family)));
    assert_eq!(architecture("sm_80"), Some((80, Kind::Plain)));
    for wrong in ["sm_", "sm_9", "90a", "sm_90b", "sm_+9", "sm_9000", ""] {
        assert_eq!(architecture(wrong), None, "{wrong}");
    }
    assert_eq!((ptx_version("8.7"), ptx_version("8"), ptx_version("8.x")), (Some((8, 7)), None, None));
}

#[test]
fn elements_have_types() {
    let ctx = Context::new([]);
    for &elem in Elem::ALL {
        assert_eq!(Elem::of(elem.ty()), Some(elem));
        assert_eq!(elem.ty().display(&ctx), elem.name());
        let bits = elem.ty().bits(&ctx).unwrap_or(64);
        assert_eq!(u64::from(bits.max(8)), 8 * elem.size());
    }
    assert_eq!(Elem::of(ctx.int_type(4)), None);
}

/// The manifest of a kernel that is verified, with its checksum.
fn verified_manifest(ptx: &str, change: impl FnOnce(&mut Value)) -> Result<Manifest, String> {
    let mut kernel = add();
    kernel["verified"] = json!(true);
    for launch in kernel["launches"].as_array_mut().into_iter().flatten() {
        launch["covered"] = json!({"sizes": 5, "blocks": 9, "choices": 1, "runs": 3, "ring": 1, "rounds": 4});
    }
    let mut value = json!({
        "manifest": 2, "target": "sm_90a", "ptx_version": "8.0", "module": "m.ptx",
        "module_crc32": checksum(ptx), "kernels": [kernel],
    });
    change(&mut value);
    read_text(&value.to_string()).map_err(|found| found.into_iter().map(|error| error.message + "\n").collect())
}

#[test]
fn what_is_verified_is_verified_of_one_text() {
    let good = verified_manifest("ptx", |_| ()).expect("it is well formed");
    assert_eq!(unverified(&good, "ptx"), BTreeMap::new());
    assert_eq!(read_text(&write(&good)).expect("it is well formed"), good);
    let reason = |manifest: &Manifest, ptx| unverified(manifest, ptx).remove("add").expect("it is unverified");
    assert_eq!(reason(&good, "ptx "), "the PTX is not the one that the manifest was written with");
    let without = verified_manifest("ptx", |value| {
        value.as_object_mut().expect("an object").remove("module_crc32");
    });
    assert!(reason(&without.expect("it is well formed"), "ptx").contains("is not the one"));
    let not = verified_manifest("ptx", |value| {
        value["kernels"][0] = add();
        value["kernels"][0]["reason"] = json!("E1806 Deadlock: why");
    });
    assert_eq!(reason(&not.expect("it is well formed"), "ptx"), "E1806 Deadlock: why");
    // A manifest of before says nothing.
    let old = manifest();
    assert_eq!(old.manifest, 1);
    assert_eq!(unverified(&old, "ptx").len(), old.kernels.len());
    assert!(reason(&old, "ptx").contains("does not say"));
}

#[test]
fn what_is_said_of_verification_belongs_together() {
    let wrong = |change: fn(&mut Value)| verified_manifest("ptx", change).expect_err("it is not well formed");
    assert!(wrong(|value| value["manifest"] = json!(1)).contains("what says whether it was verified is of version 2"));
    assert!(wrong(|value| value["kernels"][0]["reason"] = json!("why")).contains("it has no 'reason'"));
    assert!(wrong(|value| value["kernels"][0]["verified"] = json!(false)).contains("no launch has 'covered'"));
    assert!(wrong(|value| value["kernels"][0]["launches"][0]["covered"] = Value::Null).contains("has 'covered'"));
    assert!(
        wrong(|value| value["kernels"][0]["launches"][0]["covered"] = json!({"sizes": 1})).contains("missing field")
    );
}

/// A product of matrices of which one has padded rows after 8 elements, and one is column-major.
fn strided(change: impl FnOnce(&mut Value)) -> Result<Manifest, String> {
    let mut kernel = gemm();
    kernel["symbols"] = json!(["M", "N", "K", "P"]);
    kernel["inputs"][0]["layout"] = json!({"strides": ["P", "1"], "offset": "8"});
    kernel["inputs"][1]["layout"] = json!({"block": [16, 8]});
    kernel["buffers"][0]["layout"] = json!({"swizzle": 128, "vector": 16});
    kernel["buffers"][2]["layout"] = json!({"strides": ["2"]});
    kernel["tensor_maps"][0]["strides"] = json!(["P"]);
    kernel["tensor_maps"].as_array_mut().expect("a list").truncate(1);
    kernel["launches"][1]["args"] = json!([{"buffer": "w"}, {"buffer": "D"}]);
    let mut value = json!({
        "manifest": 3, "target": "sm_90a", "ptx_version": "8.0", "module": "m.ptx", "kernels": [kernel],
    });
    change(&mut value);
    read_text(&value.to_string()).map_err(|found| found.into_iter().map(|error| error.message + "\n").collect())
}

#[test]
fn layouts_are_read_written_and_counted() {
    let manifest = strided(|_| ()).expect("it is well formed");
    assert_eq!(read_text(&write(&manifest)).expect("it is well formed"), manifest);
    let sizes = [("M", 20), ("N", 24), ("K", 72), ("P", 80)].map(|(name, size)| (name.to_string(), size));
    let numbers = manifest.kernels[0].numbers(&sizes.into_iter().collect()).expect("it is for these sizes");
    let elements: Vec<usize> = numbers.buffers.iter().map(|(tensor, _)| tensor.placement.extent()).collect();
    // 8 + 19 rows of 80 and one of 72; blocks of 32 x 72; whole rows of 128 bytes; splits; every second one.
    assert_eq!(elements, [8 + 19 * 80 + 72, 32 * 72, 512, 20 * 4, 39]);
    assert_eq!(numbers.buffers[0].0.bytes(), 2 * (8 + 19 * 80 + 72));
    assert_eq!((&numbers.maps[0].strides[..], numbers.maps[0].offset), (&[160][..], 16));
}

#[test]
fn layouts_that_do_not_fit_are_told() {
    let wrong = |change: fn(&mut Value)| strided(change).expect_err("it is not well formed");
    assert!(wrong(|value| value["manifest"] = json!(2)).contains("'layout' is of version 3"));
    let layout = |value: &mut Value, layout: Value| value["kernels"][0]["inputs"][0]["layout"] = layout;
    assert!(
        wrong(|value| value["kernels"][0]["inputs"][0]["layout"] = json!({"strides": ["1"]}))
            .contains("1 strides are given for 2")
    );
    assert!(wrong(|value| value["kernels"][0]["inputs"][0]["layout"] = json!({"strides": ["Q", 1]})).contains("'Q'"));
    assert!(
        wrong(|value| value["kernels"][0]["tensor_maps"][0]["strides"] = json!([]))
            .contains("a stride for each of its 2 axes")
    );
    let text = strided(|value| layout(value, json!({"strides": [1, 1], "block": [2, 2]}))).expect_err("two layouts");
    assert!(text.contains("a layout has 'strides' and maybe 'offset'"), "{text}");
    let no_strides = strided(|value| {
        value["kernels"][0]["tensor_maps"][0].as_object_mut().expect("an object").remove("strides");
    });
    let sizes = [("M", 20), ("N", 24), ("K", 72), ("P", 80)].map(|(name, size)| (name.to_string(), size));
    let error = no_strides.expect("it is well formed").kernels[0].numbers(&sizes.into_iter().collect());
    assert!(error.expect_err("TMA would read other rows").contains("has no 'strides'"));
}
