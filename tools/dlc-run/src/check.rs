//! `--check`: comparing the outputs with the arrays of a file.

use dlc::bind::{BAD_INPUT, admits};
use dlc::files::{Array, Elem, Source, usual_limit};
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::{Context, Loc};
use dlc_opt::compare::{Tolerance, compare, index_of};
use dlc_opt::function::{Function, Port};
use dlc_opt::input::CANNOT_READ;
use dlc_opt::numbers::{Numbers, Values};

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

/// Whether the arrays of a file are those of the outputs, by their names; where they are not, it is reported. A single
/// output is that of a single array, whatever both are called. To be asked before anything runs.
pub fn names_fit(function: &Function, file: &str, diags: &Diagnostics) -> bool {
    match Source::open(file) {
        Ok(source) => array_names(function, &source, file, diags).is_some(),
        Err(message) => {
            diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
            false
        }
    }
}

/// For each output the name of its array. `None` where one has none, or an array has no output, which is reported.
fn array_names(function: &Function, source: &Source, file: &str, diags: &Diagnostics) -> Option<Vec<String>> {
    let names: Vec<&str> = function.outputs.iter().map(|port| port.name.as_str()).collect();
    let fail = |message: String, fix: Option<String>| {
        diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message).suggest_if(fix));
    };
    let given = match (source.names(), names.as_slice()) {
        (None, [one]) => return Some(vec![one.to_string()]),
        (None, _) => {
            fail(format!("'{file}' holds one array, and the outputs are {}", names.join(", ")), None);
            return None;
        }
        (Some(given), [_]) if given.len() == 1 => return Some(given),
        (Some(given), _) => given,
    };
    let before = diags.errors();
    let has = names.join(", ");
    for name in given.iter().filter(|name| !names.contains(&name.as_str())) {
        let near = did_you_mean(name, names.iter().copied());
        fail(format!("'{file}' has an array '{name}', and @{} gives {has}", function.name), near);
    }
    for name in names.iter().filter(|name| !given.iter().any(|known| known == *name)) {
        let arrays = (!given.is_empty()).then(|| format!("its arrays are {}", given.join(", ")));
        let near = did_you_mean(name, given.iter().map(String::as_str));
        fail(format!("'{file}' has no array for the output {name}"), near.or(arrays));
    }
    (diags.errors() == before).then(|| names.iter().map(|name| name.to_string()).collect())
}

/// Compares outputs with the arrays of a file. Every output must have its array, and every array its output; what
/// differs is reported.
pub fn check(
    ctx: &Context,
    function: &Function,
    outputs: &[Values],
    file: &str,
    tolerance: Tolerance,
    max_bytes: Option<u64>,
    diags: &Diagnostics,
) -> Vec<Checked> {
    let cannot = |message: String| diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
    let mut source = match Source::open(file) {
        Ok(source) => source,
        Err(message) => {
            cannot(message);
            return Vec::new();
        }
    };
    let Some(names) = array_names(function, &source, file, diags) else { return Vec::new() };
    let mut checked = Vec::new();
    for ((port, values), array) in function.outputs.iter().zip(outputs).zip(&names) {
        let name = &port.name;
        let limit = max_bytes.unwrap_or(usual_limit(Some(values.numbers.len() as u64)));
        match source.get(array, limit) {
            Ok(array) => match comparable(ctx, port, values, &array) {
                Ok(expected) => checked.push(one(name, values, &expected, file, tolerance, diags)),
                Err(why) => {
                    let ty = spelled(ctx, port.ty, &values.shape, values.elem);
                    let message = format!("the output {name} is {ty}, but the array in '{file}' {why}");
                    diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
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
