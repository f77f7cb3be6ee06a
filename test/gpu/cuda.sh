#!/bin/sh
# Writes kernels as CUDA C++ that checks itself, compiles them with nvcc, and runs them on a GPU:
#
#   DLC_BIN=target/release sh test/gpu/cuda.sh DIR [write|compile|run]
#
# DIR gets NAME.cu and what is made of it. `write` and `compile` stop after that, for a machine without a GPU. Without
# DLC_BIN, `dlc-opt` and `dlc-translate` are looked for on the PATH. Code for sm_80 is also compiled for sm_90a. There is a
# line for each kernel, machine and sizes; the exit status is 1 if one of them failed.
set -u
if [ $# -lt 1 ]; then
  echo "usage: sh test/gpu/cuda.sh DIR [write|compile|run]" >&2
  exit 2
fi
out=$1
until=${2:-run}
bin=${DLC_BIN:+$DLC_BIN/}
nvcc=${NVCC:-nvcc}
tests=$(dirname "$0")/..
bad=0
mkdir -p "$out" || exit 1

# checked NAME PROGRAM MACHINES SIZES..: a kernel in instructions, $out/NAME.mlir, compared with a program, at sizes.
checked() {
  name=$1 program=$2 machines=$3
  shift 3
  if ! "${bin}dlc-opt" "$program" --emit=region -o "$out/$name.region.mlir" ||
    ! "${bin}dlc-translate" "$out/$name.mlir" --to-cuda --against="$out/$name.region.mlir" -o "$out/$name.cu"; then
    echo "FAILED: $name is not written"
    bad=1
    return
  fi
  if [ "$until" = write ]; then
    echo "ok: $name is written"
    return
  fi
  for machine in $machines; do
    # The flags are several words.
    # shellcheck disable=SC2086
    # Later machines run what is for sm_80 as PTX.
    code=$machine
    [ "$machine" = sm_80 ] && code='[sm_80,compute_80]'
    if ! "$nvcc" -std=c++17 -O3 -fmad=false -gencode "arch=compute_${machine#sm_},code=$code" ${NVCC_FLAGS:-} \
      -o "$out/$name.$machine" "$out/$name.cu"; then
      echo "FAILED: $name does not compile for $machine"
      bad=1
      continue
    fi
    if [ "$until" = compile ]; then
      echo "ok: $name for $machine compiles"
      continue
    fi
    for sizes in "$@"; do
      # The sizes are several words.
      # shellcheck disable=SC2086
      if said=$("$out/$name.$machine" $sizes 2>&1); then
        echo "ok: $name for $machine, $sizes: $said" | tr '\n' ' '
        echo
      else
        echo "FAILED: $name for $machine, $sizes: $said"
        bad=1
      fi
    done
  done
}

# kernel NAME PROGRAM MACHINES SIZES..: a kernel by hand and what it computes.
kernel() {
  name=$1 program=$2 machines=$3
  shift 3
  "${bin}dlc-opt" "$tests/kernels/$name.mlir" --kernel-to-ptx --cse --dce --print-locations -o "$out/$name.mlir" &&
    checked "$name" "$tests/kernels/Inputs/$program.mlir" "$machines" "$@" || bad=1
}

# program NAME FILE MACHINES PASSES SIZES..: a program on its way down.
program() {
  name=$1 file=$2 machines=$3 passes=$4
  shift 4
  # The passes are several words. What is private is not launched by itself, so the program of launches is left out.
  # shellcheck disable=SC2086
  # The optimizer of nvcc 13.0 does not end on products without a plan; with less of it nvcc takes seconds.
  "${bin}dlc-opt" "$file" $passes --kernel-to-ptx --cse --dce --print-locations -o "$out/$name.mlir" &&
    NVCC_FLAGS="${NVCC_FLAGS:-} -Xcicc -O1" checked "$name" "$file" "$machines" "$@" || bad=1
}

kernel gemm_pingpong gemm sm_90a "M=1 N=8 K=8" "M=300 N=136 K=200" "M=1000 N=1000 K=1000"
kernel gemm_cooperative gemm sm_90a "M=1 N=8 K=8" "M=300 N=272 K=328" "M=1000 N=1000 K=1000"
kernel chain chain sm_90a "Z=1 M=1 N=8" "Z=2 M=200 N=136" "Z=5 M=72 N=200"
kernel conv_im2col conv sm_90a "B=1 H=1 W=1 C=8 O=8" "B=3 H=9 W=12 C=72 O=136"
kernel conv_window conv_window sm_90a "B=1 H=1" "B=2 H=5"
kernel attention attention sm_90a "B=1 S=1 T=1" "B=2 S=200 T=250" "B=5 S=65 T=113"
kernel attention_causal attention_causal sm_90a "B=1 S=1 T=1" "B=2 S=200 T=250" "B=1 S=450 T=450"
kernel row_softmax softmax sm_90a "M=1 N=1" "M=3 N=1000" "M=2 N=8185" "M=9 N=13" "M=5 N=4096" "M=4 N=8192"
kernel row_layernorm layernorm sm_90a "M=1 N=1" "M=3 N=1000" "M=2 N=8185" "M=9 N=13" "M=5 N=4096" "M=4 N=8192"
kernel row_rmsnorm rmsnorm sm_90a "M=1 N=1" "M=3 N=1000" "M=2 N=8185" "M=9 N=13" "M=5 N=4096" "M=4 N=8192"
kernel gelu_add gelu_add sm_90a "M=1 N=1" "M=3 N=1000" "M=2 N=8185" "M=9 N=13" "M=5 N=4096" "M=4 N=8192"
kernel gemm_small_m gemm_small_m sm_90a "M=1 N=8 K=8" "M=16 N=136 K=72" "M=16 N=128 K=832"
kernel gemm_sm80 gemm_nn "sm_80 sm_90a" "M=1 N=8 K=8" "M=150 N=136 K=264" "M=1000 N=1000 K=1000"
kernel sgemm sgemm "sm_80 sm_90a" "M=1 N=4 K=4" "M=150 N=132 K=36" "M=1000 N=1000 K=1000"
for form in reference contract; do
  program "walkthrough_$form" "$tests/cuda/walkthrough_$form.tiny" "sm_80 sm_90a" --tiny-to-kernel "M=150 N=130 K=70"
done
exit $bad
