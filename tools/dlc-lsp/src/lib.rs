//! `dlc-lsp`, a language server: what editors show of IR text while it is typed. It speaks the Language Server Protocol
//! over its standard input and output.
//!
//! - [`document`]: a text with its diagnostics, and the ops and types of the parts that parse.
//! - [`tokens`]: the text as tokens with scopes, where it does not parse; [`text`]: positions.
//! - [`hover`], [`navigate`], [`complete`]: what is asked about a place; [`run_lines`]: passes and options in
//!   `// RUN:` lines. [`mod@format`], [`semantic`]: the layout and the colours of the whole text.
//! - [`plans`]: the clauses of plans, which are no ops.
//! - [`lens`]: programs lowered to the next layer.
//! - [`grammar`]: colours for editors without the server.
//!
//! The text is read as a whole after each change, when no other message is waiting. Messages are read and written as
//! JSON values: the few that there are need no types of their own.

pub mod complete;
pub mod document;
pub mod format;
pub mod grammar;
pub mod hover;
pub mod lens;
pub mod navigate;
pub mod plans;
pub mod run_lines;
pub mod semantic;
pub mod text;
pub mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use dlc_opt::Setup;
use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

use document::Document;

/// What `--help` prints.
const HELP: &str = "\
A language server for the IR text of dlc: it speaks the Language Server Protocol over its standard input and output.
Editors start it without options; how is in docs/editors.md.

Usage: dlc-lsp [--stdio]

Options:
      --stdio    Use standard input and output, which is the only way
  -h, --help     Print help
      --version  Print the version
";

/// What a command line asks for besides a session, and how the process ends then.
fn answered(args: impl Iterator<Item = std::ffi::OsString>) -> Option<ExitCode> {
    for arg in args {
        match arg.to_str() {
            // Editors give it to every server.
            Some("--stdio") => {}
            Some("-h" | "--help") => {
                print!("{HELP}");
                return Some(ExitCode::SUCCESS);
            }
            Some("--version") => {
                println!("dlc-lsp {}", dlc_opt::VERSION);
                return Some(ExitCode::SUCCESS);
            }
            _ => {
                eprintln!("error: there is no option '{}'; dlc-lsp --help has those that there are", arg.display());
                return Some(ExitCode::from(2));
            }
        }
    }
    None
}

/// The server, with everything that is linked into the program.
pub fn main() -> ExitCode {
    if let Some(status) = answered(std::env::args_os().skip(1)) {
        return status;
    }
    dlc_ir::pass::panics::install_hook();
    // Regions, types and attributes may be nested several hundred deep.
    let work = std::thread::Builder::new().stack_size(dlc_opt::STACK).spawn(|| {
        let (connection, threads) = Connection::stdio();
        let served = serve(&connection);
        drop(connection);
        served.is_ok() && threads.join().is_ok()
    });
    match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Why a session ended early, in words.
pub type Ended = Box<dyn std::error::Error + Send + Sync>;

/// A session, up to the `exit` of the client.
pub fn serve(connection: &Connection) -> Result<(), Ended> {
    let given = connection.initialize(json!({
        "textDocumentSync": 1,
        "hoverProvider": true,
        "documentFormattingProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "executeCommandProvider": { "commands": [lens::LOWER] },
        "semanticTokensProvider": { "legend": { "tokenTypes": semantic::KINDS, "tokenModifiers": [] }, "full": true },
        "definitionProvider": true,
        "completionProvider": { "triggerCharacters": ["%", "@", "!", "#", ".", "-", "=", "{"] },
    }))?;
    let root = given["rootUri"].as_str().and_then(|uri| uri.strip_prefix("file://")).map(PathBuf::from);
    let mut server = Server {
        setup: Setup::linked(),
        root,
        texts: BTreeMap::new(),
        documents: BTreeMap::new(),
        changed: BTreeSet::new(),
    };
    loop {
        let message = match connection.receiver.try_recv() {
            Ok(message) => message,
            Err(_) => {
                server.publish(connection)?;
                match connection.receiver.recv() {
                    Ok(message) => message,
                    Err(_) => return Ok(()),
                }
            }
        };
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                let response = server.answer(request);
                connection.sender.send(Message::Response(response))?;
            }
            Message::Notification(notification) => server.take(&notification),
            Message::Response(_) => {}
        }
    }
}

struct Server {
    setup: Setup,
    root: Option<PathBuf>,
    /// The texts of open documents, by address.
    texts: BTreeMap<String, String>,
    /// What was read of them.
    documents: BTreeMap<String, Document>,
    /// Those that have changed since they were read.
    changed: BTreeSet<String>,
}

impl Server {
    fn take(&mut self, notification: &Notification) {
        let params = &notification.params;
        let Some(uri) = params["textDocument"]["uri"].as_str() else { return };
        let text = match notification.method.as_str() {
            "textDocument/didOpen" => params["textDocument"]["text"].as_str(),
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                changes.and_then(|changes| changes.last()?["text"].as_str())
            }
            "textDocument/didClose" => {
                self.texts.remove(uri);
                self.documents.remove(uri);
                self.changed.insert(uri.to_string());
                return;
            }
            _ => return,
        };
        if let Some(text) = text {
            self.texts.insert(uri.to_string(), text.to_string());
            self.changed.insert(uri.to_string());
        }
    }

    /// Reads a document that has changed.
    fn read(&mut self, uri: &str) {
        if let Some(text) = self.texts.get(uri) {
            self.documents.insert(uri.to_string(), Document::new(&self.setup, uri, text.clone()));
        }
    }

    /// Sends the diagnostics of what has changed; a document that was closed has none.
    fn publish(&mut self, connection: &Connection) -> Result<(), Ended> {
        while let Some(uri) = self.changed.pop_first() {
            self.read(&uri);
            let diagnostics = self.documents.get(&uri).map_or(Vec::new(), |document| document.diagnostics.clone());
            let params = json!({ "uri": uri, "diagnostics": diagnostics });
            let method = "textDocument/publishDiagnostics".to_string();
            connection.sender.send(Message::Notification(Notification::new(method, params)))?;
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Response {
        let params = &request.params;
        if request.method == "workspace/executeCommand" && params["command"] == lens::LOWER {
            let argument = |index: usize| params["arguments"][index].as_str().unwrap_or("");
            let text = self.texts.get(argument(0)).map_or("", String::as_str);
            return Response::new_ok(request.id, lens::lower(&self.setup, text, argument(1)));
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or("").to_string();
        if self.changed.contains(&uri) {
            self.read(&uri);
        }
        let result = match self.documents.get(&uri) {
            Some(document) => self.about(&request.method, params, &uri, document),
            None => Some(Value::Null),
        };
        match result {
            Some(result) => Response::new_ok(request.id, result),
            None => {
                let message = format!("'{}' is no request that dlc-lsp answers", request.method);
                Response::new_err(request.id, lsp_server::ErrorCode::MethodNotFound as i32, message)
            }
        }
    }

    /// The answer to a request about a document; `None` for one that is not known.
    fn about(&self, method: &str, params: &Value, uri: &str, document: &Document) -> Option<Value> {
        let number = |key: &str| params["position"][key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let offset = document.text.offset(number("line"), number("character"));
        Some(match method {
            "textDocument/hover" => match hover::at(&self.setup, document, offset) {
                Some(text) => json!({ "contents": { "kind": "markdown", "value": text } }),
                None => Value::Null,
            },
            "textDocument/definition" => {
                navigate::definition(document, uri, self.root.as_deref(), offset).unwrap_or(Value::Null)
            }
            "textDocument/completion" => Value::Array(complete::at(&self.setup, document, offset)),
            "textDocument/formatting" => {
                let new = format::formatted(&document.ctx, &document.text.text, &document.tokens);
                let whole = document.text.range(0..document.text.text.len());
                let edit = json!({ "range": whole, "newText": new });
                if new == document.text.text { json!([]) } else { json!([edit]) }
            }
            "textDocument/codeLens" => Value::Array(lens::lenses(&self.setup, document, uri)),
            "textDocument/semanticTokens/full" => json!({ "data": semantic::encoded(document) }),
            _ => return None,
        })
    }
}
