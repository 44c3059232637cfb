import { opTable, pass, walk, type Module, type Op, type OpTable, type Pass } from '@filigree/ir';
import { fieldDialects } from '../access/dialects.js';
import type { Layout } from '../layout/layout.js';

/** A pass on modules that have some op of which something holds: pages load what it does only then. */
export const whereSome = (
  name: string,
  layout: Layout,
  holds: (op: Op) => boolean,
  run: (module: Module, layout: Layout, table: OpTable) => Module,
): Pass<Module> =>
  pass(name, (module) => {
    let found = false;
    for (const { body } of module.kernels)
      walk(body, (op) => {
        found ||= holds(op);
      });
    return found ? run(module, layout, opTable(fieldDialects(layout))) : module;
  });
