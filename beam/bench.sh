#!/usr/bin/env bash
# Prints the measurements of the README: 20 million points in twelve files of three
# formats, byte for byte compared with inpoly. Needs 3 GB of disk and of memory, ten minutes,
# and a machine that does nothing else.
set -euo pipefail
cd "$(dirname "$0")"
INPOLY_FULL=1 go test -count=1 -v -timeout 30m -run 'TestTwelveFiles' ./cmd/inpoly-beam
