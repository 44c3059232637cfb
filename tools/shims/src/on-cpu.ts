import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import {
  type DriverOptions,
  type GpuDriver,
  type GpuLanguage,
  type GpuMachine,
  type GpuOptions,
  gpuBackend,
} from '@filigree/backend/gpu';
import { cudaDriver, cudaLanguage } from '@filigree/backend-cuda';
import { hipDriver, hipLanguage } from '@filigree/backend-hip';
import { metalInPairs, metalLanguage } from '@filigree/backend-metal';
import { apart } from './apart.js';
import { type Threads, compileForCpu, native, sharedLibrary } from './compile.js';
import { type Order, orderFlags } from './order.js';

/** A backend for a GPU as it is, but that its text is compiled for the CPU, and the driver is one that runs it there. */
type OnCpu = (order?: Order, options?: GpuOptions) => Backend;

/** What stands for a GPU: text compiled for the CPU, and a driver that runs it there. */
type MachineOnCpu = (order?: Order) => GpuMachine;

const machine =
  (
    language: GpuLanguage,
    header: string,
    driver: (options: DriverOptions) => Promise<GpuDriver>,
    threads?: Threads,
  ): MachineOnCpu =>
  (order = 'forward') => ({
    compile: compileForCpu(language, header, threads),
    driver: async () => driver({ path: await driverOnCpu(order) }),
    background: true,
    probe: () => Promise.resolve({ name: language.name, usable: true, reason: '', toolchain: 'the CPU' }),
  });

const onCpu =
  (language: GpuLanguage, machineOf: MachineOnCpu): OnCpu =>
  (order, options = {}) =>
    gpuBackend(language, machineOf(order), options);

/** The machine of `cudaOnCpu`, for those who look at what it is asked to do. */
export const cudaMachine = machine(cudaLanguage, 'cuda.hpp', cudaDriver);

export const cudaOnCpu = onCpu(cudaLanguage, cudaMachine);
/** As `cudaOnCpu`, but threads of a block take turns at accesses to memory: an update in two steps is seen. */
export const cudaInterleaved = onCpu(
  cudaLanguage,
  machine(cudaLanguage, 'cuda.hpp', cudaDriver, { interleaved: true }),
);
export const metalOnCpu = onCpu(metalLanguage, machine(metalLanguage, 'metal_stdlib', cudaDriver));
/** As `metalOnCpu`, with threads that take turns as those of `cudaInterleaved` do. */
export const metalInterleaved = onCpu(
  metalLanguage,
  machine(metalLanguage, 'metal_stdlib', cudaDriver, { interleaved: true }),
);
/** As `metalOnCpu`, where doubles in registers are pairs of singles. */
export const metalInPairsOnCpu = onCpu(metalInPairs, machine(metalInPairs, 'metal_stdlib', cudaDriver));
/** The machine of `hipOnCpu`. */
export const hipMachine = machine(hipLanguage, 'hip.hpp', hipDriver);

export const hipOnCpu = onCpu(hipLanguage, hipMachine);
/** As `hipOnCpu`, with wavefronts of 64 threads, as chips for data centres have them. */
export const hipOnCpu64 = onCpu(hipLanguage, machine(hipLanguage, 'hip.hpp', hipDriver, { warp: 64 }));

/* In processes that were started with `sanitizerFirst`: what is touched beyond a buffer, or what threads share, ends them. */
const sanitized =
  (language: GpuLanguage, header: string, driver: typeof cudaDriver, threads: Threads = {}): OnCpu =>
  (order, options) =>
    apart(onCpu(language, machine(language, header, driver, { ...threads, sanitized: true }))(order, options));

/** As `cudaOnCpu`, for a process that was started with `sanitizerFirst`, which ends where a kernel touches memory that is none of its own. */
export const cudaSanitized = sanitized(cudaLanguage, 'cuda.hpp', cudaDriver);
export const metalSanitized = sanitized(metalLanguage, 'metal_stdlib', cudaDriver);
/** Of wavefronts of 64 threads. */
export const hipSanitized64 = sanitized(hipLanguage, 'hip.hpp', hipDriver, { warp: 64 });

/** The file of a driver that lets threads go in this order. */
export const driverOnCpu = async (order: Order): Promise<string> =>
  (await sharedLibrary('driver', readFileSync(join(native, 'driver.cpp'), 'utf8'), undefined, orderFlags(order))).path;
