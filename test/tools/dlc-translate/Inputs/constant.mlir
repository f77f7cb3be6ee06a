ptx.func private @twice() -> memref<[4], f32> attributes {target = "sm_80"} {
  %Y = kernel.output : memref<[4], f32>
  entry "twice_0" (1) threads 32 shared 0 {
    exit
  }
  kernel.return %Y
}
host.func @program() -> memref<[4], f32> {
  %one = const 1.0 : f32 : memref<[4], f32>
  return %one
}
