/**
 * `npm run check:outside`: packs all packages and the gallery, installs the tarballs in a copy of `e2e/outside`, and runs its check there, as
 * somebody would who has the packages and nothing else. Needs a build, and an OpenCL device. `--keep` leaves the copy where it is.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/run.mjs';
import { packages, root } from '../lib/workspace.mjs';
import { install, npm, packAll } from './pack-all.mjs';

/** @type {(path: string) => any} */
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const main = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-outside-'));
  const copy = join(folder, 'outside');
  try {
    const manifests = [...packages().map((p) => p.manifest), read(join(root, 'e2e/package.json'))];
    const tarballs = await packAll(manifests, folder);
    cpSync(join(root, 'e2e/outside'), copy, { recursive: true, filter: (path) => !path.includes('node_modules') });
    const manifest = read(join(copy, 'package.json'));
    const files = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
    const { koffi } = manifest.dependencies;
    writeFileSync(
      join(copy, 'package.json'),
      JSON.stringify({ ...manifest, dependencies: { koffi, ...files }, devDependencies: {} }),
    );
    const installed = await run(npm, install, { cwd: copy, seconds: 300 });
    if (installed.code !== 0) throw new Error(`the tarballs do not install\n${installed.output}`);
    const { code } = await run(process.execPath, ['check.mjs'], { cwd: copy, seconds: 900, show: true });
    process.exitCode = code === 0 ? 0 : 1;
  } finally {
    if (process.argv.includes('--keep')) console.log(`left in ${copy}`);
    else rmSync(folder, { recursive: true, force: true });
  }
};

await main();
