import type { Toolchain } from '@filigree/backend/native';
import { cppLanguage } from '../emit/dialect.js';
import type { NativeLanguage } from '../native-language.js';

/**
 * Compiler flags, in order. `fastMath` allows sums in another order, fused multiply-add and division by reciprocals, and
 * forgets the sign of zero; `'contract'` allows fused multiply-add alone; NaN and infinity keep their meaning either way. `nodelete`: worker threads of the OpenMP
 * runtime outlive the kernels and would crash, at the latest when the process ends, if their code were unmapped. See
 * docs/decisions/cpp-flags.md.
 * `Bsymbolic`: calls from unit to unit go to where they lead, not through tables that a first call has to load.
 */
export const compilerFlags = (
  toolchain: Toolchain,
  fastMath: boolean | 'contract',
  { language, standard }: Pick<NativeLanguage, 'language' | 'standard'> = cppLanguage,
): readonly string[] => [
  standard,
  '-O3',
  ...toolchain.target,
  ...(toolchain.openmp ? ['-fopenmp'] : ['-fopenmp-simd']),
  ...(process.platform === 'linux' ? ['-Wl,-Bsymbolic', ...(toolchain.openmp ? ['-Wl,-z,nodelete'] : [])] : []),
  '-shared',
  '-fPIC',
  '-w',
  '-fno-exceptions',
  ...(language === 'cpp' ? ['-fno-rtti'] : []),
  '-fno-asynchronous-unwind-tables',
  '-fno-math-errno',
  '-fno-trapping-math',
  ...(toolchain.family === 'gcc' ? gcc : []),
  ...(fastMath === true ? fast : fastMath === 'contract' ? contract : ['-ffp-contract=off']),
];

const contract = ['-ffp-contract=fast', '-DFILIGREE_CONTRACT'];

/*
 * `no-delete-null-pointer-checks`: gcc writes addresses in loops as sums that begin with a null pointer, and then takes what is accessed there for nothing: of a
 * kernel of which that is all, it leaves out the call. `no-tree-loop-distribution`: gcc 12 takes loops apart whose parts depend on one another.
 */
const gcc = [
  ...['--param', 'max-combine-insns=2'],
  ...['-fno-code-hoisting', '-fno-tree-pre', '-fno-tree-loop-distribution', '-fno-delete-null-pointer-checks'],
];

/*
 * Not -ffast-math: it also assumes that there are no NaNs and infinities, and gcc before 13 then links start-up code that
 * turns off subnormal numbers in the whole process, JavaScript included.
 */
const fast = [
  '-ffp-contract=fast',
  '-fassociative-math',
  '-freciprocal-math',
  '-fno-signed-zeros',
  '-DFILIGREE_FAST_MATH',
];
