import type { Backend } from '@filigree/backend';
import { deviceBuffer, placeModule } from '@filigree/backend/device';
import { type Buffer, attempt, byteSize, orThrow } from '@filigree/ir';

/** The same backend, with each buffer of a program in a block of its own: what goes beyond one does not come to the next. */
export const apart = (backend: Backend): Backend => ({
  ...backend,
  load: (artifact, module, options) =>
    attempt(async () => {
      const { sharing, load } = backend;
      const memory = orThrow(await sharing!.open()());
      const bound = module.buffers.filter((b) => b.role !== 'const' && b.role !== 'scratch');
      const bytes = new Map<string, number>();
      for (const b of bound) bytes.set(memoryOf(b), Math.max(bytes.get(memoryOf(b)) ?? 0, b.length * byteSize(b.type)));
      const blocks = new Map([...bytes].map(([name, size]) => [name, memory.allocate(inWords(size))]));
      const bindings = Object.fromEntries(
        bound.map((b) => [b.name, deviceBuffer({ ...b, block: blocks.get(memoryOf(b))!, offset: 0 })]),
      );
      const own = sharing!.own(module, new Set(Object.keys(bindings)), 1);
      const placement = placeModule(module, memory, bindings, own);
      for (const block of blocks.values()) memory.free(block);
      return orThrow(await load!(artifact, module, { ...options, placement })());
    }),
});

const memoryOf = ({ memory, name }: Buffer): string => (memory === undefined ? `buffer ${name}` : `memory ${memory}`);

/* Devices update narrow elements in the word around them. */
const inWords = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4)) * 4;
