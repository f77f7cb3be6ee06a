//! The rules of instructions and of the frame around them.

use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, OpName, OpRef, Type};
use rustc_hash::FxHashMap;

use crate::form::{Class, Target, instruction as instruction_of, known_modifiers, signatures};
use crate::inst::{Arg, Inst, classes, row};
use crate::ops::{Bra, BraIf, Entry, Func};
use crate::table::Instruction;

dlc_ir::codes! {
    /// The table does not know an instruction with these modifiers or so many operands.
    NO_INSTRUCTION = "E1901" "NoInstruction";
    /// An operand or result of an instruction is of the wrong kind.
    WRONG_REGISTER = "E1902" "WrongRegister";
    /// The machine that a function is for does not have an instruction.
    NOT_ON_TARGET = "E1903" "NotOnTarget";
    /// The first block of an entry does not take what the entry gives it.
    WRONG_BRANCH = "E1904" "WrongBranch";
    /// The grid, the threads, the memory or the sizes of an entry cannot be.
    WRONG_ENTRY = "E1905" "WrongEntry";
}

fn broken(op: OpRef<'_>, code: &'static dlc_ir::diag::Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, op.loc(), message).at(op.name())
}

/// The usual types of the results.
pub fn infer_instruction(instruction: &'static Instruction, cx: &InferCx<'_>) -> Inferred {
    let modifiers = cx.prop("modifiers").and_then(|attr| attr.as_str(cx.ctx)).unwrap_or("");
    let known = signatures(instruction, modifiers);
    let literals = cx.prop("literals").and_then(|attr| attr.as_array(cx.ctx));
    // After the values of a guarded instruction stand its predicate and what it gives otherwise.
    let guarded = cx.prop("guarded").is_some();
    let fits = |results: usize, positions: usize| match literals {
        Some(literals) => literals.len() == positions,
        None => cx.operands.len() == positions + if guarded { 1 + results } else { 0 },
    };
    let signature = known.iter().find(|signature| fits(signature.result_classes().len(), signature.positions()));
    match signature {
        Some(signature) => Ok(signature.result_classes().into_iter().map(Class::default_type).collect::<SmallVec<_>>()),
        None => Err(BrokenRule::new(
            &NO_INSTRUCTION,
            format!("there is no '{}.{modifiers}' with such operands", instruction.name),
        )),
    }
}

/// The table knows it, and everything in it is of the right kind.
pub fn instruction(op: OpRef<'_>, diags: &Diagnostics) {
    let inst = match Inst::of(op) {
        Ok(inst) => inst,
        Err(message) => {
            let near = row(op).and_then(|(row, modifiers)| {
                let known = known_modifiers(row);
                let unknown = modifiers.split('.').find(|word| !known.iter().any(|known| known == word))?;
                did_you_mean(unknown, known.iter().map(String::as_str))
            });
            let hint = near.or_else(|| row(op).map(|(row, _)| format!("it is written such as '{}'", row.example)));
            return diags.emit(broken(op, &NO_INSTRUCTION, message).suggest_if(hint));
        }
    };
    let wrong = |message: String| diags.emit(broken(op, &WRONG_REGISTER, message));
    let wanted = inst.signature.result_classes();
    let found: Vec<Type> = op.result_types().collect();
    if wanted.len() != found.len() || wanted.iter().zip(&found).any(|(class, &ty)| !class.admits(ty)) {
        let wanted: Vec<&str> = wanted.iter().map(|class| class.name()).collect();
        let found: Vec<String> = found.iter().map(|ty| ty.display(op.ctx)).collect();
        wrong(format!("it gives ({}), not ({})", wanted.join(", "), found.join(", ")));
    }
    let mut place = 0;
    for (slot, args) in inst.slots() {
        // Where results are read as well, a number says that what they begin with does not matter.
        let vector = matches!(slot, crate::form::Slot::Group(..));
        for (class, &arg) in classes(slot).zip(args) {
            place += 1;
            match (class, arg) {
                (None, Arg::Int(_)) => {}
                (None, _) => wrong(format!("operand {place} must be an integer")),
                (Some(class), Arg::Value(value)) => {
                    let ty = op.type_of(value);
                    if !class.admits(ty) {
                        let name = class.name();
                        wrong(format!("operand {place} must be {name}, but is {}", ty.display(op.ctx)));
                    }
                }
                (Some(_), _) if vector => wrong(format!("operand {place} is in a vector, so it must be a register")),
                (Some(Class::F32 | Class::F64), Arg::Int(_)) => {
                    wrong(format!("operand {place} must be a float, such as 1.0"));
                }
                (Some(Class::F32 | Class::W32), Arg::F32(_)) | (Some(Class::F64 | Class::W64), Arg::F64(_)) => {}
                (Some(_), Arg::Int(_)) => {}
                (Some(class), _) => wrong(format!("operand {place} must be {}", class.name())),
            }
        }
    }
    if let Some((predicate, _)) = inst.guard {
        if op.type_of(predicate) != Type::I1 {
            wrong(format!("a guard must be i1, but is {}", op.type_of(predicate).display(op.ctx)));
        }
        let otherwise: Vec<Type> = inst.otherwise.iter().map(|&value| op.type_of(value)).collect();
        if otherwise != found {
            wrong("what it gives otherwise must be of the types of the results".into());
        }
    }
}

/// A function of a kernel, for a machine that is known.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    dlc_core::types::verify_function(*op, "ptx", diags);
    if let Some(target) = op.target()
        && Target::parse(target).is_none()
    {
        let message = format!("'{target}' is no machine");
        diags.emit(broken(*op, &NOT_ON_TARGET, message).suggest("write it such as \"sm_80\" or \"sm_90a\""));
    }
    if let Some(elements) = op.elements()
        && !(1..=crate::ops::WIDE_ELEMENTS).contains(&elements)
    {
        let most = crate::ops::WIDE_ELEMENTS;
        diags.emit(broken(*op, &WRONG_ENTRY, format!("tensors have 1 to {most} elements at most, not {elements}")));
    }
}

/// The machine of the function that an op is in; any machine if it does not say.
fn target_of(op: OpRef<'_>) -> Option<Target> {
    let root = OpRef::new(op.ctx, op.body, op.body.root());
    Target::parse(root.prop_named("target").and_then(|attr: Attr| attr.as_str(op.ctx))?)
}

/// The numbers of an entry, and that the machine has its instructions.
pub fn entry(op: Entry<'_>, diags: &Diagnostics) {
    let wrong = |message: String| diags.emit(broken(*op, &WRONG_ENTRY, message));
    let dims = op.dims();
    if dims.is_empty() || dims.len() > 3 {
        wrong(format!("a grid has one to three axes, not {}", dims.len()));
    }
    if !(32..=1024).contains(&op.threads()) || op.threads() % 32 != 0 {
        wrong(format!("a block has 32 to 1024 threads, in whole warps, and {} are no such number", op.threads()));
    }
    if !(0..=232_448).contains(&op.shared()) {
        wrong(format!("a block has up to 232448 bytes of shared memory, not {}", op.shared()));
    }
    if op
        .cluster()
        .is_some_and(|cluster| cluster.len() > dims.len() || cluster.iter().any(|size| !(1..=16).contains(size)))
    {
        wrong("a cluster has one size of 1 to 16 for each axis of the grid at most".into());
    }
    let named = op.name().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$');
    let begins = op.name().bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    // PTX has no '_' and no '$' alone.
    if !named || !begins || matches!(op.name(), "_" | "$") {
        wrong(format!("'{}' is no name of an entry: letters, digits and underscores are", op.name()));
    }
    let values = op.args().len();
    for expr in dims.iter().chain(&op.sizes()) {
        let beyond =
            expr.symbols().iter().find_map(|name| dlc_core::sizes::value_number(name).filter(|&n| n >= values));
        if let Some(number) = beyond {
            wrong(format!("an expression names the value {number}, and there are {values}"));
        }
    }
    let Some(&region) = op.regions().first() else { return };
    let Some(block) = op.body.first_block(region) else {
        return wrong("an entry has a block at least".into());
    };
    let (bytes, most) = (op.parameter_bytes(), Entry::MOST_PARAMETERS);
    if bytes > most {
        let message = format!("an entry has up to {most} bytes of parameters, not {bytes}");
        let error = broken(*op, &WRONG_ENTRY, message);
        diags.emit(error.suggest("let several kernels read these tensors, a part of them each"));
    }
    let pointers = op.memory().len() + op.maps().len();
    let taken: Vec<Type> = op.body.args(block).iter().map(|&arg| op.type_of(arg)).collect();
    let is_size = |ty: &Type| matches!(*ty, Type::I32 | Type::I64);
    let fits = taken.len() == pointers + op.sizes().len()
        && taken[..pointers].iter().all(|&ty| ty == Type::I64)
        && taken[pointers..].iter().all(is_size);
    if !fits {
        let message = format!(
            "the first block takes {pointers} addresses as i64 and {} sizes as i32 or i64, in this order",
            op.sizes().len()
        );
        diags.emit(broken(*op, &WRONG_BRANCH, message));
    }
    let target = target_of(*op);
    // What a machine must have follows from the name, the attributes and the number of operands.
    let mut needs: FxHashMap<(OpName, Attr, usize), Option<Target>> = FxHashMap::default();
    for block in op.body.blocks(region) {
        for id in op.body.ops(block) {
            let inner = OpRef { id, ..*op };
            let framed = || Bra::of(inner).is_some() || BraIf::of(inner).is_some() || inner.is(crate::ops::Exit::DEF);
            if instruction_of(inner.def()).is_none() && !framed() {
                let message = "only instructions and branches stand in an entry";
                diags.emit(broken(inner, &NO_INSTRUCTION, message));
                continue;
            }
            let Some(target) = target else { continue };
            let key = (inner.op_name(), op.body.props(id), op.body.num_operands(id));
            let needed = needs.entry(key).or_insert_with(|| Inst::of(inner).ok().map(|inst| inst.signature.target));
            if needed.is_none_or(|needed| target.has(needed)) {
                continue;
            }
            if let Ok(inst) = Inst::of(inner) {
                let message =
                    format!("'{}' needs {}, and this is for {target}", inst.mnemonic(), inst.signature.target);
                diags.emit(broken(inner, &NOT_ON_TARGET, message));
            }
        }
    }
}
