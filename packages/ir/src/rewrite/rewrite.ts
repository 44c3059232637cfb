import { option } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import { opWith } from '../build/make-op.js';
import { Builder, type Yields } from '../build/builder.js';
import { type IdSource, freshIds } from '../build/ids.js';
import { bufferMap } from '../dialects/mem.js';
import { type OpTable, opTable } from '../dialects/op-table.js';
import type { Dialect, OpDef } from '../kernel/dialect.js';
import type { Buffer, Kernel, Op, Region, Value } from '../kernel/op.js';
import { substituteOperands } from './substitute.js';

/** What an op becomes: ops in its place, and one value for each of its results. */
export interface Replacement {
  readonly ops: readonly Op[];
  readonly values: readonly Value[];
}

/** What a rewrite may ask about the op at hand. */
export interface RewriteContext {
  /** The ops around the one at hand, outermost first, as they were before the rewrite. */
  readonly parents: readonly Op[];
  readonly ids: IdSource;
  /** The op that defines a value, as rewritten; undefined for parameters. */
  readonly definition: (value: Value) => Op | undefined;
  readonly def: (op: Op) => OpDef | undefined;
  /** A replacement made with a builder: the ops it appends, and the values it returns. */
  readonly build: (body: (b: Builder) => Yields) => Replacement;
}

/** Says what an op becomes; undefined keeps it. */
export type Rewrite = (op: Op, ctx: RewriteContext) => Replacement | undefined;

/**
 * One sweep over a kernel in program order, inner regions before the op that owns them. Each op is seen with its operands
 * already replaced; ops that a replacement brings in are not visited again, so a sweep ends. Unchanged parts are shared:
 * a sweep that changes nothing returns the kernel itself.
 *
 * @param buffers the module's buffers, for the types of loads that `ctx.build` makes
 * @param options `share`: of equal ops that `ctx.build` makes, only the first in scope is made, see `Builder`; then each
 *   replacement that is built must be the one that is returned
 */
export const rewriteOps = (
  kernel: Kernel,
  dialects: readonly Dialect[],
  rewrite: Rewrite,
  buffers: readonly Buffer[] = [],
  options?: { readonly share?: boolean },
): Kernel => {
  const { share = false } = checkOptions<{ readonly share?: boolean }>('rewriteOps', options, { share: option.truth });
  const sweep = new Sweep(kernel, opTable(dialects), rewrite, buffers, share);
  const body = sweep.region(kernel.body, []);
  return body === kernel.body ? kernel : { ...kernel, body };
};

class Sweep {
  private readonly values = new Map<number, Value>();
  private readonly defining = new Map<number, Op>();
  private readonly ids: IdSource;
  private readonly builder: Builder;

  constructor(
    kernel: Kernel,
    private readonly table: OpTable,
    private readonly rewrite: Rewrite,
    buffers: readonly Buffer[],
    share: boolean,
  ) {
    this.ids = freshIds(kernel);
    this.builder = new Builder(table, bufferMap(buffers), this.ids, share);
  }

  region(region: Region, parents: readonly Op[]): Region {
    const ops: Op[] = [];
    const ctx = this.context(parents);
    let changed = false;
    for (const original of region.ops) {
      const op = this.inside(substituteOperands(original, this.values), original, parents);
      /* What is built in an op's place comes from where the op came from. */
      this.builder.loc = op.loc;
      const replacement = this.rewrite(op, ctx);
      if (replacement === undefined) {
        ops.push(op);
        this.define(op);
        changed ||= op !== original;
        continue;
      }
      if (replacement.values.length !== op.results.length)
        throw new Error(
          `rewrite of ${op.name} gave ${replacement.values.length} values for ${op.results.length} results`,
        );
      for (const inserted of replacement.ops) {
        ops.push(inserted);
        this.define(inserted);
      }
      op.results.forEach((r, i) => {
        if (replacement.values[i] !== r) this.values.set(r.id, replacement.values[i]);
      });
      changed = true;
    }
    return changed ? { params: region.params, ops } : region;
  }

  private inside(op: Op, original: Op, parents: readonly Op[]): Op {
    if (op.regions.length === 0) return op;
    const around = [...parents, original];
    const regions = op.regions.map((r) => this.builder.scoped(() => this.region(r, around)));
    return regions.every((r, i) => r === op.regions[i]) ? op : opWith(op, { regions });
  }

  private define(op: Op): void {
    for (const r of op.results) this.defining.set(r.id, op);
  }

  private context(parents: readonly Op[]): RewriteContext {
    return {
      parents,
      ids: this.ids,
      definition: (value) => this.defining.get(value.id),
      def: (op) => this.table.get(op.name),
      build: (body) => this.builder.inPlace(() => body(this.builder)),
    };
  }
}
