import type { Commands } from '@filigree/backend';
import type { DeviceBuffer, RunOptions } from '@filigree/backend/device';
import { argumentsInto, type Scalar, type TypedArray } from '@filigree/ir';
import type { Entered, Joining } from './contract.js';
import { stretchOf } from './places.js';

/**
 * An instance whose launches wait in a session. Its buffers are read and written after what waits; who asks for a view of one sees all
 * launches that touch it at once. Launches in the background, and those with other threads, come after what waits.
 */
export const waitingInstance = <I extends Joining>(instance: I, entered: Entered): I => {
  const checks = new Map(instance.module.kernels.map((k) => [k.name, argumentsInto(k, [], 0)]));
  const needy = instance.module.kernels.some((k) => k.params.length > 0);
  const atOnce = (options: RunOptions | undefined): boolean => options?.threads !== undefined;
  const first = <A extends readonly unknown[], R>(f: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      entered.flush();
      return f(...args);
    };
  };
  const guarded = (buffer: DeviceBuffer): DeviceBuffer => guardedBuffer(buffer, entered);
  return Object.defineProperties({} as I, {
    ...Object.getOwnPropertyDescriptors(instance),
    ...Object.getOwnPropertyDescriptors({
      waits: true,
      buffer: (name: string) => guarded(instance.buffer(name)),
      buffers: Object.defineProperties(
        {},
        Object.fromEntries(
          Object.keys(instance.buffers).map((name) => [
            name,
            { enumerable: true, get: (): TypedArray => guarded(instance.buffer(name)).view() },
          ]),
        ),
      ),
      run: (options?: RunOptions) => {
        instance.ready();
        if (needy || atOnce(options)) first(instance.run)(options);
        else entered.launch(undefined, []);
      },
      launch: (kernel: string, args: readonly Scalar[], options?: RunOptions) => {
        instance.ready();
        const check = checks.get(kernel);
        if (!check || atOnce(options)) return first(instance.launch)(kernel, args, options);
        check(args);
        entered.launch(kernel, args);
      },
      runAsync: async (options?: RunOptions) => first(instance.runAsync)(options),
      launchAsync: async (kernel: string, args: readonly Scalar[], options?: RunOptions) =>
        first(instance.launchAsync)(kernel, args, options),
      commands: (...given: Parameters<Joining['commands']>): Commands => {
        const { set, run, runAsync } = instance.commands(...given);
        return { set, run: first(run), runAsync: async (options) => first(runAsync)(options) };
      },
      dispose: () => {
        entered.leave();
        instance.dispose();
      },
    }),
  });
};

/** A buffer whose readers and writers come after what waits. */
export const guardedBuffer = (
  buffer: DeviceBuffer,
  { flush, hold }: Pick<Entered, 'flush' | 'hold'>,
): DeviceBuffer => ({
  ...buffer,
  read: (into, first) => {
    flush();
    return buffer.read(into, first);
  },
  write: (values, first) => {
    flush();
    buffer.write(values, first);
  },
  view: () => {
    hold(stretchOf(buffer));
    return buffer.view();
  },
});
