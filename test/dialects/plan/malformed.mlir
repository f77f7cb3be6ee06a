// What is no schedule: words that there are not, clauses said twice, attributes of another kind.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

plan.schedule for sm90 {
  // expected-error@+1 {{E0001 a schedule has no clause 'tiles'; did you mean 'tile'?}}
  tiles (m: 64)
}

// -----

plan.schedule for sm90 {
  // expected-error@+1 {{a schedule has no clause 'threads_per_block'; in a schedule it is 'threads (m: 8, n: 16)', the grid of the threads}}
  threads_per_block 64
}

// -----

plan.schedule for sm90 {
  stages 2
  // expected-error@+1 {{E0001 'stages' is given twice}}
  stages 3
}

// -----

plan.schedule for sm90 {
  deterministic
  // expected-error@+1 {{E0001 'deterministic' is given twice}}
  deterministic
}

// -----

plan.schedule for sm90 {
  // expected-error@+1 {{E0001 'imma' is no instruction; it is one of fma, mma, wgmma; did you mean 'mma'?}}
  instruction imma
}

// -----

plan.schedule for sm90 {
  // expected-error@+1 {{E0001 expected a clause of a schedule or '}', found an integer}}
  64
}

// -----

// expected-error@+1 {{E0001 expected 'for', found '{'}}
plan.schedule {}

// -----

plan.target @mine like sm90 {
  // expected-error@+1 {{E0001 a target has no clause 'sm'; did you mean 'sms'?}}
  sm 66
}

// -----

plan.target @mine like sm90 {
  sms 66
  // expected-error@+1 {{E0001 'sms' is given twice}}
  sms 67
}

// -----

// expected-error@+1 {{E0205 'plan.schedule': the attribute 'tile' must be a list of axes with a number each, such as [["m", 128], ["n", 64]]}}
"plan.schedule"() <{target = ["sm90"], tile = {m = 64}}> : () -> ()

// -----

// expected-error@+1 {{the attribute 'target' must be a list of targets, such as ["sm90", @mine]}}
"plan.schedule"() <{target = []}> : () -> ()

// -----

// expected-error@+1 {{the attribute 'caches' must be a list of cached tensors, {tensor = "A", where = "smem"}}}
"plan.schedule"() <{target = ["sm90"], caches = [{tensor = "A", where = "smem", speed = 3}]}> : () -> ()

// -----

// expected-error@+1 {{the attribute 'deterministic' must be unit}}
"plan.schedule"() <{target = ["sm90"], deterministic = false}> : () -> ()

// -----

// expected-error@+1 {{the attribute 'rates' must be a list of rates, such as [["mma.f16", 2048]]}}
"plan.target"() <{sym_name = "mine", like = "sm90", rates = {a = 1}}> : () -> ()

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'num_warps'; in a schedule it is 'warps (m: 2, n: 2)', the grid of the warps}}
  num_warps 4
}

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'num_stages'; in a schedule it is 'stages 4'}}
  num_stages 3
}

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'cluster_shape'; in a schedule it is 'cluster (m: 2)'}}
  cluster_shape (m: 2)
}

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'BLOCK_M'; in a schedule it is 'tile (m: 128)', of all axes in one clause}}
  BLOCK_M 128
}

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'ping'; in a schedule it is 'roles ping_pong consumers 2' or 'roles cooperative consumers 2'}}
  ping-pong
}

// -----

plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{a schedule has no clause 'flavour'; 'dlc-opt --help=plan.schedule' lists the clauses, and docs/plan.md describes them}}
  flavour 3
}
