import {
  adjoint,
  clearGradients,
  derivatives,
  tangent,
  watched,
  withoutGiven,
  type Access,
  type Adjoint,
  type Marks,
  type Tangent,
  type Watched,
} from '@filigree/autodiff';
import {
  combined,
  coreDialects,
  derivative,
  DiagnosticError,
  fail,
  isFloat,
  opTable,
  walk,
  type Diagnostics,
  type Dialect,
  type Effect,
  type Extension,
  type Kernel,
  type Module,
} from '@filigree/ir';
import type { KernelSignature } from '@filigree/lang/kernels';
import { fieldDialect, valueName, type Layout } from '@filigree/sparse/fields';
import { structuralOf, type Structural } from './structural.js';
import { beginKernels } from './begin-kernels.js';
import type { Companions } from './differentiated-fields.js';

/** Derivatives of the kernels of a program. */
export interface DerivativeKernels<D> {
  /** By the name of the primal: its derivative, or why it has none, which is reported when it is launched. */
  readonly of: ReadonlyMap<string, Omit<D, 'buffers'> | Diagnostics>;
  /** The names of scalar fields, each with that of its adjoint or tangent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The names of parameters, by kernel. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** The names of the parameters that are floats, and of the arguments that are arrays of floats, by kernel. */
  readonly floats: ReadonlyMap<string, { readonly scalars: readonly string[]; readonly lists: readonly string[] }>;
  /** The names of array arguments by their buffers. */
  readonly arrays: ReadonlyMap<string, string>;
  /** The names of the scalar fields that kernels write, or may. */
  readonly writes: ReadonlyMap<string, readonly string[]>;
  /** The names of those whose values they read. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
  /** Those of them that are floats, and neither differentiated nor derivatives. */
  readonly plain: ReadonlyMap<string, readonly string[]>;
  /** By kernel, what it has to do with which cells are active. */
  readonly structural: ReadonlyMap<string, Structural>;
  /** The kernels that change which elements there are. */
  readonly reshapes: ReadonlySet<string>;
  /** The kernel that sets all of these fields to zero. */
  readonly clear: string;
}

export interface AdjointKernels extends DerivativeKernels<Adjoint> {
  /** The kernels that set the adjoint of a field of one number to one, by the name of the field. */
  readonly begin: ReadonlyMap<string, string>;
  /** The kernels that watch accesses, where these are checked. */
  readonly watched: WatchedKernels | undefined;
}

/** Kernels that do what others do, and watch their accesses. */
export interface WatchedKernels {
  /** By the name of the primal: the kernel, and the buffer in which it reports. */
  readonly of: ReadonlyMap<string, { readonly kernel: string; readonly report: string }>;
  /** All accesses by their numbers. */
  readonly accesses: readonly Access[];
  /** The kernel that wipes out all marks. */
  readonly clear: string;
}
export type TangentKernels = DerivativeKernels<Tangent>;

/** A module, and what is known of the derivatives among its kernels. */
export interface DerivedKernels {
  readonly module: Module;
  readonly adjoints?: AdjointKernels;
  readonly tangents?: TangentKernels;
}

/** The derivative of a kernel among those of a program. Error: why it has none. */
export const derivativeOf = <D>({ of }: DerivativeKernels<D>, kernel: string): Omit<D, 'buffers'> => {
  const found = of.get(kernel);
  if (Array.isArray(found)) throw new DiagnosticError(found as Diagnostics);
  return (found as Omit<D, 'buffers'>) ?? fail('tape/unknown', `kernel '${kernel}' has no derivative`);
};

/**
 * The module with the adjoints and tangents of its kernels; as it is where no field has any.
 *
 * @param waits whether launches wait, so that adjoints of losses are set by kernels
 */
export const withDerivatives = (
  module: Module,
  { layout, adjoints, tangents, marks }: Companions,
  signatures: Readonly<Record<string, KernelSignature>>,
  extensions: readonly Extension[] = [],
  waits = false,
): DerivedKernels => {
  const { dialects: known = [], derivatives: more } = combined(extensions);
  const dialects = known.filter((d) => !coreDialects.includes(d));
  const table = { ...derivatives, ...more };
  const setting = { module, layout, signatures, dialects };
  const backward = made<Adjoint>(setting, adjoints, 'clear_gradients', (name) =>
    adjoint(module, name, { adjoints, dialects, table }),
  );
  const forward = made<Tangent>(setting, tangents, 'clear_tangents', (name) =>
    tangent(module, name, { tangents, dialects, table }),
  );
  if (!backward && !forward) return { module };
  const watching = backward && watchedKernels(setting, backward.known, marks);
  const begin = waits ? beginKernels(layout, adjoints) : new Map<string, Kernel>();
  const both = [backward, forward].filter((x) => x !== undefined);
  return {
    module: {
      ...module,
      buffers: [...module.buffers, ...both.flatMap((x) => x.buffers), ...(watching?.buffers ?? [])],
      kernels: [
        ...module.kernels.map((k) => withoutGiven(k, [fieldDialect(layout), ...dialects])),
        ...both.flatMap((x) => x.kernels),
        ...begin.values(),
        ...(watching?.kernels ?? []),
      ],
    },
    ...(backward && {
      adjoints: {
        ...backward.known,
        begin: new Map([...begin].map(([primal, { name }]) => [primal, name])),
        watched: watching?.known,
      },
    }),
    ...(forward && { tangents: forward.known }),
  };
};

interface Setting {
  readonly module: Module;
  readonly layout: Layout;
  readonly signatures: Readonly<Record<string, KernelSignature>>;
  readonly dialects: readonly Dialect[];
}

/** Derivatives of all kernels, what is added to the module, and what is known of them. */
const made = <D extends Pick<Adjoint, 'kernel' | 'buffers'>>(
  { module, layout, signatures, dialects }: Setting,
  fields: Readonly<Record<string, string>>,
  clear: string,
  derive: (name: string) => D,
): { buffers: Module['buffers']; kernels: readonly Kernel[]; known: DerivativeKernels<D> } | undefined => {
  if (Object.keys(fields).length === 0) return undefined;
  const of = new Map(module.kernels.map((k) => [k.name, orWhyNot(() => derive(k.name))] as const));
  const touched = (so: (kind: Effect['kind']) => boolean) =>
    new Map(module.kernels.map((k) => [k.name, touchedBy(k, layout, dialects, so)]));
  const loads = touched((kind) => kind === 'read');
  const own = new Set(Object.entries(fields).flat());
  const isPlain = (name: string): boolean => isFloat(layout.fields.get(name)!.field.type) && !own.has(name);
  const structural = new Map(module.kernels.map((k) => [k.name, structuralOf(k, layout, dialects)] as const));
  const found = [...of.values()].filter((d): d is D => 'kernel' in d);
  return {
    buffers: found.flatMap((d) => d.buffers),
    kernels: [...found.map((d) => d.kernel), clearGradients(clear, layout, Object.values(fields))],
    known: {
      of,
      fields,
      parameters: new Map(module.kernels.map((k) => [k.name, k.params.map((p, n) => p.hint ?? String(n))])),
      floats: new Map(
        module.kernels.map((k) => [
          k.name,
          {
            scalars: k.params.flatMap((p, n) => (isFloat(p.type) ? [p.hint ?? String(n)] : [])),
            lists: (signatures[k.name]?.launch ?? []).flatMap((p) =>
              p.is === 'array' && isFloat(p.type) ? [p.name] : [],
            ),
          },
        ]),
      ),
      arrays: new Map(
        Object.values(signatures).flatMap(({ launch }) =>
          launch.flatMap((p) => (p.is === 'array' ? [[p.buffer, p.name] as const] : [])),
        ),
      ),
      writes: touched((kind) => kind !== 'read'),
      loads,
      plain: new Map([...loads].map(([k, names]) => [k, names.filter(isPlain)])),
      structural,
      reshapes: new Set([...structural].flatMap(([k, { reshapes }]) => (reshapes ? [k] : []))),
      clear,
    },
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

/** The fields whose words a kernel's ops touch in a way: those that share a word with one are among them. */
const touchedBy = (
  { body }: Kernel,
  layout: Layout,
  dialects: readonly Dialect[],
  so: (kind: Effect['kind']) => boolean,
): readonly string[] => {
  const table = opTable([...coreDialects, fieldDialect(layout), derivative, ...dialects]);
  const found = new Set<string | undefined>();
  walk(body, (op) => {
    for (const e of table.get(op.name)!.effects(op)) if (so(e.kind)) found.add(e.buffer);
  });
  return [...layout.fields.values()]
    .filter(({ path }) => found.has(valueName(layout.nodes[path[path.length - 1]])))
    .map(({ field }) => field.name);
};

const orWhyNot = <D>(derive: () => D): D | Diagnostics => {
  try {
    return derive();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics;
    throw e;
  }
};
