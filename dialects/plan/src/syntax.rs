//! How schedules and targets are written: clauses between braces, one a line, in any order on the way in.

use dlc_ir::attrs::AttrData;
use dlc_ir::diag::{did_you_mean, fold_spelling};
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, SYNTAX, Token};
use dlc_ir::{Attr, Str};

use crate::places::ClauseLocs;
use crate::schedule::{Schedule, TargetName};
use crate::target::Target;
use crate::value::{Value, quoted};

/// As many clauses are listed in a message.
const FEW_CLAUSES: usize = 20;

/// Words of Triton, CUTLASS and others, with the clause of a schedule that says it: its word, and how it is written.
const OTHER_WORDS: [(&[&str], &str, &str); 16] = [
    (&["num_warps"], "warps", "'warps (m: 2, n: 2)', the grid of the warps"),
    (&["num_threads", "threads_per_block", "block_dim"], "threads", "'threads (m: 8, n: 16)', the grid of the threads"),
    (&["num_stages", "num_buffers", "pipeline", "pipeline_depth", "pipeline_stages"], "stages", "'stages 4'"),
    (&["cluster_shape", "cluster_dims", "num_ctas"], "cluster", "'cluster (m: 2)'"),
    (
        &["block", "block_size", "block_shape", "block_tile", "cta_tile", "cta_shape", "tile_shape", "tile_size"],
        "tile",
        "'tile (m: 128, n: 128, k: 64)'",
    ),
    (&["mma_shape", "instruction_shape", "mma", "wgmma", "fma"], "instruction", "'instruction wgmma [64, 128, 16]'"),
    (
        &["ping", "pingpong", "cooperative", "warp_specialize", "warp_specialization", "consumers", "producer"],
        "roles",
        "'roles ping_pong consumers 2' or 'roles cooperative consumers 2'",
    ),
    (
        &["group_m", "group_size_m", "grouped", "raster", "raster_order", "rasterization", "tile_scheduler"],
        "order",
        "'order grouped 8 along m'",
    ),
    (&["maxnreg", "max_registers", "num_registers"], "registers", "'registers (producer: 40, consumer: 232)'"),
    (&["occupancy", "min_blocks", "num_ctas_per_sm"], "blocks_per_sm", "'blocks_per_sm 2'"),
    (&["split", "num_splits", "parallel_k"], "split_k", "'split_k 4 along k'"),
    (&["smem", "shared", "shared_memory", "stage_in_shared"], "cache", "'cache X (m, k) f16 in smem'"),
    (&["prefetch", "overlap_epilogue"], "async", "'async prefetch 3 overlap_epilogue'"),
    (&["vector_width", "vectorized"], "vectors", "'vectors (X: 8)'"),
    (&["pdl", "programmatic_dependent_launch", "grid_dependency"], "launch_overlap", "'launch_overlap'"),
    (&["epilogue_tile", "epilogue_store"], "store", "'store tma'"),
];

/// The clause of a schedule that others call by a word, and how it is written. Neither case nor `_` counts; a word with an
/// axis at its end, `BLOCK_M`, is the tile.
fn clause_of_others(word: &str) -> Option<(&'static str, String)> {
    let folded = fold_spelling(word);
    let is_it =
        |(others, ..): &&(&[&str], &'static str, &str)| others.iter().any(|other| fold_spelling(other) == folded);
    if let Some((_, clause, written)) = OTHER_WORDS.iter().find(is_it) {
        return Some((clause, format!("in a schedule it is {written}")));
    }
    let word = word.to_lowercase();
    let prefixes = ["block_size_", "block_", "tile_size_", "tile_"];
    let axis = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix))?;
    (axis.chars().count() == 1)
        .then(|| ("tile", format!("in a schedule it is 'tile ({axis}: 128)', of all axes in one clause")))
}

/// The word of a clause; a near miss is named. `said` tells whether one is there already.
pub(crate) fn clause_word(
    p: &mut Parser<'_>,
    what: &str,
    words: &[&'static str],
    said: impl Fn(&str) -> bool,
) -> ParseResult<&'static str> {
    if p.token() != Token::Word {
        return p.expected(&format!("a clause of a {what} or '}}'"));
    }
    let text = p.text();
    if let Some(&word) = words.iter().find(|&&word| word == text) {
        if said(word) {
            return Err(p.fail(p.error(&SYNTAX, format!("'{word}' is given twice"))));
        }
        p.advance();
        return Ok(word);
    }
    let near = clause_of_others(text).filter(|(word, _)| words.contains(word)).map(|(_, fix)| fix);
    let near = near.or_else(|| did_you_mean(text, words.iter().copied()));
    let fix = near.unwrap_or_else(|| match words.len() {
        ..=FEW_CLAUSES => format!("the clauses are {}", words.join(", ")),
        _ => "'dlc-opt --help=plan.schedule' lists the clauses, and docs/plan.md describes them".into(),
    });
    Err(p.fail(p.error(&SYNTAX, format!("a {what} has no clause '{text}'")).suggest(fix)))
}

/// `for sm90 or @mine`
pub(crate) fn parse_targets(p: &mut OpParser<'_, '_>) -> ParseResult<Vec<Attr>> {
    let ctx = p.ctx;
    p.expect_word("for")?;
    let mut targets: Vec<Attr> = Vec::new();
    loop {
        targets.push(match p.token() {
            Token::Symbol | Token::QuotedSymbol => {
                let name = p.symbol_name()?;
                ctx.attr(AttrData::Symbol(&[name]))
            }
            _ => {
                let name = String::parse(p)?;
                ctx.str_attr(&name)
            }
        });
        if !p.eat_word("or") {
            break;
        }
    }
    Ok(targets)
}

/// Writes what [`parse_targets`] reads.
pub(crate) fn print_targets(p: &mut OpPrinter<'_, '_>, targets: &[TargetName]) {
    for (at, target) in targets.iter().enumerate() {
        p.write(if at == 0 { " for " } else { " or " });
        match target {
            TargetName::BuiltIn(name) => p.write(&quoted(name)),
            TargetName::Symbol(name) => {
                let name = p.ctx.intern_str(name);
                p.symbol_name(name);
            }
        }
    }
}

/// `of @f for sm90 { tile (m: 128, n: 128, k: 64) .. }`
pub fn parse_schedule(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let of = p.eat_word("of").then(|| p.parse_symbol_path()).transpose()?;
    let targets = parse_targets(p)?;
    let (mut schedule, mut places) = (Schedule::default(), ClauseLocs::default());
    p.expect(Token::LBrace)?;
    while !p.eat(Token::RBrace) {
        let loc = p.loc();
        let word = clause_word(p, "schedule", Schedule::WORDS, |word| schedule.is_set(word))?;
        schedule.parse_clause(word, p)?;
        places.add(ctx, &schedule.name_of_last(word), loc);
    }
    p.state.loc = places.fused(ctx, p.state.loc);
    let props = schedule.props(ctx);
    for &(key, attr) in props.as_dict(ctx).unwrap_or_default() {
        p.set_prop(ctx.str(key), attr);
    }
    p.set_prop("target", ctx.array_attr(&targets));
    if let Some(of) = of {
        p.set_prop("of", of);
    }
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    Ok(())
}

/// Writes what [`parse_schedule`] reads.
pub fn print_schedule(p: &mut OpPrinter<'_, '_>) {
    let Some(schedule) = Schedule::of(p.op) else { return };
    if let Some(of) = p.op.prop(Str::OF) {
        p.write(" of ");
        p.attr(of);
    }
    print_targets(p, &schedule.targets);
    print_clauses(p, &schedule.clauses(p.ctx));
    let named = |key: &str| Schedule::SPECS.iter().any(|spec| spec.name == key);
    print_rest(p, &named);
}

/// `@mine like sm90 { sms 114 .. }`
pub fn parse_target(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let name = p.symbol_name()?;
    p.set_prop("sym_name", ctx.attr(AttrData::String(name)));
    p.expect_word("like")?;
    let like = String::parse(p)?;
    p.set_prop("like", ctx.str_attr(&like));
    p.expect(Token::LBrace)?;
    let mut seen: Vec<&str> = Vec::new();
    while !p.eat(Token::RBrace) {
        let word = clause_word(p, "target", Target::WORDS, |word| seen.contains(&word))?;
        seen.push(word);
        let attr = Target::parse_clause(word, p)?;
        p.set_prop(word, attr);
    }
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    Ok(())
}

/// Writes what [`parse_target`] reads.
pub fn print_target(p: &mut OpPrinter<'_, '_>) {
    let text = |key: &str| p.op.prop_named(key).and_then(|attr| attr.as_str(p.op.ctx)).unwrap_or_default();
    let (name, like) = (text("sym_name"), text("like"));
    p.write(" ");
    let name = p.ctx.intern_str(name);
    p.symbol_name(name);
    p.write(&format!(" like {}", quoted(like)));
    let clauses = Target::clauses(p.op);
    print_clauses(p, &clauses);
    let named = |key: &str| key == "sym_name" || key == "like" || Target::WORDS.contains(&key);
    print_rest(p, &named);
}

pub(crate) fn print_clauses(p: &mut OpPrinter<'_, '_>, clauses: &[String]) {
    p.write(" {");
    for clause in clauses {
        p.newline();
        p.write("  ");
        p.write(clause);
    }
    if !clauses.is_empty() {
        p.newline();
    }
    p.write("}");
}

pub(crate) fn print_rest(p: &mut OpPrinter<'_, '_>, named: &dyn Fn(&str) -> bool) {
    if p.op.body.attrs(p.op.id) != Attr::EMPTY_DICT {
        p.write(" attributes");
        p.attr_dict(named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_lead_to_clauses() {
        for (others, clause, written) in OTHER_WORDS {
            assert!(Schedule::WORDS.contains(&clause), "{clause}");
            assert!(written.starts_with(&format!("'{clause}")), "{written}");
            for word in others {
                assert!(!Schedule::WORDS.contains(word), "{word}");
                assert_eq!(clause_of_others(word).map(|(clause, _)| clause), Some(clause), "{word}");
            }
        }
        assert_eq!(clause_of_others("BLOCK_SIZE_N").map(|(_, way)| way.contains("tile (n: ")), Some(true));
        assert_eq!(clause_of_others("BLOCK_M").map(|(clause, _)| clause), Some("tile"));
        assert_eq!(clause_of_others("blockade"), None);
        assert_eq!(clause_of_others("tiles"), None);
    }
}
