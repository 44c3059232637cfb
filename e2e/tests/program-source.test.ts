import { describe, expect, it } from 'vitest';
import {
  arapRightHandSide,
  arapScope,
  arapWeights,
  barycentricMass,
  clothAssembly,
  clothHessian,
  clothRest,
  clothScope,
  cotanAssembly,
  cotanLaplacian,
  cotanScope,
  dualLaplacian,
  dualLaplacianAssembly,
  dualLaplacianScope,
  gridMesh,
  nonZeros,
  tetBox,
  vertexCount,
} from '../src/index.js';

/**
 * Programs are traced by rewriting their source, so the source together with the stated scope must be all there is: each
 * function is made again from its text, with the functions it calls made again too, and must give the same numbers.
 */
const remade = <F extends (...args: never[]) => unknown>(fn: F, scope: Readonly<Record<string, unknown>>): F => {
  const declarations = Object.entries(scope).map(([name, value]) =>
    typeof value === 'function' ? `const ${name} = ${String(value)};` : `const ${name} = ${JSON.stringify(value)};`,
  );
  // Strict code, in which an unknown name throws.
  return new Function(`'use strict'; ${declarations.join('\n')} return ${String(fn)};`)() as F;
};

describe('the source of a program and its scope', () => {
  const grid = gridMesh(6, 5, (x, y) => x * y);
  const cotan = cotanAssembly(grid.faces, vertexCount(grid));
  const L = cotanLaplacian(grid.vertices, grid.faces, cotan.slots, nonZeros(cotan.pattern));

  it('are complete for the cotan Laplacian and mass', () => {
    expect(remade(cotanLaplacian, cotanScope)(grid.vertices, grid.faces, cotan.slots, nonZeros(cotan.pattern))).toEqual(
      L,
    );
    expect(remade(barycentricMass, cotanScope)(grid.vertices, grid.faces, vertexCount(grid))).toEqual(
      barycentricMass(grid.vertices, grid.faces, vertexCount(grid)),
    );
  });

  it('are complete for the dual Laplacian', () => {
    const box = tetBox(2, 2, 2, 0.1);
    const { pattern, slots } = dualLaplacianAssembly(box.tets, vertexCount(box));
    const args = [box.vertices, box.tets, slots, nonZeros(pattern), vertexCount(box)] as const;
    expect(remade(dualLaplacian, dualLaplacianScope)(...args)).toEqual(dualLaplacian(...args));
  });

  it('are complete for the local step', () => {
    const { pattern, weights } = arapWeights(cotan.pattern, L);
    const deformed = grid.vertices.map((x, i) => x + 0.1 * Math.sin(i));
    const args = [deformed, grid.vertices, weights, pattern.rowPtr, pattern.colIdx] as const;
    expect(remade(arapRightHandSide, arapScope)(...args)).toEqual(arapRightHandSide(...args));
  });

  it('are complete for the cloth Hessian', () => {
    const { areas, gradients } = clothRest(grid.vertices, grid.faces);
    const { pattern, slots } = clothAssembly(grid.faces, vertexCount(grid));
    const X = grid.vertices.map((x, i) => 1.1 * x + 0.01 * Math.sin(i));
    const args = [X, grid.faces, areas, gradients, 800, 200, slots, nonZeros(pattern)] as const;
    expect(remade(clothHessian, clothScope)(...args)).toEqual(clothHessian(...args));
  });
});
