import { deviceBuffer, type DeviceBuffer } from '@filigree/backend/device';
import { byteSize, fail, readOnly, type TypedArray } from '@filigree/ir';
import { isSparse, nodeText, type AnyField } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { areTogether, type Component } from './component.js';
import type { Shape } from './shape.js';

/** The memory of a field in which nothing is sparse. */
export interface DenseView<A extends TypedArray = TypedArray> {
  /** From the field's first value to its last. */
  readonly data: A;
  /** Bytes from the start of the program's memory to the first value. */
  readonly offset: number;
  /**
   * What each dimension of the memory runs along: an axis (0 is i), or `'component'` of a vector or matrix. An axis that
   * the layout splits more than once stands here as often, its most significant digit first.
   */
  readonly dimensions: readonly (number | 'component')[];
  /** Values along each dimension. */
  readonly shape: readonly number[];
  /** Elements of `data` from one value to the next along each dimension. */
  readonly strides: readonly number[];
  /** `data` holds the values of the field alone, row by row: index i × extents[1] + j. */
  readonly contiguous: boolean;
}

/** The dense view of a field with these components. Error: `field/not-dense`. */
export const denseView = (arena: Arena, name: string, components: readonly Component[], shape: Shape): DenseView => {
  const { storage } = arena;
  const [first, second] = components;
  const { path, bytes } = first;
  const refuse = (why: string): never =>
    fail('field/not-dense', `field '${name}' is no strided array: ${why}`, {
      remedy: 'use get(), entries() or toArray(), or place the field as it is, in dense nodes alone',
    });
  if (!areTogether(components)) return refuse('its components lie in different nodes');
  if (components.some((c) => !c.isPlain)) return refuse('its values are stored in another format');
  const odd = path.steps.find(({ at }) => isSparse(at.node) || at.node.morton);
  if (odd) return refuse(`it lies in ${nodeText(odd.at.node)}`);
  const spacing = second ? (second.offset - first.offset) / bytes : 1;
  if (components.some((c, n) => c.offset !== first.offset + n * spacing * bytes))
    return refuse('its components are not evenly spaced');

  const start = path.steps.reduce((address, { at }) => address + at.offset + at.firstCell, storage.root) + first.offset;
  const dimensions = path.steps.flatMap(({ at, digits }) =>
    digits.map((d) => ({
      axis: path.axes[d.position] as number | 'component',
      extent: d.extent,
      stride: (d.stride * at.cellBytes) / bytes,
    })),
  );
  const sides = shape.sides.map((extent, n) => ({
    axis: 'component' as const,
    extent,
    stride: spacing * shape.sides.slice(n + 1).reduce((a, b) => a * b, 1),
  }));
  const all = [...dimensions, ...sides];
  const span = all.reduce((n, d) => n + (d.extent - 1) * d.stride, 1);
  const begin = start / byteSize(first.decl.type);
  const long = all.filter((d) => d.extent > 1);
  const rest = (n: number): number => long.slice(n + 1).reduce((product, d) => product * d.extent, 1);
  const axes = dimensions.filter((d) => d.extent > 1).map((d) => d.axis as number);
  const view: DenseView = {
    data: first.array.subarray(begin, begin + span),
    offset: start,
    dimensions: all.map((d) => d.axis),
    shape: all.map((d) => d.extent),
    strides: all.map((d) => d.stride),
    contiguous: long.every((d, n) => d.stride === rest(n)) && axes.every((a, n) => n === 0 || axes[n - 1] <= a),
  };
  return readOnly(
    view,
    `a view says where the values of '${name}' lie`,
    (at) => `its values are in data: view.data${/^\d+$/.test(at) ? `[${at}]` : ''}`,
  );
};

/** The values of a view as a buffer of the program that holds them. Errors: `field/not-dense`, `memory/foreign`. */
export const denseBuffer = ({ place }: Arena, { name, type }: AnyField, view: DenseView): DeviceBuffer => {
  if (!view.contiguous)
    fail('field/not-dense', `other values lie between those of field '${name}'`, {
      remedy: 'place it in a node of its own, or copy: fromArray(toArray())',
    });
  if (!place) return fail('memory/foreign', `field '${name}' lies in no memory that programs share`);
  const { block, offset } = place;
  return deviceBuffer({ name, type, length: view.data.length, block, offset: offset + view.offset });
};
