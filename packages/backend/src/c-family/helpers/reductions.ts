import { integerRange, isFloat } from '@filigree/ir';
import { literal } from '../literal.js';
import { type HelperRequest, type HelperRow, type HelperRows, helperText, widthOf } from './helper.js';
import { suffix } from '../tokens.js';

/** Says how partial results of a loop on vector lanes are combined, and what each begins with. */
const reduction =
  (kind: string): HelperRow =>
  (r) => {
    const [t, float] = [r.scalar(r.a), isFloat(r.a)];
    const operator = infixes[kind];
    const called = operator === undefined || (!float && (kind === 'add' || kind === 'mul'));
    const plain = called && r.a.startsWith('u') && widthOf(r.a) >= 32 && operator !== undefined;
    const combined = called && !plain ? `${kind}_${r.a}(omp_out, omp_in)` : `(${t})(omp_out ${operator!} omp_in)`;
    return helperText(
      called && !plain ? [`${kind}_${r.a}`] : [],
      `#pragma omp declare reduction(${r.name} : ${t} : omp_out = ${combined}) initializer(omp_priv = ${neutral(kind, r)})`,
    );
  };

const infixes: Readonly<Record<string, string>> = { add: '+', mul: '*', and: '&', or: '|', xor: '^' };

const neutral = (kind: string, { a: t, tokens }: HelperRequest): string => {
  if (kind === 'mul') return '1';
  if (t === 'i1') return kind === 'and' ? tokens.true : tokens.false;
  if (isFloat(t))
    return kind === 'add' ? `-0.0${suffix(t)}` : `${kind === 'min' ? '' : '-'}__builtin_inf${suffix(t)}()`;
  const [min, max] = integerRange(t);
  const exact = kind === 'min' ? max : kind === 'max' ? min : kind === 'and' ? (t.startsWith('u') ? max : -1n) : 0n;
  return literal(String(exact), t).text;
};

export const reductionHelpers: HelperRows = Object.fromEntries(
  ['add', 'mul', 'min', 'max', 'and', 'or', 'xor'].map((kind) => [`reduction_${kind}`, reduction(kind)]),
);
