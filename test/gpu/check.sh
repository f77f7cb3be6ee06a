#!/bin/sh
# Runs the kernels of smoke.ptx on a GPU (sm_90a) and checks them against their programs on the CPU.
#
#   DLC_RUN=path/to/dlc-run sh test/gpu/check.sh
#
# Without DLC_RUN, `dlc-run` is looked for on the PATH.
set -u
run=${DLC_RUN:-dlc-run}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# check NAME SHAPE: twice, the second time with the module from the cache.
check() {
  "$run" "$here/smoke.tiny" --device=cpu --function="$1" --shape="$2" -o "$work/expected.npz" || bad=1
  for times in first again; do
    if "$run" "$here/smoke.json" --device=cuda --function="$1" --shape="$2" --check="$work/expected.npz"; then
      echo "ok: $1 $2 ($times)"
    else
      echo "FAILED: $1 $2 ($times)"
      bad=1
    fi
  done
}

# refuse CODE ARGS..: it fails with this code, and says so.
refuse() {
  code=$1
  shift
  if "$run" "$here/smoke.json" --device=cuda "$@" 2> "$work/err"; then
    echo "FAILED: $* does not fail"
    bad=1
  elif grep -q "$code" "$work/err"; then
    echo "ok: $* is refused:"
    cat "$work/err"
  else
    echo "FAILED: $* does not say $code:"
    cat "$work/err"
    bad=1
  fi
}

export XDG_CACHE_HOME="$work/cache"
check vecadd N=1
check vecadd N=100003
check tile_copy M=50,N=100
check tile_copy M=1,N=4
check window_copy B=2,H=7,W=9
check window_copy B=3,H=16,W=16
check row_sums M=100,N=50
check sums M=77,N=20
check sums M=1,N=2
refuse E0543 --function=tile_copy --shape=M=4,N=5
refuse E0543 --function=sums --shape=M=4,N=5
refuse E0557 --function=fault --shape=N=4
refuse E0558 --function=hang --shape=N=4 --time-limit=2
refuse E0553 --device=cuda:99 --function=vecadd --shape=N=4
"$run" "$here/smoke.json" --device=cuda --function=vecadd --shape=N=16777216 --bench || bad=1
"$run" "$here/smoke.json" --device=cuda --function=sums --shape=M=4096,N=512 --bench=20 --time || bad=1
[ $bad -eq 0 ] && echo "all as expected"
exit $bad
