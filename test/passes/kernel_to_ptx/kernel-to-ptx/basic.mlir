// RUN: dlc-opt %s --kernel-to-ptx -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: dlc-opt %t.once --kernel-to-ptx | cmp %t.once -
// RUN: dlc-opt %s --kernel-to-ptx=target=sm_90a | FileCheck %s --check-prefix=GIVEN
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null
// RUN: dlc-opt %s --kernel-to-ptx --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: not dlc-opt %s --kernel-to-ptx=target=hopper 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not dlc-opt %s --kernel-to-ptx=target=sm_0 2>&1 | FileCheck %s --check-prefix=NO-MACHINE

// STATISTICS-DAG: 6 entries: Grids that became entries.
// STATISTICS-DAG: {{[0-9]+}} instructions: Instructions in them.
// MACHINE: 'hopper' is no machine, such as sm_80 or sm_90a
// NO-MACHINE: 'sm_0' is no machine, such as sm_80 or sm_90a

// A grid is an entry that takes the addresses of memory and the sizes that it needs. What the launch does stays. A
// loop carries registers: it is entered only if it runs, and asks at its end whether it runs again.
// GIVEN: ptx.func @carried{{.*}} attributes {covered = [{{.*}}], target = "sm_90a", verified = "{{[0-9a-f]+}}"}
// CHECK-LABEL: ptx.func @carried<N, K>(
// CHECK-SAME: attributes {covered = [{blocks = {{[0-9]+}}, choices = 1, disjoint = 1, ring = 1, rounds = 4, runs = {{[0-9]+}}, sizes = {{[0-9]+}}, stores = 1}], target = "sm_80", verified = "{{[0-9a-f]+}}"}
// CHECK-NEXT: %Y = kernel.output : memref<[N], f32, row_major, align 4>
// CHECK-NEXT: entry "carried_0" (N ceildiv 32) threads 32 shared 0 memory (%X, %Y) sizes (K, N) {
// CHECK-NEXT: ^bb0(%[[X:.+]]: i64, %[[Y:.+]]: i64, %[[K:.+]]: i32, %[[N:.+]]: i32):
// CHECK: %[[ZERO:.+]] = mov.f32 0.0
// CHECK: %[[RUNS:.+]] = setp.gt.s32 %[[K]], 0
// CHECK: bra_if %[[RUNS]], ^bb1(%{{.+}}, %[[ZERO]]), ^bb2(%[[ZERO]])
// CHECK-NEXT: ^bb1(%[[COUNT:.+]]: i32, %[[ACC:.+]]: f32):
// CHECK: %[[LOADED:.+]] = ld.global.nc.f32 [%{{.+}}] if %{{.+}} else %[[ZERO]]
// CHECK: %[[SUM:.+]] = add.rn.f32 %[[ACC]], %[[LOADED]]
// CHECK: %[[NEXT:.+]] = add.s32 %[[COUNT]], 1
// CHECK: %[[AGAIN:.+]] = setp.lt.s32 %[[NEXT]], %[[K]]
// CHECK: bra_if %[[AGAIN]], ^bb1(%[[NEXT]], %[[SUM]]), ^bb2(%[[SUM]])
// CHECK-NEXT: ^bb2(%[[OUT:.+]]: f32):
// CHECK: st.global.f32 [%{{.+}}], %[[OUT]] if %{{.+}}
// CHECK-NEXT: exit
// CHECK: kernel.return %Y
kernel.func @carried<N, K>(%X: memref<[K, N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %k = 0 to K carry (%acc = %zero) {
      %x = load %X[%k, 32 * %b + i0] where (32 * %b + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %sum to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// A loop that is to be unrolled has no branches: rows 1 and 3 are 32 and 96 elements from the first.
// CHECK-LABEL: ptx.func @written_out(
// CHECK-NOT: bra
// CHECK: %[[ONE:.+]] = add.s32 %{{.+}}, 32
// CHECK: mad.wide.s32 %[[ONE]], 4,
// CHECK: ld.global
// CHECK: %[[THREE:.+]] = add.s32 %{{.+}}, 96
// CHECK: mad.wide.s32 %[[THREE]], 4,
// CHECK: ld.global
// CHECK-NOT: ld.global
// CHECK-NOT: bra
// CHECK: exit
kernel.func @written_out(%X: memref<[4, 32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %k = 1 to 4 step 2 unroll carry (%acc = %zero) {
      %x = load %X[%k, i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %sum to %Y[i0]
  }
  return %Y
}

// A condition without other side jumps over it; one with a result gives it to the block after, from both sides. A
// condition that is known needs no branch.
// CHECK-LABEL: ptx.func @one_or_other<N>(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK: %[[P:.+]] = setp.ge.s32 %{{.+}}, 1
// CHECK-NEXT: bra_if %[[P]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK: st.global.f32 [%{{.+}}], %[[X]]
// CHECK-NEXT: bra ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %[[Q:.+]] = setp.lt.s32 %{{.+}}, 3
// CHECK-NEXT: bra_if %[[Q]], ^bb3, ^bb4
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: %[[TWICE:.+]] = add.rn.f32 %[[X]], %[[X]]
// CHECK-NEXT: bra ^bb5(%[[TWICE]])
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: bra ^bb5(%[[X]])
// CHECK-NEXT: ^bb5(%[[OUT:.+]]: f32):
// CHECK-NOT: bra
// CHECK: st.global.f32 [%{{.+}}], %[[OUT]]
// CHECK: exit
kernel.func @one_or_other<N>(%X: memref<[32], f32, row_major, align 4>) -> memref<[N, 32], f32, row_major, align 4> {
  %Y = output : memref<[N, 32], f32, row_major, align 4>
  grid (N) threads 32 {
    %b = block_id 0
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    if (%b > 0) {
      store %x to %Y[%b, i0]
    }
    %z = if (%b < 3) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %p = binary add %x, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %p
    } else {
      yield %x
    }
    %two = index (2)
    if (%two > 3) {
      store %x to %Y[%b, i0]
    }
    store %z to %Y[%b, i0]
  }
  return %Y
}

// A warp does what one of its lanes wants.
// CHECK-LABEL: ptx.func @some_lane(
// CHECK: %[[MUCH:.+]] = setp.gt.f32 %[[X:.+]], 8.0
// CHECK-NEXT: %[[ANY:.+]] = vote.sync.any.pred %[[MUCH]], -1
// CHECK-NEXT: bra_if %[[ANY]], ^bb1, ^bb2
// CHECK: %[[NEG:.+]] = neg.f32 %[[X]]
// CHECK-NEXT: bra ^bb3(%[[NEG]])
kernel.func @some_lane(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %big = const 8.0 : f32
    %much = binary gt %x, %big : frag<[32], i1, blocked [1] lanes [32] warps [1]>
    %z = warp_if %much : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %p = unary neg %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %p
    } else {
      yield %x
    }
    store %z to %Y[i0]
  }
  return %Y
}

// Two grids of one kernel are two entries. The second begins early and waits for the first; what the first has written
// is not loaded as what nothing writes. The number of blocks is computed at launch, and both take it.
// CHECK-LABEL: ptx.func @two_grids<M, N>(
// CHECK-NEXT: kernel.require (N mod 32 == 0, N < 8193)
// CHECK-NEXT: %Y = kernel.output
// CHECK-NEXT: %S = kernel.scratch : memref<[132, 32], f32, row_major, align 4>
// CHECK-NEXT: %most = kernel.index (132)
// CHECK-NEXT: %want = kernel.index (M*(N floordiv 32))
// CHECK-NEXT: %blocks = kernel.min %most, %want
// CHECK-NEXT: entry "two_grids_0" (%blocks) threads 32 shared 0 memory (%X, %S) sizes (%want, %blocks, M, N) {
// CHECK: %[[T:.+]] = sreg.ctaid.x
// CHECK: ^bb1(%[[T:.+]]: i32, %{{.+}}: f32):
// CHECK: %[[COLUMNS:.+]] = shr.u32 %N, 5
// CHECK-NEXT: div.u32 %[[T]], %[[COLUMNS]]
// CHECK-NEXT: rem.u32 %[[T]], %[[COLUMNS]]
// CHECK: ld.global.nc.f32
// CHECK: %[[NEXT:.+]] = add.s32 %[[T]], %blocks
// CHECK: griddepcontrol.launch_dependents
// CHECK: st.global.f32
// CHECK: entry "two_grids_1" (1) threads 32 shared 0 memory (%S, %Y) sizes (%blocks) {
// CHECK: griddepcontrol.wait
// CHECK: ld.global.f32
// CHECK: kernel.return %Y
kernel.func @two_grids<M, N>(%X: memref<[M, N], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> attributes {target = "sm90"} {
  require (N mod 32 == 0, N < 8193)
  %Y = output : memref<[32], f32, row_major, align 4>
  %S = scratch : memref<[132, 32], f32, row_major, align 4>
  %most = index (132)
  %want = index (N floordiv 32 * M)
  %blocks = min %most, %want
  grid (%blocks) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %t = %b to %want step %blocks carry (%acc = %zero) {
      %m, %n = tile_order %t of (M, N floordiv 32) rows
      %x = load %X[%m, 32 * %n + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %y = binary add %acc, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %y
    }
    grid_release
    store %s to %S[%b, i0]
  }
  grid (1) threads 32 {
    grid_wait
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %t = 0 to %blocks carry (%acc = %zero) {
      %x = load %S[%t, i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %y = binary add %acc, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %y
    }
    store %s to %Y[i0]
  }
  return %Y
}
