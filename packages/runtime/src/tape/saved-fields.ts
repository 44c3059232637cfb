import { encodedWith, type FieldDecl, type Layout } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn, encodedTogether } from '../fields/component.js';
import type { HostFieldOf } from '../fields/host-field.js';
import { stretchesOf } from '../fields/stretches.js';
import { activeElements } from './active-elements.js';
import type { State } from './segments.js';

/** The host's view of a field of numbers. */
export type FieldOf = (field: FieldDecl) => HostFieldOf<FieldDecl>;

/** Copies fields of numbers, by their names, around which nothing is sparse. */
export type SaveFields = (names: readonly string[]) => State;

/** Each gradient copies the same fields as the one before it: how they lie is found once, and arrays are used again. */
export const saveFieldsOf = (arena: Arena, fieldOf: FieldOf, layout: Layout): SaveFields => {
  const known = new Map<string, () => State>();
  return (names) => {
    const key = names.join();
    const save = known.get(key) ?? saverOf(arena, fieldOf, withEncoded(layout, names).map((name) => layout.fields.get(name)!.field)); // prettier-ignore
    known.set(key, save);
    return save();
  };
};

/** Fields with those that share exponents with them: one cannot be put back alone. */
export const withEncoded = (layout: Layout, names: Iterable<string>): readonly string[] => [
  ...new Set([...names].flatMap((name) => [name, ...encodedWith(layout, name)])),
];

const saverOf = (arena: Arena, fieldOf: FieldOf, fields: readonly FieldDecl[]): (() => State) => {
  const components = fields.flatMap((f) => componentsIn(arena, f));
  const { stretches, others } = stretchesOf(arena, components);
  const branches = new Set(components.map((c) => c.nodes[0]));
  const hosts = fields.map(fieldOf);
  const groups = encodedTogether(others).map((group) => group.map((n) => others[n]));
  const together = groups.filter((group) => group.length > 1);
  const apart = groups.flatMap((group) => (group.length === 1 ? [fieldOf(group[0].decl)] : []));
  const spare: Int32Array[] = [];
  const copied = () => {
    arena.ready(undefined, branches);
    const words = spare.pop() ?? new Int32Array(stretches.length);
    stretches.read(words);
    return {
      words,
      arrays: apart.map((host) => host.toArray()),
      lists: together.map((group) => activeElements(arena, group)),
    };
  };
  const put = ({ words, arrays, lists }: ReturnType<typeof copied>): void => {
    arena.ready('values', branches);
    stretches.write(words);
    apart.forEach((host, n) => host.fromArray(arrays[n]));
    for (const list of lists) list.restore();
  };
  return () => {
    const copy = copied();
    return {
      bytes:
        copy.words.byteLength +
        copy.arrays.reduce((n, { byteLength }) => n + byteLength, 0) +
        copy.lists.reduce((n, { bytes }) => n + bytes, 0),
      restore: () => put(copy),
      restoreLast: () => {
        put(copy);
        spare.push(copy.words);
      },
      differs: () => {
        const now = copied();
        if (copy.arrays.length + copy.lists.length === 0 && areEqual(copy.words, now.words)) {
          spare.push(now.words);
          return undefined;
        }
        const [before, after] = [copy, now].map((one) => {
          put(one);
          return hosts.map((host) => host.toArray());
        });
        spare.push(now.words);
        return fields.find(({ type }, n) => !areNear(before[n], after[n], type === 'f64' ? 1e-6 : 1e-2))?.name;
      },
    };
  };
};

const areEqual = (a: Int32Array, b: Int32Array): boolean => {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
};

/** Whether numbers differ by no more than rounding in another order does: so little, relative to the largest of them. */
const areNear = (a: ArrayLike<number | bigint>, b: ArrayLike<number | bigint>, relative: number): boolean => {
  let largest = 1e-300;
  for (let k = 0; k < a.length; k++) largest = Math.max(largest, Math.abs(Number(a[k])));
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [Number(a[k]), Number(b[k])];
    if (!(Object.is(x, y) || Math.abs(x - y) <= largest * relative)) return false;
  }
  return true;
};
