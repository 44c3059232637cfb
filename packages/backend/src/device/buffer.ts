import { type ScalarType, type TypedArray, allocateArray, arrayConstructor, byteSize, fail } from '@filigree/ir';
import type { Block } from './memory.js';

/** A buffer of a program in memory. Another program in this memory may be bound to it: `{ bind: { x: program.buffer('y') } }`. */
export interface DeviceBuffer {
  readonly name: string;
  readonly type: ScalarType;
  /** In elements. */
  readonly length: number;
  /** Where it lies, and how many bytes behind the start of that. */
  readonly block: Block;
  readonly offset: number;
  /**
   * Copies elements from `first` on, as many as `into` takes; without it all that follow, into a new array. Errors: `memory/values`,
   * `memory/range`, `memory/freed`.
   */
  readonly read: (into?: TypedArray, first?: number) => TypedArray;
  /** Copies values to the elements from `first` on. Errors: those of `read`. */
  readonly write: (values: TypedArray, first?: number) => void;
  /** The memory itself, valid until the program is disposed of. Error: `memory/apart` where the host does not see it. */
  readonly view: () => TypedArray;
}

/** What a buffer is, and where. */
export type BufferPlace = Pick<DeviceBuffer, 'name' | 'type' | 'length' | 'block' | 'offset'>;

/** The buffer at a place. */
export const deviceBuffer = ({ name, type, length, block, offset }: BufferPlace): DeviceBuffer => {
  const { memory } = block;
  const checked = (values: TypedArray, first: number): number => {
    if (!(values instanceof arrayConstructor(type)))
      fail('memory/values', `buffer '${name}' is of ${type}`, { remedy: `give a ${arrayConstructor(type).name}` });
    if (!(Number.isSafeInteger(first) && first >= 0 && first + values.length <= length))
      fail('memory/range', `elements ${first} to ${first + values.length} are outside buffer '${name}' of ${length}`, {
        remedy: 'read and write within it',
      });
    return offset + first * byteSize(type);
  };
  return {
    name,
    type,
    length,
    block,
    offset,
    read: (into, first = 0) => {
      const values = into ?? allocateArray(type, Math.max(0, length - first));
      memory.read(block, checked(values, first), values);
      return values;
    },
    write: (values, first = 0) => memory.write(block, checked(values, first), values),
    view: () => memory.view(block, offset, type, length),
  };
};
