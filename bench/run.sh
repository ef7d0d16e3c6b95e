#!/bin/sh
# Measures inpoly and its peers in one run and prints Markdown tables.
#
#   INPOLY_PEERS=DIR bench/run.sh > bench/RESULTS.md     all tables, about 25 minutes
#   INPOLY_PEERS=DIR bench/run.sh -only cells,build      some tables
#   INPOLY_PEERS=DIR bench/run.sh -quick                 a smoke test of one minute
#
# The tables are cells, build, open, total, multipoles, distance, neighbors and corpus; the comment of
# bench/main.go describes them. The table corpus needs INPOLY_CORPUS, a folder of real meshes, and
# takes an hour. The flag -help lists the other flags. Standard error shows the
# seconds of each table. Nothing else should run on the machine at the same time.
#
# DIR holds the drivers of the peers: build.sh, which names the Debian packages that it needs, and
# gen.py, which generates the meshes and the points. The results of both stay in BENCH_DIR (default:
# a folder in the temporary directory) for the next run.
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
