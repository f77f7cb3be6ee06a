//! What the macros write: declarations, views, constructors.

use dlc_ir::op::{Arity, Effects, Traits};
use dlc_ir::{Body, Builder, Loc, OpRef, Type};

use super::{context, parse, print};
use crate::ops::{Addi, Alloc, Call, Cmpi, CondBr, Constant, Divmod, Dot, If, NewFunc, Predicate, Return};
use crate::types::{BoxType, Buffer, Range};

#[test]
fn a_declaration_is_data() {
    let def = Addi::DEF;
    assert_eq!(def.name, "sample.addi");
    assert!(def.traits.has(Traits::PURE.with(Traits::COMMUTATIVE)) && !def.traits.has(Traits::IDEMPOTENT));
    assert_eq!(def.summary(), "The sum of two integers, modulo two to the power of the width.");
    assert!(def.doc.contains("`out = lhs + rhs`"));
    assert_eq!(def.operands.iter().map(|o| o.name).collect::<Vec<_>>(), ["lhs", "rhs"]);
    assert_eq!(Alloc::DEF.declared_effects(), Some(Effects::ALLOC));
    assert_eq!(Call::DEF.declared_effects(), None);
    assert_eq!(CondBr::DEF.operands[1].successor, Some(0));
    assert_eq!(CondBr::DEF.operands[2].successor, Some(1));
    assert_eq!(Dot::DEF.operands[2].arity, Arity::Optional);
    assert_eq!(If::DEF.regions[1].arity, Arity::Variadic);
}

/// A function built by constructors alone prints as if it had been read.
#[test]
fn constructors_and_views() {
    let ctx = context();
    let mut module = Body::module(&ctx);
    let block = module.entry_block().expect("a module has a block");
    let mut builder = Builder::at_end(&ctx, &mut module, block);
    let ty = ctx.function_type(&[Type::I64, Type::I1], &[Type::I64]);
    let func =
        NewFunc { sym_name: "f", function_type: ty, sym_visibility: None, symbols: Some(vec!["M"]), arg_attrs: None }
            .build(&mut builder, Loc::UNKNOWN);
    let body = module.nested_mut(func).expect("a function is a body of its own");
    let entry = body.append_block(body.root_region());
    let x = body.add_arg(entry, Type::I64, Loc::UNKNOWN);
    body.add_arg(entry, Type::I1, Loc::UNKNOWN);
    let mut b = Builder::at_end(&ctx, body, entry);
    let five = Constant::build(&mut b, Loc::UNKNOWN, ctx.i64_attr(5));
    let five = b.result(five);
    let sum = Addi::build(&mut b, Loc::UNKNOWN, x, five);
    let sum = b.result(sum);
    let less = Cmpi::build(&mut b, Loc::UNKNOWN, sum, five, Predicate::Ult);
    let dot = Dot::build(&mut b, Loc::UNKNOWN, &[x, sum], &[five, five], Some(x));
    let pair = Divmod::build(&mut b, Loc::UNKNOWN, x, five);
    let cond = b.result(less);
    let choice = If::build(&mut b, Loc::UNKNOWN, cond, &[], 0);
    let inner = {
        let region = If::of(OpRef::new(&ctx, b.body, choice)).expect("an if").then();
        b.body.append_block(region)
    };
    Return::build(&mut b, Loc::UNKNOWN, &[sum]);
    crate::ops::Yield::build(&mut Builder::at_end(&ctx, body, inner), Loc::UNKNOWN, &[]);

    let view = |op| OpRef::new(&ctx, &*body, op);
    let dot = Dot::of(view(dot)).expect("a dot");
    assert_eq!(dot.lhs().collect::<Vec<_>>(), [x, sum]);
    assert_eq!(dot.rhs().len(), 2);
    assert_eq!(dot.init(), Some(x));
    assert!(Addi::of(*dot).is_none());
    assert_eq!(Cmpi::from(view(less)).predicate(), Predicate::Ult);
    let pair = Divmod::from(view(pair));
    assert_eq!((pair.quotient(), pair.remainder()), (pair.result(0), pair.result(1)));

    let text = print(&ctx, &module, false);
    assert_eq!(
        text,
        "module {\n  sample.func @f<M>(%0: i64, %1: i1) -> i64 {\n    %2 = constant 5 : i64\n    \
         %3 = addi %0, %2 : i64\n    %4 = cmpi ult %3, %2 : i1\n    %5 = dot [%0, %3] by [%2, %2] plus %0 : i64\n    \
         %6:2 = divmod %0, %2 : i64, i64\n    if %4 {\n      yield\n    }\n    return %3\n  }\n}\n"
    );
    parse(&ctx, &text).expect("what is built is right");
}

#[test]
fn types_and_attributes() {
    let ctx = context();
    let ty = BoxType::get(&ctx, Type::I64);
    assert_eq!(ty.display(&ctx), "!sample.box<i64>");
    assert_eq!(BoxType::of(&ctx, ty).map(|ty| ty.content(&ctx)), Some(Type::I64));
    assert!(Buffer::of(&ctx, ty).is_none() && BoxType::of(&ctx, Type::I64).is_none());
    let attr = Range::get(&ctx, -1, 5);
    assert_eq!(attr.display(&ctx), "#sample.range<-1, 5>");
    assert_eq!(Range::of(&ctx, attr).map(|range| (range.low(&ctx), range.high(&ctx))), Some((-1, 5)));
    assert!(Range::DEF.check(&ctx, &[ctx.i64_attr(2), ctx.i64_attr(1)]).is_err());
}
