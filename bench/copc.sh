#!/bin/sh
# Measures --trust-copc: a random COPC cloud of N points (50 million by default) in a cube, and a mesh of
# a cube that covers a tenth of it. Both outputs must be equal. It needs about 2 GB of memory.
#
#   bench/copc.sh [N]
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
INPOLY_COPC="$dir/cloud.copc.laz" INPOLY_COPC_POINTS="${1:-50000000}" go test ./points -count=1 -timeout 30m -run '^TestWriteCOPC$'
go build -o "$dir/inpoly" ./cmd/inpoly
{
	for z in 260 724; do for y in 260 724; do for x in 260 724; do echo "v $x $y $z"; done; done; done
	printf 'f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n'
} >"$dir/cube.obj"
time "$dir/inpoly" "$dir/cube.obj" "$dir/cloud.copc.laz" --keep inside --out "$dir/all.las"
time "$dir/inpoly" "$dir/cube.obj" "$dir/cloud.copc.laz" --keep inside --trust-copc --out "$dir/trusted.las"
cmp "$dir/all.las" "$dir/trusted.las"
