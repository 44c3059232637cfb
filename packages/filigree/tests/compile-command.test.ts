import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filigree, filigreeProcess, refusal, scratch, scratchFile, workingBackends } from './support.js';

/* A module outside the workspace finds no packages by name. */
const kernelLanguage = import.meta.resolve('filigree');

describe('filigree compile', () => {
  const module = scratchFile(
    'kernels.mjs',
    `const twice = (v) => 2 * v;
     export const double = { inputs: { x: 8 }, run: ({ x }) => ({ y: x.map((v) => twice(v)) }), scope: { twice } };
     export const dot = { inputs: { a: 8, b: 8 }, run: ({ a, b }) => ({ s: a.reduce((s, v, i) => s + v * b[i], 0) }) };
     export const other = 5;`,
  );
  let programs = 0;
  const programOf = (name: string, run: string): string =>
    scratchFile(name, `export const k = {\n  inputs: { x: 2 },\n  run: ${run},\n};\n`);

  it('reads TypeScript', async () => {
    const typed = scratchFile(
      'typed.ts',
      `const twice = (v: number): number => 2 * v;
       export const k = { inputs: { x: 3 }, run: ({ x }: { x: number[] }) => { const half = (v: number) => v / 2; return { y: x.map((v) => twice(half(v))) }; }, scope: { twice } };`,
    );
    const { status, out } = await filigree('compile', typed, '--json', '--backend', 'wasm');
    expect([status, JSON.parse(out)]).toMatchObject([0, { kernels: [{ name: 'k' }] }]);
  });

  /* What loads TypeScript prints it anew, in one line and without types. */
  it.each<readonly [string, string, number, string]>([
    ['lang/symbolic-branch', 'traced', 12, 'if (v > 0)'],
    ['lang/unsupported-syntax', 'within', 21, 'async function g()'],
    ['lang/unbound', 'sim', 31, 'x[n] = s.by * nobody'],
  ])('says %s at its place in TypeScript: %s', async (code, name, line, shown) => {
    const typed = scratchFile(
      `places-${name}.mts`,
      `import { dense, field, i, kernel, layout, range } from ${JSON.stringify(kernelLanguage)};

interface Settings {
  readonly by: number;
}

export const traced = {
  inputs: { x: 3 },
  run: ({ x }: { x: number[] }) => {
    const y: number[] = [];
    for (const v of x) {
      if (v > 0) y.push(v as number);
    }
    return { y };
  },
};
export const within = {
  inputs: { x: 3 },
  run: ({ x }: { x: number[] }) => {
    const all: number[] = x.map((v: number): number => 2 * v);
    async function g(): Promise<number> {
      return all[0];
    }
    return { y: [g()] };
  },
};
const x = field('x', 'f64', { axes: i });
const k = kernel([x], { scope: { range } }, (x) => {
  for (const n of range(8)) {
    const s: Settings = { by: 3 };
    x[n] = s.by * nobody;
  }
});
export const sim = { layout: layout(dense(i, 8).place(x)), kernels: { k } };
`,
    );
    expect(await refusal('compile', typed, '--export', name, '--backend', 'wasm')).toMatchObject({
      code,
      loc: { file: expect.stringMatching(/places-\w+\.mts$/) as string, line },
    });
    expect((await filigree('compile', typed, '--export', name, '--backend', 'wasm')).err).toContain(shown);
  });

  /* Such a module is run from a `data:` address, and 1.0 is printed as 1 there. */
  it('takes kernels in TypeScript as they are written where the package around is no ES module', async () => {
    const text = (
      value: string,
    ): string => `import { dense, field, i, kernel, layout, range } from ${JSON.stringify(kernelLanguage)};

const x = field('x', 'f64', { axes: i });
const grown = (): number => {
  let s = 1.0;
  for (let k = 0; k < 4; k++) s *= 100000;
  return s;
};
const other = (): number => {
  let s = 1;
  for (let k = 0; k < 4; k++) s *= 100000;
  return s;
};
const k = kernel([x], { scope: { grown, other } }, (x) => {
  for (const n of range(8)) x[n] = ${value};
});
export const sim = { layout: layout(dense(i, 8).place(x)), kernels: { k } };
`;
    const wrong = scratchFile('numerals-wrong.ts', text('grown() + nobody'));
    expect(await refusal('compile', wrong, '--backend', 'wasm')).toMatchObject({
      code: 'lang/unbound',
      loc: { file: expect.stringMatching(/numerals-wrong\.ts$/) as string, line: 15 },
    });
    const code = async (value: string): Promise<string> => {
      const folder = join(scratch, `numerals-${value.slice(0, 5)}`);
      const file = scratchFile('numerals.ts', text(value));
      expect((await filigree('compile', file, '--backend', 'wasm', '--emit', folder)).status).toBe(0);
      return readFileSync(join(folder, 'sim', 'kernels.wat'), 'utf8');
    };
    expect(await code('grown()')).toContain('f64.mul');
    expect(await code('other()')).toContain('i32.mul');
  });

  it.each(['async ({ x }) => ({ y: x })', 'function* ({ x }) { yield x; }'])(
    'refuses what is no plain function, also where it is not rewritten: %s',
    async (run) => {
      const file = scratchFile(
        `later-${programs++}.mjs`,
        `export const k = { inputs: { x: 2 }, rewrite: false, run: ${run} };`,
      );
      expect((await refusal('compile', file, '--backend', 'wasm')).code).toBe('trace/outputs');
    },
  );

  it('writes nothing when one of the programs is wrong', async () => {
    const folder = join(scratch, 'half');
    const two = scratchFile(
      'two.mjs',
      `export const a = { inputs: { x: 1 }, run: ({ x }) => ({ y: x[0] * 2 }) };
       export const b = { inputs: { x: 1 }, run: ({ x }) => ({ y: x[0] / 0 }) };`,
    );
    expect(
      (await refusal('compile', two, '--backend', 'wasm', '--arithmetic', 'algebraic', '--emit', folder)).code,
    ).toBe('trace/not-a-number');
    expect(existsSync(folder)).toBe(false);
  });

  it.each<readonly [code: string, line: number, run: string]>([
    ['lang/symbolic-branch', 4, '({ x }) => {\n    if (x[0] > 0) return { y: 1 };\n    return { y: 2 };\n  }'],
    ['lang/symbolic-branch', 4, 'function ({ x }) {\n    while (x[0] > 0) x[1]++;\n    return { y: x };\n  }'],
    ['lang/non-numeric', 4, '({ x }) => ({\n    y: x[0] * { two: 2 },\n  })'],
    ['trace/not-a-number', 3, '({ x }) => ({ y: x.map((v) => (v - v) / (v - v)) })'],
    ['program/threw', 4, "() => {\n    throw new Error('my own');\n  }"],
    ['program/outputs', 3, '({ x }) => x'],
  ])('says %s at line %i of the module', async (code, line, run) => {
    const file = programOf(`program-${programs++}.mjs`, run);
    const level = ['--arithmetic', 'algebraic'];
    expect(await refusal('compile', file, '--backend', 'wasm', ...level)).toMatchObject({ code, loc: { file, line } });
    expect((await filigree('compile', file, '--backend', 'wasm', ...level)).err).toMatch(
      new RegExp(`^> ${line} \\| `, 'm'),
    );
  });

  it('warns of what is NaN whatever the inputs, where its program begins', async () => {
    const file = programOf(`program-${programs++}.mjs`, '({ x }) => ({ y: [x[0], x[0] * (0 / 0)] })');
    const { status, err } = await filigree('compile', file, '--backend', 'wasm');
    expect(status).toBe(0);
    expect(err).toMatch(/:3:\d+: warning\[trace\/not-a-number\]: element 1 of output 'y'/);
  });

  it('compiles the programs that a module exports', async () => {
    const folder = join(scratch, 'compiled');
    const { status, out } = await filigree('compile', module, '--json', '--backend', 'wasm', '--emit', folder);
    expect(status).toBe(0);
    const { kernels, ms } = JSON.parse(out) as {
      kernels: { name: string; tasks: number; sources: string[] }[];
      ms: object;
    };
    expect(kernels.map((k) => k.name).sort()).toEqual(['dot', 'double']);
    for (const k of kernels) {
      expect(k.tasks).toBeGreaterThan(0);
      for (const s of k.sources) expect(existsSync(s)).toBe(true);
    }
    expect(Object.keys(ms)).toEqual(['trace', 'analyse', 'generate', 'compile']);
    expect(
      JSON.parse((await filigree('compile', module, '--export', 'dot', '--json', '--backend', 'wasm')).out),
    ).toMatchObject({
      kernels: [{ name: 'dot' }],
    });
  });

  const fields = scratchFile(
    'fields.mjs',
    `import { active, dense, field, ij, kernel, layout, range } from ${JSON.stringify(kernelLanguage)};
     const u = field('u', 'f32');
     const v = field('v', 'f32');
     export const fill = kernel([u], (u) => { for (const i of range(8)) u[i][i] = i; });
     const copy = kernel([u, v], (u, v) => {
       for (const [i, j] of active(u)) v[i][j] = u[i][j];
       for (const [i, j] of active(v)) v[i][j] += u[i][j];
     });
     export const sim = { layout: layout(dense(ij, 8).place(u, v)), kernels: { fill, copy } };
     export const bad = { layout: layout(dense(ij, 8).place(u)), kernels: { copy } };`,
  );

  it.each(workingBackends)('compiles kernels with the layout of their fields on %s', async (backend) => {
    const folder = join(scratch, `fields-${backend}`);
    const { status, out } = await filigree(
      ...['compile', fields, '--export', 'sim', '--json', '--backend', backend, '--emit', folder],
    );
    const { kernels } = JSON.parse(out) as { kernels: { name: string; tasks: number; sources: string[] }[] };
    expect(status).toBe(0);
    expect(kernels.map(({ name, tasks }) => [name, tasks])).toEqual([
      ['sim.fill', 1],
      ['sim.copy', 2],
    ]);
    for (const k of kernels) for (const s of k.sources) expect(existsSync(s)).toBe(true);
  });

  /* In a folder of its own, by node alone: nothing of Filigree is found there. */
  const runAlone = (folder: string, text: string): unknown => {
    writeFileSync(join(folder, 'main.mjs'), `import { open } from './host.mjs';\nconst made = await open();\n${text}`);
    return JSON.parse(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' }));
  };
  /** What the compiler says of each text beside the host of its folder. */
  const typesOf = (texts: readonly (readonly [folder: string, text: string])[]): readonly (readonly string[])[] => {
    const mains = texts.map(([folder, text], k) => {
      const main = join(folder, `main-${k}.mts`);
      writeFileSync(main, `import { open } from './host.mjs';\nconst made = await open();\n${text}`);
      return main;
    });
    const strict = { strict: true, noEmit: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 };
    const made = ts.createProgram(mains, { ...strict, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] });
    return mains.map((main) =>
      ts
        .getPreEmitDiagnostics(made, made.getSourceFile(main))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
    );
  };

  it('writes what runs by itself, with its types, for WebAssembly', async () => {
    const file = scratchFile(
      'hosted.mjs',
      `import { active, dense, field, hash, i, ij, kernel, layout, range, vectorField } from ${JSON.stringify(kernelLanguage)};
       const [u, v, w] = [field('u', 'f32', { ambient: -0.5 }), field('v', 'i64'), field('w', 'f64')];
       const p = vectorField('p', 'f64', 2);
       const step = kernel([u, v, w, p, 'f32', 'i64'], (u, v, w, p, by, till) => {
         for (const [a, b] of active(u)) u[a][b] += by * a;
         for (const a of range(8)) { v[a] += till; w[a] += 1; w[a] += v[a]; p[a][1] = w[a]; }
       });
       export const sim = { layout: layout(dense(ij, 8).place(u), dense(i, 8).place(v), dense(i, 8).place(p), hash(i, 8).place(w)), kernels: { step }, fields: { u, v, w, middle: p }, budget: 2 ** 20 };
       export const sums = { inputs: { x: 8, delete: 2 }, run: ({ x, delete: d }) => ({ y: x.map((e, k) => e * d[k % 2] + x[(k + 1) % 8]) }) };`,
    );
    const folder = join(scratch, 'hosted');
    const { status, out } = await filigree('compile', file, '--json', '--backend', 'wasm', '--emit', folder);
    expect(status).toBe(0);
    const { kernels } = JSON.parse(out) as { kernels: { sources: string[] }[] };
    for (const { sources } of kernels)
      expect(sources.map((s) => basename(s))).toEqual(
        expect.arrayContaining(['kernels.wat', 'kernels.wasm', 'tables.bin', 'host.mjs', 'host.d.mts']),
      );

    const traced = `for (const run of Object.values(made.kernels)) run();\n`;
    expect(
      runAlone(
        join(folder, 'sums'),
        `made.buffers.x.set([1, 2, 3, 4, 5, 6, 7, 8]);\nmade.buffers.delete.set([10, 100]);\n${traced}console.log(JSON.stringify([...made.buffers.y]));`,
      ),
    ).toEqual(Array.from({ length: 8 }, (_, k) => (k + 1) * (k % 2 ? 100 : 10) + ((k + 1) % 8) + 1));
    expect(
      runAlone(
        join(folder, 'sim'),
        `for (const seed of [0, 0]) made.kernels.step(0.25, 3);
         const { u, v, middle } = made.fields;
         console.log(JSON.stringify([Object.keys(made.fields), [...u], [...v].map(Number), [...middle]]));`,
      ),
    ).toEqual([
      ['u', 'v', 'middle'],
      Array.from({ length: 64 }, (_, k) => -0.5 + 2 * 0.25 * Math.floor(k / 8)),
      new Array<number>(8).fill(6),
      Array.from({ length: 16 }, (_, k) => (k % 2) * 11),
    ]);

    const [sums, sim] = [join(folder, 'sums'), join(folder, 'sim')];
    expect(
      typesOf([
        [sums, 'made.buffers.x.set([1]); for (const run of Object.values(made.kernels)) run();'],
        [sim, 'made.kernels.step(0.25, 3n); const u: Float32Array = made.fields.u;'],
        [sim, "made.kernels.step('much', 3); made.fields.w;"],
      ]),
    ).toEqual([
      [],
      [],
      [
        "Argument of type 'string' is not assignable to parameter of type 'number'.",
        expect.stringContaining("Property 'w' does not exist"),
      ],
    ]);
  }, 120_000);

  it.skipIf(!workingBackends.includes('cpp'))(
    'says where the compiled code is, where there is a file of it',
    async () => {
      for (const file of [module, fields]) {
        const options = ['compile', file, '--backend', 'cpp', ...(file === fields ? ['--export', 'sim'] : [])];
        const { kernels } = JSON.parse((await filigree(...options, '--json')).out) as {
          kernels: { artifact: string }[];
        };
        expect(kernels.length).toBeGreaterThan(0);
        for (const k of kernels) expect(existsSync(k.artifact)).toBe(true);
        expect((await filigree(...options)).out).toContain(`compiled code  ${kernels[0]!.artifact}`);
      }
    },
  );

  it('names the field of a kernel that the layout lacks', async () => {
    expect(await refusal('compile', fields, '--export', 'bad', '--backend', 'wasm')).toMatchObject({
      code: 'lang/not-placed',
    });
  });

  it('asks for the layout of a kernel that stands alone', async () => {
    expect(await refusal('compile', fields, '--export', 'fill', '--backend', 'wasm')).toMatchObject({
      code: 'compile/no-program',
      remedy: 'export const sim = { layout: layout(…), kernels: { fill } }',
    });
  });

  it.each<readonly [string, readonly string[]]>([
    ['file/missing', [join(scratch, 'nowhere.mjs')]],
    ['file/folder', [scratch]],
    ['compile/export', [module, '--export', 'none']],
    ['compile/no-program', [module, '--export', 'other']],
    ['module/failed', [scratchFile('throws.mjs', 'throw new Error("no")')]],
  ])('refuses with %s', async (code, argv) => {
    expect((await refusal('compile', ...argv, '--backend', 'wasm')).code).toBe(code);
  });

  /* In a process of its own, where node itself loads modules. */
  it.each([
    ['stops.mjs', 'export const x = 1;\n  throw new Error("no");', 2, 9],
    ['syntax.mjs', 'export const x = 1;\nexport const y = ;', 2, 18],
    ['syntax.cjs', 'const x = 1;\nconst y = ;', 2, 1],
    ['syntax.ts', 'export const x = 1;\nexport const y: number = ;', 2, 25],
  ])('names the place in %s where it cannot be loaded', async (name, text, line, column) => {
    const { status, out } = await filigreeProcess(['compile', scratchFile(name, text), '--backend', 'wasm', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([1, { error: { code: 'module/failed', loc: { line, column } } }]);
  });

  it.each([
    [
      'object.cjs',
      'module.exports = { square: { inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] * x[1] }) }, other: 5 };',
    ],
    ['computed.cjs', "const k = 'square'; exports[k] = { inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] * x[1] }) };"],
    ['object.mjs', 'export default { square: { inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] * x[1] }) } };'],
  ])('finds the programs of %s', async (name, text) => {
    const file = scratchFile(name, text);
    const { status, out } = await filigreeProcess(['compile', file, '--backend', 'wasm', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([0, { kernels: [{ name: 'square' }] }]);
  });

  it('keeps what a module prints out of its answer', async () => {
    const file = scratchFile(
      'prints.mjs',
      `console.log('loaded');
       export const k = { inputs: { x: 2 }, run: ({ x }) => { console.log('traced'); return { y: x[0] + x[1] }; } };`,
    );
    const { status, out, err } = await filigreeProcess(['compile', file, '--backend', 'wasm', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([0, { kernels: [{ name: 'k' }] }]);
    expect(err).toMatch(/^loaded$/m);
    expect(err).toMatch(/^traced$/m);
  });

  it('says so where a module never ends loading', async () => {
    const file = scratchFile('waits.mjs', 'await new Promise(() => {});');
    const { status, out } = await filigreeProcess(['compile', file, '--backend', 'wasm', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([1, { error: { code: 'module/failed' } }]);
  });

  it.each([
    ['process.exit()', 0, 'process.exit();'],
    [
      'process.exit(3) in a program',
      3,
      'export const k = { inputs: {}, run: () => process.exit(3), scope: { process } };',
    ],
    [
      'an error that nobody catches',
      1,
      "setTimeout(() => { throw new Error('late'); }); await new Promise((go) => setTimeout(go, 1e4));",
    ],
  ])('has an answer where %s ends the process', async (_, ended, text) => {
    const file = scratchFile(`ends-${ended}.mjs`, text);
    const { status, out, err } = await filigreeProcess(['compile', file, '--backend', 'wasm', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([1, { error: { code: 'cli/ended' } }]);
    expect(err).toContain(`error[cli/ended]: the process ended, with status ${ended}, before the command was done`);
  });
});
