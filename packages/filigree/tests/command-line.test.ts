import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ABLATIONS, GRAPH_PASSES, FIELD_ABLATIONS } from 'filigree';
import { runCommandLine } from 'filigree/command-line';
import { filigree, grid, marketOf, refusal, scratch, scratchFile } from './support.js';

const A = scratchFile('a.mtx', marketOf(grid(4)));

afterEach(() => vi.unstubAllEnvs());

describe('filigree devices', () => {
  it('lists every backend, with a reason where it does not work', async () => {
    const { status, out } = await filigree('devices', '--json');
    expect(status).toBe(0);
    const { backends } = JSON.parse(out) as {
      backends: { name: string; usable: boolean; reason: string; toolchain: string }[];
    };
    expect(backends.map((b) => b.name)).toEqual(expect.arrayContaining(['cpp', 'wasm']));
    for (const b of backends) expect(b.usable ? b.toolchain : b.reason).not.toBe('');
    expect((await filigree('devices')).out).toMatch(/^wasm +works/m);
  });

  it('finds no C++ compiler where PATH has none', async () => {
    vi.stubEnv('PATH', scratch);
    vi.stubEnv('CXX', undefined);
    vi.stubEnv('FILIGREE_CXX', undefined);
    const { backends } = JSON.parse((await filigree('devices', '--json')).out) as {
      backends: { usable: boolean; reason: string }[];
    };
    expect(backends[0].usable).toBe(false);
    expect(backends[0].reason).toMatch(/toolchain\/missing/);
  });
});

describe('filigree devices --backend', () => {
  type Named = { name: string; usable: boolean };
  const asked = async (name: string): Promise<{ default: string; backends: Named[] }> =>
    JSON.parse((await filigree('devices', '--backend', name, '--threads', '2', '--seed', '3', '--json')).out) as never;

  it('lists all, and says that the one named is taken', async () => {
    const { default: taken, backends } = await asked('wasm');
    expect([taken, backends.map((b) => b.name)]).toEqual(['wasm', expect.arrayContaining(['cpp', 'wasm', 'cuda'])]);
  });

  it('says that the fallback is taken where that does not work', async () => {
    const answers = await Promise.all(
      ['metal', 'hip'].map(async (name) => {
        const { out } = await filigree('devices', '--backend', name, '--fallback', 'wasm', '--json');
        const { default: taken, backends } = JSON.parse(out) as { default: string; backends: Named[] };
        return [taken, backends.find((b) => b.name === name)?.usable ? name : 'wasm'];
      }),
    );
    for (const [taken, wanted] of answers) expect(taken).toBe(wanted);
    expect(answers.flat()).toContain('wasm');
  });

  it('refuses a name that nobody knows', async () => {
    expect((await refusal('devices', '--backend', 'cud')).code).toBe('runtime/backend');
  });
});

describe('on a terminal', () => {
  it('a bar shows every step, and leaves the terminal as it was', async () => {
    let shown = '';
    const write = (chunk: Buffer, _: string, done: () => void): void => {
      shown += chunk.toString();
      done();
    };
    const bar = Object.assign(new Writable({ write }), { isTTY: true, columns: 100 }) as unknown as NodeJS.WriteStream;
    const argv = ['expr', 'A*A', '--bind', `A=${A}`, '--backend', 'wasm'];
    const err: string[] = [];
    const status = await runCommandLine(argv, { out: () => undefined, err: (text) => void err.push(text), bar });
    expect([status, err]).toEqual([0, []]);
    for (const step of ['reading', 'tracing', 'finding kernels', 'writing sources', 'compiling', 'checking', 'timing'])
      expect(shown).toContain(step);
    const modes = [...shown.matchAll(/\u001b\[\?(\d+)l/g)].map((m) => m[1]);
    expect(modes).toEqual([]);
  });
});

describe('bad usage', () => {
  it.each<readonly string[][]>([
    [['fly']],
    [['expr']],
    [['expr', 'A', '--bind', 'A']],
    [['expr', 'A', '--bind', `A=${A}`, '--bind', `A=${A}`]],
    [['expr', 'A', '--threads', 'many']],
    [['expr', 'A', '--dtype', 'f16']],
    [['run']],
    [['run', 'start', 'mesh']],
    [['inspect', 'A']],
    [['inspect', 'start', 'mesh', '--out', 'report.html']],
    [['opt', 'a.fil', '--nonsense']],
    [['opt', 'a.fil', '--threads', 'two']],
    [['devices', '--seed', '-3']],
    [['expr', 'A', '--bind', 's=2', '--ablate', 'magic']],
    [['run', 'start', '--ablate', 'simd,magic']],
    [['help', 'fly']],
  ])('%j ends with status 2', async (argv) => {
    const { status, out, err } = await filigree(...argv);
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/error:/);
    const json = await filigree(...argv, '--json');
    expect(json.status).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'cli/usage', remedy: expect.any(String) } });
  });

  it('says where an expression stands that begins with -', async () => {
    const { status, err } = await filigree('expr', "-A'", '--bind', `A=${A}`);
    expect(status).toBe(2);
    expect(err).toMatch(/after --: filigree expr/);
    const json = await filigree('expr', "-A'", '--bind', `A=${A}`, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ error: { remedy: expect.stringMatching(/after --/) } });
    expect((await filigree('expr', '--bind', `A=${A}`, '--', "-A'")).status).toBe(0);
  });

  it('is not to ask for help', async () => {
    const { status, out } = await filigree('--help');
    expect(status).toBe(0);
    for (const name of ['devices', 'expr', 'trace', 'opt', 'compile', 'run', 'inspect'])
      expect(out).toMatch(new RegExp(`^ +${name} `, 'm'));
  });

  it('is not to ask for the version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await filigree('--version')).toMatchObject({ status: 0, out: `${version}\n` });
  });

  it('runs an example whose launches wait without each pass on their graph', async () => {
    const said = (await filigree('help', 'run')).out.replace(/\s/g, '');
    for (const name of GRAPH_PASSES) {
      expect(said).toContain(name);
      const { status, out } = await filigree('run', 'chain-copy', 'queue=on', 'n=256', 'steps=2', '--backend', 'wasm', '--ablate', name, '--json'); // prettier-ignore
      expect([name, status]).toEqual([name, 0]);
      expect(JSON.parse(out)).toMatchObject({ check: { passed: true } });
    }
  });

  it.each(['expr', 'run', 'inspect'])('%s names all that can be switched off', async (name) => {
    expect((await filigree('help', name)).out.replace(/\s/g, '')).toContain(Object.keys(ABLATIONS).join(','));
  });

  it('run names all that can be switched off where there are fields', async () => {
    const help = (await filigree('help', 'run')).out.replace(/\s/g, '');
    expect(Object.keys(FIELD_ABLATIONS).filter((name) => !help.includes(name))).toEqual([]);
  });

  it.each(['devices', 'expr', 'trace', 'regions', 'einsum', 'opt', 'compile', 'run', 'inspect'])(
    '%s takes what every command takes',
    async (name) => {
      const { out } = await filigree('help', name);
      for (const option of ['json', 'backend', 'threads', 'emit', 'seed']) expect(out).toMatch(`--${option} `);
    },
  );

  it('trace refuses a backend that is not there, also where it compiles nothing', async () => {
    const file = scratchFile('one.mtx', '%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n');
    expect((await refusal('trace', file, '--backend', 'cuda')).code).toBe('runtime/backend');
  });
});

describe('filigree opt', () => {
  const source = `module @m {
  buffer @x : f64[4] output
  kernel @k() {
    %0 = arith.constant {value = 2} : f64
    %1 = arith.constant {value = 3} : f64
    %2 = arith.mul %0, %1 : f64
    %i = arith.constant {value = 1} : i32
    mem.store %2, %i {buffer = @x}
    scf.yield
  }
}
`;
  const file = scratchFile('m.fil', source);

  const fields = `module @m {
  layout {
    dense (i: 8) pointer cells = 5 {
      dense (i: 4) {
        field @u : f32 = 1.5
      }
    }
  }
  kernel @double() {
    field.for {node = up.u} {
    ^(%i: i32):
      %x = field.load %i {field = u} : f32
      %y = arith.add %x, %x : f32
      field.store %y, %i {field = u}
      scf.yield
    }
    scf.yield
  }
}
`;

  it('lowers kernels on fields, at once or step by step through text', async () => {
    const outOf = async (text: string, passes: string): Promise<string> => {
      const { status, out } = await filigree('opt', scratchFile('fields.fil', text), '--passes', passes);
      expect(status).toBe(0);
      return out;
    };
    const steps = [
      'flatten-branches',
      'lower-loops',
      'lower-access',
      'resolve-digits',
      'merge-accesses',
      'lower-snodes',
    ];
    let text = fields;
    for (const step of steps) text = await outOf(text, step);
    const withoutSites = (module: string): string => module.replace(/ \{sites = .*\} \{$/m, ' {');
    expect(withoutSites(text)).toBe(withoutSites(await outOf(fields, steps.join(','))));
    expect(withoutSites(text)).not.toMatch(/field\.|snode\.|layout/);
    expect(withoutSites((await filigree('opt', scratchFile('fields.fil', fields))).out)).not.toMatch(
      /field\.|snode\.|layout/,
    );
  });

  it.each([
    ['node = up.u', 'node = up.v', 'verify/op', 10],
    ['field = u} : f32', 'field = w} : f32', 'verify/op', 12],
    ['cells = 5', 'cell = 5', 'layout/attribute', 3],
    ['(i: 4)', '(i: 4, i: 4)', 'layout/axes', 4],
    ['field @u : f32 = 1.5', 'field @u : u8 = 1.5', 'layout/field', 5],
  ])('says where %s is wrong as %s', async (right, wrong, code, line) => {
    const broken = scratchFile('broken.fil', fields.replace(right, wrong));
    const { status, out } = await filigree('opt', broken, '--json');
    expect(status).toBe(1);
    const { error: d } = JSON.parse(out) as { error: { code: string; remedy?: string; loc?: { line: number } } };
    expect(d).toMatchObject({ code, remedy: expect.any(String), loc: { line } });
  });

  it('runs the passes named and prints the module', async () => {
    const { status, out } = await filigree('opt', file, '--passes', 'canonicalize,dce');
    expect(status).toBe(0);
    expect(out).toContain('value = 6');
    expect(out).not.toContain('arith.mul');
    expect((await filigree('opt', file)).out).not.toContain('arith.mul');
  });

  it('writes what a backend makes of the module, also one that does not work here', async () => {
    for (const backend of ['wasm', 'cuda']) {
      const folder = join(scratch, `opt-${backend}`);
      const { status, out } = await filigree('opt', file, '--backend', backend, '--emit', folder, '--json');
      expect(status).toBe(0);
      const { sources } = JSON.parse(out) as { sources: readonly string[] };
      expect(sources.map((path) => readFileSync(path, 'utf8')).join('')).toMatch(/kernel|func/);
      expect(readFileSync(join(folder, 'module.fil'), 'utf8')).toContain('value = 6');
    }
  });

  it('says that a backend does not take a module on fields as it stands', async () => {
    const given = ['opt', scratchFile('fields.fil', fields), '--passes', 'cse', '--backend', 'wasm'];
    expect((await filigree(...given)).status).toBe(0);
    expect((await refusal(...given, '--emit', join(scratch, 'opt-high'))).remedy).toBeTruthy();
  });

  it('prints after every pass', async () => {
    const { out } = await filigree('opt', file, '--passes', 'cse,canonicalize', '--print-after', 'all');
    expect(out).toMatch(/^; after cse\n[^]*arith\.mul[^]*^; after canonicalize\n/m);
    expect(out.match(/^module/gm)).toHaveLength(2);
    expect((await filigree('opt', file, '--passes', 'cse,canonicalize', '--print-after-all')).out).toBe(out);
    const one = await filigree('opt', file, '--passes', 'cse,canonicalize', '--print-before', 'canonicalize');
    expect(one.out).toMatch(/^; before canonicalize\n[^]*arith\.mul[^]*^module [^]*value = 6/m);
    const json = JSON.parse((await filigree('opt', file, '--passes', 'cse,dce', '--json')).out) as {
      passes: { name: string }[];
    };
    expect(json.passes.map((p) => p.name)).toEqual(['cse', 'dce']);
  });

  it.each<readonly [string, readonly string[]]>([
    ['pipeline/unknown-pass', [file, '--passes', 'cse,magic']],
    ['option/unknown', [file, '--passes', 'unroll{speed=9}']],
    ['file/missing', [join(scratch, 'nowhere.fil')]],
    ['verify/', [scratchFile('bad.fil', source.replace('%2, %i', '%i, %i'))]],
    ['parse/', [scratchFile('worse.fil', 'module @m {')]],
  ])('refuses with %s', async (code, argv) => {
    const { status, out } = await filigree('opt', ...argv, '--json');
    expect(status).toBe(1);
    expect((JSON.parse(out) as { error: { code: string } }).error.code).toMatch(new RegExp(`^${code}`));
  });
});
