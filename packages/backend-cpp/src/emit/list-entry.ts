import { type CFamilyDialect, cppTokens, kernelNames } from '@filigree/backend';
import type { Module, ScalarType } from '@filigree/ir';

/** The entry point that launches kernels one after the other. */
export const listEntry = 'filigree_list';

/**
 * Its text: `kernels` are positions in the module, `args` the arguments of one after the other, 8 bytes each. Cold, so that no compiler
 * copies kernels into it.
 */
export const listEntryText = (module: Module, dialect: CFamilyDialect): string => {
  const cases = kernelNames(module).map((name, k) => {
    const { params } = module.kernels[k]!;
    const scalars = params.map((p, n) => argument(p.type as ScalarType, 8 * n, dialect));
    const call = `filigree_kernel_${name}(${['slab', 'offsets', 'threads', ...scalars].join(', ')})`;
    return `      case ${k}: status = ${call}; args += ${8 * params.length}; break;`;
  });
  const { entry } = dialect.tokens ?? cppTokens;
  return [
    `${entry}__attribute__((cold, noinline)) int ${listEntry}(char* slab, const long long* offsets, int threads, long long count, const int* kernels, const char* args) {`,
    '  int status = 0;',
    '  for (long long k = 0; k < count && status == 0; k++)',
    '    switch (kernels[k]) {',
    ...cases,
    '    }',
    '  return status;',
    '}',
    '',
  ].join('\n');
};

const argument = (type: ScalarType, at: number, { scalar, stored }: CFamilyDialect): string =>
  `*(const ${stored[type] ?? scalar[type]!}*)(args + ${at})`;
