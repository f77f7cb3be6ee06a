//! The header of a pass: the module documentation at the head of its file, in its fixed order.

/// What stands in the header of a pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// What the pass does, in one sentence.
    pub summary: String,
    /// The smallest IR that shows it.
    pub before: String,
    /// What the pass makes of that.
    pub after: String,
    /// What the blocks are given to: the options of the pass, from ```` ```mlir before {option=value} ````; usually none.
    pub options: String,
}

/// The words of the sections, in order.
pub const SECTIONS: [&str; 5] = ["**Requires**", "**Ensures**", "**Before**", "**After**", "**Does not**"];

/// Reads the header of a file of a pass; what is wrong with it, if anything is.
pub fn read(source: &str) -> Result<Header, String> {
    let lines: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let summary: Vec<&str> = lines.iter().take_while(|line| !line.is_empty()).copied().collect();
    let summary = summary.join(" ");
    if !summary.contains('.') || summary.starts_with("**") {
        return Err("the header does not begin with a sentence that says what the pass does".into());
    }
    let mut from = 0;
    for section in SECTIONS {
        match lines.iter().skip(from).position(|line| line.starts_with(section)) {
            Some(at) => from += at + 1,
            None if lines.iter().any(|line| line.starts_with(section)) => {
                return Err(format!("the section {section} is not in the order {}", SECTIONS.join(", ")));
            }
            None => return Err(format!("the header has no line that begins with {section}")),
        }
    }
    let (before, options) = block(&lines, "before")?;
    let (after, _) = block(&lines, "after")?;
    Ok(Header { summary, before, after, options: options.to_owned() })
}

/// The text of a block and what stands after its mark.
fn block<'a>(lines: &[&'a str], mark: &str) -> Result<(String, &'a str), String> {
    let open = format!("```mlir {mark}");
    let start = lines.iter().position(|line| *line == open || line.starts_with(&format!("{open} {{")));
    let start = start.ok_or_else(|| format!("the header has no block '{open}'"))?;
    let body: Vec<&str> = lines[start + 1..].iter().take_while(|line| **line != "```").copied().collect();
    if start + 1 + body.len() == lines.len() {
        return Err(format!("the block '{open}' does not end"));
    }
    Ok((body.join("\n"), lines[start][open.len()..].trim().trim_start_matches('{').trim_end_matches('}')))
}

/// Text without what means nothing: blanks and empty lines at either end of lines, and the outermost module.
pub fn normalized(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let inside = match lines.as_slice() {
        [first, inside @ .., "}"] if *first == "module {" || *first == "builtin.module {" => inside,
        all => all,
    };
    inside.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! Drops it.\n//!\n//! **Requires**: any layer.\n//! **Ensures**: less.\n//!\n//! **Before**\n\
        //! ```mlir before\n//! a\n//!   b\n//! ```\n//! **After**\n//! ```mlir after\n//! a\n//! ```\n//!\n\
        //! **Does not** drop more.\n\nuse x;\n";

    #[test]
    fn whole() {
        let header = read(GOOD).expect("a header");
        assert_eq!(
            (header.summary.as_str(), header.before.as_str(), header.after.as_str()),
            ("Drops it.", "a\n  b", "a")
        );
        assert_eq!(header.options, "");
        let with_options = GOOD.replace("mlir before", "mlir before {deep=true}");
        assert_eq!(read(&with_options).expect("a header").options, "deep=true");
    }

    #[test]
    fn parts_missing_or_out_of_order() {
        for section in SECTIONS {
            let message = read(&GOOD.replace(section, "*")).expect_err(section);
            assert!(message.contains(section), "{message}");
        }
        let order = GOOD.replace("**Requires**", "**Tmp**").replace("**Ensures**", "**Requires**");
        assert!(read(&order.replace("**Tmp**", "**Ensures**")).expect_err("wrong order").contains("order"));
        assert!(read(&GOOD.replace("mlir before", "mlir")).is_err());
        assert!(read(&GOOD.replace("Drops it.", "")).is_err());
        assert!(read("use x;\n").is_err());
    }

    #[test]
    fn module_and_blanks_do_not_count() {
        assert_eq!(normalized("module {\n  a {\n    b\n  }\n}\n"), "a {\nb\n}");
        assert_eq!(normalized("\na {\n  b\n}\n"), "a {\nb\n}");
    }
}
