import { walk, type Kernel, type Op, type Value } from '@filigree/ir';

/** What an index is: a short text that is the same for the same computation, and the loops that it depends on. */
export interface IndexKey {
  readonly key: string;
  /** By name and depth. */
  readonly tells: ReadonlySet<string>;
  /** How it follows from the counter of a loop, where another iteration has another one. */
  readonly counts: Counting | undefined;
}

/** The counter of a loop, or what that is taken from, and a number. */
export interface Counting {
  readonly loop: string;
  readonly sign: 1 | -1;
  /** What the counter is added to or taken from, as a key; empty for nothing. */
  readonly rest: string;
  readonly by: number;
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
      params.map((p, n) => [p.id, { key: numbered(`%${n}`), tells: nothing, counts: undefined }] as const),
    );
    const constants = new Map<number, number>();
    const written = new Set<unknown>();
    walk(body, ({ name, attrs }) => {
      if (!isLoad(name)) written.add(attrs.field ?? attrs.buffer);
    });
    const of = (v: Value): IndexKey => keys.get(v.id) ?? { key: `?${v.id}`, tells: nothing, counts: undefined };
    const counting = ({ name, operands: [a, b] }: Op): Counting | undefined => {
      if (name !== 'arith.add' && name !== 'arith.sub') return undefined;
      const [x, y] = [of(a).counts, of(b).counts];
      const sign = name === 'arith.add' ? 1 : -1;
      if (x && !y) return further(x, of(b), constants.get(b.id), sign);
      if (!y || x) return undefined;
      return further({ ...y, sign: (sign * y.sign) as 1 | -1, by: sign * y.by }, of(a), constants.get(a.id), 1);
    };
    walk(body, (op, parents) => {
      const loop = `${op.name}.${parents.length}`;
      op.regions.forEach((r, m) =>
        r.params.forEach((p, n) =>
          keys.set(p.id, {
            key: numbered(`${loop}.${m}.${n}`),
            tells: new Set([loop]),
            counts: op.name === 'scf.for' && n === 0 ? { loop, sign: 1, rest: '', by: 0 } : undefined,
          }),
        ),
      );
      /* What is written meanwhile may be another number when it is read again. */
      if (op.results.length !== 1 || (isLoad(op.name) && written.has(op.attrs.field ?? op.attrs.buffer))) return;
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

/** A counter to which something is added, or from which it is taken: a number, or what no loop changes. */
const further = (
  counts: Counting,
  { key, tells }: IndexKey,
  number: number | undefined,
  sign: 1 | -1,
): Counting | undefined => {
  if (number !== undefined) return { ...counts, by: counts.by + sign * number };
  return tells.size === 0 && counts.rest === '' ? { ...counts, rest: `${sign}${key}` } : undefined;
};

const isLoad = (name: string): boolean => name === 'field.load' || name === 'mem.load';

const nothing: ReadonlySet<string> = new Set();
