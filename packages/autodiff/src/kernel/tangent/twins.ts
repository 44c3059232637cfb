import { isFloat, walk, type Attrs, type Buffer, type Kernel, type Module, type Op, type Value } from '@filigree/ir';
import { placeOfField } from '../elements/touched.js';

/** A value that an op on elements reads or writes, and the op that does the same to its tangent: this one with other attributes. */
export interface Twin {
  /** What is written; nothing for loads. */
  readonly value: Value | undefined;
  /** What messages call that the value is in. */
  readonly place: string;
  readonly name: string;
  readonly attrs: Attrs;
  readonly index: readonly Value[];
}

/** The twins of an op on elements that have tangents; none of other ops. */
export type TwinsOf = (op: Op) => readonly Twin[];

/**
 * The tangents of buffers of floats that a kernel uses, by the name of the buffer: of what it keeps for itself, of arrays that it is given, and of what
 * it returns.
 */
export const tangentBuffers = ({ buffers }: Module, { name, body }: Kernel): ReadonlyMap<string, Buffer> => {
  const used = new Set<unknown>();
  walk(body, (op) => void used.add(op.attrs.buffer));
  return new Map(
    buffers
      .filter((b) => b.role !== 'const' && isFloat(b.type) && used.has(`@${b.name}`))
      .map((b) => [b.name, { ...b, name: `${name}_${b.name}_tangent` }]),
  );
};

/**
 * @param fields tangent fields by their primals
 * @param buffers the tangents of buffers, by the name of the buffer
 */
export const twinsIn =
  (fields: Readonly<Record<string, string>>, buffers: ReadonlyMap<string, Buffer>): TwinsOf =>
  ({ name, operands, attrs }) => {
    const [dialect, does] = name.split('.');
    const twinOf = (field: string): string | undefined => (Object.hasOwn(fields, field) ? fields[field] : undefined);
    if (name === 'field.store_word') {
      const { fields: list, ...rest } = attrs;
      const names = list as readonly string[];
      const index = operands.slice(names.length);
      return names.flatMap((f, n) => {
        const field = twinOf(f);
        return field === undefined
          ? []
          : [{ value: operands[n], place: placeOfField(f), name: 'field.store', attrs: { ...rest, field }, index }];
      });
    }
    if (does !== 'load' && does !== 'store' && does !== 'atomic') return [];
    const [value, index] = does === 'load' ? [undefined, operands] : [operands[0], operands.slice(1)];
    if (dialect === 'field') {
      const primal = String(attrs.field);
      const field = twinOf(primal);
      return field === undefined
        ? []
        : [{ value, place: placeOfField(primal), name, attrs: { ...attrs, field }, index }];
    }
    if (dialect !== 'mem') return [];
    const primal = String(attrs.buffer).slice(1);
    const buffer = buffers.get(primal);
    return buffer
      ? [{ value, place: `buffer '${primal}'`, name, attrs: { ...attrs, buffer: `@${buffer.name}` }, index }]
      : [];
  };
