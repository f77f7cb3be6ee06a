// RUN: dlc-opt %s --verify-diagnostics

// A view looks only at blocks that are what they are declared to be; what is wrong with others is said of them.
book.func private @none() -> tensor<[], f32>
"poly.view"() <{of = @none, symbols = [], tensors = [], types = []}> ({
  // expected-error@+5 {{the attribute 'domain' is missing}}
  // expected-error@+4 {{the attribute 'out' is missing}}
  // expected-error@+3 {{the attribute 'reduce' is missing}}
  // expected-error@+2 {{the attribute 'reads' is missing}}
  // expected-error@+1 {{the attribute 'writes' is missing}}
  "poly.block"() <{sym_name = "s"}> : () -> ()
}) : () -> ()
