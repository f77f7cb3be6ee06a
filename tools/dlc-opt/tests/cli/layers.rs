//! Lowerings that are put in, `--emit`, `--dump`, and text that is not IR.

use dlc_opt::Status;

use super::setup::{functions, opt, opt_args};

#[test]
fn lowerings_are_put_in_and_shown() {
    let ran = opt("--at-low --dump-pass-pipeline --remarks=passed", &functions(&["f"]));
    assert!(ran.out.contains("low.func") && ran.out.contains("at_low"), "{}", ran.out);
    assert!(ran.err.contains("builtin.module(lower,at-low)"), "{}", ran.err);
    assert!(ran.err.contains("[lower, passed] put in to lower @f: 'at-low' needs the layer 'low'"), "{}", ran.err);
    let said = opt("--at-low --no-auto-lower", &functions(&["f"])).bad(Status::Failure);
    assert!(said.contains("which @f has not reached") && said.contains("run 'lower' before"), "{said}");
}

#[test]
fn a_layer_can_be_asked_for() {
    let ran = opt("--mark --emit=low --dump-pass-pipeline", &functions(&["f"]));
    assert_eq!(ran.err, "builtin.module(mark,lower)\n");
    assert!(ran.good().contains("low.func"));
    assert!(opt("--emit=low --pass-pipeline=keep", "").bad(Status::Usage).contains("exclude each other"));
}

#[test]
fn functions_are_dumped_as_they_reach_layers() {
    let input = functions(&["f"]) + &functions(&["g"]).replace("high", "low");
    let said = opt("--dump=high,low --at-low --no-output", &input).err;
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with("// -----//")).collect();
    assert_eq!(
        heads,
        ["// -----// high @f //----- //", "// -----// low @g //----- //", "// -----// low @f //----- //"]
    );
    let said = opt("--dump=low --dump-format=json --emit=low --no-output", &input).err;
    assert!(said.contains("{\"low\": [\"f\", \"g\"]}"), "{said}");
}

#[test]
fn other_text_comes_in_by_its_extension() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("x.low.json");
    std::fs::write(&file, "{}").expect("it can be written");
    let text = opt_args(&[file.to_str().expect("UTF-8")], b"").good();
    assert!(text.contains("read_from = \"{}\""), "{text}");
}
