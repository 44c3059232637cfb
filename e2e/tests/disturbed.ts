import * as E from 'fp-ts/lib/Either.js';
import type { Backend, Executable } from '@filigree/backend';
import type { Module, TypedArray } from '@filigree/ir';

/**
 * A backend whose results are off: after a run or launch, `disturb` changes memory, given what it was before. What a check does
 * not notice then, it does not check.
 */
export const disturbed = (
  inner: Backend,
  disturb: (kernel: string, before: Memory, after: Memory, module: Module) => void,
): Backend => ({
  ...inner,
  load: (artifact, module, options) => async () =>
    E.map((x: Executable): Executable => {
      const around = <R>(kernel: string, act: () => R): R => {
        const before = copied(x.buffers);
        const result = act();
        disturb(kernel, before, x.buffers, module);
        return result;
      };
      return {
        ...x,
        run: (o) => around('run', () => x.run(o)),
        launch: (kernel, args, o) => around(kernel, () => x.launch(kernel, args, o)),
        launchAsync: async (kernel, args, o) => around(kernel, () => x.launch(kernel, args, o)),
        runAsync: async (o) => around('run', () => x.run(o)),
      };
    })(await inner.load!(artifact, module, options)()),
});

type Memory = Readonly<Record<string, TypedArray>>;

const copied = (buffers: Memory): Memory =>
  Object.fromEntries(Object.entries(buffers).map(([name, data]) => [name, data.slice()]));
