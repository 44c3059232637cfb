import { coreDialects, parseModule, pipeline, printKernel, verify, type Module, type Pass } from '@filigree/ir';
import { fieldDialect, snodeDialect, storageOf, type Layout, type Storage } from '@filigree/sparse/fields';
import { right } from './support.js';

/** A kernel's text, parsed, over the arena of a layout. */
export const moduleFrom = (storage: Storage, kernel: string): Module => {
  const module = right(parseModule(`module @m {\n${kernel}\n}`));
  return { ...module, buffers: [...storage.buffers, ...module.buffers] };
};

/** The same kernel after some passes, as lines without indent or constants that are written out where they are used. */
export const after = (shape: Layout, kernel: string, passes: (s: Storage) => readonly Pass<Module>[]): string => {
  const storage = storageOf(shape, { budget: 1 << 16 });
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const input = right(verify(dialects).run(moduleFrom(storage, kernel)));
  const output = right(pipeline(passes(storage), { check: verify(dialects) }).run(input));
  return tidy(printKernel(output.kernels[0]));
};

/** Constants that stand for themselves, so that the rest is easy to read; values numbered anew; the outer braces gone. */
const tidy = (text: string): string => {
  const constants = new Map<string, string>();
  const lines = text
    .split('\n')
    .slice(1, -1)
    .flatMap((line) => {
      const found = /^ *(%\w+) = arith\.constant \{value = ([^}]*)\} : \w+$/.exec(line);
      if (!found) return [line.slice(2)];
      constants.set(found[1], found[2]);
      return [];
    });
  const names = new Map<string, string>();
  return lines
    .map((line) =>
      line.replace(/%\w+/g, (name) => {
        const constant = constants.get(name);
        if (constant !== undefined) return constant;
        if (!/^%\d+$/.test(name)) return name;
        if (!names.has(name)) names.set(name, `%${names.size}`);
        return names.get(name)!;
      }),
    )
    .filter((line) => !/^ *scf\.yield$/.test(line))
    .join('\n');
};
