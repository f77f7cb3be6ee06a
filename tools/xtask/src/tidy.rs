//! Rules about the files of the repository that no compiler checks. Each gives complaints, and is a test of this crate
//! (`tests/suite/tidy.rs`), so `cargo test` keeps the project tidy.
//!
//! | rule | asks for |
//! | --- | --- |
//! | [`sources::module_docs`] | every Rust file says at its head what it is |
//! | [`sources::orphans`] | every Rust file is named by a `mod` line or a manifest |
//! | [`sources::length`] | no file above 700 lines, but those in [`sources::LONG`] with their reason |
//! | [`functions::length`] | no function above 100 lines |
//! | [`sources::white_space`] | no tabs, no blanks at ends of lines, a line end at the end |
//! | [`sources::notes`] | every `TODO` and `FIXME` gives its reason |
//! | [`sources::reach`] | `ir`, dialects and passes touch no file, process or environment |
//! | [`crates::edges`] | crates depend only downwards; a dialect on `dlc-ir` and `dlc-core` alone |
//! | [`crates::versions`] | versions stand in the workspace table and nowhere else |
//! | [`crates::linked`] | `dlc`, `dlc-opt`, `dlc-translate` and `xtask` link every dialect |
//! | [`passes::headers`] | every pass has the sections of the header, in order |
//! | [`passes::registered`] | every file of a pass registers the pass of its name, and every pass has its file |
//! | [`passes::tested`] | every pass has a folder of text tests |
//! | [`passes::layers`] | a pass uses the dialects of its declared layers and no others |
//! | [`passes::imports`] | a pass imports no other pass, an analysis no rewrite and no pass |
//! | [`codes::raised`] | every diagnostic code is raised by something that is no test |
//! | [`codes::tested`] | every diagnostic code is expected by some test |
//! | [`pages::quotes`] | blocks of a page that are taken from a file stand there |
//! | [`pages::links`] | links between pages lead somewhere |
//! | [`sentences::short`] | sentences of the pages have at most 30 words, but for what `sentences.tsv` allows |
//! | [`spelling::known`] | words of documents, comments and messages are in `spelling.txt` |
//! | [`words::standard`] | standard terms in code, comments, messages and documents (`words.tsv`) |

pub mod codes;
pub mod crates;
pub mod functions;
pub mod pages;
pub mod passes;
pub mod sentences;
pub mod sources;
pub mod spelling;
pub mod words;

/// What is wrong: the file, and with a colon between, what about it. Empty when all is well.
pub type Complaints = Vec<String>;
