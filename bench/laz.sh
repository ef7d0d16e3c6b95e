#!/bin/sh
# Compares the LAZ codec with laz-perf, in Node: million points per second on one core, the fastest of several
# runs. DIR has node_modules/laz-perf (npm install laz-perf). Writes a table to bench/results/laz.md.
#
#   bench/laz.sh DIR
set -eu
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
INPOLY_LAZPERF=$1 INPOLY_LAZ_TABLE=$table go test ./points/internal/laz -count=1 -run '^TestLazPerfRates$'
{
	echo "# LAZ codec"
	echo
	echo "Million points per second on one core, the fastest of 8 runs that alternate, for 200,000 points like a"
	echo "scan in chunks of 50,000. laz-perf $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$1/node_modules/laz-perf/package.json") runs in Node $(node --version), and does not decode the"
	echo "formats 4, 5, 9 and 10. Command: \`bench/laz.sh DIR\`."
	echo
	cat "$table"
} >bench/results/laz.md
