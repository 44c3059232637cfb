import { type Buffer, type Module, byteSize, coreDialects, fail, opTable, walk } from '@filigree/ir';
import type { DeviceBuffer } from './buffer.js';
import type { Block, Memory } from './memory.js';

/** Buffers of other programs by the names of the buffers that are to lie there. */
export type Bindings = Readonly<Record<string, DeviceBuffer>>;

/** What a program needs of a memory beside the buffers that it is bound to: one block, and where in it each of the rest begins. */
export interface OwnLayout {
  readonly bytes: number;
  readonly offsetOf: ReadonlyMap<string, number>;
}

/** Where the buffers of a program lie in a memory. */
export interface Placement {
  readonly memory: Memory;
  /** The block of this program alone. */
  readonly own: Block;
  /** Of each buffer but scratch. */
  readonly places: ReadonlyMap<string, Place>;
  /** Names of the buffers that lie in blocks of others. */
  readonly bound: ReadonlySet<string>;
  /** Frees all blocks. */
  readonly release: () => void;
}

/** So many bytes behind the start of a block. */
export interface Place {
  readonly block: Block;
  readonly offset: number;
}

/** The address of a place, as kernels count. */
export const addressOf = ({ block, offset }: Place): number => block.at + offset;

/**
 * Gives the buffers of a legal module places in a memory: those of other programs where it is bound to them, the rest in a block of its
 * own, zeros with the constants filled in. Errors: `memory/binding`, `memory/foreign`, `memory/freed`, `memory/aliasing`, `load/memory`.
 */
export const placeModule = (module: Module, memory: Memory, given: Bindings, layout: OwnLayout): Placement => {
  /* A buffer may have the name of something that other objects have. */
  const bindings = Object.assign(Object.create(null), given) as Bindings;
  checkBindings(module, memory, bindings);
  return placed(module, memory, bindings, layout);
};

/** As `placeModule`, of a module that is bound to nothing. Error: `load/memory`. */
export const placeAlone = (module: Module, memory: Memory, layout: OwnLayout): Placement =>
  placed(module, memory, Object.create(null) as Bindings, layout);

const placed = (module: Module, memory: Memory, bindings: Bindings, layout: OwnLayout): Placement => {
  const bound = new Set(Object.keys(bindings));
  const own = memory.allocate(layout.bytes);
  const blocks = [own];
  const release = (): void => blocks.splice(0).forEach((b) => memory.free(b));
  try {
    for (const { block } of Object.values(bindings)) {
      memory.hold(block);
      blocks.push(block);
    }
    const places = new Map<string, Place>();
    for (const b of module.buffers) {
      if (b.role === 'scratch') continue;
      const { block, offset } = bindings[b.name] ?? { block: own, offset: layout.offsetOf.get(b.name)! };
      places.set(b.name, { block, offset });
      if (b.data !== undefined) memory.write(block, offset, b.data);
    }
    return { memory, own, places, bound, release };
  } catch (e) {
    release();
    throw e;
  }
};

const checkBindings = (module: Module, memory: Memory, bindings: Bindings): void => {
  const may = module.buffers.filter((b) => b.role !== 'scratch' && b.role !== 'const');
  for (const [name, to] of Object.entries(bindings)) {
    const buffer =
      may.find((b) => b.name === name) ??
      fail('memory/binding', `module @${module.name} has no buffer '${name}' that could be bound`, {
        remedy: may.length > 0 ? `bind one of ${may.map((b) => b.name).join(', ')}` : 'leave out `bind`',
      });
    if (typeof to?.block !== 'object' || to.block === null)
      fail('memory/binding', `what buffer '${name}' is bound to is no buffer`, {
        remedy: "give what buffer('name') of another program gives",
      });
    if (to.type !== buffer.type || to.length !== buffer.length)
      fail(
        'memory/binding',
        `buffer '${name}' is ${buffer.type}[${buffer.length}], and is bound to '${to.name}', which is ${to.type}[${to.length}]`,
        { remedy: 'bind it to one of the same type and length' },
      );
    if (to.block.memory !== memory)
      fail('memory/foreign', `buffer '${name}' is bound to '${to.name}', which lies in another memory`, {
        remedy: 'make both programs with one memory: { memory }',
      });
    const apart = buffer.memory === undefined ? undefined : may.find((b) => partsOf(b, bindings, buffer, to));
    if (apart)
      fail(
        'memory/binding',
        `buffer '${name}' shares its memory with '${apart.name}', which is bound elsewhere or not`,
        {
          remedy: 'bind all buffers over one memory to the same place',
        },
      );
  }
  checkAliasing(module, bindings);
};

/** Whether a buffer should begin where another does, and would not. */
const partsOf = (b: Buffer, bindings: Bindings, other: Buffer, to: DeviceBuffer): boolean =>
  b.memory === other.memory && (bindings[b.name]?.block !== to.block || bindings[b.name]?.offset !== to.offset);

/** Kernels take for granted that what they write lies in no other buffer. */
const checkAliasing = (module: Module, bindings: Bindings): void => {
  let known: ReadonlySet<string> | undefined;
  /* Most bindings are apart, and then nobody looks into kernels. */
  const isWritten = (b: Buffer): boolean => (known ??= writtenBuffers(module)).has(b.name);
  const bound = module.buffers.filter((b) => Object.hasOwn(bindings, b.name));
  for (const [n, a] of bound.entries())
    for (const b of bound.slice(n + 1))
      if (!sameMemory(a, b) && overlap(bindings[a.name]!, bindings[b.name]!) && (isWritten(a) || isWritten(b)))
        fail(
          'memory/aliasing',
          `buffers '${a.name}' and '${b.name}' of module @${module.name} are bound to the same memory, and one is written`,
          { remedy: 'bind them to buffers that do not overlap, or leave one its own memory' },
        );
};

const sameMemory = (a: Buffer, b: Buffer): boolean => a.memory !== undefined && a.memory === b.memory;

const overlap = (a: DeviceBuffer, b: DeviceBuffer): boolean =>
  a.block === b.block && a.offset < endOf(b) && b.offset < endOf(a);

const endOf = ({ offset, length, type }: DeviceBuffer): number => offset + length * byteSize(type);

/** Names of the buffers that the kernels of a module write. Of an op that nobody described each that it names. */
const writtenBuffers = ({ kernels }: Module): ReadonlySet<string> => {
  const table = opTable(coreDialects);
  const names = new Set<string>();
  for (const { body } of kernels)
    walk(body, (op) => {
      const known = table.get(op.name);
      if (known) {
        for (const { kind, buffer } of known.effects(op))
          if ((kind === 'write' || kind === 'atomic') && buffer !== undefined) names.add(buffer);
      } else
        for (const attr of Object.values(op.attrs))
          if (typeof attr === 'string' && attr.startsWith('@')) names.add(attr.slice(1));
    });
  return names;
};
