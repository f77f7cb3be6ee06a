ptx.func @one<N>() -> memref<[N], f32> attributes {target = "sm_80"} {
  %Y = kernel.output : memref<[N], f32>
  entry "one_0" (1) threads 32 shared 0 memory (%Y) {
  ^start(%y: i64):
    exit
  }
  kernel.return %Y
}
ptx.func @two<N>() -> memref<[N], f32> attributes {target = "sm_80"} {
  %Y = kernel.output : memref<[N], f32>
  entry "two_0" (1) threads 32 shared 0 memory (%Y) {
  ^start(%y: i64):
    exit
  }
  kernel.return %Y
}
