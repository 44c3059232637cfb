import { fail, Sym, type Graph } from '@filigree/ir';
import { ADD, ARITY } from '../../decompose/codes.js';
import { isIndexTable, type Elements, type ElementsWord } from './elements.js';
import { ElementIndex, entryOf, indexView, requireAlike, viewOf, type Access, type Place } from './places.js';
import { assemble, type Write } from './assemble.js';
import { nodeOf } from './node-of.js';
import { here, refusedAt } from './refused-at.js';

/** `elements` on symbols of a graph: runs the body once. What it computes is added to `all`. */
export const traceElements = (graph: Graph, all: Elements[]): ElementsWord => {
  let running = false;
  return (count, tables, body) => {
    if (!Number.isSafeInteger(count) || count < 0)
      fail('elements/count', `${count} is no number of elements`, { remedy: 'give a whole number' });
    if (running)
      fail('elements/nested', 'elements within elements', { remedy: 'loop over what an element has in its body' });
    if (count === 0) return;
    running = true;
    try {
      all.push(traceBody(graph, all, count, tables, body as never));
    } finally {
      running = false;
    }
  };
};

const traceBody = (
  graph: Graph,
  all: readonly Elements[],
  count: number,
  tables: Readonly<Record<string, unknown>>,
  body: (of: Readonly<Record<string, unknown>>, element: unknown) => void,
): Elements => {
  /* Nodes of the template come after this one. */
  const anchor = graph.variable();
  const { access, index, leaves, writes, finish } = accesses(graph, anchor, count);
  const viewed = Object.entries(tables).map(([name, table]): readonly [string, unknown] => {
    const tableOf = (t: unknown, of: string): ElementIndex => {
      if (!isIndexTable(t) || t.length < count)
        fail('elements/table', `the table '${of}' has not one entry for each of ${count} elements`, {
          remedy: 'give a typed array of integers with an entry for each element',
        });
      return index(of, t as Int32Array);
    };
    if (isIndexTable(table)) return [name, tableOf(table, name)];
    if (Array.isArray(table) && table.length > 0 && table.every(isIndexTable))
      return [name, table.map((t, k) => tableOf(t, `${name}[${k}]`))];
    if (typeof table === 'object' && table !== null && 'length' in table)
      return [name, viewOf({ name, array: table, path: [] }, access)];
    return [name, table];
  });
  try {
    body(Object.fromEntries(viewed), index('element', undefined));
  } finally {
    /* What is read of another array is undefined, and what goes wrong then is not why. */
    finish();
  }
  const used = new Map([...leaves.values()].map((l) => [l.variable, l]));
  const readBy = templateLeaves(graph, anchor, writes);
  const written = new Set(writes.map((w) => w.place.array));
  const variables = [...readBy].filter((id) => used.has(id)).sort((a, b) => a - b);
  for (const id of variables) {
    const { place, at } = used.get(id)!;
    if (written.has(place.array))
      refusedAt(
        () => at,
        () =>
          fail('elements/order', `elements read '${place.name}', which they also write`, {
            remedy: 'write to another array; what an element needs again it can keep in a variable',
          }),
      );
  }
  const columns = variables.map((id) => {
    const { place, at } = used.get(id)!;
    return refusedAt(
      () => at,
      () => columnOf(graph, place, count),
    );
  });
  return assemble(graph, all, { count, anchor, variables: Int32Array.from(variables), columns, writes });
};

interface Leaf {
  readonly variable: number;
  readonly place: Place;
  /** Where in the body it is read first. */
  readonly at: Error;
}

/** Records what a body reads and writes. */
const accesses = (graph: Graph, anchor: number, count: number) => {
  const indices: ElementIndex[] = [];
  const arrays = new Map<object, number>();
  const leaves = new Map<string, Leaf>();
  const alike = new Set<string>();
  /* How often each place was written. */
  const versions = new Map<string, number>();
  const writes: Write[] = [];
  let made = 0;
  let met = 0;
  /* Where an index was made a key that no array among the tables has met yet, and where that remained so. */
  let asked: Error | undefined;
  let foreign: Error | undefined;
  const prefix = `elements ${anchor} index `;
  const textOf = (step: Place['path'][number]): string =>
    typeof step === 'object' ? `i${indices.indexOf(step)}` : JSON.stringify(step);
  const identity = ({ array, path }: Place): string => {
    if (!arrays.has(array)) arrays.set(array, arrays.size);
    return [arrays.get(array), ...path.map(textOf)].join(' ');
  };
  const leafAt = (place: Place): Leaf => {
    const where = identity(place);
    const key = `${where} v${versions.get(where) ?? 0}`;
    const known = leaves.get(key) ?? { variable: graph.variable(), place, at: here() };
    leaves.set(key, known);
    return known;
  };
  const access: Access = {
    indexOf: (key) => {
      if (!key.startsWith(prefix)) return undefined;
      met++;
      asked = undefined;
      return indices[Number(key.slice(prefix.length))];
    },
    read: (place) => new Sym(graph, leafAt(place).variable),
    requireAlike: (place) => {
      const where = identity(place);
      if (alike.has(where)) return;
      requireAlike(place, count);
      alike.add(where);
    },
    write: (place, value) => {
      const id = nodeOf(graph, value, place.name);
      const where = identity(place);
      const now = leaves.get(`${where} v${versions.get(where) ?? 0}`)?.variable ?? -1;
      versions.set(where, (versions.get(where) ?? 0) + 1);
      if (now < 0 || !reads(graph, id, now)) writes.push({ place, values: [id], adds: false, at: here() });
      else writes.push({ place, values: addedTo(graph, id, now, place.name), adds: true, at: here() });
    },
  };
  const index = (name: string, table: Int32Array | undefined): ElementIndex => {
    const i = new ElementIndex(name, table, `${prefix}${indices.length}`, () => {
      made++;
      foreign ??= asked;
      asked = here();
    });
    indices.push(i);
    return indexView(i, access);
  };
  const finish = (): void => {
    if (made !== met)
      refusedAt(
        () => foreign ?? asked,
        () =>
          fail('elements/foreign', 'an array that is not among the tables is used with the index of an element', {
            remedy:
              'hand over all arrays that elements read or write: elements(n, { x, out, i }, ({ x, out, i }) => …)',
          }),
      );
  };
  return { access, index, leaves, writes, finish };
};

/** Whether an expression has a variable in it. Bodies are small. */
const reads = (graph: Graph, root: number, variable: number): boolean => {
  const seen = new Set<number>();
  for (const rest = [root]; rest.length > 0;) {
    const id = rest.pop()!;
    if (id === variable) return true;
    if (id < variable || seen.has(id)) continue;
    seen.add(id);
    const arity = ARITY[graph.op[id]];
    if (arity > 0) rest.push(graph.left[id]);
    if (arity > 1) rest.push(graph.right[id]);
  }
  return false;
};

/** What is added to a place, in order, where its new value is a sum that begins with the old. */
const addedTo = (graph: Graph, value: number, old: number, name: string): number[] => {
  const added: number[] = [];
  for (let id = value; id !== old;) {
    const [a, b] = [graph.left[id], graph.right[id]];
    const [inLeft, inRight] = [reads(graph, a, old), reads(graph, b, old)];
    if (graph.op[id] !== ADD || inLeft === inRight)
      return fail('elements/order', `elements compute with the entry of '${name}' that they write`, {
        remedy: 'elements assign to entries or add to them; write to another array',
      });
    added.unshift(inLeft ? b : a);
    id = inLeft ? a : b;
  }
  return added;
};

/** The variables behind the anchor that written values depend on. */
const templateLeaves = (graph: Graph, anchor: number, writes: readonly Write[]): Set<number> => {
  const found = new Set<number>();
  const seen = new Set<number>();
  const rest = writes.flatMap((w) => w.values);
  while (rest.length > 0) {
    const id = rest.pop()!;
    if (id <= anchor || seen.has(id)) continue;
    seen.add(id);
    const arity = ARITY[graph.op[id]];
    if (graph.isVariable(id)) found.add(id);
    if (arity > 0) rest.push(graph.left[id]);
    if (arity > 1) rest.push(graph.right[id]);
  }
  return found;
};

const columnOf = (graph: Graph, place: Place, count: number): Int32Array => {
  const column = new Int32Array(count);
  for (let e = 0; e < count; e++) column[e] = nodeOf(graph, entryOf(place, e), place.name);
  return column;
};
