// Loads and stores of device memory: how wide they are, what guards them, atomics.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s

// Four elements at once where layout and alignment allow it. Memory that nothing writes is loaded as such.
// CHECK-LABEL: ptx.func @whole(
// CHECK: %[[AT:.+]] = mad.wide.s32 %{{.+}}, 4, %X
// CHECK: %[[A:.+]].0, %[[A]].1, %[[A]].2, %[[A]].3 = ld.global.nc{{.*}}.v4.f32 [%[[AT]]]
// CHECK: %[[A]].4, %[[A]].5, %[[A]].6, %[[A]].7 = ld.global.nc{{.*}}.v4.f32 [%[[AT]] + 512]
// CHECK: st.global.v4.f32 [%[[TO:.+]]], {%[[A]].0, %[[A]].1, %[[A]].2, %[[A]].3}
// CHECK-NEXT: st.global.v4.f32 [%[[TO]] + 512], {%[[A]].4, %[[A]].5, %[[A]].6, %[[A]].7}
kernel.func @whole(%X: memref<[4, 256], f32, row_major, align 16>) -> memref<[4, 256], f32, row_major, align 16> {
  %Y = output : memref<[4, 256], f32, row_major, align 16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] hint evict_last : frag<[4, 256], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// A guard that holds for a whole vector or for none of it is a predicate; else there is another number.
// CHECK-LABEL: ptx.func @uniform<M>(
// CHECK: %[[IN:.+]] = setp.lt.s32 %{{.+}}, %M
// CHECK: %[[ELSE:.+]] = mov.f32 1.0
// CHECK: %[[A:.+]].0, %[[A]].1, %[[A]].2, %[[A]].3 = ld.global.nc.v4.f32 [%{{.+}}] if %[[IN]] else %[[ELSE]], %[[ELSE]], %[[ELSE]], %[[ELSE]]
// CHECK: st.global.v4.f32 [%{{.+}}], {%[[A]].0, %[[A]].1, %[[A]].2, %[[A]].3} if %[[IN]]
// CHECK-NOT: bra
// CHECK: exit
kernel.func @uniform<M>(%X: memref<[M, 256], f32, row_major, align 16>) -> memref<[M, 256], f32, row_major, align 16> {
  %Y = output : memref<[M, 256], f32, row_major, align 16>
  grid (M ceildiv 4) threads 128 {
    %b = block_id 0
    %x = load %X[4 * %b + i0, i1] where (4 * %b + i0 < M) else 1.0 : frag<[4, 256], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %x to %Y[4 * %b + i0, i1] where (4 * %b + i0 < M)
  }
  return %Y
}

// A guard that may cut a vector apart: where it holds for all of the vector or for nothing of it, the vector is loaded as
// one, or not at all; else there is a way for single elements.
// CHECK-LABEL: ptx.func @cut<N>(
// CHECK: %[[FIRST:.+]] = setp.lt.s32 %[[COLUMN:.+]], %N
// CHECK-NEXT: %[[THREE:.+]] = add.s32 %[[COLUMN]], 3
// CHECK-NEXT: %[[LAST:.+]] = setp.lt.s32 %[[THREE]], %N
// CHECK-NEXT: %[[ALL:.+]] = and.pred %[[FIRST]], %[[LAST]]
// CHECK-NEXT: %[[SOME:.+]] = or.pred %[[FIRST]], %[[LAST]]
// CHECK-NEXT: %[[NONE:.+]] = not.pred %[[SOME]]
// CHECK-NEXT: %[[WHOLE:.+]] = or.pred %[[ALL]], %[[NONE]]
// CHECK-NEXT: %[[CUT:.+]] = not.pred %[[WHOLE]]
// CHECK-NEXT: bra_if %[[CUT]], ^bb2, ^bb1
// CHECK-NEXT: ^bb1:
// CHECK: ld.global.nc.v2.b32 [%{{.+}}] if %[[ALL]] else
// CHECK: ^bb2:
// CHECK: ld.global.nc.b16 [%[[AT:.+]]] if %[[FIRST]] else
// CHECK: ld.global.nc.b16 [%[[AT]] + 2] if
// CHECK: ld.global.nc.b16 [%[[AT]] + 4] if
// CHECK: ld.global.nc.b16 [%[[AT]] + 6] if %[[LAST]] else
// CHECK: ^bb3(%{{.+}}: i32, %{{.+}}: i32):
// CHECK: bra_if %[[CUT]], ^bb5, ^bb4
// CHECK: st.global.v2.b32 [%[[TO:.+]]], {%{{.+}}, %{{.+}}} if %[[ALL]]
// CHECK: st.global.b16 [%[[TO]]], %{{.+}} if %[[FIRST]]
// CHECK: st.global.b16 [%[[TO]] + 6], %{{.+}} if %[[LAST]]
kernel.func @cut<N>(%X: memref<[4, 128], f16, row_major, align 8>) -> memref<[4, 128], f16, row_major, align 8> {
  %Y = output : memref<[4, 128], f16, row_major, align 8>
  grid (1) threads 128 {
    %x = load %X[i0, i1] where (i1 < N) : frag<[4, 128], f16, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %x to %Y[i0, i1] where (i1 < N)
  }
  return %Y
}

// Memory that is aligned to an element is loaded by elements; to two of them, stored by two.
// CHECK-LABEL: ptx.func @narrow(
// CHECK-COUNT-8: ld.global.nc.f32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.v2.f32
// CHECK-NOT: st.global
// CHECK: exit
kernel.func @narrow(%X: memref<[4, 256], f32, row_major, align 4>) -> memref<[4, 256], f32, row_major, align 8> {
  %Y = output : memref<[4, 256], f32, row_major, align 8>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[4, 256], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// Positions from a fragment.
// CHECK-LABEL: ptx.func @gather<N>(
// CHECK: %[[P:.+]] = ld.global.nc.b32
// CHECK: %[[IN:.+]] = setp.lt.u32 %[[P]], %N
// CHECK: ld.global.nc.f32 [%{{.+}}] if %[[IN]]
kernel.func @gather<N>(%X: memref<[N, 32], f32, row_major, align 4>, %P: memref<[4], i32, row_major, align 4>) -> memref<[4, 32], f32, row_major, align 4> {
  %Y = output : memref<[4, 32], f32, row_major, align 4>
  grid (1) threads 128 {
    %p = load %P[i0] : frag<[4], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [4, 1])>
    %i = cast %p : frag<[4], index, slice 1 of (blocked [1, 1] lanes [1, 32] warps [4, 1])>
    %rows = broadcast %i along 1 : frag<[4, 32], index, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    %x = load %X[%rows, i1] where (0 <= %rows < N) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// A number of one place: all threads load it.
// CHECK-LABEL: ptx.func @scalar(
// CHECK: %[[P:.+]] = ld.global.nc.b32 [%P{{.*}} + 8]
// CHECK: add.s32 %{{.+}}, %[[P]]
kernel.func @scalar(%P: memref<[4], i32, row_major, align 4>) -> memref<[32], i32, row_major, align 4> {
  %Y = output : memref<[32], i32, row_major, align 4>
  grid (1) threads 32 {
    %p = load %P[2] : i32
    %one = index (i0) : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %q = binary add %one, %p : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    store %q to %Y[i0]
  }
  return %Y
}

// What several blocks store to one place is combined in memory.
// CHECK-LABEL: ptx.func @atomics(
// CHECK: red.global.add.f32
// CHECK: red.global.max.s32
// Bits of floats are in order as integers where they are not negative, and in reverse order elsewhere. NaN wins.
// CHECK: %[[NAN:.+]] = setp.nan.f32
// CHECK: %[[BITS:.+]] = selp.b32 -1, %{{.+}}, %[[NAN]]
// CHECK: %[[NEGATIVE:.+]] = setp.lt.s32 %[[BITS]], 0
// CHECK: %[[OTHER:.+]] = not.pred %[[NEGATIVE]]
// CHECK: red.global.min.s32 [%{{.+}}], %[[BITS]] if %[[OTHER]]
// CHECK: red.global.max.u32 [%{{.+}}], %[[BITS]] if %[[NEGATIVE]]
kernel.func @atomics(%X: memref<[32], f32, row_major, align 4>, %I: memref<[32], i32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[32], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[32], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %i = load %I[i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    store combine sum %x to %Y[i0]
    store combine max %i to %Z[i0]
    store combine min %x to %Y[i0]
  }
  return %Y, %Z
}

// sm90 adds four neighbours in one step, others one after another; where a row ends within four, they are added one by one.
// CHECK-LABEL: ptx.func @added_vectors<
// CHECK: red.global.add.v4.f32 [%{{.+}}], {
// CHECK: red.global.add.f32
kernel.func @added_vectors<N>(%X: memref<[32, 128], f32, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[32, 128], f32, row_major, align 16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store combine sum %x to %Y[i0, i1] where (i1 < N)
  }
  return %Y
}

// CHECK-LABEL: ptx.func @added_one_by_one(
// CHECK-COUNT-4: red.global.add.f32
// CHECK-NOT: red.global.add.v
kernel.func @added_one_by_one(%X: memref<[4, 128], f32, row_major, align 16>) -> memref<[4, 128], f32, row_major, align 16> attributes {target = "sm80"} {
  %Y = output : memref<[4, 128], f32, row_major, align 16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store combine sum %x to %Y[i0, i1]
  }
  return %Y
}

// An element that several threads have is stored by one of them.
// CHECK-LABEL: ptx.func @rows_once(
// CHECK: %[[FIRST:.+]] = setp.eq.s32 %{{.+}}, 0
// CHECK: red.global.add.f32 [%{{.+}}], %{{.+}} if %[[FIRST]]
// CHECK: st.global.f32 [%{{.+}}], %{{.+}} if %[[FIRST]]
kernel.func @rows_once(%X: memref<[4], f32, row_major, align 4>) -> memref<[4], f32, row_major, align 4> {
  %Y = output : memref<[4], f32, row_major, align 4>
  grid (1) threads 128 {
    %x = load %X[i0] : frag<[4], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [4, 1])>
    store combine sum %x to %Y[i0]
    store %x to %Y[i0]
  }
  return %Y
}

// As many elements as the text says, where more would do, and where nothing else says that so many would.
// CHECK-LABEL: ptx.func @said<N>(
// CHECK-COUNT-2: ld.global.nc.v2.f32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.f32 [%{{.+}}], {%{{.+}}} if %{{.+}}
// CHECK-NOT: bra
// CHECK: exit
kernel.func @said<N>(%X: memref<[4, 128], f32, row_major, align 16>) -> memref<[4, 128], f32, row_major, align 16> {
  %Y = output : memref<[4, 128], f32, row_major, align 16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] vector 2 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %x to %Y[i0, i1] where (i1 < N) vector 4
  }
  return %Y
}

// Rows that TMA sees are whole 16 bytes, or the launch is refused: they begin aligned for threads, too.
// CHECK-LABEL: ptx.func @seen<M, K>(
// CHECK: ld.global.nc.v4.b32
kernel.func @seen<M, K>(%X: memref<[M, K], f16, row_major, align 16>) -> memref<[M, K], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[M, K], f16, row_major, align 16>
  %m = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (M) threads 32 {
    %b = block_id 0
    %x = load %X[%b, i0] where (i0 < K) : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %x to %Y[%b, i0] where (i0 < K)
  }
  return %Y
}

// Unaligned rows are aligned at an element before them: what an index takes away counts.
// CHECK-LABEL: ptx.func @shifted<M, N>(
// CHECK: bra_if
// CHECK: ld.global.nc.v4.b32
kernel.func @shifted<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> {
  require (N <= 249)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 32 {
    %b = block_id 0
    %shift = index ((%b * N) mod 8)
    %x = load %X[%b, i0 - %shift] where (0 <= i0 - %shift < N) : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %x to %Y[%b, i0 - %shift] where (0 <= i0 - %shift < N)
  }
  return %Y
}

// A condition that holds for all of a vector or for none of it is asked once for it.
// CHECK-LABEL: ptx.func @asked_once<N>(
// CHECK: %[[IN:.+]] = setp.lt.s32 %{{.+}}, %N
// CHECK-NOT: setp
// CHECK-COUNT-8: selp.f32 %{{.+}}, 1.0, %[[IN]]
// CHECK-NOT: setp
// CHECK: exit
kernel.func @asked_once<N>(%X: memref<[256], f32, row_major, align 16>) -> memref<[256], f32, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[256], f32, row_major, align 16>
  grid (1) threads 32 {
    %one = const 1.0 : f32
    %x = load %X[i0] : frag<[256], f32, blocked [8] lanes [32] warps [1]>
    %y = select where (i0 < N) then %x else %one : frag<[256], f32, blocked [8] lanes [32] warps [1]>
    store %y to %Y[i0]
  }
  return %Y
}
