//! Rules about the pages under `docs/` and the README.

use super::Complaints;
use crate::repo::Repo;

/// Links to other files lead to files and folders that exist, and those to a part of a page to a heading of it.
pub fn links(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in repo.with_extension("md") {
        for target in targets(text) {
            let outside = target.contains("://") || target.starts_with(['#', '/']);
            let file = target.split('#').next().unwrap_or_default();
            let resolved = resolve(path, file);
            // Files that no rule reads, such as pictures, are not in memory.
            let is_read = file.ends_with('/') || file.ends_with(".md") || file.ends_with(".rs");
            if !outside && is_read && repo.text(&resolved).is_none() && !repo.has_folder(&resolved) {
                complaints.push(format!("{path}: the link to `{target}` leads nowhere"));
            }
            let page =
                if file.is_empty() { Some(text) } else { repo.text(&resolved).filter(|_| file.ends_with(".md")) };
            if let (false, Some(page), Some((_, part))) = (target.contains("://"), page, target.split_once('#'))
                && !headings(page).any(|heading| anchor(heading) == part)
            {
                complaints.push(format!("{path}: the link to `{target}` leads to no heading"));
            }
        }
    }
    complaints
}

/// The headings of a page, outside of blocks of code.
fn headings(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter_map(move |line| {
        is_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        (!is_code && heading.len() < line.len()).then_some(heading)
    })
}

/// The name by which a link calls a heading: its letters, digits, `-` and `_` in lower case, and `-` for each blank.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    letters.collect::<String>().to_lowercase().replace(' ', "-")
}

/// A block of a page that says which file it is from, ```` ```rust from=FILE ````, stands there word for word.
pub fn quotes(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in repo.with_extension("md") {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let info = line.strip_prefix("```").unwrap_or_default();
            let Some(file) = info.split(' ').find_map(|word| word.strip_prefix("from=")) else { continue };
            let quoted: Vec<&str> = lines[number + 1..].iter().take_while(|line| **line != "```").copied().collect();
            if !repo.text(file).is_some_and(|source| source.contains(&quoted.join("\n"))) {
                complaints.push(format!("{path}:{}: the block is not in {file} as it stands", number + 1));
            }
        }
    }
    complaints
}

/// The targets of links `[text](target)` outside of code blocks.
fn targets(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let prose = page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    });
    prose.flat_map(|line| line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)))
}

/// A path as seen from a file, as a path below the root.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_that_are_none() {
        let page = "```rust from=a.rs\nfn a() {\n}\n```\n```rust\nfn b() {}\n```\n```rust from=gone.rs\n```\n";
        let check = |source: &str| quotes(&Repo::of(&[("docs/a.md", page), ("a.rs", source)])).len();
        assert_eq!(check("//! A.\n\nfn a() {\n}\n"), 1);
        assert_eq!(check("fn a() {}\n"), 2);
    }

    #[test]
    fn dead_links() {
        let page = "[a](b.md) [c](../ir/) [d](https://x.y/z.md) [e](gone.md)\n```\n[f](gone.md)\n```\n[g](#here) [h](b.md#there)\n# Here\n";
        let repo = Repo::of(&[("docs/a.md", page), ("docs/b.md", "```\n# There\n```\n"), ("ir/src/lib.rs", "")]);
        let dead = ["the link to `gone.md` leads nowhere", "the link to `b.md#there` leads to no heading"];
        assert_eq!(links(&repo), dead.map(|why| format!("docs/a.md: {why}")));
    }

    #[test]
    fn headings_are_called_by_their_letters() {
        let page = "# A `page`, of words\n```\n# no heading\n```\n## 2. Next-one\n";
        assert_eq!(headings(page).map(anchor).collect::<Vec<_>>(), ["a-page-of-words", "2-next-one"]);
    }
}
