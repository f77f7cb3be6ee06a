// A library that does not fit, is no library or goes wrong when it is opened is refused, before any input is read.

// REQUIRES: python3

// Each part of the stamp counts.
// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} magic other-magic.so
// RUN: not dlc-opt %s -o out --load-plugin=other-magic.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=MAGIC
// MAGIC: error[E0522]: the plugin 'other-magic.so' was built against another dlc
// MAGIC-NEXT: form of declaration: the plugin has 'dlc plugin v0 {{.*}}', this program has 'dlc plugin v2
// MAGIC-NEXT: help: build it again

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} size other-size.so
// RUN: not dlc-opt %s -o out --load-plugin=other-size.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: form of declaration: the plugin has 'dlc plugin v2 of 7 bytes'

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} version other-version.so
// RUN: not dlc-opt %s -o out --load-plugin=other-version.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error[E0522]: the plugin 'other-version.so' ('example') was built against another dlc
// VERSION-NEXT: version of dlc: the plugin has '9.9.9', this program has '{{[0-9.]+}}'

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} compiler other-rustc.so
// RUN: not dlc-opt %s -o out --load-plugin=other-rustc.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=COMPILER
// COMPILER: compiler: the plugin has 'rustc 9.9.9', this program has 'rustc {{[0-9.]+}}

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} target other-target.so
// RUN: not dlc-opt %s -o out --load-plugin=other-target.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: target and profile: the plugin has 'pdp11-unix-none-16', this program has

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} sources other-sources.so
// RUN: not dlc-opt %s -o out --load-plugin=other-sources.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=SOURCES
// SOURCES: sources of dlc-ir (hash): the plugin has '0123456789abcdef'

// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} layout other-layout.so
// RUN: not dlc-opt %s -o out --load-plugin=other-layout.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: layout of types (hash): the plugin has '3837363534333231'

// The profile and the packages say why. One of another version alone, whose types are the same, does not matter.
// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} layout,profile,dependencies other-package.so
// RUN: not dlc-opt %s -o out --load-plugin=other-package.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=PACKAGE
// PACKAGE: error[E0522]: the plugin 'other-package.so' ('example') was built against another dlc
// PACKAGE-NEXT: layout of types (hash)
// PACKAGE-NEXT: profile: the plugin has 'opt-level=9', this program has 'opt-level={{[0-3]}}
// PACKAGE-NEXT: bumpalo: the plugin has 9.9.9, this program has {{[0-9.]+$}}
// PACKAGE-NEXT: help: build it again {{.*}} 'dlc-opt --new-plugin'
// RUN: %{python} %{root}/test/plugins/shared/forge.py %{target}/%{shlibprefix}example_shared%{shlibext} dependencies same-types.so
// RUN: dlc-opt %s --no-output --load-plugin=same-types.so --fuse-mul-add

// Nor is it opened in the program itself.
// RUN: not dlc-opt %s -o out --load-plugin=other-layout.so --in-process-plugins --fuse-mul-add 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAYOUT

// RUN: not dlc-opt %s -o out --load-plugin=nowhere.so --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[E0521]: the plugin 'nowhere.so' cannot be read

// RUN: not dlc-opt %s -o out --load-plugin=%s --fuse-mul-add 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error[E0521]: the plugin '{{.*}}' cannot be opened as a library: {{.+}}

// RUN: not dlc-opt %s -o out --load-plugin=nowhere.so --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "code": "E0521"

// Names that are taken.
// RUN: not env EXAMPLE_MISBEHAVES=clash dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=CLASH
// CLASH: error[E0523]: the plugin {{.*}} registers the pass 'cse', which exists already
// RUN: not env EXAMPLE_MISBEHAVES=flag dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error[E0523]: {{.*}} the pass 'output', which is an option of this program
// RUN: not env EXAMPLE_MISBEHAVES=dialect dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error[E0523]: {{.*}} the dialect 'builtin', which exists already

// One that goes wrong while it is opened.
// RUN: not env EXAMPLE_MISBEHAVES=panic dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=PANIC
// PANIC: error[E0521]: {{.*}} panicked while it registered: the plugin has had enough
// RUN: not env EXAMPLE_MISBEHAVES=abort dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: error[E0524]: the plugin {{.*}} was ended by signal 6 (SIGABRT)
// RUN: not env EXAMPLE_MISBEHAVES=hang dlc-opt %s -o out --plugin-timeout=300ms \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=HANG
// HANG: error[E0524]: the plugin {{.*}} did not end within 300ms and was stopped
// RUN: not env EXAMPLE_MISBEHAVES=nothing dlc-opt %s -o out \
// RUN:   --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error[E0524]: the plugin {{.*}} ended without an answer while it was opened

// RUN: not test-file-exists out

sample.func @f(%a: i64) -> i64 {
  sample.return %a
}
