import { type Value, lanesOf } from '@filigree/ir';
import { type Expr, binds, call, expr, within } from '../expr.js';
import { type Spellings, isTruth, onVectors, pure } from './spelling.js';

/** A vector that may yet become another: it is written only if it does not, since helpers that are written are declared. */
const unfinished = (lanes: readonly Expr[], write: () => Expr): Expr => ({
  lanes,
  binds: binds.primary,
  get text() {
    return write().text;
  },
});

const splat = pure((op, [x], site) => {
  const [result] = op.results as [Value];
  /* True is a word of ones on lanes. */
  if (isTruth(result)) return call(onVectors('splat', result, site), expr(`-${within(x!, binds.unary)}`, binds.unary));
  const lanes = Array.from({ length: lanesOf(result.type) }, () => x!);
  return unfinished(lanes, () => call(onVectors('splat', result, site), x!));
});

/** A vector whose lanes are all given is written as a list of them: compilers do not see through one insertion after another. */
const insert = pure((op, [v, x], site) => {
  const [result] = op.results as [Value];
  const lane = Number(op.attrs['lane']);
  const inserted = (): Expr => call(onVectors('insert', result, site), v!, expr(String(lane)), x!);
  const lanes = v!.lanes?.map((l, k) => (k === lane ? x! : l));
  if (lanes === undefined) return inserted();
  if (new Set(lanes).size < lanes.length) return unfinished(lanes, inserted);
  return expr(
    site.tokens.vector(
      site.declared(result),
      lanes.map((l) => l.text),
    ),
  );
});

export const vectorSpellings: Spellings = {
  'arith.splat': splat,
  'arith.iota': pure((op, [x], site) => call(onVectors('iota', op.results[0]!, site), x!)),
  'arith.extract': pure((op, [v]) => {
    const lane = `${within(v!, binds.primary)}[${Number(op.attrs['lane'])}]`;
    return op.results[0]!.type === 'i1' ? expr(`${lane} != 0`, binds.equality) : expr(lane);
  }),
  'arith.insert': insert,
  /* Of truth values; numbers are folded lane by lane before. */
  'arith.reduce': pure((op, [v], site) => call(onVectors('any', op.operands[0]!, site), v!)),
};
