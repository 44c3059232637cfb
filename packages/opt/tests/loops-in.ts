import { walk, type Module, type Op } from '@filigree/ir';

/** How many counted loops the first kernel of a module has, of those that are wanted. */
export const loopsIn = (module: Module, isWanted: (loop: Op) => boolean = () => true): number => {
  let loops = 0;
  walk(module.kernels[0]!.body, (op) => void (op.name === 'scf.for' && isWanted(op) && loops++));
  return loops;
};

/** Those that hand something on. */
export const handing = (module: Module): number => loopsIn(module, ({ results }) => results.length > 0);
