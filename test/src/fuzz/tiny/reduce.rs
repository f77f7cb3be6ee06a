//! Makes a failing program smaller, as long as it fails.

use super::{From, Program};

/// The smallest program found by dropping results, taking an earlier value for the result, giving a value instead of
/// computing it, and replacing symbols by numbers, again and again while `fails` says so.
pub fn reduce(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| fails(candidate));
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Programs that are smaller in one way each, those that leave out most first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found = vec![];
    if program.whole {
        found.push(Program { whole: false, ..program.clone() });
    }
    let computed = program.computed();
    let is_op = |place: usize| matches!(program.values[place].from, From::Op { .. });
    for place in computed.iter().copied().filter(|&place| is_op(place)) {
        if program.results != [place] {
            found.push(Program { results: vec![place], ..program.clone() });
        }
    }
    for place in computed.iter().rev().copied().filter(|&place| is_op(place)) {
        let mut given = program.clone();
        given.values[place].from = From::Argument;
        if given.len() < program.len() {
            found.push(given);
        }
    }
    if program.wild {
        found.push(Program { wild: false, ..program.clone() });
    }
    for (at, &(name, value)) in program.symbols.iter().enumerate() {
        found.extend(without(program, at, name, value));
    }
    // As few results as possible is what the first step gives; a candidate must not be the program itself.
    found.retain(|candidate| candidate.text() != program.text() || candidate.wild != program.wild);
    found
}

/// The program with a number for a symbol in all types. `None` where a text that has the symbol in it is too much to
/// rewrite.
fn without(program: &Program, at: usize, name: &str, value: i64) -> Option<Program> {
    let mut fixed = program.clone();
    fixed.symbols.remove(at);
    for value_of in &mut fixed.values {
        for dim in &mut value_of.dims {
            *dim = dim.substitute(&|symbol| (symbol == name).then(|| value.into())).ok()?;
        }
        if let From::Op { text, .. } = &mut value_of.from {
            *text = replace_word(text, name, &value.to_string());
        }
    }
    Some(fixed)
}

/// A text with a word replaced wherever it stands alone.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, following) = (&rest[..at], &rest[at + word.len()..]);
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let alone = !before.ends_with(inside) && !following.starts_with(inside);
        out += before;
        out += if alone { by } else { word };
        rest = following;
    }
    out + rest
}
