//! What people see: what came out, what was compared, how long it took.

use dlc_core::memref::shaped;
use dlc_ir::types::Signedness;
use dlc_ir::{Context, Type, TypeData};
use dlc_opt::numbers::{Numbers, Values};
use dlc_opt::table::{lines, table};

use crate::check::Checked;
use crate::run::{Ran, Times};

/// How many elements of an output are shown.
const FIRST: usize = 4;

/// The function with its symbols, then a table of its inputs and one of its outputs.
pub fn summary(ctx: &Context, ran: &Ran) -> String {
    let symbols: Vec<String> = ran.inputs.symbols.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let symbols = if symbols.is_empty() { String::new() } else { format!("<{}>", symbols.join(", ")) };
    let mut text = format!("@{}{symbols} on {}\n", ran.function.name, ran.device);
    if !ran.unverified.is_empty() {
        let names: Vec<String> = ran.unverified.iter().map(|name| format!("@{name}")).collect();
        text += &format!("not verified: {}\n", names.join(", "));
    }
    let mut inputs = table(["input", "type", "from"], &[]);
    for ((port, shape), origin) in ran.function.inputs.iter().zip(&ran.inputs.shapes).zip(&ran.inputs.origins) {
        let elem = shaped(ctx, port.ty).map_or(port.ty, |(_, elem)| elem);
        inputs.add_row([&port.name, &spelled(ctx, port.ty, shape, elem), origin]);
    }
    if !ran.function.inputs.is_empty() {
        text += &lines(&inputs);
    }
    let mut outputs = table(["output", "type", "min", "max", "mean", "first"], &[2, 3, 4]);
    let mut notes = String::new();
    for (port, values) in ran.function.outputs.iter().zip(&ran.outputs) {
        let stats = Stats::of(ctx, values);
        let ty = spelled(ctx, port.ty, &values.shape, values.elem);
        outputs.add_row([&port.name, &ty, &stats.min, &stats.max, &stats.mean, &stats.first]);
        for (count, what) in [(stats.nans, "not a number"), (stats.infinities, "infinite")] {
            if count > 0 {
                notes += &format!("{}: {count} of {} elements are {what}\n", port.name, values.numbers.len());
            }
        }
    }
    if !ran.function.outputs.is_empty() {
        text += &lines(&outputs);
    }
    text + &notes
}

/// A type with its sizes as numbers.
pub fn spelled(ctx: &Context, is: Type, shape: &[usize], elem: Type) -> String {
    match shaped(ctx, is) {
        Some(_) => format!("tensor<{shape:?}, {}>", elem.display(ctx)),
        None => is.display(ctx),
    }
}

/// A line for each output that was compared.
pub fn checked(checked: &[Checked]) -> String {
    let line = |found: &Checked| {
        let word = if found.differing == 0 { "as expected" } else { "not as expected" };
        let by = match found.tolerance {
            Some(by) => format!(", rtol {}, atol {}", by.rtol, by.atol),
            None => String::new(),
        };
        format!("{}: {word} ({} elements, off by at most {}{by})\n", found.name, found.count, short(found.largest))
    };
    checked.iter().map(line).collect()
}

/// How long everything took, on one line.
pub fn times(times: &Times) -> String {
    let third = if times.device.is_some() { "run" } else { "evaluation" };
    let parts = [
        ("read", Some(times.read)),
        ("tuning", times.tuning),
        ("passes", times.passes),
        ("module", times.device),
        (third, Some(times.evaluation)),
    ];
    let shown = parts.iter().filter_map(|(what, time)| Some(format!("{what} {:.6} s", time.as_ref()?.as_secs_f64())));
    shown.collect::<Vec<_>>().join(", ")
}

/// What is said of an output.
struct Stats {
    min: String,
    max: String,
    mean: String,
    first: String,
    nans: usize,
    infinities: usize,
}

impl Stats {
    /// Of the elements that are numbers; sums are exact enough for a look.
    fn of(ctx: &Context, values: &Values) -> Stats {
        let unsigned = matches!(ctx.type_data(values.elem), TypeData::Integer { sign: Signedness::Unsigned, .. });
        let int = |value: i64| if unsigned { i128::from(value as u64) } else { i128::from(value) };
        let count = values.numbers.len();
        let shown = |first: Vec<String>| {
            let more = if count > FIRST { ", .." } else { "" };
            first.join(", ") + more
        };
        match &values.numbers {
            Numbers::Int(values) => {
                let all = || values.iter().map(|&value| int(value));
                let text = |value: Option<i128>| value.map_or("-".to_string(), |value| value.to_string());
                let mean = all().map(|value| value as f64).sum::<f64>() / count as f64;
                Stats {
                    min: text(all().min()),
                    max: text(all().max()),
                    mean: if count == 0 { "-".to_string() } else { short(mean) },
                    first: shown(all().take(FIRST).map(|value| value.to_string()).collect()),
                    nans: 0,
                    infinities: 0,
                }
            }
            Numbers::Float(values) => {
                let numbers = || values.iter().copied().filter(|value| !value.is_nan());
                let finite = || numbers().filter(|value| value.is_finite());
                let text = |value: Option<f64>| value.map_or("-".to_string(), short);
                let mean = finite().sum::<f64>() / finite().count() as f64;
                Stats {
                    min: text(numbers().reduce(f64::min)),
                    max: text(numbers().reduce(f64::max)),
                    mean: text(Some(mean).filter(|mean| !mean.is_nan())),
                    first: shown(values.iter().take(FIRST).map(|&value| short(value)).collect()),
                    nans: count - numbers().count(),
                    infinities: numbers().count() - finite().count(),
                }
            }
        }
    }
}

/// A float with at most five digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-4..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = if size >= 1.0 && size.is_finite() { 4usize.saturating_sub(size.log10() as usize) } else { 4 };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_short() {
        let shown = [0.0, 1.0, -0.5, 0.12345, 12345.678, 123_456.7, 1e6, 1e-5, f64::NAN, f64::NEG_INFINITY].map(short);
        let expected = ["0", "1", "-0.5", "0.1235", "12346", "123457", "1.000e6", "1.000e-5", "NaN", "-inf"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_no_number_is_counted_apart() {
        let ctx = Context::new([]);
        let numbers = Numbers::Float(vec![1.0, f64::NAN, f64::INFINITY, 3.0, 0.0]);
        let stats = Stats::of(&ctx, &Values { shape: vec![5], elem: Type::F32, numbers });
        assert_eq!((stats.nans, stats.infinities), (1, 1));
        assert_eq!([stats.min, stats.max, stats.mean], ["0", "inf", "1.3333"]);
        assert_eq!(stats.first, "1, NaN, inf, 3, ..");
    }

    #[test]
    fn nothing_has_no_mean() {
        let ctx = Context::new([]);
        for numbers in [Numbers::Float(vec![]), Numbers::Int(vec![])] {
            let stats = Stats::of(&ctx, &Values { shape: vec![0], elem: Type::F32, numbers });
            assert_eq!([stats.min, stats.max, stats.mean, stats.first], ["-", "-", "-", ""]);
        }
    }
}
