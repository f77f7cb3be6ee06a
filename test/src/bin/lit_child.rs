//! A program that misbehaves on request, for the tests of the runner.

use std::io::{Read, Write, stdin, stdout};
use std::process::{Command, ExitCode, abort, exit};
use std::thread::sleep;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |idx: usize| args.get(idx).map(String::as_str).unwrap_or_default();
    match arg(0) {
        "hang" => sleep(Duration::from_secs(600)),
        // Its child keeps the output open.
        "hang-in-child" => {
            let this = std::env::current_exe().expect("the path of this program");
            Command::new(this).arg("hang").spawn().expect("a child").wait().expect("the child's end");
        }
        "abort" => abort(),
        "panic" => panic!("on request"),
        "exit" => exit(arg(1).parse().expect("an exit status")),
        "both" => {
            println!("to standard output");
            eprintln!("to standard error");
            println!("to standard output again");
        }
        "env" => println!("{}", std::env::var(arg(1)).unwrap_or_else(|_| "unset".into())),
        // More than a pipe holds, before any input is read.
        "flood" => {
            let line = "x".repeat(99) + "\n";
            for _ in 0..10_000 {
                stdout().write_all(line.as_bytes()).expect("to write");
            }
            stdin().read_to_end(&mut Vec::new()).expect("to read");
        }
        other => {
            eprintln!("lit-child: `{other}` is nothing that it does");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
