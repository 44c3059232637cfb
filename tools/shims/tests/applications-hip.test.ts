import { rmSync } from 'node:fs';
import { small } from '@filigree/e2e';
import { afterAll, describe, expect, it } from 'vitest';
import { hipOnCpu } from '../src/index.js';
import { all, check, names, out, usable } from './applications.js';

afterAll(() => rmSync(out, { recursive: true, force: true }));

describe.skipIf(!usable || !all)('applications on hip, the last thread first', () => {
  const backend = hipOnCpu('backward');
  it.each(names)('%s passes its checks', { timeout: 900_000 }, async (name) => {
    expect(await check(name, backend, small[name]!.dtype ?? 'f64')).toBe(true);
  });
});
