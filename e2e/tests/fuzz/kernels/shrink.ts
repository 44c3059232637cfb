import { shrink, sizeOf, smaller, without } from '../shrink.js';
import type { KernelCode, TreeCode } from './code.js';
import { printFunction } from './print.js';

/** The smallest kernel found that still fails. */
export const shrinkKernel = (
  kernel: KernelCode,
  fails: (k: KernelCode) => Promise<boolean>,
  most: number,
): Promise<KernelCode> => shrink(kernel, candidates, fails, most);

const literal = (type: string | undefined): unknown =>
  type === undefined ? undefined : { is: 'literal', type, value: type.startsWith('f') ? 1 : 1n, bare: false };

function* candidates(k: KernelCode): Generator<KernelCode> {
  yield* smaller(k.body, (body) => ({ ...k, body: body as KernelCode['body'] }), literal);
  const text = printFunction(k);
  const uses = (name: string): boolean => text.split(name).length > 2;
  const trees = k.trees
    .map((t): TreeCode => ({ ...t, fields: t.fields.filter((f) => uses(f.name)) }))
    .filter((t) => t.fields.length > 0);
  const tidy: KernelCode = {
    ...k,
    trees: trees.length > 0 ? trees : k.trees.slice(0, 1),
    tables: k.tables.filter((t) => text.includes(t.name)),
    params: k.params.filter((p) => uses(p.name)),
    sums: k.sums.filter((s) => uses(s.name)),
  };
  if (sizeOf(tidy) < sizeOf(k)) yield tidy;
  if (k.result !== undefined) {
    const { result: _, ...rest } = k;
    yield rest;
  }
  for (const [n, t] of k.trees.entries()) {
    const changed = (tree: TreeCode): KernelCode => ({ ...k, trees: k.trees.with(n, tree) });
    for (const [m, f] of t.fields.entries())
      for (const start of without(f.start)) yield changed({ ...t, fields: t.fields.with(m, { ...f, start }) });
    if (t.levels.length > 1)
      for (const levels of without(t.levels)) if (levels.length > 0) yield changed({ ...t, levels });
  }
}
