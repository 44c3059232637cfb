import type { ScalarType } from '@filigree/ir';
import { atomicHelpers } from './atomics.js';
import { castHelpers } from './casts.js';
import { controlHelpers } from './control.js';
import type { HelperNames, HelperRows, HelperText } from './helper.js';
import { numberHelpers } from './numbers.js';
import { reductionHelpers } from './reductions.js';
import { vectorHelpers } from './vectors.js';

const scalarHelpers: HelperRows = { ...numberHelpers, ...castHelpers, ...atomicHelpers, ...reductionHelpers };

/**
 * Helper functions by name, for compilers that know the builtins of gcc and clang (that is C++, CUDA and HIP). A name is
 * `what_type` or `what_from_type`, for example `min_f64`, `to_i32_f64`, `atomic_add_f32`. Throws a plain `Error` on a
 * name that a spelling should not have asked for.
 */
export const gnuHelper =
  (names: HelperNames) =>
  (name: string): HelperText => {
    const fixed = controlHelpers[name];
    if (fixed) return { text: fixed.map((l) => l.replace('LOCAL', names.local)).join('\n'), needs: [] };
    const [, what, types] = /^(.*?)((?:_[iuf]\d+)+)$/.exec(name) ?? [];
    const [a, b] = (types ?? '').split('_').slice(1) as ScalarType[];
    const [, vector, lanes] = /^(\w+)x(\d+)$/.exec(what ?? '') ?? [];
    const onVectors = vector === undefined ? undefined : vectorHelpers[vector];
    if (onVectors) return onVectors({ ...names, name, a, b }, Number(lanes));
    const row = what === undefined ? undefined : scalarHelpers[what];
    if (!row) throw new Error(`no helper named '${name}'`);
    return row({ ...names, name, a, b });
  };
