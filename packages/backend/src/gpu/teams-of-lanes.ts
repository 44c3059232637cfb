import {
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  controlBy,
  definitions,
  mapKernels,
  mapRegions,
  opTable,
  opWith,
  pass,
} from '@filigree/ir';
import { accessesOf } from '../c-family/core-ops.js';
import { type TeamRoom, teamOf } from '../c-family/kernel/team.js';
import { scratchNames } from './scratch-names.js';

/**
 * Loops within parallel loops whose iterations could be vector lanes become loops for a team, where a team can run all that is around them:
 * then neighbouring threads take neighbouring iterations. What all of them would do again must be little: no other loop. A loop that carries values, or is known to be shorter than a few lanes, stays as it is,
 * and so does one with something in scratch buffers, of which each iteration would have its own.
 */
export const teamsOfLanes = (dialects: readonly Dialect[], room: TeamRoom | undefined): Pass<Module> => {
  const controlOf = controlBy(opTable(dialects));
  return pass('teams-of-lanes', (module) =>
    room === undefined
      ? module
      : mapKernels(module, (kernel) => {
          const divides = dividable(kernel, module);
          const divided = (op: Op): Op =>
            divides(op)
              ? opWith(op, { attrs: { team: true } })
              : mapRegions(op, (region) => ({ ...region, ops: region.ops.map(divided) }));
          const visit = (op: Op): Op => {
            if (controlOf(op)?.parallel !== true)
              return mapRegions(op, (region) => ({ ...region, ops: region.ops.map(visit) }));
            if (teamOf(op, module, room)) return op;
            const shared = mapRegions(op, (region) => ({ ...region, ops: region.ops.map(divided) }));
            return mostlyDivided(shared) && staysTogether(shared) && teamOf(shared, module, room) ? shared : op;
          };
          return { ...kernel, body: { ...kernel.body, ops: kernel.body.ops.map(visit) } };
        }),
  );
};

/** Whether all loops in an op are divided, or have such a loop in them. */
const mostlyDivided = (op: Op): boolean => op.regions.every((r) => r.ops.every(isLight));

const isLight = (op: Op): boolean => {
  if (op.attrs['team'] === true) return true;
  const repeats = op.name === 'scf.for' || op.name === 'scf.while';
  return (!repeats || holdsTeam(op)) && mostlyDivided(op);
};

/**
 * Whether all threads of a team come to the same loops: where these stand in branches or other loops, nothing that is read around them may be
 * changed by other teams meanwhile.
 */
const staysTogether = (loop: Op): boolean => {
  const nested = loop.regions.some((r) => r.ops.some((op) => op.attrs['team'] !== true && holdsTeam(op)));
  if (!nested) return true;
  const [changed, asked] = [new Set<string>(), new Set<string>()];
  const visit = (op: Op, divided: boolean): void => {
    for (const { kind, place } of accessesOf(op) ?? []) {
      if (kind === 'write' || kind === 'atomic') changed.add(place);
      if (kind === 'read' && !divided) asked.add(place);
    }
    for (const r of op.regions) r.ops.forEach((inner) => visit(inner, divided || op.attrs['team'] === true));
  };
  visit(loop, false);
  return [...asked].every((place) => !changed.has(place));
};

const holdsTeam = (op: Op): boolean =>
  op.attrs['team'] === true || op.regions.some((r) => r.ops.some((inner) => holdsTeam(inner)));

/* With fewer iterations most threads of a team would wait. */
const FEW = 24;

const dividable = ({ body }: Kernel, module: Module): ((op: Op) => boolean) => {
  const definedBy = definitions(body);
  const scratch = scratchNames(module);
  const number = (op: Op, k: number): number => {
    const by = definedBy.get(op.operands[k]!.id);
    return by?.name === 'arith.constant' ? Number(by.attrs['value'] as number | string) : NaN;
  };
  const usesScratch = (op: Op): boolean =>
    scratch.has(String(op.attrs['buffer'])) || op.regions.some((r) => r.ops.some(usesScratch));
  return (op) =>
    op.name === 'scf.for' &&
    op.attrs['simd'] === true &&
    op.results.length === 0 &&
    !((number(op, 1) - number(op, 0)) / number(op, 2) < FEW) &&
    !usesScratch(op);
};
