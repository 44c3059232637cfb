import * as E from 'fp-ts/lib/Either.js';
import {
  Builder,
  SCRATCH_BYTES,
  byteSize,
  coreDialects,
  declareBuffer,
  fail,
  idsFrom,
  makeModule,
  opTable,
  pass,
  pipeline,
  runPass,
  type Buffer,
  type Diagnostics,
  type Kernel,
  type Module,
  type Op,
  type Value,
  type Watch,
  checkOptions,
  option,
  type OptionSpec,
  optionsOf,
} from '@filigree/ir';
import { canonicalize, cse, dce, licm } from '@filigree/opt';
import type { GemmTarget } from '../../linalg/gemm-spec.js';
import { gemmTargets, targetOption } from '../../linalg/gemm/targets.js';
import { linalg } from '../../linalg/linalg.js';
import { lowerGemm } from '../../linalg/gemm/lower-gemm.js';
import type { Operand, Plan } from '../plan/plan.js';
import { isTemporary } from '../plan/state.js';
import { accessOf, type Access } from './access.js';
import { emitAction, type ActionContext } from './emit-action.js';
import { MOST_NUMBERS, moduleTensors, tensorBuffers, type ModuleTensor } from './module-tensors.js';
import { identifierOf, identifiersOf } from './names.js';
import { type TeamRoom, runsOnTeam } from './on-team.js';
import { packTensor } from './pack.js';
import { elementsOption, type Elements } from './placement.js';
import { ConstantTables } from '../../linalg/constant-tables.js';

/** How plans become kernel IR. */
export interface LowerOptions {
  /** Which elements a launch runs for; default `{ kind: 'one' }`. */
  readonly elements?: Elements;
  /** What micro-kernels are made for; default AVX2. */
  readonly target?: GemmTarget;
  /** Whether products of matrices become micro-kernels, and the passes that suit every kernel run. Default true. */
  readonly lower?: boolean;
  /** Which products stay `linalg.gemm`, for a plugin of the backend that writes them; default none. */
  readonly keep?: (op: Op) => boolean;
  /**
   * For kernels that run once: whether what they prefetch (§4.6) lies in buffers of its own, `_prefetch_NAME`. Without
   * these nothing is prefetched. Kernels for many elements always prefetch the next element.
   */
  readonly prefetchBuffers?: boolean;
  /** For kernels that do not run for many elements: whether threads divide what is large in them; default false. */
  readonly divides?: boolean;
  /** For kernels that run for many elements: what a team of threads has, where one may run each element. Default: none, a thread does. */
  readonly team?: TeamRoom;
}

/**
 * A plan as a module of one kernel: buffers named as the tensors (`star(1)` is `star_1`), scalars as parameters. Tensors of known
 * values are `const` in their layout. See `Elements` for what else the kernel takes. Errors: `emit/…`.
 */
export const lowerPlan = (plan: Plan, options?: LowerOptions): E.Either<Diagnostics, Module> =>
  lowerPlans([plan], options);

/** Plans as the kernels of one module, which share their tensors; `watch` looks at the passes. Errors: `emit/…`. */
export const lowerPlans = (
  plans: readonly Plan[],
  options?: LowerOptions,
  watch?: Watch,
): E.Either<Diagnostics, Module> =>
  E.chain((checked: LowerOptions) => lowered(plans, checked, watch))(
    pass('options', (given: LowerOptions | undefined) => checkOptions('lowerPlans', given, lowerSpec)).run(options),
  );

const lowerSpec: OptionSpec<LowerOptions> = {
  elements: elementsOption,
  target: targetOption,
  lower: option.truth,
  keep: option.callback,
  prefetchBuffers: option.truth,
  divides: option.truth,
  team: optionsOf<TeamRoom>({ sharedBytes: option.whole(0) }),
};

const lowered = (
  plans: readonly Plan[],
  options: LowerOptions,
  watch: Watch | undefined,
): E.Either<Diagnostics, Module> => {
  const { target = gemmTargets.avx2, lower = true, keep } = options;
  const divides = options.divides === true && options.elements?.kind !== 'many';
  const build = pass('lower-plans', (all: readonly Plan[]) =>
    moduleOf(all, target, options.elements ?? { kind: 'one' }, options.prefetchBuffers ?? false, divides, options.team),
  );
  const over = { dialects: [...coreDialects, linalg] };
  const steps = pipeline<Module>([
    lowerGemm(target, { ...(keep && { keep }), divides }),
    canonicalize(over),
    cse(over),
    licm({ ...over, keepOffsets: true }),
    canonicalize(over),
    cse(over),
    dce(over),
  ]);
  return E.chain((module: Module) => (lower ? steps.run(module, watch) : E.right(module)))(
    runPass(build, plans, watch),
  );
};

const moduleOf = (
  plans: readonly Plan[],
  target: GemmTarget,
  elements: Elements,
  prefetchBuffers: boolean,
  divides: boolean,
  team: TeamRoom | undefined,
): Module => {
  const type = plans[0]?.type ?? fail('emit/empty', 'there is no kernel to lower', { remedy: 'give a plan' });
  const other = plans.find((p) => p.type !== type);
  if (other)
    fail('emit/type', `the kernel ${other.name} works on ${other.type}, one before on ${type}`, {
      remedy: 'lower kernels of one type together',
    });
  const twice = plans.find((p, k) => plans.findIndex((q) => q.name === p.name) !== k);
  if (twice)
    fail('emit/name', `two kernels have the name ${twice.name}`, {
      remedy: 'give each kernel of a program its own name',
    });
  const tensors = moduleTensors(plans, elements);
  const buffers = new Map<string, Buffer>();
  for (const b of tensorBuffers(tensors, elements, type)) buffers.set(b.name, b);
  const names = identifiersOf(plans.map((p) => p.name));
  const tables = new ConstantTables(buffers);
  const kernels = plans.map((plan) =>
    kernelOf(plan, {
      name: names.get(plan.name)!,
      target,
      elements,
      tensors,
      buffers,
      tables,
      prefetchBuffers,
      divides,
      team,
    }),
  );
  return makeModule(kernels.length === 1 ? kernels[0]!.name : 'tensors', [...buffers.values()], kernels);
};

interface KernelContext {
  readonly name: string;
  readonly target: GemmTarget;
  readonly elements: Elements;
  readonly tensors: ReadonlyMap<string, ModuleTensor>;
  /** Buffers made so far; temporaries and lists are added. */
  readonly buffers: Map<string, Buffer>;
  readonly tables: ConstantTables;
  readonly prefetchBuffers: boolean;
  readonly divides: boolean;
  readonly team: TeamRoom | undefined;
}

interface Place {
  readonly buffer: string;
  readonly at: Value;
}

/** Where each tensor begins; absent at the beginning of its buffer, or not known. */
type Places = (tensor: ModuleTensor) => Value | undefined;

const kernelOf = (plan: Plan, context: KernelContext): Kernel => {
  const { elements, target, tensors, buffers, tables, prefetchBuffers, divides } = context;
  const team =
    elements.kind === 'many' &&
    runsOnTeam(plan, (tensor) => tensors.get(tensor)?.buffer ?? temporaryOf(plan, tensor), context.team);
  const b = new Builder(opTable([...coreDialects, linalg]), buffers, idsFrom(0));
  const used = plan.tensors.map((t) => tensors.get(t.tensor.name)!);
  const numbered = elements.kind === 'at' ? used.filter((t) => t.placed.kind !== 'shared') : [];
  const range = elements.kind === 'many' ? ['first', 'last'] : numbered.map((t) => `at_${identifierOf(t.tensor.name)}`);
  const numbers = range.map((hint) => b.newValue('i32', hint));
  const scalars = plan.scalars.map((s) => b.newValue(plan.type, identifierOf(s)));
  const stores = temporaryBuffers(plan, context);
  const known = new Map(
    plan.known?.map(({ tensor, layout }) => [
      tensor.name,
      tables.numbers(packTensor(tensor, layout, tensor.values!), plan.type),
    ]),
  );
  /** All actions, for tensors that begin at these places; `ahead` is where those of the next run begin. */
  const run = (place: Places, ahead: Places, lane?: Value): void => {
    const bases = new Map<string, Place>(
      used.map((t) => [t.tensor.name, { buffer: t.buffer, at: place(t) ?? b.i32(0) }]),
    );
    for (const [name, buffer] of known) bases.set(name, { buffer, at: b.i32(0) });
    for (const t of plan.temporaries) {
      const store = stores[t.buffer]!;
      const at = store.perLane && lane ? b.mul(lane, b.i32(plan.buffers[t.buffer]!)) : b.i32(0);
      bases.set(t.name, { buffer: store.name, at });
    }
    const context: ActionContext = {
      b,
      type: plan.type,
      target,
      lanes: target.vectorBytes / byteSize(plan.type),
      registers: target.registers,
      divides,
      team,
      tables,
      scalars: new Map(plan.scalars.map((s, k) => [s, scalars[k]!])),
      base: (operand: Operand): Access => {
        const { buffer, at } =
          bases.get(operand.name) ?? fail('emit/unknown', `the plan does not declare ${operand.name}`);
        return accessOf(operand, buffer, at, isTemporary(operand.name));
      },
      prefetch: (name, size) => {
        if (prefetchBuffers && elements.kind === 'one') {
          const buffer = `_prefetch_${identifierOf(name)}`;
          buffers.set(buffer, declareBuffer(buffer, plan.type, size, 'input'));
          return { buffer, at: b.i32(0) };
        }
        const t = tensors.get(name);
        const at = t && ahead(t);
        return t && at ? { buffer: t.buffer, at } : undefined;
      },
    };
    for (const action of plan.actions) emitAction(action, context);
  };
  const nothing: Places = () => undefined;
  const forElement = (e: Value, last: Value, lane?: Value): void => {
    const next = b.min(b.add(e, b.i32(1)), b.sub(last, b.i32(1)));
    run(
      (t) => elementBase(b, t, e),
      (t) => elementBase(b, t, next),
      lane,
    );
  };
  const { region } = b.region([], () => {
    if (elements.kind === 'many') {
      const [first, last] = numbers as [Value, Value];
      if (!stores.some((s) => s.perLane))
        b.for(first, last, b.i32(1), { parallel: true }, [], (e) => forElement(e, last));
      else
        b.for(b.i32(0), b.i32(LANES), b.i32(1), { parallel: true }, [], (lane) =>
          b.for(b.add(first, lane), last, b.i32(LANES), {}, [], (e) => forElement(e, last, lane)),
        );
    } else
      run((t) => {
        const k = numbered.indexOf(t);
        return k < 0 ? undefined : b.mul(numbers[k]!, b.i32(t.layout.size));
      }, nothing);
  });
  return { name: context.name, params: [...numbers, ...scalars], body: region, attrs: {} };
};

/* Known values lie where nothing is written. */
const temporaryOf = ({ temporaries }: Plan, tensor: string): string =>
  `temporary ${temporaries.find((t) => t.name === tensor)?.buffer ?? tensor}`;

const elementBase = (b: Builder, { placed, layout }: ModuleTensor, element: Value): Value => {
  if (placed.kind === 'shared') return b.i32(0);
  const number = placed.kind === 'indexed' ? b.load(placed.by, element) : element;
  return b.mul(number, b.i32(layout.size));
};

/** Pieces of a loop over elements that run at the same time at most, where each needs memory that no thread has for its own. */
const LANES = 64;

/** Where temporaries lie: in scratch memory, or in a buffer where they are too large for it. */
const temporaryBuffers = (
  plan: Plan,
  { name, elements, buffers }: KernelContext,
): readonly { readonly name: string; readonly perLane: boolean }[] =>
  plan.buffers.map((size, k) => {
    const own = `_${name}_${k}`;
    const large = size * byteSize(plan.type) > SCRATCH_BYTES;
    const perLane = large && elements.kind === 'many';
    if (perLane && size * LANES > MOST_NUMBERS)
      fail(
        'emit/size',
        `an intermediate result of the kernel ${plan.name} takes ${size} numbers in each of ${LANES} places, more than the ${MOST_NUMBERS} that an index counts`,
        { remedy: 'split the kernel, make an extent smaller, or run it for one element at a time' },
      );
    buffers.set(own, declareBuffer(own, plan.type, perLane ? size * LANES : size, large ? 'temp' : 'scratch'));
    return { name: own, perLane };
  });
