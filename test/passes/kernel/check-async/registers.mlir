// What is done on registers alone is not followed: a product that is awaited is theirs, and neither a branch that chooses
// between fragments nor a loop over them decides anything that others notice. The condition of the branch is data, and how often
// the loop runs is so large that it could not be followed.

// RUN: dlc-opt %s --check-async --no-output --remarks=analysis 2>&1 | FileCheck %s

// CHECK: verified: 1 cell of sizes with 1 block, {{.*}}; 1 run of 5 steps
kernel.func @registers<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %first = load %X[0, 0] : f16
    %low = const 0.5 : f16
    %few = binary lt %first, %low : i1
    store_shared %x to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %t = wgmma %s, %s transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    await %t
    %chosen = if %few : frag<[64, 64], f32, wgmma> {
      %n = unary neg %c : frag<[64, 64], f32, wgmma>
      yield %n
    } else {
      yield %c
    }
    %y = for %k = 0 to 1000000000000 carry (%sum = %chosen) : frag<[64, 64], f32, wgmma> {
      %more = binary add %sum, %c : frag<[64, 64], f32, wgmma>
      yield %more
    }
    store %y to %Y[i0, i1]
  }
  return %Y
}
