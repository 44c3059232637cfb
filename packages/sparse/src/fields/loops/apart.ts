import { walk, type Op, type OpTable, type Region } from '@filigree/ir';
import { elementOf, valueName } from '../access/field-dialect.js';
import type { Layout } from '../layout/layout.js';
import { determines, functionsIn } from './determines.js';

/**
 * Whether the iterations of a serial loop depend on one another by nothing in memory: each element that it writes is of one iteration, which alone reads it, since coordinates that all accesses of a field have in common tell
 * which iteration it is. Nothing else in it has effects; in it are branches and serial loops.
 *
 * @param ops what is around the loop and in it, by result
 */
export const areIterationsApart = (layout: Layout, table: OpTable, ops: ReadonlyMap<number, Op>, loop: Op): boolean => {
  const region = loop.regions[0]!;
  const functionOf = functionsIn(region, ops);
  const elements = new Map<string, (readonly (string | undefined)[])[]>();
  const [written, vague] = [new Set<string>(), new Set<string>()];
  let plain = true;
  walk(region, (op) => {
    const def = table.get(op.name);
    plain &&=
      def !== undefined && (op.regions.length === 0 || (isSerial.has(op.name) && op.attrs['parallel'] !== true));
    const element = elementOf(layout, op);
    const leaf = element && layout.nodes[element.placed.path.at(-1)!];
    for (const { kind, buffer } of plain ? def!.effects(op) : []) {
      const index =
        leaf && leaf.stored === undefined && buffer === valueName(leaf)
          ? element!.index
          : onBuffers.has(op.name)
            ? op.operands.slice(-1)
            : undefined;
      if (index && buffer !== undefined) elements.set(buffer, [...(elements.get(buffer) ?? []), index.map(functionOf)]);
      if (index && (kind === 'write' || (kind === 'atomic' && op.attrs.alone === true))) written.add(buffer!);
      else if (kind !== 'read') plain = false;
      else if (!index) vague.add(buffer!);
    }
  });
  return plain && [...written].every((name) => !vague.has(name) && isTold(elements.get(name)!, region));
};

const isSerial: ReadonlySet<string> = new Set(['scf.if', 'scf.for', 'scf.while']);

const onBuffers: ReadonlySet<string> = new Set(['mem.load', 'mem.store']);

/** Whether coordinates that accesses have in common tell which iteration it is. */
const isTold = ([first, ...others]: readonly (readonly (string | undefined)[])[], region: Region): boolean => {
  const common = first!.filter(
    (f, axis): f is string => f !== undefined && others.every((element) => element[axis] === f),
  );
  return determines(common, region.params[0]!);
};
