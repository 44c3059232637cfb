import { type Spelling, call, castTo, expr, gnuSpellings } from '@filigree/backend';
import type { HelperText } from '@filigree/backend';

/** Casts that compilers need help with. */
export const casts: Spelling = {
  effect: 'pure',
  write: (op, args, site) =>
    (op.operands[0]!.type === 'f64' && op.results[0]!.type === 'f32' ? narrowed : castOfHalves).write(op, args, site),
};

/**
 * gcc, at least up to 12, takes a number that is narrowed and widened again for the number itself where it puts single values on lanes, through memory as well: so something
 * stands between the two.
 */
const narrowed: Spelling = { effect: 'pure', write: (_, [x], site) => call(site.helper('narrow_f64'), x!) };

export const narrow: HelperText = {
  text: [
    'static inline float narrow_f64(double x) {',
    '  const float f = (float)x;',
    '  return f == f ? f : __builtin_nanf("");',
    '}',
  ].join('\n'),
  needs: [],
};

/**
 * A cast that, on lanes, loads of a word of 64 bits in memory the lower half alone where the rest is cut off at once. Elsewhere compilers see that
 * by themselves; lanes would gather whole words, twice as many vectors of them, and put the halves together.
 */
const castOfHalves: Spelling = {
  effect: 'pure',
  write: (op, args, site) => {
    const [result, from, [x]] = [op.results[0]!, op.operands[0]!.type, args];
    const cuts = (from === 'u64' || from === 'i64') && (result.type === 'u32' || result.type === 'i32');
    if (!cuts || !x!.inMemory || !site.onLanes(result)) return gnuSpellings['arith.cast']!.write(op, args, site);
    const low = expr(`${site.helper('low_half_u64')}(&${x!.text})`);
    return result.type === 'u32' ? low : castTo(site.declared(result), low);
  },
};

/** The lower half of a word in memory: little-endian, as all targets are. */
export const lowHalf: HelperText = {
  text: [
    'typedef struct { unsigned low, high; } __attribute__((may_alias)) halves_at;',
    'static inline unsigned low_half_u64(const void* p) { return ((const halves_at*)p)->low; }',
  ].join('\n'),
  needs: [],
};
