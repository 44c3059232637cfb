// A 3x3x3 convolution of 16 to 16 channels on a sparse set of voxels. Blocks
// of voxels in a table, a bit a voxel; a voxel's channels lie side by side.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

constexpr int kChannels = 16;
constexpr int kSide = 4;         // voxels along a side of a block
constexpr int kPad = kSide + 2;  // and of a block with what lies around it

// The channels of a voxel, in vectors of 32 bytes.
constexpr int kParts = kChannels * sizeof(Real) / 32;
typedef Real Part __attribute__((vector_size(32)));
struct Channels {
  Part part[kParts];
};
constexpr int kSums = 8 / kParts;  // as many as registers hold well

struct Block {
  int place;      // where it is in the table
  uint64_t mask;  // which voxels are active
  Channels in[kSide * kSide * kSide], out[kSide * kSide * kSide];
};

class Convolution {
 public:
  Convolution(int n, int count, const int* voxels)
      : side_(n / kSide + 2), table_(side_ * side_ * side_), blocks_(1) {
    blocks_[0].mask = 0;  // stands for all that are missing
    for (int v = 0; v < count; v++) {
      const int* c = voxels + 3 * v;
      int& block =
          table_[((c[0] / kSide + 1) * side_ + c[1] / kSide + 1) * side_ +
                 c[2] / kSide + 1];
      if (block == 0) {
        block = blocks_.size();
        blocks_.push_back({});
        blocks_.back().place = &block - table_.data();
      }
      const int at =
          (c[0] % kSide * kSide + c[1] % kSide) * kSide + c[2] % kSide;
      blocks_[block].mask |= uint64_t(1) << at;
      voxels_.push_back(block * 64 + at);
    }
  }

  // Channels of the voxels, in the order in which they were given; weights by
  // offset, channel in, channel out.
  void set(const Real* features, const Real* weights) {
    for (size_t v = 0; v < voxels_.size(); v++)
      std::copy(features + v * kChannels, features + (v + 1) * kChannels,
                (Real*)&blocks_[voxels_[v] / 64].in[voxels_[v] % 64]);
    std::copy(weights, weights + 27 * kChannels * kChannels, (Real*)weights_);
  }

  void get(Real* features) const {
    for (size_t v = 0; v < voxels_.size(); v++) {
      const Real* out =
          (const Real*)&blocks_[voxels_[v] / 64].out[voxels_[v] % 64];
      std::copy(out, out + kChannels, features + v * kChannels);
    }
  }

  void forward() {
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 1; b < (int)blocks_.size(); b++) forward_block(blocks_[b]);
  }

 private:
  int side_;                // blocks along a side, one more at both ends
  std::vector<int> table_;  // number of a block
  std::vector<Block> blocks_;
  std::vector<int> voxels_;  // block and place of the voxels given
  Channels weights_[27][kChannels];

  void forward_block(Block& block) const {
    // The channels of voxels in and around the block; null where inactive.
    const Channels* pad[kPad][kPad][kPad];
    for (int i = 0; i < kPad; i++)
      for (int j = 0; j < kPad; j++)
        for (int k = 0; k < kPad; k++) {
          const Block& from = blocks_[table_[block.place +
                                             (((i + 3) / kSide - 1) * side_ +
                                              (j + 3) / kSide - 1) *
                                                 side_ +
                                             (k + 3) / kSide - 1]];
          const int at = ((i + 3) % kSide * kSide + (j + 3) % kSide) * kSide +
                         (k + 3) % kSide;
          pad[i][j][k] = from.mask >> at & 1 ? &from.in[at] : nullptr;
        }
    for (uint64_t left = block.mask; left != 0; left &= left - 1) {
      const int at = __builtin_ctzll(left);
      const int i = at / 16, j = at / 4 % 4, k = at % 4;
      // Several sums, so that additions need not wait for each other.
      Channels sum[kSums]{};
      for (int offset = 0; offset < 27; offset++) {
        const Channels* in =
            pad[i + offset / 9][j + offset / 3 % 3][k + offset % 3];
        if (in == nullptr) continue;
        const Real* x = (const Real*)in;
#pragma GCC unroll 16
        for (int c = 0; c < kChannels; c++)
          for (int p = 0; p < kParts; p++)
            sum[c % kSums].part[p] += x[c] * weights_[offset][c].part[p];
      }
      for (int p = 0; p < kParts; p++) {
        block.out[at].part[p] = sum[0].part[p];
        for (int s = 1; s < kSums; s++)
          block.out[at].part[p] += sum[s].part[p];
      }
    }
  }
};

extern "C" {

Convolution* cnn_new(int n, int count, const int* voxels) {
  return new Convolution(n, count, voxels);
}

void cnn_delete(Convolution* cnn) { delete cnn; }

void cnn_set(Convolution* cnn, const Real* features, const Real* weights) {
  cnn->set(features, weights);
}

void cnn_get(const Convolution* cnn, Real* features) { cnn->get(features); }

void cnn_forward(Convolution* cnn, int threads) {
  omp_set_num_threads(threads);
  cnn->forward();
}

}  // extern "C"
