import type { Block, Local } from './code.js';

const written = new WeakMap<Block, ReadonlySet<Local>>();

/** Locals of the surroundings that a block writes. */
export const writtenIn = (block: Block): ReadonlySet<Local> => {
  const known = written.get(block);
  if (known) return known;
  const found = new Set<Local>();
  for (const i of block) {
    if (i.do === 'write') found.add(i.local);
    else if (i.do === 'if') [i.then, i.otherwise].forEach((b) => writtenIn(b).forEach((l) => found.add(l)));
    else if (i.do === 'loop') [i.test, i.body, i.update].forEach((b) => writtenIn(b).forEach((l) => found.add(l)));
    else if (i.do === 'one-of' || i.do === 'block') writtenIn(i.body).forEach((l) => found.add(l));
    else if (i.do === 'parallel') i.reductions.forEach((r) => found.add(r.local));
  }
  for (const i of block) if (i.do === 'declare') i.locals.forEach((l) => found.delete(l));
  written.set(block, found);
  return found;
};
