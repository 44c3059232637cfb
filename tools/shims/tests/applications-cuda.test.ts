import { rmSync } from 'node:fs';
import { gallery, small } from '@filigree/e2e';
import { afterAll, describe, expect, it } from 'vitest';
import { cudaOnCpu } from '../src/index.js';
import { check, names, out, usable } from './applications.js';

afterAll(() => rmSync(out, { recursive: true, force: true }));

it('every application has its size here', () => {
  expect(Object.keys(small).sort()).toEqual(Object.keys(gallery).sort());
});

describe.skipIf(!usable)('applications on cuda, threads in any order', () => {
  const backend = cudaOnCpu({ seed: 20262 });
  it.each(names)('%s passes its checks', { timeout: 900_000 }, async (name) => {
    expect(await check(name, backend, small[name]!.dtype ?? 'f64')).toBe(true);
  });
});
