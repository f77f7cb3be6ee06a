//! A scripted client that talks to the server over its standard input and output.

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};

const URI: &str = "file:///in.mlir";

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last: i32,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the folder is there")
}

impl Client {
    fn start() -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlc-lsp"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut client = Client { child, stdin, stdout: BufReader::new(stdout), last: 0 };
        let root = format!("file://{}", root().display());
        let able = client.ask("initialize", json!({ "rootUri": root, "capabilities": {} }));
        assert_eq!(able["capabilities"]["hoverProvider"], true);
        client.say("initialized", json!({}));
        client
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.stdin).expect("the server reads");
        self.stdin.flush().expect("the server reads");
    }

    fn say(&mut self, method: &str, params: Value) {
        self.send(Message::Notification(Notification::new(method.to_string(), params)));
    }

    fn receive(&mut self) -> Message {
        Message::read(&mut self.stdout).expect("the server writes messages").expect("the server is there")
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = RequestId::from(self.last);
        self.send(Message::Request(Request::new(id.clone(), method.to_string(), params)));
        loop {
            if let Message::Response(response) = self.receive()
                && response.id == id
            {
                let response = serde_json::to_value(response).expect("it is JSON");
                assert!(response["error"].is_null(), "{method}: {response}");
                return response["result"].clone();
            }
        }
    }

    /// Opens a text and gives its diagnostics.
    fn open(&mut self, text: &str) -> Vec<Value> {
        let document = json!({ "uri": URI, "languageId": "dlc", "version": 1, "text": text });
        self.say("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics()
    }

    fn change(&mut self, text: &str) -> Vec<Value> {
        let document = json!({ "uri": URI, "version": 2 });
        self.say("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
        self.diagnostics()
    }

    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            if let Message::Notification(message) = self.receive() {
                assert_eq!(message.method, "textDocument/publishDiagnostics");
                return message.params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// Asks about the place marked by `part`, `skip` characters after its start.
    fn about(&mut self, what: &str, text: &str, part: &str, skip: usize) -> Value {
        let at = text.find(part).expect("the text has the part") + skip;
        let line = text[..at].matches('\n').count();
        let character = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
        let position = json!({ "line": line, "character": character });
        self.ask(&format!("textDocument/{what}"), json!({ "textDocument": { "uri": URI }, "position": position }))
    }

    fn labels(&mut self, text: &str, part: &str) -> Vec<String> {
        let items = self.about("completion", text, part, part.len());
        let items = items.as_array().expect("a list").iter();
        items.map(|item| item["label"].as_str().expect("text").to_string()).collect()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.say("exit", Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

const PROGRAM: &str = "\
// RUN: dlc-opt %s --canonicalize='rounds=2' --cs
tiny.func @double(%X: tensor<[4, 8], f32>) -> tensor<[4, 8], f32> {
  %Y = add %X, %X
  return %Y
}
";

#[test]
fn diagnostics_follow_the_text() {
    let mut client = Client::start();
    assert_eq!(client.open(PROGRAM), Vec::<Value>::new());
    let broken = PROGRAM.replace("%X, %X", "%X, %Z");
    let found = client.change(&broken);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "E0104");
    assert_eq!(found[0]["severity"], 1);
    let range = json!({ "start": { "line": 2, "character": 15 }, "end": { "line": 2, "character": 17 } });
    assert_eq!(found[0]["range"], range);
    // Each part of a split file has its own.
    let two = format!("{broken}// -----\n{broken}");
    assert_eq!(client.change(&two).len(), 2);
    assert_eq!(client.change(PROGRAM), Vec::<Value>::new());
    client.end();
}

#[test]
fn hover_shows_types_sizes_and_documentation() {
    let mut client = Client::start();
    client.open(PROGRAM);
    let mut hover = |part: &str, skip: usize| {
        client.about("hover", PROGRAM, part, skip)["contents"]["value"].as_str().unwrap_or("").to_string()
    };
    let value = hover("return %Y", 8);
    assert!(value.contains("%Y: tensor<[4, 8], f32>"), "{value}");
    assert!(value.contains("32 elements, 128 bytes"), "{value}");
    let op = hover("add %X", 1);
    assert!(op.starts_with("`tiny.add`"), "{op}");
    let arg = hover("%X, %X", 1);
    assert!(arg.contains("%X: tensor<[4, 8], f32>"), "{arg}");
    let pass = hover("canonicalize", 3);
    assert!(pass.contains("`rounds`"), "{pass}");
    client.end();
}

#[test]
fn definitions_of_values_and_ops() {
    let mut client = Client::start();
    client.open(PROGRAM);
    let value = client.about("definition", PROGRAM, "return %Y", 8);
    assert_eq!(value["uri"], URI);
    assert_eq!(value["range"]["start"], json!({ "line": 2, "character": 2 }));
    let arg = client.about("definition", PROGRAM, "%X, %X", 5);
    assert_eq!(arg["range"]["start"], json!({ "line": 1, "character": 18 }));
    let op = client.about("definition", PROGRAM, "add %X", 1);
    let file = op["uri"].as_str().expect("a file").strip_prefix("file://").expect("a file");
    let text = std::fs::read_to_string(file).expect("it can be read");
    let line = op["range"]["start"]["line"].as_u64().expect("a number") as usize;
    assert!(file.contains("dialects/tiny/src/"), "{file}");
    assert!(text.lines().nth(line).is_some_and(|line| line.contains("\"tiny.add\"")), "{file}:{line}");
    client.end();
}

#[test]
fn completion_of_ops_values_passes_and_options() {
    let mut client = Client::start();
    let text = PROGRAM.replace("  return %Y\n", "  %Z = a\n  %W = add %\n");
    assert!(!client.open(&text).is_empty());
    let ops = client.labels(&text, "%Z = a");
    assert!(ops.contains(&"add".to_string()), "{ops:?}");
    let values = client.labels(&text, "%W = add %");
    assert!(values.contains(&"%X".to_string()) && values.contains(&"%Y".to_string()), "{values:?}");
    let passes = client.labels(&text, "--cs");
    assert!(passes.contains(&"--cse".to_string()), "{passes:?}");
    let options = client.labels(&text, "--canonicalize='ro");
    assert!(options.contains(&"rounds".to_string()), "{options:?}");
    client.end();
}

#[test]
fn formatting_and_semantic_tokens() {
    let mut client = Client::start();
    let crooked = PROGRAM.replace("  %Y = add", "      %Y = add").replace("return %Y\n", "return %Y  \n");
    client.open(&crooked);
    let about = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.ask("textDocument/formatting", about.clone());
    assert_eq!(edits[0]["newText"], PROGRAM);
    client.change(PROGRAM);
    assert_eq!(client.ask("textDocument/formatting", about.clone()), json!([]));
    let tokens = client.ask("textDocument/semanticTokens/full", about);
    let data: Vec<u64> = tokens["data"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    // The comment, then the op `tiny.func` and the symbol.
    let first = [0, 0, 49, 6, 0, 1, 0, 9, 0, 0, 0, 10, 7, 7, 0];
    assert_eq!(data[..15], first);
    client.end();
}

#[test]
fn lenses_run_to_the_next_layer() {
    let mut client = Client::start();
    client.open(PROGRAM);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(lenses.as_array().map(Vec::len), Some(1), "{lenses}");
    assert_eq!(lenses[0]["command"]["title"], "Run to book");
    assert_eq!(lenses[0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    let lowered = client.ask("workspace/executeCommand", lenses[0]["command"].clone());
    assert!(lowered["text"].as_str().is_some_and(|text| text.contains("book.func @double")), "{lowered}");
    client.change("tiny.func @double(%X");
    let lowered = client.ask("workspace/executeCommand", lenses[0]["command"].clone());
    assert!(lowered["error"].as_str().is_some_and(|text| text.contains("E0001")), "{lowered}");
    client.end();
}

const PLANNED: &str = "\
region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
plan.schedule of @gemm for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma
  stages 4
  cache X (m, k) f16 in smem
}
";

#[test]
fn clauses_of_plans_are_shown_and_completed() {
    let mut client = Client::start();
    assert_eq!(client.open(PLANNED), Vec::<Value>::new());
    let mut hover = |part: &str, skip: usize| {
        client.about("hover", PLANNED, part, skip)["contents"]["value"].as_str().unwrap_or("").to_string()
    };
    for (part, skip, word) in [
        ("tile (m", 1, "tile"),
        ("instruction", 1, "instruction"),
        ("wgmma", 1, "instruction"),
        ("stages", 1, "stages"),
        ("cache X", 6, "cache"),
    ] {
        let shown = hover(part, skip);
        assert!(shown.starts_with(&format!("`{word}`, a clause of `plan.schedule`")), "{part}: {shown}");
    }
    let op = hover("plan.schedule", 1);
    assert!(op.starts_with("`plan.schedule`"), "{op}");
    // The body of a symbol is not shown.
    let symbol = hover("@gemm for", 1);
    assert!(symbol.contains("@gemm<M, N, K> iters (m: M, n: N)") && !symbol.contains('{'), "{symbol}");
    let text = PLANNED.replace("  stages 4\n", "  st\n  order \n");
    assert!(!client.open(&text).is_empty());
    let clauses = client.labels(&text, "  st");
    assert!(clauses.contains(&"stages".to_string()) && clauses.contains(&"tile".to_string()), "{clauses:?}");
    assert!(!clauses.contains(&"kernel.store".to_string()), "{clauses:?}");
    let words = client.labels(&text, "  order ");
    assert_eq!(words.first().map(String::as_str), Some("grouped"), "{words:?}");
    assert!(client.labels(&text, "tile (").is_empty());
    client.end();
}

#[test]
fn ops_of_the_layer_around_come_first() {
    let mut client = Client::start();
    let text = PROGRAM.replace("  return %Y\n", "  %Z = \n");
    client.open(&text);
    let items = client.about("completion", &text, "%Z = ", "%Z = ".len());
    let mut items: Vec<Value> = items.as_array().expect("a list").clone();
    items.sort_by_key(|item| item["sortText"].as_str().unwrap_or_default().to_string());
    let first: Vec<&str> = items.iter().take(10).filter_map(|item| item["label"].as_str()).collect();
    assert!(first.contains(&"add") && first.iter().all(|label| !label.contains('.')), "{first:?}");
    client.end();
}

#[test]
fn the_command_line_says_what_it_is() {
    let run = |arg: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_dlc-lsp")).arg(arg).output().expect("it starts");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
        )
    };
    let (status, said, _) = run("--version");
    assert!(status == Some(0) && said.starts_with("dlc-lsp 0."), "{said}");
    for help in ["--help", "-h"] {
        let (status, said, _) = run(help);
        assert!(status == Some(0) && said.contains("Usage: dlc-lsp"), "{said}");
    }
    let (status, _, said) = run("--stdo");
    assert!(status == Some(2) && said.contains("'--stdo'"), "{said}");
}
