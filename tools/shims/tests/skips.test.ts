import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';
import { expect, it } from 'vitest';
import { backends } from 'filigree';
import { explanations, skipsPage } from '../src/index.js';

const page = new URL('../../../docs/conformance.md', import.meta.url);

const said = skipsPage();

it('says on its page of every program that a backend leaves out why: npm run conformance:page', async () => {
  const written = readFileSync(page, 'utf8');
  expect(written).toBe((await format('conformance.md', said)).code);
});

it('knows every backend', () => {
  const known = new Set(explanations.map((e) => e.of().name));
  expect(
    backends()
      .filter((b) => !known.has(b.name))
      .map((b) => b.name),
  ).toEqual([]);
});

it('explains nothing that does not occur', () => {
  for (const { explained } of explanations) for (const { why } of explained) expect(said).toContain(why);
});
