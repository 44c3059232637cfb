import { transform } from '@filigree/lang/plugin';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

interface Bundled {
  readonly programs: readonly ((x: unknown) => unknown)[];
  readonly symbolic: typeof import('@filigree/lang').symbolic;
  readonly Graph: typeof import('@filigree/ir').Graph;
  readonly Sym: typeof import('@filigree/ir').Sym;
  readonly evaluateGraph: typeof import('@filigree/ir').evaluateGraph;
}

/** The functions that a module gives to `compile`, after the plugin, with the symbols of the same bundle. */
const bundled = async (code: string): Promise<Bundled> => {
  const result = transform(`import { compile } from 'filigree';\n${code}`, 'app.js');
  const { outputFiles } = await build({
    stdin: {
      contents: `${result?.code ?? code}\nexport { Graph, Sym, evaluateGraph } from '@filigree/ir'; export { symbolic } from '@filigree/lang'; export { programs } from 'filigree';`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['@filigree/source'],
    plugins: [
      {
        name: 'words',
        setup: (b) => {
          b.onResolve({ filter: /^filigree$/ }, () => ({ path: 'filigree', namespace: 'words' }));
          b.onLoad({ filter: /.*/, namespace: 'words' }, () => ({
            contents: 'export const programs = []; export const compile = (p) => programs.push(p.run);',
          }));
        },
      },
    ],
  });
  return (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  )) as Bundled;
};

describe('the function of a program that is given to compile', () => {
  it.each([
    ['an arrow', 'const half = (a) => a / 2;\ncompile({ inputs: {}, run: (x) => half(x) + 1 });'],
    ['a method', 'function half(a) { return a / 2; }\ncompile({ inputs: {}, run(x) { return half(x) + 1; } });'],
    ['a name', 'const run = (x) => x / 2 + 1;\ncompile({ inputs: {}, run });'],
    [
      'one that uses a namespace of TypeScript',
      'var N; ((N2) => { N2.one = 1; function half(a) { return a / 2; } N2.half = half; N2.run = (x) => N2.half(x) + N2.one; })(N || (N = {}));\ncompile({ inputs: {}, run: (x) => N.run(x) });',
    ],
    [
      'one that uses a Map of functions',
      "const laws = new Map([['half', (a) => a / two]]);\nconst two = 2;\ncompile({ inputs: {}, run: (x) => laws.get('half')(x) + 1 });",
    ],
    ['an object with a name', 'const program = { inputs: {}, run: (x) => x / 2 + 1 };\ncompile(program);'],
  ])('is rewritten where it is %s', async (_, code) => {
    const { programs, Graph, Sym, evaluateGraph } = await bundled(code);
    const run = programs[0];
    expect(run(5)).toBe(3.5);
    const graph = new Graph();
    const result = run(new Sym(graph, graph.variable())) as InstanceType<typeof Sym>;
    expect(evaluateGraph(graph, [result.id], [5])).toEqual(Float64Array.of(3.5));
  });

  it.each([
    ['a constant of a block', '{ const half = (a) => a / 2;', '}'],
    ['a constant of a function', 'const main = () => { const half = (a) => a / 2;', '}; main();'],
    ['a declaration of a function', '(() => {', 'function half(a) { return a / 2; } })();'],
  ])(
    'shares what it uses, where that is %s, with others that are given it in their scope',
    async (_, before, after) => {
      const { programs, symbolic, Graph, Sym, evaluateGraph } = await bundled(
        `${before} compile({ inputs: {}, run: (x) => half(x) + 1 }); compile({ run: () => half }); ${after}`,
      );
      const half = programs[1](0) as (x: number) => number;
      const other = symbolic((x: number) => half(x) * 3, { scope: { half } });
      expect(other(5)).toBe(7.5);
      const graph = new Graph();
      const result = other(new Sym(graph, graph.variable())) as unknown as InstanceType<typeof Sym>;
      expect(evaluateGraph(graph, [result.id], [5])).toEqual(Float64Array.of(7.5));
    },
  );

  it('is left alone where compile is that of others', () => {
    const code = `import { compile } from './other.js';\ncompile({ run: async (x) => x + 1 });`;
    expect(transform(code, 'app.js')).toBeUndefined();
  });
});
