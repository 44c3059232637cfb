import { hessianProduct, valueAndGradient, type AnyField, type FieldDecl, type FieldProgram } from 'filigree';

/** A simulation as a function from what is optimised to one number, with its gradient. */
export interface Differentiated {
  /** How many numbers are optimised. */
  readonly size: number;
  readonly value: (x: Float64Array) => number;
  readonly gradient: (x: Float64Array) => ValueAndSlope;
  /** How the gradient changes along a direction; of programs that were made for it. */
  readonly product: (x: Float64Array, along: Float64Array) => ValueAndSlope & { readonly product: Float64Array };
  /** Bytes of all fields, adjoints among them. */
  readonly stateBytes: number;
}

export interface ValueAndSlope {
  readonly value: number;
  readonly gradient: Float64Array;
  readonly tapeBytes: number;
}

/** Elements of a field that are optimised: from the origin to `to`. */
export interface Optimised {
  readonly field: AnyField;
  /** The first index along each axis; zeros unless said. */
  readonly from?: readonly number[];
  readonly to: readonly number[];
}

export interface DifferentiatedOptions {
  readonly loss: FieldDecl;
  readonly by: readonly Optimised[];
  /** Brings back what `forward` overwrites. */
  readonly begin?: () => void;
  readonly forward: () => void;
}

type Sim = Pick<FieldProgram, 'tape' | 'tangents' | 'second' | 'field' | 'storage'>;

/** A program and what it launches as a function of the elements that are optimised, one field after the other. */
export const differentiated = (sim: Sim, { loss, by, begin, forward }: DifferentiatedOptions): Differentiated => {
  const parts = by.map(({ field, from, to }) => {
    const box = { from: from ?? to.map(() => 0), to };
    return { field, box, host: sim.field(field), length: sim.field(field).toArray(box).length };
  });
  const size = parts.reduce((n, p) => n + p.length, 0);
  const set = (x: Float64Array): void => {
    let at = 0;
    for (const { host, box, length } of parts) host.fromArray(x.subarray(at, (at += length)), box);
    begin?.();
  };
  const wrt = Object.fromEntries(parts.map(({ field }) => [field.name, field]));
  const elementsOf = (fields: ReturnType<typeof valueAndGradient>['gradient']): Float64Array => {
    const all = new Float64Array(size);
    let at = 0;
    for (const { field, box, length } of parts) {
      all.set(fields[field.name].toArray(box) as ArrayLike<number>, at);
      at += length;
    }
    return all;
  };
  return {
    size,
    value: (x) => {
      set(x);
      forward();
      return sim.field(loss).get(sim.storage.layout.fields.get(loss.name)!.axes.map(() => 0));
    },
    gradient: (x) => {
      set(x);
      const { value, gradient, tapeBytes } = valueAndGradient(sim, forward, { loss, wrt });
      return { value, gradient: elementsOf(gradient), tapeBytes };
    },
    product: (x, along) => {
      set(x);
      const found = hessianProduct(sim, forward, {
        loss,
        wrt,
        along: (tangentsOf) => {
          let at = 0;
          for (const { field, box, length } of parts)
            tangentsOf(field).fromArray(along.subarray(at, (at += length)), box);
        },
      });
      const { value, tapeBytes } = found;
      return { value, gradient: elementsOf(found.gradient), product: elementsOf(found.product), tapeBytes };
    },
    stateBytes: sim.storage.bytes,
  };
};
