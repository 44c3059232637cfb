import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filigreeProcess, refusal, scratch, scratchFile } from './support.js';

/* A folder outside of the workspace that has installed the packages. */
const outside = join(scratch, 'outside');
mkdirSync(outside);
symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(outside, 'node_modules'));
const outsideFile = (name: string, text: string): string => {
  writeFileSync(join(outside, name), text);
  return join(outside, name);
};

const extension = outsideFile(
  'signal.mjs',
  `import { wasm } from '@filigree/backend-wasm';
   import { defineElementwise, definePass, dialect, isFloat, mapKernels, rewriteOps } from '@filigree/ir';
   export const cube = (x) => x * x * x;
   const ops = dialect('signal', [
     defineElementwise(
       {
         name: 'signal.cube',
         summary: 'x * x * x',
         verify: (op) => (op.operands.length === 1 && isFloat(op.operands[0].type) ? [] : ['takes one float']),
         resultTypes: ([x]) => [x.type],
       },
       () => cube,
     ),
   ]);
   const written = (b, { operands: [x] }) => b.mul(b.mul(x, x), x);
   const spell = (options, dialects) =>
     definePass('spell-cubes', {}, (module) =>
       mapKernels(module, (k) =>
         rewriteOps(k, dialects, (op, { build }) => (op.name === 'signal.cube' ? build((b) => written(b, op)) : undefined), module.buffers),
       ),
     )(options);
   export const extension = {
     name: 'signal',
     dialects: [ops],
     intrinsics: { cube: { fn: cube, op: 'signal.cube' } },
     spellings: { 'signal.cube': { core: written } },
     passes: { 'spell-cubes': spell },
     backends: { mine: ({ extensions }) => ({ ...wasm({ extensions }), name: 'mine' }) },
   };`,
);

const cubes = outsideFile(
  'cubes.mjs',
  `import { active, dense, field, i, kernel, layout } from 'filigree';
   import { cube } from './signal.mjs';
   const x = field('x', 'f64');
   const all = kernel([x], { scope: { cube, active } }, (u) => {
     for (const n of active(u)) u[n] = cube(u[n]);
   });
   export const sim = { layout: layout(dense(i, 8).place(x)), kernels: { all } };
   export const own = { ...sim, backend: 'mine' };`,
);

const text = outsideFile(
  'cubes.fil',
  `module @m {
  buffer @x : f64[8] inout
  kernel @k() {
    %0 = arith.constant {value = 2} : i32
    %1 = mem.load %0 {buffer = @x} : f64
    %2 = signal.cube %1 : f64
    mem.store %2, %0 {buffer = @x}
    scf.yield
  }
}
`,
);

describe('an extension that --use names', () => {
  const use = ['--use', extension];

  it('brings a backend, which devices lists behind those of this version', async () => {
    const { status, out } = await filigreeProcess(['devices', '--json', ...use]);
    expect(status).toBe(0);
    const { backends } = JSON.parse(out) as { backends: { name: string; usable: boolean }[] };
    expect(backends.slice(0, 2).map((b) => b.name)).toEqual(['cpp', 'wasm']);
    expect(backends.at(-1)).toMatchObject({ name: 'mine', usable: true });
  });

  it('brings ops and passes to opt', async () => {
    const { status, out, err } = await filigreeProcess(['opt', text, ...use, '--passes', 'spell-cubes,cse']);
    expect([status, err]).toEqual([0, '']);
    expect(out).toContain('arith.mul');
    expect(out).not.toContain('signal.cube');
    const without = await refusal('opt', text, '--passes', 'cse');
    expect([without.code, without.message]).toEqual(['verify/unknown-op', expect.stringContaining('signal.cube')]);
  });

  it('brings what fields are stored in to opt, by the name that it has in text', async () => {
    const tenths = outsideFile(
      'tenths.mjs',
      `const tenths = ({ bits = 8 }) => ({
         name: 'tenths',
         attrs: { bits },
         bits,
         refuses: (type) => (type === 'f64' ? undefined : 'it is for f64'),
         encode: (value) => Math.round(10 * Number(value)),
         decode: (code) => Number(code) / 10,
         emitEncode: (b, value) => b.cast(b.math('round', b.mul(value, b.f64(10))), bits > 8 ? 'u16' : 'u8'),
         emitDecode: (b, code) => b.div(b.cast(code, 'f64'), b.f64(10)),
       });
       export default { name: 'tenths', formats: { tenths } };`,
    );
    const stored = (format: string): string =>
      outsideFile(
        `${format}.fil`,
        `module @m {
  layout {
    dense (i: 4) {
      field @u : f64 as ${format} {bits = 12}
    }
  }
  kernel @k(%i: i32) {
    %0 = field.load %i {field = u} : f64
    field.store %0, %i {field = u}
    scf.yield
  }
}
`,
      );
    const { status, out, err } = await filigreeProcess(['opt', stored('tenths'), '--use', tenths]);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/arith\.constant \{value = 10\} : f64/);
    expect(out).toMatch(/arith\.cast .*\{.*to = u16.*\}/);
    expect((await refusal('opt', stored('tenths'))).message).toContain("'tenths', which is no format");
    const clash = outsideFile('fixed.mjs', `export default { name: 'mine', formats: { fixed: () => ({}) } };`);
    expect((await refusal('opt', stored('tenths'), '--use', clash)).code).toBe('extension/clash');
  });

  it('brings ops to regions, in the core ops that they are spelled with', async () => {
    const program = outsideFile(
      'cubed.fil',
      `module @cubed {
         buffer @A : f64[9] input
         buffer @C : f64[9] output
         kernel @k() {
           %0 = arith.constant {value = 0} : i32
           %1 = arith.constant {value = 1} : i32
           %9 = arith.constant {value = 9} : i32
           scf.for %0, %9, %1 {
           ^(%i: i32):
             %a = mem.load %i {buffer = @A} : f64
             %c = signal.cube %a : f64
             mem.store %c, %i {buffer = @C}
             scf.yield
           }
           scf.yield
         }
       }`,
    );
    const A = outsideFile('A.mtx', '%%MatrixMarket matrix coordinate pattern general\n9 1 2\n2 1\n7 1\n');
    const found = await filigreeProcess(['regions', program, '--bind', `A=${A}`, ...use, '--json']);
    expect(JSON.parse(found.out)).toMatchObject({ statements: [{ count: 2, dense: 9 }], check: { passed: true } });
  });

  it('brings words and a backend to compile, and a program names its own backend', async () => {
    const on = async (...options: string[]): Promise<readonly string[]> => {
      const { status, out, err } = await filigreeProcess(['compile', cubes, ...use, ...options, '--json']);
      expect(status, err).toBe(0);
      return (JSON.parse(out) as { kernels: { backend: string }[] }).kernels.map((k) => k.backend);
    };
    expect(await on('--backend', 'mine')).toEqual(['mine', 'mine']);
    expect((await on('--export', 'own'))[0]).toBe('mine');
    expect(await on('--export', 'own', '--backend', 'wasm')).toEqual(['wasm']);
  });

  it('brings the backend to expressions', async () => {
    const matrix = outsideFile('a.mtx', '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n');
    const { status, out } = await filigreeProcess([
      'expr',
      "A'*A",
      '--bind',
      `A=${matrix}`,
      ...use,
      '--backend',
      'mine',
      '--json',
    ]);
    expect([status, JSON.parse(out)]).toMatchObject([0, { backend: 'mine' }]);
  });

  it('is handed to examples with the backend itself', async () => {
    const gallery = outsideFile(
      'gallery.mjs',
      `export const gallery = { e: { name: 'e', rows: [], summary: '', run: async ({ backend, extensions }) => ({
         metrics: { made: typeof backend.emit.run, extensions: extensions.map((e) => e.name + ' of ' + e.from).join() },
         check: { passed: true }, ms: {} }) } };`,
    );
    const run = await filigreeProcess(['run', 'e', ...use, '--backend', 'mine', '--json'], {
      FILIGREE_GALLERY: gallery,
    });
    expect([run.status, JSON.parse(run.out)]).toMatchObject([
      0,
      { backend: 'mine', metrics: { made: 'function', extensions: `signal of ${extension}` } },
    ]);
  });

  it('clashes with one of the same name', async () => {
    const other = scratchFile('other.mjs', `export default { name: 'other', backends: { wasm: () => ({}) } };`);
    const { code, message } = await refusal('devices', '--use', other);
    expect([code, message]).toEqual([
      'extension/clash',
      `extensions 'filigree' and 'other' (${other}) both bring backends called 'wasm'`,
    ]);
  });
});

describe('a module that extends nothing', () => {
  it.each([
    ['use/form', 'export const x = 1;', /exports no extension: what it exports is undefined$/],
    ['use/form', 'export default [];', /what it exports is an array$/],
    ['extension/form', `export default { name: 'odd', dialects: {} };`, /'dialects' of extension 'odd'/],
    [
      'extension/backend',
      `export default { name: 'odd', backends: { odd: 5 } };`,
      /'odd' of extension 'odd' \(.*\) is 5$/,
    ],
    [
      'extension/backend',
      `export default { name: 'odd', backends: { odd: () => { throw new Error('no'); } } };`,
      /made: no$/,
    ],
    ['module/failed', `throw new Error('mine');`, /mine/],
  ])('is refused with %s: %s', async (code, contents, message) => {
    const file = scratchFile(`odd-${Math.abs(hash(contents))}.mjs`, contents);
    const said = await refusal('devices', '--use', file);
    expect(said.code).toBe(code);
    expect(said.message).toMatch(message);
  });

  it('or is not there', async () => {
    expect((await refusal('devices', '--use', './nowhere.mjs')).code).toBe('file/missing');
    expect((await refusal('devices', '--use', '@filigree/no-such')).code).toBe('use/missing');
  });
});

describe('--backend', () => {
  it('takes a module that exports a backend, or a function that makes one', async () => {
    const file = outsideFile(
      'backend.mjs',
      `import { wasm } from '@filigree/backend-wasm';
       export default ({ extensions }) => ({ ...wasm({ extensions }), name: 'from-file' });`,
    );
    const { status, out } = await filigreeProcess([
      'compile',
      cubes,
      '--use',
      extension,
      '--export',
      'sim',
      '--backend',
      file,
      '--json',
    ]);
    expect([status, JSON.parse(out)]).toMatchObject([0, { backend: 'from-file' }]);
    const { default: taken, backends } = JSON.parse((await filigreeProcess(['devices', '--backend', file, '--json'])).out); // prettier-ignore
    expect([taken, backends]).toEqual([
      'from-file',
      expect.arrayContaining([expect.objectContaining({ name: taken })]),
    ]);
  });

  it('says of one that is broken that it is, and whose defect it may be', async () => {
    const broken = (name: string, parts: string): string =>
      outsideFile(
        name,
        `import { wasm } from '@filigree/backend-wasm';
         export default async ({ extensions }) => ({ ...wasm({ extensions }), name: 'broken', ${parts} });`,
      );
    const use = (file: string): ReturnType<typeof refusal> =>
      refusal('compile', cubes, '--use', extension, '--export', 'sim', '--backend', file);
    const unsaid = broken('unsaid.mjs', 'probe: async () => undefined');
    expect(await use(unsaid)).toMatchObject({
      code: 'runtime/backend',
      message: 'the backend does not work here: broken: its probe gives undefined, and not whether it works',
    });
    const failing = broken('failing.mjs', `probe: () => Promise.reject(new Error('no probe'))`);
    expect((await use(failing)).message).toMatch(/broken: its probe failed: no probe$/);
    const legal = broken('legal.mjs', `legalize: { name: 'l', run: () => { throw new Error('not legal'); } }`);
    expect(await use(legal)).toMatchObject({
      message: 'not legal',
      remedy: expect.stringContaining(`a defect of ${extension} or ${legal}, or else of filigree`),
    });
  });

  it('refuses other modules, and names that are not known by those that are', async () => {
    const file = scratchFile('no-backend.mjs', 'export default { name: 5 };');
    expect(await refusal('compile', cubes, '--backend', file)).toMatchObject({
      code: 'runtime/backend',
      message: `'${file}' exports no backend: what it exports is an object`,
    });
    const thrower = scratchFile('thrower.mjs', `export default () => { throw new Error('not today'); };`);
    expect(await refusal('compile', cubes, '--backend', thrower)).toMatchObject({
      code: 'runtime/backend',
      message: `'${thrower}' makes no backend: not today`,
    });
    expect(await refusal('compile', cubes, '--backend', 'vulkan')).toMatchObject({
      code: 'runtime/backend',
      message: "there is no backend 'vulkan'",
      remedy: 'known backends: cpp, wasm, cuda, hip, metal',
    });
  });
});

const hash = (s: string): number => [...s].reduce((h, c) => (h * 31 + c.charCodeAt(0)) | 0, 7);
