import { walk, type Op, type Region, type Scalar } from '@filigree/ir';

/**
 * Whether what the iterations of a loop read and write of fields and buffers is the same for all, or lies side by side: the last coordinate is one further in the next iteration, and no other is another one.
 *
 * @param region of a counted loop
 * @param constants numbers around it, by value
 */
export const liesSideBySide = (region: Region, constants: ReadonlyMap<number, Scalar>): boolean => {
  /** By value, how much more it is in the next iteration; nothing where nobody knows. What is not listed is the same. */
  const further = new Map<number, number | undefined>([[region.params[0].id, 1]]);
  const numbers = new Map(constants);
  let found = true;
  walk(region, (op) => {
    if (op.name === 'arith.constant') numbers.set(op.results[0].id, op.attrs.value as Scalar);
    /* What loops hand on is not followed. */
    const counts = op.name === 'scf.for' && !op.operands.slice(0, 3).some((v) => further.has(v.id));
    for (const { params } of op.regions) for (const p of params.slice(counts ? 1 : 0)) further.set(p.id, undefined);
    if (op.regions.length > 0) for (const r of op.results) further.set(r.id, undefined);
    if (op.regions.length > 0 || !op.operands.some((v) => further.has(v.id))) return;
    const isStore = op.name.endsWith('.store');
    if (isStore || op.name.endsWith('.load')) {
      const index = op.operands.slice(isStore ? 1 : 0);
      found &&= index.every((v, n) => !further.has(v.id) || (n === index.length - 1 && further.get(v.id) === 1));
    }
    const by = distanceOf(op, further, numbers);
    if (by !== 0) for (const r of op.results) further.set(r.id, by);
  });
  return found;
};

/** How much more the result of an op is in the next iteration. */
const distanceOf = (
  { name, operands: [a, b] }: Op,
  further: ReadonlyMap<number, number | undefined>,
  numbers: ReadonlyMap<number, Scalar>,
): number | undefined => {
  const [x, y] = [a, b].map((v) => v && (further.has(v.id) ? further.get(v.id) : 0));
  if (x === undefined || y === undefined) return undefined;
  if (name === 'arith.add') return x + y;
  if (name === 'arith.sub') return x - y;
  const [m, n] = [numbers.get(a.id), numbers.get(b.id)];
  if (name !== 'arith.mul') return undefined;
  return typeof n === 'number' ? x * n : typeof m === 'number' ? y * m : undefined;
};
