import { scalarOps } from '@filigree/ir';
import { type HelperRequest, type HelperText, helperText } from './helper.js';
import { gnuVectorName } from './vectors.js';

/** What is done with each lane of one vector, or with those of two side by side: a function of C's library, or a helper. */
interface LaneFunction {
  readonly arity: number;
  readonly name: (r: HelperRequest) => string;
  readonly needs: (r: HelperRequest) => readonly string[];
}

const ofLibrary = (name: string, arity: number): LaneFunction => ({
  arity,
  name: (r) => r.tokens.library(name, r.a),
  needs: () => [],
});

const helped = (name: string, arity: number): LaneFunction => {
  const called = (r: HelperRequest): string => `${name}_${r.a}`;
  return { arity, name: called, needs: (r) => [called(r)] };
};

const functions: ReadonlyMap<string, LaneFunction> = new Map([
  ...scalarOps.flatMap(({ c, arity }) => (c === undefined ? [] : [[c, ofLibrary(c, arity)] as const])),
  ['pow', helped('pow', 2)],
  ['round', helped('round', 1)],
  ['sign', helped('sign', 1)],
  ['fround', helped('fround', 1)],
]);

/**
 * A function on each lane of a vector, as a loop: a compiler that has it for vectors makes one instruction or one call of that, any other what it would for numbers.
 * Undefined for what is no such function.
 */
export const eachLane = (name: string): ((r: HelperRequest, lanes: number) => HelperText) | undefined => {
  const f = functions.get(name);
  if (f === undefined) return undefined;
  return (r, lanes) => {
    const vector = gnuVectorName(lanes, r.a);
    const [first, ...others] = ['a', 'b'].slice(0, f.arity);
    const given = [first, ...others].map((v) => `${v}[k]`).join(', ');
    return helperText(
      [`vectorx${lanes}_${r.a}`, ...f.needs(r)],
      `${r.local} ${vector} ${r.name}(${[first, ...others].map((v) => `${vector} ${v}`).join(', ')}) {`,
      '  #pragma omp simd',
      `  for (int k = 0; k < ${lanes}; k++) ${first}[k] = ${f.name(r)}(${given});`,
      `  return ${first};`,
      '}',
    );
  };
};
