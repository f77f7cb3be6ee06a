#!/bin/sh
# Makes kernels of one product whose plans divide its sums in different ways, for tools/python/compare.py on a machine with a
# GPU:
#
#   DLC_BIN=target/release sh test/gpu/shared_steps.sh DIR
#   python3 tools/python/compare.py gemm --kernels DIR --dtype f16 --layout nn --no-compile --shapes MxNxK
#
# DIR gets gemm_TILE_WAY.ptx and .json: 'turns' has a tile of 128 by 128 for each group, 'shared' one of 256 by 128 for both;
# 'whole' divides nothing, 'split2' and 'split4' every sum, 'stream' those of the last tiles. Without DLC_BIN, `dlc-opt` and
# `dlc-translate` are looked for on the PATH. What cannot be made is said, and left out; the exit status is then 1.
set -u
if [ $# -ne 1 ]; then
  echo "usage: sh test/gpu/shared_steps.sh DIR" >&2
  exit 2
fi
out=$1
bin=${DLC_BIN:+$DLC_BIN/}
bad=0
mkdir -p "$out" || exit 1
for tile in turns shared; do
  case $tile in
  turns) rows=128 stages=6 roles=ping_pong ;;
  shared) rows=256 stages=4 roles=cooperative ;;
  esac
  for way in whole split2 split4 stream; do
    case $way in
    whole) sums= ;;
    split*) sums="split_k ${way#split} through workspace" ;;
    stream) sums="stream_k at_least 8" ;;
    esac
    name=gemm_${tile}_$way
    cat >"$out/$name.mlir" <<EOF
region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (D: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to D as f16
}
plan.schedule of @gemm for sm90 {
  tile (m: $rows, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma [64, 128, 16]
  stages $stages
  persistent sms
  order grouped 8 along m
  roles $roles consumers 2
  registers (producer: 40, consumer: 232)
  $sums
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  swizzle (A: 128, B: 128)
  barrier mbarrier
  async prefetch $((stages - 1)) overlap_epilogue
}
EOF
    passes="tensorize,kernel-schedule,kernel-to-ptx{fuse},licm{registers=128},cse,dce"
    if "${bin}dlc-opt" "$out/$name.mlir" --pass-pipeline="$passes" -o "$out/$name.ir" &&
      "${bin}dlc-translate" "$out/$name.ir" --to-ptx -o "$out/$name.ptx"; then
      :
    else
      echo "FAILED: $name"
      rm -f "$out/$name.ptx" "$out/$name.json"
      bad=1
    fi
    rm -f "$out/$name.ir" "$out/$name.mlir"
  done
done
exit $bad
