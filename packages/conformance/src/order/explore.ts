import { gpuDialect } from '@filigree/backend/gpu';
import { type Module, type Scalar, coreDialects, fail, opTable, walk } from '@filigree/ir';
import { type Choose, ViewMemory, type Viewer, newViewer } from './view-memory.js';
import { type Waiting, meeting } from './meet.js';
import { type Request, threadOf } from './thread.js';

/** Threads that run at once, in step where they meet in ops of `gpu`, as lanes in this order, and what is to hold when all have ended. */
export interface Protocol {
  readonly module: Module;
  readonly threads: readonly { readonly kernel: string; readonly args?: readonly Scalar[] }[];
  /** Contents of buffers in the beginning; those missing are zeros. */
  readonly inputs?: Readonly<Record<string, ArrayLike<number>>>;
  /** What is wrong with the memory in the end, by buffer, if anything. */
  readonly wrong: (memory: (buffer: string, index: number) => number) => string | undefined;
}

/** How far is looked. */
export interface Bounds {
  /** How often a thread is interrupted before it ends or waits; default 3. */
  readonly switches?: number;
  /** How often memory is behind: a load sees an older value, or a store comes to lie before another; default 2. */
  readonly delays?: number;
  /** Runs after which to give up; default 10⁶. */
  readonly most?: number;
}

/** What was found. */
export interface Explored {
  readonly runs: number;
  /** What is wrong in one of them, with what happened there, one line an access. */
  readonly wrong?: { readonly message: string; readonly trace: readonly string[] };
}

/**
 * Runs threads in every order and with every delay of memory within bounds, on a memory as weak as that of C++ with relaxed accesses and of
 * GPUs, and says the first run that goes wrong. All buffers are i32. Errors: `order/type`, `order/limit`.
 */
export const explore = (protocol: Protocol, { switches = 3, delays = 2, most = 1e6 }: Bounds = {}): Explored => {
  const { module } = protocol;
  const odd = module.buffers.find((b) => b.type !== 'i32');
  if (odd)
    fail('order/type', `buffer @${odd.name} is ${odd.type}, and protocols are of i32`, { remedy: 'model it by i32' });
  const path: Decision[] = [];
  for (let runs = 1; runs <= most; runs++) {
    const { message, trace } = once(protocol, path, switches, delays);
    if (message !== undefined) return { runs, wrong: { message, trace } };
    while (path.length > 0 && path.at(-1)!.taken + 1 >= path.at(-1)!.of) path.pop();
    if (path.length === 0) return { runs };
    path.at(-1)!.taken++;
  }
  return fail('order/limit', `more than ${most} runs`, { remedy: 'give it fewer threads, or lower bounds' });
};

/** The same protocol without its n-th fence, for each: all of them should go wrong. */
export const withoutEachFence = (protocol: Protocol): readonly Protocol[] => {
  const fences: object[] = [];
  for (const { body } of protocol.module.kernels) walk(body, (op) => void (op.name === 'mem.fence' && fences.push(op)));
  return fences.map((fence) => ({ ...protocol, module: without(protocol.module, fence) }));
};

const without = (module: Module, fence: object): Module => {
  const clean = (region: Module['kernels'][0]['body']): typeof region => ({
    ...region,
    ops: region.ops
      .filter((op) => op !== fence)
      .map((op) => (op.regions.length === 0 ? op : { ...op, regions: op.regions.map(clean) })),
  });
  return { ...module, kernels: module.kernels.map((k) => ({ ...k, body: clean(k.body) })) };
};

/** A choice that was made, and of how many. */
interface Decision {
  taken: number;
  readonly of: number;
}

const once = (
  { module, threads, inputs = {}, wrong }: Protocol,
  path: Decision[],
  switches: number,
  delays: number,
): { readonly message: string | undefined; readonly trace: readonly string[] } => {
  const table = opTable([...coreDialects, gpuDialect]);
  const memory = new ViewMemory((place) => {
    const [, buffer, index] = /^(.*)\[(.*)\]$/.exec(place)!;
    return inputs[buffer]?.[Number(index)] ?? 0;
  });
  let made = 0;
  const decide = (of: number): number => {
    if (of <= 1) return 0;
    if (made === path.length) path.push({ taken: 0, of });
    return path[made++].taken;
  };
  let [switched, delayed] = [0, 0];
  const delay: Choose = (of) => {
    const taken = delayed < delays ? decide(of) : 0;
    if (taken > 0) delayed++;
    return taken;
  };
  const running = threads.map(({ kernel, args = [] }, n) => {
    const steps = threadOf(
      module.kernels.find((k) => k.name === kernel)!,
      args,
      table,
      n,
    );
    return { n, steps, viewer: newViewer(), next: steps.next(), lost: undefined, waits: undefined } as Running;
  });
  const isReady = ({ next, waits }: Running): boolean =>
    next.done !== true &&
    next.value.do !== 'meet' &&
    (waits === undefined || memory.latest(waits.place) !== waits.value);
  const trace: string[] = [];
  let current = running[0];
  for (;;) {
    const ready = running.filter(isReady);
    if (ready.length === 0) {
      const met = meeting(running.flatMap(waitingIn), decide);
      if (met.size === 0) break;
      for (const [n, answer] of met) {
        trace.push(`thread ${n}: ${textOf(running[n].next.value as Request)} gives ${String(answer)}`);
        running[n].next = running[n].steps.next(answer);
      }
      continue;
    }
    /* One that goes on is the first choice, and no interruption. */
    const goesOn = isReady(current);
    const options = goesOn ? [current, ...ready.filter((t) => t !== current)] : ready;
    const taken = goesOn && switched >= switches ? 0 : decide(options.length);
    if (goesOn && taken > 0) switched++;
    current = options[taken];
    const request = current.next.value as Exclude<Request, { readonly do: 'meet' }>;
    const result = perform(memory, current.viewer, request, delay);
    trace.push(
      `thread ${current.n}: ${textOf(request)}${request.do === 'fence' || request.do === 'store' ? '' : ` gives ${result}`}`,
    );
    current.next = current.steps.next(result);
    /* Who tries the same again, and finds it as it was, waits for another thread. */
    if (request.do === 'update' && request.next(result) === undefined) {
      const { lost } = current;
      const now = { place: request.place, value: result };
      current.waits = lost?.place === now.place && lost.value === now.value ? now : undefined;
      current.lost = now;
    } else if (request.do !== 'load' && request.do !== 'fence') current.lost = current.waits = undefined;
  }
  if (running.some((t) => t.next.done !== true)) return { message: 'threads wait for each other', trace };
  return { message: wrong((buffer, index) => memory.latest(`${buffer}[${index}]`)), trace };
};

/** A thread on its way. */
interface Running {
  readonly n: number;
  readonly steps: ReturnType<typeof threadOf>;
  readonly viewer: Viewer;
  next: IteratorResult<Request, void>;
  /** The last place that it would have changed had it held something else. */
  lost: { readonly place: string; readonly value: number } | undefined;
  /** What it waits to be otherwise. */
  waits: Running['lost'];
}

const waitingIn = ({ n, next }: Running): readonly Waiting[] =>
  next.done !== true && next.value.do === 'meet' ? [{ ...next.value, lane: n }] : [];

const perform = (
  memory: ViewMemory,
  viewer: Viewer,
  r: Exclude<Request, { readonly do: 'meet' }>,
  choose: Choose,
): number => {
  switch (r.do) {
    case 'load':
      return memory.load(viewer, r.place, choose);
    case 'store':
      memory.store(viewer, r.place, r.value, choose);
      return 0;
    case 'update':
      return memory.update(viewer, r.place, r.next);
    case 'fence':
      memory.fence(viewer, r.order);
      return 0;
  }
};

const textOf = (r: Request): string =>
  r.do === 'meet'
    ? r.op.name
    : r.do === 'fence'
      ? `${r.order} fence`
      : r.do === 'store'
        ? `store ${r.value} to ${r.place}`
        : `${r.do} ${r.place}`;
