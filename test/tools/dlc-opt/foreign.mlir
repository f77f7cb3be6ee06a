// Programs of other compilers: whose they are, how a model comes in, and what dlc calls the op.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'func' is a dialect of MLIR, which dlc does not read: a PyTorch model comes in by `dlc.compile(model, inputs)` of the Python package, which calls `torch.export`, and any other model as a graph in JSON (docs/json.md); here it is 'frontend.graph' or 'tiny.func'}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
}

// -----

// expected-error@+1 {{'stablehlo' is a dialect of StableHLO, which dlc does not read}}
%0 = stablehlo.broadcast_in_dim %x, dims = [0]

// -----

// In generic form as well. One part of a name says what it computes.
// expected-error@+1 {{'torch' is a dialect of PyTorch, which dlc does not read: a PyTorch model comes in by `dlc.compile(model, inputs)` of the Python package, which calls `torch.export`, and any other model as a graph in JSON (docs/json.md); here it is 'frontend.relu' or 'tiny.relu'}}
"torch.aten.relu"() : () -> ()

// -----

// expected-error@+1 {{'onnx' is a dialect of ONNX, which dlc does not read: a PyTorch model comes in by `dlc.compile(model, inputs)` of the Python package, which calls `torch.export`, and any other model as a graph in JSON (docs/json.md); here it is 'frontend.gemm' or 'tiny.contract'}}
"onnx.MatMul"() : () -> ()

// -----

// A kernel is no model.
// expected-error@+1 {{'tt' is a dialect of Triton, which dlc does not read: write what the kernel computes in the layer tiny, and dlc makes a kernel of it; here it is 'frontend.graph' or 'tiny.func'}}
tt.func @f() {
}

// -----

// A dialect that nobody is known to have.
// expected-error@+1 {{no dialect registers the op 'nobody.knows'; with --allow-unregistered-dialect it is taken as it stands, in generic form}}
"nobody.knows"() : () -> ()
