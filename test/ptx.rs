//! Holds the table of the dialect `ptx` against ptxas: every form of it, with all its modifiers, is assembled for the least
//! version and machine that the table says.
//!
//! Runs where `ptxas` is installed, and says so where it is not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use dlc_ir::diag::Diagnostics;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::{Body, Context};
use dlc_ptx::form::{Class, Slot, Target, instances, signatures};
use dlc_ptx::table::{INSTRUCTIONS, Instruction};
use dlc_test::features::Features;

/// What stands for a register of a class.
fn register(class: Class) -> &'static str {
    match class {
        Class::Pred => "%p",
        Class::B16 => "%h",
        Class::B32 | Class::W32 => "%r",
        Class::B64 | Class::W64 => "%l",
        Class::F32 => "%f",
        Class::F64 => "%d",
    }
}

/// The numbers that an instruction takes in the places that only take numbers.
fn number(instruction: &Instruction, modifiers: &str, place: usize) -> i64 {
    match instruction.name {
        "cp.async" => 16,
        "wgmma.mma_async" if place < 2 => 1,
        "lop3" => 150,
        "setmaxnreg" if modifiers.starts_with("dec") => 40,
        "setmaxnreg" => 232,
        _ => 0,
    }
}

/// The lines of a form: an instruction for each number of operands and all modifiers.
fn lines(instruction: &'static Instruction, modifiers: &str, target: Target, out: &mut String) {
    for signature in signatures(instruction, modifiers).iter().filter(|signature| signature.target == target) {
        let results = signature.result_classes();
        let mut parts = Vec::new();
        let mut numbers = 0;
        for &slot in &signature.operands {
            let several = |count: usize, class: Class| vec![register(class); count].join(", ");
            parts.push(match slot {
                Slot::Reg(class) => register(class).to_string(),
                Slot::Group(count, class) | Slot::Tied(count, class) => format!("{{{}}}", several(count, class)),
                Slot::Address(class) => format!("[{} + 16]", register(class)),
                Slot::Tensor(count) => format!("[%l, {{{}}}]", several(count, Class::B32)),
                Slot::Immediate => {
                    numbers += 1;
                    number(instruction, modifiers, numbers - 1).to_string()
                }
                Slot::Sink => "_".into(),
            });
        }
        let dot = if modifiers.is_empty() { "" } else { "." };
        let _ = match results.len() {
            0 => write!(out, "    {}", instruction.name),
            1 => write!(out, "    %v{} = {}", out.len(), instruction.name),
            count => write!(out, "    %v{}:{count} = {}", out.len(), instruction.name),
        };
        let _ = writeln!(out, "{dot}{modifiers} {}", parts.join(", "));
    }
}

/// A kernel that has registers of every class, and then these instructions.
fn kernel(target: Target, entries: &[(String, String)]) -> String {
    let mut text = format!("ptx.func @f() attributes {{target = \"{target}\"}} {{\n");
    for (number, (_, lines)) in entries.iter().enumerate() {
        let _ = write!(
            text,
            "  entry \"e{number}\" (1) threads 384 shared 0 sizes (1, 1) {{\n  ^start(%r: i32, %s: i32):\n    \
             %l = cvt.u64.u32 %r\n    %h = cvt.u16.u32 %r\n    %f = mov.b32 %r : f32\n    %d = mov.b64 %l : f64\n    \
             %p = setp.eq.s32 %r, %s\n{lines}    exit\n  }}\n"
        );
    }
    text.push_str("  kernel.return\n}\n");
    text
}

fn parse(ctx: &Context, text: &str) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("table.mlir", text.into()).expect("the text is short");
    let body = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
    body.unwrap_or_else(|| panic!("{:?}", diags.take().iter().map(|each| each.message.clone()).collect::<Vec<_>>()))
}

fn print(ctx: &Context, body: &Body, generic: bool) -> String {
    let mut text = String::new();
    print_body(ctx, body, PrintOptions { generic, ..PrintOptions::default() }, &mut |piece| text.push_str(piece));
    text
}

/// The rows of the table by version and machine, each with the lines of all its modifiers.
fn groups() -> BTreeMap<((u32, u32), Target), Vec<(String, String)>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for &instruction in INSTRUCTIONS {
        for form in instruction.forms {
            let mut text = String::new();
            for modifiers in instances(form) {
                lines(instruction, &modifiers, form.target, &mut text);
            }
            assert!(!text.is_empty(), "'{}' with '{}' stands for nothing", instruction.name, form.pattern);
            let name = format!("{} {} ({})", instruction.name, form.pattern, form.signature);
            groups.entry((form.since, form.target)).or_default().push((name, text));
        }
    }
    groups
}

/// Every form is read as it is written, in its own text and in the generic one, and the verifier takes it.
#[test]
fn every_form_survives_its_text() {
    for ((_, target), entries) in groups() {
        let ctx = Context::new([&dlc_core::DIALECT, &dlc_kernel::DIALECT, &dlc_ptx::DIALECT]);
        let body = parse(&ctx, &kernel(target, &entries));
        let diags = Diagnostics::new();
        let valid = dlc_ir::verify::verify(&ctx, &body, &diags);
        assert!(valid, "{:?}", diags.take().iter().map(|each| each.message.clone()).collect::<Vec<_>>());
        let custom = print(&ctx, &body, false);
        assert_eq!(print(&ctx, &parse(&ctx, &custom), false), custom);
        let generic = print(&ctx, &body, true);
        assert_eq!(print(&ctx, &parse(&ctx, &generic), false), custom);
    }
}

/// What ptxas says against a text.
fn assemble(ptxas: &Path, text: &str, target: Target) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("table.ptx");
    std::fs::write(&file, text).expect("a file");
    let out =
        Command::new(ptxas).arg(format!("-arch={target}")).arg("-O0").arg("-o").arg("/dev/null").arg(&file).output();
    let out = out.expect("ptxas runs");
    match out.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

#[test]
fn ptxas_takes_every_form() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(ptxas) = features.program("ptxas") else {
        let _ = writeln!(std::io::stderr(), "\nptx: not run: ptxas is not installed");
        return;
    };
    let groups = groups();
    let count: usize = groups.values().flatten().map(|(_, lines)| lines.lines().count()).sum();
    let mut wrong = String::new();
    for ((since, target), entries) in &groups {
        let ctx = Context::new([&dlc_core::DIALECT, &dlc_kernel::DIALECT, &dlc_ptx::DIALECT]);
        let body = parse(&ctx, &kernel(*target, entries));
        let module = dlc_ptx::emit::module(&ctx, &body, None).unwrap_or_else(|error| panic!("{}", error.message));
        let least = (7, 0).max(if target.exact {
            (8, 0)
        } else if target.sm >= 90 {
            (7, 8)
        } else {
            (7, 0)
        });
        assert_eq!(module.version, (*since).max(least), "the instructions of {target}");
        let Err(said) = assemble(ptxas, &module.text, *target) else { continue };
        let text: Vec<&str> = module.text.lines().collect();
        for line in said.lines() {
            let number = line.split("line ").nth(1).and_then(|rest| rest.split(';').next()?.parse::<usize>().ok());
            let code = number.and_then(|number| text.get(number - 1)).unwrap_or(&"");
            let _ = writeln!(wrong, "{since:?} {target}: {line}: {code}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let _ = writeln!(std::io::stderr(), "\nptx: ptxas took {count} instructions");
}
