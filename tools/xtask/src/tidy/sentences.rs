//! The rule about sentences: those of the pages have at most 30 words.

use std::collections::BTreeMap;

use regex::Regex;

use super::Complaints;
use crate::repo::Repo;

/// The most words of a sentence.
const MOST: usize = 30;

/// Pages with longer sentences: the page, how many it may have, and why.
const ALLOWED: &str = include_str!("sentences.tsv");

/// No page has more long sentences than it may, nor a row that allows more than there are.
pub fn short(repo: &Repo) -> Complaints {
    let allowed = allowed();
    let text = Plain::new();
    let mut complaints = Vec::new();
    let is_page = |path: &str| {
        let in_folder = |folder: &str| path.strip_prefix(folder).is_some_and(|name| !name.contains('/'));
        path == "README.md" || in_folder("docs/") || in_folder("docs/tutorials/")
    };
    for (path, page) in repo.with_extension("md").filter(|(path, _)| is_page(path)) {
        let long = text.long_sentences(page);
        let may = allowed.get(path).copied().unwrap_or(0);
        match long.len() {
            count if count > may => {
                let shown = long.iter().rev().take(count - may).map(|sentence| format!("\n  {sentence}"));
                complaints.push(format!(
                    "{path}: {count} sentences have more than {MOST} words, and {may} may; among them{}",
                    shown.collect::<String>()
                ));
            }
            count if count < may => {
                complaints.push(format!("{path}: sentences.tsv allows {may} long sentences, and there are {count}"));
            }
            _ => {}
        }
    }
    complaints
}

/// How many long sentences each page may have.
fn allowed() -> BTreeMap<&'static str, usize> {
    let lines = ALLOWED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let (Some(page), Some(count), Some(_reason)) = (cells.next(), cells.next(), cells.next()) else {
            panic!("a row of sentences.tsv has no three cells: {line}");
        };
        (page, count.parse().unwrap_or_else(|error| panic!("{line}: {error}")))
    };
    lines.map(row).collect()
}

/// What turns a page into sentences.
struct Plain {
    link: Regex,
    code: Regex,
    end: Regex,
}

impl Plain {
    fn new() -> Plain {
        let regex = |text: &str| Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        Plain { link: regex(r"\[([^\]]*)\]\([^)]*\)"), code: regex(r"`[^`]*`"), end: regex(r"[.!?]\s+") }
    }

    /// The sentences of a page that are too long. Blocks of code, tables, headings and comments have none; a line of a page
    /// is whole sentences, as is an item of a list.
    fn long_sentences(&self, page: &str) -> Vec<String> {
        let mut is_code = false;
        let mut long = Vec::new();
        for line in page.lines() {
            is_code ^= line.starts_with("```");
            if is_code || ["|", "#", "```", "<!--", "    "].iter().any(|start| line.starts_with(start)) {
                continue;
            }
            let line = self.link.replace_all(line, "$1");
            let line = self.code.replace_all(&line, "X");
            let sentences = self.end.split(&line).filter(|sentence| words(sentence) > MOST);
            long.extend(sentences.map(str::to_string));
        }
        long
    }
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_without_code_and_links() {
        let plain = Plain::new();
        let words = |count: usize| vec!["word"; count].join(" ");
        let long = |page: &str| plain.long_sentences(page).len();
        assert_eq!(long(&format!("{}. {}.", words(30), words(30))), 0);
        assert_eq!(long(&format!("{}.", words(31))), 1);
        assert_eq!(long(&format!("{} [a page](with many words in its name) `and some code`.", words(27))), 0);
        assert_eq!(long(&format!("| {} |\n```\n{}\n```\n# {}", words(40), words(40), words(40))), 0);
    }
}
