/**
 * The smallest program found that still fails: candidates are tried, the smallest first, as long as one fails. `fails` is asked at
 * most `most` times.
 */
export const shrink = async <P>(
  program: P,
  candidates: (p: P) => Iterable<P>,
  fails: (p: P) => Promise<boolean>,
  most: number,
): Promise<P> => {
  let best = program;
  let left = most;
  for (let again = true; again && left > 0;) {
    again = false;
    for (const smaller of [...candidates(best)].sort((a, b) => sizeOf(a) - sizeOf(b))) {
      if (left-- <= 0) break;
      if (!(await fails(smaller))) continue;
      best = smaller;
      again = true;
      break;
    }
  }
  return best;
};

/** Characters of a program as data. */
export const sizeOf = (p: unknown): number =>
  JSON.stringify(p, (_, x: unknown) => (typeof x === 'bigint' ? String(x) : x)).length;

/** A list without one of its items, or without any. */
export function* without<T>(list: readonly T[]): Generator<readonly T[]> {
  if (list.length > 2) yield [];
  for (const n of list.keys()) yield list.toSpliced(n, 1);
}

/** A node of code: an expression has `is`, a statement `do`; `type` is that of its value. */
interface Node {
  readonly is?: string;
  readonly do?: string;
  readonly type?: string;
  readonly [key: string]: unknown;
}

/**
 * Ways to make some part of a piece of code smaller: statements are left out or replaced by their blocks, expressions by parts of
 * the same type, or by `literal(type)`.
 */
export function* smaller<P>(
  x: unknown,
  whole: (part: unknown) => P,
  literal: (type: string | undefined) => unknown,
): Generator<P> {
  if (Array.isArray(x)) {
    const list = x as readonly Node[];
    if (list.some((s) => s?.do !== undefined)) {
      for (const part of without(list)) yield whole(part);
      for (const [n, s] of list.entries())
        for (const body of [s.then, s.otherwise])
          if (Array.isArray(body)) yield whole(list.toSpliced(n, 1, ...(body as Node[])));
    }
    for (const [n, part] of list.entries()) yield* smaller(part, (p) => whole(list.with(n, p as Node)), literal);
    return;
  }
  if (typeof x !== 'object' || x === null) return;
  const node = x as Node;
  if (node.is !== undefined && node.is !== 'literal' && node.is !== 'constant') {
    for (const part of Object.values(node))
      if (
        typeof part === 'object' &&
        part !== null &&
        (part as Node).is !== undefined &&
        (part as Node).type === node.type
      )
        yield whole(part);
    const simple = literal(node.type);
    if (simple !== undefined) yield whole(simple);
  }
  for (const key of ['times', 'length'])
    if (node.do !== undefined && typeof node[key] === 'number' && node[key] > 1) yield whole({ ...node, [key]: 1 });
  for (const [key, part] of Object.entries(node)) yield* smaller(part, (p) => whole({ ...node, [key]: p }), literal);
}
