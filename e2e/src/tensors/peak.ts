import * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, parseModule, type Diagnostics } from '@filigree/ir';
import { chooseBackend, instantiate } from '@filigree/runtime';
import { galleryBackends } from '../gallery/run-program.js';

/**
 * The most floating-point operations a second that one core of this machine gets done, in 10⁹, measured: a loop of independent
 * multiply-adds in registers, no memory. The fastest of several passes.
 */
export const measurePeak = async (dtype: 'f32' | 'f64', backendName?: string): Promise<number> => {
  const backend = right(await chooseBackend(galleryBackends(), backendName)());
  const lanes = backend.capabilities.vectorBytes / (dtype === 'f32' ? 4 : 8);
  const instance = right(await instantiate(right(parseModule(chains(dtype, lanes))), backend)());
  try {
    (instance.buffers.x as Float64Array).fill(0.5);
    const trips = 1 << 18;
    let best = Infinity;
    for (let pass = 0; pass < 12; pass++) {
      const begin = performance.now();
      instance.launch('peak', [trips]);
      best = Math.min(best, performance.now() - begin);
    }
    return (trips * CHAINS * lanes * 2) / best / 1e6;
  } finally {
    instance.dispose();
  }
};

/** Enough for the latency of two units, few enough for sixteen registers. */
const CHAINS = 10;

const chains = (type: 'f32' | 'f64', lanes: number): string => {
  const vector = `vec<${lanes} x ${type}>`;
  const all = (f: (k: number) => string, between = ', '): string =>
    Array.from({ length: CHAINS }, (_, k) => f(k)).join(between);
  return `module @peak {
  buffer @x : ${type}[${(CHAINS + 2) * lanes}] inout
  kernel @peak(%n: i32) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %fa = arith.constant {value = ${CHAINS * lanes}} : i32
    %fb = arith.constant {value = ${(CHAINS + 1) * lanes}} : i32
    %a = mem.load %fa {buffer = @x, lanes = ${lanes}} : ${vector}
    %b = mem.load %fb {buffer = @x, lanes = ${lanes}} : ${vector}
${all((k) => `    %i${k} = arith.constant {value = ${k * lanes}} : i32\n    %x${k} = mem.load %i${k} {buffer = @x, lanes = ${lanes}} : ${vector}`, '\n')}
    ${all((k) => `%y${k}`)} = scf.for %0, %n, %1, ${all((k) => `%x${k}`)} {
    ^(%i: i32, ${all((k) => `%c${k}: ${vector}`)}):
${all((k) => `      %p${k} = arith.mul %c${k}, %a : ${vector}\n      %s${k} = arith.add %p${k}, %b : ${vector}`, '\n')}
      scf.yield ${all((k) => `%s${k}`)}
    } : ${all(() => vector)}
${all((k) => `    mem.store %y${k}, %i${k} {buffer = @x}`, '\n')}
    scf.yield
  }
}
`;
};

const right = <A>(result: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};
