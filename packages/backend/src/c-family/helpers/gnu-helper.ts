import type { ScalarType } from '@filigree/ir';
import { atomicHelpers } from './atomics.js';
import { castHelpers } from './casts.js';
import { controlHelpers } from './control.js';
import { eachLane } from './each-lane.js';
import { type HelperNames, type HelperRows, type HelperText, helperText } from './helper.js';
import { numberHelpers } from './numbers.js';
import { reductionHelpers } from './reductions.js';
import { cppTokens } from '../tokens.js';
import { vectorHelpers } from './vectors.js';

const scalarHelpers: HelperRows = { ...numberHelpers, ...castHelpers, ...atomicHelpers, ...reductionHelpers };

/**
 * Helper functions by name, for compilers that know the builtins of gcc and clang (that is C++, CUDA and HIP). A name is
 * `what_type` or `what_from_type`, for example `min_f64`, `to_i32_f64`, `atomic_add_f32`. Throws a plain `Error` on a
 * name that a spelling should not have asked for.
 *
 * @param others rows of a language that stand for those of gcc and clang
 */
export const gnuHelper =
  ({ tokens = cppTokens, ...given }: HelperNames, others: HelperRows = {}) =>
  (name: string): HelperText => {
    const names = { ...given, tokens };
    const fixed = controlHelpers[name];
    if (fixed)
      return helperText([], ...fixed({ ...names, wide: wideOf(names, 'i64'), unsigned: wideOf(names, 'u64') }));
    const [, what, types] = /^(.*?)((?:_[iuf]\d+)+)$/.exec(name) ?? [];
    const [a, b] = (types ?? '').split('_').slice(1) as ScalarType[];
    const [, vector, lanes] = /^(\w+)x(\d+)$/.exec(what ?? '') ?? [];
    const onVectors = vector === undefined ? undefined : (vectorHelpers[vector] ?? eachLane(vector));
    if (onVectors) return onVectors({ ...names, name, a, b }, Number(lanes));
    const row = what === undefined ? undefined : (others[what] ?? scalarHelpers[what]);
    if (!row) throw new Error(`no helper named '${name}'`);
    return row({ ...names, name, a, b });
  };

/* A language may have names for the types that it takes alone. */
const wideOf = (names: HelperNames, t: 'i64' | 'u64'): string =>
  names.scalar(t) ?? (t === 'i64' ? 'long long' : 'unsigned long long');
