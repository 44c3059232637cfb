import type { Block, DeviceBuffer } from '@filigree/backend/device';
import { byteSize } from '@filigree/ir';

/** A stretch of a block, in bytes. */
export interface Stretch {
  readonly block: Block;
  readonly begin: number;
  readonly end: number;
}

/**
 * The buffers of several programs by names that tell where they lie: an output of one and the input of another that is bound to it are one
 * buffer, and have one name.
 */
export class Places {
  private readonly blocks = new Map<Block, number>();
  private readonly named = new Map<string, Known>();

  /** The name of a buffer; `wanted` with a number before it, where it has none yet. */
  nameOf(buffer: DeviceBuffer, wanted: string): string {
    const key = this.keyOf(buffer);
    const known = this.named.get(key);
    if (known) return known.name;
    const name = `b${this.named.size}_${wanted}`;
    this.named.set(key, { name, buffer, stretch: stretchOf(buffer) });
    return name;
  }

  /** The name of a buffer, if it has one. */
  known(buffer: DeviceBuffer): string | undefined {
    return this.named.get(this.keyOf(buffer))?.name;
  }

  /** The buffer of a name. */
  bufferOf(name: string): DeviceBuffer | undefined {
    for (const known of this.named.values()) if (known.name === name) return known.buffer;
    return undefined;
  }

  /** Names of buffers that lie, in part or whole, in a stretch. */
  within(stretch: Stretch): readonly string[] {
    return [...this.named.values()].flatMap((k) => (overlap(k.stretch, stretch) ? [k.name] : []));
  }

  /** Whether a buffer lies partly where another does: neither the same nor apart. */
  crosses(buffer: DeviceBuffer): boolean {
    const stretch = stretchOf(buffer);
    const key = this.keyOf(buffer);
    for (const [other, known] of this.named) if (other !== key && overlap(known.stretch, stretch)) return true;
    return false;
  }

  private keyOf({ block, offset, type, length }: DeviceBuffer): string {
    const number = this.blocks.get(block) ?? this.blocks.size;
    this.blocks.set(block, number);
    return `${number}+${offset}: ${type}[${length}]`;
  }
}

interface Known {
  readonly name: string;
  readonly buffer: DeviceBuffer;
  readonly stretch: Stretch;
}

/** Where a buffer lies. */
export const stretchOf = ({ block, offset, length, type }: DeviceBuffer): Stretch => ({
  block,
  begin: offset,
  end: offset + length * byteSize(type),
});

/** Whether two stretches have a byte in common. */
export const overlap = (a: Stretch, b: Stretch): boolean => a.block === b.block && a.begin < b.end && b.begin < a.end;
