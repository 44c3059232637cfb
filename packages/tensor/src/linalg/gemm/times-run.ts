import type { Kernel, Op, Region, Value } from '@filigree/ir';

/** An op, and how often it runs for each run of the code around it. */
export interface TimesRun {
  readonly op: Op;
  readonly runs: number;
}

/**
 * The wanted ops of a kernel in the order in which they stand, each with the trips of the loops around it, up to one whose length is not
 * known: a run of the kernel is a trip of that one.
 */
export const timesRun = ({ body }: Kernel, wanted: (op: Op) => boolean): readonly TimesRun[] => {
  const found: TimesRun[] = [];
  const numbers = new Map<number, number>();
  const inside = ({ ops }: Region, runs: number): void => {
    for (const op of ops) {
      if (op.name === 'arith.constant') numbers.set(op.results[0].id, Number(op.attrs.value));
      if (wanted(op)) found.push({ op, runs });
      const trips = op.name === 'scf.for' ? tripsOf(op.operands, numbers) : 1;
      for (const region of op.regions) inside(region, trips === undefined ? 1 : runs * trips);
    }
  };
  inside(body, 1);
  return found;
};

const tripsOf = ([from, to, step]: readonly Value[], numbers: ReadonlyMap<number, number>): number | undefined => {
  const [first, end, by] = [from, to, step].map((v) => numbers.get(v.id));
  if (first === undefined || end === undefined || by === undefined) return undefined;
  return Math.max(1, Math.ceil((end - first) / by));
};
