import { isLoop, type ControlOf, type Kernel, type Region } from '@filigree/ir';
import { isLoad } from '../indices/index-keys.js';

/** The values, by id, that loops have a part in, but for what is loaded: it is work to compute them again. */
export const madeByLoops = ({ body }: Kernel, controlOf: ControlOf): ReadonlySet<number> => {
  const found = new Set<number>();
  const hasLoop = ({ ops }: Region): boolean => {
    let any = false;
    for (const op of ops) {
      const control = controlOf(op);
      const inside = op.regions.map(hasLoop).includes(true) || (control !== undefined && isLoop(control));
      any ||= inside;
      if (inside || (!isLoad(op.name) && op.operands.some((v) => found.has(v.id))))
        for (const r of op.results) found.add(r.id);
    }
    return any;
  };
  hasLoop(body);
  return found;
};
