//! The options of a pass: checking what was written against the declaration.

use std::ops::Range;

use super::{OptionDef, OptionKind, OptionValues, PassDef};
use crate::diag::did_you_mean;

/// An option as it was written.
#[derive(Clone, Debug)]
pub struct GivenOption {
    /// Its name.
    pub name: String,
    /// Its value; `None` when only the name stands there.
    pub value: Option<String>,
    /// Where it stands in the text of the pipeline.
    pub span: Range<usize>,
}

/// Where it stands does not count.
impl PartialEq for GivenOption {
    fn eq(&self, other: &GivenOption) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for GivenOption {}

/// What is wrong with an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionError {
    /// Where, in the text of the pipeline.
    pub span: Range<usize>,
    /// In words.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

/// The values of all options of a pass, from those that were given. Of one given twice the last counts.
pub fn check(def: &PassDef, given: &[GivenOption]) -> Result<OptionValues, OptionError> {
    for option in given {
        if !def.options.iter().any(|o| o.name == option.name) {
            let has = match def.options {
                [] => "; it takes none".to_string(),
                options => {
                    let names: Vec<&str> = options.iter().map(|o| o.name).collect();
                    format!("; it takes {}", names.join(", "))
                }
            };
            return Err(OptionError {
                span: option.span.clone(),
                message: format!("the pass '{}' has no option '{}'{has}", def.name, option.name),
                suggestion: did_you_mean(&option.name, def.options.iter().map(|o| o.name)),
            });
        }
    }
    let value = |declared: &OptionDef| match given.iter().rev().find(|g| g.name == declared.name) {
        None => Ok((declared.name, declared.default.to_string())),
        Some(found) => match normalize(declared, found.value.as_deref()) {
            Ok(value) => Ok((declared.name, value)),
            Err((wanted, suggestion)) => {
                let what = found.value.as_deref().map_or("nothing".into(), |v| format!("'{v}'"));
                let message = format!("the option '{}' of '{}' takes {wanted}, not {what}", declared.name, def.name);
                Err(OptionError { span: found.span.clone(), message, suggestion })
            }
        },
    };
    Ok(OptionValues::new(def.options.iter().map(value).collect::<Result<_, _>>()?))
}

/// The value as the pass reads it, or what the option takes in words.
fn normalize(declared: &OptionDef, value: Option<&str>) -> Result<String, (String, Option<String>)> {
    match (declared.kind, value) {
        (OptionKind::Bool, None) => Ok("true".into()),
        (OptionKind::Bool, Some(v @ ("true" | "false"))) => Ok(v.into()),
        (OptionKind::Bool, Some("1")) => Ok("true".into()),
        (OptionKind::Bool, Some("0")) => Ok("false".into()),
        (OptionKind::Bool, Some(_)) => Err(("true or false".into(), None)),
        (OptionKind::Int, Some(v)) if v.parse::<i64>().is_ok() => Ok(v.into()),
        (OptionKind::Int, _) => Err(("a 64-bit integer".into(), None)),
        (OptionKind::Text | OptionKind::List, Some(v)) => Ok(v.into()),
        (OptionKind::Text, None) => Err(("a text".into(), None)),
        (OptionKind::List, None) => Err(("a list".into(), None)),
        (OptionKind::Choice(words), Some(v)) if words.contains(&v) => Ok(v.into()),
        (OptionKind::Choice(words), v) => {
            let near = v.and_then(|v| did_you_mean(v, words.iter().copied()));
            Err((format!("one of {}", words.join(", ")), near))
        }
    }
}
