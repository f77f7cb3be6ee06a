// A project of a plugin is written whole or not at all: what it is refused for. tools/dlc-opt/tests/cli/new_plugin.rs
// builds one.

// Without the sources dlc-opt says which it needs, and what does without.
// RUN: not dlc-opt --new-plugin my-plugin 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[E0526]: the project of a plugin builds on the sources of dlc, and none are given
// NONE-NEXT: note: this program is dlc {{[0-9]}}
// NONE-NEXT: note: without them any program that reads and writes text is a pass: --pass-pipeline='external{
// NONE: help: name a checkout of dlc: --source=DIR

// RUN: not dlc-opt --new-plugin my-plugin --source=nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error[E0526]: 'nowhere' has no sources of dlc: there is no such folder
// RUN: not dlc-opt --new-plugin my-plugin --source=%s 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: it is a file; an archive must be unpacked first
// RUN: mkdir empty
// RUN: not dlc-opt --new-plugin my-plugin --source=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 'empty' has no sources of dlc: there is no Cargo.toml

// The sources of another commit.
// RUN: mkdir other/ir/src
// RUN: mkdir other/ir/macros/src
// RUN: echo "pub mod other;" > other/ir/src/lib.rs
// RUN: cp %{root}/Cargo.toml other/Cargo.toml
// RUN: cp %{root}/Cargo.lock other/Cargo.lock
// RUN: not dlc-opt --new-plugin my-plugin --source=other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[E0526]: the sources in 'other' are not those that this program was built from
// OTHER-NEXT: dlc-ir: they have the hash {{[0-9a-f]+}}, this program has {{[0-9a-f]+}}
// OTHER-NEXT: this program is dlc

// Places.
// RUN: mkdir full
// RUN: echo x > full/file
// RUN: not dlc-opt --new-plugin full --source=%{root} 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error[E0525]: 'full' exists, and is no empty folder
// RUN: cat full/file | FileCheck %s --check-prefix=KEPT
// KEPT: x
// RUN: not dlc-opt --new-plugin full/file --source=%{root} 2>&1 | FileCheck %s --check-prefix=NOFOLDER
// NOFOLDER: error[E0525]: 'full/file' exists, and is no empty folder
// RUN: not dlc-opt --new-plugin full/file/within --source=%{root} 2>&1 | FileCheck %s --check-prefix=WITHIN
// WITHIN: error[E0502]: the project 'full/file/within' cannot be written

// Names.
// RUN: not dlc-opt --new-plugin 1st --source=%{root} 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error[E0525]: a plugin cannot have the name of the folder, '1st': it is none of a package
// RUN: not dlc-opt --new-plugin match --source=%{root} 2>&1 | FileCheck %s --check-prefix=RUST
// RUST: 'match': it is a word of Rust or cargo
// RUN: not dlc-opt --new-plugin SmallVec --source=%{root} 2>&1 | FileCheck %s --check-prefix=PACKAGE
// PACKAGE: 'SmallVec': a package that dlc is built from has it
// RUN: not dlc-opt --new-plugin sample --source=%{root} 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: 'sample': a dialect or pass of this program has it

// RUN: not dlc-opt --source=%{root} 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: --new-plugin
// RUN: not test-file-exists my-plugin
// RUN: not test-file-exists 1st

// What is written, to a folder that is there and empty too.
// RUN: mkdir My_Plugin
// RUN: dlc-opt --new-plugin My_Plugin --source=%{root} | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: My_Plugin/README.md
// WRITTEN: My_Plugin/src/lib.rs
// WRITTEN: My_Plugin/dlc/ir/ (a link)
// WRITTEN: cd My_Plugin && cargo test --locked
// RUN: FileCheck %s --check-prefix=LOCK --input-file=My_Plugin/dlc/Cargo.lock
// LOCK: name = "my-plugin"
// RUN: FileCheck %s --check-prefix=README --input-file=My_Plugin/README.md
// README: # my-plugin
// README: - dlc {{[0-9]}}
// README-NEXT: - rustc {{[0-9]}}
