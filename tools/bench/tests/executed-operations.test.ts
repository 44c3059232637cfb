import { symbolic } from '@filigree/lang';
import type { SymbolicInput } from '@filigree/specialize';
import { describe, expect, it } from 'vitest';
import { executedOperations } from '../src/index.js';

describe('operations that a program executes', () => {
  it('are counted each time, calls and what is equal too', () => {
    const wave = (x: number): number => Math.sin(x * x);
    const run = symbolic(
      (x: readonly number[]) => {
        let sum = 0;
        for (let k = 0; k < 100; k++) sum += wave(x[k % 2]) - 1;
        return { sum };
      },
      { scope: { wave } },
    );
    const counted = executedOperations({
      inputs: { x: [2] },
      run: ({ x }) => run(x as (SymbolicInput & number)[]) as never,
    });
    /* Of each of a hundred the square, the sine, less one and added, the first to a number. */
    expect(counted).toBe(400);
  });
});
