import { isSparse, type Layout } from '@filigree/sparse/fields';
import { rare } from '#rare';
import type { Arena } from '../arena.js';
import type { Component } from '../component.js';
import type { Elements } from './elements.js';
import { stridedElements } from './strided-elements.js';

/** The elements of a field with these components. */
export const elementsIn = (arena: Arena, name: string, components: readonly Component[]): Elements =>
  isStrided(arena.storage.layout)
    ? stridedElements(arena, name, components)
    : rare().activeElements(arena, name, components);

/**
 * Whether all fields of a layout are strided arrays: nothing is sparse, in Z-order or stored in a format, and no axis is split twice. Then nobody asks
 * for `#rare`.
 */
export const isStrided = ({ nodes, fields }: Layout): boolean =>
  nodes.every((n) => !isSparse(n) && !n.morton && !n.stored && n.kind !== 'bits') &&
  [...fields.values()].every(({ path }) => {
    const axes = path.flatMap((n) => nodes[n].axes);
    return new Set(axes).size === axes.length;
  });
