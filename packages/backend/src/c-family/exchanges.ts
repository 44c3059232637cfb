import { walk, type Kernel, type Op, type Value } from '@filigree/ir';
import { isSum, sumOf } from './apart.js';
import { accessesOf } from './core-ops.js';

/**
 * Stores of serial loops to neighbours of what was read, as where `x[i]` and `x[i + 1]` change places: of each two the first. What the one iteration stores second is what the next stores first, and reads. g++ makes one store of both, and
 * whoever reads a half of that waits until all of it is in memory.
 */
export const exchangesIn = ({ body }: Kernel): ReadonlySet<Op> => {
  const sums = new Map<number, Op>();
  const constants = new Map<number, number>();
  const stores = new Map<Op, { readonly op: Op; readonly key: string; readonly plus: number }[]>();
  const loaded = new Set<number>();
  const found = new Set<Op>();
  walk(body, (op, around) => {
    if (op.name === 'arith.constant') constants.set(op.results[0]!.id, Number(op.attrs['value']));
    if (op.name === 'mem.load') loaded.add(op.results[0]!.id);
    if (isSum(op)) sums.set(op.results[0]!.id, op);
    const access = op.name === 'mem.store' && loaded.has(op.operands[0]!.id) ? accessesOf(op)?.[0] : undefined;
    if (!access) return;
    const counted = around.filter(isSerial).flatMap(({ regions }) => regions.flatMap(({ params }) => params));
    const { values, plus } = sumOf(
      access.index[0]!,
      (v: Value) => sums.get(v.id),
      (v) => constants.get(v.id),
    );
    if (!counted.some(({ id }) => values.includes(id))) return;
    const key = `${access.place} ${values.sort((a, b) => a - b).join()}`;
    const beside = stores.get(around.at(-1)!) ?? [];
    for (const other of beside) if (other.key === key && Math.abs(other.plus - plus) === 1) found.add(other.op);
    stores.set(around.at(-1)!, [...beside, { op, key, plus }]);
  });
  return found;
};

/** Whether iterations follow one another, and are no lanes. */
export const isSerial = ({ name, attrs }: Op): boolean =>
  name === 'scf.while' ||
  (name === 'scf.for' && ['parallel', 'simd', 'independent'].every((said) => attrs[said] !== true));
