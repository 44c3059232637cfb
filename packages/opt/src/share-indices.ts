import { mapKernels, scalarOf, scopedMap, type Kernel, type Op, type Region, type Value, opWith } from '@filigree/ir';
import { affineForms } from './support/affine.js';
import { constantOfOp } from './support/constant-in.js';
import { constantPool } from './support/constant-pool.js';
import { corePass } from './support/core-pass.js';
import { factsOf, type Facts } from './support/facts.js';
import { takesLanes } from './support/takes-lanes.js';
import { freshValues, simpleOp } from './support/values.js';

/**
 * Of several indices into memory that differ by constants, computes only the first; the others become the first plus a constant,
 * which processors and WebAssembly take as part of an instruction's address. So all elements around a position are addressed from
 * one register. C++ compilers do not do this by themselves: they may not reorder signed sums, which could then overflow. Loops
 * that they put on lanes are left alone, since they follow the indices there. Runs late, and leaves ops without users to a `dce`
 * after it.
 */
export const shareIndices = corePass('share-indices', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => mapKernels(module, (k) => shareKernel(k, facts));
});

/** The first index with some terms, and the constant in it. */
interface Leader {
  readonly index: Value;
  readonly offset: bigint;
}

const shareKernel = (kernel: Kernel, facts: Facts): Kernel => {
  const fresh = freshValues(kernel);
  const forms = affineForms();
  const constants = constantPool(fresh);
  const leaders = scopedMap<Leader>();
  const sums = scopedMap<Value>();

  /** The value to use for an index: itself, or the sum of its leader and a constant. */
  const shared = (index: Value, append: (op: Op) => void): Value => {
    const { terms, offset, bits } = forms.of(index);
    if (typeof index.type !== 'string' || terms === '') return index;
    const key = `${bits}:${terms}`;
    const leader = leaders.get(key);
    if (!leader) leaders.set(key, { index, offset });
    if (!leader || leader.index.id === index.id) return index;
    const by = BigInt.asIntN(bits, offset - leader.offset);
    if (by === 0n) return leader.index;
    const name = `${leader.index.id} ${by}`;
    const known = sums.get(name);
    if (known) return known;
    const constant = constants.value(scalarOf(index.type) === 'i64' ? by : Number(by), index.type, append);
    const sum = fresh(index.type);
    append(simpleOp('arith.add', [leader.index, constant], {}, sum));
    sums.set(name, sum);
    return sum;
  };

  const visit = (region: Region): Region => {
    for (const scope of [leaders, sums, constants]) scope.enter();
    const ops: Op[] = [];
    const append = (op: Op): void => {
      const constant = constantOfOp(op, facts);
      forms.note(op, constant);
      if (constant !== undefined) constants.note(op, constant);
      ops.push(op);
    };
    for (const op of region.ops) {
      const indices = (facts.accesses(op) ?? []).flatMap(({ index }) => index);
      if (indices.length > 0) {
        const operands = [...op.operands];
        for (const index of indices) operands[operands.lastIndexOf(index)] = shared(index, append);
        append(operands.every((v, k) => v === op.operands[k]) ? op : opWith(op, { operands }));
      } else append(op.regions.length === 0 || takesLanes(op) ? op : opWith(op, { regions: op.regions.map(visit) }));
    }
    for (const scope of [leaders, sums, constants]) scope.leave();
    return { params: region.params, ops };
  };
  return { ...kernel, body: visit(kernel.body) };
};
