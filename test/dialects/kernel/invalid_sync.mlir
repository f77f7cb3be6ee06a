// One case for each rule of barriers and tokens, reported at the op that breaks the rule.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

kernel.func @how_many_meet<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{a barrier with a number says how many threads meet, one without does not}}
    barrier id %n
  }
  return %Y
}

// -----

kernel.func @half_a_warp_meets<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{32 to 1024 threads meet, in whole warps, not 48}}
    barrier id %n threads 48
  }
  return %Y
}

// -----

kernel.func @one_meets_nobody<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    elect {
    // expected-error@+1 {{E1702 'kernel.barrier': one thread alone cannot wait for others of its warp}}
      barrier
    }
  }
  return %Y
}

// -----

kernel.func @one_lane_meets_nobody<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    elect {
    // expected-error@+1 {{E1702 'kernel.warp_sync': one thread alone cannot wait for the other lanes of its warp}}
      warp_sync
    }
  }
  return %Y
}

// -----

kernel.func @some_lanes<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 32 {
    %t = const 1 : frag<[32], i1, blocked [1] lanes [32] warps [1]>
    %z = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %y = warp_if %t : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      // expected-error@+1 {{E1702 'kernel.warp_sync': a warp does this alone: it may only compute on registers here}}
      warp_sync
      yield %z
    } else {
      yield %z
    }
  }
  return %Y
}

// -----

kernel.func @too_many_arrive<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{32 to 1024 threads meet, in whole warps, not 2048}}
    barrier_arrive id %n threads 2048
  }
  return %Y
}

// -----

kernel.func @one_arrives<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    elect {
    // expected-error@+1 {{E1702 'kernel.barrier_arrive': whole warps arrive at a barrier, not one thread}}
      barrier_arrive id %n threads 128
    }
  }
  return %Y
}

// -----

kernel.func @nobody_arrives<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{1 to 1048575 arrive at an mbarrier, not 0}}
    %b = mbarriers arrivals 0 : mbarrier<1>
  }
  return %Y
}

// -----

kernel.func @which_barrier<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (0)
    %b = mbarriers arrivals 1 : mbarrier<2>
    // expected-error@+1 {{there are 2 barriers: of several one is named, as in '%full[%s]'}}
    wait %b parity %n
  }
  return %Y
}

// -----

kernel.func @the_only_barrier<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (0)
    %b = mbarriers arrivals 1 : mbarrier<1>
    // expected-error@+1 {{there are 1 barriers: of several one is named}}
    arrive %b[%n] by one
  }
  return %Y
}

// -----

kernel.func @too_many_bytes<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
    // expected-error@+1 {{an mbarrier counts up to 1048575 bytes, not 1048576}}
      expect %b bytes 1048576
    }
  }
  return %Y
}

// -----

kernel.func @all_threads_expect<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<1>
    // expected-error@+1 {{E1702 'kernel.expect': one thread expects bytes: put it into 'elect' or a 'single' role}}
    expect %b bytes 16
  }
  return %Y
}

// -----

kernel.func @no_token<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{there must be a token}}
    await
  }
  return %Y
}

// -----

kernel.func @a_token_of_a_product<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %t = done : token<compute>
    // expected-error@+1 {{the tokens must be those of stores, 'token<epilogue>'}}
    await_read %t
  }
  return %Y
}

// -----

kernel.func @one_waits_for_the_cluster(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (2) cluster [2] threads 128 {
    elect {
      // expected-error@+1 {{E1702 'kernel.cluster_barrier': whole warps wait for a cluster, not one thread}}
      cluster_barrier
    }
  }
  return %Y
}

// -----

kernel.func @a_single_role_waits_for_the_cluster(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (2) cluster [2] threads 128 {
    role a warps 0 to 4 single {
      // expected-error@+1 {{E1702 'kernel.cluster_barrier': whole warps wait for a cluster, not one thread}}
      cluster_barrier
    }
  }
  return %Y
}

// -----

kernel.func @all_wait_for_the_cluster(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (2) cluster [2] threads 128 {
    cluster_barrier
  }
  return %Y
}

// -----

kernel.func @as_many_arrive_as_can(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1048575 : mbarrier<1>
  }
  return %Y
}

// -----

kernel.func @one_more_arrives(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{1 to 1048575 arrive at an mbarrier, not 1048576}}
    %b = mbarriers arrivals 1048576 : mbarrier<1>
  }
  return %Y
}

// -----

kernel.func @as_many_bytes_as_can_be(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
      expect %b bytes 1048575
    }
  }
  return %Y
}

// -----

kernel.func @the_last_barrier(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %n = index (15)
    barrier id %n threads 128
  }
  return %Y
}

// -----

kernel.func @after_the_last_barrier(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %n = index (16)
    // expected-error@+1 {{a block has the barriers 0 to 15, and 16 is none of them}}
    barrier id %n threads 128
  }
  return %Y
}

// -----

kernel.func @before_the_first_barrier(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %n = index (-1)
    // expected-error@+1 {{a block has the barriers 0 to 15, and -1 is none of them}}
    barrier_arrive id %n threads 128
  }
  return %Y
}

// -----

// The integer of a loop is one of them in each round.
kernel.func @barriers_of_a_loop(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    for %i = -1 to 16 {
      // expected-error@+1 {{a block has the barriers 0 to 15, and -1 is none of them}}
      barrier id %i threads 128
    }
    for %j = 0 to 20 step 4 {
      // expected-error@+1 {{a block has the barriers 0 to 15, and 16 is none of them}}
      barrier id %j threads 128
    }
    for %k = 8 to 16 {
      barrier id %k threads 128
    }
  }
  return %Y
}
