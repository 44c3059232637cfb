import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { plainOps, transform } from '@filigree/lang';
import { bindOps, mark } from '@filigree/lang/runtime';
import * as acorn from 'acorn';
import { expect, it } from 'vitest';

it('a whole parser, every operator of it rewritten, still parses itself', async () => {
  const file = createRequire(import.meta.url)
    .resolve('acorn')
    .replace(/\.js$/, '.mjs');
  const text = await readFile(file, 'utf8');
  const result = transform(`'use symbolic';\n${text}`, file, {
    frames: false,
    ops: { module: 'ops', name: 'plainOps' },
  });
  expect(result?.code.match(/\$\w+\(/g)?.length).toBeGreaterThan(2000);

  /* As a function body, so that the module's imports and exports can be given and taken directly. */
  const body = (result?.code ?? '')
    .replace(
      /import \{ bindOps as (\S+), mark as (\S+) \} from '[^']*';\s*import \{ plainOps as (\S+) \} from '[^']*';/,
      'const { bindOps: $1, mark: $2, plainOps: $3 } = given;',
    )
    .replace(/export \{[^}]*\};/, '');
  const parse = new Function('given', `'use strict'; ${body}; return parse;`)({
    bindOps,
    mark,
    plainOps,
  }) as typeof acorn.parse;
  const options: acorn.Options = { ecmaVersion: 'latest', sourceType: 'module', locations: true };
  expect(JSON.stringify(parse(text, options))).toBe(JSON.stringify(acorn.parse(text, options)));
});
