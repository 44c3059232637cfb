import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filigree, refusal, scratch, scratchFile as file, workingBackends } from './support.js';

const matrix = (name: string, rows: number, cols: number, at: readonly (readonly [number, number])[]): string =>
  file(
    name,
    `%%MatrixMarket matrix coordinate real general\n${rows} ${cols} ${at.length}\n${at.map(([i, j]) => `${i} ${j} 1.5\n`).join('')}`,
  );

interface Answer {
  readonly sizes: Record<string, number>;
  readonly statements: readonly {
    readonly name: string;
    readonly equation: string;
    readonly solution: string;
    readonly count: number;
    readonly dense: number;
  }[];
  readonly ms: { readonly solve: number; readonly evaluate: number };
  readonly rounds: readonly number[];
  readonly check: { readonly passed: boolean | null; readonly skipped?: string; readonly compared: number };
}

const regions = async (...argv: string[]): Promise<Answer> => {
  const { status, out, err } = await filigree('regions', ...argv, '--json');
  expect(status, err).toBe(0);
  return JSON.parse(out) as Answer;
};

describe('filigree regions', () => {
  it('does what the example of the README says', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, example] = readme.split('### Regions of a program of one');
    const [program, answer] = [...example!.matchAll(/^```text\n(.*?)^```/gms)].map(([, text]) => text!);
    const files = [...example!.matchAll(/^printf '(.*)' > (\S+)$/gm)].map(([, text, name]) =>
      file(name!, text!.replaceAll('\\n', '\n').replaceAll('%%', '%')),
    );
    const bound = files.flatMap((path, k) => ['--bind', `${['A', 'x'][k]}=${path}`]);
    const { status, out } = await filigree('regions', file('masked.fil', program!), ...bound);
    expect(status).toBe(0);
    expect(out).toContain(answer);
  });

  it('finds the iterations of gemm for two matrices, whose shapes are its sizes', async () => {
    const a = matrix('a.mtx', 3, 4, [
      [1, 1],
      [1, 3],
      [3, 3],
    ]);
    const b = matrix('b.mtx', 4, 5, [
      [3, 2],
      [3, 5],
      [4, 1],
    ]);
    const answer = await regions('gemm', '--bind', `A=${a}`, '--bind', `B=${b}`);
    expect(answer.sizes).toEqual({ I: 3, J: 5, K: 4 });
    expect(answer.statements).toMatchObject([
      {
        name: 'S',
        equation: 'L_S = L_S·a + (L_A·b ∩ L_B·c)',
        solution: 'L_S = (L_A·b ∩ L_B·c)·a*',
        count: 4,
        dense: 60,
      },
    ]);
    expect(answer.check).toMatchObject({ passed: true });
    expect(answer.check.compared).toBe(60);
    expect(answer.ms.solve).toBeGreaterThan(0);
  });

  it('takes arrays without a matrix for full', async () => {
    const answer = await regions('mm', '--bind', `A=${matrix('s.mtx', 2, 3, [[2, 1]])}`, '--size', 'J=7');
    expect(answer.statements[0].count).toBe(7);
  });

  it('goes to a fix-point where a cycle remains', async () => {
    const a = matrix('l.mtx', 4, 4, [
      [1, 1],
      [2, 2],
      [3, 1],
      [3, 3],
      [4, 3],
      [4, 4],
    ]);
    const answer = await regions('trisolve', '--bind', `A=${a}`, '--bind', `b=${matrix('v.mtx', 4, 1, [[1, 1]])}`);
    expect(answer.statements.map((s) => s.count)).toEqual([1, 2, 3]);
    expect(answer.rounds).toHaveLength(1);
  });

  it('has nothing to find in arrays that no iteration reaches', async () => {
    const short = await filigree('regions', 'jacobi1d', '--bind', `A=${matrix('s2.mtx', 2, 1, [[1, 1]])}`, '--json');
    expect([short.status, short.err]).toEqual([
      0,
      expect.stringContaining("note: no iteration of the program reaches 'A'"),
    ]);
    const none = await regions('trisolve', '--bind', `A=${matrix('s0.mtx', 0, 0, [])}`);
    expect(none.statements).toEqual([]);
    expect(none.check).toMatchObject({ passed: null, skipped: expect.stringContaining('no iteration') });
  });

  it('says when a program is too large to compare with', async () => {
    const answer = await regions('gemm', '--size', 'N=20', '--check-limit', '100');
    expect(answer.check).toEqual({ passed: null, skipped: expect.stringMatching(/more than 100/), compared: 0 });
    expect(answer.statements[0].count).toBe(8000);
  });

  it('reads programs of its own', async () => {
    const program = file(
      'scale.fil',
      `module @scale {
  buffer @A : f64[12] input
  buffer @y : f64[3] output
  kernel @rows(%n: i32) {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %four = arith.constant {value = 4} : i32
    scf.for %zero, %n, %one {
    ^(%i: i32):
      %start = arith.constant {value = 0} : f64
      %sum = scf.for %zero, %four, %one, %start {
      ^(%j: i32, %acc: f64):
        %row = arith.mul %i, %four : i32
        %at = arith.add %row, %j : i32
        %a = mem.load %at {buffer = @A} : f64
        %next = arith.add %acc, %a : f64
        scf.yield %next
      } : f64
      mem.store %sum, %i {buffer = @y}
      scf.yield
    }
    scf.yield
  }
}
`,
    );
    const a = matrix('r.mtx', 3, 4, [
      [1, 1],
      [3, 2],
      [3, 4],
    ]);
    const answer = await regions(program, '--bind', `A=${a}`, '--size', 'n=3');
    expect(answer.statements.map((s) => [s.count, s.dense])).toEqual([
      [0, 3],
      [3, 12],
      [2, 3],
    ]);
  });
});

describe.skipIf(workingBackends.length === 0)('the program over its regions', () => {
  it('is compiled, agrees with the dense one, and leaves its sources', async () => {
    const a = matrix('p.mtx', 6, 6, [
      [1, 1],
      [2, 2],
      [3, 1],
      [3, 3],
      [4, 4],
      [5, 3],
      [5, 5],
      [6, 6],
    ]);
    const emit = join(scratch, 'emitted');
    for (const program of ['trisolve', 'syrk', 'jacobi2d']) {
      const { status, out, err } = await filigree('regions', program, '--bind', `A=${a}`, '--emit', emit, '--json');
      expect(status, err).toBe(0);
      const { code, statements } = JSON.parse(out) as {
        statements: { count: number }[];
        code: { check: { passed: boolean; maxRelError: number }; statements: { iterations: number }[] };
      };
      expect(code.check).toMatchObject({ passed: true });
      code.statements.forEach((x, k) => expect(x.iterations).toBeGreaterThanOrEqual(statements[k].count));
      expect(readdirSync(emit).length).toBeGreaterThan(0);
    }
  });

  it('is shown in a report', async () => {
    const report = join(scratch, 'regions.html');
    const { status, err } = await filigree(
      'inspect',
      'stencil',
      '--size',
      'N=12',
      '--bind',
      `In=${matrix('in.mtx', 12, 1, [[6, 1]])}`,
      '--out',
      report,
    );
    expect(status, err).toBe(0);
    const html = readFileSync(report, 'utf8');
    expect(html).toContain('L_S = L_In·b·a*');
    expect(html).toContain('S over (');
  });
});

describe('what regions refuses', () => {
  const kernel = (body: string): string =>
    file(
      'bad.fil',
      `module @bad {
  buffer @x : f64[100] inout
  buffer @idx : i32[10] input
  kernel @run() {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %ten = arith.constant {value = 10} : i32
    %c = arith.constant {value = 2} : f64
    scf.for %zero, %ten, %one {
    ^(%i: i32):
${body}
      scf.yield
    }
    scf.yield
  }
}
`,
    );

  it.each([
    [
      'an index from data',
      '      %j = mem.load %i {buffer = @idx} : i32\n      mem.store %c, %j {buffer = @x}',
      /mem\.store.*read from @idx/,
    ],
    [
      'an index that is a product',
      '      %j = arith.mul %i, %i : i32\n      mem.store %c, %j {buffer = @x}',
      /mem\.store.*arith\.mul/,
    ],
    ['an atomic update', '      %o = mem.atomic %c, %i {buffer = @x, kind = "add"} : f64', /mem\.atomic/],
  ])('%s, naming the op and its place', async (_what, body, message) => {
    const path = kernel(body);
    const wrong = await refusal('regions', path);
    expect(wrong.code).toBe('equations/not-affine');
    expect(wrong.message).toMatch(message);
    expect(wrong.loc).toMatchObject({ file: path, line: body.startsWith('      %o') ? 11 : 12 });
  });

  it('an index beyond its buffer', async () => {
    const wrong = await refusal(
      'regions',
      kernel(
        '      %far = arith.constant {value = 95} : i32\n      %j = arith.add %i, %far : i32\n      mem.store %c, %j {buffer = @x}',
      ),
    );
    expect(wrong).toMatchObject({ code: 'equations/bounds' });
    expect(wrong.message).toContain('element 104 of 100');
  });

  it('unknown programs, arrays and sizes, and matrices that do not fit', async () => {
    const a = matrix('q.mtx', 3, 4, [[1, 1]]);
    expect((await refusal('regions', 'lu')).code).toBe('regions/program');
    expect((await refusal('regions', 'gemm', '--bind', `Q=${a}`)).code).toBe('equations/input');
    expect((await refusal('regions', 'gemm', '--bind', `A=${a}`, '--bind', `B=${a}`)).code).toBe('regions/size');
    expect((await refusal('regions', 'gemm', '--size', 'Z=3')).code).toBe('regions/size');
    expect((await refusal('regions', 'gemm', '--size', 'N=0')).code).toBe('regions/size');
    const wide = await refusal('regions', 'gemm', '--size', 'N=99999999');
    expect(wide).toMatchObject({ code: 'regions/size', message: expect.stringContaining('2⁵³') as string });
  });
});

it('refuses a size that a module of its own does not have', async () => {
  const text = `module @m {
  buffer @x : f64[8] output
  kernel @k(%n: i32) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %n, %1 {
    ^(%i: i32):
      %c = arith.constant {value = 2} : f64
      mem.store %c, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}
`;
  const fil = file('sized.fil', text);
  expect((await regions(fil, '--size', 'n=8')).statements.length).toBe(1);
  expect(await refusal('regions', fil, '--size', 'n=8', '--size', 'N=4')).toMatchObject({
    code: 'regions/size',
    remedy: 'its parameters are n',
  });
});
