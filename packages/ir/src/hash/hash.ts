import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Kernel } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { littleEndianBytes } from '../text/base64.js';
import { Encoder } from './encode.js';

/**
 * The content hash of a kernel: 64 hexadecimal digits of SHA-256. Kernels that differ only in value ids, hints and source
 * locations have one hash; name, attributes, types and everything else count.
 */
export const hashKernel = (kernel: Kernel): string => bytesToHex(sha256(new Encoder().kernel(kernel).take()));

/** The content hash of a module: as for its kernels, in order, with its name, attributes, buffers and constant data. */
export const hashModule = (module: Module): string => {
  const hash = sha256.create();
  hash.update(new Encoder().moduleHead(module).take());
  /* Constant data goes in as it lies in memory; its length is in the head already. */
  for (const b of module.buffers) if (b.data !== undefined) hash.update(littleEndianBytes(b.data));
  for (const k of module.kernels) hash.update(new Encoder().kernel(k).take());
  return bytesToHex(hash.digest());
};
