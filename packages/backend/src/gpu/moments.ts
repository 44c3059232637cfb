import { fail } from '@filigree/ir';
import type { GpuMoment } from './driver.js';
import type { DriverCalls } from './graphs.js';

/** The names of a driver's calls for events, which take the device's time. They take the same in all drivers. */
export interface EventNames {
  readonly make: string;
  /** Has the device note the time when it comes there. */
  readonly note: string;
  /** Waits until it has. */
  readonly wait: string;
  /** Milliseconds between two. */
  readonly between: string;
  readonly drop: string;
}

/** What `letGo` is told stays where the host has given up on the device. */
export interface EventCalls extends DriverCalls {
  readonly letGo: DriverCalls['call'];
}

/** Notes moments. Errors: `NAME/times` where the driver lacks one of the calls, `NAME/call` where one fails. */
export const momentsBy = (
  space: string,
  names: EventNames,
  { has, call, letGo, handle }: EventCalls,
): (() => GpuMoment) => {
  const events = new WeakMap<GpuMoment, bigint>();
  return () => {
    for (const key of Object.keys(types) as (keyof EventNames)[])
      if (!has(names[key], types[key]))
        fail(`${space}/times`, `the driver has no call ${names[key]}, so nobody knows what launches take`, {
          remedy: 'install a newer driver, or leave the option timed out',
        });
    const to = (key: keyof EventNames, ...args: readonly unknown[]): void => call(names[key], types[key], ...args);
    const event = handle((into) => to('make', into, 0));
    to('note', event, 0n);
    const moment: GpuMoment = {
      since: (earlier) => {
        to('wait', event);
        const ms = new Float32Array(1);
        to('between', ms, events.get(earlier)!, event);
        return ms[0]!;
      },
      close: () => letGo(names.drop, types.drop, event),
    };
    events.set(moment, event);
    return moment;
  };
};

const types: Readonly<Record<keyof EventNames, readonly string[]>> = {
  make: ['void *', 'uint'],
  note: ['uint64_t', 'uint64_t'],
  wait: ['uint64_t'],
  between: ['void *', 'uint64_t', 'uint64_t'],
  drop: ['uint64_t'],
};
