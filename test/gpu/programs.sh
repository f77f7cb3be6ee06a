#!/bin/sh
# Writes the programs of test/programs as PTX, with what they are run on and what they must give, for a machine with a
# GPU:
#
#   DLC_BIN=target/release sh test/gpu/programs.sh DIR
#   python3 tools/python/run_programs.py DIR
#
# DIR gets a folder for each program, with inputs.npz, expected.npz, and VARIANT.json and VARIANT.ptx for each variant.
# Without DLC_BIN, `dlc-opt` and `dlc-translate` are looked for on the PATH. What cannot be translated is said, and left
# out; the exit status is then 1.
set -u
if [ $# -ne 1 ]; then
  echo "usage: sh test/gpu/programs.sh DIR" >&2
  exit 2
fi
out=$1
bin=${DLC_BIN:+$DLC_BIN/}
programs=$(dirname "$0")/../programs
bad=0

# translate NAME VARIANT PASSES..: on one of the ways down, to PTX.
translate() {
  name=$1 variant=$2
  shift 2
  to=$out/$name/$variant
  if "${bin}dlc-opt" "$programs/$name/graph.json" "$@" -o "$to.mlir" &&
    "${bin}dlc-translate" "$to.mlir" --to-ptx -o "$to.ptx"; then
    count=$((count + 1))
  else
    echo "FAILED: $name ($variant)"
    rm -f "$to.ptx" "$to.json"
    bad=1
  fi
  rm -f "$to.mlir"
}

count=0
for folder in "$programs"/*/; do
  name=$(basename "$folder")
  [ -f "$folder/graph.json" ] || continue
  mkdir -p "$out/$name" || exit 1
  cp "$folder/inputs.npz" "$folder/expected.npz" "$out/$name/" || exit 1
  translate "$name" default --tiny-to-ptx
  translate "$name" fma --tiny-to-region --tensorize=instruction=fma --region-to-ptx
  translate "$name" sm80 --tiny-to-ptx-sm80
  translate "$name" sm90 --tiny-to-ptx-sm90
done
echo "$count programs in $out"
exit $bad
