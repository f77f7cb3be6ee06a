//! Running a piece of a pipeline in a child copy of this program, which has the plugins open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use dlc_ir::pass::host::{How, Job};
use dlc_ir::pass::outside::{diagnose, hand_out, take_back, with_last_words};
use dlc_ir::pass::pipeline::{Item, PassUse, Pipeline};
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, Diagnostic};

use super::protocol::{Reply, Request, RunRequest, find_reply, leak};
use super::{PLUGIN_FAILED, Plugins, child};

/// Puts a delegate in place of every item of a pipeline that has a pass of a plugin in it. It prints as the item.
pub fn put_in(pipeline: &mut Pipeline, plugins: &Arc<Plugins>) {
    for item in &mut pipeline.items {
        let mut used = Vec::new();
        passes_in(item, plugins, &mut used);
        let Some(pass) = used.first() else { continue };
        let (plugin, library) = &plugins.passes[*pass];
        let delegate = Delegate {
            who: format!("the pass '{}' of the plugin '{plugin}' ('{library}')", used.join("', '")),
            pipeline: Pipeline { items: vec![item.clone()] }.to_string(),
            plugins: Arc::clone(plugins),
        };
        let (def, given) = match &*item {
            Item::Pass(pass) => (on_module(pass.def), pass.given.clone()),
            other => {
                let summary = "Passes in an op, one of them from a plugin.";
                (PassDef { on: On::Module, ..PassDef::base(leak(other.to_string()), summary, made_here) }, Vec::new())
            }
        };
        *item = Item::Pass(PassUse { def: Box::leak(Box::new(def)), given, pass: Arc::new(delegate) });
    }
}

fn passes_in<'a>(item: &Item, plugins: &'a Plugins, used: &mut Vec<&'a str>) {
    match item {
        Item::Pass(pass) => used.extend(plugins.passes.get_key_value(pass.def.name).map(|(name, _)| name.as_str())),
        Item::Nest(_, items) => items.iter().for_each(|item| passes_in(item, plugins, used)),
        Item::LowerTo(_) => {}
    }
}

/// The declaration of a pass, for the whole module: it goes to the child in one piece.
fn on_module(def: &PassDef) -> PassDef {
    // Of a pass on single bodies only the child knows which of them it ran on.
    let whole = def.on == On::Module;
    PassDef {
        on: On::Module,
        options: def.options,
        statistics: def.statistics,
        requires: def.requires,
        adds: if whole { def.adds } else { &[] },
        removes: if whole { def.removes } else { &[] },
        ..PassDef::base(def.name, def.summary, made_here)
    }
}

fn made_here(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Err("it is made from a pipeline only".into())
}

/// Runs a piece of a pipeline in a child.
struct Delegate {
    who: String,
    pipeline: String,
    plugins: Arc<Plugins>,
}

impl Pass for Delegate {
    fn run(&self, module: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let loc = module.loc(module.root());
        let who = &self.who;
        let request = Request {
            mark: mark(),
            libraries: self.plugins.libraries.clone(),
            run: Some(RunRequest {
                pipeline: self.pipeline.clone(),
                allow_unregistered: cx.host.allow_unregistered(),
                remarks: cx.wants_remarks(),
            }),
        };
        let text = hand_out(cx.ctx, module, true, true);
        let failed = |error: Diagnostic| {
            cx.host.blame();
            cx.fail(error.suggest("--in-process-plugins runs it without a child, for a debugger"))
        };
        let job = job(&request, &text).map_err(|why| {
            failed(Diagnostic::error(&PLUGIN_FAILED, loc, format!("{who} cannot be run in a child: {why}")))
        })?;
        let ended = cx.host.run(&job);
        if let Some(error) = diagnose(who, loc, &ended) {
            return Err(failed(match ended.how {
                // The child itself always ends with success.
                How::Exited(_) => Diagnostic { code: &PLUGIN_FAILED, ..error },
                _ => error,
            }));
        }
        let nonsense = |why: &str| {
            let error = Diagnostic::error(&PLUGIN_FAILED, loc, format!("{who} {why}"));
            failed(with_last_words(error, &ended.stderr))
        };
        let stdout = String::from_utf8_lossy(&ended.stdout);
        match find_reply(&stdout, &request.mark) {
            Ok((Reply::Ran { diagnostics, statistics, ok, mistake }, came)) => {
                let before = cx.diags.errors();
                diagnostics.into_iter().for_each(|d| cx.diags.emit(d.into_diagnostic(cx.ctx)));
                for (pass, statistic, amount) in statistics {
                    let declared = cx.def.statistics.iter().any(|stat| stat.name == statistic);
                    if declared && pass == cx.def.name {
                        cx.count(&statistic, amount);
                    }
                }
                if mistake {
                    cx.host.blame();
                }
                if ok {
                    return take_back(cx, module, who, &text, came.as_bytes().to_vec());
                }
                if cx.diags.errors() > before { Err(dlc_ir::pass::PassFailed) } else { Err(nonsense("failed")) }
            }
            Ok((Reply::Refused(refusal), _)) => Err(cx.fail(super::refused(refusal).0)),
            Ok((Reply::Plugins(_), _)) => Err(nonsense("answered something else than it was asked")),
            Err(why) => Err(nonsense(why)),
        }
    }
}

/// Words that no plugin prints by chance.
pub fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("dlc-{}-{}-{time:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// This program again, as a child that gets a request.
pub fn job(request: &Request, text: &str) -> Result<Job<'static>, String> {
    let program = std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
    let line = serde_json::to_string(request).map_err(|error| error.to_string())?;
    Ok(Job {
        program: program.into(),
        args: vec![child::FLAG.into()],
        env: Vec::new(),
        input: format!("{line}\n{text}"),
        timeout: None,
    })
}
