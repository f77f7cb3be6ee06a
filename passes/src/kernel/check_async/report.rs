//! A fault as a diagnostic, with a trace: for which sizes, which block, and what was done before, in order.

use std::rc::Rc;

use dlc_ir::diag::Diagnostic;
use dlc_ir::{OpId, OpRef};

use super::NOT_CHECKED;
use super::machine::{Entry, Fault, Machine};
use super::program::Program;
use super::scenarios::{Launch, Scenario};
use super::shapes::Shapes;

/// How much of the history is shown.
const SHOWN: usize = 12;

/// The fault of a run, which is run again to write down what comes before it.
pub fn report(
    function: OpRef<'_>,
    program: &Program,
    launch: &Launch,
    scenario: &Scenario,
    fault: &Fault,
) -> Diagnostic {
    let mut shapes = Shapes::default();
    let mut machine = Machine::new(program, &mut shapes);
    // Step by step, with each model thread going on until it must wait; then once more, to write down what comes before.
    machine.prepare(scenario, &launch.slots, Rc::default());
    let is_far = |found: &Fault| found.code == &NOT_CHECKED && fault.code != &NOT_CHECKED;
    let mut who = None;
    let fault = match machine.run() {
        // It comes after too many steps for that: what is known of it is given.
        Err(found) if is_far(&found) => fault.clone(),
        found => {
            let fault = found.err().map_or_else(|| fault.clone(), |found| *found);
            machine.prepare(scenario, &launch.slots, Rc::default());
            machine.log = Some((fault.subjects.clone(), Vec::new()));
            // It ends with the same fault, as nothing in it is by chance.
            let fault = machine.run().err().map_or(fault, |again| *again);
            who = Some(machine.who(fault.model_thread, fault.pc));
            fault
        }
    };
    let at = |pc: u32| OpRef { id: op_at(program, pc), ..function };
    let op = at(fault.pc);
    let mut diagnostic = Diagnostic::error(fault.code, op.loc(), fault.message.clone()).at(op.name());
    if !fault.suggestion.is_empty() {
        diagnostic = diagnostic.suggest(fault.suggestion);
    }
    let who = who.map_or_else(|| ", after many rounds of a loop".to_owned(), |who| format!(": {who}"));
    diagnostic = diagnostic.note(function.loc(), format!("{}{who}", place(program, scenario)));
    let entries = machine.log.take().map(|(_, entries)| entries).unwrap_or_default();
    let skipped = entries.len().saturating_sub(SHOWN);
    if skipped > 0 {
        diagnostic = diagnostic.note(dlc_ir::Loc::UNKNOWN, format!("{skipped} earlier ones are left out"));
    }
    // Numbered, as a diagnostic for people shows them by lines.
    for (number, Entry { pc, who, what }) in entries.into_iter().enumerate().skip(skipped) {
        diagnostic = diagnostic.note(at(pc).loc(), format!("{}. {who}: {what}", number + 1));
    }
    for (_, pc, what) in fault.others {
        diagnostic = diagnostic.note(at(pc).loc(), what);
    }
    diagnostic
}

fn op_at(program: &Program, pc: u32) -> OpId {
    program.at[pc as usize].0
}

/// The values of the symbols and the block.
fn place(program: &Program, scenario: &Scenario) -> String {
    let symbols: Vec<String> =
        program.symbols.iter().zip(&scenario.symbols).map(|(name, value)| format!("{name} = {value}")).collect();
    let axes = program.grid.len().clamp(1, 3);
    let list = |values: &[i64]| values[..axes].iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let kind = if program.cluster_blocks() > 1 { "the cluster from block" } else { "block" };
    let block = format!("{kind} ({}) of ({})", list(&scenario.first), list(&scenario.grid));
    let choices_text = match scenario.data.iter().all(|&choices| choices == 0) {
        _ if !program.data => "",
        true => ", every condition on data true",
        false => ", some conditions on data false",
    };
    match symbols.is_empty() {
        true => format!("in {block}{choices_text}"),
        false => format!("for {}, in {block}{choices_text}", symbols.join(", ")),
    }
}
