import { isInteger, walk, type Kernel, type Op, type Value } from '@filigree/ir';
import { nodeOf, type Layout } from '@filigree/sparse/fields';

/** Values times numbers, by id, and a number. */
export interface Form {
  readonly terms: ReadonlyMap<number, number>;
  readonly plus: number;
}

/** The integers of a kernel as sums. */
export interface IntegerForms {
  readonly formOf: (v: Value) => Form;
  /** What a coordinate lies between, where that is certainly from 0 to below an extent, as far as loops over numbers tell. */
  readonly within: (v: Value, extent: number) => Bounds | undefined;
  /** The op that a value is the result of. */
  readonly madeBy: (v: Value) => Op | undefined;
  /** Whether a value follows from arguments alone, and so is the same for all iterations. */
  readonly isFixed: (id: number) => boolean;
}

export type Bounds = readonly [least: number, most: number];

/** Reads the integers of a kernel; with a layout also what loops over active elements go over. */
export const integerForms = ({ params, body }: Kernel, layout?: Layout): IntegerForms => {
  const fixed = new Set(params.map((p) => p.id));
  const forms = new Map<number, Form>();
  const formOf = (v: Value): Form => forms.get(v.id) ?? { terms: new Map([[v.id, 1]]), plus: 0 };
  /** What values lie between that are no sums of others. */
  const bounds = new Map<number, Bounds>();
  const boundsOf = ({ terms, plus }: Form): Bounds =>
    [...terms].reduce<Bounds>(
      ([least, most], [id, times]) => {
        const [lo, hi] = bounds.get(id) ?? everything;
        return times < 0 ? [least + times * hi, most + times * lo] : [least + times * lo, most + times * hi];
      },
      [plus, plus],
    );
  const definitions = new Map<number, Op>();
  walk(body, (op) => {
    for (const r of op.results) definitions.set(r.id, op);
    if (op.name.startsWith('arith.') && op.operands.every((v) => fixed.has(v.id)))
      for (const r of op.results) fixed.add(r.id);
    if (op.name === 'scf.for') {
      const [lower, upper, step] = op.operands.map((v) => boundsOf(formOf(v)));
      if (step[0] > 0) bounds.set(op.regions[0].params[0].id, [lower[0], upper[1] - 1]);
    }
    if (op.name === 'field.for')
      op.regions[0].params.forEach((p, n) => bounds.set(p.id, [0, (extentsOver(op, layout)?.[n] ?? Infinity) - 1]));
    const [result] = op.results;
    if (!op.name.startsWith('arith.') || !isInteger(result.type)) return;
    if (typeof op.attrs.value === 'number') forms.set(result.id, { terms: new Map(), plus: op.attrs.value });
    const [a, b] = op.operands.map(formOf);
    if (op.name === 'arith.add') forms.set(result.id, formSum(a, b, 1));
    if (op.name === 'arith.sub') forms.set(result.id, formSum(a, b, -1));
    if (op.name === 'arith.mul' && (a.terms.size === 0 || b.terms.size === 0))
      forms.set(result.id, a.terms.size === 0 ? formSum(zero, b, a.plus) : formSum(zero, a, b.plus));
    if ((op.name !== 'arith.div' && op.name !== 'arith.rem') || b.terms.size > 0 || b.plus <= 0) return;
    const [lo, hi] = boundsOf(a);
    const [least, most] = op.name === 'arith.rem' ? [0, Math.min(hi, b.plus - 1)] : [lo / b.plus, hi / b.plus];
    if (lo >= 0) bounds.set(result.id, [Math.floor(least), Math.floor(most)]);
  });
  const within = (v: Value, extent: number): Bounds | undefined => {
    const found = boundsOf(formOf(v));
    return found[0] >= 0 && found[1] < extent ? found : undefined;
  };
  return { formOf, within, madeBy: (v) => definitions.get(v.id), isFixed: (id) => fixed.has(id) };
};

/** The extents of what a loop over active elements goes over; nothing where there is no end. */
const extentsOver = (op: Op, layout: Layout | undefined): readonly number[] | undefined => {
  const node = layout && nodeOf(layout, op);
  const placed = node && [...layout.fields.values()].find(({ path }) => path[path.length - 2] === node.id);
  return placed && !placed.unbounded ? placed.extents : undefined;
};

const everything: Bounds = [-Infinity, Infinity];

const zero: Form = { terms: new Map(), plus: 0 };

/** A form, and another one so many times. */
export const formSum = (a: Form, b: Form, times: number): Form => {
  const terms = new Map(a.terms);
  for (const [id, n] of b.terms) terms.set(id, (terms.get(id) ?? 0) + times * n);
  return { terms: new Map([...terms].filter(([, n]) => n !== 0)), plus: a.plus + times * b.plus };
};
