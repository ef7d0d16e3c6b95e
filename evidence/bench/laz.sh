#!/bin/sh
# Compares the LAZ codec with laz-perf in Node, and a run of the command with the codec alone, all on one core,
# and one thread with two. DIR has node_modules/laz-perf (npm install laz-perf). Writes tables to
# evidence/bench/results/laz.md.
#
#   evidence/bench/laz.sh DIR
set -eu
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
INPOLY_LAZPERF=$1 INPOLY_LAZ_TABLE=$table go test ./points/internal/laz -count=1 -run '^TestLazPerfRates$' >&2
parallel=$(go test ./points/internal/laz -run '^$' -bench '^BenchmarkDecodeParallel$' -cpu 1,2 -benchtime 1s -count 3)
runs=$(go test ./points -run '^$' -bench '^BenchmarkLAZ$' -cpu 1 -benchtime 1x -count 5)
least() { echo "$runs" | awk -v name="BenchmarkLAZ/$1" '$1 == name && (!t || $3 < t) { t = $3 } END { printf "%.3f", t / 1e9 }'; }
{
	echo "# LAZ"
	echo
	echo "Command: \`evidence/bench/laz.sh DIR\`, on $(go env GOOS)/$(go env GOARCH)."
	echo
	echo "## Codec"
	echo
	echo "Million points per second, the fastest of 5 runs that alternate, for 200,000 points like a scan in chunks"
	echo "of 50,000. laz-perf $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$1/node_modules/laz-perf/package.json") runs in Node $(node --version). It does not decode the formats 4, 5, 9 and 10."
	echo
	cat "$table"
	echo
	echo "## Two threads"
	echo
	echo "Time for a chunk with one thread, divided by the time with two threads, the fastest of 3 runs each."
	echo
	echo "| format | speed-up |"
	echo "| --- | --- |"
	echo "$parallel" | awk '
		match($1, /format=[0-9]+/) {
			f = substr($1, RSTART + 7, RLENGTH - 7) + 0; two = $1 ~ /-2$/
			if (!((f, two) in least) || $3 < least[f, two]) least[f, two] = $3
			if (f > last) last = f
		}
		END { for (f = 0; f <= last; f++) printf "| %d | %.2f |\n", f, least[f, 0] / least[f, 1] }'
	echo
	echo "## Command"
	echo
	echo "Seconds for 960,000 points of format 6, the fastest of 5 runs. The codec alone decodes and encodes the points."
	echo "The job also copies the file. The command (\`inpoly mesh.obj in.laz --out out.laz\`) also locates the points."
	echo
	echo "| codec | job | command | command / codec |"
	echo "| --- | --- | --- | --- |"
	echo "| $(least codec) | $(least job) | $(least command) | $(echo "$(least command) $(least codec)" | awk '{ printf "%.2f", $1 / $2 }') |"
} >evidence/bench/results/laz.md
