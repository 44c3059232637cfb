import { mapKernels, opWith, type Attrs, type Module, type Op, type Region } from '@filigree/ir';

/** A module whose buffers and kernels have other names. */
export const renamed = (
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
