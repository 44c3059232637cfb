import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError, orThrow, pass, type Kernel, type Module } from '@filigree/ir';
import { active, array, deactivate, idiv, kernel, range, serially, type Grid1 } from '@filigree/lang/kernels';
import { program, type Program, type ProgramOptions, type ScalarHostField } from '@filigree/runtime';
import { int } from '@filigree/quant';
import { bitStruct, dense, field, i, layout, stored, type FieldDecl } from '@filigree/sparse/fields';
import { interpreter } from './interpreter.js';

const [x, y, c] = (['x', 'y', 'c'] as const).map((name) => field(name, 'f32'));
const sparse = () => dense(i, 16).pointer().dense(i, 16);
const tree = layout(sparse().place(x), sparse().place(y), dense(i, 8).pointer({ cells: 3 }).dense(i, 16).place(c));

const kernels = {
  init: kernel([x, 'i32'], (x: Grid1, n: number) => {
    for (const i of range(n)) x[i] = i;
  }),
  copy: kernel([x, y, 'f32'], (x: Grid1, y: Grid1, by: number) => {
    for (const i of active(x)) y[i] = x[i] * by + 0.3;
  }),
  inc: kernel([x], (x: Grid1) => {
    for (const i of active(x)) x[i] = x[i] * 1.1 + 1.0;
  }),
  half: kernel([x, c], (x: Grid1, c: Grid1) => {
    for (const i of active(x)) c[idiv(i, 2)] += x[i];
  }),
  put: kernel([x, array('f32', 8)], (x: Grid1, a: number[]) => {
    for (const i of range(a.length)) x[i] = a[i];
  }),
  twice: kernel([array('f32', 8)], (a: number[]) => {
    for (const i of range(a.length)) a[i] = a[i] * 2;
  }),
  total: kernel([y], (y: Grid1) => {
    let sum = 0;
    for (const i of active(y)) sum += y[i];
    return sum;
  }),
};

type Made = Program<typeof kernels>;

const make = async (options: Partial<ProgramOptions>): Promise<Made> => {
  const made = await program({ layout: tree, kernels, backend: interpreter(), fastMath: false, ...options })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right as unknown as Made;
};

const contents = (p: Made): unknown => ['x', 'y', 'c'].map((name) => [...p.fields[name].entries()]);

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

const steps = (p: Made): number => {
  for (let k = 0; k < 3; k++) {
    p.run.copy(1 + k);
    p.run.inc();
    p.run.inc();
    p.run.half();
  }
  return p.run.total();
};

for (const backend of [cpp(), wasm()])
  describe(`on ${backend.name}`, async () => {
    const { usable, reason } = await backend.probe();
    it.skipIf(!usable)(
      `the queue computes what launches one by one do, to the last bit${usable ? '' : `: ${reason}`}`,
      async () => {
        const [eager, queued] = [await make({ backend }), await make({ backend, queue: true })];
        const sums = [];
        for (const p of [eager, queued]) {
          p.run.init(60);
          for (let k = 0; k < 5; k++) {
            sums.push(steps(p));
            await p.sync({ compiled: true });
          }
        }
        expect(sums.slice(5)).toEqual(sums.slice(0, 5));
        expect(contents(queued)).toEqual(contents(eager));
        const { warnings, tasksLaunched, launches } = queued.queued()!;
        expect(warnings).toEqual([]);
        expect(tasksLaunched).toBeLessThan(launches);
        eager.dispose();
        queued.dispose();
      },
    );
  });

it('waits until someone looks, and no longer', async () => {
  const p = await make({ queue: true });
  p.run.init(4);
  p.run.inc();
  expect(p.queued()!.tasksLaunched).toBe(0);
  expect(p.fields.x.get(1)).toBeCloseTo(2.1);
  expect(p.queued()!.tasksLaunched).toBe(2);
  p.run.inc();
  p.flush();
  expect(p.queued()!.tasksLaunched).toBe(3);
  p.run.copy(1);
  const saved = p.save();
  p.run.inc();
  p.load(saved);
  expect(p.fields.x.get(0)).toBeCloseTo(2.1);
  p.run.inc();
  p.dispose();
});

it('takes arrays as they are when a kernel is launched', async () => {
  const p = await make({ queue: true });
  const a = new Float32Array([1, 2, 3]);
  p.run.put(a);
  a.fill(7);
  p.run.copy(1);
  p.run.put(a);
  expect([...p.fields.x.toArray({ from: [0], to: [3] })]).toEqual([7, 7, 7]);
  expect(p.fields.y.get(1)).toBeCloseTo(2.3);
  p.run.twice(a);
  expect([...a]).toEqual([14, 14, 14]);
});

it('a sum is that of its own launch where its list is there already, and the cells that it makes', async () => {
  const [b, h] = [field('b', 'f64'), field('h', 'f64')];
  const total = kernel([b, h], (b: Grid1, h: Grid1) => {
    let sum = 0;
    for (const i of active(b)) {
      h[idiv(i, 2)] += 1;
      sum += b[i];
      b[i] += 1;
    }
    return sum;
  });
  const made = await program({
    layout: layout(dense(i, 8).bitmasked().dense(i, 8).place(b), dense(i, 8).bitmasked().dense(i, 4).place(h)),
    kernels: { total },
    backend: wasm(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields, sync, queued } = made.right;
  (fields.b as ScalarHostField).set([9], 2);
  const sums = [];
  for (let time = 0; time < 3; time++) {
    sums.push(run.total(), run.total());
    await sync({ compiled: true });
  }
  expect(sums).toEqual([2, 10, 18, 26, 34, 42]);
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
});

it('a list is made again where the launch itself takes cells away before', async () => {
  const drop = kernel([x, y], (x: Grid1, y: Grid1) => {
    for (const w of serially(range(2))) deactivate(x, 16 * w);
    for (const i of active(x)) y[i] += 1;
  });
  const made = await program({
    layout: layout(dense(i, 16).bitmasked().dense(i, 16).place(x), dense(i, 256).place(y)),
    kernels: { inc: kernels.inc, drop, total: kernels.total },
    backend: wasm(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields, sync, queued } = made.right;
  const sums = [];
  for (let time = 0; time < 3; time++) {
    for (const at of [0, 40]) (fields.x as ScalarHostField).set([at], 2);
    run.inc();
    run.inc();
    run.drop();
    sums.push(run.total());
    await sync({ compiled: true });
  }
  expect(sums).toEqual([16, 32, 48]);
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
});

it('what stands beside a loop that does nothing runs, in code of a plan too', async () => {
  const [a, b] = [field('a', 'f64'), field('b', 'f64')];
  const beside = kernel([a, b], (a: Grid1, b: Grid1) => {
    for (const _ of active(a)) {
    }
    for (const i of range(4)) b[i] += 1;
  });
  const total = kernel([a, b], (a: Grid1, b: Grid1) => {
    for (const _ of active(a)) {
    }
    b[0] += 4;
    return b[0] + b[3];
  });
  /* Two of these are one loop, so that the plan has code of its own. */
  const grow = kernel([b], (b: Grid1) => {
    for (const i of active(b)) b[i] += 1;
  });
  const made = await program({
    layout: layout(sparse().place(a), dense(i, 16).place(b)),
    kernels: { beside, total, grow },
    backend: wasm(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, sync, queued } = made.right;
  const sums = [];
  for (let time = 0; time < 3; time++) {
    run.grow();
    run.grow();
    run.beside();
    sums.push(run.total());
    await sync({ compiled: true });
  }
  expect(sums).toEqual([10, 20, 30]);
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
});

it('kernels of a plan that differ in numbers alone are one, and what tasks leave for each other stays', async () => {
  const backend = wasm();
  const legal: Kernel[] = [];
  const legalize = pass<Module>('legalize', (module) => {
    legal.push(...module.kernels);
    return orThrow(backend.legalize.run(module));
  });
  const [first, a, b] = ['first', 'a', 'b'].map((name) => field(name, 'f64'));
  const grown = (of: FieldDecl) =>
    kernel([of], (u: Grid1) => {
      for (const i of active(u)) u[i] = u[i] * 0.5 + 1;
    });
  const total = kernel([a, b], (a: Grid1, b: Grid1) => {
    let sum = 0;
    for (const i of range(16)) sum += a[i] + b[i];
    return sum;
  });
  const made = await program({
    /* Of what lies first some numbers are zero, and gone. */
    layout: layout(sparse().place(first), sparse().place(a), sparse().place(b)),
    kernels: { growA: grown(a), growB: grown(b), total },
    backend: { ...backend, legalize, ahead: () => Promise.resolve() },
    queue: { workers: 0 },
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields, sync, queued } = made.right;
  for (const name of ['a', 'b'] as const) (fields[name] as ScalarHostField).set([9], 2);
  legal.length = 0;
  for (let time = 1; time <= 3; time++) {
    for (const grow of [run.growA, run.growA, run.growB, run.growB]) grow();
    /* All are two but those that began as zero. */
    expect(run.total()).toBe(32 * 2 - 30 * 2 * 0.25 ** time);
    await sync({ compiled: true });
  }
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
  const shared = legal.filter(({ attrs }) => attrs.numbers !== undefined).map(({ name }) => name);
  expect([...new Set(shared)]).toEqual(['task_0', 'task_1']);
});

it('fields that share words are written where their cells are known to be active', async () => {
  const [m, n] = [field('m', 'i32'), field('n', 'i32')];
  const count = kernel([m], (m: Grid1) => {
    for (const i of range(16)) m[i] = m[i] + i;
  });
  const word = bitStruct(32, stored(m, int(12)), stored(n, int(12)));
  const made = await program({
    layout: layout(dense(i, 4).pointer().dense(i, 4).place(word)),
    kernels: { count },
    backend: wasm(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields, sync, queued } = made.right;
  for (let time = 0; time < 3; time++) {
    run.count();
    run.count();
    await sync({ compiled: true });
  }
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
  expect(fields.m.get([7])).toBe(6 * 7);
});

it('of a launch that fails, code of a plan runs what is before the failing task, and one by one it runs to its end', async () => {
  const [d, p] = [field('d', 'f64'), field('p', 'f64')];
  const inc = kernel([d], (d: Grid1) => {
    for (const i of range(8)) d[i] += 1;
  });
  const spread = kernel([d, p, 'i32'], (d: Grid1, p: Grid1, blocks: number) => {
    for (const i of range(8)) d[i] += 10;
    for (const b of range(blocks)) p[b * 4] = 1;
    for (const i of range(8)) d[i] += 100;
  });
  const made = await program({
    layout: layout(dense(i, 8).place(d), dense(i, 4).pointer({ cells: 2 }).dense(i, 4).place(p)),
    kernels: { inc, spread },
    backend: wasm(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields, flush, sync, queued } = made.right;
  const failing = (): number => {
    (fields.d as ScalarHostField).fill(0);
    run.inc();
    run.inc();
    run.spread(3);
    run.inc();
    expect(flush).toThrow("kernel 'spread'");
    return Number(fields.d.get([3]));
  };
  expect(failing()).toBe(112);
  await sync({ compiled: true });
  expect(queued()!.tasksCompiled).toBeGreaterThan(0);
  expect(failing()).toBe(12);
});

it('a view sees every launch', async () => {
  const d = field('d', 'f32');
  const inc = kernel([d], (d: Grid1) => {
    for (const i of range(4)) d[i] += 1;
  });
  const made = await program({
    layout: layout(dense(i, 4).place(d)),
    kernels: { inc },
    backend: interpreter(),
    queue: true,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { run, fields } = made.right;
  run.inc();
  const { data } = fields.d.view();
  expect(data[0]).toBe(1);
  run.inc();
  expect(data[0]).toBe(2);
});

it('names the launch that failed, and runs none after it', async () => {
  for (const compiled of [false, true]) {
    const p = await make({ queue: true });
    const failing = (): void => {
      p.run.inc();
      p.run.inc();
      p.run.half();
      p.run.inc();
      p.run.copy(1);
      p.flush();
    };
    const grid = p.fields.x as ScalarHostField;
    p.run.init(60);
    grid.set([0], 1);
    failing();
    await p.sync({ compiled });
    for (let k = 0; k < 200; k += 16) grid.set([k], 1);
    const before = grid.get(1);
    const { plans, tasksLaunched } = p.queued()!;
    expect(codeOf(failing)).toBe('launch/exhausted');
    expect(grid.get(1)).toBeCloseTo((before * 1.1 + 1) * 1.1 + 1);
    /* Both increments as one, and the launch that failed. */
    expect(p.queued()).toMatchObject({ plans, warnings: [], tasksLaunched: tasksLaunched + (compiled ? 2 : 3) });
    p.flush();
    expect(grid.get(1)).toBeCloseTo((before * 1.1 + 1) * 1.1 + 1);
    p.dispose();
  }
});

it.each([wasm(), ...((await cpp().probe()).usable || process.env.CI === 'true' ? [cpp()] : [])])(
  'a trap in the code of a plan names its kernel, and nothing after it has run: $name',
  async (backend) => {
    const divide = kernel([x, 'i32'], (x: Grid1, by: number) => {
      x[0] = idiv(100, by);
    });
    const made = await program({ layout: tree, kernels: { ...kernels, divide }, backend, queue: true })();
    if (E.isLeft(made)) throw new DiagnosticError(made.left);
    const p = made.right;
    const launch = (by: number): void => {
      p.run.init(4);
      p.run.inc();
      p.run.inc();
      p.run.divide(by);
      p.run.init(1);
      p.run.inc();
    };
    for (let round = 0; round < 3; round++) {
      launch(7);
      await p.sync({ compiled: true });
    }
    const before = p.queued()!;
    launch(0);
    let said = '';
    try {
      p.flush();
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
      said = e.diagnostics[0].message;
    }
    expect(said).toContain("kernel 'divide'");
    /* The plan was there: its tasks before the one that failed have run, and none behind it. */
    const ran = p.queued()!.tasksLaunched - before.tasksLaunched;
    expect(ran).toBeGreaterThan(0);
    expect(ran).toBeLessThan(6);
    expect(p.fields.x.get([3])).toBeCloseTo((3 * 1.1 + 1) * 1.1 + 1, 4);
    launch(5);
    expect(p.fields.x.get([0])).toBeCloseTo(1, 5);
    p.dispose();
  },
);

it('a loop of any length is planned at most three times, and what never comes again not at all', async () => {
  const counting = kernel([x, 'i32'], (x: Grid1, at: number) => {
    x[at] = 1;
  });
  const named = Object.fromEntries(Array.from({ length: 3 }, (_, k) => [`k${k}`, kernel([x, 'i32'], counting.fn)]));
  /* Windows of the default length, and loops that are shorter, of that length, longer, and longer than any window. */
  for (const [length, window] of [[1], [3], [100], [128], [129], [300], [1000], [5000], [7, 4], [40, 9]]) {
    const p = await make({ backend: wasm(), kernels: named, queue: window === undefined ? true : { window } });
    const run = p.run as unknown as Record<string, (at: number) => void>;
    const body = Array.from({ length }, (_, k) => `k${(Math.imul(k + 7, 0x9e3779b1) >>> 8) % 3}`);
    const rounds = Math.ceil(Math.max(12_000, 3 * length) / length);
    for (let k = 0; k < rounds; k++) for (const name of body) run[name](3);
    const report = p.queued()!;
    expect(report.launches).toBe(rounds * length);
    expect(report.plans, `length ${length}`).toBeLessThanOrEqual(3);
    if (length < 4000) expect(report.plans).toBeGreaterThan(0);
    p.dispose();
  }
});

it('a step that is longer than the window is planned in parts, when it has come twice', async () => {
  const p = await make({ queue: { window: 6 } });
  for (let step = 0; step < 8; step++) {
    p.run.init(4);
    for (let k = 0; k < 3; k++) {
      p.run.copy(k);
      p.run.inc();
    }
    p.run.half();
    p.run.copy(1);
    p.run.total();
    await p.sync({ compiled: true });
  }
  const { plans, launches, tasksLaunched } = p.queued()!;
  expect(launches).toBe(80);
  expect(tasksLaunched).toBeLessThan(launches);
  expect(plans).toBeGreaterThan(0);
  p.dispose();
});

describe('what never comes again', () => {
  let state = 1;
  const drawn = (): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
  const launch = (p: Made): unknown => (drawn() % 2 === 0 ? p.run.copy(1) : p.run.inc());

  it('is not planned, and what repeats is, whatever came before', async () => {
    const p = await make({ backend: wasm(), queue: true });
    p.run.init(4);
    for (let k = 0; k < 20_000; k++) launch(p);
    p.flush();
    expect(p.queued()!.plans).toBeLessThanOrEqual(3);
    for (let k = 0; k < 3; k++) {
      for (let n = 0; n < 10; n++) p.run.inc();
      await p.sync({ compiled: true });
    }
    const before = p.queued()!.tasksLaunched;
    for (let n = 0; n < 10; n++) p.run.inc();
    p.flush();
    expect(p.queued()!.tasksLaunched - before).toBe(1);
    p.dispose();
  });

  it('is soon not planned where the host looks after each window, and what is remembered has bounds', async () => {
    const p = await make({ backend: wasm(), queue: true });
    p.run.init(4);
    for (let k = 0; k < 20_000; k++) {
      launch(p);
      if (k % 40 === 0) p.flush();
    }
    expect(p.queued()!.plans).toBeLessThan(40);
    for (let k = 0; k < 400; k++) {
      const begin = state;
      for (let time = 0; time < 3; time++) {
        state = begin;
        for (let n = 0; n < 100; n++) launch(p);
        p.flush();
      }
    }
    const { plans, remembered } = p.queued()!;
    expect(plans).toBeGreaterThan(400);
    expect(remembered).toBeGreaterThan(10_000);
    expect(remembered).toBeLessThanOrEqual(2 ** 15);
    p.dispose();
  });
});

it('a loop that the window holds several times has windows of that length, and no longer ones', async () => {
  const p = await make({ queue: { window: 8 } });
  for (let k = 0; k < 100; k++) {
    p.run.inc();
    p.run.copy(k);
  }
  expect(p.queued()!.tasksLaunched).toBeGreaterThan(0);
  p.flush();
  expect(p.queued()!.plans).toBeLessThanOrEqual(3);
  expect(p.queued()!.last!.before.nodes.length).toBeLessThanOrEqual(3 * 8);
  p.dispose();
});

it('with debug nothing waits', async () => {
  const p = await make({ queue: true, debug: true });
  p.run.init(4);
  expect(p.queued()).toBeUndefined();
  expect(p.fields.x.get(3)).toBe(3);
});
