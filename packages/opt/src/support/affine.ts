import { byteSize, isInteger, scalarOf, walk, type Kernel, type Op, type Scalar, type Value } from '@filigree/ir';
import { constantOfOp } from './constant-in.js';
import type { Facts } from './facts.js';

/**
 * An integer as `Σ coefficient·value + offset`, modulo 2^bits. Two indices with equal `terms` differ by the difference
 * of their offsets, whatever the values are.
 */
export interface AffineForm {
  /** The linear part as text; empty for a constant. */
  readonly terms: string;
  readonly offset: bigint;
  readonly bits: number;
}

/** Affine forms of the scalar integers of a kernel. Ops must be noted in program order, operands before users. */
export interface AffineForms {
  readonly note: (op: Op, constant: Scalar | undefined) => void;
  readonly of: (v: Value) => AffineForm;
  /** The coefficient of each value, by its id. */
  readonly coefficients: (v: Value) => ReadonlyMap<number, bigint>;
}

/** Longer sums are taken as values of their own. */
const maxTerms = 6;

export const affineForms = (): AffineForms => {
  const forms = new Map<number, Form>();
  const get = (v: Value): Form => forms.get(v.id) ?? { terms: new Map([[v.id, 1n]]), offset: 0n };
  return {
    note: (op, constant) => {
      const result = op.results[0];
      if (op.results.length !== 1 || !result || typeof result.type !== 'string' || !isInteger(result.type)) return;
      const bits = widthOf(result);
      const form = constant !== undefined ? { terms: none, offset: BigInt(constant) } : combine(op, get, bits);
      if (form && form.terms.size <= maxTerms) forms.set(result.id, form);
    },
    of: (v) => {
      const form = get(v);
      const terms = [...form.terms].sort(([a], [b]) => a - b).map(([id, c]) => `${c}*${id}`);
      return { terms: terms.join('+'), offset: form.offset, bits: widthOf(v) };
    },
    coefficients: (v) => get(v).terms,
  };
};

/** Those of all that a kernel computes. */
export const affineFormsIn = ({ body }: Kernel, facts: Facts): AffineForms => {
  const forms = affineForms();
  walk(body, (op) => forms.note(op, constantOfOp(op, facts)));
  return forms;
};

interface Form {
  readonly terms: ReadonlyMap<number, bigint>;
  readonly offset: bigint;
}

const none: ReadonlyMap<number, bigint> = new Map();

const widthOf = (v: Value): number => 8 * byteSize(scalarOf(v.type));

const combine = (op: Op, get: (v: Value) => Form, bits: number): Form | undefined => {
  const [a, b] = op.operands;
  if (!a) return undefined;
  if (op.name === 'arith.neg') return linear(get(a), -1n, undefined, bits);
  if (!b) return undefined;
  if (op.name === 'arith.add') return linear(get(a), 1n, { form: get(b), factor: 1n }, bits);
  if (op.name === 'arith.sub') return linear(get(a), 1n, { form: get(b), factor: -1n }, bits);
  const [x, y] = [get(a), get(b)];
  if (op.name === 'arith.mul') {
    if (y.terms.size === 0) return linear(x, y.offset, undefined, bits);
    if (x.terms.size === 0) return linear(y, x.offset, undefined, bits);
  }
  if (op.name === 'arith.shl' && y.terms.size === 0 && y.offset >= 0n && y.offset < BigInt(bits))
    return linear(x, 1n << y.offset, undefined, bits);
  return undefined;
};

/** `factor·a + other`, wrapped as the integers wrap. */
const linear = (a: Form, factor: bigint, other: { form: Form; factor: bigint } | undefined, bits: number): Form => {
  const wrap = (x: bigint): bigint => BigInt.asIntN(bits, x);
  const terms = new Map<number, bigint>();
  const accumulate = (form: Form, by: bigint): void => {
    for (const [id, c] of form.terms) {
      const sum = wrap((terms.get(id) ?? 0n) + by * c);
      if (sum === 0n) terms.delete(id);
      else terms.set(id, sum);
    }
  };
  accumulate(a, factor);
  if (other) accumulate(other.form, other.factor);
  return { terms, offset: wrap(factor * a.offset + (other ? other.factor * other.form.offset : 0n)) };
};
