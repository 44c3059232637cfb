import { isSparse, type FieldDecl } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { activeElements } from './active-elements.js';
import type { State } from './saved.js';
import type { SaverOf } from './saved-fields.js';
import { withEncoded } from './with-encoded.js';

/** Copies the elements of fields, by their names, as they are. Of what is sparse those that are active are copied. */
export type KeepFields = (names: readonly string[]) => State;

/**
 * Each gradient copies the same fields as the one before it: how they lie is found once.
 *
 * @param saverOf how to copy what is not sparse
 */
export const keepFieldsIn = (arena: Arena, saverOf: SaverOf): KeepFields => {
  const known = new Map<string, () => State>();
  return (names) => {
    const key = names.join();
    const keep = known.get(key) ?? keeperOf(arena, saverOf, names);
    known.set(key, keep);
    return keep();
  };
};

const keeperOf = (arena: Arena, saverOf: SaverOf, names: readonly string[]): (() => State) => {
  const { fields, nodes } = arena.storage.layout;
  const dense: FieldDecl[] = [];
  const byCells = new Map<number, FieldDecl[]>();
  for (const name of withEncoded(arena.storage.layout, names)) {
    const { field, path, unbounded } = fields.get(name)!;
    if (!unbounded && path.every((n) => !isSparse(nodes[n]))) dense.push(field);
    else byCells.set(path.at(-2)!, [...(byCells.get(path.at(-2)!) ?? []), field]);
  }
  const savers: readonly (() => State)[] = [
    ...(dense.length > 0 ? [saverOf(dense)] : []),
    ...[...byCells.values()].map((together) => () => activeElements(arena, together)),
  ];
  return savers.length === 1 ? savers[0] : () => together(savers.map((save) => save()));
};

const together = (all: readonly State[]): State => ({
  bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  restore: () => all.forEach((one) => one.restore()),
  restoreLast: () => all.forEach((one) => one.restoreLast()),
  differs: (mixed) => all.map((one) => one.differs(mixed)).find((field) => field !== undefined),
});
