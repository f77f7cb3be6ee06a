//! LLVM's own FileCheck as a second opinion.
//!
//! Where it is installed, each FileCheck of a test runs under both, and they must agree.
//! So a test does not depend on a mistake of ours, and can be moved to another project.

use crate::child::{self, Ending};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs `tool` with the same arguments and input; returns its verdict and what it printed.
pub fn verdict(
    tool: &Path,
    args: &[String],
    input: &[u8],
    directory: &Path,
    limit: Duration,
) -> Result<(bool, String), String> {
    let mut command = Command::new(tool);
    // The options of the environment would change LLVM's side alone.
    command.args(args).current_dir(directory).env_remove("FILECHECK_OPTS");
    let output = child::run(&mut command, input, false, limit)?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.ending {
        Ending::Code(code) => Ok((code == 0, printed)),
        ending => Err(format!("{} {ending}\n{printed}", tool.display())),
    }
}
