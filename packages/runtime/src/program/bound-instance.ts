import type { Commands, Executable } from '@filigree/backend';
import type { Block, DeviceBuffer, RunOptions } from '@filigree/backend/device';
import type { Module, Scalar } from '@filigree/ir';
import { refuseOn, writtenAfter } from './recorders.js';
import { buffersWritten } from './written.js';

interface Bound extends Executable {
  /** As it runs. */
  readonly module: Module;
}

/**
 * An instance that is bound to buffers of others, which may be fields: where it writes these, whoever follows what is done to them is told before. What it
 * only reads is no matter of theirs: what it makes of it is a constant where it is given to a kernel.
 *
 * @param bound the names of its buffers that lie in memory of others
 */
export const seenByRecorders = <I extends Bound>(instance: I, bound: ReadonlySet<string>): I => {
  const written = new Map(
    instance.module.kernels.map((k) => [k.name, [...buffersWritten(k)].filter((b) => bound.has(b))] as const),
  );
  const blocks = (kernels: Iterable<string>): readonly Block[] => [
    ...new Set([...kernels].flatMap((k) => written.get(k) ?? []).map((b) => instance.buffer(b).block)),
  ];
  const byKernel = new Map([...written.keys()].map((k) => [k, blocks([k])] as const));
  const all = blocks(written.keys());
  const tell = (touched: readonly Block[] = []): void => {
    for (const block of touched) refuseOn(block, 'writes to a field that it is bound to');
  };
  const changes = ({ block }: DeviceBuffer): void => refuseOn(block, 'has its buffer written, which is a field');
  return Object.defineProperties({} as I, {
    ...Object.getOwnPropertyDescriptors(instance),
    ...Object.getOwnPropertyDescriptors({
      buffer: (name: string): DeviceBuffer => {
        const buffer = instance.buffer(name);
        return bound.has(name) ? writtenAfter(buffer, () => changes(buffer)) : buffer;
      },
      run: (options?: RunOptions): void => {
        tell(all);
        instance.run(options);
      },
      runAsync: async (options?: RunOptions): Promise<void> => {
        tell(all);
        await instance.runAsync(options);
      },
      launch: (kernel: string, args: readonly Scalar[], options?: RunOptions): void => {
        tell(byKernel.get(kernel));
        instance.launch(kernel, args, options);
      },
      launchAsync: async (kernel: string, args: readonly Scalar[], options?: RunOptions): Promise<void> => {
        tell(byKernel.get(kernel));
        await instance.launchAsync(kernel, args, options);
      },
      commands: (...given: Parameters<Executable['commands']>): Commands => {
        const { set, run, runAsync } = instance.commands(...given);
        const touched = blocks(given[0].map(({ kernel }) => kernel));
        return {
          set,
          run: () => (tell(touched), run()),
          runAsync: async (options) => (tell(touched), runAsync(options)),
        };
      },
    }),
  });
};
