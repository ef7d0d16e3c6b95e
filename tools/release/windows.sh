#!/usr/bin/env bash
# Runs Go tests on Windows, in Wine: tools/release/windows.sh PACKAGE…
# It skips them if Wine is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOWORK=off
if ! command -v wine >/dev/null; then
  echo "windows: skipped, wine is missing: apt-get install wine"
  exit 0
fi
temp=$(mktemp -d)
trap 'rm -r "$temp"' EXIT
(cd tools/release && go build -o "$temp/wine" ./cmd/wine)
# Wine 8 answers STATUS_NOT_IMPLEMENTED to a request that Go makes when it removes a folder. Go knows
# other answers for "use the older request", so the tests could not clean up.
file=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/STATUS_NOT_SUPPORTED:/STATUS_NOT_SUPPORTED, NTStatus(0xC0000002):/' "$file" >"$temp/at_windows.go"
printf '{"Replace": {"%s": "%s"}}\n' "$file" "$temp/at_windows.go" >"$temp/overlay.json"
GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -overlay "$temp/overlay.json" -exec "$temp/wine" "$@"
