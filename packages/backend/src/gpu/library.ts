import { type Kernel, type Module, type Scalar, argumentsInto, fail, scalarOf } from '@filigree/ir';
import type { Command, CommandList, Library } from '../device/library.js';
import { packedArguments } from '../device/packed-arguments.js';
import { type Placement, addressOf } from '../device/placement.js';
import { checkStatus } from '../device/trap.js';
import { layoutSlab } from '../slab/layout.js';
import type { GpuCode, GpuDriver, GpuGraph } from './driver.js';
import { blockSize } from './language.js';
import { type GpuLaunch, type GpuProgram, type GpuStage, launchesIn } from './program.js';
import type { Step } from './steps.js';
import { type Timed, type TimedLaunches, timedLaunches } from './timed.js';

/** How a library begins launches. */
export interface LaunchOptions {
  /** Whether those that are run again as they were are a graph; default false. */
  readonly graphs?: boolean | undefined;
  /** Who is told what each took; then there are no graphs. */
  readonly timed?: Timed | undefined;
}

/**
 * Loaded code over memory of a device. A list of launches is the launches of all its steps, one after the other; the host waits once,
 * for the last, and reads nothing but whether one of them trapped, if one can. With `graphs`, launches that are run a second time with the same arguments are
 * one graph from then on. Error then: `NAME/graphs` where the driver knows none. With `timed` each launch is begun by itself, and its time told when the
 * run is done. Error then: `gpu/times`, `NAME/times` where the driver has no clock.
 */
export const gpuLibrary = (
  driver: GpuDriver,
  code: GpuCode,
  module: Module,
  program: GpuProgram,
  placement: Placement,
  { graphs = false, timed }: LaunchOptions = {},
): Library => {
  const { memory, own, places, bound } = placement;
  const layout = layoutSlab(program.steps.module, bound);
  const status = program.kernels.some((k) => k.takesStatus) ? memory.allocate(4) : undefined;
  const addressOfBuffer = (name: string): number => {
    const place = places.get(name);
    return place ? addressOf(place) : own.at + layout.offsetOf.get(name)!;
  };
  const kernels = new Map(module.kernels.map((k) => [k.name, k]));
  const kept = new Set<GpuGraph>();
  const launches = timedLaunches(driver, timed);
  /* Of launches whose end nobody saw, the trap word may say anything; else it is as the last launch that did not trap left it. */
  let clean = true;

  const prepare = ({ kernel: name, args }: Command): Prepared => {
    const kernel = kernels.get(name)!;
    const { bytes, set } = packedArguments([kernel]);
    const values: Scalar[] = [];
    const check = argumentsInto(kernel, values, 0);
    const give = (given: readonly Scalar[]): void => {
      check(given);
      set(0, given);
    };
    give(args);
    const beginnerOf = (stage: GpuStage): (() => void) => {
      if ('stages' in stage) {
        const begins = stage.stages.map(beginnerOf);
        return () => {
          for (let n = stage.times(values); n > 0; n--) begins.forEach((begin) => begin());
        };
      }
      const addresses = stage.emitted.buffers.map((b) => addressOfBuffer(b.name));
      if (stage.emitted.takesStatus) addresses.push(status!.at);
      return beginner(driver, code, stage, addresses, { kernel, bytes, values }, launches);
    };
    const begins = program.launches.get(name)!.map(beginnerOf);
    return { set: give, begin: () => begins.forEach((begin) => begin()) };
  };
  const commands = (list: readonly Command[]): CommandList => {
    const prepared = list.map(prepare);
    const watched = list.some((c) =>
      launchesIn(program.launches.get(c.kernel)!).some(({ emitted }) => emitted.takesStatus),
    );
    const launch = (): void => prepared.forEach((p) => p.begin());
    const again = graphs && !timed ? asGraph(driver, launch, kept) : { begin: launch, changed: () => undefined };
    const begin = (): void => {
      launches.forget();
      if (watched && !clean) driver.clear(status!.at, 4);
      clean &&= !watched;
      again.begin();
    };
    const said = new Int32Array(1);
    const end = (): void => {
      launches.tell();
      if (!watched) return;
      memory.read(status!, 0, said);
      clean = said[0] === 0;
      checkStatus(module, said[0]!);
    };
    return {
      set: (k, args) => {
        again.changed();
        prepared[k]!.set(args);
      },
      run: () => {
        begin();
        driver.finish();
        end();
      },
      runAsync: async () => {
        begin();
        await driver.finishAsync();
        end();
      },
    };
  };
  return {
    placement,
    commands,
    dispose: () => {
      for (const graph of kept) graph.close();
      if (status) memory.free(status);
      code.close();
    },
  };
};

/** Launches that become a graph where they are begun a second time and nothing was changed since; `kept` are the graphs that there are. */
const asGraph = (
  driver: GpuDriver,
  launch: () => void,
  kept: Set<GpuGraph>,
): { readonly begin: () => void; readonly changed: () => void } => {
  const state: { same: boolean; graph?: GpuGraph | undefined } = { same: false };
  return {
    begin: () => {
      if (!state.same) {
        state.same = true;
        return launch();
      }
      if (!state.graph) {
        state.graph =
          driver.graph?.(launch) ??
          fail('gpu/graphs', 'this driver keeps no launches as graphs', { remedy: 'leave the option graphs out' });
        kept.add(state.graph);
      }
      state.graph.begin();
    },
    changed: () => {
      state.same = false;
      if (!state.graph) return;
      kept.delete(state.graph);
      state.graph.close();
      state.graph = undefined;
    },
  };
};

/** The launches of one command. */
interface Prepared {
  readonly set: (args: readonly Scalar[]) => void;
  readonly begin: () => void;
}

/** The arguments of a kernel, as its launches read them and as they were given. */
interface Given {
  readonly kernel: Kernel;
  readonly bytes: Uint8Array;
  readonly values: readonly Scalar[];
}

/** A launch whose arguments lie ready: addresses of buffers, then the scalars, which are changed in place. */
const beginner = (
  driver: GpuDriver,
  code: GpuCode,
  { step, emitted, team }: GpuLaunch,
  addresses: readonly number[],
  { kernel, bytes, values }: Given,
  { launch }: TimedLaunches,
): (() => void) => {
  const held = BigUint64Array.from(addresses.length > 0 ? addresses : [0], BigInt);
  const firstAddress = driver.addressOf(new Uint8Array(held.buffer));
  const firstScalar = driver.addressOf(bytes);
  const pointers = [
    ...addresses.map((_, k) => firstAddress + BigInt(8 * k)),
    ...kernel.params.map((_, k) => firstScalar + BigInt(8 * k)),
  ];
  const frame = new Uint8Array(BigUint64Array.from(pointers.length > 0 ? pointers : [0n]).buffer);
  const entry = code.kernel(emitted.name, {
    buffers: addresses.length,
    scalars: kernel.params.map((p) => scalarOf(p.type)),
  });
  const of = { kernel: kernel.name, function: emitted.name };
  /* The driver reads behind the back of the collector. */
  const alive = { held, bytes };
  return () => {
    const threads = step.parallel ? (team ?? blockSize) : 1;
    const each = team === undefined ? blockSize : 1;
    const most = driver.device.processors * Math.ceil(threadsPerProcessor / threads);
    launch(of, entry, alive && blocksOf(step, each, values, most), threads, frame);
  };
};

/** Blocks enough to keep all processors busy, and no more than have something to do where each does so many iterations at once. */
const blocksOf = ({ parallel, trips }: Step, each: number, values: readonly Scalar[], most: number): number => {
  if (!parallel) return 1;
  const count = typeof trips === 'object' ? Number(values[trips.parameter]) : (trips ?? Infinity);
  return Math.max(1, Math.min(Math.ceil(count / each), most));
};

/** Of a launch for which there is enough to do. */
export const threadsPerProcessor = 8 * blockSize;
