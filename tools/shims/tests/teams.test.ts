import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { type Program, conformance, conformancePrograms } from '@filigree/conformance';
import * as E from 'fp-ts/lib/Either.js';
import { cudaInterleaved, cudaOnCpu, hipOnCpu, inSingles, metalOnCpu, type Order } from '../src/index.js';
import { changed } from './changed.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const programs = conformancePrograms();
const orders: readonly Order[] = ['forward', 'backward', { seed: 20263 }];

/** Which of these programs go wrong in at least one order of threads. */
const wrong = async (
  make: (order: Order) => Backend,
  names: readonly string[],
  among: readonly Order[] = orders,
  all: readonly Program[] = programs,
): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const order of among)
    for (const c of conformance(make(order), { programs: all.filter((p) => names.includes(p.name)) }))
      await c.run().catch(() => found.add(c.name));
  return [...found].sort();
};

const barrier = /^ *(__syncthreads\(\)|__builtin_amdgcn_fence.*s_barrier.*|threadgroup_barrier\(.*\));\n/gm;

describe.skipIf(!usable).each([
  ['cuda', cudaOnCpu, programs],
  ['hip', hipOnCpu, programs],
  ['metal, in singles', metalOnCpu, programs.map(inSingles)],
] as const)('teams on %s', (_, make, all) => {
  const teams = all.filter((p) => /teams/.test(p.name));

  it('do in any order of threads what the interpreter does', async () => {
    expect(teams.length).toBeGreaterThan(5);
    expect(
      await wrong(
        make,
        teams.map((p) => p.name),
        orders,
        all,
      ),
    ).toEqual([]);
  });

  it('share memory and wait', () => {
    const backend = make('forward');
    for (const { module } of teams) {
      const legal = backend.legalize.run(module);
      const emitted = E.isRight(legal) ? backend.emit.run(legal.right) : legal;
      const text = E.isRight(emitted) ? String(emitted.right.files[0]!.contents) : '';
      expect(text).toMatch(/__shared__|\(shared\)|^ {2}threadgroup /m);
      expect(text.match(barrier)?.length).toBeGreaterThan(1);
    }
  });

  it('go wrong without any one of the barriers that follow a loop', async () => {
    const name = 'tiles reversed by teams';
    /* That before the first loop is for the tile before; the second is what the tile is handed over by. */
    const without = (n: number) => (text: string) => {
      let seen = 0;
      return text.replace(barrier, (all) => (seen++ === n ? '' : all));
    };
    expect(await wrong((order) => changed(make(order), without(1)), [name], orders, all)).toEqual([name]);
    const none = (text: string): string =>
      text.replace(barrier, '// __syncthreads amdgcn_s_barrier threadgroup_barrier\n');
    expect(await wrong((order) => changed(make(order), none), [name], orders, all)).toEqual([name]);
  });

  it('are refused where some threads wait and others have ended', async () => {
    const early = (text: string): string => text.replace(barrier, (all) => ` if (${thread(text)} & 1) return;\n${all}`);
    const backend = changed(make('forward'), early);
    const [c] = conformance(backend, { programs: teams.slice(0, 1) });
    await expect(c!.run()).rejects.toThrow(/StreamSynchronize failed: a kernel failed/);
  });
});

describe.skipIf(!usable)('threads that take turns at accesses to memory', () => {
  const names = [
    'counts by teams',
    'histogram by parallel atomics',
    'reductions by atomics',
    'tiles reversed by teams',
  ];
  const atomic = /^(static __device__ inline (\w+) atomic_add_\w+\(.* v\)) \{ return atomicAdd\(p, v\); \}$/gm;
  const plain = (text: string): string => text.replace(atomic, '$1 { const $2 old = *p; *p = old + v; return old; }');

  it('do what the interpreter does', async () => {
    expect(await wrong(cudaInterleaved, names)).toEqual([]);
  });

  it('go wrong where an atomic is made plain, in every order', async () => {
    const adding = names.slice(0, 2);
    for (const order of orders)
      expect(await wrong((o) => changed(cudaInterleaved(o), plain), adding, [order])).toEqual([...adding].sort());
  });
});

const thread = (text: string): string =>
  ['threadIdx.x', 'member'].find((word) => text.includes(word)) ?? '__builtin_amdgcn_workitem_id_x()';
