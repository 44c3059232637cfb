import { isSparse, type Layout } from '@filigree/sparse/fields';

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
