import {
  type Dialect,
  type IdSource,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Region,
  type ScalarType,
  controlBy,
  freshIds,
  makeOp,
  makeValue,
  mapKernels,
  mapRegions,
  opTable,
  pass,
  scalarOf,
  useCounts,
} from '@filigree/ir';
import { isTeamLoop } from '../c-family/kernel/team.js';
import { scratchNames } from './scratch-names.js';

/**
 * Atomics of types that a language has none of, where no other thread sees the element, as a load, what they combine, and a store: outside of parallel loops, and of scratch
 * buffers in loops whose iterations are for one thread each. What was there before must be of no use to anybody: where a team goes through serial code together, it may be another
 * number for each.
 */
export const serialAtomics = (dialects: readonly Dialect[], atomics: readonly ScalarType[]): Pass<Module> => {
  const controlOf = controlBy(opTable(dialects));
  return pass('serial-atomics', (module) => {
    const scratch = scratchNames(module);
    return mapKernels(module, (kernel) => {
      const uses = useCounts(kernel.body);
      const ids = freshIds(kernel);
      let found = false;
      const lacks = (op: Op): boolean =>
        op.name === 'mem.atomic' &&
        !atomics.includes(scalarOf(op.operands[0]!.type)) &&
        (uses.get(op.results[0]!.id) ?? 0) === 0;
      const visit = (op: Op, isAlone: (buffer: string) => boolean): readonly Op[] => {
        if (lacks(op) && isAlone(String(op.attrs['buffer']))) {
          found = true;
          return inSteps(op, ids);
        }
        const isParallel = controlOf(op)?.parallel === true;
        const within = isParallel
          ? (name: string) => !holdsTeamLoop(op) && isAlone(name) && scratch.has(name)
          : isAlone;
        return [mapRegions(op, (region) => inRegion(region, within))];
      };
      const inRegion = (region: Region, isAlone: (buffer: string) => boolean): Region => ({
        ...region,
        ops: region.ops.flatMap((op) => visit(op, isAlone)),
      });
      const body = inRegion(kernel.body, () => true);
      return found ? ({ ...kernel, body } satisfies Kernel) : kernel;
    });
  });
};

const holdsTeamLoop = (op: Op): boolean =>
  op.regions.some((r) => r.ops.some((inner) => isTeamLoop(inner) || holdsTeamLoop(inner)));

const inSteps = ({ operands, attrs, loc }: Op, ids: IdSource): readonly Op[] => {
  const [value, index] = operands as [Op['operands'][number], Op['operands'][number]];
  const kind = String(attrs['kind']);
  const place = { buffer: attrs['buffer']! };
  const store = (x: typeof value): Op => makeOp('mem.store', [x, index], [], place, [], loc);
  if (kind === 'exchange') return [store(value)];
  const [before, after] = [0, 1].map(() => makeValue(ids.next(), value.type, undefined)) as [
    typeof value,
    typeof value,
  ];
  return [
    makeOp('mem.load', [index], [before], place, [], loc),
    makeOp(`arith.${kind}`, [before, value], [after], {}, [], loc),
    store(after),
  ];
};
