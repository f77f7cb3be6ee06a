#!/bin/sh
# Runs mutants of kernels on a GPU: edits of synchronization that check-async accepts. Each gives what the evaluator of
# instructions computed, without compute-sanitizer and under it.
#
#   cargo xtask mutants --count 400 --sizes 3 --orders 8 --emit DIR
#   DLC_RUN=target/release/dlc-run sh test/gpu/mutants.sh DIR [TOOL..]
#
# The tools are memcheck and synccheck if none is named; racecheck reports false alarms for bulk copies. `plain` runs without
# a tool. MUTANTS_LIMIT (60) is the seconds that one run may take, MUTANTS_JOBS (8) run at once. There is a line for each run
# that is not clean, and one for each tool; the exit status is 0 if all are clean. Without DLC_RUN, `dlc-run` is looked for on
# the PATH.
set -u
if [ $# -lt 1 ]; then
  echo "usage: sh test/gpu/mutants.sh DIR [TOOL..]" >&2
  exit 2
fi
folder=$1
shift
[ $# -gt 0 ] || set -- plain memcheck synccheck
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export run="${DLC_RUN:-dlc-run}" logs limit="${MUTANTS_LIMIT:-60}"
bad=0
all=$(find "$folder" -name '*.args' | wc -l)
if [ "$all" -eq 0 ]; then
  echo "there are no mutants in $folder" >&2
  exit 2
fi
for tool in "$@"; do
  export tool
  find "$folder" -name '*.args' | sort | xargs -P "${MUTANTS_JOBS:-8}" -I FILE sh -c '
    case=${1%.args}
    name=${case%.*}
    log=$logs/$tool.$(echo "$case" | tr / _)
    under="compute-sanitizer --tool $tool --error-exitcode 9 --report-api-errors no"
    [ "$tool" = plain ] && under=""
    if timeout "$limit" $under "$run" "$name.json" $(cat "$1") --device=cuda --no-cache --check="$case.npz" > "$log" 2>&1 &&
      { [ -z "$under" ] || grep -q "ERROR SUMMARY: 0 errors" "$log"; }; then
      touch "$log.clean"
    else
      echo "$tool: $case: $(grep -v "COMPUTE-SANITIZER" "$log" | grep -m 2 "^=========\|error\|Error" | tr "\n" " ")"
    fi' sh FILE
  clean=$(find "$logs" -name "$tool.*.clean" | wc -l)
  echo "$tool: $clean of $all clean"
  [ "$clean" -eq "$all" ] || bad=1
done
exit $bad
