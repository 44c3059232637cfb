import { cloneOps, idsFrom, makeValue, opWith, substitute, walk, type Kernel, type Op, type Value } from '@filigree/ir';
import type { Node } from '../graph/graph.js';

/** The code of a node, and where its arguments come from. */
export interface NodeKernel {
  readonly kernel: Kernel;
  /** For each parameter the launch, by its number in the window, and which of that launch's arguments it is. */
  readonly args: readonly NodeArgument[];
}

export interface NodeArgument {
  readonly launch: number;
  readonly argument: number;
}

/**
 * A node as one kernel: what its parts compute before their loops, then one loop that does in each iteration what each of them does
 * there; or its serial stretches one after the other. Parameters that no part uses are left out.
 */
export const kernelOf = (node: Node, name: string): NodeKernel => {
  const ids = idsFrom(0);
  const params: Value[] = [];
  const args: NodeArgument[] = [];
  const before: Op[] = [];
  const body: Op[] = [];
  let loop: Op | undefined;
  let end: Op | undefined;
  /** The parameters of one launch are the same in all its tasks. */
  const given = new Map<string, Value>();
  for (const { launch, task } of node.parts) {
    const { kernel } = task;
    const used = usedIn(kernel);
    const values = new Map<number, Value>();
    kernel.params.forEach((p, argument) => {
      if (!used.has(p.id)) return;
      const key = `${launch}.${argument}`;
      const known = given.get(key);
      const value = known ?? makeValue(ids.next(), p.type, p.hint);
      values.set(p.id, value);
      if (known) return;
      given.set(key, value);
      params.push(value);
      args.push({ launch, argument });
    });
    const { ops } = cloneOps(kernel.body.ops, ids, values);
    const at = task.loop ? kernel.body.ops.indexOf(task.loop) : ops.length - 1;
    end = ops[ops.length - 1];
    before.push(...ops.slice(0, at));
    if (!task.loop) continue;
    const own = ops[at];
    body.push(...iterationOf(own, loop ?? own));
    loop ??= own;
  }
  const [region] = loop?.regions ?? [];
  const whole = loop && opWith(loop, { regions: [{ ...region!, ops: [...body, region!.ops.at(-1)!] }] });
  const { attrs } = node.parts[0].task.kernel;
  const random = node.parts.some(({ task }) => task.kernel.attrs.random === true);
  return {
    kernel: {
      name,
      params,
      body: { params: [], ops: [...before, ...(whole ? [whole] : []), end!] },
      attrs: { ...without(attrs, ['task', 'origin']), ...(random ? { random } : {}) },
    },
    args,
  };
};

/** The ops of an iteration of a loop, with the parameters of another's region. */
const iterationOf = ({ regions: [region] }: Op, { regions: [{ params }] }: Op): readonly Op[] => {
  const ops = { params: [], ops: region.ops.slice(0, -1) };
  return region.params === params
    ? ops.ops
    : substitute(ops, new Map(region.params.map((p, n) => [p.id, params[n]] as const))).ops;
};

const usedIn = (kernel: Kernel): ReadonlySet<number> => {
  const used = new Set<number>();
  walk(kernel.body, (op) => op.operands.forEach((v) => used.add(v.id)));
  return used;
};

const without = <T>(record: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
