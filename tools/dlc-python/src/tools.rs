//! The command lines of dlc, which are in the extension module instead of programs of their own.

use std::ffi::OsString;

use dlc_opt::{RunFn, Setup, start_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs `dlc-opt`, `dlc-run` or `dlc-translate` on the streams of the process. `args` starts with the name of the program;
/// the result is the exit status.
#[pyfunction]
pub(crate) fn tool(py: Python<'_>, name: &str, args: Vec<OsString>) -> PyResult<u8> {
    let run: RunFn = match name {
        "dlc-opt" => dlc_opt::run,
        "dlc-run" => dlc_run::run,
        "dlc-translate" => dlc_translate::run,
        _ => return Err(PyValueError::new_err(format!("there is no tool '{name}'"))),
    };
    Ok(py.detach(|| start_with(Setup::linked, run, args.into_iter())) as u8)
}
