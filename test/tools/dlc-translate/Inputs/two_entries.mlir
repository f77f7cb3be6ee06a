ptx.func @f<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  entry "f_0" (1) threads 32 shared 0 sizes (N) {
  ^start(%n: i32):
    %p = setp.lt.s32 %n, 3
    bra_if %p, ^first, ^second
  ^first:
    bra ^second
  ^second:
    %q = setp.lt.s32 %n, 5
    bra_if %q, ^first, ^end
  ^end:
    exit
  }
  kernel.return %X
}
