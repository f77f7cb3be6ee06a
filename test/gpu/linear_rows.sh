#!/bin/sh
# Makes kernels of a product whose rows are reduced next, in one kernel and in two, for tools/python/compare.py on a machine with
# a GPU:
#
#   DLC_BIN=target/release sh test/gpu/linear_rows.sh DIR [TARGET]
#   python3 tools/python/compare.py linear_rows --kernels DIR
#
# DIR gets linear_softmax_N_one.ptx and .json, and so on: softmax and layer norm of rows of 10, 100 and 256 elements, for plans
# at 4096 rows and sums of 1024. 'one' keeps the rows in the registers of the product's tiles, whatever the balance of
# `form-regions` says, 'two' stores the product first, and 'chosen' is what the balance says. TARGET is sm90 or sm80 (sm90).
# Without DLC_BIN, `dlc-opt` and `dlc-translate` are looked for on the PATH. What cannot be made is said, and left out; the exit
# status is then 1.
set -u
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: sh test/gpu/linear_rows.sh DIR [TARGET]" >&2
  exit 2
fi
out=$1
target=${2:-sm90}
bin=${DLC_BIN:+$DLC_BIN/}
bad=0
mkdir -p "$out" || exit 1
for columns in 10 100 256; do
  for rows in softmax layernorm; do
    case $rows in
    softmax) last="softmax %l over 1" ;;
    layernorm) last="layer_norm %l eps 1.0e-05" ;;
    esac
    for way in one two chosen; do
      # Of many rows one kernel is faster; with a limit of one element no kernel holds rows.
      case $way in
      one) limits="symbols=[M:1048576,K:1024]" ;;
      two) limits="symbols=[M:4096,K:1024] max-width=1" ;;
      chosen) limits="symbols=[M:4096,K:1024]" ;;
      esac
      name=linear_${rows}_${columns}_$way
      cat >"$out/$name.mlir" <<END
frontend.graph @$name<M, K>(%X: tensor<[M, K], f16>, %W: tensor<[$columns, K], f16>, %b: tensor<[$columns], f16>) -> tensor<[M, $columns], f16> {
  %l = linear %X, %W bias %b acc f32
  %Y = $last
  output %Y as f16
}
END
      passes="lower-frontend,tiny-to-region{$limits},choose-plan{target=$target symbols=[M:4096,K:1024]},add-fallback,tensorize"
      passes="$passes,kernel-schedule,kernel-to-ptx{fuse},licm{registers=128},cse,dce,check-registers"
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
done
exit $bad
