import type { Affine } from '../../trace/piece.js';
import { readsOf, type Access, type AffineProgram, type Statement } from '../read/program.js';
import { equalsZero, iterator, minus, shiftedBy, type Conjunction } from '../sets/conjunction.js';
import { isEmpty } from '../sets/integer-points.js';

/** Instances of `from` must run before some of `to`. */
export interface Dependence {
  readonly from: number;
  readonly to: number;
  /** The loop that carries it, by its depth; Infinity where both are of one iteration of all common loops. */
  readonly depth: number;
}

/** All dependences through memory: of two accesses to one element, of which one writes, the first comes first. */
export const dependencesOf = (program: AffineProgram): readonly Dependence[] => {
  const { statements } = program;
  const accesses = statements.map((s) => [
    { access: s.write, writes: true },
    ...readsOf(s.value).map((access) => ({ access, writes: false })),
  ]);
  const found: Dependence[] = [];
  statements.forEach((a, from) =>
    statements.forEach((b, to) => {
      const pairs = accesses[from].flatMap((x) =>
        accesses[to].flatMap((y) =>
          (x.writes || y.writes) && x.access.array === y.access.array ? [[x.access, y.access] as const] : [],
        ),
      );
      if (pairs.length === 0) return;
      const common = commonLoops(a, b);
      for (let depth = 0; depth <= common; depth++) {
        const within = depth === common;
        if (within && a.place[common] >= b.place[common]) continue;
        if (pairs.some(([x, y]) => meets(a, b, x, y, depth, within)))
          found.push({ from, to, depth: within ? Infinity : depth });
      }
    }),
  );
  return found;
};

/** Loops around both. */
const commonLoops = (a: Statement, b: Statement): number => {
  if (a === b) return a.iterators.length;
  let d = 0;
  while (d < a.iterators.length && d < b.iterators.length && a.place[d] === b.place[d]) d++;
  return d;
};

/** Whether an instance of a comes before one of b, in an iteration `depth` carries, and both touch one element. */
const meets = (a: Statement, b: Statement, x: Access, y: Access, depth: number, within: boolean): boolean => {
  const n = a.iterators.length;
  const moved = (f: Affine): Affine => ({
    constant: f.constant,
    coefs: f.coefs.length === 0 ? [] : [...new Array<number>(n).fill(0), ...f.coefs],
  });
  const conditions: Affine[] = [];
  for (let d = 0; d < depth; d++) conditions.push(...equalsZero(minus(iterator(n + d), iterator(d))));
  if (!within) conditions.push(shiftedBy(minus(iterator(n + depth), iterator(depth)), -1));
  x.subscripts.forEach((f, k) => conditions.push(...equalsZero(minus(f, moved(y.subscripts[k])))));
  return a.domain.some((p) => b.domain.some((q) => !isEmpty([...p, ...q.map(moved), ...conditions] as Conjunction)));
};
