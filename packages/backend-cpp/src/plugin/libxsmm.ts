import { type HelperText, type Spelling, binds, call, expr } from '@filigree/backend';
import { type Op, fail } from '@filigree/ir';
import { cannotLink } from './find-library.js';
import type { CppPlugin } from './plugin.js';

/**
 * Products of small matrices, `linalg.gemm`, by LIBXSMM, which generates their code when the kernels are loaded. Takes
 * what that library supports: dense column-major matrices with alpha = 1. Rows of padding are computed with the others,
 * since whole vectors are faster. What is to be prefetched is asked for along the stores to C, by the library as by our own code.
 */
export const libxsmm = (): CppPlugin => ({
  name: 'libxsmm',
  spellings: { 'linalg.gemm': product },
  takes,
  helper,
  includes: ['#include <libxsmm.h>'],
  link: LINK,
  missing: async (toolchain) => {
    const said = await cannotLink(toolchain, TRIAL, LINK);
    return said === undefined
      ? undefined
      : {
          reason: `LIBXSMM cannot be used with ${toolchain.path}: ${said}`,
          remedy:
            'install it (Debian, Ubuntu: apt install libxsmm-dev), or leave the plugin out: lowerGemm writes micro-kernels',
        };
  },
});

const LINK = ['-lxsmm', '-lxsmmnoblas', '-ldl', '-lpthread'];

const TRIAL = [
  '#include <libxsmm.h>',
  'extern "C" libxsmm_dmmfunction trial() {',
  '  return libxsmm_dmmdispatch(4, 4, 4, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);',
  '}',
  '',
].join('\n');

const takes = ({ name, attrs }: Op): boolean =>
  name === 'linalg.gemm' &&
  attrs['alpha'] === 1 &&
  ['a', 'b', 'c'].every((x) => strides(attrs, x)?.[0] === 1) &&
  columnStride(attrs, 'a') >= Number(attrs['m']) &&
  columnStride(attrs, 'b') >= Number(attrs['k']) &&
  columnStride(attrs, 'c') >= Number(attrs['m']);

/* A sparse matrix that is stored with its zeros is as good as a dense one. */
const strides = (attrs: Op['attrs'], x: string): readonly number[] | undefined =>
  (attrs[`${x}Strides`] ?? attrs[`${x}Stored`]) as readonly number[] | undefined;

/* What lies below the last row may be written where it is padding; there must be room for it in every column. */
const rows = (attrs: Op['attrs']): number => {
  const padded = Number(attrs['mPadded'] ?? attrs['m']);
  return ['a', 'c'].every((x) => columnStride(attrs, x) >= padded) ? padded : Number(attrs['m']);
};

const columnStride = (attrs: Op['attrs'], x: string): number => strides(attrs, x)![1]!;

/* The name of the helper says all that the code depends on. */
const product: Spelling = {
  effect: 'effect',
  buffers: (op) => ({
    read: [bare(op, 'a'), bare(op, 'b'), ...(prefetches(op) ? [bare(op, 'prefetch')] : [])],
    written: [bare(op, 'c')],
  }),
  write: (op, [aAt, bAt, cAt, ahead], site) => {
    if (!takes(op))
      fail('libxsmm/unsupported', 'LIBXSMM takes dense matrices by columns and alpha = 1; this product is another', {
        loc: op.loc,
        remedy: 'run lowerGemm first, and let it keep only what the plugin takes',
      });
    const { type, n, k, beta } = op.attrs;
    const sizes = [rows(op.attrs), n, k, ...['a', 'b', 'c'].map((x) => columnStride(op.attrs, x)), beta].map(Number);
    const name = site.helper(
      `libxsmm_${type === 'f64' ? 'd' : 's'}_${sizes.join('_')}${prefetches(op) ? '_ahead' : ''}`,
    );
    const pointer = (x: string, at: typeof aAt) => expr(`&${site.element(bare(op, x), at!).text}`, binds.unary);
    const matrices = [pointer('a', aAt), pointer('b', bAt), pointer('c', cAt)];
    /* Of the three that may be given, that way of prefetching reads the second. */
    const next = prefetches(op) ? [matrices[0]!, pointer('prefetch', ahead), matrices[2]!] : [];
    return call(name, ...matrices, ...next);
  },
};

const prefetches = ({ attrs }: Op): boolean => attrs['prefetch'] !== undefined;

const helper = (name: string): HelperText | undefined => {
  const [, letter, list, ahead] = /^libxsmm_([ds])_([\d_]+?)(_ahead)?$/.exec(name) ?? [];
  if (letter === undefined || list === undefined) return undefined;
  const [m, n, k, lda, ldb, ldc, beta] = list.split('_');
  const real = letter === 'd' ? 'double' : 'float';
  return {
    text: [
      `static const libxsmm_${letter}mmfunction ${name} = [] {`,
      '  libxsmm_init();',
      `  const libxsmm_blasint lda = ${lda}, ldb = ${ldb}, ldc = ${ldc};`,
      `  const ${real} alpha = 1, beta = ${beta};`,
      ...(ahead ? ['  const int prefetch = LIBXSMM_GEMM_PREFETCH_BL2_VIA_C;'] : []),
      `  return libxsmm_${letter}mmdispatch(${m}, ${n}, ${k}, &lda, &ldb, &ldc, &alpha, &beta, nullptr, ${ahead ? '&prefetch' : 'nullptr'});`,
      '}();',
    ].join('\n'),
    needs: [],
  };
};

const bare = (op: Op, attr: string): string => String(op.attrs[attr]).replace(/^@/, '');
