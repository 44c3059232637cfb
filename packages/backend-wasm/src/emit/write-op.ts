import { type Op, fail } from '@filigree/ir';
import type { Context } from './context.js';
import { controlOps } from './control-ops.js';
import { memoryOps } from './memory-ops.js';
import { elementwise, vectorOps } from './vector-ops.js';

/** Writes an op of any kind. */
export const writeOp = (c: Context, op: Op): void => {
  /* A pure op whose results nobody reads, because an address took over its work, is not written. */
  if (isPure(op) && op.results.every((v) => c.plan.uses(v).count === 0)) return;
  const writer = writerOf(op.name);
  if (!writer)
    fail('wasm/op', `op '${op.name}' cannot be written as WebAssembly`, {
      loc: op.loc,
      remedy: 'lower it to the core dialects first',
    });
  else writer(c, op);
};

/** What writes an op, for ops of the core dialects. */
const writerOf = (name: string): ((c: Context, op: Op) => void) | undefined =>
  vectorOps[name] ?? memoryOps[name] ?? controlOps[name] ?? (/^(arith|math)\./.test(name) ? elementwise : undefined);

const isPure = (op: Op): boolean =>
  op.results.length > 0 && op.regions.length === 0 && op.name !== 'mem.atomic' && op.name !== 'mem.cas';
