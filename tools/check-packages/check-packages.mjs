/**
 * `npm run check:packages`: every package is fit to publish. `--write` (as `npm run readme`) brings the size block of each
 * README up to date instead of complaining about it. Needs a build.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packages, root } from '../lib/workspace.mjs';
import { problemsOf } from './rules.mjs';
import { measure, sizeBlock, withBlock } from './size.mjs';

const write = process.argv.includes('--write');
const problems = /** @type {string[]} */ ([]);

for (const p of packages()) {
  const readme = join(p.path, 'README.md');
  if (write && existsSync(readme) && existsSync(join(p.path, 'dist'))) {
    const before = readFileSync(readme, 'utf8');
    const after = withBlock(before, sizeBlock(p.manifest, measure(p.path, p.manifest)));
    if (after !== before) writeFileSync(readme, after);
    if (after !== before) console.log(`wrote ${relative(root, readme)}`);
  }
  for (const problem of await problemsOf(p)) problems.push(`packages/${p.folder}: ${problem}`);
}

for (const problem of problems) console.log(problem);
console.log(problems.length > 0 ? `${problems.length} problems` : 'every package is fit to publish');
process.exitCode = problems.length > 0 ? 1 : 0;
