//! The language of commands: a small shell of our own, so that a test means the same on every machine.
//!
//! ```text
//! line     := pipeline ("&&" pipeline)*
//! pipeline := command ("|" command)*
//! command  := (word | redirection)+
//! redirection := "<" word | ">" word | ">>" word | "2>" word | "2>&1"
//! ```
//!
//! A word may hold `'...'` (everything as it stands), `"..."` (a backslash escapes `"` and `\`) and `\c`.
//! `%s` and its like are substituted in words, quoted or not, and never split a word.
//! What else a shell would give a meaning (`;`, `&`, `||`, `$`, backquotes, `*`, `?`) must be quoted.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// What `%s`, `%{name}` and so on stand for; the keys are `s` and `{name}`.
pub type Substitutions = BTreeMap<String, String>;

/// Where a stream goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// To the next command of the pipeline, or for standard error to the report of a failure.
    Pipe,
    /// To a file; `append` keeps what is in it.
    File {
        /// The file.
        path: String,
        /// Whether to add to it.
        append: bool,
    },
    /// Where standard output goes; for standard error only.
    Stdout,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name and its arguments.
    pub words: Vec<String>,
    /// The file to read instead of what the pipeline forwards.
    pub stdin: Option<String>,
    /// Where its standard output goes.
    pub stdout: Sink,
    /// Where its standard error goes.
    pub stderr: Sink,
}

/// Pipelines that run one after another, until one fails.
pub type Line = Vec<Vec<Command>>;

/// Reads a line of commands.
pub fn parse(text: &str, substitutions: &Substitutions) -> Result<Line, String> {
    let tokens = tokens(text, substitutions)?;
    let mut line: Line = Vec::new();
    for pipeline in tokens.split(|token| *token == Token::And) {
        let commands = pipeline.split(|token| *token == Token::Pipe).map(command);
        line.push(commands.collect::<Result<_, _>>()?);
    }
    Ok(line)
}

fn command(tokens: &[Token]) -> Result<Command, String> {
    let mut command = Command { words: vec![], stdin: None, stdout: Sink::Pipe, stderr: Sink::Pipe };
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        let mut path = || match tokens.next() {
            Some(Token::Word(path)) => Ok(path.clone()),
            _ => Err("a redirection without a file".to_owned()),
        };
        match token {
            Token::Word(word) => command.words.push(word.clone()),
            Token::Input => command.stdin = Some(path()?),
            Token::Output | Token::Append if command.stderr == Sink::Stdout => {
                // A POSIX shell would not send standard error to the file.
                return Err("`2>&1` stands after the redirection of standard output".into());
            }
            Token::Output => command.stdout = Sink::File { path: path()?, append: false },
            Token::Append => command.stdout = Sink::File { path: path()?, append: true },
            Token::Error => command.stderr = Sink::File { path: path()?, append: false },
            Token::ErrorToOutput => command.stderr = Sink::Stdout,
            Token::Pipe | Token::And => unreachable!("the line was split there"),
        }
    }
    if command.words.is_empty() {
        return Err("an empty command".into());
    }
    Ok(command)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Pipe,
    And,
    Input,
    Output,
    Append,
    Error,
    ErrorToOutput,
}

fn tokens(text: &str, substitutions: &Substitutions) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    // The word being read, if any; whether it was quoted is of no matter, `''` is a word too.
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !matches!(c, ' ' | '\t' | '|' | '&' | '<' | '>') {
            let word = word.get_or_insert_default();
            match c {
                '\'' => quoted(&mut chars, '\'', word, substitutions)?,
                '"' => quoted(&mut chars, '"', word, substitutions)?,
                '\\' => word.push(chars.next().ok_or("a backslash at the end of the line")?),
                '%' => substitute(&mut chars, word, substitutions)?,
                ';' | '`' | '$' | '*' | '?' => return Err(format!("`{c}` has no meaning here; quote it")),
                c => word.push(c),
            }
            continue;
        }
        let is_two = c == '>' && word.as_deref() == Some("2");
        if let Some(word) = word.take().filter(|_| !is_two) {
            tokens.push(Token::Word(word));
        }
        let doubled = chars.next_if_eq(&c).is_some();
        tokens.push(match (c, doubled) {
            ('|', false) => Token::Pipe,
            ('&', true) => Token::And,
            ('<', false) => Token::Input,
            ('>', false) if is_two && chars.next_if_eq(&'&').is_some() => match chars.next() {
                Some('1') => Token::ErrorToOutput,
                _ => return Err("only `2>&1` is supported".into()),
            },
            ('>', false) if is_two => Token::Error,
            ('>', false) => Token::Output,
            ('>', true) if !is_two => Token::Append,
            (' ' | '\t', _) => continue,
            _ => {
                return Err(format!(
                    "`{c}{}` is not supported; quote it",
                    if doubled { c.into() } else { String::new() }
                ));
            }
        });
    }
    tokens.extend(word.map(Token::Word));
    Ok(tokens)
}

fn quoted(
    chars: &mut Peekable<Chars<'_>>,
    quote: char,
    word: &mut String,
    substitutions: &Substitutions,
) -> Result<(), String> {
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => return Ok(()),
            '%' => substitute(chars, word, substitutions)?,
            '\\' if quote == '"' => match chars.next() {
                Some(c @ ('"' | '\\')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err(format!("a {quote} that opens and does not close"))
}

/// Reads what follows a `%`.
fn substitute(chars: &mut Peekable<Chars<'_>>, word: &mut String, substitutions: &Substitutions) -> Result<(), String> {
    if chars.next_if_eq(&'%').is_some() {
        word.push('%');
        return Ok(());
    }
    let ahead: String = chars.clone().take_while(|c| *c != '}').collect();
    let key = match ahead.chars().next() {
        Some('{') if ahead.len() > 1 => format!("{ahead}}}"),
        // `%t1` and `%t.mlir` are meant, `%then` is not.
        Some(c) if !ahead[c.len_utf8()..].starts_with(|next: char| next.is_alphabetic() || next == '_') => c.into(),
        _ => String::new(),
    };
    match substitutions.get(&key) {
        Some(text) => {
            word.push_str(text);
            chars.nth(key.chars().count() - 1);
        }
        None if key.starts_with('{') => {
            let names: Vec<&str> = substitutions.keys().map(String::as_str).collect();
            return Err(format!("`%{key}` is not known; known are %{}", names.join(" %")));
        }
        None => word.push('%'),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&[&str]]]) {
        let substitutions = [("s", "/a b.mlir"), ("t", "/tmp/x"), ("{root}", "/r")];
        let substitutions = substitutions.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let line = parse(text, &substitutions).expect("a line");
        let words: Vec<Vec<Vec<&str>>> = line
            .iter()
            .map(|pipeline| pipeline.iter().map(|c| c.words.iter().map(String::as_str).collect()).collect())
            .collect();
        assert_eq!(words, expected, "{text}");
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let message = parse(text, &Substitutions::new()).expect_err("an error");
        assert!(message.contains(expected), "{text}: {message}");
    }

    #[test]
    fn words_and_pipelines() {
        check("a  b | c && d", &[&[&["a", "b"], &["c"]], &[&["d"]]]);
        check("a|b&&c", &[&[&["a"], &["b"]], &[&["c"]]]);
        check(r#"a 'b "c"|' "d\"e\n" f\ g ''"#, &[&[&["a", "b \"c\"|", "d\"e\\n", "f g", ""]]]);
        check("--x='{a b}'c", &[&[&["--x={a b}c"]]]);
    }

    #[test]
    fn substitutions() {
        check(
            "cat %s %t1 %t.mlir %then %% %0",
            &[&[&["cat", "/a b.mlir", "/tmp/x1", "/tmp/x.mlir", "%then", "%", "%0"]]],
        );
        check("'%s' \"%{root}/x\" {a}", &[&[&["/a b.mlir", "/r/x", "{a}"]]]);
    }

    #[test]
    fn redirections() {
        let line = parse("a <i >o 2>&1 b", &Substitutions::new()).expect("a line");
        let command = &line[0][0];
        assert_eq!(command.words, ["a", "b"]);
        assert_eq!(command.stdin.as_deref(), Some("i"));
        assert_eq!(command.stdout, Sink::File { path: "o".into(), append: false });
        assert_eq!(command.stderr, Sink::Stdout);
        let line = parse("a2 >>o 2> e", &Substitutions::new()).expect("a line");
        assert_eq!(line[0][0].words, ["a2"]);
        assert_eq!(line[0][0].stdout, Sink::File { path: "o".into(), append: true });
        assert_eq!(line[0][0].stderr, Sink::File { path: "e".into(), append: false });
    }

    #[test]
    fn what_is_not_supported() {
        refused("a || b", "`||` is not supported");
        refused("a & b", "`&` is not supported");
        refused("a; b", "`;` has no meaning");
        refused("a $x", "quote it");
        refused("a << b", "`<<`");
        refused("a 2>&2", "only `2>&1`");
        refused("a 2>&1 > b", "stands after");
        refused("a >", "without a file");
        refused("a | | b", "empty command");
        refused("", "empty command");
        refused("a 'b", "does not close");
        refused("%{nothing}", "is not known");
    }
}
