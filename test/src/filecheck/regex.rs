//! Regular expressions: POSIX extended, as LLVM's FileCheck reads them, into the syntax of the `regex` crate.
//!
//! What only one of the two understands is refused, so that a test means the same under both:
//! `\d` and its like (POSIX reads a plain `d`), `(?...)`, and a repetition of a repetition (`.*?`).

use super::Problem;

/// Translates one expression, or says what is not portable in it.
pub fn translate(posix: &str) -> Result<String, Problem> {
    let chars: Vec<char> = posix.chars().collect();
    let mut out = String::new();
    let mut idx = 0;
    // Whether the last thing written was `*`, `+`, `?` or `{n}`.
    let mut repeated = false;
    let mut depth = 0usize;
    if posix.is_empty() {
        return Err(invalid("an empty regular expression"));
    }
    while idx < chars.len() {
        let was_repeated = std::mem::take(&mut repeated);
        match chars[idx] {
            '\\' => {
                idx += 1;
                let escaped = *chars.get(idx).ok_or_else(|| invalid("`\\` at the end of a regular expression"))?;
                if escaped.is_ascii_alphanumeric() {
                    let message = format!("`\\{escaped}` is not portable; write a set such as `[0-9]`");
                    return Err(Problem::Guard(message));
                }
                push_literal(&mut out, escaped);
            }
            '[' => {
                idx = bracket(&chars, idx + 1, &mut out)?;
                continue;
            }
            '(' if chars.get(idx + 1) == Some(&'?') => {
                return Err(Problem::Guard("`(?` is not portable".into()));
            }
            '*' | '+' | '?' | '{' if was_repeated => {
                return Err(Problem::Guard(format!("`{}` after a repetition is not portable", chars[idx])));
            }
            c @ ('*' | '+' | '?') => {
                out.push(c);
                repeated = true;
            }
            '{' if chars.get(idx + 1).is_some_and(char::is_ascii_digit) => {
                let close = chars[idx..].iter().position(|c| *c == '}').ok_or_else(|| invalid("`{` without `}`"))?;
                out.extend(&chars[idx..=idx + close]);
                idx += close;
                repeated = true;
            }
            c @ ('(' | ')' | '|' | '.' | '^' | '$') => {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.checked_sub(1).ok_or_else(|| invalid("`)` without `(`"))?,
                    _ => {}
                }
                out.push(c);
            }
            c => push_literal(&mut out, c),
        }
        idx += 1;
    }
    if depth > 0 {
        return Err(invalid("`(` without `)`"));
    }
    Ok(out)
}

/// Writes the set whose inside starts at `idx`, and returns the place after its `]`.
///
/// In a POSIX set a backslash is an ordinary character, a leading `]` too, and a negated set never matches a line end.
fn bracket(chars: &[char], mut idx: usize, out: &mut String) -> Result<usize, Problem> {
    let open = || invalid("`[` opens a set that no `]` closes");
    out.push('[');
    if chars.get(idx) == Some(&'^') {
        out.push_str("^\\n");
        idx += 1;
    }
    let start = idx;
    loop {
        match *chars.get(idx).ok_or_else(open)? {
            ']' if idx > start => break,
            '[' if matches!(chars.get(idx + 1), Some(':')) => {
                let len = chars[idx + 2..].iter().position(|c| *c == ':').ok_or_else(open)?;
                let name: String = chars[idx + 2..idx + 2 + len].iter().collect();
                out.push_str(class(&name).ok_or_else(|| invalid(&format!("`[:{name}:]` is no class")))?);
                idx += len + 4;
            }
            '[' if matches!(chars.get(idx + 1), Some('.' | '=')) => {
                return Err(Problem::Guard("collating elements (`[.`, `[=`) are not supported".into()));
            }
            '-' if idx > start && chars.get(idx + 1).is_some_and(|next| *next != ']') => {
                out.push('-');
                idx += 1;
            }
            c => {
                push_literal(out, c);
                idx += 1;
            }
        }
    }
    out.push(']');
    Ok(idx + 1)
}

fn invalid(message: &str) -> Problem {
    Problem::Invalid(message.to_owned())
}

fn class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => "a-zA-Z0-9",
        "alpha" => "a-zA-Z",
        "blank" => " \\t",
        "digit" => "0-9",
        "lower" => "a-z",
        "punct" => "!-/:-@\\[-`{-~",
        "space" => " \\t\\r\\x0b\\x0c",
        "upper" => "A-Z",
        "xdigit" => "0-9a-fA-F",
        _ => return None,
    })
}

/// Writes a character that stands for itself, inside a set or outside.
fn push_literal(out: &mut String, c: char) {
    // `<` and `>` are plain in the `regex` crate, and escaped they would be word boundaries.
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>' | '_') {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[track_caller]
    fn check(posix: &str, expected: &str) {
        assert_eq!(translate(posix).unwrap_or_else(|problem| format!("error: {problem}")), expected);
    }

    #[test]
    fn common_subset() {
        check("a+(b|c)*.{2,3}$", "a+(b|c)*.{2,3}$");
        check("%[0-9a-f]+", "\\%[0-9a-f]+");
        check("\\[x\\]", "\\[x\\]");
        check("a{b}", "a\\{b\\}");
        check("<a>", "<a>");
    }

    #[test]
    fn sets() {
        check("[^,]+", "[^\\n\\,]+");
        check("[]a]", "[\\]a]");
        check("[a\\.]", "[a\\\\\\.]");
        check("[[:digit:]_]", "[0-9_]");
        check("[-a-c-]", "[\\-a-c\\-]");
        check("[a", "error: `[` opens a set that no `]` closes");
        check("[[:word:]]", "error: `[:word:]` is no class");
    }

    #[test]
    fn not_portable() {
        check("\\d+", "error: `\\d` is not portable; write a set such as `[0-9]`");
        check(".*?", "error: `?` after a repetition is not portable");
        check("a)", "error: `)` without `(`");
        check("(a", "error: `(` without `)`");
        check("", "error: an empty regular expression");
        check("(?:a)", "error: `(?` is not portable");
    }
}
