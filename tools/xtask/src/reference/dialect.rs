//! The page of a dialect.

use super::{row, sentence};
use dlc_ir::op::{Arity, AttrSpec, Dialect, Effects, OpDef, Traits, TypeDef};

/// The page.
pub fn page(dialect: &Dialect) -> String {
    let mut text = format!("# The dialect `{}`\n\n{}\n", dialect.name, dialect.summary);
    if !dialect.ops.is_empty() {
        text += "\n| op | what it means |\n| --- | --- |\n";
        for op in dialect.ops {
            text += &row(&[format!("[`{}`](#{})", op.name, anchor(op.name)), sentence(op.summary())]);
        }
    }
    for op in dialect.ops {
        text += &self::op(op);
    }
    for (title, sigil, defs) in [("Types", '!', dialect.types), ("Attributes", '#', dialect.attrs)] {
        if !defs.is_empty() {
            text += &format!("\n## {title}\n");
        }
        for def in defs {
            text += &parametrized(def, sigil);
        }
    }
    if !dialect.synonyms.is_empty() {
        text += "\n## Words of others\n\nWhat is known elsewhere by another word; none of these is read.\n";
        text += "\n| word | is written |\n| --- | --- |\n";
        for (word, own) in dialect.synonyms {
            let own = if dialect.names_op(own) { format!("`{own}`") } else { own.to_string() };
            text += &row(&[format!("`{word}`"), own]);
        }
    }
    text
}

/// The part of a link that leads to a heading.
fn anchor(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect::<String>().to_lowercase()
}

fn op(op: &OpDef) -> String {
    let mut text = format!("\n## `{}`\n\n{}\n", op.name, doc(op.doc));
    if !op.example.is_empty() {
        text += &code(op.example);
    }
    text += &format!("\n{}\n", facts(op).join("\n"));
    let handed_to = |successor: Option<u8>| {
        let successor = successor.and_then(|at| op.successors.get(usize::from(at)));
        successor.map_or(String::new(), |successor| format!(", handed to the block `{}`", successor.name))
    };
    let operands = op.operands.iter().map(|operand| {
        (operand.name, format!("{}{}{}", many(operand.arity), operand.ty.name, handed_to(operand.successor)))
    });
    let results = op.results.iter().map(|result| (result.name, format!("{}{}", many(result.arity), result.ty.name)));
    text += &table("operand", "must be", operands);
    text += &table("result", "must be", results);
    text += &table("attribute", "must be", op.attrs.iter().map(|attr| (attr.name, attribute(attr))));
    text += &table("region", "number", op.regions.iter().map(|region| (region.name, number(region.arity))));
    text + &table("successor", "number", op.successors.iter().map(|block| (block.name, number(block.arity))))
}

/// What else an op declares, a sentence each.
fn facts(op: &OpDef) -> Vec<String> {
    let mut facts = vec![if !op.format_text.is_empty() {
        format!("Format: ``{}``\n", sentence(op.format_text))
    } else if op.print.is_some() {
        "The syntax is written by hand; the example shows it.\n".to_owned()
    } else {
        "There is only the generic form.\n".to_owned()
    }];
    let traits: Vec<String> = Traits::ALL
        .iter()
        .filter(|(single, ..)| op.traits.has(*single))
        .map(|(_, word, _)| format!("`{word}`"))
        .collect();
    if !traits.is_empty() {
        facts.push(format!("[Traits](traits.md): {}.", traits.join(", ")));
    }
    facts.push(format!("Effects: {}.", effects(op)));
    for (has, what) in [
        (op.infer.is_some(), "Its result types are inferred."),
        (op.verify.is_some(), "It has rules of its own."),
        (op.fold.is_some(), "It folds."),
        (op.eval.is_some(), "It can be run."),
    ] {
        facts.extend(has.then(|| what.to_owned()));
    }
    if !op.canonicalize.is_empty() {
        let names: Vec<String> = op.canonicalize.iter().map(|pattern| format!("`{}`", pattern.name)).collect();
        facts.push(format!("Rewrites of `canonicalize`: {}.", names.join(", ")));
    }
    facts
}

fn parametrized(def: &TypeDef, sigil: char) -> String {
    let mut text = format!("\n### `{sigil}{}`\n\n{}\n", def.name, doc(def.doc));
    if !def.example.is_empty() {
        text += &code(def.example);
    }
    if !def.short.is_empty() {
        text += &format!("\nIts short spelling begins with `{}`.\n", def.short);
    }
    text + &table("parameter", "must be", def.params.iter().map(|param| (param.name, param.kind.name.to_owned())))
}

/// Documentation as it was written, without the blanks that doc comments have before each line.
fn doc(doc: &str) -> String {
    let lines: Vec<&str> = doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim().to_owned()
}

fn code(text: &str) -> String {
    format!("\n```mlir\n{}\n```\n", text.trim_end())
}

fn effects(op: &OpDef) -> String {
    let effects = match op.declared_effects() {
        None if op.traits.has(Traits::RECURSIVE_EFFECTS) => return "those of the ops inside".into(),
        None => return "unknown".into(),
        Some(Effects::NONE) => return "none".into(),
        Some(Effects::ANY) => return "any".into(),
        Some(effects) => effects,
    };
    let all = [
        (Effects::READ, "reads"),
        (Effects::WRITE, "writes"),
        (Effects::ALLOC, "allocates"),
        (Effects::SYNC, "synchronizes"),
    ];
    let words: Vec<&str> = all.iter().filter(|(single, _)| effects.has(*single)).map(|(_, word)| *word).collect();
    words.join(", ")
}

fn many(arity: Arity) -> &'static str {
    match arity {
        Arity::One => "",
        Arity::Optional => "optional: ",
        Arity::Variadic => "any number: ",
    }
}

fn number(arity: Arity) -> String {
    match arity {
        Arity::One => "one",
        Arity::Optional => "none or one",
        Arity::Variadic => "any",
    }
    .to_owned()
}

fn attribute(attr: &AttrSpec) -> String {
    format!("{}{}", if attr.optional { "optional: " } else { "" }, attr.kind.name)
}

/// A table of two columns; nothing when it has no rows.
fn table<'a>(first: &str, second: &str, rows: impl Iterator<Item = (&'a str, String)>) -> String {
    let rows: Vec<String> = rows.map(|(name, what)| row(&[format!("`{name}`"), what])).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("\n| {first} | {second} |\n| --- | --- |\n{}", rows.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlc_ir::op::{OperandDef, SuccessorDef, TypeConstraint};

    static JUMP: OpDef = OpDef {
        doc: " Goes on.\n\n `a|b`",
        example: "x.jump ^next(%a)",
        traits: Traits::TERMINATOR,
        effects: Some(Effects::READ.with(Effects::SYNC)),
        operands: &[OperandDef {
            name: "args",
            ty: TypeConstraint { name: "any type", admits: |_, _| true },
            arity: Arity::Variadic,
            successor: Some(0),
        }],
        successors: &[SuccessorDef { name: "dest", arity: Arity::One }],
        ..OpDef::bare("x.jump")
    };

    static DIALECT: Dialect = Dialect {
        name: "x",
        summary: "Jumps.",
        ops: &[&JUMP],
        types: &[],
        attrs: &[],
        materialize: None,
        synonyms: &[("br", "jump")],
    };

    #[test]
    fn page_of_an_op() {
        let expected = "\
# The dialect `x`

Jumps.

| op | what it means |
| --- | --- |
| [`x.jump`](#xjump) | Goes on. |

## `x.jump`

Goes on.

`a|b`

```mlir
x.jump ^next(%a)
```

There is only the generic form.

[Traits](traits.md): `Terminator`.
Effects: reads, synchronizes.

| operand | must be |
| --- | --- |
| `args` | any number: any type, handed to the block `dest` |

| successor | number |
| --- | --- |
| `dest` | one |

## Words of others

What is known elsewhere by another word; none of these is read.

| word | is written |
| --- | --- |
| `br` | `jump` |
";
        assert_eq!(page(&DIALECT), expected);
    }
}
