import {
  type Dialect,
  type Module,
  type Op,
  type Pass,
  byteSize,
  controlBy,
  isFloat,
  mapKernels,
  mapRegions,
  opTable,
  opWith,
  pass,
} from '@filigree/ir';
import { type TeamRoom, isTeamLoop, teamOf } from '../c-family/kernel/team.js';
import { atomicSpelling } from '../c-family/spellings/memory.js';
import { type Site, type Spellings, typeOf } from '../c-family/spellings/spelling.js';
import { scratchNames } from './scratch-names.js';

/** How atomics are written where what is done together has helpers (`warpAtomics`). */
export const togetherSpellings: Spellings = { 'mem.atomic': atomicSpelling((op, site) => formOf(op, site)) };

const formOf = (op: Op, site: Site): string | undefined => {
  const type = typeOf(op);
  const together = op.attrs['together'];
  if (together === undefined || byteSize(type) < 4) return undefined;
  const kind = op.attrs['kind'];
  /* Those that find the same element first find each other: it pays where each would wait for an answer. */
  if (together === 'many')
    return kind === 'add' && !isFloat(type) && site.constant(op.operands[0]!) !== undefined ? 'peers_count' : undefined;
  if (!site.used(op.results[0]!)) return kind === 'add' || kind === 'min' || kind === 'max' ? 'fold' : undefined;
  if (kind !== 'add' || isFloat(type)) return undefined;
  return site.constant(op.operands[0]!) === undefined ? 'scan' : 'count';
};

/**
 * Says of atomics that all iterations of a parallel loop do to one element, at an index from outside of the loop, that they are done
 * `together`. Of what is in scratch buffers only those in loops for a team, which shares it.
 */
export const sayTogether = (dialects: readonly Dialect[], room: TeamRoom | undefined): Pass<Module> => {
  const controlOf = controlBy(opTable(dialects));
  return pass('together', (module) => {
    const scratch = scratchNames(module);
    const inLoop = (loop: Op): Op => {
      const shared = teamOf(loop, module, room) !== undefined;
      const varying = new Set<number>();
      const visit = (op: Op, divided: boolean): Op => {
        for (const region of op.regions) for (const v of region.params) varying.add(v.id);
        if (op.name !== 'arith.constant') for (const v of op.results) varying.add(v.id);
        const here = divided || isTeamLoop(op);
        const inside = mapRegions(op, (region) => ({ ...region, ops: region.ops.map((o) => visit(o, here)) }));
        const isOne = op.name === 'mem.atomic' && !varying.has(op.operands[1]!.id);
        const isSeen = !scratch.has(String(op.attrs['buffer'])) || (shared && divided);
        return isOne && isSeen ? opWith(inside, { attrs: { ...inside.attrs, together: 'all' } }) : inside;
      };
      return visit(loop, false);
    };
    const find = (op: Op): Op =>
      controlOf(op)?.parallel === true
        ? inLoop(op)
        : mapRegions(op, (region) => ({ ...region, ops: region.ops.map(find) }));
    return mapKernels(module, (kernel) => ({ ...kernel, body: { ...kernel.body, ops: kernel.body.ops.map(find) } }));
  });
};
