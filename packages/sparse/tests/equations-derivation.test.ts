import { describe, expect, it } from 'vitest';
import { builtinPrograms, equationTexts, letterTexts, solveProgram } from '@filigree/sparse/equations';
import { right } from './equations-support.js';

const derive = (name: string, sizes: Record<string, number>): string => {
  const program = builtinPrograms.find((p) => p.name === name)!;
  const solved = right(solveProgram(program.module({ ...program.sizes, ...sizes })));
  const lines = equationTexts(solved).flatMap((t) => [t.recurrence, t.equation, t.solution]);
  return `\n${[...lines, ...letterTexts(solved)].join('\n')}\n`;
};

describe('the derivations of the slides', () => {
  it('solves the stencil by Arden’s lemma: L_S = L_In·b·a*', () => {
    expect(derive('stencil', { N: 20, M: 2, T: 5 })).toBe(`
S[t, i, k] = {S[t, i, k - 1] if k ≥ -1; S[t, i] if k ≤ -2} + {{S[t - 1, i + k, 2] if t ≥ 1, 2 ≤ i + k ≤ 17; S[t - 1, i + k] if t ≤ 0; S[t - 1, i + k] if t ≥ 1, i + k ≤ 1; S[t - 1, i + k] if t ≥ 1, i + k ≥ 18} if t ≥ 1; In[i + k] if t ≤ 0} : 0 ≤ t ≤ 4, 2 ≤ i ≤ 17, -2 ≤ k ≤ 2
L_S = L_S·a + L_In·b
L_S = L_In·b·a*
a = {(t, i, k - 1) → (t, i, k) : 0 ≤ t ≤ 4, 2 ≤ i ≤ 17, -1 ≤ k ≤ 2} ∪ {(t - 1, i + k, 2) → (t, i, k) : 1 ≤ t ≤ 4, 2 ≤ i ≤ 17, -2 ≤ k ≤ 2, 2 ≤ i + k ≤ 17}
b = {(i + k) → (t, i, k) : t = 0, 2 ≤ i ≤ 17, -2 ≤ k ≤ 2}
`);
  });

  it('resolves what trisolve has of itself, and leaves the cycle through the intersection', () => {
    expect(derive('trisolve', { N: 9 })).toBe(`
S0[i] = b[i] : 0 ≤ i ≤ 8
L_S0 = L_b·a
L_S0 = L_b·a
S1[i, j] = {S0[i] if j ≤ 0; S1[i, j - 1] if j ≥ 1} - A[i, j]·S2[j] : i ≤ 8, j ≥ 0, j < i
L_S1 = L_S1·b + L_S0·c + (L_A·d ∩ L_S2·e)
L_S1 = L_b·a·c·b* + (L_A·d ∩ L_S2·e)·b*
S2[i] = {S0[i] if i ≤ 0; S1[i, i - 1] if i ≥ 1}/A[i, i] : 0 ≤ i ≤ 8
L_S2 = L_S0·f + L_S1·g
L_S2 = L_b·a·f + L_S1·g
a = {(i) → (i) : 0 ≤ i ≤ 8}
b = {(i, j - 1) → (i, j) : i ≤ 8, j ≥ 1, j < i}
c = {(i) → (i, j) : i ≤ 8, j = 0, j < i}
d = {(i, j) → (i, j) : i ≤ 8, j ≥ 0, j < i}
e = {(j) → (i, j) : i ≤ 8, j ≥ 0, j < i}
f = {(i) → (i) : i = 0}
g = {(i, i - 1) → (i) : 1 ≤ i ≤ 8}
`);
  });

  it('a program by name refuses sizes that it has not', () => {
    const gemm = builtinPrograms.find((p) => p.name === 'gemm')!;
    expect(gemm.module({ I: 2, J: 3, K: 4 }).buffers.map((b) => b.length)).toEqual([8, 12, 6]);
    expect(() => gemm.module({ M: 2 })).toThrow('equations/size');
  });

  it('writes 2mm in terms of its inputs', () => {
    const solved = right(solveProgram(builtinPrograms.find((p) => p.name === '2mm')!.module({})));
    expect(equationTexts(solved).map((t) => `${t.equation}  ⇒  ${t.solution}`)).toEqual([
      'L_S0 = ∅  ⇒  L_S0 = ∅',
      'L_S1 = L_S1·a + L_S0·b + (L_A·c ∩ L_B·d)  ⇒  L_S1 = (L_A·c ∩ L_B·d)·a*',
      'L_S2 = ∅  ⇒  L_S2 = ∅',
      'L_S3 = L_S3·e + L_S2·f + (L_S1·g ∩ L_C·h)  ⇒  L_S3 = ((L_A·c ∩ L_B·d)·a*·g ∩ L_C·h)·e*',
    ]);
  });

  it('solves two statements that depend on each other', () => {
    const solved = right(solveProgram(builtinPrograms.find((p) => p.name === 'jacobi1d')!.module({})));
    expect(equationTexts(solved).map((t) => t.solution)).toEqual(['L_S0 = L_A·b·(c·a)*', 'L_S1 = L_A·b·(c·a)*·c']);
  });
});
