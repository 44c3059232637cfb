import { walk, type Op, type Scalar, type Value } from '@filigree/ir';
import { digitsOf } from '../indices/digits.js';
import type { ElementOp, ElementOpOf } from './element-ops.js';
import { areButterflies } from './butterflies.js';
import { arePartners } from './partners.js';
import { formSum, single, type Form, type IntegerForms } from '../indices/integer-forms.js';

/** Whether no other iteration of the parallel loop around an op touches the adjoint of its element. */
export type Owns = (op: Op) => boolean;

/** Outside of parallel loops nothing runs at once. */
export const ownsAll: Owns = () => true;

/** What iterations of each parallel loop of a kernel own. */
export type OwnedIn = (loop: Op) => Owns;

/** See `ownElements`. */
export const ownedBy = (
  elementOf: ElementOpOf,
  constants: ReadonlyMap<number, Scalar>,
  forms: IntegerForms,
): OwnedIn => {
  const known = new Map<Op, Owns>();
  return (loop) => {
    const owns = known.get(loop) ?? ownElements(loop, elementOf, constants, forms);
    known.set(loop, owns);
    return owns;
  };
};

/**
 * Iterations of a parallel loop own elements of places where all that the loop touches tells the iteration by its coordinates, at the same axes: each the same distance away, `u[t + 1][p]` and `u[t][p]`, or
 * `u[p + 1]` alone; or within a stretch of the iteration's own, as `b[4 * p + k]` is for `k` from 0 to 3; or as butterflies do. What iterations read there is added to without atomics.
 *
 * @param constants the numbers of the kernel, by value
 */
const ownElements = (
  loop: Op,
  elementOf: ElementOpOf,
  constants: ReadonlyMap<number, Scalar>,
  forms: IntegerForms,
): Owns => {
  const [region] = loop.regions;
  const digits = digitsOf([loop], region.ops, constants)?.values ?? [];
  const tellings = [region.params, digits].filter((t) => t.length > 0);
  const all = new Map<string, Touching[]>();
  walk(region, (op) => {
    const element = elementOf(op);
    if (element) all.set(element.place, [...(all.get(element.place) ?? []), { op, ...element }]);
  });
  const owned = new Set(
    [...all].flatMap(([place, touching]) =>
      tellings.some((telling) => isTold(telling, touching, forms)) || areToldByAnAxis(loop, touching, tellings, forms)
        ? [place]
        : [],
    ),
  );
  return (op) => {
    const element = elementOf(op);
    return element !== undefined && owned.has(element.place);
  };
};

/** Whether the coordinates of all elements that a loop touches of a place tell the values that tell the iteration. */
const isTold = (telling: readonly Value[], touching: readonly ElementOp[], forms: IntegerForms): boolean => {
  const indices = touching.map(({ index }) => index.map(forms.formOf));
  const [first] = indices;
  const axes = telling.map(({ id }) => first.findIndex(({ terms }) => terms.has(id)));
  if (axes.includes(-1)) return false;
  return [...new Set(axes)].every((axis) => {
    const told = telling.filter((_, n) => axes[n] === axis);
    const isSingle = told.length === 1 && indices.every((index) => index.length > axis && index[axis].terms.size === 1);
    const distances = new Set(indices.map((index) => index[axis]?.plus));
    if (isSingle && distances.size === 1 && indices.every((index) => index[axis].terms.get(told[0].id) === 1))
      return true;
    /* An index that is outside is taken for another one. */
    const isWithin = touching.every(
      ({ index, extents }) => extents !== undefined && forms.within(index[axis], extents[axis]) !== undefined,
    );
    return isWithin && isToldByStretches(told, indices.map((index) => index[axis]), forms); // prettier-ignore
  });
};

/** An op, and what it does to an element. */
interface Touching extends ElementOp {
  readonly op: Op;
}

/** Whether there is an axis along which the coordinates are those of butterflies, or of partners: of the counter of a loop, or of one of its digits where the coordinates tell the others. */
const areToldByAnAxis = (
  loop: Op,
  touching: readonly Touching[],
  tellings: readonly (readonly Value[])[],
  forms: IntegerForms,
): boolean => {
  const roots = tellings.flatMap((telling) =>
    telling.filter((root) => {
      const others = telling.filter((v) => v !== root);
      return others.length === 0 || isTold(others, touching, forms);
    }),
  );
  return roots.some((root) =>
    touching[0].index.some((_, axis) => {
      const at = touching.map(({ op, index }) => ({ op, coordinate: index[axis] }));
      return (
        areButterflies(
          loop,
          root,
          at.map(({ coordinate }) => coordinate),
          forms,
        ) || arePartners(loop, root, at, forms)
      );
    }),
  );
};

/** Whether sums tell values that are in them times a number each: all that is in them besides, of those with larger numbers too, lies closer together than that. */
const isToldByStretches = (told: readonly Value[], sums: readonly Form[], { spanOf }: IntegerForms): boolean => {
  const times = new Map(told.map(({ id }) => [id, sums[0].terms.get(id)!]));
  if (sums.some(({ terms }) => told.some(({ id }) => terms.get(id) !== times.get(id)))) return false;
  let rest = sums;
  return [...times]
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .every(([id, by]) => {
      rest = rest.map((sum) => formSum(sum, single(id), -by));
      const spans = rest.map(spanOf);
      return Math.max(...spans.map(([, most]) => most)) - Math.min(...spans.map(([least]) => least)) < Math.abs(by);
    });
};
