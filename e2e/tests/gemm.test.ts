import type { Backend } from '@filigree/backend';
import { cpp, libxsmm } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import type { Diagnostics, Extension, Module } from '@filigree/ir';
import { type GemmSpec, type GemmTarget, gemmTargets, linalg, lowerGemm } from '@filigree/tensor';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import {
  alphaOf,
  defined,
  gemmData,
  gemmModules,
  gemmSpecs,
  passed,
  reference,
} from '../../packages/tensor/tests/gemm-support.js';

const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.map((d) => `${d.code}: ${d.message}`).join('\n'));
  return e.right;
};

/** Compiles the products, runs each once and compares with the reference. */
const agree = async (backend: Backend, specs: readonly GemmSpec[], lowered: Module): Promise<void> => {
  const legal = right(backend.legalize.run(lowered));
  const artifact = right(await backend.compile!(right(backend.emit.run(legal)))());
  const executable = right(await backend.load!(artifact, legal)());
  try {
    specs.forEach((spec, k) => {
      const name = (x: string): string => (k === 0 ? x : `${x}${k}`);
      const data = gemmData(spec, k);
      for (const x of ['A', 'B', 'C'] as const) executable.buffers[name(x)].set(data[x] as never);
      executable.launch(name('multiply'), spec.alpha === 'value' ? [alphaOf(spec)] : []);
      const found = defined(spec, executable.buffers[name('C')]);
      expect(found, JSON.stringify(spec)).toEqual(defined(spec, reference(spec, data)));
    });
  } finally {
    executable.dispose();
  }
};

const products: Extension = { name: 'products', dialects: [linalg] };
const specs = fc.sample(gemmSpecs(20), { numRuns: 12, seed: 7 });
const few = specs.slice(0, 5);
const lowered = (target: GemmTarget, which = specs): Module => passed(lowerGemm(target), gemmModules(which, true));

const usable = (await cpp().probe()).usable;

describe('micro-kernels', () => {
  test.skipIf(!usable)('in C++', () => agree(cpp(), specs, lowered(gemmTargets.avx2)));

  test.skipIf(!usable)('in C++ with vectors that the machine has no registers for', () =>
    agree(cpp({ vectorBytes: 64 }), few, lowered(gemmTargets.avx512, few)),
  );

  test.skipIf(!usable)('in C++ that checks its indices', () =>
    agree(cpp({ checked: true }), few, lowered(gemmTargets.avx2, few)),
  );

  test('in WebAssembly', () => agree(wasm(), specs, lowered(gemmTargets.simd128)));
});

describe('a library instead', () => {
  const plugin = libxsmm();
  const dense = fc
    .sample(gemmSpecs(20), { numRuns: 200, seed: 8 })
    .map((s): GemmSpec => ({ ...s, alpha: 1 }))
    .filter((s) => [s.a, s.b].every((v) => v.kind === 'dense' && v.rowStride === 1) && s.c.rowStride === 1);
  const backend = (): Backend => cpp({ vectorBytes: 32, plugins: [plugin], extensions: [products] });

  test('is called for what it takes; the rest is lowered', () => {
    const mixed = passed(lowerGemm(gemmTargets.avx2, { keep: plugin.takes }), gemmModules([...dense, ...specs]));
    const sources = right(backend().emit.run(right(backend().legalize.run(mixed))));
    const text = sources.files[0].contents as string;
    expect(text).toContain('#include <libxsmm.h>');
    expect(text).toContain('libxsmm_dmmdispatch');
    expect(text).toContain('fmax4_f64');
    expect(sources.link).toContain('-lxsmm');
  });

  test.skipIf(!usable).each([false, true])(
    'gives the same, or says what to install; with prefetches: %s',
    async (prefetch) => {
      try {
        await agree(backend(), dense, gemmModules(dense, prefetch));
      } catch (e) {
        expect(String(e)).toMatch(/cpp\/plugin-missing: plugin 'libxsmm': LIBXSMM cannot be used/);
      }
    },
  );

  test('a product that it does not take is refused', () => {
    const module = gemmModules([{ ...dense[0], alpha: 2 }]);
    const refused = backend().emit.run(right(backend().legalize.run(module)));
    expect(E.isLeft(refused) && refused.left[0].code).toBe('libxsmm/unsupported');
  });

  test.skipIf(!usable)('that is missing is a diagnostic when compiling', async () => {
    const missing = cpp({
      plugins: [{ ...plugin, missing: () => Promise.resolve({ reason: 'it is not here', remedy: 'install it' }) }],
      extensions: [products],
    });
    const sources = right(missing.emit.run(right(missing.legalize.run(gemmModules(dense.slice(0, 1))))));
    const result = await missing.compile!(sources)();
    expect(E.isLeft(result) && result.left).toMatchObject([{ code: 'cpp/plugin-missing', remedy: 'install it' }]);
  });
});
