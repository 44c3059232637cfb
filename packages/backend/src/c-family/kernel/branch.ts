import type { Op, Region } from '@filigree/ir';
import { binds, expr, within } from '../expr.js';
import { type Writer, block, declaration, line, loopBlock, named, scalarName, valueOf } from '../writer.js';
import { emitRegion } from './region.js';
import { assign } from './variables.js';

export const emitIf = (w: Writer, op: Op): void => {
  const variables = op.results.map((r) => {
    const name = named(w.shared, r);
    declaration(w, scalarName(w.shared, r), name);
    return name;
  });
  const [then, otherwise] = op.regions as readonly [Region, Region];
  const condition = valueOf(w, op.operands[0]!).text;
  const arm = (region: Region) => (): void => assign(w, variables, emitRegion(w, region)!);
  if (otherwise.ops.length <= 1 && op.results.length === 0) block(w, `if (${condition}) {`, arm(then));
  else {
    block(w, `if (${condition}) {`, arm(then), '} else {');
    w.flags.depth++;
    arm(otherwise)();
    w.flags.depth--;
    line(w, '}');
  }
};

/** The carried values are variables, and the results are variables that take the operands of each `scf.condition`. */
export const emitWhile = (w: Writer, op: Op): void => {
  const [before, after] = op.regions as readonly [Region, Region];
  const carried = before.params.map((p, k) => {
    const name = named(w.shared, p);
    declaration(w, scalarName(w.shared, p), name, valueOf(w, op.operands[k]!).text);
    return name;
  });
  const results = op.results.map((r, k) => {
    const name = named(w.shared, r);
    w.shared.values.set(after.params[k]!.id, expr(name));
    declaration(w, scalarName(w.shared, r), name);
    return name;
  });
  const { offLanes = [] } = w.shared.dialect;
  loopBlock(w, 'for (;;) {', () => {
    if (op.attrs['lanes'] === 1) for (const l of offLanes) line(w, l);
    const condition = emitRegion(w, before)!;
    const goOn = within(valueOf(w, condition.operands[0]!), binds.primary);
    assign(w, results, condition, 1);
    line(w, `if (!${goOn}) break;`);
    assign(w, carried, emitRegion(w, after)!);
  });
};
