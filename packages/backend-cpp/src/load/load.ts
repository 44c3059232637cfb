import type { Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { type Artifact, type Sharing, layoutSlab } from '@filigree/backend';
import { type Executable, type LoadOptions, executableOf, placeModule } from '@filigree/backend/device';
import { loadSpec } from '@filigree/backend/options';
import { type Diagnostics, type Module, attempt, checkOptions, fail, orLeft } from '@filigree/ir';
import { foreignFunctions, foreignFunctionsNow, openLibrary } from './foreign.js';
import { libraryOf } from './library.js';
import { SPACE, hostMemory } from './memory.js';

/**
 * Opens a compiled module in this process. Runs and launches throw `DiagnosticError`: `run/…` on misuse, `run/trap` when a
 * kernel divided an integer by zero or the like; its results are then not to be used. Errors of loading: `load/…`.
 */
export const loadArtifact = (
  artifact: Artifact,
  module: Module,
  given?: LoadOptions,
): TaskEither<Diagnostics, Executable> =>
  attempt(async () => {
    await foreignFunctions();
    return loaded(artifact, module, given);
  });

/** The same at once, when something was loaded before. */
export const loadArtifactNow = (
  artifact: Artifact,
  module: Module,
  given?: LoadOptions,
): Either<Diagnostics, Executable> => orLeft(() => loaded(artifact, module, given));

const loaded = (artifact: Artifact, module: Module, given: LoadOptions | undefined): Executable => {
  const options = checkOptions('load', given, loadSpec);
  const path =
    artifact.path ??
    fail('load/artifact', 'the artifact has no file', { remedy: "pass what this backend's compile made" });
  const ffi = foreignFunctionsNow();
  const library = openLibrary(ffi, path);
  try {
    const placement = options.placement ?? placeModule(module, hostMemory(ffi), {}, ownLayout(module, new Set()));
    return executableOf(module, libraryOf(library, module, placement), options);
  } catch (e) {
    library.release();
    throw e;
  }
};

/** Memory of this process, and what a module needs of it. */
export const hostSharing: Sharing = {
  space: SPACE,
  open: () => attempt(async () => hostMemory(await foreignFunctions())),
  own: (module, bound) => ownLayout(module, bound),
};

const ownLayout = (module: Module, bound: ReadonlySet<string>): ReturnType<typeof layoutSlab> => {
  for (const b of module.buffers)
    if (b.role !== 'scratch' && b.length > MOST_ELEMENTS)
      fail('load/memory', `buffer '${b.name}' has ${b.length} elements, and may have ${MOST_ELEMENTS}`, {
        remedy: 'use smaller buffers',
      });
  return layoutSlab(module, bound);
};

/* Typed arrays of more elements than this are refused by engines. */
const MOST_ELEMENTS = 2 ** 32;
