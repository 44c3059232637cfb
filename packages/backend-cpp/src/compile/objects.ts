import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { CompileOptions } from '@filigree/backend';
import { type CachedFile, cachedFile } from '@filigree/backend/native';
import { type Compiler, keyOf, runCompiler } from './run-compiler.js';
import { sourceName } from '../native-language.js';
import { limiter } from './limiter.js';

/** A unit that is being compiled. */
interface Begun {
  readonly object: Promise<CachedFile>;
  /** Done when the compiler runs, or waits for others to end, or when the file is there without it. */
  readonly started: Promise<void>;
}

/** Begins to compile a unit, for `objectOf` to take. */
export const beginObject = (
  compiler: Compiler,
  unit: string,
  link: readonly string[],
  options: CompileOptions,
): Promise<void> => {
  const key = keyOf(compiler, `${compiler.language.name}-unit`, unit, link);
  const place = placeOf(key, options);
  const known = underWay.get(place);
  if (known) return known.started;
  const begun = begin(compiler, key, unit, options);
  underWay.set(place, begun);
  /* Who finds it in the cache need not find it here. A failure is told to who takes it. */
  const forget = (): void => void (options.cache !== false && underWay.get(place) === begun && underWay.delete(place));
  begun.object.then(forget, () => undefined);
  return begun.started;
};

/** The compiled form of a unit: the one that was begun, one from the cache, or a new one. */
export const objectOf = (
  compiler: Compiler,
  unit: string,
  link: readonly string[],
  options: CompileOptions,
): Promise<CachedFile> => {
  const key = keyOf(compiler, `${compiler.language.name}-unit`, unit, link);
  const place = placeOf(key, options);
  const begun = underWay.get(place);
  underWay.delete(place);
  return (begun ?? begin(compiler, key, unit, options)).object;
};

const underWay = new Map<string, Begun>();

const placeOf = (key: string, { cache }: CompileOptions): string => `${String(cache)} ${key}`;

const processors = limiter(availableParallelism());

const begin = (compiler: Compiler, key: string, unit: string, { cache }: CompileOptions): Begun => {
  let start = (): void => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const object = cachedFile({
    cache,
    key,
    file: 'kernels.o',
    build: async (object) => {
      const file = sourceName(compiler.language);
      await writeFile(join(dirname(object), file), unit);
      if (processors.busy()) start();
      await processors.run(() => {
        const done = runCompiler(compiler, ['-c', file, '-o', object], object);
        start();
        return done;
      });
    },
  });
  object.then(start, start);
  return { object, started };
};
