import { isVector, type Op, type Region } from '@filigree/ir';

/**
 * Whether a C++ compiler may put a loop on vector lanes: it is innermost, its iterations are said to be independent, and
 * nothing in it is on lanes yet. Compilers follow the indices of such loops as they are written.
 */
export const takesLanes = (op: Op): boolean =>
  op.name === 'scf.for' &&
  ['simd', 'independent', 'parallel'].some((said) => op.attrs[said] === true) &&
  !contains(op.regions[0]!, (o) => keepFromLanes.has(o.name) || onLanes(o));

const keepFromLanes = new Set(['scf.for', 'scf.while', 'mem.atomic', 'mem.cas', 'mem.fence', 'mem.worker']);

const onLanes = (op: Op): boolean => [...op.operands, ...op.results].some((v) => isVector(v.type));

const contains = (region: Region, test: (op: Op) => boolean): boolean =>
  region.ops.some((op) => test(op) || op.regions.some((r) => contains(r, test)));
