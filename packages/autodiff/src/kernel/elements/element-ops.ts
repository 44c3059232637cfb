import type { Buffer, Builder, Op, Value } from '@filigree/ir';
import { encodedWith, type Layout } from '@filigree/sparse/fields';
import { placeOfField } from './touched.js';

/** What an op does to one element of a field or buffer. */
export interface ElementOp {
  readonly does: 'load' | 'store' | 'atomic';
  /** Below which coordinates are, where that is known: `Infinity` below a hash table, where they are any integers. */
  readonly extents: readonly number[] | undefined;
  /** The value that is written or combined; nothing for loads. */
  readonly value: Value | undefined;
  readonly index: readonly Value[];
  /** The adjoint of what the element is in; nothing where it is not differentiated. */
  readonly adjoint: AdjointPlace | undefined;
  /** What messages call that it is in. */
  readonly place: string;
  /** The other fields whose elements at this index are rounded anew where this one is written. */
  readonly encodedWith: readonly string[];
  /** Whether what is written outlives the launch, as in fields. */
  readonly lasting: boolean;
}

/** The adjoint of a field or buffer, as code that works on one element. It never activates a cell. */
export interface AdjointPlace {
  readonly load: (b: Builder, index: readonly Value[]) => Value;
  readonly store: (b: Builder, value: Value, index: readonly Value[]) => void;
  readonly add: (b: Builder, value: Value, index: readonly Value[]) => void;
  /** Takes the adjoint out of an element in one step, and leaves zero. */
  readonly take: (b: Builder, zero: Value, index: readonly Value[]) => Value;
  /** The element itself as the primal left it: of what the kernel keeps for itself, where that is made again. */
  readonly primal: (b: Builder, index: readonly Value[]) => Value;
}

/** Reads ops on elements; undefined of all other ops. */
export type ElementOpOf = (op: Op) => ElementOp | undefined;

/**
 * Ops on elements of fields and buffers.
 *
 * @param fields adjoint fields by their primals
 * @param buffers the adjoints of buffers that the kernel keeps for itself, by the name of the buffer
 */
export const elementOps =
  (layout: Layout, fields: Readonly<Record<string, string>>, buffers: ReadonlyMap<string, Buffer>): ElementOpOf =>
  (op) => {
    const [dialect, does] = op.name.split('.');
    if (does !== 'load' && does !== 'store' && does !== 'atomic') return undefined;
    const value = does === 'load' ? undefined : op.operands[0];
    const index = does === 'load' ? op.operands : op.operands.slice(1);
    if (dialect === 'field') {
      const field = String(op.attrs.field);
      const adjoint = Object.hasOwn(fields, field) ? ofField(field, fields[field]) : undefined;
      const placed = layout.fields.get(field);
      return {
        does,
        value,
        index,
        extents: placed?.unbounded ? placed.extents.map(() => Infinity) : placed?.extents,
        adjoint,
        place: placeOfField(field),
        encodedWith: encodedWith(layout, field),
        lasting: true,
      };
    }
    if (dialect !== 'mem') return undefined;
    const name = String(op.attrs.buffer).slice(1);
    const buffer = buffers.get(name);
    return {
      does,
      value,
      index,
      extents: undefined,
      adjoint: buffer && ofBuffer(name, buffer.name),
      place: `buffer '${name}'`,
      encodedWith: [],
      lasting: false,
    };
  };

const ofField = (primal: string, field: string): AdjointPlace => ({
  primal: (b, index) => b.value('field.load', index, { field: primal }),
  load: (b, index) => b.value('field.load', index, { field }),
  store: (b, value, index) => void b.op('field.store', [value, ...index], { field, activate: false }),
  add: (b, value, index) => void b.op('field.atomic', [value, ...index], { field, kind: 'add', activate: false }),
  take: (b, zero, index) => b.value('field.atomic', [zero, ...index], { field, kind: 'exchange', activate: false }),
});

const ofBuffer = (primal: string, buffer: string): AdjointPlace => ({
  primal: (b, [index]) => b.load(primal, index),
  load: (b, [index]) => b.load(buffer, index),
  store: (b, value, [index]) => b.store(buffer, value, index),
  add: (b, value, [index]) => void b.atomic(buffer, 'add', value, index),
  take: (b, zero, [index]) => b.atomic(buffer, 'exchange', zero, index),
});
