/**
 * The contract from outside: the conformance suite on both backends, the word and its derivative on them, and applications through the
 * command line. Prints a line for each, and fails with the first that is wrong.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { conformance } from '@filigree/conformance';
import { active, bitStruct, dense, field, i, kernel, layout, program, stored, valueAndGradient } from 'filigree';
import { bf16 } from './src/bf16.mjs';
import extension, { sinc } from './src/extension.mjs';
import { javascript } from './src/javascript/javascript.mjs';
import { opencl } from './src/opencl.mjs';
import { loss, sim as declared, x } from './sinc.mjs';

const word = (made) => async () => {
  const extensions = [extension];
  const backend = made({ extensions });
  const sim = await program({ ...declared, differentiate: true, backend, extensions });
  const at = (n) => n / 100 - 5;
  for (let n = 0; n < 1000; n++) sim.field(x).set([n], at(n));
  const { value, gradient } = valueAndGradient(sim, () => sim.run.total(), { loss, wrt: { x } });
  const f = (v) => sinc(v) * sinc(v + 1);
  let sum = 0;
  for (let n = 0; n < 1000; n++) {
    sum += f(at(n));
    const difference = (f(at(n) + 1e-6) - f(at(n) - 1e-6)) / 2e-6;
    assert.ok(Math.abs(gradient.x.get([n]) - difference) < 1e-7, `the derivative at ${at(n)}`);
  }
  assert.ok(Math.abs(value - sum) < 1e-9 * Math.abs(sum), `the sum is ${value}, not ${sum}`);
  sim.dispose();
  return `the word sinc and its derivative on ${backend.name}`;
};

/* Half of the memory: sums of what is read back, and of what was stored, by numbers that single precision holds whole. */
const format = (made) => async () => {
  const [u, v, sum] = ['u', 'v', 'sum'].map((name) => field(name, 'f32'));
  const add = kernel([u, v, sum], { scope: { active } }, (u, v, sum) => {
    for (const n of active(u)) {
      v[n] = 3 * u[n];
      sum[0] += u[n] - v[n];
    }
  });
  const places = layout(dense(i, 256).place(bitStruct(32, stored(u, bf16), stored(v, bf16))), dense(i, 1).place(sum));
  const backend = made();
  const sim = await program({ layout: places, kernels: { add }, backend });
  for (let n = 0; n < 256; n++) sim.field(u).set([n], n * n);
  sim.run.add();
  let expected = 0;
  for (let n = 0; n < 256; n++) {
    const kept = bf16.decode(bf16.encode(n * n));
    const tripled = bf16.decode(bf16.encode(3 * kept));
    assert.equal(sim.field(u).get([n]), kept);
    assert.equal(sim.field(v).get([n]), tripled);
    expected += kept - tripled;
  }
  assert.equal(sim.field(sum).get([0]), expected);
  sim.dispose();
  return `fields in bf16 on ${backend.name}`;
};

const suite = (made) => async () => {
  const counts = { passed: 0, skipped: 0 };
  const backend = made();
  for (const { name, run } of conformance(backend))
    try {
      counts[(await run()).status]++;
    } catch (e) {
      throw new Error(`conformance: ${name}: ${e.message}`, { cause: e });
    }
  assert.equal(counts.skipped, 0);
  return `${counts.passed} conformance programs on ${backend.name}`;
};

const filigree = async (...args) => {
  const bin = new URL('./node_modules/filigree/bin/filigree.js', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args, '--json'], {
    maxBuffer: 2 ** 26,
    env: {
      ...process.env,
      FILIGREE_GALLERY: new URL('./node_modules/@filigree/e2e/dist/index.js', import.meta.url).pathname,
    },
  });
  return JSON.parse(stdout);
};

const application = async (backend, name, ...args) => {
  const found = await filigree('run', name, ...args);
  assert.equal(found.backend, backend);
  assert.equal(found.check.passed, true);
  return `${name} ${args.filter((a) => a.includes('=')).join(' ')} on ${backend}`;
};

const listed = async () => {
  const { backends } = await filigree('devices', '--use', './src/extension.mjs');
  assert.ok(backends.some((b) => b.name === 'opencl' && b.usable));
  const { kernels } = await filigree('compile', './sinc.mjs', '--use', './src/extension.mjs', '--backend', 'opencl');
  assert.equal(kernels[0].name, 'sim.total');
  return 'devices and compile';
};

const cl = ['--backend', './src/opencl.mjs'];
const js = ['--backend', './src/javascript/javascript.mjs'];
const named = ['--use', './src/extension.mjs', '--backend', 'opencl'];

const all = [
  listed,
  word(opencl),
  word(javascript),
  format(opencl),
  format(javascript),
  () => application('opencl', 'cotan', 'n=64', ...cl),
  () => application('opencl', 'sparse-saxpy', 'n=64', ...cl),
  () => application('opencl', 'lina', 'dim=2', 'order=2', 'size=2', `out=${tmpdir()}`, ...named),
  () => application('javascript', 'cotan', 'n=64', ...js),
  () => application('javascript', 'quant-partial-store', 'size=4096', ...js),
  suite(javascript),
  suite(opencl),
];
for (const check of all) {
  const started = performance.now();
  console.log(`✓ ${await check()} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
process.exit(0);
