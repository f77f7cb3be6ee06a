// What is no schedule: words that there are not, clauses said twice, attributes of another kind.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

plan.schedule for sm90 {
  // expected-error@+1 {{E0001 a schedule has no clause 'tiles'; did you mean 'tile'?}}
  tiles (m: 64)
}

// -----

plan.schedule for sm90 {
  // expected-error@+1 {{a schedule has no clause 'threads_per_block'; the clauses are tile, reduced, fix,}}
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
