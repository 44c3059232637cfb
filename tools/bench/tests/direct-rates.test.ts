import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { DiagnosticError, attempt, error } from '@filigree/ir';
import { cudaOnCpu, hasObjectiveC, hipOnCpu, metalByHost } from '@filigree/shims';
import { type TimedBackend, directRates } from '../src/gpu/direct-rates.js';
import { directPage } from '../src/gpu/direct.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';
const hasHost = usable && ((await hasObjectiveC()) || process.env['CI'] === 'true');

const MEASURED = ['saxpy', 'stencil', 'spmv', 'struct-for', 'power-2', 'lmlt-plus-k', 'p2g', 'activate'];

const found = async (make: TimedBackend, type: 'f32' | 'f64') => {
  const all = [];
  for await (const r of directRates(make, type, 1 << 10)) all.push(r);
  return all;
};

const page = async (make: TimedBackend, type: 'f32' | 'f64'): Promise<string> =>
  directPage({ name: 'A chip', written: 'text', commit: 'abc' }, await found(make, type), 'npm run gpu');

describe.skipIf(!usable)('rates on a device of this machine', () => {
  it.each([
    ['cuda', () => cudaOnCpu('backward')],
    ['hip', () => hipOnCpu({ seed: 12 })],
  ] as const)('are measured on %s by this process, which waits', { timeout: 300_000 }, async (_, make) => {
    const said = await page(make, 'f64');
    for (const name of MEASURED) expect(said).toMatch(new RegExp(`^\\| ${name} +\\| right +\\|.* \\d\\S* ms \\|`, 'm'));
    expect(said).toMatch(/^\| saxpy +\| right +\| +2\.46e\+4 \|.*GB\/s/m);
    expect(said).toMatch(/^\| power-2 +\| right +\| whole /m);
    expect(said).toMatch(/^\| p2g +\| right +\| without .* particles /m);
    expect(said).not.toContain('## Wrong');
  });
});

describe.skipIf(!hasHost)('rates on Metal', () => {
  const order = { seed: 13 };
  const pairs = { doubles: 'pairs' } as const;

  it('are measured in singles by the clock of the device', { timeout: 300_000 }, async () => {
    /* A clock by which every launch takes a second. */
    const make: TimedBackend = (timed) =>
      metalByHost({ order }, { ...pairs, ...(timed && { timed: (launch) => timed({ ...launch, ms: 1e3 }) }) });
    const results = await found(make, 'f32');
    const parts = results.flatMap((r) => ('parts' in r && r.passed ? [[r.name, r.parts] as const] : []));
    expect(parts.map(([name]) => name)).toEqual(MEASURED.toSorted((a, b) => placeOf(results, a) - placeOf(results, b)));
    for (const [, [first]] of parts) expect(first!.part === 'whole' || Number.isInteger(first!.seconds)).toBe(true);
    const [, saxpy] = parts.find(([name]) => name === 'saxpy')!;
    expect(saxpy).toEqual([{ part: 'launch', amount: 3 * 4 * 1024, unit: 'bytes', seconds: 1 }]);
    const [, power] = parts.find(([name]) => name === 'power-2')!;
    /* What the host sends and reads no device tells. */
    expect(power[0]!.seconds).toBeLessThan(1);
    expect(power[1]!.seconds).toBeGreaterThanOrEqual(1);
  });

  it('are timed by this process where the driver has no clock', { timeout: 300_000 }, async () => {
    const clockless = (backend: Backend): Backend => ({
      ...backend,
      load: () => attempt(() => Promise.reject(new DiagnosticError([error('metal/times', 'no clock')]))),
    });
    const make: TimedBackend = (timed) =>
      timed ? clockless(metalByHost({ order }, pairs)) : metalByHost({ order }, pairs);
    const said = await page(make, 'f32');
    expect(said).toMatch(/^\| stencil +\| right +\|.* \d\S* ms \|/m);
    expect(said).not.toContain('## Wrong');
  });

  it('say what is wrong where the host forgets a launch, and what is refused', { timeout: 300_000 }, async () => {
    const change = (text: string, file: string): string =>
      file === 'host.m'
        ? text.replace('CALL(launch((struct Kernel*)kernel, blocks, threads, arguments))', 'return ok;')
        : text;
    const wrong = await page(() => metalByHost({ order, change }, pairs), 'f32');
    for (const name of MEASURED) expect(wrong).toMatch(new RegExp(`^\\| ${name} +\\| its result is wrong`, 'm'));
    const refused = await page(() => metalByHost({ order }), 'f64');
    /* The last two are of singles and of integers whatever is asked for. */
    for (const name of MEASURED.slice(0, -2))
      expect(refused).toMatch(new RegExp(`^\\| ${name} +\\| metal has no`, 'm'));
  });
});

/** Where a program stands among what was found. */
const placeOf = (results: readonly { readonly name: string }[], name: string): number =>
  results.findIndex((r) => r.name === name);
