import { fail, type ScalarType, type TypedArray } from '@filigree/ir';
import { arenaName, type Storage } from '../storage/storage.js';

/** A storage and its memory. */
export interface Arena {
  readonly storage: Storage;
  /** The whole memory as i32 words. Of bytes only parts are arrays: `bytesAt`. */
  readonly words: Int32Array;
  /** The whole memory as an array of a type that some field has. */
  readonly array: (type: ScalarType) => TypedArray;
  /** Whether a kernel runs on it: then cells that are given back are not given out again before they are collected. */
  readonly inKernel?: boolean;
}

/**
 * The arena in these buffers, which are those of `storage.buffers` by name, all over one memory. Error: `arena/buffers` where
 * they are not.
 */
export const arenaIn = (storage: Storage, buffers: Readonly<Record<string, TypedArray>>): Arena => {
  const array = (type: ScalarType): TypedArray =>
    buffers[arenaName(storage.memory, type)] ??
    fail('arena/buffers', `there is no buffer '${arenaName(storage.memory, type)}'`, {
      remedy: 'give the buffers of a module made over this storage',
    });
  const words = array('i32');
  if (!(words instanceof Int32Array) || words.byteLength < storage.bytes)
    return fail('arena/buffers', `the memory '${storage.memory}' is no array of ${storage.bytes} bytes`, {
      remedy: 'give the buffers of a module made over this storage',
    });
  return { storage, words, array };
};
