//! Lines that look like directives and are none.
//!
//! A misspelled directive checks nothing, and nobody sees it; LLVM's FileCheck ignores most of them.
//! Here each is an error, at the price that prose in a test must not begin with a word such as `check:`.

use super::directives::{SUFFIXES, find};

/// Says what is wrong with a line that is no directive of the `known` prefixes, if it looks like one.
pub fn near_miss(line: &str, known: &[&str]) -> Option<String> {
    if find(line, known).is_some() {
        return None;
    }
    let head = comment_text(line);
    let word_len = head.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    let (word, after) = head.split_at(word_len);
    let colon = after.trim_start().starts_with([':', '{']) && after.contains(':');
    let forms = known.iter().chain([&"CHECK"]).copied();

    for prefix in forms.clone().filter(|prefix| prefix.len() >= 4) {
        if word == prefix {
            return Some(if colon && !known.contains(&prefix) {
                format!("no FileCheck of this test uses the prefix `{prefix}`")
            } else if colon {
                format!("a blank or a wrong modifier between `{prefix}` and `:`")
            } else {
                format!("`{prefix}` without `:`")
            });
        }
        if let Some(suffix) = word.strip_prefix(prefix).filter(|rest| rest.starts_with(['-', '_']))
            && (colon || is_suffix(&suffix[1..]))
        {
            return Some(unknown_suffix(word, prefix, &suffix[1..], colon, known.contains(&prefix)));
        }
    }
    if !colon {
        return None;
    }
    if let Some((prefix, suffix)) = word.rsplit_once('-').filter(|(_, suffix)| is_suffix(suffix))
        && !prefix.is_empty()
        && prefix.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
    {
        return Some(format!("no FileCheck of this test uses the prefix `{prefix}` (of `{prefix}-{suffix}:`)"));
    }
    let candidates = forms.filter(|prefix| prefix.len() >= 4).flat_map(|prefix| {
        let with_suffix = SUFFIXES.iter().map(move |(suffix, _)| format!("{prefix}-{suffix}"));
        with_suffix.chain([prefix.to_owned()])
    });
    let upper = word.to_ascii_uppercase().replace('_', "-");
    let close = |candidate: &String| {
        let limit = if candidate.len() < 8 { 1 } else { 2 };
        strsim::osa_distance(&upper, candidate) <= limit
    };
    candidates.into_iter().find(close).map(|candidate| format!("`{word}:` is no directive; `{candidate}:` is meant?"))
}

fn is_suffix(word: &str) -> bool {
    SUFFIXES.iter().any(|(suffix, _)| *suffix == word)
}

fn unknown_suffix(word: &str, prefix: &str, suffix: &str, colon: bool, known: bool) -> String {
    if !known {
        format!("no FileCheck of this test uses the prefix `{prefix}` (of `{word}`)")
    } else if !is_suffix(suffix) {
        let names: Vec<&str> = SUFFIXES.iter().map(|(name, _)| *name).collect();
        format!("`{word}:` is no directive; the suffixes are {} and COUNT-n", names.join(", "))
    } else if !colon {
        format!("`{word}` without `:`")
    } else {
        format!("`{word}` is no directive; write `{prefix}-{suffix}:`")
    }
}

/// The line without blanks and the mark of a comment.
fn comment_text(line: &str) -> &str {
    let line = line.trim_start();
    let marks = ["//", "#", ";", "<!--"];
    let text = marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    text.trim_start()
}

#[cfg(test)]
mod tests {
    use super::near_miss;

    #[track_caller]
    fn flagged(line: &str) {
        assert!(near_miss(line, &["CHECK", "PTX80"]).is_some(), "not seen: {line}");
    }

    #[track_caller]
    fn accepted(line: &str) {
        assert_eq!(near_miss(line, &["CHECK", "PTX80"]), None, "{line}");
    }

    #[test]
    fn misspellings() {
        flagged("// CHECK-FOO: a");
        flagged("// check-next: a");
        flagged("// check: a");
        flagged("// CHEK: a");
        flagged("// CEHCK: a");
        flagged("// CHECK -NEXT: a");
        flagged("// CHECK-NEXT : a");
        flagged("// CHECK : a");
        flagged("// CHECK-NEXT a");
        flagged("// CHECK a");
        flagged("// CHECK_NEXT: a");
        flagged("// CHECK-NXET: a");
        flagged("// CHECK-COUNT-0: a");
        flagged("// CHECK{LITERALLY}: a");
        flagged("// PTX90: a");
        flagged("// OTHER-NEXT: a");
        flagged("CHECKS: a");
    }

    #[test]
    fn ordinary_lines() {
        accepted("// CHECK: a");
        accepted("// PTX80-NEXT: a");
        accepted("// Checked by hand: nothing");
        accepted("// The check: is elsewhere");
        accepted("%0 = sample.op {key: 1}");
        accepted("// TODO: more");
        accepted("");
    }
}
