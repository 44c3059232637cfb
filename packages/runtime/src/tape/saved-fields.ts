import type { FieldDecl } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn, encodedTogether } from '../fields/component.js';
import type { HostFieldOf } from '../fields/host-field.js';
import { stretchesOf } from '../fields/stretches.js';
import { activeElements } from './active-elements.js';
import { areNear } from './are-near.js';
import type { State } from './saved.js';

/** The host's view of a field of numbers. */
export type FieldOf = (field: FieldDecl) => HostFieldOf<FieldDecl>;

/** How fields of numbers are copied around which nothing is sparse. */
export type SaverOf = (fields: readonly FieldDecl[]) => () => State;

/** What is copied of them is copied again: arrays are used for the next copy when they were put back for the last time. */
export const saversOf =
  (arena: Arena, fieldOf: FieldOf): SaverOf =>
  (fields) => {
    const components = fields.flatMap((f) => componentsIn(arena, f));
    const { stretches, others } = stretchesOf(arena, components);
    const branches = new Set(components.map((c) => c.nodes[0]));
    const hosts = fields.map(fieldOf);
    const groups = encodedTogether(others).map((group) => [...new Set(group.map((n) => others[n].decl))]);
    const together = groups.filter((group) => group.length > 1);
    const apart = [...new Set(groups.flatMap((group) => (group.length === 1 ? group : [])))].map(fieldOf);
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
          return fields.find(({ type }, n) => !areNear(type, before[n], after[n]))?.name;
        },
      };
    };
  };

const areEqual = (a: Int32Array, b: Int32Array): boolean => {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
};
