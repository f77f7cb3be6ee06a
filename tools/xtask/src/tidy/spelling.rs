//! The rule about spelling: the words of documents, comments and messages are in a list, `spelling.txt`. A word that is not
//! is misspelled, or new.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::Complaints;
use crate::repo::Repo;

/// The list, below the root of the repository: words in lower case, one a line, in order.
pub const LIST: &str = "tools/xtask/src/tidy/spelling.txt";

const WORDS: &str = include_str!("spelling.txt");

/// Every word of prose is in the list, which is in order and has no word twice.
pub fn known(repo: &Repo) -> Complaints {
    let list: Vec<&str> = WORDS.lines().collect();
    let mut complaints: Complaints = list
        .windows(2)
        .filter(|pair| pair[0] >= pair[1])
        .map(|pair| format!("{LIST}: '{}' is not after '{}'", pair[1], pair[0]))
        .collect();
    let known: BTreeSet<&str> = list.into_iter().collect();
    for (word, place) in words(repo).into_iter().filter(|(word, _)| !known.contains(word.as_str())) {
        complaints.push(format!("{place}: '{word}' is no known word{}", suggestion(&known, &word)));
    }
    if !complaints.is_empty() {
        complaints.push(format!("correct words go into {LIST}: `cargo xtask spelling` writes it"));
    }
    complaints
}

/// The list as it should be, without words that nothing uses.
pub fn list(repo: &Repo) -> String {
    words(repo).into_keys().map(|word| word + "\n").collect()
}

/// A known word that looks like it.
fn suggestion(known: &BTreeSet<&str>, word: &str) -> String {
    let near = known.iter().map(|other| (strsim::damerau_levenshtein(other, word), other));
    match near.min().filter(|(distance, _)| *distance <= 2 && *distance < word.len() / 2) {
        Some((_, other)) => format!("; did you mean '{other}'?"),
        None => String::new(),
    }
}

/// The words of prose, with the first place of each.
fn words(repo: &Repo) -> BTreeMap<String, String> {
    let prose = Prose::new();
    let mut words = BTreeMap::new();
    for extension in ["md", "rs"] {
        for (path, text) in repo.with_extension(extension) {
            for (number, piece) in prose.pieces(path, text) {
                for word in split(&piece) {
                    words.entry(word).or_insert_with(|| format!("{path}:{number}"));
                }
            }
        }
    }
    words
}

/// The words of a text without those that are names of something in code: with digits, signs or capitals within.
fn split(text: &str) -> impl Iterator<Item = String> {
    let around = |sign: char| "()[]|.,;:!?'\"*_–…".contains(sign);
    // What begins with a dot is a file's extension or a directive.
    let tokens = text.split_whitespace().filter(|token| !token.starts_with('.'));
    let tokens = tokens.map(move |token| token.trim_matches(around)).filter(|token| {
        let is_plain = token.chars().all(|sign| sign.is_ascii_alphabetic() || sign == '-' || sign == '\'');
        is_plain && !token.starts_with('-')
    });
    let words = tokens.flat_map(|token| token.split('-')).map(|word| word.strip_suffix("'s").unwrap_or(word));
    words
        .filter(|word| word.chars().count() > 1 && !word.chars().skip(1).any(char::is_uppercase))
        .map(str::to_lowercase)
}

/// What finds the prose in a file.
struct Prose {
    link: Regex,
    code: Regex,
    placeholder: Regex,
    escape: Regex,
    literal: Regex,
}

impl Prose {
    fn new() -> Prose {
        let regex = |text: &str| Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        Prose {
            link: regex(r"\]\([^)]*\)|https?://\S+|<[^<> ]*>"),
            code: regex(r"`[^`]*`"),
            placeholder: regex(r"\{[^{}]*\}"),
            escape: regex(r"\\."),
            // A comment up to the end of the line, or a text in quotation marks; a character can be one of these.
            literal: regex(r#"'(?:[^'\\]|\\.)'|"((?:[^"\\]|\\.)*)"|//[/!]?(.*)"#),
        }
    }

    /// The pieces of prose of a file, with the numbers of their lines.
    fn pieces(&self, path: &str, text: &str) -> Vec<(usize, String)> {
        let (mut pieces, mut is_code) = (Vec::new(), false);
        // Tests have texts that are wrong on purpose.
        let mut is_test = path.ends_with("tests.rs") || path.starts_with("test/") || path.contains("/tests/");
        for (number, line) in text.lines().enumerate() {
            is_test |= line == "mod tests {";
            let found: Vec<&str> = match path.ends_with(".md") {
                true => vec![line],
                false => self.literal.captures_iter(line).filter_map(|found| literal_prose(&found, is_test)).collect(),
            };
            for piece in found {
                is_code ^= piece.trim_start().starts_with("```");
                if !is_code {
                    let piece = self.link.replace_all(piece, "]");
                    let piece = self.code.replace_all(&piece, "0");
                    // What is put in is part of a word or none: `{n}th`.
                    let piece = self.placeholder.replace_all(&piece, "0");
                    pieces.push((number + 1, self.escape.replace_all(&piece, " ").into_owned()));
                }
            }
        }
        pieces
    }
}

/// A comment or, outside of tests, a text of three words or more that is no IR.
fn literal_prose<'a>(found: &regex::Captures<'a>, is_test: bool) -> Option<&'a str> {
    let is_message = |text: &&str| {
        let is_ir = text.contains(['%', '@', '$', '`', '=']) || text.contains("->");
        !is_test && !is_ir && text.split_whitespace().count() >= 3
    };
    let message = found.get(1).map(|text| text.as_str()).filter(is_message);
    found.get(2).map(|comment| comment.as_str()).or(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(path: &str, text: &str) -> Vec<String> {
        words(&Repo::of(&[(path, text)])).into_keys().collect()
    }

    #[test]
    fn words_of_documents() {
        assert_eq!(
            words_of("a.md", "# A Page\n\nIt's [the page](other.md) of `code`, well-known (dlc's): x1, a_b, NaN."),
            ["dlc", "it", "known", "of", "page", "the", "well"]
        );
        assert_eq!(words_of("a.md", "one\n```sh\ntwo\n```\nthree https://four.five"), ["one", "three"]);
    }

    #[test]
    fn words_of_sources() {
        let source =
            "//! Head.\nfn name() { let a = '\"'; say(\"two words\"); say(\"a message {of} words\\n\"); } // tail\n";
        assert_eq!(words_of("a.rs", source), ["head", "message", "tail", "words"]);
        assert_eq!(words_of("a.rs", "// head\nmod tests {\n say(\"a mesage of words\"); }\n"), ["head"]);
        assert_eq!(words_of("a.rs", "/// ```\n/// inner\n/// ```\n/// outer\n"), ["outer"]);
    }

    #[test]
    fn unknown_words_are_shown_with_a_known_one() {
        let complaints = known(&Repo::of(&[("a.md", "The compiler\nreads thier kernels.")]));
        assert_eq!(complaints[0], "a.md:2: 'thier' is no known word; did you mean 'their'?");
        assert_eq!(complaints.len(), 2);
    }
}
