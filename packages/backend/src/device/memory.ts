import { type ScalarType, type TypedArray, arrayConstructor, byteSize, bytesOf, fail } from '@filigree/ir';
import { type KeptMirror, type Mirror, mirrorOf } from './mirror.js';

/**
 * Memory of a device, in which programs have their buffers. Programs in one memory can be bound to each other's buffers.
 * It is made of blocks; a block is given back when the last who holds it frees it.
 */
export interface Memory {
  /** What its addresses mean: `host`, `wasm`. A backend takes memory of its own space only. */
  readonly space: string;
  /** Whether the host sees it, so that there are views of it. */
  readonly mapped: boolean;
  /** Zeros, from an address that is a multiple of 64; the caller holds them. Errors: `memory/disposed`, `load/memory`. */
  readonly allocate: (bytes: number) => Block;
  /** One more holds the block. Errors: `memory/foreign`, `memory/freed`. */
  readonly hold: (block: Block) => void;
  /** One less holds the block. */
  readonly free: (block: Block) => void;
  /** Copies what begins so many bytes behind the start of a block into an array. Errors: as `hold`, `memory/range`. */
  readonly read: (block: Block, offset: number, into: TypedArray) => void;
  /** Copies an array to where that is. */
  readonly write: (block: Block, offset: number, from: TypedArray) => void;
  /** A view of it, valid until the block is freed. Error: `memory/apart` where the host does not see it. */
  readonly view: (block: Block, offset: number, type: ScalarType, length: number) => TypedArray;
  /** A copy of a block that the host does not see, the same for all who ask. Errors: as `hold`, `memory/mapped` where there are views. */
  readonly mirror: (block: Block) => Mirror;
  /** Called before kernels run: what the host changed in mirrors goes to the device. */
  readonly publish: () => void;
  /** Called after kernels ran: what mirrors show is no longer so. */
  readonly outdate: () => void;
  /** Resolves when all that was begun on the device is done. */
  readonly synchronize: () => Promise<void>;
  /** The end: no more blocks are given out, and the memory goes when the last of them is freed. */
  readonly dispose: () => void;
}

/** A stretch of a memory. */
export interface Block {
  readonly memory: Memory;
  /** Where it begins, as kernels of its space count. */
  readonly at: number;
  readonly bytes: number;
}

/** What a device does for `memoryOf`. */
export interface Device {
  readonly space: string;
  /** So many zeros from a multiple of 64. Error: `load/memory`. */
  readonly allocate: (bytes: number) => Region;
  /** Takes back a region of so many bytes, as many as were asked for. */
  readonly release: (region: Region, bytes: number) => void;
  /** Whether the host sees its regions; default where nothing else is said of how to copy. */
  readonly mapped?: boolean;
  /** Copies between the host and regions, where that is no matter of the host alone. */
  readonly read?: (from: number, into: Uint8Array) => void;
  readonly write?: (to: number, from: Uint8Array) => void;
  readonly synchronize?: () => Promise<void>;
  readonly dispose?: () => void;
}

/** What a device gives for a block. */
export interface Region {
  readonly at: number;
  /** Where the host sees it, if it does: asked anew for each view, since memory may grow. */
  readonly host?: () => { readonly buffer: ArrayBufferLike; readonly byteOffset: number };
}

/** The memory of a device. All that is the same for all devices, holders and checks, is done here. */
export const memoryOf = (device: Device): Memory => memoryWith(device, mirrorOf);

/** The same of a device whose memory the host sees, for places where code is counted: it knows nothing of mirrors. */
export const mappedMemoryOf = (device: Omit<Device, 'read' | 'write'>): Memory => memoryWith(device, undefined);

const memoryWith = (device: Device, mirrored: typeof mirrorOf | undefined): Memory => {
  const { mapped = device.read === undefined } = device;
  const held = new Map<Block, Held>();
  const mirrors = new Set<KeptMirror>();
  let disposed = false;

  const entry = (block: Block): Held => {
    if (block?.memory !== memory)
      fail('memory/foreign', 'the block lies in another memory', {
        remedy: 'make both programs with one memory: { memory }',
      });
    return (
      held.get(block) ??
      fail('memory/freed', 'what lay in this block was disposed of', {
        remedy: 'dispose of a program after those that are bound to it',
      })
    );
  };
  const regionOf = (block: Block, offset: number, bytes: number): Region => {
    const { region } = entry(block);
    if (!(Number.isSafeInteger(offset) && offset >= 0 && offset + bytes <= block.bytes))
      fail('memory/range', `bytes ${offset} to ${offset + bytes} are outside a block of ${block.bytes}`, {
        remedy: 'read and write within the buffer',
      });
    return region;
  };
  const view = (block: Block, offset: number, type: ScalarType, length: number): TypedArray => {
    const { host } = regionOf(block, offset, length * byteSize(type));
    if (host === undefined)
      return fail('memory/apart', `the host has no view of the memory of ${device.space}`, {
        remedy: 'copy: read() and write()',
      });
    const { buffer, byteOffset } = host();
    return new (arrayConstructor(type))(buffer, byteOffset + offset, length);
  };
  const memory: Memory = {
    space: device.space,
    mapped,
    allocate: (bytes) => {
      if (disposed) fail('memory/disposed', 'the memory was disposed of', { remedy: 'open another' });
      const region = device.allocate(bytes);
      const block: Block = { memory, at: region.at, bytes };
      held.set(block, { region, holders: 1 });
      return block;
    },
    hold: (block) => void entry(block).holders++,
    free: (block) => {
      const known = entry(block);
      if (--known.holders > 0) return;
      held.delete(block);
      if (known.mirror) mirrors.delete(known.mirror);
      device.release(known.region, block.bytes);
      if (disposed && held.size === 0) device.dispose?.();
    },
    read: (block, offset, into) => {
      const region = regionOf(block, offset, into.byteLength);
      held.get(block)!.mirror?.publish();
      if (device.read) device.read(region.at + offset, bytesOf(into));
      else copy(bytesOf(into), hostBytes(region, offset, into.byteLength));
    },
    write: (block, offset, from) => {
      const region = regionOf(block, offset, from.byteLength);
      const { mirror } = held.get(block)!;
      mirror?.publish();
      mirror?.outdate([offset, offset + from.byteLength]);
      if (device.write) device.write(region.at + offset, bytesOf(from));
      else copy(hostBytes(region, offset, from.byteLength), bytesOf(from));
    },
    view,
    mirror: (block) => {
      const known = entry(block);
      const { read, write } = device;
      if (mapped || !read || !write || !mirrored)
        return fail('memory/mapped', `the host sees the memory of ${device.space} itself`, { remedy: 'use view()' });
      if (!known.mirror) {
        const { at } = known.region;
        known.mirror = mirrored(block.bytes, {
          read: (offset, into) => read(at + offset, into),
          write: (offset, from) => write(at + offset, from),
        });
        mirrors.add(known.mirror);
      }
      return known.mirror;
    },
    publish: () => mirrors.forEach((m) => m.publish()),
    outdate: () => mirrors.forEach((m) => m.outdate()),
    synchronize: device.synchronize ?? (() => Promise.resolve()),
    dispose: () => {
      if (disposed) return;
      disposed = true;
      if (held.size === 0) device.dispose?.();
    },
  };
  return memory;
};

/** A block that was given out. */
interface Held {
  readonly region: Region;
  holders: number;
  mirror?: KeptMirror;
}

const hostBytes = ({ host }: Region, offset: number, bytes: number): Uint8Array => {
  const { buffer, byteOffset } = host!();
  return new Uint8Array(buffer, byteOffset + offset, bytes);
};

const copy = (to: Uint8Array, from: Uint8Array): void => to.set(from);
