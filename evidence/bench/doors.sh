#!/bin/sh
# Measures what the C library, the Python package and the npm package cost beside the Go package, and
# compares them with VTK, Open3D and three-mesh-bvh in the same languages. Prints the table doors of
# bench as Markdown. It takes about five minutes.
#
#   evidence/bench/doors.sh > evidence/bench/results/doors.md
#   evidence/bench/doors.sh -match sphere131072               one mesh
#   evidence/bench/doors.sh -quick                            few points: a smoke test
#
# The Go package needs only Go. The table leaves out all other programs that are missing:
#
#   C library           gcc
#   Python package      an interpreter with NumPy (Debian: python3-numpy), which PYTHON names
#   npm package         Node 20; Chromium for the row Chromium
#   other libraries     those of evidence/bench/broken.sh, which names their packages
#
# INPOLY_CORPUS names the folder of the real meshes. Without it, only a sphere is measured. The drivers
# are built in BENCH_DIR (default: a folder in the temporary directory).
set -eu
cd "$(dirname "$0")/../.."
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/inpoly-bench}
mkdir -p "$dir/bin" "$dir/doors"
dir=$(cd "$dir" && pwd)
export GOWORK=off
: "${PYTHON:=python3}"
BENCH_DIR=$dir PYTHON=$PYTHON BENCH_BUILD_ONLY=1 sh evidence/bench/broken.sh
missing() { echo "doors.sh: no $1" >&2; }

rm -f "$dir"/bin/door_*
(cd evidence/bench && go build -o "$dir/bin/door_go" ./door_go && go build -tags noasm -o "$dir/bin/door_go_noasm" ./door_go)

if command -v gcc >/dev/null; then
  godebug=$(CGO_ENABLED=1 go list -f "$(cat bindings/c/godebug.tmpl)" ./bindings/c)
  CGO_ENABLED=1 go build -buildmode=c-shared -ldflags "-X runtime.godebugDefault=$godebug" -o "$dir/doors/libinpoly.so" ./bindings/c
  gcc -O2 -Ibindings/c evidence/bench/door_c/main.c -o "$dir/bin/door_c" -L"$dir/doors" -linpoly "-Wl,-rpath,$dir/doors"
  if "$PYTHON" -c 'import numpy' 2>/dev/null; then
    rm -rf "$dir/doors/python"
    mkdir "$dir/doors/python"
    cp -R bindings/python/src/inpoly "$dir/doors/python"
    cp "$dir/doors/libinpoly.so" "$dir/doors/python/inpoly"
    echo '__version__ = "0"' >"$dir/doors/python/inpoly/_version.py"
    cat >"$dir/bin/door_python" <<END
#!/bin/sh
PYTHONPATH="$dir/doors/python" exec "$PYTHON" "$PWD/evidence/bench/door_python/main.py" "\$@"
END
    chmod +x "$dir/bin/door_python"
  else
    missing "NumPy for $PYTHON"
  fi
else
  missing gcc
fi

if command -v node >/dev/null; then
  rm -rf "$dir/doors/npm"
  node bindings/js/build/npm.mjs "$dir/doors/npm" >&2
  (cd "$dir/doors/npm" && tar xzf ./*.tgz)
  printf '#!/bin/sh\nexec node "%s" "%s" "$@"\n' "$PWD/evidence/bench/door_node/main.mjs" "$dir/doors/npm/package" >"$dir/bin/door_node"
  chmod +x "$dir/bin/door_node"
  for browser in chromium chromium-browser google-chrome headless-shell missing; do
    ! command -v "$browser" >/dev/null || break
  done
  if [ "$browser" != missing ]; then
    (cd tools/doors && go build -o "$dir/doors/chromium" ./chromium)
    printf '#!/bin/sh\nexec "%s" "%s" "%s" "%s" "$@"\n' "$dir/doors/chromium" "$browser" "$dir/doors/npm/package" \
      "$PWD/evidence/bench/door_node" >"$dir/bin/door_chromium"
    chmod +x "$dir/bin/door_chromium"
  else
    missing Chromium
  fi
else
  missing Node
fi

# The paths in the arguments stay relative to the folder of the caller.
(cd evidence/bench && go build -o "$dir/doors/bench" .)
cd "$OLDPWD"
"$dir/doors/bench" -only doors -peers "$dir/bin" "$@"
