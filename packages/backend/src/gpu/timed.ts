import { fail } from '@filigree/ir';
import type { GpuDriver, GpuKernel, GpuMoment } from './driver.js';

/** What a launch took. */
export interface LaunchTime {
  /** The kernel that it is a step of, and the function in the text. */
  readonly kernel: string;
  readonly function: string;
  readonly blocks: number;
  readonly threads: number;
  /** Milliseconds on the device. */
  readonly ms: number;
}

/** Is told of each launch, in order, when the run that it is part of is done. */
export type Timed = (launch: LaunchTime) => void;

/** Launches whose times are told. */
export interface TimedLaunches {
  /** Begins a launch of a function that is a step of a kernel. */
  readonly launch: (
    of: Pick<LaunchTime, 'kernel' | 'function'>,
    entry: GpuKernel,
    blocks: number,
    threads: number,
    frame: Uint8Array,
  ) => void;
  /** Tells of all that was launched, which is done. */
  readonly tell: () => void;
  /** Forgets what was launched and went wrong. */
  readonly forget: () => void;
}

/** Launches by a driver, between two moments each; without anybody to tell nothing but launches. Error: `gpu/times` where the driver has no clock. */
export const timedLaunches = (driver: GpuDriver, timed: Timed | undefined): TimedLaunches => {
  if (timed === undefined)
    return { launch: (_, ...how) => driver.launch(...how), tell: () => undefined, forget: () => undefined };
  const moment =
    driver.moment ??
    fail('gpu/times', 'this driver does not say what launches take', { remedy: 'leave the option timed out' });
  const begun: { readonly what: Omit<LaunchTime, 'ms'>; readonly before: GpuMoment; readonly after: GpuMoment }[] = [];
  const forget = (): void => {
    for (const { before, after } of begun.splice(0)) {
      before.close();
      after.close();
    }
  };
  return {
    launch: (of, entry, blocks, threads, frame) => {
      const before = moment();
      driver.launch(entry, blocks, threads, frame);
      begun.push({ what: { ...of, blocks, threads }, before, after: moment() });
    },
    tell: () => {
      const times = begun.map(({ what, before, after }) => ({ ...what, ms: after.since(before) }));
      forget();
      times.forEach((t) => timed(t));
    },
    forget,
  };
};
