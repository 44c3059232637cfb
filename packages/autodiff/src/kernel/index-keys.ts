import { walk, type Kernel, type Value } from '@filigree/ir';

/** What an index is: a short text that is the same for the same computation, and the loops that it depends on. */
export interface IndexKey {
  readonly key: string;
  /** By name and depth. */
  readonly tells: ReadonlySet<string>;
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
      params.map((p, n) => [p.id, { key: numbered(`%${n}`), tells: nothing }] as const),
    );
    const of = (v: Value): IndexKey => keys.get(v.id) ?? { key: `?${v.id}`, tells: nothing };
    walk(body, (op, parents) => {
      const loop = `${op.name}.${parents.length}`;
      op.regions.forEach((r, m) =>
        r.params.forEach((p, n) => keys.set(p.id, { key: numbered(`${loop}.${m}.${n}`), tells: new Set([loop]) })),
      );
      if (op.results.length !== 1) return;
      const operands = op.operands.map(of);
      const tells = operands.map((o) => o.tells).filter((t) => t.size > 0);
      keys.set(op.results[0].id, {
        key: numbered(`${op.name}(${operands.map((o) => o.key).join()})${JSON.stringify(op.attrs)}`),
        tells: tells.length < 2 ? (tells[0] ?? nothing) : new Set(tells.flatMap((t) => [...t])),
      });
    });
    return of;
  };
};

const nothing: ReadonlySet<string> = new Set();
