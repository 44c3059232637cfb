import {
  definitions,
  mapKernels,
  mapRegions,
  mapShared,
  opTable,
  opWith,
  pass,
  walk,
  type Module,
  type Op,
  type OpTable,
  type Pass,
  type Region,
} from '@filigree/ir';
import { fieldDialects } from '../access/dialects.js';
import { elementOf, valueName, type ElementOf } from '../access/field-dialect.js';
import { axesOf, nodeOf, type Layout } from '../layout/layout.js';
import { determines, dividedBy, functionsIn } from './determines.js';

/**
 * Thread-safety inference (thesis §5.6.2): says of atomic operations on fields, and of stores to words that fields share, that no other thread
 * writes their word meanwhile, so that a load and a store do, without a loop on `mem.cas`. A field that is stored as it is has a word for each
 * element. That is so outside of parallel loops; and within, where every write to
 * the word goes to an element that its iteration alone writes to, since the same coordinates of all of them tell which
 * iteration it is. A loop within that asks for lanes, where these would write a word together, runs one iteration after another: lanes, and threads of a team, would
 * leave of the word around their own bits what was there before the others wrote them.
 *
 * Takes ops on fields, and leaves them with `alone` where it holds.
 */
export const ownWords = (layout: Layout): Pass<Module> => {
  const table = opTable(fieldDialects(layout));
  return pass('own-words', (module) =>
    mapKernels(module, (kernel) => {
      const body = marked(
        { layout, table, ops: definitions(kernel.body) },
        kernel.body,
        () => true,
        () => false,
      );
      return body === kernel.body ? kernel : { ...kernel, body };
    }),
  );
};

/** Where ownership is asked for. */
export interface Owning {
  readonly layout: Layout;
  readonly table: OpTable;
  readonly ops: ReadonlyMap<number, Op>;
}

/**
 * A region whose writes to words of which `isOwn` holds are marked; of a parallel loop that is asked of the loop. In a loop within an iteration sums of
 * an element that is the same each time stay as they are: they come together in a register.
 */
const marked = (
  c: Owning,
  region: Region,
  isOwn: (word: string) => boolean,
  repeats: (word: string) => boolean,
): Region => {
  const ops = mapShared(region.ops, (op) => {
    const parallel = isParallel(c, op);
    const owned = (r: Region): ((word: string) => boolean) => {
      const inLoop = ownedIn(c, op, r);
      return (word) => isOwn(word) && inLoop(word);
    };
    const inner = mapRegions(op, (r) =>
      marked(c, r, parallel ? owned(r) : isOwn, parallel ? () => false : (repeated(c, op, r) ?? repeats)),
    );
    if (asksForLanes(op) && !parallel && !lanesOwn(c, inner)) return inTurn(inner);
    const write = writeOf(c, op);
    return write && (write.shared || (op.name === 'field.atomic' && !repeats(write.word))) && isOwn(write.word)
      ? opWith(inner, { attrs: { ...inner.attrs, alone: true } })
      : inner;
  });
  return ops === region.ops ? region : { params: region.params, ops };
};

/** Of which words a loop within an iteration writes the same element again; nothing if it is none. */
const repeated = (c: Owning, op: Op, region: Region): ((word: string) => boolean) | undefined => {
  if (op.name === 'scf.while') return () => true;
  if (op.name !== 'scf.for') return undefined;
  const isOwn = ownedIn(c, op, region);
  return (word) => !isOwn(word);
};

const asksForLanes = (op: Op): boolean => op.name === 'scf.for' && op.attrs.simd === true;

const inTurn = (op: Op): Op => {
  const { simd: _simd, ...attrs } = op.attrs;
  return opWith(op, { attrs });
};

/** Whether each word that is written without a loop on `mem.cas` is written by one iteration of a loop. */
const lanesOwn = (c: Owning, loop: Op): boolean => {
  const [region] = loop.regions;
  const words = new Set<string>();
  walk(region, (op) => {
    const write = op.attrs.alone === true ? writeOf(c, op) : undefined;
    if (write) words.add(write.word);
  });
  return words.size === 0 || [...words].every(ownedIn(c, loop, region));
};

/** Whether all that is written to a word, in the region of a loop, belongs to the iteration: of which words that holds. */
export const ownedIn = (c: Owning, loop: Op, region: Region): ((word: string) => boolean) => {
  const writes = new Map<string, ElementOf[]>();
  const lost = new Set<string>();
  let unknown = false;
  walk(region, (op) => {
    /* Of what runs in parallel within an iteration other threads write, too. */
    if (isParallel(c, op)) unknown = true;
    const write = writeOf(c, op);
    if (write) writes.set(write.word, [...(writes.get(write.word) ?? []), write.element]);
    else
      for (const { kind, buffer } of effectsOf(c, op))
        if (kind !== 'read') {
          if (buffer === undefined) unknown = true;
          else lost.add(buffer);
        }
  });
  const functionOf = functionsIn(region, c.ops);
  /* One thread visits all elements of a word of a bit array, one after the other, where the loop writes such words; what else it writes it may on lanes. */
  const over = loop.name === 'field.for' ? nodeOf(c.layout, loop) : undefined;
  const blocks = over ? sidesOf(c, over.id, axesOf(c.layout, over.id)) : [1];
  const isOwned = (word: string): boolean => {
    const those = writes.get(word) ?? [];
    const inArray = those.every(
      ({ placed }) => c.layout.nodes[placed.path[placed.path.length - 1]].stored?.inArray === true,
    );
    const [first, ...others] = those.map(({ index, placed }) => {
      const sides = sidesOf(c, placed.path[placed.path.length - 2], placed.axes);
      return index.map((v, n) => {
        const f = functionOf(v);
        return f === undefined ? undefined : dividedBy(sides[n], f);
      });
    });
    const common = first.filter((f, axis): f is string => f !== undefined && others.every((all) => all[axis] === f));
    return blocks.every((block, n) => determines(common, region.params[n], inArray ? block : 1));
  };
  return (word) => !unknown && !lost.has(word) && isOwned(word);
};

/** Elements of a word along each axis, of a field in the cells of a node: one unless it is a bit array. */
const sidesOf = ({ layout }: Owning, node: number, axes: readonly number[]): readonly number[] => {
  const { kind, extents } = layout.nodes[node] ?? layout.nodes[0];
  return axes.map((axis) => (kind === 'bits' ? extents[axis] : 1));
};

/** The element of a field that an op writes, what effects call its word, and whether that may be shared by others. */
const writeOf = (
  c: Owning,
  op: Op,
): { readonly element: ElementOf; readonly word: string; readonly shared: boolean } | undefined => {
  const element = elementOf(c.layout, op);
  const leaf = element && c.layout.nodes[element.placed.path[element.placed.path.length - 1]];
  if (!element || !leaf) return undefined;
  const word = valueName(leaf);
  return effectsOf(c, op).some((e) => e.kind !== 'read' && e.buffer === word)
    ? { element, word, shared: leaf.stored !== undefined }
    : undefined;
};

/* What nobody knows may write anything. */
const effectsOf = ({ table }: Owning, op: Op) => table.get(op.name)?.effects(op) ?? [{ kind: 'write' as const }];

const isParallel = ({ table }: Owning, op: Op): boolean => table.get(op.name)?.control?.(op)?.parallel === true;
