#!/bin/sh
# Runs kernels on tensors of more than 2^31 elements on a GPU (sm_90a, 20 GB of its memory), and compares them with torch:
#
#   DLC_RUN=path/to/dlc-run sh test/gpu/large.sh
#
# - a copy of one axis, softmax of rows, products of matrices with a large result and with a large factor;
# - kernels with places of 32 bits, which must be refused.
#
# It needs torch and cuda-bindings, as tools/python does. Without DLC_RUN, `dlc-run` is looked for on the PATH. The last
# line is `all as expected`, and the exit status 0.
set -u
run=${DLC_RUN:-dlc-run}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FILE FUNCTION NAME [SIZES]: NAME.json and NAME.ptx for these sizes, or for none in particular.
compile() {
  "$run" "$1" --function="$2" --device=none --target=sm90 --emit-manifest="$work/$3.json" ${4:+--shape=$4} || exit 1
}

inputs=$here/Inputs
compile "$here/large_copy.mlir" copy copy_wide N=2148532229
compile "$here/large_copy.mlir" copy copy_narrow
compile "$inputs/row_softmax.mlir" row_softmax softmax_wide M=1048579,N=2056
compile "$inputs/row_softmax.mlir" row_softmax softmax_narrow
compile "$inputs/gemm_nt_f16.mlir" gemm_nt_f16 result_wide M=46400,N=46400,K=128
compile "$inputs/gemm_nt_f16.mlir" gemm_nt_f16 factor_wide M=1048640,N=136,K=2056
compile "$inputs/gemm_nt_f16.mlir" gemm_nt_f16 result_narrow
python3 "$here/large.py" "$work"
