import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const table = 'packages/ir/src/scalar/scalar-op.ts';
let root = '';

/** The sources of all packages; installed packages are linked, not copied. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'filigree-new-op-'));
  mkdirSync(join(root, 'node_modules/@filigree'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  cpSync(join(repository, 'packages'), join(root, 'packages'), {
    recursive: true,
    filter: (file) => !['dist', 'node_modules', 'tests', 'bench'].includes(basename(file)),
  });
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (!['@filigree', 'filigree'].includes(name) && !name.startsWith('.'))
      symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
  for (const name of readdirSync(join(root, 'packages')))
    symlinkSync(
      join(root, 'packages', name),
      join(root, 'node_modules', name === 'filigree' ? name : `@filigree/${name}`),
    );
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: root, env: { ...process.env, FILIGREE_ROOT: root }, encoding: 'utf8' });

/** A traced program, a kernel, and IR whose loop asks for lanes, on each backend that works here. */
const program = `
import { backends, compile, dense, field, i, kernel, layout, math, program, range } from 'filigree';
import { parseModule } from '@filigree/ir';
import { instantiate } from '@filigree/runtime';

const right = (either) => {
  if (either._tag === 'Left') throw new Error(JSON.stringify(either.left));
  return either.right;
};
const xs = Float64Array.of(0, 1e-9, 0.5, -2, 3, 40, 1e5, NaN);
const { sinc } = math;

const loop = right(parseModule(\`
module @lanes {
  buffer @x : f64[8] input
  buffer @y : f64[8] output
  kernel @all() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %8 = arith.constant {value = 8} : i32
    scf.for %0, %8, %1 {simd = true} {
    ^(%i: i32):
      %x = mem.load %i {buffer = @x} : f64
      %y = math.sinc %x : f64
      mem.store %y, %i {buffer = @y}
      scf.yield
    }
    scf.yield
  }
}\`));

const results = {};
for (const backend of backends()) {
  if (!(await backend.probe()).usable) continue;
  const traced = await compile(
    { inputs: { x: 8 }, run: ({ x }) => ({ twice: x.map((v) => math.sinc(v) + sinc(v)) }) },
    { backend, scope: { math, sinc } },
  );
  traced.inputs.x.set(xs);
  traced.run();

  const [u, v, w] = [field('u', 'f64'), field('v', 'f64'), field('w', 'f64')];
  const twice = kernel([u, v, w], { scope: { math, sinc } }, (u, v, w) => {
    for (const i of range(8)) {
      v[i] = math.sinc(u[i]) + sinc(u[i]);
      w[i] = vec(u[i], u[i]).sinc().sum();
    }
  });
  const grid = await program({ layout: layout(dense(i, 8).place(u, v, w)), kernels: { twice }, backend });
  xs.forEach((x, k) => grid.fields.u.set([k], x));
  grid.run.twice();

  const lanes = right(await instantiate(loop, backend)());
  lanes.buffers.x.set(xs);
  lanes.launch('all', []);
  results[backend.name] = {
    traced: traced.outputs.twice,
    kernel: grid.fields.v.toArray(),
    method: grid.fields.w.toArray(),
    lanes: [...lanes.buffers.y].map((y) => 2 * y),
  };
}
console.log(JSON.stringify(results, (_, x) => (ArrayBuffer.isView(x) ? [...x] : Number.isNaN(x) ? 'NaN' : x)));
`;

it('an operation that new-op adds runs in traced programs, kernels and IR, alone and on lanes, on every backend', () => {
  const before = readFileSync(join(root, table), 'utf8');
  const made = node(
    join(repository, 'tools/generators/new-op.mjs'),
    ...['sinc', '--cost', '30', '--summary', 'sin(a) / a, and 1 at 0'],
    ...['--expand', 's.select(s.eq(a, 0), 1, s.div(s.sin(a), a))'],
  );
  expect(made.stderr).toBe('');
  const row = readFileSync(join(root, table), 'utf8').slice(before.indexOf('\n} as const'));
  expect(row).toMatch(/^\n {2}sinc: \{\n {4}arity: 1,\n/);
  writeFileSync(join(root, 'program.mts'), program);
  const { stdout, stderr } = node('--conditions=@filigree/source', '--import', 'tsx', 'program.mts');
  expect(stderr).toBe('');
  const results = JSON.parse(stdout) as Record<string, Record<string, readonly (number | 'NaN')[]>>;
  expect(Object.keys(results)).toContain('wasm');
  for (const [backend, found] of Object.entries(results))
    for (const [way, values] of Object.entries(found))
      xs.forEach((x, k) => {
        const wanted = x === 0 ? 2 : (2 * Math.sin(x)) / x;
        const close = Object.is(wanted, Number(values[k])) || Math.abs(Number(values[k]) - wanted) <= 1e-15;
        expect(close, `${backend}, ${way}: sinc(${x}) is ${values[k]}`).toBe(true);
      });
}, 120_000);

const xs = [0, 1e-9, 0.5, -2, 3, 40, 1e5, NaN];
