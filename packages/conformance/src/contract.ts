import { type Backend, type CompileOptions, type Executable, type Sources } from '@filigree/backend';
import { type Module, DiagnosticError, buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import type { ConformanceCase, Outcome } from './outcome.js';
import { expect, settle } from './expect.js';

/** What a backend owes beside right results: each case is one sentence of the contract. */
export const contract = (backend: Backend, compiling?: CompileOptions): readonly ConformanceCase[] => {
  const emitsOnly = !backend.compile || !backend.load;
  const loaded =
    (act: (x: Executable) => void | Promise<void>, of = example) =>
    async (): Promise<Outcome> => {
      if (emitsOnly) return { status: 'skipped', reason: `backend ${backend.name} only emits sources` };
      const legal = expect(backend.legalize.run(of()), 'legalize');
      const sources = expect(backend.emit.run(legal), 'emit');
      const artifact = await settle(backend.compile!(sources, { fastMath: false, ...compiling }), 'compile');
      const x = await settle(backend.load!(artifact, legal), 'load');
      try {
        await act(x);
      } finally {
        x.dispose();
      }
      return passed;
    };
  return [
    {
      name: 'contract: the capabilities say which types there are, and teams of whole warps',
      run: async () => {
        const { types, atomics, team } = backend.capabilities;
        demand(types.includes('i32'), `capabilities.types is [${types.join(', ')}], and every backend has i32`);
        const odd = atomics.filter((t) => !types.includes(t));
        demand(odd.length === 0, `capabilities.atomics has ${odd.join(', ')}, which capabilities.types has not`);
        demand(
          team === undefined || (team.warp >= 1 && team.threads % team.warp === 0),
          `capabilities.team has ${team?.threads} threads, of which ${team?.warp} go in step: not a multiple`,
        );
        return passed;
      },
    },
    {
      name: 'contract: the same module gives the same sources',
      run: async () => {
        const once = (): string =>
          textOf(expect(backend.emit.run(expect(backend.legalize.run(example()), 'legalize')), 'emit'));
        const first = once();
        demand(once() === first, 'emit gave other sources for an equal module');
        return passed;
      },
    },
    {
      name: 'contract: a kernel that is not there is refused',
      run: loaded((x) => {
        refuses(() => x.launch('no_such_kernel', []), 'launch of a kernel that the module has not');
        refuses(
          () => x.commands([{ kernel: 'no_such_kernel', args: [] }]),
          'commands with a kernel that the module has not',
        );
      }),
    },
    {
      name: 'contract: arguments and threads that are none are refused',
      run: loaded((x) => {
        refuses(() => x.launch('scale', []), 'launch without the argument that the kernel takes');
        for (const threads of [0, 1.5, -1])
          refuses(() => x.launch('scale', [2], { threads }), `launch on ${threads} threads`);
      }),
    },
    {
      name: 'contract: while kernels run in the background they are not run again, and then they can be',
      run: loaded(async (x) => {
        const background = x.launchAsync('scale', [2]);
        try {
          refuses(() => x.launch('scale', [2]), 'launch while another runs in the background');
        } finally {
          await background;
        }
        x.launch('scale', [2]);
      }),
    },
    ...(backend.capabilities.background === true
      ? [
          {
            name: 'contract: what runs in the background lets go on who asks for it',
            run: loaded(letsGoOn, long),
          },
        ]
      : []),
    {
      name: 'contract: after dispose nothing runs, and to dispose again does nothing',
      run: loaded((x) => {
        x.dispose();
        x.dispose();
        refuses(() => x.launch('scale', [2]), 'launch after dispose');
        refuses(() => x.buffer('x').read(), 'read of a buffer after dispose');
      }),
    },
  ];
};

/**
 * A run that takes a while leaves this thread free for most of the time. What blocks it lets it turn once or twice, before it begins and when it has
 * ended, however busy the machine is: so turns are counted, and no time is compared with that of another run. Others may want the processor too, so
 * it is given more than one chance, the first of them each with twice as much to do.
 */
const letsGoOn = async (x: Executable): Promise<void> => {
  let rounds = 512;
  let took = 0;
  while (took < LONG) {
    rounds *= 2;
    const began = performance.now();
    x.launch('long', [rounds]);
    took = performance.now() - began;
  }
  for (let chance = 0; chance < CHANCES; chance++, rounds *= chance <= LONGER ? 2 : 1) {
    const { silence, times, all } = await free(() => x.launchAsync('long', [rounds]));
    if (times >= SEVERAL && silence < all / 2) return;
  }
  throw new Error('a run in the background did not let the thread go on that asked for it');
};

/* Milliseconds: many times what a timer is late by. */
const LONG = 20;
const CHANCES = 12;
/* So often, at least, this thread has to be free while a run takes a while. */
const SEVERAL = 6;
/* Backends may allow so many steps. */
const LONGER = 2;

/** How often something else could happen on this thread before a run ended, the longest time in which nothing could, and all of it, in milliseconds. */
const free = async (
  act: () => Promise<void>,
): Promise<{ readonly times: number; readonly silence: number; readonly all: number }> => {
  const began = performance.now();
  const seen = { last: began, silence: 0, times: 0, ended: false };
  const look = (): void => {
    const now = performance.now();
    seen.silence = Math.max(seen.silence, now - seen.last);
    seen.last = now;
    if (seen.ended) return;
    seen.times++;
    setTimeout(look, 0);
  };
  look();
  await act();
  seen.ended = true;
  look();
  return { ...seen, all: seen.last - began };
};

const passed: Outcome = { status: 'passed' };

const demand = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Error(otherwise);
};

/** What must throw a diagnostic. */
const refuses = (act: () => unknown, what: string): void => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return;
    throw e;
  }
  throw new Error(`${what}: expected a diagnostic, it succeeded`);
};

const textOf = ({ files }: Sources): string =>
  files.map(({ name, contents }) => `${name}\n${typeof contents === 'string' ? contents : contents.join()}`).join('\n');

/** Eight numbers, times an argument. Made anew each time: what is known of one module must not be of use for another. */
const example = (): Module => {
  const buffers = [declareBuffer('x', 'i32', 8, 'inout')];
  const kernel = buildKernel(
    'scale',
    { a: 'i32' },
    (b, { a }) =>
      void b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (i) =>
        b.store('x', b.mul(a!, b.load('x', i)), i),
      ),
    buffers,
  );
  return makeModule('contract', buffers, [kernel]);
};

/** Rounds of arithmetic, each of which waits for the one before. */
const long = (): Module => {
  const buffers = [declareBuffer('x', 'i32', 1, 'inout')];
  const kernel = buildKernel(
    'long',
    { rounds: 'i32' },
    (b, { rounds }) => {
      const [last] = b.for(b.i32(0), rounds!, b.i32(1), {}, [b.load('x', b.i32(0))], (i, [v]) => [
        b.xor(b.mul(v!, b.i32(1664525)), b.shr(b.add(v!, i), b.i32(7))),
      ]);
      b.store('x', last!, b.i32(0));
    },
    buffers,
  );
  return makeModule('long', buffers, [kernel]);
};
