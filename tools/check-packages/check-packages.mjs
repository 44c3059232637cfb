/**
 * `npm run check:packages`: every package is fit to publish. `--write` (as `npm run readme`) brings the size block of each
 * README up to date instead of complaining about it, and docs/ops.md. Needs a build.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packages, root } from '../lib/workspace.mjs';
import { opsPage } from './ops-page.mjs';
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

const page = join(root, 'docs/ops.md');
const ops = await opsPage();
if (!existsSync(page) || readFileSync(page, 'utf8') !== ops) {
  if (write) writeFileSync(page, ops);
  if (write) console.log('wrote docs/ops.md');
  else problems.push('docs/ops.md: not what the tables of operations say; npm run readme writes it');
}

for (const problem of problems) console.log(problem);
console.log(problems.length > 0 ? `${problems.length} problems` : 'every package is fit to publish');
process.exitCode = problems.length > 0 ? 1 : 0;
