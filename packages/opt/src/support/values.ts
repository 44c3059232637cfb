import {
  makeValue,
  freshIds,
  makeOp,
  type Attrs,
  type Kernel,
  type Loc,
  type Op,
  type Region,
  type Type,
  type Value,
} from '@filigree/ir';

/** Makes a value with an id that its kernel does not use yet. */
export type Fresh = (type: Type) => Value;

export const freshValues = (kernel: Kernel): Fresh => {
  const ids = freshIds(kernel);
  return (type) => makeValue(ids.next(), type, undefined);
};

/** An op with one result and no regions, from the place in a source that it stands for. */
export const simpleOp = (name: string, operands: readonly Value[], attrs: Attrs, result: Value, loc?: Loc): Op =>
  makeOp(name, operands, [result], attrs, [], loc);

/** The terminator of a region that has one. */
export const terminatorOf = (region: Region): Op => region.ops[region.ops.length - 1]!;

/** The ops of a region before its terminator. */
export const bodyOf = (region: Region): readonly Op[] => region.ops.slice(0, -1);

/** Ids of all values that the region defines, parameters and nested regions included. */
export const definedIn = (region: Region, into: Set<number> = new Set()): Set<number> => {
  for (const p of region.params) into.add(p.id);
  for (const op of region.ops) {
    for (const v of op.results) into.add(v.id);
    for (const r of op.regions) definedIn(r, into);
  }
  return into;
};
