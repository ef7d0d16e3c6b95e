#!/bin/sh
# Compares the LAZ codec with laz-perf in Node, and a run of the command with the codec alone. All run on one
# core. DIR has node_modules/laz-perf (npm install laz-perf). Writes tables to bench/results/laz.md.
#
#   bench/laz.sh DIR
set -eu
[ $# -eq 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
INPOLY_LAZPERF=$1 INPOLY_LAZ_TABLE=$table go test ./points/internal/laz -count=1 -run '^TestLazPerfRates$' >&2
runs=$(go test ./points -run '^$' -bench '^BenchmarkLAZ$' -cpu 1 -benchtime 1x -count 5)
least() { echo "$runs" | awk -v name="BenchmarkLAZ/$1" '$1 == name && (!t || $3 < t) { t = $3 } END { printf "%.3f", t / 1e9 }'; }
{
	echo "# LAZ"
	echo
	echo "Command: \`bench/laz.sh DIR\`, on $(go env GOOS)/$(go env GOARCH)."
	echo
	echo "## Codec"
	echo
	echo "Million points per second, the fastest of 5 runs that alternate, for 200,000 points like a scan in chunks"
	echo "of 50,000. laz-perf $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$1/node_modules/laz-perf/package.json") runs in Node $(node --version). It does not decode the formats 4, 5, 9 and 10."
	echo
	cat "$table"
	echo
	echo "## Command"
	echo
	echo "Seconds for 960,000 points of format 6, the fastest of 5 runs. The codec alone decodes and encodes the points."
	echo "The job also copies the file. The command (\`inpoly mesh.obj in.laz --out out.laz\`) also locates the points."
	echo
	echo "| codec | job | command | command / codec |"
	echo "| --- | --- | --- | --- |"
	echo "| $(least codec) | $(least job) | $(least command) | $(echo "$(least command) $(least codec)" | awk '{ printf "%.2f", $1 / $2 }') |"
} >bench/results/laz.md
