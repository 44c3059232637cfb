import type koffi from 'koffi';
import { fail } from '@filigree/ir';

/** The foreign function library. Error: `load/ffi`. */
export const foreignFunctions = async (): Promise<typeof koffi> => {
  try {
    return (known.ffi ??= (await import('koffi')).default);
  } catch (e) {
    return fail('load/ffi', `the foreign function library koffi does not load: ${message(e)}`, {
      remedy: 'reinstall it for this platform (npm rebuild koffi), or use the wasm backend',
    });
  }
};

/** The same at once, when it is there. Error: `load/ffi`. */
export const foreignFunctionsNow = (): typeof koffi =>
  known.ffi ?? fail('load/ffi', 'the foreign function library is not loaded yet', { remedy: 'await load first' });

const known: { ffi?: typeof koffi } = {};

/** A shared library, and how to let go of it. */
export interface SharedLibrary {
  /** An entry point. Error: `load/entry`. */
  readonly entry: (name: string, parameters: readonly string[]) => Entry;
  readonly release: () => void;
}

/** An entry point that returns a status. */
export type Entry = ReturnType<ReturnType<typeof koffi.load>['func']>;

/** Opens a shared library. Error: `load/library`. */
export const openLibrary = (ffi: typeof koffi, path: string): SharedLibrary => {
  try {
    const library = loaded(ffi, path);
    return {
      entry: (name, parameters) => {
        try {
          return library.func(name, 'int', [...parameters]);
        } catch (e) {
          return fail('load/entry', `the library has no entry point ${name}: ${message(e)}`, {
            remedy: 'compile the sources of this very module',
          });
        }
      },
      /* The code itself stays where it was linked to stay, see compile/flags.ts; elsewhere it is left alone. */
      release: () => {
        if (process.platform === 'linux') library.unload();
      },
    };
  } catch (e) {
    return fail('load/library', `${path} cannot be opened: ${message(e)}`, {
      remedy: 'clear the cache folder and compile again',
    });
  }
};

/**
 * Threads of libgomp that have nothing to do look this many times whether there is something, and then sleep. Left to itself it looks for milliseconds,
 * in which a machine that is busy elsewhere runs nothing else on their processors, not the thread that they wait for either. Who says how threads wait
 * is listened to. It reads the variable when it is loaded, which is with the first library that uses it.
 */
const loaded = (ffi: typeof koffi, path: string): ReturnType<typeof koffi.load> => {
  const { env } = process;
  if (env.GOMP_SPINCOUNT !== undefined || env.OMP_WAIT_POLICY !== undefined) return ffi.load(path);
  env.GOMP_SPINCOUNT = String(SPINS);
  try {
    return ffi.load(path);
  } finally {
    /* What this process starts is not to inherit it. */
    delete env.GOMP_SPINCOUNT;
  }
};

/** `npm run bench:busy` compares it with others. */
const SPINS = 1000;

const message = (e: unknown): string => (e instanceof Error ? e.message : String(e));
