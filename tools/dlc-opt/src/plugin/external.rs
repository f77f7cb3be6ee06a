//! `external{cmd="python3 my.py"}`: any program that reads IR text and writes IR text, as a pass.
//!
//! The program gets the module on standard input and prints it, changed or not, on standard output. What it says on
//! standard error is shown as remarks (`passed: ..`, `missed: ..`, anything else is analysis) when it succeeds, and with
//! the diagnostic when it fails.

use std::time::Duration;

use dlc_ir::Body;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::host::Job;
use dlc_ir::pass::outside::{expect_success, hand_out, parse_seconds, take_back};
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};

static DEF: PassDef = PassDef {
    on: On::Module,
    options: &[
        OptionDef { name: "cmd", kind: OptionKind::Text, default: "", doc: "The program and its arguments." },
        OptionDef {
            name: "options",
            kind: OptionKind::Text,
            default: "",
            doc: "Handed to the program in the environment variable DLC_OPTIONS.",
        },
        OptionDef {
            name: "timeout",
            kind: OptionKind::Text,
            default: "",
            doc: "How long it may run: 10s, 500ms. Without it --plugin-timeout.",
        },
        OptionDef { name: "generic", kind: OptionKind::Bool, default: "true", doc: "Hand out the generic form." },
        OptionDef { name: "locations", kind: OptionKind::Bool, default: "true", doc: "Hand out locations." },
    ],
    ..PassDef::base("external", "Runs a program that reads IR on standard input and writes IR.", create)
};
dlc_ir::inventory::submit! { &DEF }

struct External {
    /// As it was given, for messages.
    cmd: String,
    words: Vec<String>,
    options: String,
    timeout: Option<Duration>,
    generic: bool,
    locations: bool,
}

fn create(values: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let cmd = values.text("cmd").to_string();
    let words = shlex::split(&cmd).ok_or_else(|| format!("a quote is not closed in cmd=\"{cmd}\""))?;
    if words.is_empty() {
        return Err("it needs the program to run: external{cmd=\"python3 my.py\"}".into());
    }
    let timeout = match values.text("timeout") {
        "" => None,
        text => Some(parse_seconds(text).map_err(|why| format!("timeout: {why}"))?),
    };
    let options = values.text("options").to_string();
    let (generic, locations) = (values.flag("generic"), values.flag("locations"));
    Ok(Box::new(External { cmd, words, options, timeout, generic, locations }))
}

impl Pass for External {
    fn run(&self, module: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let text = hand_out(cx.ctx, module, self.generic, self.locations);
        let mut words = self.words.iter().map(Into::into);
        let job = Job {
            program: words.next().expect("there is a program"),
            args: words.collect(),
            env: vec![("DLC_OPTIONS", &self.options)],
            input: text,
            timeout: self.timeout,
        };
        let who = format!("the program '{}' of the pass '{}'", self.cmd, cx.def.name);
        let ended = cx.host.run(&job);
        expect_success(cx, module, &who, &ended)?;
        let loc = module.loc(module.root());
        take_back(cx, module, &who, &job.input, ended.stdout)?;
        for line in ended.stderr.lines().filter(|line| !line.trim().is_empty()) {
            let (kind, line) = if let Some(rest) = line.strip_prefix("passed: ") {
                (RemarkKind::Passed, rest)
            } else if let Some(rest) = line.strip_prefix("missed: ") {
                (RemarkKind::Missed, rest)
            } else {
                (RemarkKind::Analysis, line)
            };
            cx.remark(kind, loc, line.chars().take(500).collect::<String>());
        }
        Ok(())
    }
}
