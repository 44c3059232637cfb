import type { Sources } from '@filigree/backend';
import type { DeviceBuffer } from '@filigree/backend/device';
import { threadsOption } from '@filigree/backend/options';
import {
  fail,
  type Diagnostics,
  type Extension,
  type Module,
  checkOptions,
  option,
  type OptionSpec,
  readOnly,
  orThrow,
  type Nested,
} from '@filigree/ir';
import {
  instantiate,
  lifecycle,
  sharingSpec,
  type Instance,
  type Lifecycle,
  type SharingOptions,
} from '@filigree/runtime';
import {
  identifierOf,
  identifiersOf,
  lowerPlans,
  packTensor,
  unpackTensor,
  type Elements,
  type Flops,
  type Layout,
  type Plan,
  type TensorDecl,
  elementsOption,
} from '@filigree/tensor/einsum';
import { type GemmTarget, targetOption } from '@filigree/tensor/linalg';
import { backendSpec, type NamedBackend } from '../backends.js';
import type { NumericArray } from '../compiled-program.js';
import { isListOf } from './check-given.js';
import { warningsOf } from '../warnings-of.js';
import { tensorBackend, type GemmLibrary, type TensorBackend } from './target.js';

/** How tensor kernels are compiled. */
export interface TensorOptions extends SharingOptions {
  /** A name, or a backend of your own; default `cpp` where there is a C++ compiler, else `wasm`. */
  readonly backend?: NamedBackend | undefined;
  /** What is taken where that does not work here; by default that is an error. */
  readonly fallback?: NamedBackend | undefined;
  /** Those whose backends may be named; a backend that is named knows their ops. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Threads of a run that does not say otherwise, which divide the elements of kernels that run for many, and what is large in others; default 1. */
  readonly threads?: number | undefined;
  /** Folder for compiled artifacts, or `false` for none; default the user's cache folder. */
  readonly cache?: string | false | undefined;
  /** Lets the compiler reassociate and contract; default true. */
  readonly fastMath?: boolean | undefined;
  /** Which elements a kernel runs for when it is launched; default once. */
  readonly elements?: Elements | undefined;
  /** What micro-kernels are made for; default this machine. */
  readonly target?: GemmTarget | undefined;
  /**
   * What writes matrix products; default `own`, micro-kernels. With `libxsmm`, that library does those that it
   * supports, and the backend is `cpp`.
   */
  readonly gemm?: GemmLibrary | undefined;
}

/**
 * Kernels on tensors, with their memory. Views of it are valid until `dispose`, after which every method is
 * `tensor/disposed`.
 */
export interface TensorProgram {
  readonly kernels: Readonly<Record<string, TensorKernel>>;
  readonly tensors: Readonly<Record<string, TensorData>>;
  /** The element numbers of indexed tensors, by the name of their buffer. Error: `memory/apart` where the host does not see them. */
  readonly indices: Readonly<Record<string, Int32Array>>;
  /** Writes element numbers, from the first on, wherever they lie. Error: `tensor/indices`. */
  readonly setIndices: (by: string, numbers: ArrayLike<number>) => void;
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  readonly sources: Sources;
  /** The kernels before they were made legal for the backend. */
  readonly module: Module;
  readonly warnings: Diagnostics;
  /** Milliseconds. */
  readonly ms: { readonly plan: number; readonly generate: number; readonly compile: number };
  readonly dispose: () => void;
}

/** A compiled kernel. */
export interface TensorKernel {
  readonly plan: Plan;
  readonly flops: Flops;
  readonly run: (what?: TensorRun) => void;
  /**
   * The same off the main thread where the backend can, after all that was begun before; tensors must not be written until it
   * resolves, and their methods are `tensor/busy` so long.
   */
  readonly runAsync: (what?: TensorRun) => Promise<void>;
}

/** How a run is executed. */
export interface TensorRun {
  /** All scalars of the kernel. */
  readonly scalars?: Readonly<Record<string, number>>;
  /** The first element, and the one after the last; default all. For kernels that run for many elements. */
  readonly first?: number;
  readonly last?: number;
  /** The number of the element for tensors by name, default 0. For kernels that run for one element at a time. */
  readonly at?: Readonly<Record<string, number>>;
  readonly threads?: number;
}

/** A tensor's memory. */
export interface TensorData {
  readonly tensor: TensorDecl;
  readonly layout: Layout;
  /** Elements, one behind the other; each is stored as the layout says. */
  readonly elements: number;
  /** The memory itself. Error: `memory/apart` where the host does not see it. */
  readonly data: NumericArray;
  /** The same for programs that are to be bound to it: `{ bind: { x: tensor.buffer } }`. */
  readonly buffer: DeviceBuffer;
  /** Copies all entries, the first index fastest, or as lists of lists, `[[1, 2], [3, 4]]`. Errors: `tensor/length`, `tensor/values`, `tensor/outside-pattern`, `tensor/element`, `tensor/constant`. */
  readonly set: (entries: Nested<number>, element?: number) => void;
  /** All entries, the first index fastest. Error: `tensor/element`. */
  readonly get: (element?: number) => Float64Array;
}

/**
 * Takes plans all the way to memory: the kernels of one program, which share its tensors. Rejects with a `DiagnosticError`:
 * `tensor/plan`, and those of `compileTensors`.
 */
export const compilePlans = async (plans: readonly Plan[], given?: TensorOptions): Promise<TensorProgram> => {
  const options = checkOptions('compilePlans', given, tensorSpec);
  if (!isListOf(plans, 'tensors'))
    fail('tensor/plan', 'what is to be compiled is no list of plans', { remedy: 'give what planKernel() makes' });
  return tensorProgram(await buildFor(plans, await tensorBackend(options), options));
};

/** What all programs of tensors take. */
export const tensorSpec: OptionSpec<TensorOptions> = {
  ...backendSpec,
  threads: threadsOption,
  cache: option.or(false, option.text),
  fastMath: option.truth,
  elements: elementsOption,
  target: targetOption,
  gemm: option.choice('own', 'libxsmm'),
  ...sharingSpec,
};

/** Plans that are loaded, with all that was made on the way. */
export interface BuiltTensors {
  readonly plans: readonly Plan[];
  /** The kernels before they were made legal for the backend. */
  readonly module: Module;
  readonly instance: Instance;
  readonly elements: Elements;
  /** What compiling noted, and what options do nothing. */
  readonly warnings: Diagnostics;
  readonly lowerMs: number;
}

/** The same as `compilePlans` for a backend that was chosen before, up to what is loaded. */
export const buildFor = async (
  plans: readonly Plan[],
  { backend, target, keep }: TensorBackend,
  options: Omit<TensorOptions, 'backend' | 'target' | 'gemm'>,
): Promise<BuiltTensors> => {
  if (plans.length === 0) fail('tensor/kernel', 'a program of tensors needs a kernel', { remedy: 'give one or more' });
  const started = performance.now();
  const elements = options.elements ?? { kind: 'one' };
  const { team } = backend.capabilities;
  const room = team && { team: { sharedBytes: team.sharedBytes } };
  const how = { elements, target, divides: true, ...(keep && { keep }), ...room };
  const module = orThrow(lowerPlans(plans, how, backend.watch));
  const lowered = performance.now();
  const { threads, cache, fastMath, memory, bind, session } = options;
  const instance = orThrow(
    await instantiate(module, backend, {
      threads: threads ?? 1,
      ...(cache === undefined ? {} : { cache }),
      ...(fastMath === undefined ? {} : { fastMath }),
      ...(memory && { memory }),
      ...(bind && { bind }),
      ...(session && { session }),
    })(),
  );
  const warnings = warningsOf(instance, { threads, backend, what: 'what the kernels compute' });
  return { plans, module, instance, elements, warnings, lowerMs: lowered - started };
};

/** What is loaded as a program of tensors. */
export const tensorProgram = ({
  plans,
  module,
  instance,
  elements,
  warnings,
  lowerMs,
}: BuiltTensors): TensorProgram => {
  const life = lifecycle({ codes: 'tensor', what: 'the kernels were', again: 'compile them again' }, instance.dispose);
  const names = identifiersOf(plans.map((p) => p.name));
  const all = new Map(plans.flatMap((p) => p.tensors.map((t) => [t.tensor.name, t] as const)));
  const identifiers = identifiersOf([...all.keys()]);
  const placed = 'placed' in elements ? elements.placed : undefined;
  const bufferOf = (tensor: string): string => placed?.[tensor]?.buffer ?? identifiers.get(tensor)!;
  const constant = new Set(module.buffers.filter((b) => b.role === 'const').map((b) => b.name));
  /* Of what stores nothing its buffer does not tell. */
  const elementsOf = (tensor: string, size: number): number =>
    size > 0
      ? instance.buffer(bufferOf(tensor)).length / size
      : elements.kind === 'one' || placed?.[tensor]?.kind === 'shared'
        ? 1
        : elements.count;
  const indexBuffers = new Set(
    Object.values(placed ?? {}).flatMap((p) =>
      p.kind === 'indexed' && Object.hasOwn(instance.buffers, p.by) ? [p.by] : [],
    ),
  );
  const program: TensorProgram = {
    kernels: Object.fromEntries(
      plans.map((plan) => [plan.name, kernelOf(plan, names.get(plan.name)!, module, instance, elements, life)]),
    ),
    tensors: readOnly(
      Object.fromEntries(
        [...all.values()].map(({ tensor, layout }) => {
          const buffer = bufferOf(tensor.name);
          return [
            tensor.name,
            tensorData(
              tensor,
              layout,
              elementsOf(tensor.name, layout.size),
              instance.buffer(buffer),
              constant.has(buffer),
              life,
              instance.waits === true,
            ),
          ];
        }),
      ),
      'tensors are the memory of the program',
      (name) => `write tensors['${name}'].set(entries)`,
    ),
    indices: Object.defineProperties(
      {} as Record<string, Int32Array>,
      Object.fromEntries([...indexBuffers].map((by) => [by, viewOf(instance.buffer(by))])),
    ),
    setIndices: (by, numbers) => {
      life.ready();
      if (!indexBuffers.has(by))
        fail('tensor/indices', `no tensor is indexed by '${by}'`, {
          remedy: `use one of ${[...indexBuffers].join(', ') || 'those of placed tensors'}`,
        });
      instance.buffer(by).write(Int32Array.from(numbers));
    },
    backend: instance.backend,
    dtype: plans[0]!.type,
    sources: instance.sources,
    module,
    warnings,
    ms: { plan: 0, generate: lowerMs + instance.ms.emit, compile: instance.ms.compile + instance.ms.load },
    dispose: life.dispose,
  };
  return readOnlyProgram(program);
};

/** A program of tensors, which refuses to be assigned to. */
export const readOnlyProgram = <P extends object>(program: P): P =>
  readOnly(program, 'a program is what it was compiled to be', () => 'compile another, or set its tensors');

const kernelOf = (
  plan: Plan,
  name: string,
  module: Module,
  instance: Instance,
  elements: Elements,
  life: Lifecycle,
): TensorKernel => {
  const hints = module.kernels.find((k) => k.name === name)!.params.map((p) => p.hint!);
  const numbered = elements.kind === 'at' ? plan.tensors.map((t) => t.tensor.name) : [];
  const count = elements.kind === 'one' ? 1 : elements.count;
  const within = (what: string, n: number, most: number): number =>
    Number.isInteger(n) && n >= 0 && n <= most
      ? n
      : fail('tensor/element', `${what} is ${n}, there are ${count} elements`, {
          remedy: `give a whole number from 0 to ${most}`,
        });
  const places = numbered.filter((t) => hints.includes(`at_${identifierOf(t)}`));
  const argumentsOf = ({ scalars = {}, at = {}, first = 0, last = count }: TensorRun): readonly number[] => {
    refuseOthers(scalars, plan.scalars);
    refuseOthers(at, numbered);
    const args = elements.kind === 'many' ? [within('first', first, count), within('last', last, count)] : [];
    for (const t of places) args.push(within(`the number of ${t}`, at[t] ?? 0, count - 1));
    for (const s of plan.scalars)
      args.push(
        scalars[s] ??
          fail('tensor/argument', `the kernel ${plan.name} needs the scalar '${s}'`, {
            remedy: `run({ scalars: { ${s}: … } })`,
          }),
      );
    return args;
  };
  const refuseOthers = (given: Readonly<Record<string, unknown>>, known: readonly string[]): void => {
    for (const name of Object.keys(given))
      if (!known.includes(name))
        fail('tensor/argument', `the kernel ${plan.name} takes no '${name}'`, {
          remedy: `it takes ${hints.join(', ') || 'nothing'}`,
        });
  };
  /* What a run takes of which nothing is said: launches of small kernels would be slower for finding it anew. */
  const unsaid = plan.scalars.length === 0 ? argumentsOf({}) : undefined;
  const threads = (run: TensorRun): { threads?: number } => (run.threads === undefined ? {} : { threads: run.threads });
  return {
    plan,
    flops: plan.flops,
    run: (given) => {
      life.ready();
      if (given === undefined && unsaid) return instance.launch(name, unsaid);
      const run = checkOptions('run', given, runSpec);
      instance.launch(name, argumentsOf(run), threads(run));
    },
    runAsync: async (given) => {
      const run = checkOptions('runAsync', given, runSpec);
      const args = argumentsOf(run);
      await life.background(() => instance.launchAsync(name, args, threads(run)));
    },
  };
};

const runSpec: OptionSpec<TensorRun> = {
  scalars: option.record(option.number()),
  first: option.anything,
  last: option.anything,
  at: option.record(option.anything),
  threads: threadsOption,
};

const isMapped = ({ block }: DeviceBuffer): boolean => block.memory.mapped;

/** A property that is a view, or says that there is none. */
const viewOf = (buffer: DeviceBuffer): PropertyDescriptor =>
  isMapped(buffer) ? { enumerable: true, value: buffer.view() } : { enumerable: true, get: buffer.view };

const tensorData = (
  tensor: TensorDecl,
  layout: Layout,
  elements: number,
  buffer: DeviceBuffer,
  constant: boolean,
  life: Lifecycle,
  waits: boolean,
): TensorData => {
  const placeOf = (element: number): number =>
    Number.isInteger(element) && element >= 0 && element < elements
      ? element * layout.size
      : fail('tensor/element', `${tensor.name} has no element ${element}`, {
          remedy: `give a number from 0 to ${elements - 1}`,
        });
  /* Who holds a view is not seen looking. */
  const mapped = isMapped(buffer) && !waits ? (buffer.view() as NumericArray) : undefined;
  const contents = (): NumericArray => mapped ?? (buffer.read() as NumericArray);
  const memory: TensorData = {
    tensor,
    layout,
    elements,
    get data() {
      return mapped ?? (buffer.view() as NumericArray);
    },
    buffer,
    set: (entries, element = 0) => {
      life.ready();
      if (constant)
        fail('tensor/constant', `the values of ${tensor.name} were given when its kernels were compiled`, {
          remedy: 'declare it without values to set them at run time',
        });
      const data = contents();
      packTensor(tensor, layout, entries, data, placeOf(element));
      if (!mapped) buffer.write(data);
    },
    get: (element = 0) => {
      life.ready();
      return unpackTensor(tensor, layout, contents(), placeOf(element));
    },
  };
  return readOnly(
    memory,
    `the memory of ${tensor.name} stays where it is`,
    () => 'write set(entries), or change data: data.set(…)',
  );
};
