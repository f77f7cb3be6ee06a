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
    let said = opt("--emit=lwo", "").bad(Status::Usage);
    assert!(said.contains("error: --emit: there is no layer of the name 'lwo'"), "{said}");
    assert!(said.contains("did you mean 'low'?"), "{said}");
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
    let expected =
        "// -----// low @g //----- //\n{\"low\": Some(\"g\")}\n// -----// low @f //----- //\n{\"low\": Some(\"f\")}\n";
    assert_eq!(said, expected);
    let said = opt("--dump=high,low --dump-format=json --emit=low --no-output", &functions(&["mute"])).err;
    let expected = "// -----// high @mute //----- //\n// no JSON: 'high.func' has no JSON\n\
                    // -----// low @mute //----- //\n// no JSON: it says nothing\n";
    assert_eq!(said, expected);
}

#[test]
fn json_is_written_instead_of_ir() {
    let input = functions(&["f", "g"]);
    let text = opt("--emit=low --emit-json", &input).good();
    assert_eq!(text, "{\"low\": Some(\"f\")}\n// -----\n{\"low\": Some(\"g\")}\n");
    let again = opt("--split-input-file", &text).good();
    assert_eq!(again.matches("read_from").count(), 2, "{again}");
    let said = opt("--emit-json", &input).bad(Status::Failure);
    assert!(said.contains("[E0606]") && said.contains("'high.func' has no JSON"), "{said}");
    assert!(said.contains("these layers have: low"), "{said}");
    assert!(opt("--emit-json", "").bad(Status::Failure).contains("nothing in the module"));
    assert!(opt("--emit=low --emit-json", &functions(&["mute"])).bad(Status::Failure).contains("it says nothing"));
    assert!(opt("--emit-json --print-generic", "").bad(Status::Usage).contains("cannot be used with"));
}

#[test]
fn other_text_comes_in_by_its_extension() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("x.low.json");
    std::fs::write(&file, "{}").expect("it can be written");
    let text = opt_args(&[file.to_str().expect("UTF-8")], b"").good();
    assert!(text.contains("read_from = \"{}\""), "{text}");
}

/// A file of JSON, or standard input, is known by what is in it.
#[test]
fn json_is_known_by_its_keys() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("x.json");
    let name = file.to_str().expect("UTF-8");
    std::fs::write(&file, "{\"low\": 1}").expect("it can be written");
    assert!(opt_args(&[name], b"").good().contains("read_from"));
    assert!(opt("", "// a comment\n{\"low\": 1}").good().contains("read_from"));
    std::fs::write(&file, "{\"high\": 1}").expect("it can be written");
    let said = opt_args(&[name], b"").bad(Status::Failure);
    assert!(said.contains("[E0504]") && said.contains("is none of the forms of JSON that are read"), "{said}");
    assert!(said.contains("low-json: The JSON of a layer."), "{said}");
    assert!(opt("", "{\"high\": 1}").bad(Status::Failure).contains("[E0504]"));
    // Whatever else begins with a brace is IR.
    assert!(opt("", "{-# #-}").good().starts_with("module"));
}
