#!/bin/sh
# Compiles and runs programs on a GPU (sm_90a), all by `dlc-run`:
#
#   DLC_RUN=path/to/dlc-run sh test/gpu/run_programs.sh [LOG.csv]
#
# - every program of test/programs, for sm80 and sm90 and without plans, each checked and with a line in the log;
# - programs on other layers: regions with and without a plan, kernels by hand;
# - the kernel and the plan of the specification, both JSON, with B in three layouts, by mma and by wgmma;
# - what must be refused;
# - products of matrices next to cublasLt, where that is installed.
#
# Without DLC_RUN, `dlc-run` is looked for on the PATH. The last line is `all as expected`, and the exit status 0.
set -u
run=${DLC_RUN:-dlc-run}
here=$(dirname "$0")
tests=$here/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=${1:-$work/log.csv}
bad=0

good() { echo "ok: $*"; }
fail() {
  echo "FAILED: $*"
  bad=1
}

# refuse CODE ARGS..: it fails with this code, and says so.
refuse() {
  code=$1
  shift
  if "$run" "$@" > /dev/null 2> "$work/err"; then
    fail "$* does not fail"
  elif grep -q "$code" "$work/err"; then
    good "$* is refused:"
    head -3 "$work/err"
  else
    fail "$* does not say $code:"
    cat "$work/err"
  fi
}

# same FILE ARGS..: the GPU gives what the CPU gives.
same() {
  file=$1
  shift
  "$run" "$file" --device=cpu "$@" -o "$work/expected.npz" || bad=1
  if "$run" "$file" --device=cuda "$@" --check="$work/expected.npz"; then
    good "$file $*"
  else
    fail "$file $*"
  fi
}

export XDG_CACHE_HOME="$work/cache"

# Products of narrow floats are summed without rounding them, which moves the block of GPT-2 by 0.09, as on the CPU
# (test/programs/README.md): the bounds of that hold for it, those of each program for all others.
for way in --target=sm80 --target=sm90 --plan=off; do
  "$run" --batch="$tests/programs" --device=cuda "$way" --time > "$work/out" 2> "$work/err"
  cat "$work/out"
  if [ "$(grep -c 'as expected$' "$work/out")" -ge 18 ] && ! grep -v '^ *gpt2_block' "$work/out" | grep -Eq 'differs$|fails$'; then
    good "programs $way"
  else
    fail "programs $way"
    cat "$work/err"
  fi
  if "$run" --batch="$tests/programs" --device=cuda "$way" --rtol=0.1 --atol=0.1 --log="$log" > "$work/out" 2> "$work/err"; then
    good "programs $way within 0.1"
  else
    fail "programs $way within 0.1"
    cat "$work/out" "$work/err"
  fi
done

# Any layer, symbols of sizes, odd ones.
same "$tests/dialects/tiny/gemm_bias_relu.mlir" --function=gemm_bias_relu --shape=M=150,N=130,K=70
same "$tests/dialects/tiny/gemm_bias_relu.mlir" --function=gemm_bias_relu --shape=M=256,N=512,K=128
same "$here/smoke.tiny" --function=vecadd --shape=N=100003
same "$here/smoke.tiny" --function=sums --shape=M=77,N=20
same "$tests/pipelines/recurrence.mlir" --shape=B=5
for form in nn nt tn tt bf16 f32 bias_relu; do
  same "$here/gemm.mlir" --function=$form --shape=M=200,N=264,K=136
  same "$here/gemm.mlir" --function=$form --shape=M=101,N=67,K=33
done
same "$tests/kernels/gemm_sm80.mlir" --shape=M=200,N=264,K=136
same "$tests/kernels/gemm_pingpong.mlir" --shape=M=200,N=264,K=136
same "$tests/kernels/row_softmax.mlir" --shape=M=33,N=1001

# The kernel and the plan of the specification from their JSON alone, with three layouts of B, against f64.
plans=$tests/pipelines/Inputs
for shape in M=150,N=136,K=72 M=256,N=512,K=128 M=1000,N=520,K=1032; do
  "$run" "$plans/gemm-bias-relu-f64.json" --device=cpu --shape=$shape -o "$work/f64.npz" || bad=1
  for kernel in "$tests/golden/region/gemm-bias-relu.json" "$plans/gemm-bias-relu.json" "$plans/gemm-bias-relu-strided.json"; do
    for way in "sm80 $tests/dialects/plan/json/specification.json" "sm90 $plans/specification-sm90.json"; do
      if "$run" "$kernel" --device=cuda --target="${way%% *}" --plan="${way#* }" --shape=$shape \
        --check="$work/f64.npz" --rtol=0.002 --atol=0.002 2> "$work/err"; then
        good "$kernel ${way#* } $shape"
      else
        fail "$kernel ${way#* } $shape"
        cat "$work/err"
      fi
    done
  done
done

# What is written runs again.
if "$run" "$here/gemm.mlir" --function=nn --device=cuda --shape=M=256,N=256,K=128 --emit-manifest="$work/gemm.json" -o "$work/a.npz" &&
  "$run" "$work/gemm.json" --device=cuda --shape=M=256,N=256,K=128 --check="$work/a.npz" --rtol=0 --atol=0; then
  good "--emit-manifest"
else
  fail "--emit-manifest"
fi

refuse E0553 "$here/smoke.tiny" --function=vecadd --shape=N=4 --device=cuda:99
refuse E0556 "$here/large.tiny" --shape=M=46340,N=46340 --device=cuda
refuse E0563 "$here/smoke.tiny" --function=vecadd --shape=N=4 --device=cuda --log="$here/smoke.tiny"

# measure ARGS..: how long it takes, and that a call takes less than 10 us besides the driver's own.
measure() {
  "$run" "$@" --device=cuda --bench --time > "$work/out" || fail "$* --bench"
  cat "$work/out"
  awk 'NR == 2 && $(NF - 1) - $NF >= 10 { exit 1 }' "$work/out" || fail "$*: a call takes too long"
}

measure "$here/smoke.tiny" --function=vecadd --shape=N=16777216
measure "$here/smoke.tiny" --function=sums --shape=M=4096,N=512
measure "$tests/programs/gpt2_block/graph.json"
measure "$here/gemm.mlir" --function=nn --shape=M=512,N=512,K=512
measure "$here/gemm.mlir" --function=nn --shape=M=4096,N=4096,K=4096 --log="$log"

# Measured next to cublasLt, where that is installed: LD_LIBRARY_PATH must have its folder.
if "$run" "$here/gemm.mlir" --function=nn --shape=M=256,N=256,K=256 --device=cuda --against=cublaslt 2> "$work/err"; then
  for form in nn nt tn tt bf16 bias_relu; do
    "$run" "$here/gemm.mlir" --function=$form --shape=M=4096,N=4096,K=4096 --device=cuda --against=cublaslt || bad=1
  done
  "$run" "$here/gemm.mlir" --function=nn --shape=M=4096,N=4096,K=4096 --device=cuda --target=sm80 --against=cublaslt || bad=1
  "$run" "$here/gemm.mlir" --function=f32 --shape=M=2048,N=2048,K=2048 --device=cuda --against=cublaslt || bad=1
  refuse E0565 "$here/smoke.tiny" --function=vecadd --shape=N=4 --device=cuda --against=cublaslt
elif grep -q E0564 "$work/err"; then
  echo "not measured against cublasLt: it is not installed"
else
  fail "--against=cublaslt"
  cat "$work/err"
fi

[ $bad -eq 0 ] && echo "all as expected"
exit $bad
