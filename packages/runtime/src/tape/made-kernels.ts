import { clearGradients, type Adjoint } from '@filigree/autodiff';
import {
  coreDialects,
  derivative,
  DiagnosticError,
  isFloat,
  opTable,
  walk,
  type Diagnostics,
  type Dialect,
  type Effect,
  type Kernel,
  type Module,
} from '@filigree/ir';
import type { KernelSignature, Shown } from '@filigree/lang/kernels';
import { fieldDialect, valueName, type Layout } from '@filigree/sparse/fields';
import type { DerivativeKernels } from './derivative-kernels.js';
import { structuralOf } from './structural.js';

/** A module whose kernels are differentiated. */
export interface Setting {
  readonly module: Module;
  readonly layout: Layout;
  readonly signatures: Readonly<Record<string, KernelSignature>>;
  readonly dialects: readonly Dialect[];
  /** Shows the places that ops of a kernel name. */
  readonly shown: (kernel: string) => Shown;
}

/** What is added to a module, and what is known of it. */
export interface Made<K> {
  readonly buffers: Module['buffers'];
  readonly kernels: readonly Kernel[];
  readonly known: K;
}

/** Derivatives of all kernels. */
export const madeKernels = <D extends Pick<Adjoint, 'kernel' | 'buffers'> & Pick<Adjoint, 'first'>>(
  { module, layout, signatures, dialects, shown }: Setting,
  fields: Readonly<Record<string, string>>,
  clear: string,
  derive: (name: string) => D,
): Made<DerivativeKernels<D>> | undefined => {
  if (Object.keys(fields).length === 0) return undefined;
  const of = new Map(module.kernels.map((k) => [k.name, orWhyNot(() => derive(k.name))] as const));
  const touched = (so: (kind: Effect['kind']) => boolean) =>
    new Map(module.kernels.map((k) => [k.name, touchedBy(k, layout, dialects, so)]));
  const loads = touched((kind) => kind === 'read');
  const own = new Set(Object.entries(fields).flat());
  const isPlain = (name: string): boolean => isFloat(layout.fields.get(name)!.field.type) && !own.has(name);
  const structural = new Map(module.kernels.map((k) => [k.name, structuralOf(k, layout, dialects)] as const));
  const found = [...of.values()].filter((d): d is D => 'kernel' in d);
  const all = Object.values(fields);
  const firsts = found.flatMap((d) => d.first ?? []);
  /* Where some are set by whoever comes first, the others are cleared, those of one array at once. */
  const sets = new Set(firsts.flatMap((first) => first.sets));
  const arrays = new Map<number, string[]>();
  for (const field of sets) {
    const node = layout.fields.get(field)!.path.at(-2)!;
    arrays.set(node, [...(arrays.get(node) ?? []), field]);
  }
  const clearOf = [...arrays.values()].map((of) => [clearGradients(`${clear}_of_${of[0]}`, layout, of), of] as const);
  const others = all.filter((field) => !sets.has(field));
  const clearOthers =
    sets.size > 0 && others.length > 0 ? clearGradients(`${clear}_of_others`, layout, others) : undefined;
  return {
    buffers: found.flatMap((d) => d.buffers),
    kernels: [
      ...found.map((d) => d.kernel),
      ...firsts.map(({ kernel }) => kernel),
      clearGradients(clear, layout, all),
      ...clearOf.map(([kernel]) => kernel),
      ...(clearOthers ? [clearOthers] : []),
    ],
    known: {
      of,
      shown,
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
      clearOf: new Map(clearOf.map(([{ name }, of]) => [name, of])),
      clearOthers: clearOthers?.name,
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
