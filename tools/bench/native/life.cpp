// The Game of Life (B3/S23) by hand, on rows of words of 64 cells and on rows of bytes.
//
// A board has a word, or a byte, of dead cells before and behind each row, and a dead row above and below.
#include <cstdint>

using u64 = std::uint64_t;

extern "C" __attribute__((visibility("default"))) void life_words(const u64 *__restrict a, u64 *__restrict b, long rows,
                                                                   long words) {
  const long pitch = words + 2;
  for (long y = 0; y < rows; y++) {
    const u64 *up = a + y * pitch + 1;
    const u64 *mid = up + pitch;
    const u64 *down = mid + pitch;
    u64 *out = b + (y + 1) * pitch + 1;
    for (long w = 0; w < words; w++) {
      const u64 u = up[w], c = mid[w], d = down[w];
      const u64 ul = (u << 1) | (up[w - 1] >> 63), ur = (u >> 1) | (up[w + 1] << 63);
      const u64 cl = (c << 1) | (mid[w - 1] >> 63), cr = (c >> 1) | (mid[w + 1] << 63);
      const u64 dl = (d << 1) | (down[w - 1] >> 63), dr = (d >> 1) | (down[w + 1] << 63);
      // Three above, three below and two beside: the ones and twos of each.
      const u64 u1 = ul ^ u ^ ur, u2 = (ul & u) | (ur & (ul ^ u));
      const u64 d1 = dl ^ d ^ dr, d2 = (dl & d) | (dr & (dl ^ d));
      const u64 c1 = cl ^ cr, c2 = cl & cr;
      const u64 both = u1 ^ d1;
      const u64 ones = both ^ c1, carry = (u1 & d1) | (c1 & both);
      // Two or three neighbours are those with exactly one two.
      const u64 p = u2 ^ d2, q = c2 ^ carry;
      const u64 more = (u2 & d2) | (c2 & carry) | (p & q);
      out[w] = (p ^ q) & ~more & (ones | c);
    }
  }
}

extern "C" __attribute__((visibility("default"))) void life_bytes(const std::uint8_t *__restrict a,
                                                                   std::uint8_t *__restrict b, long rows, long columns) {
  const long pitch = columns + 2;
  for (long y = 0; y < rows; y++) {
    const std::uint8_t *up = a + y * pitch + 1;
    const std::uint8_t *mid = up + pitch;
    const std::uint8_t *down = mid + pitch;
    std::uint8_t *out = b + (y + 1) * pitch + 1;
    for (long x = 0; x < columns; x++) {
      const std::uint8_t n = up[x - 1] + up[x] + up[x + 1] + mid[x - 1] + mid[x + 1] + down[x - 1] + down[x] + down[x + 1];
      out[x] = (n == 3) | ((n == 2) & mid[x]);
    }
  }
}

// Additions that wait for one another: a cycle each. Of a register: processors add numbers that stand in the code without waiting.
extern "C" __attribute__((visibility("default"))) long life_cycles(long n) {
  long x = 0, one = 1;
  for (long k = 0; k < n; k += 8)
    __asm__ volatile("add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
                     "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
                     : "+r"(x)
                     : "r"(one));
  return x;
}
