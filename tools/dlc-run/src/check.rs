//! `--check`: comparing the outputs with the arrays of a file.

use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::{Context, Loc};
use dlc_opt::compare::{Tolerance, compare, index_of};
use dlc_opt::function::{Function, Port};
use dlc_opt::input::CANNOT_READ;
use dlc_opt::numbers::{Numbers, Values};

use crate::files::{Array, Elem, Source};
use crate::inputs::{BAD_INPUT, admits};
use crate::show::spelled;

dlc_ir::codes! {
    /// An output is not what is expected.
    NOT_EXPECTED = "E0534" "NotExpected";
}

/// An output that was compared.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The output.
    pub name: String,
    /// How many elements it has.
    pub count: usize,
    /// How many of them are not as expected.
    pub differing: usize,
    /// The largest distance of an element from what is expected.
    pub largest: f64,
    /// By what floats were compared; `None` for integers.
    pub tolerance: Option<Tolerance>,
}

/// Compares outputs with the arrays of a file. Every output must have its array, and every array its output; what
/// differs is reported.
pub fn check(
    ctx: &Context,
    function: &Function,
    outputs: &[Values],
    file: &str,
    tolerance: Tolerance,
    diags: &Diagnostics,
) -> Vec<Checked> {
    let fail = |message: String, near: Option<String>| {
        diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message).suggest_if(near));
    };
    let cannot = |message: String| diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
    let mut source = match Source::open(file) {
        Ok(source) => source,
        Err(message) => {
            cannot(message);
            return Vec::new();
        }
    };
    let names: Vec<&str> = function.outputs.iter().map(|port| port.name.as_str()).collect();
    let arrays = source.names();
    match &arrays {
        None if names.len() != 1 => {
            fail(format!("'{file}' holds one array, and the outputs are {}", names.join(", ")), None);
            return Vec::new();
        }
        None => {}
        Some(arrays) => {
            for name in arrays.iter().filter(|name| !names.contains(&name.as_str())) {
                let near = did_you_mean(name, names.iter().copied());
                let has = names.join(", ");
                fail(format!("'{file}' has an array '{name}', and @{} gives {has}", function.name), near);
            }
        }
    }
    let mut checked = Vec::new();
    for (port, values) in function.outputs.iter().zip(outputs) {
        let name = &port.name;
        if arrays.as_ref().is_some_and(|arrays| !arrays.contains(name)) {
            fail(format!("'{file}' has no array for the output {name}"), None);
            continue;
        }
        match source.get(name) {
            Ok(array) => match comparable(ctx, port, values, &array) {
                Ok(expected) => checked.push(one(name, values, &expected, file, tolerance, diags)),
                Err(why) => {
                    let ty = spelled(ctx, port.ty, &values.shape, values.elem);
                    fail(format!("the output {name} is {ty}, but the array in '{file}' {why}"), None);
                }
            },
            Err(reason) => cannot(format!("'{file}' cannot be read: {name}: {reason}")),
        }
    }
    checked
}

/// The numbers that are expected, or why they are no such.
fn comparable(ctx: &Context, port: &Port, values: &Values, array: &Array) -> Result<Numbers, String> {
    admits(ctx, port, array)?;
    if array.shape != values.shape {
        return Err(format!("has the sizes {:?}", array.shape));
    }
    let elem = Elem::of(ctx, values.elem).ok_or("is of another type")?;
    Ok(array.numbers(elem))
}

fn one(
    name: &str,
    values: &Values,
    expected: &Numbers,
    file: &str,
    tolerance: Tolerance,
    diags: &Diagnostics,
) -> Checked {
    let found = compare(&values.numbers, expected, tolerance);
    let count = expected.len();
    let tolerance = matches!(expected, Numbers::Float(_)).then_some(tolerance);
    if let (1.., Some(worst)) = (found.differing, found.worst) {
        let by = tolerance.map_or(String::new(), |by| format!(" (rtol {}, atol {})", by.rtol, by.atol));
        let message = format!(
            "{} of {count} elements of {name} are not as '{file}' has them, the worst at {:?}: {} where {} is expected{by}",
            found.differing,
            index_of(&values.shape, worst),
            values.numbers.text(worst),
            expected.text(worst),
        );
        diags.emit(Diagnostic::error(&NOT_EXPECTED, Loc::UNKNOWN, message));
    }
    Checked { name: name.to_string(), count, differing: found.differing, largest: found.largest, tolerance }
}
