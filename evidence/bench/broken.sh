#!/bin/sh
# Counts the wrong answers of inpoly and of other libraries on broken meshes, and prints the table
# broken of bench as Markdown. It takes about ten minutes.
#
#   evidence/bench/broken.sh > evidence/bench/results/broken.md
#   evidence/bench/broken.sh -plots docs/pictures/gallery     also draws the pictures of docs/gallery.md
#   evidence/bench/broken.sh -meshes DIR                      also keeps the meshes and the points
#   evidence/bench/broken.sh -quick                           few points: a smoke test
#
# inpoly needs only Go. Every other library is optional; the table leaves out those that are missing:
#
#   trimesh, Open3D, VTK, PyVista   python3 -m pip install trimesh rtree open3d vtk pyvista
#                                   (Debian: python3-open3d python3-vtk9 python3-rtree python3-scipy).
#                                   PYTHON names the interpreter (default: python3), and PYTHONPATH the
#                                   folders of libraries that are not installed, such as a clone of
#                                   https://github.com/mikedh/trimesh
#   CGAL 5                          https://www.cgal.org; Debian: libcgal-dev libgmp-dev libmpfr-dev
#   Embree 3                        https://www.embree.org; Debian: libembree-dev
#   libigl                          git clone https://github.com/libigl/libigl, then LIBIGL=that folder;
#                                   Eigen (Debian: libeigen3-dev) in EIGEN (default: /usr/include/eigen3)
#   Warp                            git clone https://github.com/NVIDIA/warp, then WARP=that folder
#   cuBQL                           git clone https://github.com/NVIDIA/cuBQL, then CUBQL=that folder
#
# The last two are libraries for GPUs. Their functions are compiled for the CPU here, without CUDA. The
# measured revisions are 9934a4eb2c50 of Warp and 3a6e0b18a6ed of cuBQL.
#   three-mesh-bvh                  Node 20 with npm, which installs the version of the lock file
#
# The drivers are built in BENCH_DIR (default: a folder in the temporary directory). With
# BENCH_BUILD_ONLY=1, nothing is measured.
set -eu
cd "$(dirname "$0")/../.."
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/inpoly-bench}
mkdir -p "$dir/bin"
dir=$(cd "$dir" && pwd)

# build PEER FLAGS… compiles the driver evidence/bench/PEER if its sources are newer than the program.
build() {
  peer=$1
  shift
  [ -x "$dir/bin/$peer" ] && [ -z "$(find "evidence/bench/$peer/main.cpp" evidence/bench/sides.h evidence/bench/rays.h evidence/bench/embree.h -newer "$dir/bin/$peer")" ] && return
  g++ -O3 -march=native -DNDEBUG -std=c++17 -pthread "evidence/bench/$peer/main.cpp" -o "$dir/bin/$peer" "$@" >&2 ||
    echo "broken.sh: $peer: the driver cannot be built" >&2
}
if [ -f /usr/include/CGAL/Side_of_triangle_mesh.h ]; then
  build cgal_sides -frounding-math -lgmp -lmpfr
  build cgal_rays -frounding-math -lgmp -lmpfr
fi
if [ -f /usr/include/embree3/rtcore.h ]; then
  build embree_sides -lembree3
  build embree_rays -lembree3
fi
if [ -f /usr/include/embree3/rtcore.h ] && [ "$(uname)" = Linux ]; then
  build open3d_mask -shared -fPIC -Wl,--no-as-needed -lembree3 -ldl # its source explains it
fi
if [ -n "${LIBIGL:-}" ]; then
  revision=$(git -C "$LIBIGL" describe --tags 2>/dev/null || echo "${LIBIGL_REVISION:-unknown revision}")
  build igl_sides -isystem "$LIBIGL/include" -isystem "${EIGEN:-/usr/include/eigen3}" "-DIGL_REVISION=\"$revision\""
fi
if [ -n "${WARP:-}" ]; then
  native=$WARP/warp/native
  without="-DWP_ENABLE_CUDA=0 -DWP_ENABLE_DEBUG=0 -DWP_ENABLE_MATHDX=0 -DWP_ENABLE_CUDA_COMPATIBILITY=0"
  mkdir -p "$dir/warp"
  for source in "$native"/*.cpp; do
    object=$dir/warp/$(basename "$source").o
    [ "$object" -nt "$source" ] || g++ -O3 -march=native -DNDEBUG -std=c++17 $without -I"$native" -c "$source" -o "$object" >&2 || break
  done
  build warp_sides "$dir"/warp/*.o $without -isystem "$native" -ldl "-DWARP_REVISION=\"$(cat "$WARP/VERSION.md"), revision $(git -C "$WARP" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)\""
fi
if [ -n "${CUBQL:-}" ]; then
  build cubql_sides -isystem "$CUBQL" "-DCUBQL_REVISION=\"revision $(git -C "$CUBQL" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)\""
fi
if command -v npm >/dev/null; then
  mkdir -p "$dir/three_mesh_bvh"
  if cmp -s evidence/bench/three_mesh_bvh/package-lock.json "$dir/three_mesh_bvh/installed.json" || {
    cp evidence/bench/three_mesh_bvh/package.json evidence/bench/three_mesh_bvh/package-lock.json "$dir/three_mesh_bvh"
    (cd "$dir/three_mesh_bvh" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund) >&2
  }; then
    cp evidence/bench/three_mesh_bvh/package-lock.json "$dir/three_mesh_bvh/installed.json"
    cp evidence/bench/three_mesh_bvh/main.mjs evidence/bench/limited.mjs "$dir/three_mesh_bvh"
    printf '#!/bin/sh\nexec node "$(dirname "$0")/../three_mesh_bvh/main.mjs" "$@"\n' >"$dir/bin/three_mesh_bvh"
    chmod +x "$dir/bin/three_mesh_bvh"
  fi
fi
cat >"$dir/bin/python_sides" <<END
#!/bin/sh
[ ! -f "$dir/bin/open3d_mask" ] || export LD_PRELOAD="$dir/bin/open3d_mask"
exec "${PYTHON:-python3}" "$PWD/evidence/bench/python_sides/main.py" "\$@"
END
chmod +x "$dir/bin/python_sides"
[ -z "${BENCH_BUILD_ONLY:-}" ] || exit 0

# The paths in the arguments stay relative to the folder of the caller.
program=$(mktemp -d)
trap 'rm -r "$program"' EXIT
(cd evidence/bench && GOWORK=off go build -o "$program/bench" .)
cd "$OLDPWD"
"$program/bench" -only broken -peers "$dir/bin" "$@"
