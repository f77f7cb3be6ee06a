//! Plugins: passes and dialects that are not linked into the program, and programs that run as passes.
//!
//! `--load-plugin=libmy.so` starts a child copy of this program ([`child`]), which opens the library ([`native`]) and
//! tells what it has ([`protocol`]). The parent registers declarations made from that ([`stand_in`]) and hands each
//! piece of the pipeline with a plugin's pass in it, and the module as text, to another child ([`delegate`]). It never
//! runs code of a plugin, so a plugin can crash, hang or print nonsense and no more comes of it than a diagnostic.
//! [`external`] does the same with any program. Both run under [`process`].
//!
//! `--in-process-plugins` opens the library in the program itself, for a debugger. `--new-plugin` writes a [`project`].

pub mod child;
pub mod delegate;
pub mod external;
pub mod native;
pub mod process;
pub mod project;
pub mod protocol;
pub mod stand_in;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dlc_ir::pass::host::{Ended, Host, Job};
use dlc_ir::pass::outside::{diagnose, parse_seconds, with_last_words};
use dlc_ir::{Diagnostic, Loc};

use crate::{Setup, Status, args};
use protocol::{PluginInfo, Refusal, RefusalKind, Reply, Request};

dlc_ir::codes! {
    /// A plugin is not there, or is no plugin.
    PLUGIN_NOT_LOADED = "E0521" "PluginNotLoaded";
    /// A plugin was built against another version, compiler or layout of dlc.
    PLUGIN_REFUSED = "E0522" "PluginRefused";
    /// A plugin registers a name that is taken, or that nobody could write.
    PLUGIN_NAME = "E0523" "PluginName";
    /// A plugin crashed, hung or printed nonsense.
    PLUGIN_FAILED = "E0524" "PluginFailed";
}

/// How long a plugin or program may run when nothing else is said.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// What the command line says about plugins. It is read before the rest, which depends on what they have.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The libraries.
    pub libraries: Vec<String>,
    /// How long one run of a plugin may take.
    pub timeout: Duration,
    /// Whether they are opened in this process.
    pub in_process: bool,
}

impl Wanted {
    /// What the command line says; what is wrong in it is reported when all of it is read.
    pub fn of(args: &[OsString]) -> Wanted {
        let mut wanted = Wanted { libraries: Vec::new(), timeout: TIMEOUT, in_process: false };
        let texts: Vec<_> =
            args.iter().skip(1).map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--").collect();
        for (index, text) in texts.iter().enumerate() {
            let value = |flag: &str| match text.strip_prefix(flag) {
                Some("") => texts.get(index + 1).map(ToString::to_string),
                Some(rest) => rest.strip_prefix('=').map(str::to_string),
                None => None,
            };
            wanted.libraries.extend(value("--load-plugin"));
            wanted.in_process |= text == "--in-process-plugins";
            if let Some(Ok(timeout)) = value("--plugin-timeout").map(|text| parse_seconds(&text)) {
                wanted.timeout = timeout;
            }
        }
        wanted
    }
}

/// The plugins that run in children.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    /// Their libraries.
    pub libraries: Vec<String>,
    /// The plugin that each pass comes from: its name and library.
    pub passes: BTreeMap<String, (String, String)>,
}

/// What is wrong with a plugin, and how the process ends.
pub type Unusable = Box<(Diagnostic, Status)>;

/// The setup with what the plugins have, if they are usable.
pub fn load(setup: &Setup, wanted: &Wanted) -> Result<Setup, Unusable> {
    let mut all = Setup { dialects: setup.dialects.clone(), registry: setup.registry.clone(), plugins: Arc::default() };
    let mut plugins = Plugins { libraries: wanted.libraries.clone(), ..Plugins::default() };
    for library in &wanted.libraries {
        if wanted.in_process {
            let (name, plugin) = native::load(library).map_err(refused)?;
            check_names(&all, &PluginInfo::of(name, &plugin), library)?;
            all.dialects.extend(&plugin.dialects);
            plugin.passes.iter().for_each(|def| all.registry.add_pass(def));
            plugin.pipelines.iter().for_each(|def| all.registry.add_pipeline(def));
            let own = |name: &str| plugin.pipelines.iter().any(|def| def.name == name);
            if let Some((name, why)) = all.registry.unusable_lowerings().into_iter().find(|(name, _)| own(name)) {
                let message = format!("the pipeline '{name}' of '{library}' cannot be put in for its lowering: {why}");
                return Err(Box::new((Diagnostic::error(&PLUGIN_REFUSED, Loc::UNKNOWN, message), Status::Usage)));
            }
            continue;
        }
        for info in ask(library, wanted.timeout)? {
            check_names(&all, &info, library)?;
            all.dialects.extend(info.dialects.iter().map(stand_in::dialect));
            for pass in &info.passes {
                all.registry.add_pass(stand_in::pass(pass));
                plugins.passes.insert(pass.name.clone(), (info.name.clone(), library.clone()));
            }
            info.pipelines.iter().for_each(|def| all.registry.add_pipeline(stand_in::pipeline(def)));
        }
    }
    all.plugins = Arc::new(plugins);
    Ok(all)
}

fn refused(refusal: Refusal) -> Unusable {
    let code = match refusal.kind {
        RefusalKind::NotLoaded => &PLUGIN_NOT_LOADED,
        RefusalKind::Refused => &PLUGIN_REFUSED,
    };
    let mut error = Diagnostic::error(code, Loc::UNKNOWN, refusal.message).suggest_if(refusal.suggestion);
    for note in refusal.notes {
        error = error.note(Loc::UNKNOWN, note);
    }
    Box::new((error, Status::Usage))
}

/// What a library has, as a child says.
fn ask(library: &str, timeout: Duration) -> Result<Vec<PluginInfo>, Unusable> {
    let request = Request { mark: delegate::mark(), libraries: vec![library.to_string()], run: None };
    let who = format!("the plugin '{library}'");
    let failed = |error: Diagnostic| Box::new((Diagnostic { code: &PLUGIN_FAILED, ..error }, Status::Internal));
    let job = delegate::job(&request, "").map_err(|why| {
        failed(Diagnostic::error(&PLUGIN_FAILED, Loc::UNKNOWN, format!("{who} cannot be opened in a child: {why}")))
    })?;
    let ended = process::run(&job, timeout);
    if let Some(error) = diagnose(&who, Loc::UNKNOWN, &ended) {
        return Err(failed(error.suggest("--in-process-plugins loads it without a child, for a debugger")));
    }
    let text = String::from_utf8_lossy(&ended.stdout);
    let nonsense = |why: &str| {
        let error = Diagnostic::error(&PLUGIN_FAILED, Loc::UNKNOWN, format!("{who} {why} while it was opened"));
        failed(with_last_words(error, &ended.stderr))
    };
    match protocol::find_reply(&text, &request.mark) {
        Ok((Reply::Plugins(infos), _)) => Ok(infos),
        Ok((Reply::Refused(refusal), _)) => Err(refused(refusal)),
        Ok(_) => Err(nonsense("answered something else than it was asked")),
        Err(why) => Err(nonsense(why)),
    }
}

/// Refuses names that are taken: two passes of one name would be one that runs and one that does not.
fn check_names(setup: &Setup, info: &PluginInfo, library: &str) -> Result<(), Unusable> {
    let wrong = |what: &str, name: &str, why: &str| {
        let message = format!("the plugin '{library}' ('{}') registers the {what} '{name}', {why}", info.name);
        Err(Box::new((Diagnostic::error(&PLUGIN_NAME, Loc::UNKNOWN, message), Status::Usage)))
    };
    let registry = &setup.registry;
    let mut names: Vec<&str> = Vec::new();
    let passes = info.passes.iter().map(|pass| pass.name.as_str());
    for name in passes.chain(info.pipelines.iter().map(|def| def[0].as_str())) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
            return wrong("pass", name, "which cannot be written as a flag");
        }
        if registry.pass(name).is_some() || registry.pipeline(name).is_some() || names.contains(&name) {
            return wrong("pass", name, "which exists already");
        }
        if args::is_option(name) {
            return wrong("pass", name, "which is an option of this program");
        }
        names.push(name);
    }
    for dialect in &info.dialects {
        if dialect.name == "builtin" || setup.dialects.iter().any(|known| known.name == dialect.name) {
            return wrong("dialect", &dialect.name, "which exists already");
        }
    }
    Ok(())
}

/// The tool as the host of its passes.
pub struct Processes {
    /// Whether ops that no dialect registers are taken.
    pub allow_unregistered: bool,
    /// How long a program may run that says nothing else.
    pub timeout: Duration,
    blamed: AtomicBool,
}

impl Processes {
    /// A host that has seen no mistakes yet.
    pub fn new(allow_unregistered: bool, timeout: Duration) -> Processes {
        Processes { allow_unregistered, timeout, blamed: AtomicBool::new(false) }
    }

    /// Whether a program that ran as a pass has made a mistake.
    pub fn blamed(&self) -> bool {
        self.blamed.load(Ordering::Relaxed)
    }
}

impl Host for Processes {
    fn run(&self, job: &Job<'_>) -> Ended {
        process::run(job, job.timeout.unwrap_or(self.timeout))
    }

    fn allow_unregistered(&self) -> bool {
        self.allow_unregistered
    }

    fn blame(&self) {
        self.blamed.store(true, Ordering::Relaxed);
    }
}
