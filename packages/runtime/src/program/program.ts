import { hasBearing, type Backend } from '@filigree/backend';
import { backendOption, compileSpec } from '@filigree/backend/options';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import {
  attempt,
  byteSize,
  combined,
  fail,
  type Diagnostic,
  type Diagnostics,
  type Extension,
  type Json,
  type Kernel,
  type Module,
  type Pass,
  checkOptions,
  option,
  type OptionKind,
  type OptionSpec,
  readOnly,
  orThrow,
  once,
} from '@filigree/ir';
import {
  lowerKernels,
  shownIn,
  type Shown,
  withFrontEnd,
  type KernelDef,
  type KernelSignature,
  type LaunchArgs,
  type LaunchResult,
} from '@filigree/lang/kernels';
import {
  fieldDialects,
  memoryFor,
  storageOf,
  type AnyField,
  type FieldDecl,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { boxLoops } from '@filigree/sparse/lowering';
import { loadAhead, loadKeeping } from '#kept';
import type { HostFieldOf } from '../fields/host-field.js';
import { withKept } from '../bank/with-kept.js';
import { notesOnThreads } from '../notes-on-threads.js';
import { openMemory } from '../sharing.js';
import { fieldPasses, hasBits, pipelineSpec, type FieldPipelineOptions } from './field-passes.js';
import { fieldProgram, fieldProgramSpec, type FieldProgram, type FieldProgramOptions } from './field-program.js';
import { upTo, type FastMath } from './queue/freedom.js';
import { queueOption, type QueueOptions } from './queue/queue-options.js';
import type { QueuedLowering } from './queue/queue-source.js';
import type { DerivedKernels } from '../tape/with-derivatives.js';
import type { Asked } from '../tape/differentiated-fields.js';
import type { Told } from './keeping.js';
import { loadAllLowering, withLowering } from './load-lowering.js';
import { only } from './only.js';
import { readOnlyFields } from './running.js';
import { buffersWritten } from './written.js';
import type { Launchable } from './launcher.js';
import { layoutOver } from './shared-layout.js';

/** Kernels by the name of their launch; those of a list run one after the other. */
export type Kernels = Readonly<Record<string, KernelDef | readonly KernelDef[]>>;

/** Fields by name. */
export type Fields = Readonly<Record<string, AnyField>>;

/** A layout, kernels for its fields, and how they are compiled. */
export interface ProgramOptions<K extends Kernels = Kernels, F extends Fields = Fields>
  extends
    Omit<FieldProgramOptions, 'fastMath' | 'adjoints' | 'tangents' | 'second' | 'reporting' | 'checked'>,
    FieldPipelineOptions {
  /** The layout of all fields. */
  readonly layout: Layout;
  /** Those whose words the kernels say; the backend is to know them too, and so is a `pipeline` of one's own. */
  readonly extensions?: readonly Extension[];
  /** Kernels by the name of their launch. */
  readonly kernels: K;
  /** The fields that `Program.fields` has, by the names given here; default all scalar fields of the layout. */
  readonly fields?: F;
  /** Bytes for cells that are allocated one by one, where the layout does not say how many; 1 GiB. */
  readonly budget?: number;
  /**
   * Whether launches wait until someone looks, and are then planned and run together: `true`, or how (thesis §4.5). Kernels that
   * return a number, and the host's accesses to fields, run what waits. With `debug`, `losses`, `tangents` or `hessianProducts` nothing waits. Default false.
   */
  readonly queue?: boolean | QueueOptions;
  /**
   * The fields that `valueAndGradient` is to differentiate, `true` for all fields of floats: their adjoints are placed beside them
   * unless the layout has them (`adjointField`), and adjoints of all kernels are compiled. Fields that are left out are
   * constants. Errors: `adjoint/…`.
   */
  readonly differentiate?: Asked;
  /**
   * The fields that `valueAndTangent` is to differentiate, in forward mode, likewise: their tangents are placed beside them (`tangentField`), and all kernels
   * are compiled a second time, with tangents.
   */
  readonly tangents?: Asked;
  /**
   * The fields that `hessianProduct` is to differentiate twice, likewise: they have tangents, which `valueAndTangent` can be asked for, and both have adjoints; all
   * kernels are compiled with tangents, and the adjoints of these.
   */
  readonly hessianProducts?: Asked;
  /**
   * Passes from kernels on fields to kernels on memory, in place of `fieldPipeline`, which takes the same two things: where fields lie, and what the
   * passes are told of the backend and by the options of this program.
   */
  readonly pipeline?: (storage: Storage, options: FieldPipelineOptions) => Pass<Module>;
}

/** Fields and kernels that run on them, with the types of both. */
export interface Program<K extends Kernels = Kernels, F extends Fields = Fields> extends Omit<
  FieldProgram,
  'run' | 'launch' | 'fields'
> {
  readonly fields: { readonly [N in keyof F]: HostFieldOf<F[N]> };
  /**
   * Launches kernels and waits for them: `run.diffuse(0.1)`. Arrays are copied in, and out again where they are written.
   * Gives what the kernel returns (of several the last that returns something), truth values as 0 and 1, of vectors a list, of
   * matrices a list of rows and of objects their numbers; undefined if nothing.
   */
  readonly run: { readonly [N in keyof K]: (...args: LaunchArgsOf<K[N]>) => LaunchResultOf<K[N]> };
  /** As `run`, without blocking where the backend can. Launches run in the order in which they are made. */
  readonly launch: { readonly [N in keyof K]: (...args: LaunchArgsOf<K[N]>) => Promise<LaunchResultOf<K[N]>> };
  /** What may go wrong, such as iterations of a parallel loop that write one element, and what compiling noted. */
  readonly warnings: Diagnostics;
}

/** What a launch gives back; of a list of kernels what one of them does. */
export type LaunchResultOf<D> =
  D extends KernelDef<infer _, infer R>
    ? LaunchResult<R>
    : D extends readonly KernelDef<infer _, infer R>[]
      ? LaunchResult<R>
      : number;

/** The arguments of a launch. A list of kernels takes them by name, in the order in which the names first appear. */
export type LaunchArgsOf<D> = D extends KernelDef<infer A, infer _, infer P> ? LaunchArgs<A, P> : readonly unknown[];

/**
 * Compiles kernels for the fields of a layout, and gives the fields memory. Errors: `lang/…`, `layout/too-large`, `access/…`
 * and what the backend says.
 */
export const program =
  <const K extends Kernels, F extends Fields = Readonly<Record<string, FieldDecl>>>(
    given: ProgramOptions<K, F>,
  ): TaskEither<Diagnostics, Program<K, F>> =>
  async () => {
    const made = await madeOf(given)();
    /* The front end shows places itself; passes and backends know those of ops alone. */
    const inSource = (d: Diagnostic): Diagnostic =>
      d.loc && d.frame === undefined ? { ...d, ...shownAmong(namesOf(given.kernels).definitions)(d.loc) } : d;
    return E.isLeft(made) ? E.left(made.left.map(inSource)) : made;
  };

const madeOf = <const K extends Kernels, F extends Fields>(
  given: ProgramOptions<K, F>,
): TaskEither<Diagnostics, Program<K, F>> =>
  attempt(async () => {
    const checked = checkOptions('program', given, programSpec as OptionSpec<ProgramOptions<K, F>>);
    /* Launches of a program take no other number of threads than that of the program. */
    const options = { oneThread: (checked.threads ?? 1) === 1, ...checked };
    const { layout: plain, fields } = options;
    if (!Array.isArray(plain?.nodes))
      fail('program/layout', 'the program has no layout', { remedy: 'give what layout() makes of its branches' });
    if (typeof options.kernels !== 'object' || options.kernels === null)
      fail('program/kernel', 'the program has no kernels', { remedy: 'give them by name: { kernels: { step } }' });
    const named = namesOf(options.kernels);
    /* What not every program needs is loaded when one does: pages load the rest only. */
    const derived = asksForDerivatives(options) ? await import('../tape/derived.js') : undefined;
    const asked = derived?.withCompanions(plain, options, options.debug === true);
    const placed = options.over
      ? layoutOver(options.over.storage.layout, asked?.layout ?? plain)
      : (asked?.layout ?? plain);
    const companions = asked && { ...asked, layout: placed };
    const bits = hasBits(placed, options) ? await import('@filigree/quant/passes') : undefined;
    const front = once((): FrontEnd => {
      const { module, signatures } = lowered(named, placed, options);
      return derived && companions
        ? {
            signatures,
            ...derived.withDerivatives(
              options.backend?.capabilities.grain === undefined ? orThrow(boxLoops(placed).run(module)) : module,
              companions,
              signatures,
              (kernel) => shownIn({ ...named.definitions.get(kernel)!, name: kernel }),
              options.extensions,
              waits(options),
              options.over !== undefined,
            ),
          }
        : { signatures, module };
    });
    const keeper = isBankable(options) ? await loadKeeping() : undefined;
    const keeping = keeper?.isToldByText(placed) === true ? keeper : undefined;
    const texts =
      keeping && !looksIntoKernels(options) ? await keeping.textsOf(options, named.definitions, placed) : undefined;
    const found = texts?.read();
    const known = found && keeping?.isTold(found.told) ? found.told : undefined;
    if (!known) orThrow(await withLowering(attempt(() => withFrontEnd(() => front().module))));
    /* Kernels that are differentiated may have fields of their own. */
    const layout = known ? placed : (front().layout ?? placed);
    const storage = options.over
      ? storageOver(options.over, layout, front().module)
      : storageOf(layout, {
          memory: known?.memory ?? memoryFor(front().module),
          ...(options.budget === undefined ? {} : { budget: options.budget }),
          together: options.backend?.capabilities.grain?.hands === 1,
        });
    const backend =
      options.backend ??
      fail('runtime/backend', 'the program has no backend', { remedy: `give ${backendOption.wanted}` });
    const pipeline: FieldPipelineOptions = {
      extensions: options.extensions ?? [],
      fma: backend.capabilities.fma ?? false,
      gathers: backend.capabilities.gathers ?? 0,
      laneFunctions: backend.capabilities.laneFunctions ?? false,
      ...(backend.capabilities.vectors && { vectorBytes: backend.capabilities.vectors.vectorBytes }),
      fences: backend.capabilities.weakMemory ?? false,
      ...grainOf(backend),
      ...only(options, pipelineSpec),
      /* What launches that wait leave for each other has a memory of its own, of which nobody knows how much is taken. */
      ...(waits(options) && { threads: 1 }),
    };
    /* What needs it for sure is not lowered in vain. */
    if (bits) await loadAllLowering();
    /* Made where they run: a program that was lowered before needs none. */
    const passes = once(() => fieldPasses(storage, pipeline, bits));
    const own = once(() => options.pipeline?.(storage, pipeline));
    /* Pages have no compiler that could begin. */
    const ahead = backend.ahead ? await loadAhead() : undefined;
    const one = options.pipeline !== undefined || ahead === undefined;
    const mostFree = options.fastMath ?? true;
    const loweringOf = (freedom: FastMath): QueuedLowering => {
      const fastMath = freedom === true;
      const lowering = { ...pipeline, fastMath };
      const passes = once(() => fieldPasses(storage, lowering, bits));
      return {
        lower: (module) => orThrow(one ? (own() ?? passes()).run(module) : ahead.lowerAgain(module, passes(), backend)),
        elsewhere: keeping
          ? {
              backend,
              options: { ...only(options, compileSpec), fastMath: freedom },
              parts: keeping.partsOf({ ...options, backend, fastMath }),
              lowered: keeping.isData(layout)
                ? { memory: storage.memory, budget: options.budget, pipeline: { ...lowering, extensions: [] } }
                : undefined,
            }
          : undefined,
      };
    };
    const queue = waits(options)
      ? await (
          await import('./queue/queue-source.js')
        ).queueSource({
          queue: options.queue,
          extensions: options.extensions,
          module: front().module,
          storage,
          levels: options.session ? upTo(mostFree) : [mostFree],
          loweringOf,
        })
      : undefined;
    const inOne = (): E.Either<Diagnostics, Module> => (own() ?? passes()).run(front().module, backend.watch);
    const entry = known ? found!.entry : await keeping?.entryOf({ ...options, backend }, front().module);
    const made = await withKept(
      entry,
      () => orThrow(one ? inOne() : ahead.lowerAgain(front().module, passes(), backend)),
      async (kept) => {
        const { signatures } = kept && known ? known : front();
        const lowered =
          kept?.lowered ??
          orThrow(
            await withLowering(async () =>
              one ? inOne() : ahead.lowerAhead(front().module, passes(), backend, only(options, compileSpec)),
            ),
          );
        const launchable = launchables(lowered.kernels, signatures, named.definitions, kept?.writes);
        const { adjoints, tangents, second } = kept && known ? NO_DERIVATIVES : front();
        return fieldProgram(
          storage,
          lowered,
          Object.fromEntries([...named.launches].map(([launch, kernels]) => [launch, kernels.map(launchable)])),
          {
            ...only(options, fieldProgramSpec),
            ...(queue && (await roomFor(lowered, options))),
            backend,
            ...(adjoints && { adjoints }),
            ...(tangents && { tangents }),
            ...(second && { second }),
            reporting: mayReport(storage, options),
            checked: options.debug === true,
          },
          queue,
          entry && { entry, kept, by: known ? 'texts' : 'module' },
        )();
      },
    );
    const shown = shownAmong(named.definitions);
    const inSource = (notes: Diagnostics): Diagnostics => notes.map((d) => ({ ...d, ...(d.loc && shown(d.loc)) }));
    const said = known?.said ?? [
      ...inSource(
        notesOnThreads(front().module, {
          threads: options.threads,
          backend,
          dialects: [...new Set([...fieldDialects(layout), ...(combined(options.extensions ?? []).dialects ?? [])])],
          remedy: 'loops over range, ndrange and active are divided where no other loop stands around them',
        }),
      ),
      ...Object.values(front().signatures).flatMap((s) => s.warnings),
      ...(options.quant?.words === false || options.pipeline
        ? []
        : inSource(bits?.notesOnBits(front().module, layout) ?? [])),
    ];
    if (texts && entry && !known && said.every(({ loc }) => loc && texts.files.has(loc.file)) && texts.isSure()) {
      const told: Told = { signatures: front().signatures, memory: storage.memory, said };
      await texts.write(entry, told as unknown as Json);
    }
    const all = {
      ...made,
      fields: fields
        ? readOnlyFields(Object.fromEntries(Object.entries(fields).map(([name, f]) => [name, made.field(f)])))
        : made.fields,
      warnings: [...said, ...(made.instance.artifact.warnings ?? [])],
    };
    return readOnly(all, 'a program is what it was made to be', () => 'make another') as unknown as Program<K, F>;
  });

/** What the front end makes of the kernels of a program. */
interface FrontEnd extends DerivedKernels {
  readonly signatures: Readonly<Record<string, KernelSignature>>;
}

const lowered = ({ definitions }: Names, layout: Layout, options: ProgramOptions): FrontEnd =>
  orThrow(
    lowerKernels(Object.fromEntries(definitions), layout, 'kernels', options.extensions, {
      derivatives: asksForDerivatives(options),
      debug: options.debug === true,
    }),
  );

/** Whether kernels may report something: cells and lists that are full, and what is checked. */
const mayReport = ({ nodes }: Storage, { debug, lowering, pipeline }: ProgramOptions): boolean =>
  debug === true ||
  lowering?.checks === true ||
  pipeline !== undefined ||
  nodes.some(({ pool, length }) => pool !== undefined || length !== undefined);

const asksForDerivatives = (options: ProgramOptions): boolean =>
  options.differentiate !== undefined || asksForTangents(options);

const asksForTangents = ({ tangents, hessianProducts }: ProgramOptions): boolean =>
  tangents !== undefined || hessianProducts !== undefined;

const NO_DERIVATIVES = { adjoints: undefined, tangents: undefined, second: undefined };

/** Whether what a program becomes depends on nothing but itself, and its backend keeps it. */
const isBankable = <O extends ProgramOptions>(options: O): options is O & { readonly backend: Backend } => {
  const { backend, pipeline, extensions = [], over, bind, memory } = options;
  return backend?.bank !== undefined && !pipeline && !extensions.some(hasBearing) && !over && !bind && !memory;
};

/** Whether kernels themselves are wanted, and not only what they become: to be queued, differentiated or debugged. */
const looksIntoKernels = (options: ProgramOptions): boolean => {
  const { debug, losses, extensions = [] } = options;
  return waits(options) || asksForDerivatives(options) || debug === true || losses === true || extensions.length > 0;
};

/** Whether launches wait: not where they say at once what is wrong, where tangents run with them, nor where they share their fields with another program's. */
const waits = (options: ProgramOptions): boolean =>
  options.queue !== undefined &&
  options.queue !== false &&
  options.debug !== true &&
  options.losses !== true &&
  !asksForTangents(options) &&
  options.over === undefined;

/** A memory in which there is room for a program and for the code of plans. */
const roomFor = async (
  { buffers }: Module,
  { memory, bind, session, backend }: ProgramOptions,
): Promise<Pick<ProgramOptions, 'memory'>> => {
  if (memory || bind || session || !backend.sharing) return {};
  const arenas = new Map<string, number>();
  for (const b of buffers) {
    const name = b.memory ?? b.name;
    arenas.set(name, Math.max(arenas.get(name) ?? 0, b.length * byteSize(b.type)));
  }
  const bytes = [...arenas.values()].reduce((sum, n) => sum + n, ROOM);
  return { memory: orThrow(await openMemory(backend, { bytes })()) };
};

/** Bytes for what tasks of plans leave for each other, and for what a backend keeps of its own. */
const ROOM = 2 ** 25;

/** The storage of a program that others share. Errors: `program/over` where they have other fields. */
const storageOver = ({ storage }: Pick<FieldProgram, 'storage'>, layout: Layout, module: Module): Storage => {
  if (storage.layout !== layout)
    fail('program/over', 'the program is to share the fields of one that has another layout', {
      remedy:
        'make both with one layout, { layout, over }, and let the other one have the derivatives that this one asks for',
    });
  const clash = module.buffers.find((b) => b.name.startsWith(`${storage.memory}_`));
  if (clash)
    fail('program/over', `the name of '${clash.name}' is taken by the fields that the program is to share`, {
      remedy: 'give it another name',
    });
  return storage;
};

const listOrTrue = option.or(true, option.array('a list of fields'));

/** Which fields have derivatives; `false` is as if nothing were said. */
const askedFields: OptionKind = {
  wanted: listOrTrue.wanted,
  read: (value, what, path) => (value === false ? undefined : listOrTrue.read(value, what, path)),
};

/** What `program` takes, for those that pass it on. */
export const programSpec: OptionSpec<ProgramOptions> = {
  ...fieldProgramSpec,
  ...pipelineSpec,
  layout: option.anything,
  extensions: option.array('a list of extensions'),
  kernels: option.anything,
  fields: option.object('fields by name'),
  budget: option.number(0),
  queue: queueOption,
  differentiate: askedFields,
  tangents: askedFields,
  hessianProducts: askedFields,
  pipeline: option.callback,
};

/** How the loops of a target are cut, and what a team has there. */
const grainOf = ({ capabilities: { grain, team, atomics } }: Backend): Pick<FieldPipelineOptions, 'grain'> => {
  if (!grain) return {};
  if (!team) return { grain };
  const { threads, sharedBytes } = team;
  return { grain: { ...grain, team: { threads, sharedBytes, atomicBytes: Math.max(0, ...atomics.map(byteSize)) } } };
};

interface Names {
  /** Kernels by their names in the module. */
  readonly definitions: ReadonlyMap<string, KernelDef>;
  /** Names in the module by that of the launch. */
  readonly launches: ReadonlyMap<string, readonly string[]>;
}

/* A kernel that stands in several places is compiled once. */
const namesOf = (kernels: Kernels): Names => {
  const names = new Map<KernelDef, string>();
  const lists = Object.entries(kernels).map(([launch, one]) => [launch, listOf(launch, one)] as const);
  for (const [launch, one] of Object.entries(kernels)) if (!Array.isArray(one)) names.set(one as KernelDef, launch);
  const taken = new Set(names.values());
  for (const [launch, list] of lists)
    for (const [n, def] of list.entries()) {
      if (names.has(def)) continue;
      let name = `${launch}_${n + 1}`;
      while (taken.has(name)) name += '_';
      names.set(def, name);
      taken.add(name);
    }
  return {
    definitions: new Map([...names].map(([def, name]) => [name, def])),
    launches: new Map(lists.map(([launch, list]) => [launch, list.map((def) => names.get(def)!)])),
  };
};

/** Shows places that ops of any of these kernels name. */
const shownAmong = (definitions: ReadonlyMap<string, KernelDef>): Shown => {
  const all = [...definitions].map(([name, def]) => shownIn({ ...def, name }));
  return (loc) => {
    for (const shown of all) {
      const found = shown(loc);
      if (found) return found;
    }
    return undefined;
  };
};

const listOf = (launch: string, one: KernelDef | readonly KernelDef[]): readonly KernelDef[] => {
  const list = Array.isArray(one) ? (one as readonly KernelDef[]) : [one as KernelDef];
  if (list.length === 0 || list.some((def) => def?.is !== 'kernel'))
    fail('program/kernel', `'${launch}' is no kernel`, { remedy: 'give what kernel() makes, or a list of such' });
  return list;
};

const launchables =
  (
    kernels: readonly Kernel[],
    signatures: Readonly<Record<string, KernelSignature>>,
    definitions: ReadonlyMap<string, KernelDef>,
    writes?: ReadonlyMap<string, ReadonlySet<string>>,
  ) =>
  (name: string): Launchable => {
    const kernel = kernels.find((k) => k.name === name);
    return kernel
      ? {
          kernel,
          writes: writes?.get(name) ?? buffersWritten(kernel),
          signature: signatures[name],
          shown: shownIn({ ...definitions.get(name)!, name }),
        }
      : fail('program/kernel', `the passes removed the kernel '${name}'`, { remedy: 'keep all kernels' });
  };
