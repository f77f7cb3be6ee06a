//! Passes as flags and as pipelines, and passes that go wrong.

use dlc_opt::Status;

use super::setup::{functions, opt, opt_args};

#[test]
fn each_pass_is_a_flag_and_they_run_in_the_order_given() {
    let dumped = |args: &str| opt(&format!("--dump-pass-pipeline {args}"), "").err;
    assert_eq!(dumped("--mark --keep --options=count=4 --mark"), "builtin.module(mark,keep,options{count=4},mark)\n");
    assert_eq!(dumped("--keep --mark"), "builtin.module(keep,mark)\n");
    assert_eq!(dumped("--both --keep"), "builtin.module(keep,high.func(mark),keep)\n");
    assert_eq!(dumped(""), "");
}

#[test]
fn options_come_with_the_flag() {
    let text = opt_args(&["--options=count=7 text=\"a b\""], b"").good();
    assert!(text.contains("options = \"7 a b\""), "{text}");
    let said = opt("--options=cuont=7", "").bad(Status::Usage);
    assert!(said.contains("did you mean 'count'?"), "{said}");
}

#[test]
fn a_pipeline_reads_back_what_is_dumped() {
    let given = "builtin.module(keep,high.func(mark),options{count=2,text=\"x y\"})";
    let ran = opt_args(&["--dump-pass-pipeline", "--pass-pipeline", given], b"");
    assert_eq!(ran.err, format!("{given}\n"));
    let ran = opt_args(&["--pass-pipeline=high.func(mark)"], functions(&["f"]).as_bytes());
    assert!(ran.good().contains("mark"));
}

#[test]
fn wrong_pipelines_are_wrong_usage() {
    let said = opt("--pass-pipeline=keep,mrak", "").bad(Status::Usage);
    assert!(said.contains("<pass-pipeline>:1:6") && said.contains("did you mean 'mark'?"), "{said}");
    let said = opt("--pass-pipeline=keep --mark", "").bad(Status::Usage);
    assert!(said.contains("exclude each other"), "{said}");
    let said = opt("--mrak", "").bad(Status::Usage);
    assert!(said.contains("'--mark'"), "{said}");
    let said = opt("--print-ir-after=mrak", "").bad(Status::Usage);
    assert!(said.contains("did you mean 'mark'?"), "{said}");
}

#[test]
fn a_panic_is_internal_and_nothing_is_written() {
    let said = opt("--panic", &functions(&["f", "g"])).bad(Status::Internal);
    assert!(said.contains("the pass 'panic' panicked at "), "{said}");
    assert!(said.contains("setup.rs") && said.contains("for a test"), "{said}");
}

#[test]
fn a_failed_pass_and_a_broken_module_are_told_apart() {
    let said = opt("--fail", &functions(&["f"])).bad(Status::Failure);
    assert!(said.contains("this one cannot be done"), "{said}");
    let said = opt("--break", &functions(&["f"])).bad(Status::Internal);
    assert!(said.contains("the pass 'break' left IR that breaks the rules"), "{said}");
    assert!(opt("--break --verify-each=false --print-generic", &functions(&["f"])).good().contains("high.func"));
}

#[test]
fn a_reproducer_fails_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("repro.mlir");
    let file = file.to_str().expect("UTF-8");
    for (pass, status, why) in [("panic", Status::Internal, "panics"), ("fail", Status::Failure, "fails")] {
        let pipeline = format!("--pass-pipeline=keep,high.func(mark,{pass}),keep");
        let input = functions(&["f", "g"]);
        opt_args(&[&pipeline, "--reproducer", file], input.as_bytes()).bad(status);
        let text = std::fs::read_to_string(file).expect("it was written");
        assert!(text.contains(&format!("builtin.module(high.func({pass}))")), "{text}");
        assert!(text.contains(&format!("The pass '{pass}' {why}.")), "{text}");
        // It has what `mark` did before.
        assert_eq!(text.matches("mark").count(), 2, "{text}");
        let said = opt_args(&["--run-reproducer", file], b"").bad(status);
        assert!(said.contains(&format!("'{pass}' panicked")) || said.contains("cannot be done"), "{said}");
    }
    let said = opt("--run-reproducer", "").bad(Status::Failure);
    assert!(said.contains("is no reproducer"), "{said}");
}

#[test]
fn counters_skip_rewrites() {
    let input = functions(&["f", "g", "h"]);
    let marked = |args: &str| {
        let text = opt(args, &input).good();
        text.lines().map(|line| if line.contains("mark") { '1' } else { '0' }).collect::<String>()
    };
    let all = marked("--mark");
    assert_eq!(all.matches('1').count(), 3);
    assert_eq!(marked("--mark --debug-counter=mark=1").matches('1').count(), 2);
    assert_eq!(marked("--mark --debug-counter=mark=all").matches('1').count(), 0);
    assert_eq!(opt("--mark --mark --debug-counter-report", &input).err, "debug-counter mark: 6\n");
    assert!(opt("--debug-counter=mark", "").bad(Status::Usage).contains("RULE=N"));
}

#[test]
fn a_pass_that_changes_what_the_program_gives_is_named() {
    let input = "sample.func @f() -> i32 { %a = constant 2 : i32  %b = constant 3 : i32  %c = addi %a, %b : i32
                 return %c }";
    opt("--evaluate-each --keep", input).good();
    let said = opt("--evaluate-each --keep --change", input).bad(Status::Failure);
    assert!(said.contains("[E0421]"), "{said}");
    assert!(said.contains("the pass 'change' has changed what @f() gives: it was (5), it is (-1)"), "{said}");
    let input = "sample.func @g(%a: i32, %b: i32) -> i32 { %c = addi %a, %b : i32  return %c }";
    let said = opt("--evaluate-each --change", input).bad(Status::Failure);
    assert!(said.contains("has changed what @g("), "{said}");
}

/// The sizes and the seed that are reported make `dlc-run` show the difference, too.
#[test]
fn a_pass_that_changes_tensors_is_named_with_the_input_that_shows_it() {
    let input = "tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %n: tensor<[], i32>) -> tensor<[M, N], f32> {
                 %y = add %x, %x : tensor<[M, N], f32>  return %y }";
    opt("--evaluate-each --keep", input).good();
    let said = opt("--evaluate-each --keep --change-tensors", input).bad(Status::Failure);
    assert!(said.contains("the pass 'change-tensors' has changed what @f(x [3, 5] = ["), "{said}");
    assert!(said.contains("], n [] = ["), "{said}");
    assert!(said.contains(" of 15 elements of y differ, the worst at ["), "{said}");
    assert!(said.contains("'dlc-run - --strict --function=f --seed=0 --shape=M=3 --shape=N=5' runs it on"), "{said}");
    // Where the first sizes cannot be, others are tried.
    let input = "tiny.func @g<M>(%x: tensor<[M - 4], f32>) -> tensor<[M - 4], f32> {
                 %y = add %x, %x : tensor<[M - 4], f32>  return %y }";
    let said = opt("--evaluate-each --change-tensors", input).bad(Status::Failure);
    assert!(said.contains("--seed=1 --shape=M=8'"), "{said}");
}

/// Rounding in another order is no change of what a program gives.
#[test]
fn tensors_are_compared_by_a_tolerance() {
    let input = |b: &str| {
        format!(
            "tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {{ %b = const {b} : tensor<[M], f32>
             %y = add %x, %x : tensor<[M], f32>  %z = mul %y, %b : tensor<[M], f32>  return %z }}"
        )
    };
    opt("--evaluate-each --change-tensors", &input("1.0e-4")).good();
    let _ = opt("--evaluate-each --change-tensors", &input("1.0e-1")).bad(Status::Failure);
}
