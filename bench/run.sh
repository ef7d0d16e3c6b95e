#!/bin/sh
# Measures inpoly against its peers in one run and prints Markdown tables.
#
#   INPOLY_PEERS=DIR bench/run.sh > bench/RESULTS.md
#
# DIR holds the drivers of the peers: build.sh, which needs the Debian packages
# named in it, and gen.py, which writes the meshes and the points. Both are kept
# in BENCH_DIR (default: a folder in the temporary directory) for the next run.
set -eu
cd "$(dirname "$0")/.."
: "${INPOLY_PEERS:?set INPOLY_PEERS to the folder of the peers' drivers}"
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/inpoly-bench}
mkdir -p "$dir/bin" "$dir/data"
[ -x "$dir/bin/cgal" ] || sh "$INPOLY_PEERS/build.sh" "$dir/bin" >&2
[ -f "$dir/data/foam_r1e6.f64" ] || /usr/bin/python3 "$INPOLY_PEERS/gen.py" "$dir/data" >&2
go run ./bench -peers "$dir/bin" -data "$dir/data" "$@"
