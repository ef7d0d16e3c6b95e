// Pairs of boxes that overlap by Bullet's dynamic tree of boxes, in double precision, closed boxes.
// usage: bullet_boxes BOXES.f64 FRAMES OUT
// Reads FRAMES positions of the same boxes, one after the other, six float64 a box: minimum, then
// maximum. Prints one line of JSON with medians in seconds:
//   tree  of three builds of a btDbvt from the first frame, by insertion, with all its pairs
//   pairs of the search for the pairs alone, in such a tree
//   step  of the frames from the second on: btDbvtBroadphase moves all boxes and updates its pairs
// Writes the pairs of the first frame by the tree and of the last frame by the broad phase, two int32
// each, the smaller one first. The broad phase keeps pairs of larger boxes, so its pairs are compared
// with the boxes of the frame; this belongs to a step. Bullet uses one thread.
// common.h is the peers'.
#include "common.h"
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

typedef std::pair<int32_t, int32_t> Pair;

struct Collect : btDbvt::ICollide {
  std::vector<Pair> &pairs;
  explicit Collect(std::vector<Pair> &p) : pairs(p) {}
  void Process(const btDbvtNode *a, const btDbvtNode *b) {
    pairs.emplace_back(std::min(a->dataAsInt, b->dataAsInt), std::max(a->dataAsInt, b->dataAsInt));
  }
};

static double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

static btVector3 corner(const double *v) { return btVector3(v[0], v[1], v[2]); }

static bool overlap(const double *a, const double *b) {
  for (int k = 0; k < 3; k++)
    if (a[k] > b[k + 3] || b[k] > a[k + 3])
      return false;
  return true;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: bullet_boxes BOXES.f64 FRAMES OUT\n");
    return 2;
  }
  size_t frames = strtoull(argv[2], nullptr, 10);
  std::vector<char> raw = slurp(argv[1]);
  if (!frames || raw.size() % (48 * frames)) {
    fprintf(stderr, "bullet_boxes: %zu bytes for %zu frames\n", raw.size(), frames);
    return 2;
  }
  size_t n = raw.size() / 48 / frames;
  const double *v = (const double *)raw.data();
  std::vector<Pair> pairs, last;
  std::vector<double> tree, search, steps;
  for (int rep = 0; rep < 3; rep++) {
    btDbvt t;
    pairs.clear();
    pairs.shrink_to_fit();
    double start = now();
    for (size_t i = 0; i < n; i++)
      t.insert(btDbvtVolume::FromMM(corner(v + 6 * i), corner(v + 6 * i + 3)), (void *)(intptr_t)i);
    double middle = now();
    Collect collect(pairs);
    t.collideTT(t.m_root, t.m_root, collect);
    search.push_back(now() - middle);
    tree.push_back(now() - start);
  }
  {
    btDbvtBroadphase broad;
    broad.m_deferedcollide = true; // find new pairs for all boxes at once
    std::vector<btBroadphaseProxy *> proxies(n);
    for (size_t i = 0; i < n; i++)
      proxies[i] = broad.createProxy(corner(v + 6 * i), corner(v + 6 * i + 3), 0, (void *)(intptr_t)i, 1, 1, nullptr);
    broad.calculateOverlappingPairs(nullptr);
    for (size_t f = 1; f < frames; f++) {
      const double *w = v + 6 * n * f;
      double start = now();
      for (size_t i = 0; i < n; i++)
        broad.setAabb(proxies[i], corner(w + 6 * i), corner(w + 6 * i + 3), nullptr);
      broad.calculateOverlappingPairs(nullptr);
      last.clear();
      const btBroadphasePairArray &list = broad.getOverlappingPairCache()->getOverlappingPairArray();
      for (int k = 0; k < list.size(); k++) {
        int32_t a = (int32_t)(intptr_t)list[k].m_pProxy0->m_clientObject, b = (int32_t)(intptr_t)list[k].m_pProxy1->m_clientObject;
        if (overlap(w + 6 * a, w + 6 * b))
          last.emplace_back(std::min(a, b), std::max(a, b));
      }
      steps.push_back(now() - start);
    }
  }
  FILE *out = fopen(argv[3], "wb");
  if (!out || fwrite(pairs.data(), 8, pairs.size(), out) != pairs.size() ||
      fwrite(last.data(), 8, last.size(), out) != last.size() || fclose(out)) {
    perror(argv[3]);
    return 1;
  }
  printf("{\"peer\":\"bullet_boxes\",\"boxes\":%zu,\"frames\":%zu,\"pairs\":%zu,\"last\":%zu,\"tree\":%.6f,\"search\":%.6f,\"step\":%.6f}\n",
         n, frames, pairs.size(), last.size(), median(tree), median(search), median(steps));
}
