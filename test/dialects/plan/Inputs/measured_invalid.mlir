// expected-error@+1 {{E0201 'plan.measured': it was measured for one target that is built in}}
plan.measured k for sm80 or sm90 { kernel "0000000000000000" device d driver 13000 nanoseconds 1 }

// -----

// expected-error@+1 {{there is no target 'sm91'}}
plan.measured k for sm91 { kernel "0000000000000000" device d driver 13000 nanoseconds 1 }

// -----

// expected-error@+1 {{'kernel' must be 16 hexadecimal digits, but is '12'}}
plan.measured k for sm90 { kernel "12" device d driver 13000 nanoseconds 1 }

// -----

// expected-error@+1 {{'nanoseconds' is 0, and a kernel takes time}}
plan.measured k for sm90 { kernel "0000000000000000" device d driver 13000 nanoseconds 0 }

// -----

// expected-error@+2 {{'sizes' says that M is -1}}
// expected-error@+1 {{'sizes' has 'M' twice}}
plan.measured k for sm90 { kernel "0000000000000000" sizes (M: 2, M: -1) device d driver 13000 nanoseconds 1 }

// -----

// Its plan is checked as any other.
plan.measured k for sm90 {
  kernel "0000000000000000" device d driver 13000 nanoseconds 1
  // expected-error@+1 {{E1601 'plan.measured': 'tile' of 'm' is 0, which is not from 1 to 16777216}}
  tile (m: 0)
}

// -----

// expected-error@+1 {{expected the clause 'device' of a measured plan}}
plan.measured k for sm90 { kernel "0000000000000000" driver 13000 nanoseconds 1 }

// -----

// expected-error@+1 {{'driver' is given twice}}
plan.measured k for sm90 { kernel "0000000000000000" driver 13000 driver 1 }

// -----

// expected-error@+1 {{a measured plan has no clause 'tiles'; did you mean 'tile'?}}
plan.measured k for sm90 { kernel "0000000000000000" device d driver 13000 nanoseconds 1 tiles (m: 1) }

// -----

// expected-error@+1 {{must be the attributes of a schedule that names no kernel}}
"plan.measured"() <{device = "d", driver = 13000, kernel = "0000000000000000", name = "k", nanoseconds = 1, plan = {target = ["sm90"], tiles = 3}, sizes = []}> : () -> ()
