#!/bin/sh
# Compares the speed of this checkout with another revision, by benchstat.
#
#   evidence/bench/compare.sh REV                            the benchmarks that gate a change
#   evidence/bench/compare.sh REV -count 10                  more runs of each, interleaved (default: 6)
#   evidence/bench/compare.sh REV -bench Sides -benchtime 100ms
#   evidence/bench/compare.sh REV ./neighbor ./bvh           other packages: those of both revisions, or the
#                                                   bench_test.go of this one if REV has none
#
# The gate is internal/apitest (the root package: build, sides, single points, distances, winding numbers) and
# ./cmd/inpoly (CSV and NPY from file to file). Their benchmarks are copied from here into the
# worktree of REV, so REV need not have them. Nothing else should run on the machine meanwhile.
set -eu
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
BENCHSTAT=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
export GOWORK=off
cd "$(dirname "$0")/../.."
new=$PWD rev=$1 count=6 bench=. time=1s packages=
shift
while [ $# -gt 0 ]; do
  case $1 in
    -count) count=$2; shift ;;
    -bench) bench=$2; shift ;;
    -benchtime) time=$2; shift ;;
    -*) echo "compare.sh: unknown flag $1" >&2; exit 2 ;;
    *) packages="$packages $1" ;;
  esac
  shift
done
tmp=$(mktemp -d)
trap 'git worktree remove --force "$tmp/old" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
git worktree add --quiet --detach "$tmp/old" "$rev"
if [ -z "$packages" ]; then
  packages="./internal/apitest ./cmd/inpoly"
  for package in $packages; do
    mkdir -p "$tmp/old/$package"
    cp "$package/bench_test.go" "$tmp/old/$package/"
  done
fi
for package in $packages; do
  [ -e "$tmp/old/$package/bench_test.go" ] || cp "$package/bench_test.go" "$tmp/old/$package/"
  name=$(echo "$package" | tr -c 'a-zA-Z0-9\n' _)
  (cd "$tmp/old/$package" && go test -c -o "$tmp/old$name.test" .)
  (cd "$new/$package" && go test -c -o "$tmp/new$name.test" .)
done
i=0
while [ $i -lt "$count" ]; do
  i=$((i + 1))
  for package in $packages; do
    name=$(echo "$package" | tr -c 'a-zA-Z0-9\n' _)
    for side in old new; do
      dir=$new
      [ $side = new ] || dir=$tmp/old
      echo "run $i of $count: $side $package" >&2
      (cd "$dir/$package" && "$tmp/$side$name.test" -test.run '^$' -test.bench "$bench" -test.benchtime "$time" -test.timeout 0) >> "$tmp/$side.txt"
    done
  done
done
go run "$BENCHSTAT" "old=$tmp/old.txt" "new=$tmp/new.txt"
