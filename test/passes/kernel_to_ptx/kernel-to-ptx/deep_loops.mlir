// Loops around each other that carry a stage and its parity, of which the deepest are not looked through for their range:
// these have 64 bits.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --shape=N=9 --seed=1 -o %t.npz
// RUN: dlc-run %t.mlir --shape=N=9 --seed=1 --check=%t.npz

// CHECK: xor.b64
kernel.func @deep<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (1) threads 32 {
    %b = block_id 0
    %z = index (0)
    %o0:2 = for %k0 = 0 to 1 step 1 carry (%s0 = %z, %p0 = %z) : index, index {
      %o1:2 = for %k1 = 0 to 1 step 1 carry (%s1 = %s0, %p1 = %p0) : index, index {
        %o2:2 = for %k2 = 0 to 1 step 1 carry (%s2 = %s1, %p2 = %p1) : index, index {
          %o3:2 = for %k3 = 0 to 1 step 1 carry (%s3 = %s2, %p3 = %p2) : index, index {
            %o4:2 = for %k4 = 0 to 1 step 1 carry (%s4 = %s3, %p4 = %p3) : index, index {
              %o5:2 = for %k5 = 0 to 1 step 1 carry (%s5 = %s4, %p5 = %p4) : index, index {
                %o6:2 = for %k6 = 0 to 1 step 1 carry (%s6 = %s5, %p6 = %p5) : index, index {
                  %o7:2 = for %k7 = 0 to 1 step 1 carry (%s7 = %s6, %p7 = %p6) : index, index {
                    %o8:2 = for %k8 = 0 to 1 step 1 carry (%s8 = %s7, %p8 = %p7) : index, index {
                      %o9:2 = for %k9 = 0 to 1 step 1 carry (%s9 = %s8, %p9 = %p8) : index, index {
                        %o10:2 = for %k10 = 0 to 1 step 1 carry (%s10 = %s9, %p10 = %p9) : index, index {
                          %o11:2 = for %k11 = 0 to 1 step 1 carry (%s11 = %s10, %p11 = %p10) : index, index {
                            %o12:2 = for %k12 = 0 to 1 step 1 carry (%s12 = %s11, %p12 = %p11) : index, index {
                              %o13:2 = for %k13 = 0 to 1 step 1 carry (%s13 = %s12, %p13 = %p12) : index, index {
                                %o14:2 = for %k14 = 0 to 1 step 1 carry (%s14 = %s13, %p14 = %p13) : index, index {
                                  %o15:2 = for %k15 = 0 to 1 step 1 carry (%s15 = %s14, %p15 = %p14) : index, index {
                                    %o16:2 = for %k16 = 0 to 1 step 1 carry (%s16 = %s15, %p16 = %p15) : index, index {
                                      %o17:2 = for %k17 = 0 to 1 step 1 carry (%s17 = %s16, %p17 = %p16) : index, index {
                                        %o18:2 = for %k18 = 0 to 1 step 1 carry (%s18 = %s17, %p18 = %p17) : index, index {
                                          %o19:2 = for %k19 = 0 to 1 step 1 carry (%s19 = %s18, %p19 = %p18) : index, index {
                                            %o20:2 = for %k20 = 0 to 1 step 1 carry (%s20 = %s19, %p20 = %p19) : index, index {
                                              %o21:2 = for %k21 = 0 to 1 step 1 carry (%s21 = %s20, %p21 = %p20) : index, index {
                                                %o22:2 = for %k22 = 0 to 1 step 1 carry (%s22 = %s21, %p22 = %p21) : index, index {
                                                  %o23:2 = for %k23 = 0 to 1 step 1 carry (%s23 = %s22, %p23 = %p22) : index, index {
                                                    %x = load %X[%b + i0] where (%b + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
                                                    store %x to %Y[%b + i0] where (%b + i0 < N)
                                                    %n:2 = advance %s23, %p23 over 3
                                                    yield %n, %n#1
                                                  }
                                                  yield %o23, %o23#1
                                                }
                                                yield %o22, %o22#1
                                              }
                                              yield %o21, %o21#1
                                            }
                                            yield %o20, %o20#1
                                          }
                                          yield %o19, %o19#1
                                        }
                                        yield %o18, %o18#1
                                      }
                                      yield %o17, %o17#1
                                    }
                                    yield %o16, %o16#1
                                  }
                                  yield %o15, %o15#1
                                }
                                yield %o14, %o14#1
                              }
                              yield %o13, %o13#1
                            }
                            yield %o12, %o12#1
                          }
                          yield %o11, %o11#1
                        }
                        yield %o10, %o10#1
                      }
                      yield %o9, %o9#1
                    }
                    yield %o8, %o8#1
                  }
                  yield %o7, %o7#1
                }
                yield %o6, %o6#1
              }
              yield %o5, %o5#1
            }
            yield %o4, %o4#1
          }
          yield %o3, %o3#1
        }
        yield %o2, %o2#1
      }
      yield %o1, %o1#1
    }
  }
  return %Y
}
