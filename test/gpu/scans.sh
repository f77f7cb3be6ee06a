#!/bin/sh
# Compiles scans for `scans.py`, which checks and times them against torch on a machine with a GPU (sm_90a):
#
#   DLC_RUN=path/to/dlc-run sh test/gpu/scans.sh DIR
#   python3 test/gpu/scans.py DIR
#
# The second command needs DIR and tools/python alone. Without DLC_RUN, `dlc-run` is looked for on the PATH. A scan that
# cannot be compiled is named, and the exit status is then 1.
set -u
if [ $# -ne 1 ]; then
  echo "usage: sh test/gpu/scans.sh DIR" >&2
  exit 2
fi
run=${DLC_RUN:-dlc-run}
mkdir -p "$1" || exit 1
python3 "$(dirname "$0")/scans.py" --write "$1" || exit 1
bad=0
for program in "$1"/*.mlir; do
  name=$(basename "$program" .mlir)
  sizes=$(sed -n 's,^// shape: ,,p' "$program")
  "$run" "$program" --device=none --target=sm90 --emit-manifest="$1/$name.json" ${sizes:+--shape=$sizes} || {
    echo "FAILED: $name"
    bad=1
  }
done
exit $bad
