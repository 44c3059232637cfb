import {
  byteSize,
  declareBuffer,
  fail,
  scalarTypes,
  type Buffer,
  type Module,
  type Op,
  type ScalarType,
  checkOptions,
  option,
} from '@filigree/ir';
import { storedType } from '../layout/stored-type.js';
import {
  allocates,
  axesOf,
  hasNodes,
  isSparse,
  nodeOf,
  nodeText,
  pathTo,
  type Layout,
  type SNode,
} from '../layout/layout.js';
import { align } from './align.js';
import { capacitiesOf } from './capacities.js';
import { HANDS, LINE, LOT } from './lots.js';
import { shapesOf, type Shape } from './shapes.js';

/**
 * Where everything of a layout lies: one memory, addresses in bytes from its start. A cell is never a pointer: it is a
 * place within its container, or the number of a pool's cell.
 */
export interface Storage {
  readonly layout: Layout;
  /** Name of the memory that the buffers share. */
  readonly memory: string;
  readonly bytes: number;
  /** The arena as an array of each scalar type that it holds values of. */
  readonly buffers: readonly Buffer[];
  /** By node number. */
  readonly nodes: readonly NodeStorage[];
  /** Address of the root's one cell. */
  readonly root: number;
  /** Address of `STATUS_WORDS` i32 words in which a kernel reports what went wrong; all zero means nothing did. */
  readonly status: number;
  /** Type that holds any index into any of the buffers. */
  readonly index: 'i32' | 'i64';
}

/** Words of a status: what happened (`STATUS`), the node or place, and up to six coordinates. */
export const STATUS_WORDS = 8;

/** What a status word may say. */
export const STATUS = {
  fine: 0,
  exhausted: 1,
  listFull: 2,
  outOfBounds: 3,
  overflow: 4,
  promise: 5,
  division: 6,
  beyondList: 7,
} as const;

/** How one node lies in its parent's cell, its cells in it, and how many there may be. */
export interface NodeStorage extends Shape {
  readonly node: SNode;
  /** Cells allocated one by one; for `pointer` and `hash`. */
  readonly pool: Pool | undefined;
  /** Active cells, for loops over what lies within them; for nodes with a pool, and sparse nodes that hold further nodes. */
  readonly list: List | undefined;
}

/**
 * Cells of one size that are given out one by one (thesis §5.2). Their numbers come in turns: the first `freeCount` turns
 * are the free list, those after them `used`, `used + 1` … below `capacity`. So many `turns` in a row are a lot; the first lot
 * is shorter, so that numbers of one cache line are of one lot. A thread opens a lot, by an atomic addition to a counter
 * that all share, and takes its turns, by atomic additions to a counter of that lot, on a line that nobody else touches;
 * once no lot is left to open, threads take what is left in those of others. So memory is exhausted when every turn has
 * been taken, and not before.
 *
 * Cell 0 is never written: reads through a missing cell end there and find ambient values. Cell 1 takes what is written
 * when memory is exhausted. Cells from 2 on are real. A cell that is not active holds ambient values; one that was never
 * used holds zeros, and receives the ambient values that are not zero when it is given out.
 *
 * An arena begins as zeros, with `used` set to `RESERVED_CELLS` and ambient values written into cell 0 and the root's
 * cell. A thread takes a cell only when it has claimed the slot that leads there, so that none is taken in vain.
 */
export interface Pool {
  /** Address of cell 0. */
  readonly cells: number;
  /** One above the largest cell number. */
  readonly capacity: number;
  /** Addresses of i32 counters, all of them zero after a collection. */
  readonly lots: {
    /** Turns of a lot, a power of two: `LOT`, or where all threads take turns together so many that there is one lot. */
    readonly turns: number;
    /** Lots that there may be, for which there is room. */
    readonly most: number;
    /** Lots that were opened, from the first on; perhaps a few more than there are. */
    readonly opened: number;
    /**
     * Turns taken of each lot, perhaps a few more than it has, and behind it the number of the thread that opened it;
     * `LINE` bytes from one lot to the next.
     */
    readonly taken: number;
    /** Lots before this one have no turn left. */
    readonly searched: number;
    /** By the number of a thread, one above the lot from which it took last, 0 for none; `LINE` bytes from one to the next. */
    readonly hands: number;
  };
  /** Addresses of i32 counters. */
  readonly used: number;
  readonly freeCount: number;
  /** Cells given back since the last collection. */
  readonly recycledCount: number;
  /** Addresses of i32 arrays of `capacity`: numbers of free cells, of recycled cells, and 1 for each active cell. */
  readonly free: number;
  readonly recycled: number;
  readonly active: number;
  /** Address of the i32 coordinates of each cell, `axes.length` a cell: its place in the index space of this node's cells. */
  readonly coordinates: number;
  readonly axes: readonly number[];
  /**
   * For `hash`: address and size, a power of two, of the table of i32 cell numbers, 0 where free and −1 where an entry
   * was removed; and the address of the i32 count of removals since the table was built. After too many of them it is
   * rebuilt.
   */
  readonly table: { readonly slots: number; readonly size: number; readonly removed: number } | undefined;
}

/**
 * A list of active cells, rebuilt before a loop. A cell is identified by one number among all cells of its node: its
 * number in the pool or, if cells lie in their containers, the number of the enclosing cell times the cells per
 * container, plus the number within the container.
 */
export interface List {
  /** Address of the i32 length. */
  readonly length: number;
  /** At most this many entries: there are never more active cells. */
  readonly capacity: number;
  /** Address of the i32 numbers of the cells. */
  readonly cells: number;
}

/** Whether there is one lot since threads take turns together: then the turns taken of it are all. */
export const hasOneLot = ({ lots }: Pool): boolean => lots.turns > LOT;

/** How a layout is given memory. */
export interface StorageOptions {
  /** Name of the memory, and the beginning of its buffers' names; `arena`. */
  readonly memory?: string;
  /**
   * Bytes for cells that are allocated one by one, where the layout does not say how many; 1 GiB. Nodes share them evenly, but for
   * what one of them could never use. Untouched pages cost nothing.
   */
  readonly budget?: number;
  /** Whether all threads take cells of a pool together, as very many do (`hands` of `Grain` is 1); default false. */
  readonly together?: boolean;
}

/**
 * Bytes before the root's cell and behind all else in which no value lies: what reads a row of a block from an element too
 * early, or on to one too late, still reads from the arena.
 */
export const SLACK = 64;

/**
 * Assigns an address to everything in a layout. Throws `DiagnosticError` `layout/too-large` if the memory would exceed 8 GiB, or
 * 4 GiB where a field has elements of one byte.
 */
export const storageOf = (layout: Layout, given?: StorageOptions): Storage => {
  const options = checkOptions<StorageOptions>('storageOf', given, {
    memory: option.text,
    budget: option.number(0),
    together: option.truth,
  });
  const memory = options.memory ?? 'arena';
  const shapes = shapesOf(layout);
  const status = 0;
  const root = SLACK;
  let end = align(root + shapes[0].cellBytes, 64);
  const reserve = (bytes: number): number => {
    const at = end;
    end = align(end + bytes, 64);
    return at;
  };
  for (const node of layout.nodes)
    if ((isSparse(node) || node.morton) && node.kind !== 'hash' && shapes[node.id].cells > MAX_CELLS) tooMany(node);
  const capacities = capacitiesOf(layout, shapes, options.budget ?? 2 ** 30);
  const lotOf = (capacity: number): number =>
    options.together === true ? Math.max(LOT, 2 ** Math.ceil(Math.log2(capacity))) : LOT;
  const nodes = layout.nodes.map((node, id): NodeStorage => {
    const axes = axesOf(layout, id);
    const capacity = capacities[id];
    const pool = allocates(node) ? poolOf(node, shapes[id], capacity, axes, lotOf(capacity), reserve) : undefined;
    const list = pool || (isSparse(node) && hasNodes(layout, node)) ? listOf(node, capacity, reserve) : undefined;
    return { node, ...shapes[id], pool, list };
  });
  end += SLACK;
  const types = scalarTypes.filter((t) => t === 'i32' || layout.nodes.some((n) => n.field && storedType(n) === t));
  checkSize(end, types, nodes);
  return {
    layout,
    memory,
    bytes: end,
    buffers: types.map((type) => ({
      ...declareBuffer(arenaName(memory, type), type, end / byteSize(type), 'inout'),
      memory,
    })),
    nodes,
    root,
    status,
    index: end / Math.min(...types.map(byteSize)) < 2 ** 31 ? 'i32' : 'i64',
  };
};

/** The buffer through which values of a type are reached. */
export const arenaName = (memory: string, type: ScalarType): string => `${memory}_${type}`;

/** How the node lies that an op names. */
export const nodeStorage = ({ layout, nodes }: Storage, op: Pick<Op, 'attrs'>): NodeStorage =>
  nodes[nodeOf(layout, op)!.id];

/** A name for the memory that the fields of a module lie in, of which no buffer that it has could be a part. */
export const memoryFor = ({ buffers }: Module): string => {
  let name = 'arena';
  while (buffers.some((b) => b.memory !== name && b.name.startsWith(`${name}_`))) name += '_';
  return name;
};

/** Elements along an axis of the field or node `leaf` that fall into one cell of `node`, an ancestor of it or itself. */
export const elementsBelow = (layout: Layout, node: number, leaf: number, axis: number): number => {
  let product = 1;
  for (let at = leaf; at !== node && at >= 0; at = layout.nodes[at].parent) product *= layout.nodes[at].extents[axis];
  return product;
};

/** Refuses a memory that is too large, for all or for one of the types of its arrays. */
const checkSize = (bytes: number, types: readonly ScalarType[], nodes: readonly NodeStorage[]): void => {
  const [least] = [...types].sort((a, b) => byteSize(a) - byteSize(b));
  const most = Math.min(MAX_BYTES, MAX_LENGTH * byteSize(least));
  if (bytes <= most) return;
  const whose = most < MAX_BYTES ? `, as it has a field of ${least}` : '';
  fail(
    'layout/too-large',
    `the layout takes ${(bytes / 2 ** 30).toFixed(1)} GiB, and may take ${most / 2 ** 30}${whose}`,
    {
      remedy: `make ${nodeText(largest(nodes))} smaller, or store its cells on demand: pointer(), hash()`,
    },
  );
};

/** Bytes that a layout may take. */
const MAX_BYTES = 2 ** 33;

/* Typed arrays of more elements than this are refused by engines. */
const MAX_LENGTH = 2 ** 32;

/* Numbers of cells are i32. */
const MAX_CELLS = 2 ** 31 - 1;

const poolOf = (
  node: SNode,
  { cellBytes }: Shape,
  capacity: number,
  axes: readonly number[],
  turns: number,
  reserve: (bytes: number) => number,
): Pool => {
  /* Every activation looks at the second line, which then stays with every thread. */
  const [opened, counters, given] = [reserve(8), reserve(8), reserve(8)];
  const tableSize = 2 ** Math.ceil(Math.log2(2 * capacity));
  const most = 1 + Math.ceil(capacity / turns);
  return {
    cells: reserve(capacity * cellBytes),
    capacity,
    lots: {
      turns,
      most,
      opened,
      taken: reserve(most * LINE),
      searched: opened + 4,
      hands: reserve(HANDS * LINE),
    },
    used: counters,
    freeCount: counters + 4,
    recycledCount: given,
    free: reserve(4 * capacity),
    recycled: reserve(4 * capacity),
    active: reserve(4 * capacity),
    coordinates: reserve(4 * capacity * axes.length),
    axes,
    table: node.kind === 'hash' ? { slots: reserve(4 * tableSize), size: tableSize, removed: given + 4 } : undefined,
  };
};

const listOf = (node: SNode, capacity: number, reserve: (bytes: number) => number): List => {
  if (capacity > MAX_CELLS) tooMany(node);
  return { length: reserve(4), capacity, cells: reserve(4 * capacity) };
};

const tooMany = (node: SNode): never =>
  fail('layout/too-large', `${nodeText(node)} has room for more cells than an i32 can count`, {
    remedy: 'make it or the nodes around it smaller, or store its cells on demand: pointer(), hash()',
  });

const largest = (nodes: readonly NodeStorage[]): SNode =>
  nodes.reduce((most, n) => (n.node.id > 0 && n.containerBytes > most.containerBytes ? n : most), nodes[1]).node;

/** Nodes around a node that allocate cells, from the outermost in; the node itself last, if it does. */
export const poolsAround = ({ layout, nodes }: Storage, id: number): readonly number[] =>
  pathTo(layout.nodes, id).filter((n) => nodes[n].pool);
