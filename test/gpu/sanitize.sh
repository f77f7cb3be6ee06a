#!/bin/sh
# Runs translated programs under compute-sanitizer: no access outside of memory, no race in shared memory, and right
# numbers.
#
#   DLC_BIN=target/release sh test/gpu/programs.sh DIR
#   DLC_RUN=target/release/dlc-run sh test/gpu/sanitize.sh DIR [TOOL..]
#
# The tools are memcheck and racecheck if none is named. There is a line for each program that is not clean, and one for
# each tool. Numbers are compared as test/programs.rs does it, by what sums of f16 may differ. SANITIZE_JOBS (8) run at
# once. Without DLC_RUN, `dlc-run` is looked for on the PATH.
set -u
if [ $# -lt 1 ]; then
  echo "usage: sh test/gpu/sanitize.sh DIR [TOOL..]" >&2
  exit 2
fi
folder=$1
shift
[ $# -gt 0 ] || set -- memcheck racecheck
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export run="${DLC_RUN:-dlc-run}" logs
bad=0
for tool in "$@"; do
  export tool
  find "$folder" -name '*.ptx' | sort | xargs -P "${SANITIZE_JOBS:-8}" -I FILE sh -c '
    name=${1%.ptx}
    log=$logs/$tool.$(echo "$name" | tr / _)
    inputs=$(dirname "$name")
    if compute-sanitizer --tool "$tool" --error-exitcode 9 --report-api-errors no \
      "$run" "$name.json" "$inputs/inputs.npz" --device=cuda --no-cache --time-limit=300 --check="$inputs/expected.npz" --rtol=0.1 --atol=0.1 > "$log" 2>&1 &&
      grep -q "ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards" "$log"; then
      touch "$log.clean"
    else
      echo "$tool: $name: $(grep -m 2 "^=========\|error" "$log" | tr "\n" " ")"
    fi' sh FILE
  clean=$(find "$logs" -name "$tool.*.clean" | wc -l)
  all=$(find "$folder" -name '*.ptx' | wc -l)
  echo "$tool: $clean of $all clean"
  [ "$clean" -eq "$all" ] || bad=1
done
exit $bad
