import type { Backend } from '@filigree/backend';
import { fromJson, toJson, type Buffer, type Json, type Kernel, type Module, once, orThrow } from '@filigree/ir';

/** A lowered module, and what it became for a backend, without what their kernels do. */
export interface Skeletons {
  readonly lowered: Json;
  readonly legal: Json;
}

export const skeletonsOf = (lowered: Module, legal: Module): Skeletons => ({
  lowered: skeletonOf(lowered),
  legal: skeletonOf(legal, lowered.buffers),
});

/** The modules of skeletons. What their kernels do is made when someone asks. @param lower makes the module again that was lowered */
export const modulesOf = (
  of: Skeletons,
  lower: () => Module,
  { legalize }: Pick<Backend, 'legalize'>,
): { readonly lowered: Module; readonly legal: Module } => {
  const whole = once(lower);
  const lowered = moduleOfSkeleton(of.lowered, whole);
  const legal = moduleOfSkeleton(
    of.legal,
    once(() => orThrow(legalize.run(whole()))),
    lowered.buffers,
  );
  return { lowered, legal };
};

/** A module without what its kernels do, as JSON: all that loading and launching ask. @param known buffers of another whose data are told there */
const skeletonOf = (module: Module, known: readonly Buffer[] = []): Json => {
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

/** @param whole makes the module that the skeleton is of */
const moduleOfSkeleton = (skeleton: unknown, whole: () => Module, known: readonly Buffer[] = []): Module => {
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
