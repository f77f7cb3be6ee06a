//! Everything that a plugin can do wrong, on request, so that the tests see what dlc-opt makes of it.

use std::io::Write as _;
use std::time::Duration;

use dlc_ir::body::InsertPoint;
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, PASS_FAILED, Pass, PassCx, PassDef, PassResult};
use dlc_ir::plugin::Plugin;
use dlc_ir::{Body, builtin};

/// The environment variable that says what goes wrong while the plugin registers.
const ON_LOAD: &str = "EXAMPLE_MISBEHAVES";

/// Goes wrong as the environment says.
pub(crate) fn on_load(plugin: &mut Plugin) {
    match std::env::var(ON_LOAD).as_deref() {
        Ok("clash") => plugin.pass(&CLASH),
        Ok("flag") => plugin.pass(&FLAG),
        Ok("dialect") => plugin.dialect(&builtin::DIALECT),
        Ok(how) => go_wrong(how),
        Err(_) => {}
    }
}

static CLASH: PassDef = PassDef::base("cse", "Has a name that is taken.", create_none);
static FLAG: PassDef = PassDef::base("output", "Has the name of an option.", create_none);

fn create_none(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Err("it is not to be made".into())
}

pub(crate) static DEF: PassDef = PassDef {
    options: &[OptionDef {
        name: "how",
        kind: OptionKind::Choice(&[
            "well", "prints", "fails", "panic", "abort", "segfault", "overflow", "exit", "hang", "nonsense", "nothing",
            "flood", "invalid",
        ]),
        default: "well",
        doc: "What goes wrong.",
    }],
    on: dlc_ir::pass::On::Op("sample.func"),
    ..PassDef::base("misbehave", "Goes wrong, for tests.", |options| {
        Ok(Box::new(Misbehave { how: options.text("how").to_string() }))
    })
};

struct Misbehave {
    how: String,
}

impl Pass for Misbehave {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        match self.how.as_str() {
            "fails" => {
                let op = body.walk()[0];
                let error = Diagnostic::error(&PASS_FAILED, body.loc(op), "this op is not to my taste");
                return Err(cx.fail(error.suggest("write another")));
            }
            "invalid" => {
                // A value is used before it is defined.
                let op = body.walk()[0];
                let user = body.uses(body.result(op, 0)).next().map(|used| used.op);
                if let Some(user) = user {
                    body.move_op(op, InsertPoint::After(user));
                }
            }
            how => go_wrong(how),
        }
        Ok(())
    }
}

fn go_wrong(how: &str) {
    match how {
        "prints" => println!("a plugin may print, and it is no answer"),
        "panic" => panic!("the plugin has had enough"),
        "abort" => {
            eprintln!("last words of the plugin");
            std::process::abort()
        }
        "segfault" => crash(),
        "overflow" => drop(overflow(0)),
        "exit" => std::process::exit(7),
        "hang" => std::thread::sleep(Duration::from_secs(600)),
        "nonsense" => {
            println!("?!");
            std::process::exit(0)
        }
        "nothing" => std::process::exit(0),
        "flood" => {
            let piece = [b'x'; 1 << 16];
            // Until nobody listens.
            while std::io::stdout().write_all(&piece).is_ok() {}
        }
        _ => {}
    }
}

/// Writes where nothing is.
#[allow(unsafe_code)]
fn crash() {
    // SAFETY: not safe: the process is to die here, by the signal that a wild pointer brings.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) }
}

/// Calls itself until the stack is full.
fn overflow(depth: u64) -> u64 {
    let here = std::hint::black_box([depth; 1024]);
    if depth == u64::MAX {
        return 0;
    }
    overflow(depth + 1) + here[(depth % 1024) as usize]
}
