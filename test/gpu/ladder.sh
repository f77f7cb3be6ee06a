#!/bin/sh
# Makes kernels of the rungs of test/ladder that have no tensor cores, for factors of f32 whose rows begin at multiples of 16
# bytes, in a suite of tools/python/compare.py, for a machine with a GPU:
#
#   DLC_BIN=target/release sh test/gpu/ladder.sh DIR
#   python3 tools/python/compare.py sgemm --kernels DIR
#
# DIR gets sgemm_N.ptx and sgemm_N.json for rung N. Without DLC_BIN, `dlc-opt` and `dlc-translate` are looked for on the PATH.
# What cannot be made is said, and left out; the exit status is then 1.
set -u
if [ $# -ne 1 ]; then
  echo "usage: sh test/gpu/ladder.sh DIR" >&2
  exit 2
fi
out=$1
bin=${DLC_BIN:+$DLC_BIN/}
here=$(dirname "$0")/../ladder
bad=0
mkdir -p "$out" || exit 1
for rung in 1 2 3 4 5 6 7; do
  name=sgemm_$rung
  # The last two say how many elements an access takes: four of f32, if rows have as many.
  sed -e 's/f16/f32/g; s/ widen//; s/[AB]: 8/&x/g; s/8x/4/g' -e 's/memref<\(\[., .\]\), f32>/memref<\1, f32, row_major, align 16>/g' \
    -e '/^  vectors/i\  assume (K: 4, N: 4)' "$here/$rung"-*.mlir >"$out/$name.mlir"
  if "${bin}dlc-opt" "$out/$name.mlir" --pass-pipeline="tensorize,kernel-schedule,kernel-to-ptx{fuse},licm{registers=128},cse,dce" -o "$out/$name.ir" &&
    "${bin}dlc-translate" "$out/$name.ir" --to-ptx -o "$out/$name.ptx"; then
    :
  else
    echo "FAILED: $name"
    rm -f "$out/$name.ptx" "$out/$name.json"
    bad=1
  fi
  rm -f "$out/$name.ir" "$out/$name.mlir"
done
exit $bad
