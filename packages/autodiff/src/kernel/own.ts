import { walk, type Op, type Scalar, type Value } from '@filigree/ir';
import { digitsOf } from './digits.js';
import type { ElementOpOf } from './element-ops.js';

/** Whether no other iteration of the parallel loop around an op touches the adjoint of its element. */
export type Owns = (op: Op) => boolean;

/** Outside of parallel loops nothing runs at once. */
export const ownsAll: Owns = () => true;

/**
 * Iterations of a parallel loop own elements of places where all that the loop touches has the iteration's coordinates at the same axes, each the same distance away: `u[t + 1][p]` and `u[t][p]`, or
 * `u[p + 1]` alone. What iterations read there is added to without atomics.
 *
 * @param constants the numbers of the kernel, by value
 */
export const ownElements = (loop: Op, elementOf: ElementOpOf, constants: ReadonlyMap<number, Scalar>): Owns => {
  const [region] = loop.regions;
  const distances = new Map<number, Distance>();
  const all: Op[] = [];
  walk(region, (op) => {
    all.push(op);
    const further = distanceOf(op, distances, constants);
    if (further) distances.set(op.results[0].id, further);
  });
  const tellings = [region.params, digitsOf([loop], region.ops, constants)?.values ?? []].filter((t) => t.length > 0);
  const whereTold = (index: readonly Value[]): readonly (string | undefined)[] =>
    tellings.map((telling) => {
      const at = telling.map(({ id }) => index.findIndex((v) => v.id === id || distances.get(v.id)?.of === id));
      return at.includes(-1) ? undefined : at.map((n) => `${n}+${distances.get(index[n].id)?.by ?? 0}`).join();
    });
  const told = new Map<string, readonly (string | undefined)[]>();
  for (const op of all) {
    const element = elementOf(op);
    if (!element) continue;
    const here = whereTold(element.index);
    const before = told.get(element.place);
    told.set(element.place, before ? before.map((w, n) => (w === here[n] ? w : undefined)) : here);
  }
  return (op) => {
    const element = elementOf(op);
    return element !== undefined && told.get(element.place)?.some((w) => w !== undefined) === true;
  };
};

/** A value that is a number further than another. */
interface Distance {
  readonly of: number;
  readonly by: number;
}

const distanceOf = (
  { name, operands }: Op,
  known: ReadonlyMap<number, Distance>,
  constants: ReadonlyMap<number, Scalar>,
): Distance | undefined => {
  if (name !== 'arith.add' && name !== 'arith.sub') return undefined;
  const [a, b] = operands;
  const [x, y] = [constants.get(a.id), constants.get(b.id)];
  const from = (v: Value, by: number): Distance => {
    const before = known.get(v.id) ?? { of: v.id, by: 0 };
    return { of: before.of, by: before.by + by };
  };
  if (typeof y === 'number') return from(a, name === 'arith.add' ? y : -y);
  return typeof x === 'number' && name === 'arith.add' ? from(b, x) : undefined;
};
