import { describe, expect, it } from 'vitest';
import { conformance } from '@filigree/conformance';
import { nativeBackend } from '@filigree/backend-cpp';
import { c11 } from './c11.js';
import { axpy, right } from './helpers.js';

const backend = nativeBackend(c11);
const { usable, toolchain, reason } = await backend.probe();
describe('C11', () => {
  it('is called by the name of its backend', () => {
    const { backend: name, files } = right(backend.emit.run(right(backend.legalize.run(axpy()))));
    expect([name, files.map((f) => [f.name, f.language])]).toEqual([
      'c',
      [
        ['kernels.c', 'c'],
        ['kernels.h', 'c'],
        ['tables.bin', 'binary'],
      ],
    ]);
    expect(files[0].contents).not.toMatch(/extern "C"|alignas|\bauto\b|\bbool\b/);
    expect(files[0].contents).toContain('cc -std=c11 -O3');
  });

  it('has a compiler of C, or says what to install', () => {
    if (usable) expect(toolchain).toMatch(/gcc|clang|cc/i);
    else expect(reason).toContain('FILIGREE_CC');
  });
});

describe.skipIf(!usable && process.env['CI'] !== 'true')('what is written for the C family is C', () => {
  /* What is asked is whether the text is C; optimised it is as the text for C++. */
  for (const c of conformance(backend, {
    together: 16,
    compile: { flags: ['-O1'] },
  })) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});
