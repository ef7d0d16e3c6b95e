#!/bin/sh
# Measures --trust-copc: a random COPC cloud of N points (50 million by default) in a cube, and a mesh of
# a cube that covers a tenth of it. Both outputs must be equal. Writes a table to evidence/bench/results/copc.md.
# It needs GNU time, and about 2 GB of memory to write the cloud. If INPOLY_COPC is the path of a file,
# that file is the cloud.
#
#   evidence/bench/copc.sh [N]
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cloud=${INPOLY_COPC:-}
if [ ! -f "$cloud" ]; then
	cloud=$dir/cloud.copc.laz
	INPOLY_COPC=$cloud INPOLY_COPC_POINTS="${1:-50000000}" go test ./points -count=1 -timeout 30m -run '^TestWriteCOPC$' >&2
fi
go build -o "$dir/inpoly" ./cmd/inpoly
{
	for z in 260 724; do for y in 260 724; do for x in 260 724; do echo "v $x $y $z"; done; done; done
	printf 'f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n'
} >"$dir/cube.obj"
for run in 1 2 3; do
	for name in all trusted; do
		trust=
		[ $name = all ] || trust=--trust-copc
		env time -a -o "$dir/$name" -f '%e %U %S' "$dir/inpoly" "$dir/cube.obj" "$cloud" --keep inside $trust --out "$dir/$name.las" 2>"$dir/$name.log"
	done
done
cmp "$dir/all.las" "$dir/trusted.las"
grep skipped "$dir/trusted.log" >&2
awk -v points="$(sed -n 's/ points:.*//p' "$dir/all.log")" -v skipped="$(grep skipped "$dir/trusted.log")" '
	{ cpu = $2 + $3 }
	FNR == 1 { n++; time[n] = $1; total[n] = cpu }
	$1 < time[n] { time[n] = $1 }
	cpu < total[n] { total[n] = cpu }
	END {
		print "# --trust-copc\n"
		print "Command: `evidence/bench/copc.sh`. The cloud has " points " random points. The mesh is a cube that covers a"
		print "tenth of it. With --trust-copc: " skipped "."
		print "The rows are the same. Each value is the least of 3 runs that alternate.\n"
		print "| | all nodes | --trust-copc | ratio |"
		print "| --- | --- | --- | --- |"
		printf "| time (s) | %.2f | %.2f | %.1f |\n", time[1], time[2], time[1] / time[2]
		printf "| CPU time (s) | %.2f | %.2f | %.1f |\n", total[1], total[2], total[1] / total[2]
	}' "$dir/all" "$dir/trusted" >evidence/bench/results/copc.md
