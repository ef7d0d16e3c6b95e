#!/bin/sh
# Measures inpoly and its peers in one run and prints Markdown tables.
#
#   INPOLY_PEERS=DIR evidence/bench/run.sh > evidence/bench/RESULTS.md     all tables, about 30 minutes
#   INPOLY_PEERS=DIR evidence/bench/run.sh -only cells,build      some tables
#   INPOLY_PEERS=DIR evidence/bench/run.sh -quick                 a smoke test of one minute
#
# The comment of evidence/bench/main.go describes the tables. The table corpus needs INPOLY_CORPUS, a folder of
# real meshes, and takes six minutes with -calls 1. The table windings also measures a program
# igl_windings, if BENCH_DIR/bin has one; see evidence/bench/windings.go. The flag -help lists the other flags. Standard error shows the
# seconds of each table. Nothing else should run on the machine at the same time.
#
# DIR holds the drivers of the peers: build.sh, which names the Debian packages that it needs, and
# gen.py, which generates the meshes and the points. The results of both stay in BENCH_DIR (default:
# a folder in the temporary directory) for the next run.
#
# The tables broken and versions have their own scripts, evidence/bench/broken.sh and evidence/bench/versions.sh, which also
# name the libraries for them.
#
# The table peers also measures VTK 9, OpenCASCADE, OpenVDB, three-mesh-bvh and Manifold, if they are
# installed. The Debian packages are libvtk9-dev, libocct-modeling-algorithms-dev,
# libocct-modeling-data-dev, libocct-foundation-dev, libopenvdb-dev and libtbb-dev. The last two peers
# need Node 20 with npm, which installs the versions that the lock files name.
set -eu
cd "$(dirname "$0")/../.."
: "${INPOLY_PEERS:?set INPOLY_PEERS to the folder of the peers' drivers}"
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/inpoly-bench}
mkdir -p "$dir/bin" "$dir/data"
[ -x "$dir/bin/cgal" ] || sh "$INPOLY_PEERS/build.sh" "$dir/bin" >&2
[ -f "$dir/data/foam_r1e6.f64" ] || /usr/bin/python3 "$INPOLY_PEERS/gen.py" "$dir/data" >&2
# build PEER FLAGS… compiles the driver evidence/bench/PEER if its sources are newer than the program.
build() {
  peer=$1
  shift
  [ -x "$dir/bin/$peer" ] && [ -z "$(find "evidence/bench/$peer/main.cpp" evidence/bench/limited.h -newer "$dir/bin/$peer")" ] && return
  g++ -O3 -march=native -DNDEBUG -std=c++17 -pthread -I"$INPOLY_PEERS" "evidence/bench/$peer/main.cpp" -o "$dir/bin/$peer" "$@" >&2
}
for peer in cgal_distance embree_distance cgal_boxes cgal_slices; do
  build $peer -DCGAL_HAS_THREADS -lembree3 -ltbb -lgmp -lmpfr
done

# The peers of the table peers are optional. The table leaves out those that are missing.
missing() { echo "run.sh: no $1: apt-get install $2" >&2; }
vtk=$(ls -d /usr/include/vtk-9.* 2>/dev/null | tail -n 1)
if [ -f "$vtk/vtkSelectEnclosedPoints.h" ]; then
  v=${vtk##*vtk}
  build vtk_sides -isystem "$vtk" -lvtkFiltersModeling"$v" -lvtkFiltersCore"$v" -lvtkCommonExecutionModel"$v" \
    -lvtkCommonDataModel"$v" -lvtkCommonMath"$v" -lvtkCommonCore"$v" -lvtksys"$v" || missing VTK libvtk9-dev
else
  missing VTK libvtk9-dev
fi
occt="libocct-modeling-algorithms-dev libocct-modeling-data-dev libocct-foundation-dev"
if [ -f /usr/include/opencascade/BRepClass3d_SolidClassifier.hxx ]; then
  build occt_sides -isystem /usr/include/opencascade -lTKTopAlgo -lTKBRep -lTKGeomBase -lTKG3d -lTKG2d -lTKMath \
    -lTKernel || missing OpenCASCADE "$occt"
else
  missing OpenCASCADE "$occt"
fi
if [ -f /usr/include/openvdb/tools/MeshToVolume.h ]; then
  build openvdb_voxels -lopenvdb -lImath -ltbb || missing OpenVDB libopenvdb-dev
else
  missing OpenVDB libopenvdb-dev
fi
# The table bullet needs Bullet in double precision.
if pkg-config --exists bullet-float64; then
  build bullet_boxes -DBT_USE_DOUBLE_PRECISION -isystem /usr/include/bullet -lBulletCollision-float64 -lLinearMath-float64
else
  missing Bullet libbullet-dev
fi
BENCH_DIR=$dir BENCH_BUILD_ONLY=1 sh evidence/bench/broken.sh
command -v npm >/dev/null || missing three_mesh_bvh "nodejs npm (version 20 or later)"
for peer in manifold; do
  if ! command -v npm >/dev/null; then
    missing "$peer" "nodejs npm (version 20 or later)"
    continue
  fi
  mkdir -p "$dir/$peer"
  if ! cmp -s "evidence/bench/$peer/package-lock.json" "$dir/$peer/installed.json"; then
    cp "evidence/bench/$peer/package.json" "evidence/bench/$peer/package-lock.json" "$dir/$peer"
    (cd "$dir/$peer" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund) >&2 || continue
    cp "evidence/bench/$peer/package-lock.json" "$dir/$peer/installed.json"
  fi
  cp "evidence/bench/$peer/main.mjs" evidence/bench/limited.mjs "$dir/$peer"
  printf '#!/bin/sh\nexec node "$(dirname "$0")/../%s/main.mjs" "$@"\n' "$peer" >"$dir/bin/$peer"
  chmod +x "$dir/bin/$peer"
done
dir=$(cd "$dir" && pwd)
cd evidence/bench
GOWORK=off go run . -peers "$dir/bin" -data "$dir/data" "$@"
