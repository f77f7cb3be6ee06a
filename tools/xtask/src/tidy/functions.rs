//! The rule about functions: none is so long that its beginning is out of sight.

use super::Complaints;
use crate::repo::Repo;

/// The most lines of a function, from `fn` to its closing brace.
pub const MOST_LINES: usize = 100;

/// A function of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Function<'a> {
    name: &'a str,
    /// The line of its `fn`, from 1.
    line: usize,
    lines: usize,
}

/// No function is too long to be read, those of tests included.
pub fn length(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in repo.with_extension("rs") {
        let code = code_of(text);
        for Function { name, line, lines } in functions(&code) {
            if lines > MOST_LINES {
                complaints.push(format!("{path}:{line}: `{name}` has {lines} lines, more than {MOST_LINES}"));
            }
        }
    }
    complaints
}

/// The functions of a text without literals and comments.
fn functions(code: &str) -> Vec<Function<'_>> {
    let starts = code.match_indices("fn ").filter(|(at, _)| !code[..*at].ends_with(is_word));
    let functions = starts.filter_map(|(at, _)| {
        let rest = &code[at + 3..];
        let name = &rest[..rest.find(|c| !is_word(c))?];
        let end = end_of_body(&code[at..])?;
        let line = 1 + code[..at].matches('\n').count();
        (!name.is_empty()).then_some(Function { name, line, lines: 1 + code[at..at + end].matches('\n').count() })
    });
    functions.collect()
}

/// Where the body of a function ends, which begins at the start of a text. `None` for a declaration without one.
fn end_of_body(code: &str) -> Option<usize> {
    let (mut braces, mut others) = (0u32, 0u32);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            ';' if braces == 0 && others == 0 => return None,
            '{' => braces += 1,
            '}' if braces == 1 => return Some(at),
            '}' => braces = braces.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A source text with blanks in place of its literals and comments; lines stay.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after_word = code.ends_with(is_word);
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => string_end(rest, 0),
            'r' if !after_word => raw_string_end(rest).unwrap_or(0),
            '\'' => char_end(rest).unwrap_or(0),
            _ => 0,
        };
        let (skipped, kept) = if length > 0 { (&rest[..length], "") } else { ("", &rest[..c.len_utf8()]) };
        code.extend(skipped.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        code.push_str(kept);
        rest = &rest[skipped.len() + kept.len()..];
    }
    code
}

/// The length of a string literal with so many `#` after its quotes; without any it has escapes.
fn string_end(text: &str, hashes: usize) -> usize {
    let end = format!("\"{}", "#".repeat(hashes));
    let mut at = 1;
    while at < text.len() {
        if text[at..].starts_with(&end) {
            return at + end.len();
        }
        let escape = if hashes == 0 && text[at..].starts_with('\\') { 1 } else { 0 };
        at += escape + text[at + escape..].chars().next().map_or(1, char::len_utf8);
    }
    text.len()
}

/// The length of a raw string literal, if one begins here.
fn raw_string_end(text: &str) -> Option<usize> {
    let quote = text[1..].find(|c| c != '#')? + 1;
    text[quote..].starts_with('"').then(|| match quote - 1 {
        // Without `#` the next quote ends it.
        0 => text[quote + 1..].find('"').map_or(text.len(), |end| quote + end + 2),
        hashes => quote + string_end(&text[quote..], hashes),
    })
}

/// The length of a character literal, if it is no lifetime.
fn char_end(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    match chars.next()? {
        (_, '\\') => chars.skip(1).find(|&(_, c)| c == '\'').map(|(at, _)| at + 1),
        _ => chars.next().filter(|&(_, c)| c == '\'').map(|(at, _)| at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions_in(text: &str) -> Vec<(String, usize, usize)> {
        let code = code_of(text);
        functions(&code).into_iter().map(|one| (one.name.to_owned(), one.line, one.lines)).collect()
    }

    #[test]
    fn lines_are_counted_from_fn_to_brace() {
        let text = "/// fn doc() {\npub fn a(\n  x: [u8; 3],\n) {\n  fn b() {}\n}\ntrait T {\n  fn c();\n}\ntype F = fn(u8);\n";
        assert_eq!(functions_in(text), [("a".to_string(), 2, 5), ("b".to_string(), 5, 1)]);
    }

    #[test]
    fn braces_of_literals_do_not_count() {
        let text = "fn a<'a>(x: &'a str) {\n  f('{', '\\'', \"}\\\"}\", r\"}\\\", r#\"\n} \"}\n\"#);\n  // }\n}\nfn b() {\n}\n";
        assert_eq!(functions_in(text), [("a".to_string(), 1, 6), ("b".to_string(), 7, 2)]);
    }

    #[test]
    fn long_functions() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "  x();\n".repeat(lines - 2));
        let complaints = |text: &str| length(&Repo::of(&[("a.rs", text)]));
        assert_eq!(complaints(&function(MOST_LINES)), [] as [&str; 0]);
        assert_eq!(complaints(&function(MOST_LINES + 1)), ["a.rs:1: `f` has 101 lines, more than 100"]);
    }
}
