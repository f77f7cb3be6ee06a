//! One edit of a kernel.

use dlc_ir::random::Random;

/// One edit of a text: its lines, and what was changed.
pub fn edit(text: &str, random: &mut Random) -> Option<(String, String)> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let is_op = |line: &String| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.starts_with('}') && !line.ends_with('{')
    };
    let start = lines.iter().position(|line| line.contains("grid ("))? + 1;
    let ops: Vec<usize> = (start..lines.len()).filter(|&at| is_op(&lines[at])).collect();
    let at = *ops.get(random.below(ops.len()))?;
    let other = ops[random.below(ops.len())];
    let was = lines[at].clone();
    let what = match random.below(8) {
        0 => {
            lines.remove(at);
            format!("-{was}")
        }
        1 => {
            lines.insert(at, was.clone());
            format!("+{was}")
        }
        2 => {
            let line = lines.remove(at);
            lines.insert(other.min(lines.len()), line);
            format!(">{was} (line {} to {})", at + 1, other + 1)
        }
        3 => {
            lines.swap(at, other);
            format!("<>{was}\n<>{}", lines[at])
        }
        kind => {
            // Conditions and loops begin lines that end in a brace; they have numbers and comparisons too.
            let at = start + random.below(lines.len() - start);
            let was = lines[at].clone();
            let now = if kind == 4 { operand(&was, text, random) } else { number(&was, random) }?;
            lines[at].clone_from(&now);
            format!("-{was}\n+{now}")
        }
    };
    Some((lines.join("\n") + "\n", what))
}

/// A line with another number, or another comparison.
fn number(line: &str, random: &mut Random) -> Option<String> {
    let line_of_text = line.trim_start();
    if line_of_text.starts_with("//") {
        return None;
    }
    let bytes = line.as_bytes();
    let begins = |at: usize| {
        bytes[at].is_ascii_digit() && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'))
    };
    let mut places: Vec<usize> = (0..bytes.len()).filter(|&at| begins(at)).collect();
    places.extend(line.match_indices(" < ").map(|(at, _)| at + 1));
    places.extend(line.match_indices(" <= ").map(|(at, _)| at + 1));
    let at = *places.get(random.below(places.len()))?;
    let (before, rest) = line.split_at(at);
    if let Some(rest) = rest.strip_prefix("<=") {
        return Some(format!("{before}<{rest}"));
    }
    if let Some(rest) = rest.strip_prefix('<') {
        return Some(format!("{before}<={rest}"));
    }
    let end = rest.find(|each: char| !each.is_ascii_digit()).unwrap_or(rest.len());
    let value: i64 = rest[..end].parse().ok()?;
    // No edit makes a number much larger, so that no mutant never ends.
    let now = [value + 1, (value - 1).max(0), value * 2, value / 2][random.below(4)];
    (now != value).then(|| format!("{before}{now}{}", &rest[end..]))
}

/// A line with another value for one of its operands; the verifier says whether it has the type.
fn operand(line: &str, text: &str, random: &mut Random) -> Option<String> {
    let name = |text: &str| {
        let end = text[1..].find(|each: char| !(each.is_alphanumeric() || each == '_')).map_or(text.len(), |at| at + 1);
        text[..end].to_string()
    };
    let from = line.find('=').map_or(0, |at| at + 1);
    let places: Vec<usize> = line[from..].match_indices('%').map(|(at, _)| from + at).collect();
    let mut names: Vec<String> = text.match_indices('%').map(|(at, _)| name(&text[at..])).collect();
    names.sort();
    names.dedup();
    let at = *places.get(random.below(places.len()))?;
    let was = name(&line[at..]);
    let now = &names[random.below(names.len())];
    (*now != was).then(|| format!("{}{now}{}", &line[..at], &line[at + was.len()..]))
}
