import { spellingOf } from '@filigree/backend';
import { type Op, bringsOp, extensionText, fail } from '@filigree/ir';
import type { Context } from './context.js';
import { controlOps } from './control-ops.js';
import { accessesOf } from './core-ops.js';
import { memoryOps } from './memory-ops.js';
import { isCore } from './scalar-ops.js';
import { elementwise, vectorOps } from './vector-ops.js';

/** Writes an op of any kind. */
export const writeOp = (c: Context, op: Op): void => {
  /* A pure op whose results nobody reads, because an address took over its work, is not written. */
  if (isPure(op) && op.results.every((v) => c.plan.uses(v).count === 0)) return;
  const writer = writerOf(c, op.name);
  if (!writer) refuse(c, op);
  else writer(c, op);
};

/** What writes an op, for ops of the core dialects; those that extensions spell are element-wise. */
const writerOf = (c: Context, name: string): ((c: Context, op: Op) => void) | undefined =>
  vectorOps[name] ??
  memoryOps[name] ??
  controlOps[name] ??
  (isCore(name) || spellingOf(c.module.extensions, name)?.wasm ? elementwise : undefined);

const refuse = ({ module: { extensions } }: Context, op: Op): never => {
  const by = bringsOp(extensions, op.name);
  return fail(
    'wasm/op',
    `op '${op.name}'${by ? `, which extension ${extensionText(by)} brings,` : ''} cannot be written as WebAssembly`,
    {
      loc: op.loc,
      remedy: by
        ? `lower it to the core dialects first, or let the extension spell it: { spellings: { '${op.name}': { core: (b, op) => … } } }`
        : 'lower it to the core dialects first',
    },
  );
};

const isPure = (op: Op): boolean =>
  op.results.length > 0 && op.regions.length === 0 && !accessesOf(op)?.some((a) => a.kind === 'atomic');
