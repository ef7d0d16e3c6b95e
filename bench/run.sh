#!/bin/sh
# Measures inpoly against its peers in one run and prints Markdown tables.
#
#   INPOLY_PEERS=DIR bench/run.sh > bench/RESULTS.md     all tables, about 40 minutes
#   INPOLY_PEERS=DIR bench/run.sh -only cells,build      some of them
#   INPOLY_PEERS=DIR bench/run.sh -quick                 does it run at all: a minute
#
# The tables are query, cells, memory, build, scale, total, multipoles, potential,
# open, depth, distance, neighbors, motion, dynamics, collide, clouds, load and cancel; the
# comment of bench/main.go says what they are. Other flags: -threads, -reps and
# -calls, see -help. Seconds a table go to standard error. Nothing else should
# run on the machine meanwhile.
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
for peer in cgal_distance embree_distance cgal_boxes; do
  [ -x "$dir/bin/$peer" ] && [ ! "bench/$peer/main.cpp" -nt "$dir/bin/$peer" ] && continue
  g++ -O3 -march=native -DNDEBUG -std=c++17 -pthread -DCGAL_HAS_THREADS -I"$INPOLY_PEERS" \
    "bench/$peer/main.cpp" -o "$dir/bin/$peer" -lembree3 -ltbb -lgmp -lmpfr >&2
done
dir=$(cd "$dir" && pwd)
cd bench
GOWORK=off go run . -peers "$dir/bin" -data "$dir/data" "$@"
