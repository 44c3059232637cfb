import type { TypedArray } from '@filigree/ir';
import type { FieldDecl } from '@filigree/sparse/fields';
import type { HostFieldOf } from '../fields/host-field.js';
import type { State } from './segments.js';

/** The host's view of a field of numbers. */
export type FieldOf = (field: FieldDecl) => HostFieldOf<FieldDecl>;

/** Copies fields of numbers around which nothing is sparse. */
export const savedFields = (fieldOf: FieldOf, fields: readonly FieldDecl[]): State => {
  const copies = fields.map((f) => {
    const host = fieldOf(f);
    const free = spare.get(host) ?? [];
    spare.set(host, free);
    return { host, name: f.name, type: f.type, free, values: host.toArray(undefined, free.pop()) };
  });
  const restore = (): void => copies.forEach(({ host, values }) => host.fromArray(values));
  return {
    bytes: copies.reduce((n, { values }) => n + values.byteLength, 0),
    restore,
    restoreLast: () => {
      restore();
      for (const { free, values } of copies) free.push(values);
    },
    differs: () =>
      copies.find(({ host, values, type }) => {
        const now = host.toArray();
        const largest = Math.max(
          1e-300,
          (values as Float64Array).reduce((m, v) => Math.max(m, Math.abs(Number(v))), 0),
        );
        const most = largest * (type === 'f64' ? 1e-6 : 1e-2);
        return now.some((v: number | bigint, k: number) => !isNear(Number(v), Number(values[k]), most));
      })?.name,
  };
};

/* Arrays that were saved into and are not needed any more, by what was saved: each gradient needs as many as the one before it. */
const spare = new WeakMap<object, TypedArray[]>();

const isNear = (a: number, b: number, most: number): boolean => Object.is(a, b) || Math.abs(a - b) <= most;
