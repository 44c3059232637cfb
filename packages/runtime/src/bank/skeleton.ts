import { fromJson, toJson, type Buffer, type Json, type Kernel, type Module, orThrow } from '@filigree/ir';

/** A module without what its kernels do, as JSON: all that loading and launching ask. @param known buffers of another whose data are told there */
export const skeletonOf = (module: Module, known: readonly Buffer[] = []): Json => {
  const data = new Map(known.map((b) => [b.name, b.data]));
  return toJson({
    ...module,
    buffers: module.buffers.map((b) => {
      if (b.data === undefined || data.get(b.name) !== b.data) return b;
      const { data: _, ...rest } = b;
      return rest;
    }),
    kernels: module.kernels.map((k) => ({ ...k, body: { params: [], ops: [] } })),
  });
};

/**
 * The module of a skeleton. What its kernels do is made when someone asks.
 *
 * @param whole makes the module that the skeleton is of
 */
export const moduleOfSkeleton = (skeleton: unknown, whole: () => Module, known: readonly Buffer[] = []): Module => {
  const data = new Map(known.map((b) => [b.name, b.data]));
  const module = orThrow(fromJson(skeleton));
  return {
    ...module,
    buffers: module.buffers.map((b) => {
      const there = b.role === 'const' && b.data === undefined ? data.get(b.name) : undefined;
      return there === undefined ? b : { ...b, data: there };
    }),
    kernels: module.kernels.map(({ name, params, attrs }, n): Kernel => {
      const made: { body?: Kernel['body'] } = {};
      return {
        name,
        params,
        attrs,
        get body() {
          return (made.body ??= whole().kernels[n].body);
        },
      };
    }),
  };
};
