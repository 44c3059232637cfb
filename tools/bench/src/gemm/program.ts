import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpp } from '@filigree/backend-cpp';
import { buildKernel, coreDialects, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { type GemmTarget, buildGemm, linalg, lowerGemm } from '@filigree/tensor/linalg';
import type { GemmCase } from './cases.js';

/**
 * A C++ program that times each product by our micro-kernel, by a plain loop and, with `library`, by LIBXSMM: all called in the
 * same native loop. It takes the number of rounds and the seconds of a sample, and prints a line of JSON a case.
 */
export const gemmProgram = (cases: readonly GemmCase[], target: GemmTarget, library: boolean): string => {
  const { type } = cases[0].spec;
  const real = type === 'f64' ? 'double' : 'float';
  const letter = type === 'f64' ? 'd' : 's';
  const table = cases.map(({ name, spec, libraryRows }, g) => {
    const [lda, ldb, ldc] = [spec.a, spec.b, spec.c].map((v) => ('columnStride' in v ? v.columnStride : 0));
    const sizes = [spec.m, spec.n, spec.k, lda, ldb, ldc];
    const accumulate = spec.beta === 1;
    const products = [
      `g${g}`,
      `plain<${real}, ${sizes.join(', ')}, ${accumulate}>`,
      ...(library ? [`dispatched(${[libraryRows, ...sizes.slice(1), spec.beta].join(', ')})`] : []),
    ];
    return `    {"${name}", ${sizes.join(', ')}, ${accumulate}, {${products.join(', ')}}},`;
  });
  return [
    ...(library ? ['#include <libxsmm.h>'] : []),
    readFileSync(join(NATIVE, 'harness.hpp'), 'utf8'),
    kernels(cases, target),
    ...(library
      ? [
          `static Product<${real}> dispatched(int m, int n, int k, int lda, int ldb, int ldc, ${real} beta) {`,
          `  const ${real} alpha = 1;`,
          `  return (Product<${real}>)libxsmm_${letter}mmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, nullptr, nullptr);`,
          '}',
        ]
      : []),
    'int main(int, char** argv) {',
    ...(library ? ['  libxsmm_init();'] : []),
    `  run<${real}>({`,
    ...table,
    '  }, std::atoi(argv[1]), std::atof(argv[2]));',
    '}',
    '',
  ].join('\n');
};

const NATIVE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'native', 'gemm');

/** The kernels as functions `g0`, `g1`, … of A, B and C. */
const kernels = (cases: readonly GemmCase[], target: GemmTarget): string => {
  const { type } = cases[0].spec;
  const largest = Math.max(...cases.map(({ spec: { m, n, k } }) => (m + 8) * Math.max(n, k) + k * n));
  const buffers = (['A', 'B', 'C'] as const).map((x) => declareBuffer(x, type, largest, x === 'C' ? 'inout' : 'input'));
  const multiply = (spec: GemmCase['spec'], g: number) =>
    buildKernel(
      `g${g}`,
      {},
      (b) => {
        const at = b.i32(0);
        buildGemm(b, spec, { a: { buffer: 'A', at }, b: { buffer: 'B', at }, c: { buffer: 'C', at } });
      },
      buffers,
      { dialects: [...coreDialects, linalg] },
    );
  const module = makeModule(
    'products',
    buffers,
    cases.map((c, g) => multiply(c.spec, g)),
  );
  const backend = cpp({ vectorBytes: target.vectorBytes });
  const lowered = orThrow(lowerGemm(target).run(module));
  return orThrow(backend.emit.run(orThrow(backend.legalize.run(lowered)))).files[0].contents as string;
};
