// A volumetric path tracer: Woodcock tracking through blocks of densities,
// isotropic scattering, one point light and light from all around.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

constexpr int kSide = 8;  // cells along a side of a block
constexpr Real kPi = 3.14159265358979323846;

struct Vec {
  Real x, y, z;
  Vec operator+(const Vec& b) const { return {x + b.x, y + b.y, z + b.z}; }
  Vec operator-(const Vec& b) const { return {x - b.x, y - b.y, z - b.z}; }
  Vec operator*(Real s) const { return {x * s, y * s, z * s}; }
  Real dot(const Vec& b) const { return x * b.x + y * b.y + z * b.z; }
};

// PCG32; its values are in [0, 1).
class Random {
 public:
  Random(uint32_t seed, uint32_t stream) : state_(0), inc_(2 * stream + 1ull) {
    (*this)();
    state_ += seed;
    (*this)();
  }
  Real operator()() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005ull + inc_;
    const uint32_t bits = ((old >> 18) ^ old) >> 27, turn = old >> 59;
    const uint32_t value = bits >> turn | bits << (-turn & 31);
    return (value >> 8) * Real(1 / 16777216.);
  }

 private:
  uint64_t state_, inc_;
};

struct Scene {
  Vec eye, forward, right, up;  // right and up reach to the picture's edges
  Vec light;
  Real intensity, environment, albedo, extinction;
  int width, height, samples, limit;
};

class Volume {
 public:
  // Densities from 0 to 1 of n cells along each axis of the unit cube.
  Volume(int n, const Real* density)
      : n_(n), side_(n / kSide), table_(side_ * side_ * side_), pool_(1) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
          const Real value = density[(i * n + j) * n + k];
          if (value == 0) continue;
          int& block = table_[block_of(i, j, k)];
          if (block == 0) {
            block = pool_.size();
            pool_.push_back({});
          }
          pool_[block].at[i % kSide][j % kSide][k % kSide] = value;
        }
  }

  void render(const Scene& scene, uint32_t seed, Real* image) const {
#pragma omp parallel for schedule(dynamic, 1)
    for (int row = 0; row < scene.height; row++)
      for (int column = 0; column < scene.width; column++) {
        const int pixel = row * scene.width + column;
        Random random(seed, pixel);
        Real sum = 0;
        for (int sample = 0; sample < scene.samples; sample++) {
          const Real x = 2 * (column + random()) / scene.width - 1;
          const Real y = 1 - 2 * (row + random()) / scene.height;
          const Vec d = scene.forward + scene.right * x + scene.up * y;
          sum += radiance(scene, d * (1 / std::sqrt(d.dot(d))), random);
        }
        image[pixel] = sum / scene.samples;
      }
  }

 private:
  struct Block {
    Real at[kSide][kSide][kSide];
  };
  int n_, side_;            // cells and blocks along a side
  std::vector<int> table_;  // number of a block; 0 is empty
  std::vector<Block> pool_;

  int block_of(int i, int j, int k) const {
    return (i / kSide * side_ + j / kSide) * side_ + k / kSide;
  }

  Real density(const Vec& p) const {
    const int i = std::clamp(int(p.x * n_), 0, n_ - 1);
    const int j = std::clamp(int(p.y * n_), 0, n_ - 1);
    const int k = std::clamp(int(p.z * n_), 0, n_ - 1);
    const Block& block = pool_[table_[block_of(i, j, k)]];
    return block.at[i % kSide][j % kSide][k % kSide];
  }

  // Where a ray enters and leaves the cube; false where it misses.
  static bool clip(const Vec& o, const Vec& d, Real& enter, Real& leave) {
    enter = 0, leave = std::numeric_limits<Real>::max();
    const Real origin[3] = {o.x, o.y, o.z}, direction[3] = {d.x, d.y, d.z};
    for (int axis = 0; axis < 3; axis++) {
      if (std::abs(direction[axis]) < Real(1e-12)) {
        if (origin[axis] < 0 || origin[axis] > 1) return false;
        continue;
      }
      const Real a = -origin[axis] / direction[axis];
      const Real b = a + 1 / direction[axis];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    return enter < leave;
  }

  // Distance to the next collision, or a negative number if there is none.
  Real track(const Vec& o, const Vec& d, Real length, Real extinction,
             Random& random) const {
    Real t = 0;
    while (true) {
      t -= std::log(1 - random()) / extinction;
      if (t >= length) return -1;
      if (random() < density(o + d * t)) return t;
    }
  }

  Real radiance(const Scene& scene, Vec d, Random& random) const {
    Real enter, leave, sum = 0, weight = 1;
    if (!clip(scene.eye, d, enter, leave)) return scene.environment;
    Vec o = scene.eye + d * enter;
    leave -= enter;
    for (int depth = 0; depth < scene.limit; depth++) {
      const Real t = track(o, d, leave, scene.extinction, random);
      if (t < 0) return sum + weight * scene.environment;
      o = o + d * t;
      weight *= scene.albedo;
      if (scene.intensity > 0)
        sum += weight * scene.intensity * from_light(scene, o, random);
      // A new direction, each as likely as another.
      const Real z = 1 - 2 * random(), phi = 2 * kPi * random();
      const Real r = std::sqrt(std::max(Real(0), 1 - z * z));
      d = {r * std::cos(phi), r * std::sin(phi), z};
      clip(o, d, enter, leave);
    }
    return sum;
  }

  // Light of unit intensity that comes straight and is scattered once.
  Real from_light(const Scene& scene, const Vec& o, Random& random) const {
    const Vec to = scene.light - o;
    const Real distance = std::sqrt(to.dot(to));
    const Vec d = to * (1 / distance);
    Real enter, leave;
    clip(o, d, enter, leave);
    leave = std::min(leave, distance);
    if (track(o, d, leave, scene.extinction, random) >= 0) return 0;
    return 1 / (4 * kPi * distance * distance);
  }
};

extern "C" {

Volume* path_tracer_new(int n, const Real* density) {
  return new Volume(n, density);
}

void path_tracer_delete(Volume* volume) { delete volume; }

// view: eye, forward, right, up, light position, intensity, environment,
// albedo, extinction; size: width, height, samples, longest path.
void path_tracer_render(const Volume* volume, const Real* view, const int* size,
                        uint32_t seed, Real* image, int threads) {
  omp_set_num_threads(threads);
  const auto vec = [&](int k) {
    return Vec{view[3 * k], view[3 * k + 1], view[3 * k + 2]};
  };
  const Scene scene{vec(0),   vec(1),   vec(2),   vec(3),   vec(4),
                    view[15], view[16], view[17], view[18], size[0],
                    size[1],  size[2],  size[3]};
  volume->render(scene, seed, image);
}

}  // extern "C"
