//! A tool with a few passes, run inside the test.

use std::ffi::OsString;

use dlc_ir::attrs::Attr;
use dlc_ir::builtin::STRING;
use dlc_ir::diag::{Diagnostic, Diagnostics, RemarkKind};
use dlc_ir::location::SourceFile;
use dlc_ir::op::{Arity, AttrSpec, Dialect, Effects, OpDef, RegionDef, Traits};
use dlc_ir::pass::registry::{PipelineDef, Registry, Translation};
use dlc_ir::pass::{On, OptionDef, OptionKind, PASS_FAILED, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Body, Context, OpRef};
use dlc_opt::{Io, Setup, Status};

static NAMED: [AttrSpec; 1] = [AttrSpec { name: "sym_name", kind: &STRING, optional: false }];

const fn func(name: &'static str) -> OpDef {
    OpDef {
        doc: "A function of a layer.",
        traits: Traits::ISOLATED_FROM_ABOVE.with(Traits::SYMBOL).with(Traits::NO_TERMINATOR),
        effects: Some(Effects::ANY),
        attrs: &NAMED,
        regions: &[RegionDef { name: "body", arity: Arity::One }],
        ..OpDef::bare(name)
    }
}

static HIGH: OpDef = func("high.func");
static LOW: OpDef = func("low.func");
static LIAR: OpDef = OpDef {
    doc: "What is printed for it reads back as something else.",
    parse: Some(|_| Ok(())),
    print: Some(|p| p.write(" \"high.liar\"() : () -> ()")),
    ..OpDef::bare("high.liar")
};

const fn dialect(name: &'static str, ops: &'static [&'static OpDef]) -> Dialect {
    Dialect { name, summary: "A layer.", ops, types: &[], attrs: &[], synonyms: &[], materialize: None }
}

static DIALECTS: [Dialect; 2] = [dialect("high", &[&HIGH, &LIAR]), dialect("low", &[&LOW])];

struct Run(fn(&mut Body, &PassCx<'_>) -> PassResult);

impl Pass for Run {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        (self.0)(body, cx)
    }
}

macro_rules! pass {
    ($name:ident, $text:literal, { $($field:ident: $value:expr),* $(,)? }, $run:expr) => {
        static $name: PassDef = PassDef {
            $($field: $value,)*
            ..PassDef::base($text, "For tests.", |_| Ok(Box::new(Run($run))))
        };
    };
}

fn mark(body: &mut Body, cx: &PassCx<'_>) {
    let mark = cx.ctx.intern_str(&cx.def.name.replace('-', "_"));
    body.set_attr(cx.ctx, body.root(), mark, Some(Attr::UNIT));
}

static MARKED: StatDef = StatDef { name: "marked", doc: "Functions marked." };
pass!(MARK, "mark", { on: On::Op("high.func"), statistics: std::slice::from_ref(&MARKED) }, |body, cx| {
    if !cx.allows("mark") {
        return Ok(());
    }
    mark(body, cx);
    cx.count("marked", 1);
    cx.remark(RemarkKind::Passed, body.loc(body.root()), "marked it");
    cx.remark(RemarkKind::Missed, body.loc(body.root()), "could have marked it twice");
    Ok(())
});
pass!(KEEP, "keep", {}, |_, _| Ok(()));
pass!(PANIC, "panic", { on: On::Op("high.func") }, |_, _| panic!("for a test"));
pass!(FAIL, "fail", { on: On::Op("high.func") }, |body, cx| {
    cx.error(&PASS_FAILED, body.loc(body.root()), "this one cannot be done");
    Ok(())
});
pass!(BREAK, "break", { on: On::Op("high.func") }, |body, _| {
    body.set_props(body.root(), Attr::EMPTY_DICT);
    Ok(())
});
pass!(CHANGE, "change", { on: On::Op("sample.func") }, |body, cx| {
    for op in body.walk() {
        if cx.ctx.op_name_str(body.op_name(op)) == "sample.addi" {
            body.set_op_name(op, cx.ctx.op_name("sample.subi"));
        }
    }
    Ok(())
});
pass!(CHANGE_TENSORS, "change-tensors", { on: On::Op("tiny.func") }, |body, cx| {
    for op in body.walk() {
        if cx.ctx.op_name_str(body.op_name(op)) == "tiny.add" {
            body.set_op_name(op, cx.ctx.op_name("tiny.max"));
        }
    }
    Ok(())
});
pass!(LOWER, "lower", { on: On::Op("high.func"), requires: &["high"], adds: &["low"], removes: &["high"] },
|body, cx| {
    body.set_op_name(body.root(), cx.ctx.op_name("low.func"));
    Ok(())
});
pass!(AT_LOW, "at-low", { on: On::Op("low.func"), requires: &["low"] }, |body, cx| {
    mark(body, cx);
    Ok(())
});
static OPTIONS: PassDef = PassDef {
    options: &[
        OptionDef { name: "count", kind: OptionKind::Int, default: "3", doc: "How often." },
        OptionDef { name: "text", kind: OptionKind::Text, default: "", doc: "What to write." },
    ],
    ..PassDef::base("options", "Writes its options on the module.", |options| {
        struct Write(String);
        impl Pass for Write {
            fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
                let key = cx.ctx.intern_str("options");
                let text = cx.ctx.str_attr(&self.0);
                body.set_attr(cx.ctx, body.root(), key, Some(text));
                Ok(())
            }
        }
        Ok(Box::new(Write(format!("{} {}", options.int("count"), options.text("text")))))
    })
};
static BOTH: PipelineDef =
    PipelineDef { name: "both", summary: "Keeps and marks.", text: "keep,high.func(mark)", to_layer: "", lowering: "" };

fn read_json(ctx: &Context, file: &SourceFile, part: std::ops::Range<usize>, _: &Diagnostics) -> Option<Body> {
    let mut module = Body::module(ctx);
    let key = ctx.intern_str("read_from");
    let text = ctx.str_attr(file.text[part].trim());
    module.set_attr(ctx, module.root(), key, Some(text));
    Some(module)
}

fn write_json(_: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    match op.symbol_name() {
        Some("mute") => {
            diags.emit(Diagnostic::error(&PASS_FAILED, op.loc(), "it says nothing"));
            None
        }
        name => Some(format!("{{\"low\": {name:?}}}\n")),
    }
}

static JSON: Translation = Translation {
    name: "low-json",
    summary: "The JSON of a layer.",
    extension: ".low.json",
    detects: Some(|text| text.contains("\"low\"")),
    layer: "low",
    read: Some(read_json),
    write: Some(write_json),
};

fn setup() -> Setup {
    let mut registry = Registry::default();
    let passes = [&MARK, &KEEP, &PANIC, &FAIL, &BREAK, &CHANGE, &CHANGE_TENSORS, &LOWER, &AT_LOW, &OPTIONS];
    passes.into_iter().for_each(|pass| registry.add_pass(pass));
    registry.add_pipeline(&BOTH);
    registry.add_translation(&JSON);
    let mut dialects: Vec<&'static Dialect> = DIALECTS.iter().collect();
    dialects.extend([&dlc_sample::DIALECT, &dlc_core::DIALECT, &dlc_tiny::DIALECT]);
    Setup { dialects, registry, plugins: Default::default() }
}

/// What the tool did.
pub struct Ran {
    pub status: Status,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// What was printed, when all went well.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.status, Status::Success, "{}", self.err);
        self.out
    }

    /// What was said, when it went wrong in this way.
    #[track_caller]
    pub fn bad(self, status: Status) -> String {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        assert_eq!(self.out, "", "nothing is printed when something is wrong");
        self.err
    }
}

/// Runs the tool on an input, with arguments parted by blanks.
pub fn opt(args: &str, input: &str) -> Ran {
    opt_args(&args.split_whitespace().collect::<Vec<_>>(), input.as_bytes())
}

/// Runs the tool on any input.
pub fn opt_args(args: &[&str], mut stdin: &[u8]) -> Ran {
    dlc_ir::pass::panics::install_hook();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut err, terminal: false };
    let args = std::iter::once(&"dlc-opt").chain(args).map(OsString::from);
    let status = dlc_opt::run_on_big_stack(&setup(), args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("the tool writes UTF-8");
    Ran { status, out: text(out), err: text(err) }
}

/// Functions of the layer `high`.
pub fn functions(names: &[&str]) -> String {
    let one = |name: &&str| format!("\"high.func\"() <{{sym_name = \"{name}\"}}> ({{ ^bb0: }}) : () -> ()\n");
    names.iter().map(one).collect()
}
