import {
  bufferName,
  isInteger,
  rewriteOps,
  type Buffer,
  type Dialect,
  type Kernel,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';

/** Atomics on scratch buffers, which nobody else sees, as a load and a store. In loops for teams others do, who share them. */
export const withoutPrivateAtomics = (
  kernel: Kernel,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  scratch: ReadonlySet<string>,
): Kernel =>
  scratch.size === 0
    ? kernel
    : rewriteOps(
        kernel,
        dialects,
        (op, ctx) =>
          (op.name === 'mem.atomic' || op.name === 'mem.cas') &&
          scratch.has(bufferName(op)) &&
          !ctx.parents.some((p) => p.attrs['team'] === true)
            ? apart(op, ctx)
            : undefined,
        buffers,
      );

const apart = (op: Op, ctx: RewriteContext): Replacement | undefined => {
  const name = bufferName(op);
  const index = op.operands[op.operands.length - 1]!;
  /* A comparison of floats is not one of their bits. */
  if (op.name === 'mem.cas' && !isInteger(op.operands[0]!.type)) return undefined;
  return ctx.build((b) => {
    const old = b.load(name, index);
    const next = (): Value => {
      if (op.name === 'mem.cas') return b.select(b.cmp('eq', old, op.operands[0]!), op.operands[1]!, old);
      const [value, kind] = [op.operands[0]!, String(op.attrs['kind'])];
      return kind === 'exchange' ? value : b.value(`arith.${kind}`, [old, value]);
    };
    b.store(name, next(), index);
    return old;
  });
};
