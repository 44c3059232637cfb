import type koffi from 'koffi';
import { fail } from '@filigree/ir';

/** The foreign function library. Error: `load/ffi`. */
export const foreignFunctions = async (): Promise<typeof koffi> => {
  try {
    return (await import('koffi')).default;
  } catch (e) {
    return fail('load/ffi', `the foreign function library koffi does not load: ${message(e)}`, {
      remedy: 'reinstall it for this platform (npm rebuild koffi), or use the wasm backend',
    });
  }
};

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
    const library = ffi.load(path);
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

const message = (e: unknown): string => (e instanceof Error ? e.message : String(e));
