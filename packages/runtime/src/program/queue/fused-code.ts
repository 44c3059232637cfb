import type { Backend, Commands } from '@filigree/backend';
import type { Bindings, DeviceBuffer, Placement } from '@filigree/backend/device';
import {
  DiagnosticError,
  opTable,
  walk,
  type Buffer,
  type Diagnostics,
  type Json,
  type Kernel,
  type Module,
  type Scalar,
} from '@filigree/ir';
import { hashKernel } from '@filigree/ir/hash';
import { kernelOf, type Graph, type NodeArgument } from '@filigree/sched';
import { sitesOf, type Site } from '@filigree/sparse/fields';
import { taskKind, type CutKernels, type TaskKind, type TaskSetting } from '@filigree/sparse/tasks';
import type { CodeJob, CodeMade } from '../../away/code-job.js';
import type { BankEntry } from '../../bank/banked.js';
import type { modulesOf, Skeletons } from '../../bank/skeleton.js';
import { withKept } from '../../bank/with-kept.js';
import {
  instantiateBanked,
  instantiateReady,
  isGone,
  placeOf,
  reserved,
  type Instance,
  type InstantiateOptions,
  type Ready,
} from '../../instantiate.js';

/** A graph as code in the memory of its program. */
export interface FusedCode {
  /**
   * Runs it, with the arguments of each launch of the window; calls `after` when a stretch has run, and `stopped` with the number of the launch
   * where one that may fail has thrown.
   */
  readonly run: (
    window: Arguments,
    after: (stretch: Stretch) => void,
    stopped: (launch: number, cause: unknown) => never,
  ) => void;
  /** The places in the program that its code reports by number. */
  readonly sites: readonly Site[];
  /** Kernels of which it is made, and whether another process had left them compiled. */
  readonly kernels: number;
  readonly kept: boolean;
  /** What did not go as well as it should, such as a cache folder that cannot be written. */
  readonly warnings: Diagnostics;
  readonly dispose: () => void;
}

/** The arguments of launches, those of one from its start on. */
export interface Arguments {
  readonly args: readonly Scalar[];
  readonly starts: ArrayLike<number>;
}

/** Nodes that are launched by one native call: one that may fail, or several that cannot. */
export interface Stretch {
  /** The number of the launch that a failure belongs to. */
  readonly fails: number | undefined;
  readonly nodes: { readonly length: number };
  /** Of these so many of each kind. */
  readonly kinds: Readonly<Record<TaskKind, number>>;
}

/** What is lowered for a plan. */
export type FusedModule = Pick<Module, 'kernels' | 'buffers'>;

/** What code is made with. */
export interface CodeSetting {
  /** The tasks of all kernels that may be launched. */
  readonly cut: CutKernels;
  readonly backend: Backend;
  /** The buffers of the memory that it works on, by name; nothing where none is there. */
  readonly bufferOf: (name: string) => DeviceBuffer | undefined;
}

/** How code is made. */
export interface Making {
  /** From kernels on fields to kernels on memory. */
  readonly lower: (module: FusedModule) => Module;
  /** Where what a module becomes is kept, and how another thread makes it; nothing where that takes more than data. */
  readonly elsewhere?: ((module: FusedModule) => Elsewhere) | undefined;
  readonly options: InstantiateOptions;
}

/** Where the code of a module is found and made elsewhere. */
export interface Elsewhere {
  readonly entry: BankEntry | undefined;
  readonly job: CodeJob | undefined;
  /** The modules that another thread tells of. */
  readonly modulesOf: typeof modulesOf;
}

/** Code that is to be made for a graph. */
export interface WantedCode {
  /** Ops of all its kernels. */
  readonly ops: number;
  /** What was made by another process, loaded at once; nothing where there is none. */
  readonly kept: () => FusedCode | undefined;
  /** Lowers and compiles it in this thread. Throws `DiagnosticError`. */
  readonly here: () => Promise<FusedCode>;
  /** For another thread; it asks for the place where code knows its place, and what it made is loaded there. */
  readonly job: CodeJob | undefined;
  readonly place: (lowered: Skeletons) => Json | undefined;
  readonly of: (made: CodeMade) => FusedCode;
  /** Nobody makes it any more: its place is free. */
  readonly leave: () => void;
}

/** The nodes of a graph as code, those of equal code once. */
export const wantedCode = (graph: Graph, setting: CodeSetting, making: Making): WantedCode => {
  const { kernels, stretches } = kernelsOf(graph);
  const { backend } = setting;
  const { options } = making;
  const fused = { kernels, buffers: usedBy(kernels, setting.cut.setting) };
  const lower = (): Module => making.lower(fused);
  const elsewhere = making.elsewhere?.(fused);
  const { entry, job } = elsewhere ?? {};
  const told = (of: Skeletons): ReturnType<typeof modulesOf> => elsewhere!.modulesOf(of, lower, backend);
  const optionsFor = (lowered: Module): InstantiateOptions => ({
    ...options,
    bind: boundTo(setting.bufferOf, lowered),
  });
  const ready = (of: Ready, place = reserved(of, backend, optionsFor(of.lowered))): FusedCode =>
    codeOf(stretches, kernels.length, instantiateReady(of, backend, options, place));
  const taken: { place?: Placement | undefined } = {};
  const take = (): Placement | undefined => {
    const { place } = taken;
    taken.place = undefined;
    return place;
  };
  return {
    ops: kernels.reduce((sum, k) => sum + opsOf(k), 0),
    kept: () => {
      const kept = backend.loadNow && entry?.read(lower);
      if (!kept) return undefined;
      try {
        return ready({ ...kept, artifact: entry!.artifact, warnings: entry!.warnings, keptBy: 'module' });
      } catch (e) {
        if (e instanceof DiagnosticError && isGone(e.diagnostics)) return undefined;
        throw e;
      }
    },
    here: async () => {
      const made = await withKept(entry, lower, (kept) => {
        const lowered = kept?.lowered ?? lower();
        return instantiateBanked(lowered, backend, optionsFor(lowered), entry && { entry, kept, by: 'module' })();
      });
      return codeOf(stretches, kernels.length, made);
    },
    job: backend.loadNow && job,
    place: (lowered) => {
      const of = told(lowered);
      taken.place = reserved(of, backend, optionsFor(of.lowered));
      return placeOf(backend, taken.place);
    },
    of: (made) => ready({ ...told(made), artifact: () => made.artifact, warnings: made.warnings }, take()),
    leave: () => take()?.release(),
  };
};

/** The kernels of a graph, and in which stretches they are launched. */
const kernelsOf = (graph: Graph): { readonly kernels: readonly Kernel[]; readonly stretches: readonly Launches[] } => {
  const names = new Map<string, string>();
  const kernels: Kernel[] = [];
  const stretches: Launches[] = [];
  for (const node of graph.nodes) {
    const { kernel, args: from } = kernelOf(node, 'task');
    const hash = hashKernel(kernel);
    const name = names.get(hash) ?? `task_${kernels.length}`;
    if (!names.has(hash)) kernels.push({ ...kernel, name });
    names.set(hash, name);
    const fails = node.mayFail ? node.parts[0].launch : undefined;
    const launched = { kernel: name, from, args: new Array<Scalar>(from.length).fill(0), fresh: false };
    const last = stretches.at(-1);
    const kind = taskKind(node.parts[0].task);
    if (last && last.fails === undefined && fails === undefined) {
      last.nodes.push(launched);
      last.kinds[kind]++;
    } else stretches.push({ fails, nodes: [launched], kinds: { loops: 0, serial: 0, lists: 0, [kind]: 1 } });
  }
  return { kernels, stretches };
};

/** A stretch whose launches are put together when it first runs. */
type Launches = Stretch & {
  readonly nodes: Launched[];
  readonly kinds: Record<TaskKind, number>;
  commands?: Commands;
};

const codeOf = (stretches: readonly Launches[], kernels: number, made: Instance): FusedCode => ({
  run: ({ args, starts }, after, stopped) => {
    for (const stretch of stretches) {
      const { nodes, commands } = stretch;
      for (let k = 0; k < nodes.length; k++) {
        const node = nodes[k];
        const { from, args: before } = node;
        for (let a = 0; a < from.length; a++) {
          const value = args[starts[from[a].launch] + from[a].argument];
          if (Object.is(before[a], value)) continue;
          before[a] = value;
          node.fresh = true;
        }
        if (!node.fresh || !commands) continue;
        commands.set(k, before);
        node.fresh = false;
      }
      stretch.commands ??= made.commands(nodes.map(({ kernel, args }) => ({ kernel, args })));
      try {
        stretch.commands.run();
      } catch (e) {
        if (stretch.fails === undefined) throw e;
        stopped(stretch.fails, e);
      }
      after(stretch);
    }
  },
  sites: sitesOf(made.given),
  kernels,
  kept: made.kept,
  warnings: made.artifact.warnings ?? [],
  dispose: made.dispose,
});

/** A kernel of the code, and where its arguments come from. */
interface Launched {
  readonly kernel: string;
  readonly from: readonly NodeArgument[];
  readonly args: Scalar[];
  /** Whether these are others than the command has. */
  fresh: boolean;
}

const opsOf = ({ body }: Kernel): number => {
  let ops = 0;
  walk(body, () => void ops++);
  return ops;
};

/** The buffers that ops name. What one kernel leaves in a temporary one another reads, though each is lowered by itself. */
const usedBy = (kernels: readonly Kernel[], { buffers, dialects }: TaskSetting): readonly Buffer[] => {
  const table = opTable(dialects);
  const users = new Map<string, Set<Kernel>>();
  for (const kernel of kernels)
    walk(kernel.body, (op) => {
      for (const { buffer } of table.get(op.name)?.effects(op) ?? [])
        if (buffer !== undefined) users.set(buffer, (users.get(buffer) ?? new Set()).add(kernel));
    });
  return buffers.flatMap((b): Buffer[] => {
    const by = users.get(b.name)?.size ?? 0;
    if (by === 0) return [];
    return [b.role === 'temp' && by > 1 ? { ...b, role: 'inout' } : b];
  });
};

/** The buffers that lie in the memory that it works on: all but constants, and what tasks leave for each other. */
const boundTo = (bufferOf: CodeSetting['bufferOf'], { buffers }: Module): Bindings =>
  Object.fromEntries(
    buffers.flatMap((b) => {
      const there = isPlaced(b.role) ? bufferOf(b.name) : undefined;
      return there ? [[b.name, there]] : [];
    }),
  );

/** Whether buffers of a role have a place that others may share. */
export const isPlaced = (role: Buffer['role']): boolean => role !== 'const' && role !== 'scratch';
