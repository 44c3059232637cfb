import { isFloat, isVector, walk, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import { isSerial } from './exchanges.js';

/** What tells which of two floats is taken. */
export type Extreme = 'above' | 'below';

/** The choices of a kernel between two floats by how they compare, `a > b ? a : b`, by id: whether the first is taken where it is above or below the second. */
export const extremesIn = ({ body }: Kernel): ReadonlyMap<number, Extreme> => {
  const found = new Map<number, Extreme>();
  const comparisons = new Map<number, Op>();
  walk(body, (op) => {
    const [result] = op.results;
    if (op.name === 'arith.cmp') comparisons.set(result!.id, op);
    if (op.name !== 'arith.select' || isVector(result!.type) || !isFloat(result!.type)) return;
    const [condition, a, b] = op.operands;
    const test = comparisons.get(condition!.id);
    const greater = test && greaterOf.get(String(test.attrs['predicate']));
    if (greater === undefined) return;
    const [greaterId, lesserId] = [test!.operands[greater]!.id, test!.operands[1 - greater]!.id];
    if (greaterId === a!.id && lesserId === b!.id) found.set(result!.id, 'above');
    if (greaterId === b!.id && lesserId === a!.id) found.set(result!.id, 'below');
  });
  return found;
};

/** Which of what is compared is the greater, where they may not be equal. */
const greaterOf = new Map([
  ['gt', 0],
  ['lt', 1],
]);

/**
 * Minima and maxima of floats that serial loops hand on, by id: which operand depends on what was handed on before. As a branch, where it is known which way the loop goes for
 * a while, no iteration waits for the one before it.
 */
export const recurrencesIn = ({ body }: Kernel): ReadonlyMap<number, 0 | 1> => {
  const found = new Map<number, 0 | 1>();
  walk(body, (op) => {
    if (op.name !== 'scf.for' || !isSerial(op) || op.results.length === 0) return;
    const [region] = op.regions as readonly [Region];
    const defining = new Map(region.ops.flatMap((o) => o.results.map((r) => [r.id, o] as const)));
    region.ops.at(-1)!.operands.forEach((yielded, k) => {
      const extreme = defining.get(yielded.id);
      if (!extreme || !isExtreme(extreme)) return;
      const [first, second] = extreme.operands.map((v) => dependsOn(v, region.params[k + 1]!.id, defining));
      if (first !== second) found.set(yielded.id, first ? 0 : 1);
    });
  });
  return found;
};

const isExtreme = ({ name, results: [result] }: Op): boolean =>
  (name === 'arith.min' || name === 'arith.max') && !isVector(result!.type) && isFloat(result!.type);

const dependsOn = (value: Value, on: number, defining: ReadonlyMap<number, Op>): boolean => {
  const seen = new Set<number>();
  const visit = ({ id }: Value): boolean => {
    if (id === on) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return defining.get(id)?.operands.some(visit) ?? false;
  };
  return visit(value);
};
