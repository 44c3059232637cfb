import { byteSize, isInteger, scalarOf, walk, type Kernel, type Op, type Value } from '@filigree/ir';

/** What an index is: a short text that is the same for the same computation, and the loops that it depends on. */
export interface IndexKey {
  readonly key: string;
  /** By name and depth. */
  readonly tells: ReadonlySet<string>;
  /** How it follows from the counters of loops, of each of which another iteration has another one. */
  readonly counts: readonly Counting[];
}

/** The counter of a loop, or what that is taken from, and a number: all that is known of this is what it lies between. */
export interface Counting {
  readonly loop: string;
  readonly sign: 1 | -1;
  /** What the counter is added to or taken from, as keys: the same for all iterations of this loop, in one of those around it; empty for nothing. */
  readonly rest: string;
  readonly least: number;
  readonly most: number;
}

/** Reads the indices of a kernel. */
export type IndexKeys = (kernel: Kernel) => (v: Value) => IndexKey;

/** Keys that can be compared between kernels: the parameters of which loops, by depth and number, and which ops of them. Texts are numbered, so that none grows. */
export const indexKeys = (): IndexKeys => {
  const numbers = new Map<string, number>();
  const numbered = (text: string): string => {
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return `#${numbers.get(text)!}`;
  };
  return ({ params, body }) => {
    const keys = new Map<number, IndexKey>(
      params.map((p, n) => [p.id, { key: numbered(`%${n}`), tells: nothing, counts: [] }] as const),
    );
    const constants = new Map<number, number>();
    const written = new Set<unknown>();
    walk(body, ({ name, attrs }) => {
      if (!isLoad(name)) written.add(attrs.field ?? attrs.buffer);
    });
    const of = (v: Value): IndexKey => keys.get(v.id) ?? { key: `?${v.id}`, tells: nothing, counts: [] };
    const counting = ({ name, operands: [a, b], results: [r] }: Op): readonly Counting[] => {
      /* Different numbers stay different where no bits are cut off. */
      if (name === 'arith.cast') return isInteger(r.type) && sizeOf(r) >= sizeOf(a) ? of(a).counts : [];
      if (name !== 'arith.add' && name !== 'arith.sub') return [];
      const [x, y] = [of(a), of(b)];
      const sign = name === 'arith.add' ? 1 : -1;
      if (x.counts.length > 0 && y.counts.length > 0) return [];
      const [from, other, number, by] =
        y.counts.length > 0
          ? ([sign > 0 ? y.counts : y.counts.map(turned), x, constants.get(a.id), 1] as const)
          : ([x.counts, y, constants.get(b.id), sign] as const);
      return from.flatMap((c) => further(c, other, number, by));
    };
    /* The counter of a loop whose bounds follow from counters of loops around it lies between these. */
    const bounded = ([lower, upper]: readonly Value[]): readonly Counting[] => [
      ...of(lower).counts.map((c) => ({ ...c, most: Infinity })),
      ...of(upper).counts.map((c) => ({ ...c, least: -Infinity, most: c.most - 1 })),
    ];
    walk(body, (op, parents) => {
      const loop = `${op.name}.${parents.length}`;
      op.regions.forEach((r, m) =>
        r.params.forEach((p, n) =>
          keys.set(p.id, {
            key: numbered(`${loop}.${m}.${n}`),
            tells: new Set([loop]),
            counts:
              op.name === 'scf.for' && n === 0
                ? [{ loop, sign: 1, rest: '', least: 0, most: 0 }, ...bounded(op.operands)]
                : [],
          }),
        ),
      );
      /* What is written meanwhile may be another number when it is read again, and what regions compute is not followed. */
      if (
        op.results.length !== 1 ||
        op.regions.length > 0 ||
        (isLoad(op.name) && written.has(op.attrs.field ?? op.attrs.buffer))
      ) {
        const tells = new Set(parents.map((p, depth) => `${p.name}.${depth}`));
        for (const r of op.results) keys.set(r.id, { key: `?${r.id}`, tells, counts: [] });
        return;
      }
      if (typeof op.attrs.value === 'number') constants.set(op.results[0].id, op.attrs.value);
      const operands = op.operands.map(of);
      const tells = operands.map((o) => o.tells).filter((t) => t.size > 0);
      keys.set(op.results[0].id, {
        key: numbered(`${op.name}(${operands.map((o) => o.key).join()})${JSON.stringify(op.attrs)}`),
        tells: tells.length < 2 ? (tells[0] ?? nothing) : new Set(tells.flatMap((t) => [...t])),
        counts: counting(op),
      });
    });
    return of;
  };
};

/** A counter to which something is added, or from which it is taken: a number, or what is the same in all iterations of its loop. */
const further = (
  counts: Counting,
  { key, tells }: IndexKey,
  number: number | undefined,
  sign: 1 | -1,
): readonly Counting[] => {
  if (number !== undefined)
    return [{ ...counts, least: counts.least + sign * number, most: counts.most + sign * number }];
  const depth = depthOf(counts.loop);
  return [...tells].every((loop) => depthOf(loop) < depth)
    ? [{ ...counts, rest: `${counts.rest}${sign > 0 ? '+' : '-'}${key}` }]
    : [];
};

const sizeOf = ({ type }: Value): number => byteSize(scalarOf(type));

const depthOf = (loop: string): number => Number(loop.slice(loop.lastIndexOf('.') + 1));

/** What is taken from zero. */
const turned = ({ loop, sign, rest, least, most }: Counting): Counting => ({
  loop,
  sign: sign > 0 ? -1 : 1,
  rest: rest === '' ? '' : `-(${rest})`,
  least: -most,
  most: -least,
});

/** Whether an op of this name loads an element. */
export const isLoad = (name: string): boolean => name === 'field.load' || name === 'mem.load';

const nothing: ReadonlySet<string> = new Set();
