import { type ScalarType, byteSize } from '@filigree/ir';
import { type Expr, apply, i32, reading } from './expr.js';
import type { Place } from './place.js';
import { loadInstruction, wasmType } from './wasm-type.js';

/** A memory instruction at a place: `(v128.load64_lane offset=8 1 base value)`. */
export const access = (type: Expr['type'], instruction: string, p: Place, value?: Expr, lane?: number): Expr => {
  const head = `${instruction}${p.offset > 0 ? ` offset=${p.offset}` : ''}${lane === undefined ? '' : ` ${lane}`}`;
  const e = value === undefined ? apply(type, head, p.base) : apply(type, head, p.base, value);
  return type === 'void' ? e : reading(e);
};

/** An element read from a place. */
export const loadScalar = (of: ScalarType, place: Place): Expr => {
  const e = access(wasmType(of), loadInstruction(of), place);
  /* The host may have written any byte for true. */
  if (of === 'i1') return apply('i32', 'i32.ne', e, i32(0));
  const bytes = byteSize(of);
  return bytes < 4 ? e : { ...e, spread: access('v128', `v128.load${8 * bytes}_splat`, place).text };
};
