import { type HelperRow, type HelperRows, type Spellings, call } from '@filigree/backend';

const text = (head: string, body: readonly string[]): string =>
  [`${head} {`, ...body.map((l) => `  ${l}`), '}'].join('\n');

const rest =
  (body: readonly string[]): HelperRow =>
  (r) => ({
    text: text(`${r.local} float ${r.name}(float a, float b)`, [asWritten, ...body]),
    needs: [],
  });

/* A product that was fused with a sum would count what rounding took twice. */
const asWritten = '#pragma METAL fp contract(off)';

/* A double of which nothing is left as a single is a zero; one that is too large is infinite, as what rounds up to that is. */
const highOfBits: readonly string[] = [
  'const uint sign = (uint)(x >> 32) & 0x80000000u;',
  'const int exponent = (int)(x >> 52 & 0x7ff) - 896;',
  'const ulong digits = x & 0xffffffffffffful;',
  'if (exponent >= 255) return as_type<float>(sign | 0x7f800000u | (exponent == 1151 && digits != 0 ? 0x400000u : 0u));',
  'const int drop = exponent > 0 ? 29 : 30 - exponent;',
  'if (drop > 54) return as_type<float>(sign);',
  'const ulong whole = digits | 1ul << 52, rest = whole & ((1ul << drop) - 1), half_of_last = 1ul << (drop - 1);',
  'const uint kept = (uint)(whole >> drop);',
  'const uint near = kept + (rest > half_of_last || (rest == half_of_last && (kept & 1) != 0) ? 1u : 0u);',
  'return as_type<float>(sign | (near + (exponent > 0 ? (uint)(exponent - 1) << 23 : 0u)));',
];

/* What is left has 29 digits with its sign, of which a single has 24: none of a single that is less than normal. */
const lowOfBits: readonly string[] = [
  'const int exponent = (int)(x >> 52 & 0x7ff) - 896;',
  'if (exponent <= 0 || exponent >= 254) {',
  '  if (exponent != 254 || (x & 0xffffffffffffful) >= 0xffffff0000000ul) return 0.0f;',
  '}',
  'const int rest = (int)(x & 0x1ffffffful);',
  'if (rest == 0) return 0.0f;',
  'const bool up = rest > 0x10000000 || (rest == 0x10000000 && (x >> 29 & 1) != 0);',
  'const float low = ldexp((float)(up ? rest - 0x20000000 : rest), exponent - 179);',
  'return x >> 63 != 0 ? -low : low;',
];

/* Both as whole numbers, the greater with its first digit at 59; what is shifted out of the other leaves a one behind. */
const bitsOfPair: readonly string[] = [
  'const uint a = as_type<uint>(high), b = as_type<uint>(low);',
  'const bool swapped = (a & 0x7fffffffu) < (b & 0x7fffffffu);',
  'const uint x = swapped ? b : a, y = swapped ? a : b;',
  'const ulong sign = (ulong)(x >> 31) << 63;',
  'const bool minus = (x ^ y) >> 31 != 0;',
  'if ((x & 0x7f800000u) == 0x7f800000u) {',
  '  const bool none = (x & 0x7fffffu) != 0 || (minus && ((x ^ y) & 0x7fffffffu) == 0);',
  '  return sign | 0x7fful << 52 | (none ? 1ul << 51 : 0ul);',
  '}',
  'const int first = (int)(x >> 23 & 0xff), second = (int)(y >> 23 & 0xff);',
  'const ulong greater = (ulong)((x & 0x7fffffu) | (first > 0 ? 0x800000u : 0u)) << 36;',
  'const ulong other = (ulong)((y & 0x7fffffu) | (second > 0 ? 0x800000u : 0u)) << 36;',
  'int exponent = first > 0 ? first : 1;',
  'const int apart = exponent - (second > 0 ? second : 1);',
  'const ulong rest = apart > 59 ? other : other & ((1ul << apart) - 1);',
  'const ulong moved = (apart > 59 ? 0ul : other >> apart) | (rest != 0 ? 1ul : 0ul);',
  'ulong sum = minus ? greater - moved : greater + moved;',
  'if (sum == 0) return minus ? 0ul : sign;',
  'for (; sum >> 60 == 0; exponent--) sum <<= 1;',
  'const ulong kept = sum >> 8, left = sum & 255;',
  'const ulong near = kept + (left > 128 || (left == 128 && (kept & 1) != 0) ? 1ul : 0ul);',
  'return sign | (((ulong)(exponent + 896) << 52) + near);',
];

const helpers: Readonly<Record<string, string>> = {
  restOfSum: 'restOfSum_f32',
  restOfProduct: 'restOfProduct_f32',
  high: 'highOfBits_u64',
  low: 'lowOfBits_u64',
  bits: 'bitsOfPair_f32',
};

/**
 * What rounding took from sums and products (`pairDialect`), for doubles that are pairs, and these of the bits of doubles and back. The text is compiled without fast arithmetic, by which the first
 * would be 0.
 */
export const pairFunctions: { readonly rows: HelperRows; readonly spellings: Spellings } = {
  rows: {
    restOfSum: rest([
      'const float sum = a + b, other = sum - a;',
      'return isfinite(sum) ? (a - (sum - other)) + (b - other) : 0.0f;',
    ]),
    restOfProduct: rest(['const float product = a * b;', 'return isfinite(product) ? fma(a, b, -product) : 0.0f;']),
    highOfBits: ({ local, name }) => ({ text: text(`${local} float ${name}(ulong x)`, highOfBits), needs: [] }),
    lowOfBits: ({ local, name }) => ({ text: text(`${local} float ${name}(ulong x)`, lowOfBits), needs: [] }),
    bitsOfPair: ({ local, name }) => ({
      text: text(`${local} ulong ${name}(float high, float low)`, bitsOfPair),
      needs: [],
    }),
  },
  spellings: Object.fromEntries(
    Object.entries(helpers).map(([name, helper]) => [
      `pair.${name}`,
      { effect: 'pure', write: (_op, args, site) => call(site.helper(helper), ...args) },
    ]),
  ),
};
