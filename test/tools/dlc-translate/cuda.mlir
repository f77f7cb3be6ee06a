// Kernels in instructions become CUDA C++ for people.

// RUN: dlc-opt %s --kernel-to-ptx --cse --dce | dlc-translate - --to-cuda | FileCheck %s

// What a kernel needs of C++ and of the machine is said first. What is made from the same input is the same.
// RUN: dlc-opt %s --kernel-to-ptx --cse --dce -o %t.mlir
// RUN: dlc-translate %t.mlir --to-cuda -o %t.cu
// RUN: dlc-translate %t.mlir --to-cuda | cmp %t.cu -
// CHECK: // nvcc -std=c++17 -O3 -fmad=false -gencode arch=compute_80,code=sm_80
// CHECK: #ifdef __CUDACC_RTC__
// CHECK: #include <cuda_fp16.h>
// CHECK: __device__ __forceinline__ uint32_t shared_address(const void* at) {
// CHECK: template <int A, int B>
// CHECK-NEXT: __device__ __forceinline__ void barrier_wait() {
// CHECK-NEXT: asm volatile("bar.sync %0, %1;"
// CHECK-NEXT: :
// CHECK-NEXT: : "n"(A), "n"(B)
// CHECK-NEXT: : "memory");
// CHECK-NEXT: }

// Vectors have words in C++.
// CHECK: __device__ __forceinline__ void ld_shared_v2_f32(float* d, uint32_t at) {
// CHECK-NEXT: const float2 all = *static_cast<const float2*>(__cvta_shared_to_generic(at));
// CHECK-NEXT: d[0] = all.x;
// CHECK-NEXT: d[1] = all.y;
// CHECK-NEXT: }

// A value that is used once stands where it is used; names that need none of their own are taken from what they are.
// CHECK: // double(X: f32 [N]) -> Y: f32 [N]
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(128, 1)
// CHECK-NEXT: double_0(const float* __restrict__ X, float* __restrict__ Y, int N) {
// CHECK-NEXT: const int thread = int(threadIdx.x);
// CHECK-NEXT: const int warp = __shfl_sync(0xffffffffu, thread >> 5, 0);
// CHECK-NEXT: const int [[I:i[0-9]+]] = int(blockIdx.x) * 128 + ((thread & 31) + warp * 32);
// CHECK-NEXT: const bool [[P:p[0-9]+]] = [[I]] < N;
// CHECK-NEXT: const float x = [[P]] ? __ldg(&X{{\[}}[[I]]{{\]}}) : 0.0f;
// CHECK-NEXT: if ([[P]]) Y{{\[}}[[I]]{{\]}} = x + x;
// CHECK-NEXT: }
kernel.func @double<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %x = load %X[128 * %b + i0] where (128 * %b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %y = binary add %x, %x : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %y to %Y[128 * %b + i0] where (128 * %b + i0 < N)
  }
  return %Y
}

// A loop counts, what it carries is written in place, and a fragment is an array, whose statements are rolled up. Values
// have the names that they have in the kernel.
// CHECK: // sums(X: f16 [M, N]) -> Y: f32 [M, 8]
// CHECK: sums_0(const __half* __restrict__ X, float* __restrict__ Y, int M, int N) {
// CHECK: float s0[8];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int r = 0; r < 8; ++r) {
// CHECK-NEXT: s0[r] = 0.0f;
// CHECK-NEXT: }
// CHECK-NEXT: for (int k = 0; k < n; ++k) {
// CHECK-NOT: while
// CHECK: __half x[8];
// CHECK: s0[r] += __half2float(x[r]);
// CHECK: }
kernel.func @sums<M, N>(%X: memref<[M, N], f16, row_major, align 2>) -> memref<[M, 8], f32, row_major, align 4> {
  %Y = output : memref<[M, 8], f32, row_major, align 4>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 8], f32, blocked [1, 8] lanes [32, 1] warps [1, 1]>
    %n = index (N ceildiv 8)
    %none = index (0)
    %s = for %k = 0 to %n carry (%s0 = %zero) {
      %x = load %X[32 * %b + i0, 8 * %k + i1] where (32 * %b + i0 < M, 8 * %k + i1 < N) : frag<[32, 8], f16, blocked [1, 8] lanes [32, 1] warps [1, 1]>
      %y = cast %x : frag<[32, 8], f32, blocked [1, 8] lanes [32, 1] warps [1, 1]>
      %s1 = binary add %s0, %y : frag<[32, 8], f32, blocked [1, 8] lanes [32, 1] warps [1, 1]>
      yield %s1
    }
    store %s to %Y[32 * %b + i0, i1] where (32 * %b + i0 < M)
  }
  return %Y
}

// Warps with a part of their own are conditions; what only PTX can say is a call.
// CHECK: // thread_groups(X: f32 [N]) -> Y: f32 [N]
// CHECK: thread_groups_0(
// CHECK: extern __shared__ __align__(1024) unsigned char shared_memory[];
// CHECK: const uint32_t smem = shared_address(shared_memory);
// CHECK: shared<float>(smem + {{.*}}) = x;
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (warp < 2) {
// CHECK-NEXT: barrier_wait<1, 64>();
// CHECK: ld_shared_v2_f32(
kernel.func @thread_groups<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (1) threads 128 {
    %s = shared : tile<[128], f32, row_major>
    %x = load %X[i0] where (i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store_shared %x to %s
    barrier
    %one = index (1)
    role low warps 0 to 2 {
      barrier id %one threads 64
      %y = load_shared %s : frag<[128], f32, blocked [2] lanes [32] warps [2]>
      %z = binary add %y, %y : frag<[128], f32, blocked [2] lanes [32] warps [2]>
      store %z to %Y[i0] where (i0 < N)
    }
  }
  return %Y
}

// A loop over tiles that counts on with what stood before it.
// CHECK: // tiles(X: f32 [N]) -> Y: f32 [N]
// CHECK: int b = int(blockIdx.x);
// CHECK: for (; b < {{.*}}; b += blocks) {
// CHECK-NOT: while
kernel.func @tiles<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (66) threads 32 {
    %b = block_id 0
    %blocks = grid_size 0
    for %t = %b to (N ceildiv 32) step %blocks {
      %x = load %X[32 * %t + i0] where (32 * %t + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store %x to %Y[32 * %t + i0] where (32 * %t + i0 < N)
    }
  }
  return %Y
}

// Halves that are read in vectors are taken apart into the array of their fragment.
// CHECK: // halves(X: f16 [1024]) -> Y: f32 [1024]
// CHECK: __half x[8];
// CHECK: unpack_halves(&x[2 * r], u0[r]);
// CHECK: float y[8];
// CHECK: y[r] = __half2float(x[r]);
kernel.func @halves(%X: memref<[1024], f16, row_major, align 16>) -> memref<[1024], f32, row_major, align 16> {
  %Y = output : memref<[1024], f32, row_major, align 16>
  grid (1) threads 128 {
    %x = load %X[i0] : frag<[1024], f16, blocked [8] lanes [32] warps [4]>
    %y = cast %x : frag<[1024], f32, blocked [8] lanes [32] warps [4]>
    store %y to %Y[i0]
  }
  return %Y
}
