import { fail } from '../diagnostics/diagnostic.js';
import { checkOptions } from '../options/check-options.js';
import { option } from '../options/kinds.js';
import type { Dialect } from '../kernel/dialect.js';
import type { Buffer, Kernel } from '../kernel/op.js';
import { rewriteOps, type Rewrite } from './rewrite.js';

/** How long `rewriteGreedily` goes on. */
export interface GreedyOptions {
  /** Sweeps over the kernel after which rules that still find something are taken to be endless; default 100. */
  readonly sweeps?: number;
}

/**
 * Sweeps over a kernel until no rule finds anything, so that what one rule makes another may see. At each op the first rule that
 * applies is taken. What falls out of use stays; `dce` drops it.
 *
 * @param rules may be asked of any op, and leave alone what they do not know; each should make a kernel simpler in some sense
 * @param buffers the module's buffers, for the types of loads that rules make
 *
 * Errors: `rewrite/endless` where rules undo each other, or one finds its own results; what `checkOptions` says.
 */
export const rewriteGreedily = (
  kernel: Kernel,
  dialects: readonly Dialect[],
  rules: readonly Rewrite[],
  buffers: readonly Buffer[] = [],
  options?: GreedyOptions,
): Kernel => {
  const { sweeps = 100 } = checkOptions<GreedyOptions>('rewriteGreedily', options, { sweeps: option.whole(1) });
  let last = '';
  const rule: Rewrite = (op, context) => {
    for (const apply of rules) {
      const made = apply(op, context);
      if (made) {
        last = op.name;
        return made;
      }
    }
    return undefined;
  };
  let now = kernel;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const next = rewriteOps(now, dialects, rule, buffers);
    if (next === now) return now;
    now = next;
  }
  return fail('rewrite/endless', `kernel @${kernel.name} is still rewritten after ${sweeps} sweeps, last at ${last}`, {
    remedy: 'let each rule make something smaller, and none undo another',
  });
};
