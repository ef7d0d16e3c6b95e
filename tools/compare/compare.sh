#!/usr/bin/env bash
# Shows whether the working tree gives the answers of another revision; see README.md.
set -euo pipefail
export GOWORK=off

rev=df741b5 sample=0 jobs=1 work=2000000000 filter=
cache=${COMPARE_CACHE:-${TMPDIR:-/tmp}/inpoly-compare}
parts="answers commands"
usage="usage: compare.sh [-rev REVISION] [-sample MESHES] [-jobs N] [-work N] [-filter REGEXP] [-cache DIR] [-only answers|commands]"
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || { echo "$usage" >&2; exit 2; }
  case $1 in
    -rev) rev=$2 ;;
    -sample) sample=$2 ;;
    -jobs) jobs=$2 ;;
    -work) work=$2 ;;
    -filter) filter=$2 ;;
    -cache) cache=$2 ;;
    -only) parts=$2 ;;
    *) echo "$usage" >&2; exit 2 ;;
  esac
  shift 2
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ -z "${INPOLY_CORPUS:-}" ] && [ -f "$root/../shared/corpus/MANIFEST.tsv" ]; then
  INPOLY_CORPUS=$(cd "$root/../shared/corpus" && pwd)
fi
: "${INPOLY_CORPUS:?is not set: no corpus of meshes}"
export INPOLY_CORPUS
rev=$(git -C "$root" rev-parse "$rev^{commit}")
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# The old revision, with this program inside its module. The tree is an export, not a
# worktree: nothing in the repository changes.
tree=$cache/${rev:0:12}
if [ ! -d "$tree" ]; then
  rm -rf "$tree.new" && mkdir "$tree.new"
  git -C "$root" archive "$rev" | tar -x -C "$tree.new"
  mv "$tree.new" "$tree"
fi
rm -rf "$tree/internal/compare" && mkdir "$tree/internal/compare"
cp "$here"/*.go "$tree/internal/compare"
mkdir -p "$cache/bin"
echo "building"
(cd "$tree" && go build -trimpath -buildvcs=false -tags base -o "$cache/bin/old-compare" ./internal/compare &&
  go build -trimpath -buildvcs=false -o "$cache/bin/old-inpoly" ./cmd/inpoly)
(cd "$here" && go build -trimpath -buildvcs=false -o "$cache/bin/new-compare" .)
(cd "$root" && go build -trimpath -buildvcs=false -o "$cache/bin/new-inpoly" ./cmd/inpoly)

# Records are kept by what made them: an interrupted run goes on, and the old revision is
# asked once.
key() { { cat "$@"; echo "$rev $work $INPOLY_CORPUS"; } | sha256sum | cut -c1-12; }
old=$cache/records-old-$(cd "$here" && key adapter_base.go cases.go points.go record.go run.go)
new=$cache/records-new-$(key "$cache/bin/new-compare")

status=0
for part in $parts; do
  case $part in
    answers)
      "$cache/bin/old-compare" run -out "$old" -sample "$sample" -jobs "$jobs" -work "$work" -filter "$filter"
      "$cache/bin/new-compare" run -out "$new" -sample "$sample" -jobs "$jobs" -work "$work" -filter "$filter"
      "$cache/bin/new-compare" diff -old "$old" -new "$new" -sample "$sample" -work "$work" -filter "$filter" \
        -old-program "$cache/bin/old-compare" -new-program "$cache/bin/new-compare" -intended "$here/intended.txt" || status=1
      ;;
    commands)
      "$cache/bin/new-compare" commands -tree "$tree" -sample "$sample" \
        -old-program "$cache/bin/old-inpoly" -new-program "$cache/bin/new-inpoly" -intended "$here/intended.txt" || status=1
      ;;
    *) echo "$usage" >&2; exit 2 ;;
  esac
done
exit $status
