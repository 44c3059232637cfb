import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readMesh, type Mesh } from '../src/index.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** The folder of data beside the repository, which may be missing. */
export const SHARED_DATA = resolve(root, process.env.FILIGREE_DATA ?? join('..', 'shared', 'data'));

/** A mesh from the shared data where it is there, else the one that `make` makes. */
export const sharedMesh = (name: string, make: () => Mesh): Mesh => {
  const file = join(SHARED_DATA, 'meshes', name);
  return existsSync(file) ? readMesh(name.replace(/\.gz$/, ''), bytesOf(file), { degenerate: 'drop' }) : make();
};

/** The mesh that the repository itself holds. */
export const spot = (): Mesh => readMesh('spot.obj', bytesOf(join(root, 'e2e', 'data', 'spot.obj')));

/** The module of the gallery that the command line is to load: what tests run on, see vitest.config.ts. */
export const galleryModule = join(root, 'e2e', process.env.FILIGREE_BUILT === '1' ? 'dist/index.js' : 'src/index.ts');

const bytesOf = (file: string): Uint8Array =>
  file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
