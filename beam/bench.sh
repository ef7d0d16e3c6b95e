#!/usr/bin/env bash
# Prints the measurements of the README: 20 million points in twelve files of three formats. The
# output is compared with inpoly byte for byte. It needs 3 GB of disk, 3 GB of memory and ten
# minutes on an idle machine.
set -euo pipefail
cd "$(dirname "$0")"
INPOLY_FULL=1 go test -count=1 -v -timeout 30m -run 'TestTwelveFiles' ./cmd/inpoly-beam
