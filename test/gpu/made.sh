#!/bin/sh
# Makes kernels of the programs of test/gpu/Inputs by the passes alone, in the suites of tools/python/compare.py, for a
# machine with a GPU:
#
#   DLC_BIN=target/release sh test/gpu/made.sh DIR [NAME..]
#   python3 tools/python/compare.py --kernels DIR
#
# DIR gets NAME.ptx and NAME.json for each program. A plan that stands in the program is kept; others are chosen, for the
# sizes that the line `// choose-plan:` of the program names. Without DLC_BIN, `dlc-opt` and `dlc-translate` are looked for on
# the PATH. What cannot be made is said, and left out; the exit status is then 1.
set -u
if [ $# -lt 1 ]; then
  echo "usage: sh test/gpu/made.sh DIR [NAME..]" >&2
  exit 2
fi
out=$1
shift
bin=${DLC_BIN:+$DLC_BIN/}
here=$(dirname "$0")/Inputs
bad=0
count=0
mkdir -p "$out" || exit 1
for program in "$here"/*.mlir; do
  name=$(basename "$program" .mlir)
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  options=$(sed -n 's,^// choose-plan: ,,p' "$program")
  passes="lower-frontend,tiny-to-region,choose-plan{${options:-assume=4096}},add-fallback,tensorize,kernel-schedule"
  if "${bin}dlc-opt" "$program" --pass-pipeline="$passes,kernel-to-ptx{fuse},licm{registers=128},cse,dce" -o "$out/$name.ir" &&
    "${bin}dlc-translate" "$out/$name.ir" --to-ptx -o "$out/$name.ptx"; then
    count=$((count + 1))
  else
    echo "FAILED: $name"
    rm -f "$out/$name.ptx" "$out/$name.json"
    bad=1
  fi
  rm -f "$out/$name.ir"
done
echo "$count kernels in $out"
exit $bad
