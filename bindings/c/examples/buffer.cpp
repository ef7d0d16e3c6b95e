// Builds a solid from a vertex buffer as graphics programs have it: positions and normals in float,
// interleaved, and indexes of 32 bits.
//
//   c++ -std=c++17 buffer.cpp $(pkg-config --cflags --libs inpoly) -o buffer && ./buffer
#include <inpoly.h>

#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

struct Vertex {
  float position[3];
  float normal[3];
};

// Throws the message of a failed call.
void check(inpoly_status status) {
  if (status != INPOLY_OK) {
    throw std::runtime_error(inpoly_message());
  }
}

// Owns a solid.
class Solid {
public:
  Solid(const std::vector<Vertex> &vertices, const std::vector<uint32_t> &indexes) {
    inpoly_mesh mesh = {};
    mesh.size = sizeof mesh;
    mesh.vertices = vertices.data();
    mesh.vertex_count = static_cast<int64_t>(vertices.size());
    mesh.vertex_stride = sizeof(Vertex);
    mesh.vertex_type = INPOLY_TYPE_FLOAT32;
    mesh.faces = indexes.data();
    mesh.face_type = INPOLY_TYPE_UINT32;
    mesh.face_count = static_cast<int64_t>(indexes.size() / 3);
    check(inpoly_new(&mesh, 1, nullptr, &handle));
  }
  Solid(const Solid &) = delete;
  Solid(Solid &&other) noexcept : handle(std::exchange(other.handle, 0)) {}
  Solid &operator=(Solid other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Solid() { inpoly_free(handle); }

  // Returns the positions of the points: INPOLY_SIDE_INSIDE and so on.
  std::vector<int8_t> sides(const std::vector<Vertex> &points) const {
    std::vector<int8_t> out(points.size());
    inpoly_points in = {};
    in.size = sizeof in;
    in.data = points.data();
    in.count = static_cast<int64_t>(points.size());
    in.stride = sizeof(Vertex);
    in.type = INPOLY_TYPE_FLOAT32;
    inpoly_answers answers = INPOLY_ANSWERS_INIT;
    answers.side = out.data();
    check(inpoly_locate(handle, &in, &answers, nullptr, nullptr));
    return out;
  }

  bool contains(double x, double y, double z) const { return inpoly_side(handle, x, y, z) >= INPOLY_SIDE_ON_SURFACE; }

private:
  inpoly_solid handle = 0;
};

int main() {
  // An octahedron: six vertices and eight triangles.
  std::vector<Vertex> vertices;
  for (int i = 0; i < 6; i++) {
    Vertex v = {};
    v.position[i / 2] = v.normal[i / 2] = i % 2 == 0 ? 1.0F : -1.0F;
    vertices.push_back(v);
  }
  const std::vector<uint32_t> indexes = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  try {
    const Solid solid(vertices, indexes);
    std::vector<Vertex> points = vertices; // the vertices are on the surface
    points.push_back({{0.1F, 0.2F, 0.3F}, {}});
    points.push_back({{0.5F, 0.5F, 0.5F}, {}});
    for (int8_t side : solid.sides(points)) {
      std::printf("%d ", side);
    }
    std::printf("\ncontains the origin: %s\n", solid.contains(0, 0, 0) ? "yes" : "no");
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
