import type { ScalarType } from '@filigree/ir';
import { type Expr, call, expr } from '../c-family/expr.js';
import { type HelperRows, helperText } from '../c-family/helpers/helper.js';
import { type Site, type Spellings, pure, typeOf } from '../c-family/spellings/spelling.js';

/** How a language says what threads that go in step tell each other (`gpuDialect`). A set of them is of 64 bits. */
export interface WarpWords {
  /** What stands before a function that is to become part of its callers, so that threads in step meet there and nowhere else. */
  readonly local: string;
  /** The threads in step now. */
  readonly here: string;
  /** Those of a set for which it holds. */
  readonly ballot: (holds: string, set: string) => string;
  /** The number of this thread among them. */
  readonly lane: (site: Site) => string;
  /** The number of threads in a set, and the first in it. */
  readonly count: (set: string) => string;
  readonly first: (set: string) => string;
  /** `v` of the thread `lane`, asked for by all in `set`. */
  readonly shuffle: (t: ScalarType) => string;
}

/** How ops of `gpu` are written. */
export const warpSpellings = (words: WarpWords): Spellings => {
  const of = ([a]: readonly Expr[]): string => a!.text;
  return {
    'gpu.lane': pure((_op, _args, site) => expr(`(int)(${words.lane(site)})`)),
    'gpu.here': { effect: 'effect', write: () => expr(words.here) },
    'gpu.ballot': { effect: 'effect', write: (_, [holds, set]) => expr(words.ballot(holds!.text, set!.text)) },
    'gpu.shuffle': {
      effect: 'effect',
      write: (op, args, site) => call(site.helper(`shuffle_${typeOf(op)}`), ...args),
    },
    'gpu.count': pure((_, args) => expr(words.count(of(args)))),
    'gpu.first': pure((_, args) => expr(`(${words.first(of(args))})`)),
  };
};

/** The helpers that they call. */
export const warpHelpers = (words: WarpWords): HelperRows => ({
  shuffle: (r) => {
    const t = r.scalar(r.a);
    return helperText(
      [],
      `${words.local} ${t} ${r.name}(${t} v, ${r.scalar('u64')} set, int lane) { return ${words.shuffle(r.a)}; }`,
    );
  },
});
