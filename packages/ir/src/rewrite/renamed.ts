import { opWith } from '../build/make-op.js';
import type { Module } from '../kernel/module.js';
import type { Attrs, Op, Region } from '../kernel/op.js';
import { mapKernels } from './walk.js';

/** A module whose buffers and kernels have other names: of buffers those that the map has, of kernels what the function gives. */
export const renamedModule = (
  module: Module,
  buffers: ReadonlyMap<string, string>,
  kernel: (name: string) => string,
): Module => {
  const attrsOf = (attrs: Attrs): Attrs =>
    Object.fromEntries(
      Object.entries(attrs).map(([key, value]) => {
        const to = typeof value === 'string' && value.startsWith('@') ? buffers.get(value.slice(1)) : undefined;
        return [key, to === undefined ? value : `@${to}`];
      }),
    );
  const regionOf = ({ params, ops }: Region): Region => ({ params, ops: ops.map(opOf) });
  const opOf = (op: Op): Op => opWith(op, { attrs: attrsOf(op.attrs), regions: op.regions.map(regionOf) });
  return {
    ...mapKernels(module, (k) => ({ ...k, name: kernel(k.name), body: regionOf(k.body) })),
    buffers: module.buffers.map((b) => ({ ...b, name: buffers.get(b.name) ?? b.name })),
  };
};
