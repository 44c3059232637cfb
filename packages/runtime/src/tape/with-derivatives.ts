import {
  adjoint,
  clearGradients,
  derivatives,
  keepingPlaces,
  tangent,
  watched,
  withoutGiven,
  type Access,
  type Adjoint,
  type Marks,
  type Tangent,
  type Watched,
} from '@filigree/autodiff';
import { combined, coreDialects, type Extension, type Kernel, type Module } from '@filigree/ir';
import type { KernelSignature, Shown } from '@filigree/lang/kernels';
import { fieldDialect, type Layout } from '@filigree/sparse/fields';
import { noteOrigin } from '../program/shared-layout.js';
import { beginKernels } from './begin-kernels.js';
import type { AdjointKernels, DerivativeKernels, TangentKernels, WatchedKernels } from './derivative-kernels.js';
import type { Companions } from './differentiated-fields.js';
import { madeKernels, type Setting } from './made-kernels.js';
import { secondKernels } from './second-kernels.js';

/** A module, and what is known of the derivatives among its kernels. */
export interface DerivedKernels {
  readonly module: Module;
  /** The layout of the module, where that has more fields than the one that was given. */
  readonly layout?: Layout;
  readonly adjoints?: AdjointKernels;
  readonly tangents?: TangentKernels;
  /** The adjoints of the kernels with tangents; what belongs to a tangent is called as what it is the tangent of, with a prime. */
  readonly second?: AdjointKernels;
}

/**
 * The module with the adjoints and tangents of its kernels; as it is where no field has any.
 *
 * @param shown shows the places that ops of a kernel name
 * @param waits whether launches wait, so that adjoints of losses are set by kernels
 * @param shared whether the fields are those of another program, so that there can be no more of them
 */
export const withDerivatives = (
  given: Module,
  { layout: plain, adjoints, tangents, second, marks }: Companions,
  signatures: Readonly<Record<string, KernelSignature>>,
  shown: (kernel: string) => Shown,
  extensions: readonly Extension[] = [],
  waits = false,
  shared = false,
): DerivedKernels => {
  const { dialects: known = [], derivatives: more } = combined(extensions);
  const dialects = known.filter((d) => !coreDialects.includes(d));
  const table = { ...derivatives, ...more };
  const adjoined = new Set([...Object.keys(adjoints), ...Object.keys(second)]);
  const { module, layout, places } =
    adjoined.size > 0 && !shared
      ? keepingPlaces(given, plain, adjoined, dialects)
      : { module: given, layout: plain, places: undefined };
  noteOrigin(layout, plain);
  const setting = { module, layout, signatures, dialects, shown };
  const backward = madeKernels<Adjoint>(setting, adjoints, 'clear_gradients', (name) =>
    adjoint(module, name, { adjoints, dialects, table, ...(places && { places }) }),
  );
  const forward = madeKernels<Tangent>(setting, tangents, 'clear_tangents', (name) =>
    tangent(module, name, { tangents, dialects, table, again: Object.keys(second).length > 0 }),
  );
  if (!backward && !forward) return { module };
  const twice = forward && secondKernels(setting, forward, second, table, places);
  const watching = backward && watchedKernels(setting, backward.known, marks);
  const begin = waits ? beginKernels(layout, adjoints) : new Map<string, Kernel>();
  const all = [backward, forward, twice].filter((x) => x !== undefined);
  return {
    module: {
      ...module,
      buffers: [...module.buffers, ...all.flatMap((x) => x.buffers), ...(watching?.buffers ?? [])],
      kernels: [
        ...[...module.kernels, ...all.flatMap((x) => x.kernels)].map((k) =>
          withoutGiven(k, [fieldDialect(layout), ...dialects]),
        ),
        ...begin.values(),
        ...(watching?.kernels ?? []),
      ],
    },
    ...(layout !== plain && { layout }),
    ...(backward && {
      adjoints: {
        ...backward.known,
        begin: new Map([...begin].map(([primal, { name }]) => [primal, name])),
        places: [...(places?.keys() ?? [])],
        watched: watching?.known,
      },
    }),
    ...(forward && { tangents: forward.known }),
    ...(twice && { second: twice.known }),
  };
};

/** The kernels that watch what others do that have adjoints; nothing where no access is checked. */
const watchedKernels = (
  { module, layout, dialects }: Setting,
  { of }: DerivativeKernels<Adjoint>,
  marks: Readonly<Record<string, Marks>>,
): { buffers: Module['buffers']; kernels: readonly Kernel[]; known: WatchedKernels } | undefined => {
  if (Object.keys(marks).length === 0) return undefined;
  const all = new Map<string, Watched>();
  const accesses: Access[] = [];
  for (const [name, derived] of of) {
    if (!('needs' in derived)) continue;
    const one = watched(module, name, { marks, first: accesses.length, dialects });
    accesses.push(...one.accesses);
    all.set(name, one);
  }
  const clear = clearGradients(
    'clear_marks',
    layout,
    Object.values(marks).flatMap((m) => Object.values(m)),
  );
  const given = [fieldDialect(layout), ...dialects];
  return {
    buffers: [...all.values()].map(({ buffer }) => buffer),
    kernels: [...[...all.values()].map(({ kernel }) => withoutGiven(kernel, given)), clear],
    known: {
      of: new Map(
        [...all].map(([name, { kernel, buffer }]) => [name, { kernel: kernel.name, report: buffer.name }] as const),
      ),
      accesses,
      clear: clear.name,
    },
  };
};
