import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import { type DiagnosticError, Graph, Sym, evaluateGraph } from '@filigree/ir';
import { transform } from '@filigree/lang';
import { filigreeEsbuild, filigreeRollup, filigreeVite } from '@filigree/lang/plugin';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import { build as viteBuild } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/* Types on their own lines, so that stripping them moves everything below. */
const module = `import { symbolic } from '@filigree/lang';
import { offset } from './offset.js';

interface Weights {
  readonly scale: number;
}

const weights: Weights = { scale: 2 };
const vec = { dot: (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] };
let calls = 0;

function half(x: number): number {
  return x / 2;
}
const mean = (a: number, b: number): number => half(a + b);

export const area = symbolic((a: number, b: number): number => {
  calls++;
  return mean(a, b) * weights.scale + vec.dot([a, b], [1, offset]);
});

export function branch(x: number): number {
  'use symbolic';
  if (x > 0) return 1;
  return half(x);
}

export function untouched(x: number): number {
  return x * 3;
}
export const count = (): number => calls;
export const again = symbolic(branch);
`;
const offsetModule = 'export const offset: number = 10;\n';

interface Built {
  area(a: unknown, b: unknown): unknown;
  branch(x: unknown): unknown;
  again: unknown;
  untouched(x: number): number;
  count(): number;
}

let folder = '';
let entry = '';
const here = dirname(fileURLToPath(import.meta.url));

/* Inside the package, so that its imports resolve. */
beforeAll(async () => {
  const ignored = join(here, '..', 'dist');
  await mkdir(ignored, { recursive: true });
  folder = await mkdtemp(join(ignored, 'plugin-test-'));
  entry = join(folder, 'area.ts');
  await writeFile(entry, module);
  await writeFile(join(folder, 'offset.ts'), offsetModule);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const external = ['@filigree/ir'];

const withEsbuild = async (): Promise<string> => {
  const result = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    sourcemap: 'inline',
    conditions: ['@filigree/source'],
    external: [...external, 'acorn', 'magic-string', '@jridgewell/*'],
    plugins: [filigreeEsbuild()],
    logLevel: 'silent',
  });
  return result.outputFiles[0].text;
};

const stripTypes = {
  name: 'strip-types',
  transform: async (code: string, id: string) => {
    const { code: js, map } = await esbuild.transform(code, {
      loader: 'ts',
      sourcemap: 'external',
      sourcefile: id,
      target: 'esnext',
    });
    return { code: js, map };
  },
  resolveId: (id: string) => (id === './offset.js' ? join(folder, 'offset.ts') : undefined),
};

const withRollup = async (): Promise<string> => {
  const bundle = await rollup({ input: entry, external: /^@filigree/, plugins: [stripTypes, filigreeRollup()] });
  const { output } = await bundle.generate({ format: 'esm', sourcemap: 'inline' });
  return output[0].code;
};

const withVite = async (): Promise<string> => {
  const result = await viteBuild({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      sourcemap: 'inline',
      lib: { entry, formats: ['es'] },
      rollupOptions: { external: /^@filigree/ },
    },
    plugins: [filigreeVite()],
  });
  const outputs = (Array.isArray(result) ? result : [result]) as { output: { code: string }[] }[];
  return outputs[0].output[0].code;
};

const load = async (name: string, code: string): Promise<Built> => {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, code);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Built;
};

describe.each([
  ['esbuild', withEsbuild],
  ['rollup', withRollup],
  ['vite', withVite],
])('%s', (name, build) => {
  let code = '';
  let built: Built;
  beforeAll(async () => {
    code = await build();
    built = await load(name, code);
  });

  it('computes the same on plain numbers, in the closure where the function stands', () => {
    expect(built.area(3, 5)).toBe(4 * 2 + 3 + 50);
    expect([built.branch(1), built.branch(-3), built.untouched(2), built.count()]).toEqual([1, -1.5, 6, 1]);
  });

  it('traces, with helpers, captured constants and imports', () => {
    const graph = new Graph();
    const result = built.area(new Sym(graph, graph.variable()), new Sym(graph, graph.variable())) as Sym;
    expect(evaluateGraph(graph, [result.id], [3, 5])[0]).toBe(61);
  });

  it('names the line of the source before types were stripped', () => {
    const graph = new Graph();
    const line = module.split('\n').findIndex((l) => l.includes('if (x > 0)')) + 1;
    try {
      built.branch(new Sym(graph, graph.variable()));
      expect.unreachable();
    } catch (e) {
      const { diagnostics, message } = e as DiagnosticError;
      expect(diagnostics[0]).toMatchObject({ code: 'lang/symbolic-branch', loc: { line, column: 7 } });
      expect(diagnostics[0].loc?.file).toContain('area.ts');
      expect(message).toContain('if (x > 0) return 1;');
    }
  });

  it('maps the output to the source', () => {
    const encoded = /sourceMappingURL=data:application\/json[^,]*,(.*)/.exec(code)?.[1] ?? '';
    const text = /^[A-Za-z0-9+/=]+$/.test(encoded)
      ? Buffer.from(encoded, 'base64').toString()
      : decodeURIComponent(encoded);
    const map = new TraceMap(text);
    const lines = code.split('\n');
    const at = lines.findLastIndex((l) => l.includes('weights.scale'));
    const position = originalPositionFor(map, { line: at + 1, column: lines[at].indexOf('weights') });
    expect(position.source).toContain('area.ts');
    expect(position.line).toBe(module.split('\n').findIndex((l) => l.includes('weights.scale')) + 1);
  });

  it('leaves what is not traced as it was', () => {
    expect(code).toMatch(/x \* 3/);
  });
});

/* `sum` and `n` are names that a bundle gives to other things too; helpers stand above and below what uses them. */
const kernels = `import { active, inlined, kernel, lowerKernel, sum, type Grid1 } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { printKernel } from '@filigree/ir';
import { offset as n } from './offset.js';

const u = field('u', 'f32');
const grid = layout(dense(i, 16).place(u));

export function shifted(x: number): number {
  return x + n;
}
const damped = (x: number, by: number): number => shifted(x) * by * half;

const make = (n: number) =>
  kernel([u], (u: Grid1) => {
    for (const i of active(u)) u[i] = damped(u[i], n) + below(i);
    return sum(active(u), (i) => square(u[i]));
  });
const square = inlined((x: number): number => x * x);
const half = 0.5;
function below(i: number): number {
  return i - half;
}

const lowered = lowerKernel(make(3), grid);
export const text = lowered._tag === 'Left' ? JSON.stringify(lowered.left) : printKernel(lowered.right.kernel);
`;

describe('kernels', () => {
  const colliding = `const sum = 1, n = 2; export * from './kernels.ts'; export { sum, n };`;

  /** The kernel IR of a module of kernels, bundled. */
  const irOf = async (name: string, code: string, bundle: string, options: esbuild.BuildOptions): Promise<string> => {
    await writeFile(join(folder, 'kernels.ts'), code);
    const result = await esbuild.build({
      stdin: { contents: bundle, resolveDir: folder },
      bundle: true,
      write: false,
      format: 'esm',
      external: ['@filigree/*'],
      logLevel: 'silent',
      ...options,
    });
    return ((await load(name, result.outputFiles![0].text)) as unknown as { text: string }).text;
  };

  it.each([false, true])('mean what their source means where names collide, minified: %s', async (minify) => {
    const listed = kernels
      .replace("import { offset as n } from './offset.js';", '')
      .replace('x + n', 'x + offset')
      .replace('kernel([u], (u', 'kernel([u], { scope: { damped, below, square, shifted, half, offset: 10, n } }, (u');
    const expected = await irOf(`listed-${minify}`, listed, "export * from './kernels.ts';", {});
    expect(expected).toContain('field.for');
    expect(await irOf(`kept-${minify}`, kernels, colliding, { minify, plugins: [filigreeEsbuild()] })).toBe(expected);
  });

  it.each([false, true])('use classes, and what constants hold, as their source says, minified: %s', async (minify) => {
    const of = (
      body: string,
      scope: string,
    ): string => `import { active, kernel, lowerKernel, type Grid1 } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { printKernel } from '@filigree/ir';

const u = field('u', 'f32');
const by = 3;
const square = (x: number): number => x * x * by;
abstract class Shape {
  abstract area(): number;
  scaled(k: number): number {
    return k * by * this.area();
  }
}
class Disc extends Shape {
  constructor(readonly r: number) {
    super();
  }
  static of(r: number): Disc {
    return new Disc(r + by);
  }
  area(): number {
    return square(this.r);
  }
}
const shapes: Shape[] = [new Disc(1), new Disc(2)];
const words = { twice: (x: number): number => 2 * x * by, thrice(x: number) { return 3 * square(x); }, laws: [square, (x: number): number => x + by] };

const step = kernel([u], ${scope}(u: Grid1) => {
  for (const k of active(u)) u[k] = ${body};
});
const lowered = lowerKernel(step, layout(dense(i, 16).place(u)));
export const text = lowered._tag === 'Left' ? JSON.stringify(lowered.left) : printKernel(lowered.right.kernel);
`;
    const name = 'const by = 1, square = 2; export * from "./kernels.ts"; export { by, square };';
    const all = '{ scope: { by, square, Shape, Disc, shapes, words } }, ';
    for (const [n, body] of [
      'Disc.of(u[k]).scaled(2)',
      'shapes[k % 2].scaled(u[k])',
      'words.twice(u[k]) + words.thrice(u[k]) + words.laws[1](u[k])',
    ].entries()) {
      /* esbuild calls classes otherwise that name themselves. */
      const plain = of(body.replace('Disc.of(u[k])', 'new Disc(u[k] + by)'), all);
      const expected = await irOf(`told-${n}-${minify}`, plain, "export * from './kernels.ts';", {});
      expect(expected).toContain('field.for');
      const built = { minify, plugins: [filigreeEsbuild()] };
      expect(await irOf(`found-${n}-${minify}`, of(body, ''), name, built)).toBe(expected);
    }
  });

  it.each([false, true])('use what functions of the module make, minified: %s', async (minify) => {
    const of = (
      made: string,
      scope = '',
    ): string => `import { active, kernel, lowerKernel, type Grid1 } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { printKernel } from '@filigree/ir';

const u = field('u', 'f32');
const rate = (x: number): number => 2 - x;
${made}
const update = kernel([u], ${scope}(u: Grid1) => {
  for (const k of active(u)) u[k] = both(u[k]) + step(u[k]) * twice(u[k]) + laws[1](u[k]);
});
const lowered = lowerKernel(update, layout(dense(i, 16).place(u)));
export const text = lowered._tag === 'Left' ? JSON.stringify(lowered.left) : printKernel(lowered.right.kernel);
`;
    const factories = `
const scaledBy = (k: number) => (x: number): number => k * x;
function integrator(h: number) {
  const step = (x: number): number => x + h * rate(x);
  return h > 0 ? { step, twice: (x: number): number => step(step(x)) } : { step, twice: step };
}
const compose = (...all: ((x: number) => number)[]) => {
  return (x: number): number => all.reduce((y, f) => f(y), x);
};
const both = compose(scaledBy(0.5), (x: number): number => x - 1);
const { step, twice } = integrator(0.25);
const laws = [3, 5].map(scaledBy);`;
    const plain = `
const both = (x: number): number => 0.5 * x - 1;
const step = (x: number): number => x + 0.25 * rate(x);
const twice = (x: number): number => step(step(x));
const laws = [(x: number): number => 3 * x, (x: number): number => 5 * x];`;
    const told = of(plain, '{ scope: { rate, both, step, twice, laws } }, ');
    const expected = await irOf(`plain-${minify}`, told, "export * from './kernels.ts';", {});
    expect(expected).toContain('field.for');
    const built = { minify, plugins: [filigreeEsbuild()] };
    expect(await irOf(`made-${minify}`, of(factories), "export * from './kernels.ts';", built)).toBe(expected);
  });

  it('call what they are given as their author does, where something around them has its name', async () => {
    const around = kernels
      .replace('const make =', 'const by = 2, weights = [by];\nconst make =')
      .replace(
        'kernel([u], (u: Grid1) => {',
        "kernel([u, 'f32', array('f32', 4)], (u: Grid1, by: number, weights: Float32Array) => {",
      )
      .replace('damped(u[i], n)', 'damped(u[i], n) * by * weights[0]')
      .replace('active, inlined', 'active, array, inlined');
    const ir = await irOf('around', around, colliding, { plugins: [filigreeEsbuild()] });
    expect(ir).toContain('(%by: f32, %weights_length: i32)');
  });

  it('may come from the entry of kernels alone', async () => {
    const alone = kernels.replace("'@filigree/lang'", "'@filigree/lang/kernels'");
    const [all, part] = [
      await irOf('of-all', kernels, colliding, { minify: true, plugins: [filigreeEsbuild()] }),
      await irOf('of-kernels', alone, colliding, { minify: true, plugins: [filigreeEsbuild()] }),
    ];
    expect(part).toContain('field.for');
    expect(part).toBe(all);
  });

  it('are refused without it where names have changed', async () => {
    expect(await irOf('without', kernels, colliding, { minify: true })).toContain('lang/unbound');
  });
});

describe('transform', () => {
  it('returns nothing for a module without marks', () => {
    expect(transform('export const f = (x) => x * 2;', 'a.js')).toBeUndefined();
    expect(transform("import { symbolic } from 'elsewhere'; symbolic((x) => x * 2);", 'a.js')).toBeUndefined();
  });

  it.each(['@filigree/lang', '@filigree/lang/numeric', 'filigree'])('knows the words of %s', (name) => {
    const result = transform(`import { symbolic } from '${name}'; symbolic((x) => x * 2);`, 'a.js');
    expect(result?.code).toContain('$mul(x');
  });

  it('rewrites a whole module by its directive', () => {
    const result = transform(
      "'use symbolic';\nexport const f = (x) => x * 2;\nexport class V { twice(x) { return x + x; } }",
      'a.js',
    );
    expect(result?.code).toContain('$mul(x');
    expect(result?.code).toContain('$add(x');
    expect(result?.code.startsWith("'use symbolic';")).toBe(true);
  });

  it('rewrites what constants hold that are used: functions and classes of objects, in objects and lists in each other', () => {
    const { code } = transform(
      `import { symbolic } from '@filigree/lang';
const square = (x) => x * x;
class Base { half(x) { return x / 2; } }
class Law extends Base { twice(x) { return x + x; } }
const laws = { list: [square, (x) => x - 1], law: new Law(), more: { ...{ f(x) { return x % 3; } } } };
const other = { untouched: (x) => x ** 7 };
export const f = symbolic((x) => laws.list[1](x) + laws.law.twice(x));
export const g = (x) => other.untouched(x) * laws.list.length;`,
      'a.js',
    )!;
    for (const word of ['$mul(x', '$div(x', '$add(x', '$sub(x', '$rem(x']) expect(code).toContain(word);
    expect(code).toContain('x ** 7');
  });

  it('takes the operations from where it is told, and can leave the source text out', () => {
    const options = { ops: { module: './my-ops.js', name: 'mine' }, frames: false };
    const result = transform("export function f(x) { 'use symbolic'; return x * 2; }", 'dir/a.js?v=1', options);
    expect(result?.code).toContain("import { mine as $numericOps } from './my-ops.js'");
    expect(result?.code).toContain('{"file":"dir/a.js"}');
  });

  it('fails at the place of what it cannot rewrite', () => {
    try {
      transform("import { symbolic } from '@filigree/lang';\nexport const f =\n  symbolic(async (x) => x);", 'a.js');
      expect.unreachable();
    } catch (e) {
      expect((e as DiagnosticError).diagnostics).toMatchObject([
        { code: 'lang/unsupported-syntax', loc: { file: 'a.js', line: 3, column: 12 } },
      ]);
    }
  });

  it('becomes an error of esbuild at its place', async () => {
    const bad = join(folder, 'bad.ts');
    await writeFile(
      bad,
      "const x: number = 1;\nexport async function f(): Promise<number> {\n  'use symbolic';\n  return x;\n}\n",
    );
    const build = esbuild.build({
      entryPoints: [bad],
      bundle: true,
      write: false,
      plugins: [filigreeEsbuild()],
      logLevel: 'silent',
    });
    await expect(build).rejects.toMatchObject({
      errors: [{ text: expect.stringContaining('lang/unsupported-syntax') as string, location: { line: 2 } }],
    });
  });
});

/* Every way to write a function that begins with the directive; all use something of the module, which bundlers rename. */
const forms = `import { symbolic } from '@filigree/lang';
const scale = 3;
const twice = (x: number): number => 2 * x;

export function declared(x: number): number { 'use symbolic'; return twice(x) + scale; }
export const arrow = (x: number): number => { 'use symbolic'; return twice(x) + scale; };
export const expression = function (x: number): number { 'use symbolic'; return twice(x) + scale; };
export default function (x: number): number { 'use symbolic'; return twice(x) + scale; }
const holder = {
  property: (x: number): number => { 'use symbolic'; return twice(x) + scale; },
  method(x: number): number { 'use symbolic'; return twice(x) + scale; },
  'quoted name'(x: number): number { 'use symbolic'; return twice(x) + scale; },
  functional: function (x: number): number { 'use symbolic'; return twice(x) + scale; },
  deep: { inside: [(x: number): number => { 'use symbolic'; return twice(x) + scale; }] },
};
class Shape {
  static fixed(x: number): number { 'use symbolic'; return twice(x) + scale; }
  area(x: number): number { 'use symbolic'; return twice(x) + scale; }
  field = (x: number): number => { 'use symbolic'; return twice(x) + scale; };
}
const made = (by: number) => (x: number): number => { 'use symbolic'; return twice(x) + by; };
const within = () => {
  function local(x: number): number { 'use symbolic'; return twice(x) + scale; }
  const constant = (x: number): number => { 'use symbolic'; return twice(x) + scale; };
  return { local, constant };
};
const given = (f: (x: number) => number) => f;
const { local, constant } = within();
export const all: Readonly<Record<string, (x: number) => number>> = {
  declared, arrow, expression, local, constant,
  property: holder.property, method: holder.method, quoted: holder['quoted name'], functional: holder.functional,
  deep: holder.deep.inside[0],
  fixed: Shape.fixed, area: new Shape().area, field: new Shape().field,
  made: made(scale),
  given: given((x) => { 'use symbolic'; return twice(x) + scale; }),
};
export const asTheyAre = Object.entries(all).filter(([, f]) => symbolic(f) !== f).map(([name]) => name);
`;

const namespace = `
namespace Rules {
  const offset = 4.25;
  export const birth = 6.5;
  export function shifted(x: number): number { return x + offset; }
  const laws = new Map([['twice', (x: number): number => x * factor]]);
  const factor = 2.125;
  type Law = (x: number) => number;
  const power = (by: number): Law => (x) => x ** by + 3.375;
  const both = (...all: Law[]): Law => (x) => all.reduce((s, f) => s + f(x), 5.625);
  const law = both(power(2), both(power(3)));
  export const next = (x: number): number => shifted(x) * birth + laws.get('twice')!(x) + law(x);
  export namespace Inner {
    export const last = (x: number): number => x / 8.75;
  }
}
`;

it('a file that is a bundle with a map of its own is bundled again', async () => {
  const bundled = join(folder, 'bundled.js');
  await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    outfile: bundled,
    sourcemap: true,
    format: 'esm',
    external: ['@filigree/*'],
  });
  const result = await esbuild.build({
    entryPoints: [bundled],
    bundle: true,
    write: false,
    outfile: join(folder, 'again.js'),
    sourcemap: 'external',
    format: 'esm',
    external: ['@filigree/*'],
    plugins: [filigreeEsbuild()],
    logLevel: 'silent',
  });
  const { sources } = JSON.parse(result.outputFiles.find(({ path }) => path.endsWith('.map'))!.text) as {
    sources: string[];
  };
  expect(sources.map((source) => basename(source)).sort()).toEqual(['area.ts', 'offset.ts']);
});

describe.each([false, true])('functions that begin with the directive, minified: %s', (minify) => {
  const bundles: Readonly<Record<string, (from: string) => Promise<string>>> = {
    esbuild: async (from) => {
      const result = await esbuild.build({
        entryPoints: [from],
        bundle: true,
        write: false,
        format: 'esm',
        minify,
        external: ['@filigree/*'],
        plugins: [filigreeEsbuild()],
        logLevel: 'silent',
      });
      return result.outputFiles[0].text;
    },
    rollup: async (from) => {
      const bundle = await rollup({ input: from, external: /^@filigree/, plugins: [stripTypes, filigreeRollup()] });
      const { output } = await bundle.generate({ format: 'esm' });
      return minify ? (await esbuild.transform(output[0].code, { minify, format: 'esm' })).code : output[0].code;
    },
    vite: async (from) => {
      const result = await viteBuild({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        build: {
          write: false,
          minify: minify ? 'esbuild' : false,
          lib: { entry: from, formats: ['es'] },
          rollupOptions: { external: /^@filigree/ },
        },
        plugins: [filigreeVite()],
      });
      const outputs = (Array.isArray(result) ? result : [result]) as { output: { code: string }[] }[];
      return outputs[0].output[0].code;
    },
  };

  it.each(Object.keys(bundles))('are taken as they are, and trace, by %s', async (name) => {
    const from = join(folder, 'forms.ts');
    await writeFile(from, forms);
    const {
      all,
      asTheyAre,
      default: unnamed,
    } = (await load(`forms-${name}-${minify}`, await bundles[name]!(from))) as unknown as {
      all: Readonly<Record<string, (x: unknown) => unknown>>;
      asTheyAre: readonly string[];
      default: (x: unknown) => unknown;
    };
    expect(asTheyAre).toEqual([]);
    for (const [form, f] of Object.entries({ ...all, unnamed })) {
      expect(f(5), form).toBe(13);
      const graph = new Graph();
      const traced = f(new Sym(graph, graph.variable())) as Sym;
      expect(evaluateGraph(graph, [traced.id], [5])[0], form).toBe(13);
    }
  });

  it.each(Object.keys(bundles))(
    'kernels made through words that a file hands on keep their meaning, by %s',
    async (name) => {
      await writeFile(join(folder, 'words.ts'), "export * from '@filigree/lang';\n");
      const from = join(folder, `handed-${name}-${minify}.ts`);
      await writeFile(
        from,
        kernels
          .replace("from '@filigree/lang'", "from './words.ts'")
          .replace("import { offset as n } from './offset.js';", 'const n = 10;'),
      );
      const { text } = (await load(`handed-${name}-${minify}`, await bundles[name]!(from))) as unknown as {
        text: string;
      };
      expect(text).toContain('field.for');
    },
  );

  it.each(Object.keys(bundles))(
    'functions of namespaces of TypeScript are found with what they use, by %s',
    async (name) => {
      const from = join(folder, `within-${name}-${minify}.ts`);
      await writeFile(
        from,
        kernels
          .replace('const lowered', `${namespace}const lowered`)
          .replace("import { offset as n } from './offset.js';", 'const n = 10;')
          .replace('square(u[i])', 'Rules.next(u[i]) + Rules.Inner.last(u[i])'),
      );
      const { text } = (await load(`within-${name}-${minify}`, await bundles[name]!(from))) as unknown as {
        text: string;
      };
      for (const number of ['4.25', '6.5', '8.75', '2.125', '3.375', '5.625']) expect(text).toContain(number);
    },
  );

  it.each(Object.keys(bundles))('and so do those through a namespace, by %s', async (name) => {
    const from = join(folder, `spaced-${name}-${minify}.ts`);
    await writeFile(
      from,
      kernels
        .replace('import { active, inlined, kernel,', "import * as F from '@filigree/lang';\nimport { active,")
        .replace('kernel([u]', 'F.kernel([u]')
        .replace('= inlined(', '= F.inlined(')
        .replace("import { offset as n } from './offset.js';", 'const n = 10;'),
    );
    const { text } = (await load(`spaced-${name}-${minify}`, await bundles[name]!(from))) as unknown as {
      text: string;
    };
    expect(text).toContain('field.for');
  });
});

it('says where a tagged method cannot be remembered', () => {
  expect(() =>
    transform("const k = 'a';\nexport const o = { [k](x) { 'use symbolic'; return x * 2; } };", 'a.js'),
  ).toThrow(/lang\/unsupported-syntax/);
});
