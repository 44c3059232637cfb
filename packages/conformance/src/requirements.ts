import { type Module, type Region, type ScalarType, type Type, lanesOf, scalarOf } from '@filigree/ir';
import type { Capabilities } from '@filigree/backend';

/** What a module asks of a backend. */
export interface Requirements {
  readonly types: ReadonlySet<ScalarType>;
  /** Types of atomics inside parallel loops. */
  readonly atomics: ReadonlySet<ScalarType>;
  readonly vectors: boolean;
}

/** The types, atomics and vectors that a module uses. */
export const requirements = (module: Module): Requirements => {
  const types = new Set<ScalarType>(module.buffers.map((b) => b.type));
  const atomics = new Set<ScalarType>();
  let vectors = false;
  const see = (t: Type): void => {
    types.add(scalarOf(t));
    vectors ||= lanesOf(t) > 1;
  };
  const walk = (region: Region): void => {
    for (const p of region.params) see(p.type);
    for (const op of region.ops) {
      for (const r of op.results) see(r.type);
      if (op.name === 'mem.atomic' || op.name === 'mem.cas') atomics.add(scalarOf(op.operands[0]!.type));
      op.regions.forEach(walk);
    }
  };
  for (const k of module.kernels) {
    for (const p of k.params) see(p.type);
    walk(k.body);
  }
  return { types, atomics, vectors };
};

/**
 * Why a backend with these capabilities cannot run a module, or undefined if it can.
 *
 * @param pairs whether the doubles of the module may be pairs of singles
 */
export const missing = (needs: Requirements, has: Capabilities, pairs = false): string | undefined => {
  const inPairs = pairs && has.pairs === true;
  const types = [...needs.types].filter((t) => !has.types.includes(t) && !(inPairs && t === 'f64'));
  if (types.length > 0) return `the backend has no ${types.join(', ')}`;
  const atomics = [...needs.atomics].filter((t) => !has.atomics.includes(t));
  return atomics.length > 0 ? `the backend has no atomics on ${atomics.join(', ')}` : undefined;
};
