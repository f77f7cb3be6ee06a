//! The tools as functions, for the tests that run many programs through them.

use std::ffi::OsString;

use dlc_opt::{Io, RunFn, Setup, Status};

/// What a tool writes to the standard output, or what it says where it fails. `args` begin with the tool's name.
pub fn tool(run: RunFn, args: &[&str], input: &str) -> Result<String, String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut stdin = input.as_bytes();
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut err, terminal: false };
    let args = args.iter().map(OsString::from);
    let status = dlc_opt::on_big_stack(run, &Setup::linked(), args, &mut io);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if status == Status::Success { Ok(text(&out)) } else { Err(text(&err)) }
}
