/**
 * `npm run check:pack`: packs every package, installs each tarball in an empty project of its own, together with the
 * tarballs of those of our packages that it needs, and runs the first ```js example of its README there. A CommonJS script
 * must be able to `require` all that it exports. `check-pack.mjs ir opt` does so for these folders only. Needs a build.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel, run } from '../lib/run.mjs';
import { firstFence, innerDependencies, packages } from '../lib/workspace.mjs';
import { install, npm, packAll } from './pack-all.mjs';

/** @typedef {import('../lib/workspace.mjs').Package} Package */

/**
 * Why the package does not work alone, or `undefined` when it does.
 * @param {Package} p
 * @param {readonly Package[]} all
 * @param {Map<string, string>} tarballs
 * @param {string} folder an empty folder to work in
 * @returns {Promise<string | undefined>}
 */
const problemOf = async (p, all, tarballs, folder) => {
  const readme = join(p.path, 'README.md');
  const example = existsSync(readme) ? firstFence(readFileSync(readme, 'utf8'), 'js') : undefined;
  if (example === undefined) return 'its README.md has no ```js example';
  const needed = [p, ...innerDependencies(p, all)].map(({ manifest: { name } }) => [
    name,
    `file:${tarballs.get(name)}`,
  ]);
  mkdirSync(folder, { recursive: true });
  const project = { name: 'empty-project', private: true, type: 'module', dependencies: Object.fromEntries(needed) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  const installed = await run(npm, install, { cwd: folder, seconds: 300 });
  if (installed.code !== 0) return `it does not install\n${installed.output}`;
  if (!existsSync(join(folder, 'node_modules', p.manifest.name, 'LICENSE'))) return 'its tarball has no LICENSE';
  writeFileSync(join(folder, 'example.mjs'), example);
  const ran = await run(process.execPath, ['example.mjs'], { cwd: folder, seconds: 120 });
  if (ran.code !== 0) return `the example of its README fails\n${ran.output}`;
  const entries = Object.keys(p.manifest.exports).map((entry) => entry.replace('.', p.manifest.name));
  writeFileSync(join(folder, 'required.cjs'), `for (const entry of ${JSON.stringify(entries)}) require(entry);`);
  const required = await run(process.execPath, ['required.cjs'], { cwd: folder, seconds: 60 });
  if (required.code !== 0) return `it cannot be loaded by require\n${required.output}`;
  return ran.output.trim() === '' ? 'the example of its README prints nothing' : undefined;
};

const main = async () => {
  const all = packages();
  const names = process.argv.slice(2);
  const chosen = names.length > 0 ? all.filter((p) => names.includes(p.folder)) : all;
  const unbuilt = all.filter((p) => !existsSync(join(p.path, 'dist/index.js')));
  if (unbuilt.length > 0) {
    console.error(`not built: ${unbuilt.map((p) => p.folder).join(', ')}; run \`npm run build\` first`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'filigree-pack-'));
  try {
    const tarballs = await packAll(
      all.map((p) => p.manifest),
      folder,
    );
    const problems = await inParallel(chosen, 2, async (p) => {
      const problem = await problemOf(p, all, tarballs, join(folder, p.folder));
      console.log(problem === undefined ? `✓ ${p.manifest.name}` : `✗ ${p.manifest.name}: ${problem}`);
      return problem;
    });
    process.exitCode = problems.some((problem) => problem !== undefined) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await main();
