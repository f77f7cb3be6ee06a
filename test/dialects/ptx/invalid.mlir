// One case for each rule of the instructions and of the frame around them, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

ptx.func @unknown_modifier() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1901 'ptx.add': 'add' does not take the modifiers '.s33'}}
    %b = add.s33 %a, %a : i32
    exit
  }
  kernel.return
}

// -----

ptx.func @no_modifier() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1901 'ptx.add': 'add' takes modifiers}}
    %b = add %a, %a : i32
    exit
  }
  kernel.return
}

// -----

ptx.func @too_many() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1901 'ptx.add': 'add.s32' has 2 operands, and 3 stand here}}
    %b = add.s32 %a, %a, %a : i32
    exit
  }
  kernel.return
}

// -----

ptx.func @guard_without_values() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1901 'ptx.mov': the values do not go with the numbers and the guard}}
    %b = "ptx.mov"(%a) <{guarded = "if", modifiers = "b32"}> : (i32) -> i32
    exit
  }
  kernel.return
}

// -----

ptx.func @no_instruction() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1901 'kernel.index': only instructions and branches stand in an entry}}
    %b = kernel.index (3) : index
    exit
  }
  kernel.return
}

// -----

ptx.func @result() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.add': it gives (i32), not (i64)}}
    %b = add.s32 %a, %a : i64
    exit
  }
  kernel.return
}

// -----

ptx.func @register() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.add': operand 2 must be f32, but is i32}}
    %b = add.f32 1.0, %a
    exit
  }
  kernel.return
}

// -----

ptx.func @number() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.cp.async.wait_group': operand 1 must be an integer}}
    cp.async.wait_group %a
    exit
  }
  kernel.return
}

// -----

ptx.func @vector() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.st': operand 4 is in a vector, so it must be a register}}
    st.shared.v2.b32 [%a], {%a, 1}
    exit
  }
  kernel.return
}

// -----

ptx.func @float() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.add': operand 1 must be a float, such as 1.0}}
    %b = add.f32 1, 1.0
    exit
  }
  kernel.return
}

// -----

ptx.func @integer() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.add': operand 2 must be i32}}
    %b = add.s32 %a, 1.0
    exit
  }
  kernel.return
}

// -----

ptx.func @guard() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    // expected-error@+1 {{E1902 'ptx.add': a guard must be i1, but is i32}}
    %b = add.s32 %a, 1 if %a else %a
    exit
  }
  kernel.return
}

// -----

ptx.func @otherwise() {
  entry "f" (1) threads 32 shared 0 sizes (1) {
  ^start(%a: i32):
    %p = setp.eq.s32 %a, 0
    // expected-error@+1 {{E1902 'ptx.add': what it gives otherwise must be of the types of the results}}
    %b = add.s32 %a, 1 if %p else %p
    exit
  }
  kernel.return
}

// -----

// expected-error@+1 {{E1903 'ptx.func': 'sm90' is no machine}}
ptx.func @machine() attributes {target = "sm90"} {
  entry "f" (1) threads 32 shared 0 {
    exit
  }
  kernel.return
}

// -----

ptx.func @not_there() attributes {target = "sm_80"} {
  entry "f" (1) threads 32 shared 0 {
    // expected-error@+1 {{E1903 'ptx.elect.sync': 'elect.sync' needs sm_90, and this is for sm_80}}
    %p = elect.sync -1
    exit
  }
  kernel.return
}

// -----

ptx.func @not_that_one() attributes {target = "sm_100a"} {
  entry "f" (1) threads 128 shared 0 {
    // expected-error@+1 {{E1903 'ptx.wgmma.fence': 'wgmma.fence.sync.aligned' needs sm_90a, and this is for sm_100a}}
    wgmma.fence.sync.aligned
    exit
  }
  kernel.return
}

// -----

ptx.func @parameters<N>(%X: memref<[N], f32>) {
  // expected-error@+1 {{E1904 'ptx.entry': the first block takes 1 addresses as i64 and 1 sizes as i32 or i64, in this order}}
  entry "f" (1) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%n: i32, %x: i64):
    exit
  }
  kernel.return
}

// -----

ptx.func @axes() {
  // expected-error@+1 {{E1905 'ptx.entry': a grid has one to three axes, not 4}}
  entry "f" (1, 1, 1, 1) threads 32 shared 0 {
    exit
  }
  kernel.return
}

// -----

ptx.func @threads() {
  // expected-error@+1 {{E1905 'ptx.entry': a block has 32 to 1024 threads, in whole warps, and 48 are no such number}}
  entry "f" (1) threads 48 shared 0 {
    exit
  }
  kernel.return
}

// -----

ptx.func @shared() {
  // expected-error@+1 {{E1905 'ptx.entry': a block has up to 232448 bytes of shared memory, not 232449}}
  entry "f" (1) threads 32 shared 232449 {
    exit
  }
  kernel.return
}

// -----

ptx.func @cluster() {
  // expected-error@+1 {{E1905 'ptx.entry': a cluster has one size of 1 to 16 for each axis of the grid at most}}
  entry "f" (2) cluster [2, 1] threads 32 shared 0 {
    exit
  }
  kernel.return
}

// -----

ptx.func @name() {
  // expected-error@+1 {{E1905 'ptx.entry': '0f' is no name of an entry: letters, digits and underscores are}}
  entry "0f" (1) threads 32 shared 0 {
    exit
  }
  kernel.return
}

// -----

ptx.func @value() {
  // expected-error@+1 {{E1905 'ptx.entry': an expression names the value 0, and there are 0}}
  "ptx.entry"() <{dims = ["_0"], name = "f", operandSegmentSizes = array<i32: 0, 0, 0>, shared = 0, sizes = [], threads = 32}> ({
    "ptx.exit"() : () -> ()
  }) : () -> ()
  kernel.return
}

// -----

ptx.func @empty() {
  // expected-error@+1 {{E1905 'ptx.entry': an entry has a block at least}}
  "ptx.entry"() <{dims = [1], name = "f", operandSegmentSizes = array<i32: 0, 0, 0>, shared = 0, sizes = [], threads = 32}> ({
  }) : () -> ()
  kernel.return
}
