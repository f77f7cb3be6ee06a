//! Statements that repeat, as loops: unrolled code is most of a kernel, and nothing reads it a hundred times.
//!
//! Lines repeat where they are the same but for numbers that go up by the same amount each time, and for variables that
//! begin and end in one repetition. What is found is rolled up once more, so that the rows and columns of a fragment are
//! two loops. Quadratic in the length of a repetition, linear in the lines.

use rustc_hash::{FxHashMap, FxHashSet};

/// How many lines may repeat together.
const LONGEST: usize = 80;

/// How often something repeats at least.
const MIN_REPEATS: usize = 3;

/// The names of the numbers that count repetitions: of inner loops, and of those around them.
pub const COUNTERS: [&str; 3] = ["r", "q", "p"];

/// A number that goes up with what counts.
#[derive(Clone, PartialEq, Debug)]
struct Number {
    base: i64,
    steps: Vec<(i64, &'static str)>,
}

#[derive(Clone, PartialEq, Debug)]
enum Part {
    Text(String),
    Name(String),
    Number(Number),
    /// A number that is added, and not written where it is zero.
    Offset(Number),
}

/// Stands before a number that is added, and that is not written where it is zero.
pub const OFFSET: char = '\u{1}';

type Line = Vec<Part>;

/// The lines, with those that repeat rolled up. `names` are variables of the statements.
pub fn rolled(lines: Vec<String>, names: &FxHashSet<String>) -> Vec<String> {
    let mut lines: Vec<Line> = lines.iter().map(|line| parts(line, names)).collect();
    for counter in COUNTERS {
        lines = roll(&lines, counter);
    }
    lines.iter().map(text).collect()
}

/// A line as text, variables and numbers. Numbers that C++ must know when it compiles stay text.
fn parts(line: &str, names: &FxHashSet<String>) -> Line {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with('#') {
        return vec![Part::Text(line.into())];
    }
    let bytes = line.as_bytes();
    let mut parts: Line = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    let mut templates = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        if byte.is_ascii_alphabetic() || byte == b'_' {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                at += 1;
            }
            let word = &line[start..at];
            if names.contains(word) {
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Name(word.into()));
            } else {
                plain.push_str(word);
            }
            if bytes.get(at) == Some(&b'<') {
                templates += 1;
            }
        } else if byte.is_ascii_digit() {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.') {
                at += 1;
            }
            let word = &line[start..at];
            match word.parse() {
                Ok(base) if plain.ends_with(OFFSET) => {
                    plain.pop();
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(Part::Offset(Number { base, steps: Vec::new() }));
                }
                Ok(base) if templates == 0 => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(Part::Number(Number { base, steps: Vec::new() }));
                }
                _ => plain.push_str(word),
            }
        } else {
            if byte == b'>' && templates > 0 {
                templates -= 1;
            }
            let next = line[at..].chars().next().map_or(1, char::len_utf8);
            plain.push_str(&line[at..at + next]);
            at += next;
        }
    }
    parts.push(Part::Text(plain));
    parts
}

/// Where variables are mentioned first and last.
fn spans(lines: &[Line]) -> FxHashMap<String, (usize, usize)> {
    let mut spans: FxHashMap<String, (usize, usize)> = FxHashMap::default();
    for (at, line) in lines.iter().enumerate() {
        for part in line {
            if let Part::Name(name) = part {
                spans.entry(name.clone()).or_insert((at, at)).1 = at;
            }
        }
    }
    spans
}

fn roll(lines: &[Line], counter: &'static str) -> Vec<Line> {
    let spans = spans(lines);
    let mut out: Vec<Line> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let mut best: Option<(usize, usize, Vec<Line>)> = None;
        for period in 1..=LONGEST.min((lines.len() - at) / MIN_REPEATS) {
            if !is_whole(&lines[at..at + period]) {
                continue;
            }
            // The shortest repetition is taken: what it is part of is found when that is rolled up once more.
            let (times, made) = repeated(lines, at, period, &spans, counter);
            if times >= MIN_REPEATS && period * times >= period + 3 {
                best = Some((period, times, made));
                break;
            }
        }
        match best {
            // A loop takes two lines of its own, and a third one says that it stays unrolled.
            Some((period, times, made)) => {
                let indent = indentation(&lines[at]);
                out.push(vec![Part::Text(format!("{indent}#pragma unroll"))]);
                let head = format!("{indent}for (int {counter} = 0; {counter} < {times}; ++{counter}) {{");
                out.push(vec![Part::Text(head)]);
                for mut line in made {
                    line.insert(0, Part::Text("  ".into()));
                    out.push(line);
                }
                out.push(vec![Part::Text(format!("{indent}}}"))]);
                at += period * times;
            }
            None => {
                out.push(lines[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// Whether lines are statements altogether, and something that can be done several times.
fn is_whole(lines: &[Line]) -> bool {
    let mut depth = 0i64;
    for line in lines {
        let code = text(line);
        let code = code.trim();
        if code.ends_with(":;") || code.starts_with("goto") {
            return false;
        }
        // `} else {` leaves and enters.
        if code.starts_with('}') {
            depth -= 1;
        }
        if depth < 0 {
            return false;
        }
        if code.ends_with('{') {
            depth += 1;
        }
        // Products that are on their way while others begin must not depend on a compiler that unrolls loops: what it
        // leaves in one has its fragments in memory.
        if code.contains("wgmma_m64") {
            return false;
        }
        let leaves = code.starts_with("break;") || code.starts_with("continue;");
        if leaves && depth <= 1 {
            return false;
        }
    }
    // What is said of the next line stays with it.
    depth == 0 && !lines.last().is_some_and(|line| text(line).trim().starts_with('#'))
}

/// How often the lines from one on repeat, and what is done each time.
fn repeated(
    lines: &[Line],
    at: usize,
    period: usize,
    spans: &FxHashMap<String, (usize, usize)>,
    counter: &'static str,
) -> (usize, Vec<Line>) {
    let first = &lines[at..at + period];
    // How much each number goes up, which the second time says.
    let mut steps: Vec<i64> = Vec::new();
    let mut times = 1;
    let is_local =
        |name: &str, begin: usize| spans.get(name).is_some_and(|&(from, to)| from >= begin && to < begin + period);
    while at + (times + 1) * period <= lines.len() {
        let begin = at + times * period;
        let next = &lines[begin..begin + period];
        let mut renamed: FxHashMap<&str, &str> = FxHashMap::default();
        let mut index = 0;
        let mut found: Vec<i64> = Vec::new();
        let mut same = true;
        'lines: for (a, b) in first.iter().zip(next) {
            if a.len() != b.len() {
                same = false;
                break;
            }
            for (a, b) in a.iter().zip(b) {
                let fits = match (a, b) {
                    (Part::Text(a), Part::Text(b)) => a == b,
                    (Part::Name(a), Part::Name(b)) if a == b => !is_local(a, at),
                    (Part::Name(a), Part::Name(b)) => {
                        let both = is_local(a, at) && is_local(b, begin);
                        both && *renamed.entry(a.as_str()).or_insert(b.as_str()) == b.as_str()
                    }
                    (Part::Number(a), Part::Number(b)) | (Part::Offset(a), Part::Offset(b)) if a.steps == b.steps => {
                        found.push(b.base - a.base);
                        let step = steps.get(index).copied();
                        index += 1;
                        step.is_none_or(|step| b.base - a.base == step * times as i64)
                    }
                    _ => false,
                };
                if !fits {
                    same = false;
                    break 'lines;
                }
            }
        }
        if !same {
            break;
        }
        if times == 1 {
            steps = found;
        }
        times += 1;
    }
    // What never changes is not done several times by mistake.
    if times < MIN_REPEATS || steps.iter().all(|&step| step == 0) {
        return (1, Vec::new());
    }
    let mut steps = steps.into_iter();
    let made = first
        .iter()
        .map(|line| {
            line.iter()
                .map(|part| {
                    let mut part = part.clone();
                    if let Part::Number(number) | Part::Offset(number) = &mut part {
                        number.steps.extend(steps.next().filter(|&step| step != 0).map(|step| (step, counter)));
                    }
                    part
                })
                .collect()
        })
        .collect();
    (times, made)
}

fn indentation(line: &Line) -> String {
    let text = text(line);
    text[..text.len() - text.trim_start().len()].to_string()
}

fn text(line: &Line) -> String {
    let mut out = String::new();
    for (index, part) in line.iter().enumerate() {
        match part {
            Part::Text(text) | Part::Name(text) => out.push_str(text),
            Part::Offset(number) => {
                let written = sum(number);
                match written.strip_prefix('-') {
                    _ if written == "0" => {}
                    Some(less) if !less.contains(' ') => out.push_str(&format!(" - {less}")),
                    Some(_) => out.push_str(&format!(" + ({written})")),
                    None => out.push_str(&format!(" + {written}")),
                }
            }
            Part::Number(number) => {
                let rest = match line.get(index + 1) {
                    Some(Part::Text(text)) => text.as_str(),
                    _ => "",
                };
                let begins = out.ends_with(['[', '(']) || out.ends_with(", ");
                let adds = begins || out.ends_with("+ ");
                let ends = rest.is_empty() || rest.starts_with([']', ')', ',', ';']);
                let written = sum(number);
                let alone = !written.contains(' ');
                if alone || (adds && ends) || (begins && rest.starts_with(" +")) {
                    out.push_str(&written);
                } else {
                    out.push('(');
                    out.push_str(&written);
                    out.push(')');
                }
            }
        }
    }
    out
}

fn sum(number: &Number) -> String {
    let mut out = String::new();
    if number.base != 0 || number.steps.is_empty() {
        out.push_str(&number.base.to_string());
    }
    for &(step, counter) in number.steps.iter().rev() {
        let (sign, step) = if step < 0 { ("-", -step) } else { ("+", step) };
        match (out.is_empty(), sign) {
            (true, "-") => out.push('-'),
            (true, _) => {}
            (false, sign) => {
                out.push(' ');
                out.push_str(sign);
                out.push(' ');
            }
        }
        if step != 1 {
            out.push_str(&format!("{step} * "));
        }
        out.push_str(counter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], names: &[&str], wanted: &[&str]) {
        let names = names.iter().map(ToString::to_string).collect();
        let lines = lines.iter().map(ToString::to_string).collect();
        assert_eq!(rolled(lines, &names), wanted);
    }

    #[test]
    fn rows_and_columns_are_two_loops() {
        let mut lines = Vec::new();
        for i in 0..4 {
            for j in 0..4 {
                lines.push(format!("c[{}] = fmaf(a[{i}], b[{j}], c[{}]);", 4 * i + j, 4 * i + j));
            }
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let wanted = [
            "#pragma unroll",
            "for (int q = 0; q < 4; ++q) {",
            "  #pragma unroll",
            "  for (int r = 0; r < 4; ++r) {",
            "    c[4 * q + r] = fmaf(a[q], b[r], c[4 * q + r]);",
            "  }",
            "}",
        ];
        check(&lines, &[], &wanted);
    }

    #[test]
    fn a_variable_of_one_repetition_is_one_of_each() {
        let lines = ["int x = f(1);", "g(x, 0);", "int y = f(1);", "g(y, 8);", "int z = f(1);", "g(z, 16);"];
        let wanted = ["#pragma unroll", "for (int r = 0; r < 3; ++r) {", "  int x = f(1);", "  g(x, 8 * r);", "}"];
        check(&lines, &["x", "y", "z"], &wanted);
    }

    #[test]
    fn what_is_wanted_after_it_stays() {
        let lines = ["int x = f(1);", "int y = f(2);", "int z = f(3);", "int w = f(4);", "g(x, y, z, w);"];
        check(&lines, &["x", "y", "z", "w"], &lines);
    }

    #[test]
    fn numbers_of_templates_and_the_same_again_stay() {
        let lines = ["wait<0>();", "wait<1>();", "wait<2>();", "wait<3>();", "wait<4>();"];
        check(&lines, &[], &lines);
        let lines = ["commit(0);", "commit(0);", "commit(0);", "commit(0);", "commit(0);"];
        check(&lines, &[], &lines);
    }

    #[test]
    fn what_leaves_a_loop_around_it_stays() {
        let lines =
            ["if (x == 0) {", "  break;", "}", "if (x == 1) {", "  break;", "}", "if (x == 2) {", "  break;", "}"];
        check(&lines, &[], &lines);
    }
}
