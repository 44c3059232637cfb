import type { ScalarType } from '@filigree/ir';
import { type HelperRequest, type HelperRow, type HelperRows, helperText } from '../c-family/helpers/helper.js';
import { needsOf, next } from './atomics.js';

/** How a language in which threads that go in step can look at each other's values says so. */
export interface WarpWords {
  /** What stands before a function that is to become part of its callers, so that threads in step meet there and nowhere else. */
  readonly local: string;
  /** A set of such threads as an integer, and the threads in step now. */
  readonly mask: string;
  readonly active: string;
  /** The number of this thread among them. */
  readonly lane: string;
  /** The number of threads in a set, and the first in it. */
  readonly count: (mask: string) => string;
  readonly first: (mask: string) => string;
  /** `v` of the thread `lane`, asked for by all in `active`. */
  readonly shuffle: (t: ScalarType) => string;
}

/**
 * Atomics that threads in step do together, as one update of all their values to one element: `fold` gives nothing back, `scan` gives each what
 * it would have found had they come one after the other, and `count` is `scan` where all add the same. Of `peers` only those do it together that do it
 * to the same element. The update itself is the helper `PREFIX_KIND`.
 */
export const warpAtomics = (words: WarpWords, prefix = 'atomic'): HelperRows => ({
  shuffle: (r) =>
    helperText(
      [],
      `${words.local} ${r.scalar(r.a)} ${r.name}(${words.mask} active, ${r.scalar(r.a)} v, int lane) { return ${words.shuffle(r.a)}; }`,
    ),
  [`${prefix}_fold_add`]: fold(words, prefix, 'add'),
  [`${prefix}_fold_min`]: fold(words, prefix, 'min'),
  [`${prefix}_fold_max`]: fold(words, prefix, 'max'),
  [`${prefix}_scan_add`]: scan(words, prefix),
  [`${prefix}_count_add`]: count(words, prefix),
  [`${prefix}_peers_count_add`]: peers(words, prefix, 'count_add'),
});

const head = (words: WarpWords, r: HelperRequest, result: string): readonly string[] => [
  `${words.local} ${result} ${r.name}(${r.scalar(r.a)}* p, ${r.scalar(r.a)} v) {`,
  `  const ${words.mask} active = ${words.active};`,
  `  const int lane = ${words.lane}, first = ${words.first('active')};`,
];

/* By halves where as many as a power of two are there, from the first on; else one after the other. */
const fold =
  (words: WarpWords, prefix: string, kind: 'add' | 'min' | 'max'): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    const shuffled = (v: string, lane: string): string => `shuffle_${r.a}(active, ${v}, ${lane})`;
    return helperText(
      [`shuffle_${r.a}`, `${prefix}_${kind}_${r.a}`, ...needsOf(kind, r)],
      ...head(words, r, 'void'),
      `  const int all = ${words.count('active')};`,
      '  if ((active & (active + 1)) == 0 && (all & (all - 1)) == 0) {',
      '    for (int far = all / 2; far > 0; far /= 2) {',
      `      const ${t} old = ${shuffled('v', 'lane ^ far')};`,
      `      v = ${next[kind](r)};`,
      '    }',
      '  } else {',
      `    const ${t} own = v;`,
      `    v = ${shuffled('own', 'first')};`,
      `    for (${words.mask} rest = active & (active - 1); rest != 0; rest &= rest - 1) {`,
      `      const ${t} old = ${shuffled('own', words.first('rest'))};`,
      `      v = ${next[kind](r)};`,
      '    }',
      '  }',
      `  if (lane == first) ${prefix}_${kind}_${r.a}(p, v);`,
      '}',
    );
  };

const scan =
  (words: WarpWords, prefix: string): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    return helperText(
      [`shuffle_${r.a}`, `${prefix}_add_${r.a}`, `add_${r.a}`],
      ...head(words, r, t),
      `  ${t} before = 0, all = 0, old = 0;`,
      `  for (${words.mask} rest = active; rest != 0; rest &= rest - 1) {`,
      `    const ${t} other = shuffle_${r.a}(active, v, ${words.first('rest')});`,
      `    if (${words.first('rest')} < lane) before = add_${r.a}(before, other);`,
      `    all = add_${r.a}(all, other);`,
      '  }',
      `  if (lane == first) old = ${prefix}_add_${r.a}(p, all);`,
      `  return add_${r.a}(shuffle_${r.a}(active, old, first), before);`,
      '}',
    );
  };

const count =
  (words: WarpWords, prefix: string): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    const before = words.count(`active & (((${words.mask})1 << lane) - 1)`);
    return helperText(
      [`shuffle_${r.a}`, `${prefix}_add_${r.a}`, `add_${r.a}`, `mul_${r.a}`],
      ...head(words, r, t),
      `  ${t} old = 0;`,
      `  if (lane == first) old = ${prefix}_add_${r.a}(p, mul_${r.a}(v, ${words.count('active')}));`,
      `  return add_${r.a}(shuffle_${r.a}(active, old, first), mul_${r.a}(v, ${before}));`,
      '}',
    );
  };

/* The first that is left shows where it is, and goes with those that are there too. */
const peers =
  (words: WarpWords, prefix: string, form: 'count_add'): HelperRow =>
  (r) => {
    const [t, address] = [r.scalar(r.a), r.scalar('u64')];
    return helperText(
      ['shuffle_u64', `${prefix}_${form}_${r.a}`],
      `${words.local} ${t} ${r.name}(${t}* p, ${t} v) {`,
      `  ${t} old = 0;`,
      '  for (bool left = true; left;) {',
      `    const ${words.mask} active = ${words.active};`,
      `    if (shuffle_u64(active, (${address})p, ${words.first('active')}) == (${address})p) {`,
      `      old = ${prefix}_${form}_${r.a}(p, v);`,
      '      left = false;',
      '    }',
      '  }',
      '  return old;',
      '}',
    );
  };
