#!/usr/bin/env bash
# Compares the answers of the working tree with those of another revision; see README.md.
set -euo pipefail
export GOWORK=off
rev=df741b5
if [ "${1:-}" = -rev ]; then
  rev=${2:?-rev needs a revision}
  shift 2
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${INPOLY_CORPUS:?names no folder of meshes}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# The old revision is exported, so nothing in the repository changes.
mkdir "$tmp/old"
git -C "$root" archive "$rev" | tar -x -C "$tmp/old"
(cd "$tmp/old" && go build -trimpath -buildvcs=false -o "$tmp/inpoly-old" ./cmd/inpoly)
(cd "$root" && go build -trimpath -buildvcs=false -o "$tmp/inpoly-new" ./cmd/inpoly)
(cd "$here" && go build -trimpath -buildvcs=false -o "$tmp/compare" .)
"$tmp/compare" -old "$tmp/inpoly-old" -new "$tmp/inpoly-new" -intended "$here/intended.txt" "$@"
