#!/bin/sh
# Builds the wheel, installs it to a folder without pip, and runs the tests against it. PYTHON is the
# interpreter, by default the first python3 that has NumPy and pytest. Arguments go to pytest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

usable() { "$1" -c 'import sys, numpy, pytest; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; }
found=
for p in ${PYTHON:-python3 /usr/bin/python3}; do
  if usable "$p"; then found=$p; break; fi
done
if [ -z "$found" ]; then
  echo "python-test skipped: no Python 3.9 or newer with NumPy and pytest (${PYTHON:-python3, /usr/bin/python3})"
  exit 0
fi
for tool in go gcc; do
  if ! command -v $tool >/dev/null; then echo "python-test skipped: $tool is missing"; exit 0; fi
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$found" "$here/backend/inpoly_build.py" wheel "$tmp"
"$found" -m zipfile -e "$tmp"/*.whl "$tmp/site"
cd "$tmp"
INPOLY_WHEEL=$(echo "$tmp"/*.whl) PYTHONPATH="$tmp/site" PYTHONDONTWRITEBYTECODE=1 \
  "$found" -m pytest -q -p no:cacheprovider -c "$here/pyproject.toml" --rootdir "$here" "$here/tests" "$@"
