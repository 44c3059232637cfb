import { growCell, visitElements } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import type { Component } from '../fields/component.js';
import type { Saved } from './saved.js';

/**
 * Copies the active elements of components that are encoded together, or of a single one. They are put back as they were, to the bit, and what has become active since is put back to
 * the ambient values.
 */
export const activeElements = (arena: Arena, components: readonly Component[]): Pick<Saved, 'bytes' | 'restore'> => {
  const [first] = components;
  const { path, nodes } = first;
  const branches = new Set([nodes[0]]);
  const put = (cell: number, values: readonly (number | bigint)[]): void =>
    components.length === 1 ? first.set(cell, values[0]) : first.setAll!(cell, components, values);
  const ambient = components.map((c) => c.ambient);
  const all: (readonly [at: readonly number[], values: readonly (number | bigint)[]])[] = [];
  arena.ready(undefined, branches);
  visitElements(arena, path, (cell, at) => void all.push([at.slice(), components.map((c) => c.get(cell))]));
  return {
    bytes: all.reduce((sum, [at, values]) => sum + 8 * values.length + 4 * at.length, 0),
    restore: () => {
      arena.ready('structure', branches);
      visitElements(arena, path, (cell) => put(cell, ambient));
      for (const [at, values] of all) put(growCell(arena, path, at), values);
    },
  };
};
