//! Runs programs before and after passes, and compares.

use dlc_core::sizes::Bindings;
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::pass::manager::{AutoLower, Manager, ManagerOptions};
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::{Registry, Translation};
use dlc_ir::pass::{DebugCounters, NoHost, PassDef};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, Diagnostics, OpRef, verify};

use super::{Program, Style, reduce};
use crate::fuzz::{check_module, generic, shown};

/// How the results of a program before and after a pass must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// Bit by bit, but for the signs of zeros: a sum over one element is this element for every pass, and a positive zero
    /// for who adds it to zero. What is not a number is so in both.
    Exact,
    /// Nearly: the pass may round less often.
    Near,
    /// It runs, to results of the same sizes: sums are rounded otherwise, and what follows may make much of that.
    Runs,
}

/// The options of passes that allow numbers to differ: products that are not rounded.
const RELAXATIONS: [&str; 1] = ["widen"];

/// A pass to check: its pipeline, and what it promises.
#[derive(Clone, Debug)]
pub struct Checked {
    /// A pipeline of this pass alone.
    pub pipeline: String,
    /// How results must agree.
    pub agreement: Agreement,
}

/// The options of passes that give other programs, of the same numbers.
const FORMS: [&str; 1] = ["ref-compat"];

/// The registered passes that keep a program in the layer tiny, and those that lower it. A pass with a fast-math flag is
/// there twice: without it, when results are equal bit by bit, and with it. One with an option for another form, too.
pub fn passes(registry: &Registry) -> Vec<Checked> {
    let stays = |def: &&PassDef| {
        let lowers = !def.adds.is_empty() && def.removes == ["tiny"];
        def.requires.iter().all(|layer| *layer == "tiny") && (lowers || def.adds.is_empty() && def.removes.is_empty())
    };
    let mut found = vec![];
    for def in registry.passes().filter(stays) {
        for form in def.options.iter().filter(|option| FORMS.contains(&option.name)) {
            let pipeline = format!("{}{{{}}}", def.name, form.name);
            found.push(Checked { pipeline, agreement: Agreement::Exact });
        }
        let relaxed: Vec<String> = RELAXATIONS
            .iter()
            .filter(|name| def.options.iter().any(|option| option.name == **name))
            .map(|name| format!("{name}=false"))
            .collect();
        if relaxed.is_empty() {
            found.push(Checked { pipeline: def.name.into(), agreement: Agreement::Exact });
        } else {
            let exact = format!("{}{{{}}}", def.name, relaxed.join(" "));
            found.push(Checked { pipeline: exact, agreement: Agreement::Exact });
            found.push(Checked { pipeline: def.name.into(), agreement: Agreement::Near });
        }
    }
    found
}

/// The ways down to kernels: exact, and with everything that relaxes. Blocks sum in the type of their accumulators.
fn ways_down() -> [Checked; 6] {
    let exact = "lower-indexbook,form-regions";
    let normal = "ccon1,srnf,normalize-select,sink-epilogue,explicit-broadcast,plan-arena";
    [
        Checked { pipeline: exact.into(), agreement: Agreement::Exact },
        Checked { pipeline: format!("{exact},{normal}"), agreement: Agreement::Exact },
        Checked { pipeline: "tiny-to-region".into(), agreement: Agreement::Near },
        Checked { pipeline: format!("{exact},tensorize"), agreement: Agreement::Near },
        Checked { pipeline: format!("{exact},{normal},tensorize"), agreement: Agreement::Runs },
        Checked { pipeline: "tiny-to-kernel".into(), agreement: Agreement::Near },
    ]
}

/// Checks programs.
pub struct Fuzzer {
    registry: Registry,
    checks: Vec<(Checked, Pipeline)>,
    translations: Vec<&'static Translation>,
    /// For each pass how many programs it has changed.
    pub changed: Vec<u64>,
    /// How many programs were written in other forms and read again.
    pub translated: u64,
}

impl Fuzzer {
    /// Checks everything that is linked into the program.
    pub fn new() -> Fuzzer {
        let registry = Registry::linked();
        let checks: Vec<_> = (passes(&registry).into_iter())
            .chain(ways_down())
            .map(|pass| {
                let pipeline = Pipeline::parse(&registry, &pass.pipeline).expect("the name of a pass, and its options");
                (pass, pipeline)
            })
            .collect();
        let both = |translation: &&'static Translation| translation.read.is_some() && translation.write.is_some();
        let translations = registry.translations().filter(|each| each.layer == "tiny").filter(both).collect();
        let changed = vec![0; checks.len()];
        Fuzzer { registry, checks, translations, changed, translated: 0 }
    }

    /// The pipelines of the passes, in the order of [`Fuzzer::changed`].
    pub fn pipelines(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().map(|(pass, _)| pass.pipeline.as_str())
    }

    /// Runs one program: as it is, in its other forms, and through every pass that promises something for its style.
    pub fn run(&mut self, ctx: &Context, program: &Program, style: Style) -> Result<(), String> {
        let subject = Subject::new(ctx, program).map_err(|why| format!("{why}\n{}", program.text()))?;
        check_module(ctx, &subject.body)?;
        for translation in self.translations.clone() {
            match self.translate(ctx, &subject, translation) {
                Ok(written) => self.translated += u64::from(written),
                Err(why) => return Err(format!("as {}: {why}\n{}", translation.name, program.text())),
            }
        }
        for at in 0..self.checks.len() {
            let (pass, pipeline) = &self.checks[at];
            if (pass.agreement == Agreement::Near) != (style == Style::Smooth) {
                continue;
            }
            match self.pass(ctx, &subject, pass, pipeline) {
                Ok(changed) => self.changed[at] += u64::from(changed),
                Err(why) => return Err(self.report(ctx, program, pass, pipeline, &why)),
            }
        }
        Ok(())
    }

    /// Whether the pass changed something.
    fn pass(&self, ctx: &Context, subject: &Subject, pass: &Checked, pipeline: &Pipeline) -> Result<bool, String> {
        let (mut body, diags, counters) = (subject.body.clone(), Diagnostics::new(), DebugCounters::off());
        let options = ManagerOptions { verify_each: true, auto_lower: AutoLower::Off, ..ManagerOptions::default() };
        let (registry, instruments) = (&self.registry, vec![]);
        let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
        if manager.run(pipeline, &mut body, &diags).failure.is_some() {
            return Err(format!("it fails: {}", shown(ctx, &diags)));
        }
        if generic(ctx, &body) == subject.generic {
            return Ok(false);
        }
        subject.agrees(ctx, &body, pass.agreement)?;
        Ok(true)
    }

    /// Writes a program in another form and reads that; whether it has that form.
    fn translate(&self, ctx: &Context, subject: &Subject, translation: &Translation) -> Result<bool, String> {
        let (Some(read), Some(write)) = (translation.read, translation.write) else { return Ok(false) };
        let diags = Diagnostics::new();
        let function = subject.body.nested_ops()[0];
        let Some(text) = write(ctx, OpRef::new(ctx, &subject.body, function), &diags) else {
            return match diags.errors() {
                0 => Err("it is not written, without an error".into()),
                _ => Ok(false),
            };
        };
        let file = ctx.sources.add("fuzz.json", text.clone()).ok_or("the text is too long")?;
        let body = read(ctx, &file, 0..text.len(), &diags);
        let Some(body) = body.filter(|body| verify::verify(ctx, body, &diags)) else {
            return Err(format!("what is written does not read:\n{}\n{text}", shown(ctx, &diags)));
        };
        subject.agrees(ctx, &body, Agreement::Exact).map_err(|why| format!("{why}\n{text}")).map(|()| true)
    }

    /// The failure, with the smallest program that fails alike as a text test.
    fn report(&self, ctx: &Context, program: &Program, pass: &Checked, pipeline: &Pipeline, why: &str) -> String {
        let failure = |program: &Program| {
            let subject = Subject::new(ctx, program).ok()?;
            self.pass(ctx, &subject, pass, pipeline).err()
        };
        let small = reduce(program, &|program| failure(program).is_some());
        let why = failure(&small).unwrap_or_else(|| why.into());
        let sizes: Vec<String> = small.symbols.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!("// with {}\n", sizes.join(", ")) };
        let flag = &pass.pipeline;
        format!("{flag}: {why}\n\n// RUN: dlc-opt %s --evaluate-each --pass-pipeline='{flag}'\n{sizes}{}", small.text())
    }
}

impl Default for Fuzzer {
    fn default() -> Fuzzer {
        Fuzzer::new()
    }
}

/// A program that was read and has run.
struct Subject {
    symbols: Vec<(&'static str, i64)>,
    body: Body,
    generic: String,
    inputs: Vec<Datum>,
    results: Vec<TensorValue>,
}

impl Subject {
    fn new(ctx: &Context, program: &Program) -> Result<Subject, String> {
        let (text, diags) = (program.text(), Diagnostics::new());
        let file = ctx.sources.add("fuzz", text.clone()).ok_or("the text is too long")?;
        let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
        let Some(body) = parsed.filter(|body| verify::verify(ctx, body, &diags)) else {
            return Err(format!("a made program is not valid: {}", shown(ctx, &diags)));
        };
        let inputs = program.inputs(ctx).ok_or("an argument has no sizes")?;
        let symbols = program.symbols.clone();
        let results = results(ctx, &body, &inputs, &symbols)?;
        Ok(Subject { symbols, generic: generic(ctx, &body), body, inputs, results })
    }

    /// Whether a body gives the same.
    fn agrees(&self, ctx: &Context, body: &Body, agreement: Agreement) -> Result<(), String> {
        let after = results(ctx, body, &self.inputs, &self.symbols);
        let after = after.map_err(|why| format!("it does not run any more: {why}\n{}", generic(ctx, body)))?;
        if after.len() != self.results.len() {
            return Err(format!("it gives {} results instead of {}", after.len(), self.results.len()));
        }
        for (number, (is, was)) in after.iter().zip(&self.results).enumerate() {
            compare(is, was, agreement).map_err(|why| format!("result {number}: {why}\n{}", generic(ctx, body)))?;
        }
        Ok(())
    }
}

/// What the first function of a module gives.
fn results(
    ctx: &Context,
    module: &Body,
    inputs: &[Datum],
    symbols: &[(&'static str, i64)],
) -> Result<Vec<TensorValue>, String> {
    let function = module.nested_ops().first().copied().ok_or("there is no function")?;
    let name = OpRef::new(ctx, module, function).symbol_name().ok_or("the function has no name")?;
    let call = || {
        let mut interpreter = Interpreter::new(ctx, module);
        for (symbol, value) in symbols {
            let _ = interpreter.state::<Bindings>().set(symbol, *value);
        }
        interpreter.call(name, inputs)
    };
    let results = catch(call).map_err(|panic| format!("it panics: {} ({:?})", panic.message, panic.place))?;
    let results = results.map_err(|failure| failure.message.clone())?;
    let tensor = |datum: &Datum| datum.as_opaque::<TensorValue>().cloned().ok_or("a result is no tensor".to_string());
    results.iter().map(tensor).collect()
}

fn compare(is: &TensorValue, was: &TensorValue, agreement: Agreement) -> Result<(), String> {
    if is.shape() != was.shape() || is.elem() != was.elem() {
        return Err(format!("the sizes are {:?} instead of {:?}, or the type differs", is.shape(), was.shape()));
    }
    if agreement == Agreement::Runs {
        return Ok(());
    }
    let differ = |at: usize, is: String, was: String| Err(format!("element {at} was {was}, is {is}"));
    if !was.kind().is_float() {
        let pairs = is.to_i64s().into_iter().zip(was.to_i64s()).enumerate();
        return pairs
            .filter(|(_, (is, was))| is != was)
            .try_for_each(|(at, (is, was))| differ(at, is.to_string(), was.to_string()));
    }
    let (is, was) = (is.to_f64s(), was.to_f64s());
    let largest = was.iter().filter(|x| x.is_finite()).fold(1.0, |largest: f64, x| largest.max(x.abs()));
    for (at, (is, was)) in is.into_iter().zip(was).enumerate() {
        let near = agreement == Agreement::Near && (is - was).abs() <= 0.05 * largest;
        if is != was && !(is.is_nan() && was.is_nan()) && !near {
            return differ(at, format!("{is:?}"), format!("{was:?}"));
        }
    }
    Ok(())
}
