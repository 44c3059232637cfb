import { describe, expect, it } from 'vitest';
import { conformancePrograms } from '@filigree/conformance';
import { cpp, type CppOptions } from '@filigree/backend-cpp';
import {
  type Attrs,
  type Builder,
  type Module,
  type Value,
  buildKernel,
  declareBuffer,
  makeModule,
} from '@filigree/ir';
import { axpy, right, sourcesOf } from './helpers.js';

const text = (module: Parameters<typeof sourcesOf>[0], file = 'kernels.cpp'): string =>
  String(sourcesOf(module).files.find((f) => f.name === file)!.contents);

/** The C++ after the preamble, which is the same for all modules. */
const body = (module: Parameters<typeof sourcesOf>[0]): string =>
  text(module).split('#endif\n').slice(2).join('#endif\n').trim();

describe('the C++ text', () => {
  it('reads like a program: named pointers, expressions, differences', () => {
    expect(body(axpy())).toBe(
      `
static inline long long share(long long trips, int thread, int threads) {
  const long long rest = trips % threads;
  return trips <= 0 ? 0 : trips / threads * thread + (thread < rest ? thread : rest);
}

// A share of the parallel loop over i: reads x, f, y; changes y.
static void part0_of_axpy(const double* __restrict x, const unsigned short* __restrict f, double* __restrict y, long long begin, long long end) {
  const long long last = (long long)end;
  FILIGREE_INDEPENDENT
  for (long long i = (long long)begin; i < last; ++i) {
    y[i] = y[i] - (double)f[i] * x[i];
  }
}

// Kernel axpy: reads x, f, y; changes y.
static __attribute__((noinline)) void axpy(const double* __restrict x, const unsigned short* __restrict f, double* __restrict y, int threads) {
  {
    const long long trips = 8;
    #ifdef FILIGREE_ONE_THREAD
      part0_of_axpy(x, f, y, 0, trips);
    #else
    if (threads == 1 || trips < 10923) part0_of_axpy(x, f, y, 0, trips);
    else
    #pragma omp parallel num_threads(threads)
    part0_of_axpy(x, f, y, share(trips, omp_get_thread_num(), omp_get_num_threads()), share(trips, omp_get_thread_num() + 1, omp_get_num_threads()));
    #endif
  }
}

extern "C" int filigree_kernel_axpy(char* slab, const long long* offsets, int threads) {
  int status = 0;
  axpy((double*)(slab + offsets[0]), (unsigned short*)(slab + offsets[1]), (double*)(slab + offsets[2]), threads);
  return status;
}

extern "C" int filigree_run(char* slab, const long long* offsets, int threads) {
  int status = 0;
  if (status == 0) status = filigree_kernel_axpy(slab, offsets, threads);
  return status;
}`.trim(),
    );
  });

  it('tells compilers of innermost loops that gain nothing by lanes, and of no others', () => {
    const buffers = [declareBuffer('x', 'f64', 64, 'inout')];
    const loops = (b: Builder, simd: boolean | undefined): void => {
      const attrs = simd === undefined ? {} : { simd };
      b.for(b.i32(0), b.i32(8), b.i32(1), attrs, [], (i) =>
        b.for(b.i32(0), b.i32(8), b.i32(1), attrs, [], (j) => b.store('x', b.f64(1), b.add(b.mul(i, b.i32(8)), j))),
      );
    };
    const pragmas = (simd: boolean | undefined): readonly string[] =>
      body(makeModule('m', buffers, [buildKernel('k', {}, (b) => loops(b, simd), buffers)]))
        .split('\n')
        .filter((l, k, all) => l.includes('#pragma') || all[k - 1]?.includes('#pragma'))
        .map((l) => l.trim());
    expect(pragmas(undefined)).toEqual([]);
    expect(pragmas(false)).toEqual([
      '#pragma omp simd safelen(1) simdlen(1)',
      expect.stringMatching(/^for \(long long (?<loop>\w+) = 0; \k<loop> < 8; \+\+\k<loop>\) \{$/),
    ]);
  });

  it('hides from compilers that lanes write near to where they read, though the distance was added before the loop', () => {
    const buffers = [declareBuffer('x', 'f64', 64, 'inout')];
    const stores = (far: boolean): readonly string[] => {
      const kernel = buildKernel(
        'k',
        { at: 'i32', other: 'i32' },
        (b, { at, other }) => {
          const after = b.add(far ? other : at, b.i32(1));
          b.for(b.i32(0), b.i32(8), b.i32(1), { simd: true }, [], (i) => {
            const place = b.mul(i, b.i32(2));
            b.store('x', b.load('x', b.add(place, after)), b.add(place, at));
          });
        },
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]))
        .split('\n')
        .filter((l) => l.includes('] = '));
    };
    expect(stores(false).join()).toMatch(/\+ apart\] = /);
    expect(stores(true).join()).not.toContain('apart');
  });

  it('hides from compilers how far apart lanes read few elements of many', () => {
    const buffers = [declareBuffer('x', 'f64', 40000, 'input'), declareBuffer('y', 'f64', 64, 'output')];
    const read = (distance: number, elements: number): string => {
      const kernel = buildKernel(
        'k',
        {},
        (b) =>
          b.for(b.i32(0), b.i32(64), b.i32(1), { simd: true }, [], (i) => {
            const at = b.mul(i, b.i32(distance));
            const sum = Array.from({ length: elements }, (_, k) => b.load('x', b.add(at, b.i32(k))));
            b.store(
              'y',
              sum.reduce((a, v) => b.add(a, v)),
              i,
            );
          }),
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]));
    };
    expect(read(512, 2)).toMatch(/y\[i\] = x\[\w+ \+ 0 \+ i \* stride\] \+ x\[\w+ \+ 1 \+ i \* stride\];/);
    for (const [distance, elements] of [
      [512, 1],
      [4, 4],
      [16, 8],
    ])
      expect(read(distance, elements)).not.toContain('stride');
  });

  it('keeps loops off lanes that would read over what they have just stored, and writes them as for lanes', () => {
    const buffers = [declareBuffer('x', 'f64', 64, 'inout')];
    const lines = (back: number): readonly string[] => {
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          const before = b.i32(-back);
          b.for(b.i32(1), b.i32(60), b.i32(1), { simd: true }, [], (i) => {
            const beside = b.load('x', b.add(i, before));
            b.store('x', b.select(b.cmp('lt', beside, b.f64(1)), beside, b.load('x', i)), i);
          });
        },
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]))
        .split('\n')
        .filter((l) => /#pragma omp|\] = /.test(l))
        .map((l) => l.trim());
    };
    expect(lines(1)).toEqual([
      '#pragma omp simd safelen(1) simdlen(1)',
      expect.stringMatching(/^x\[\w+\] = choose_f64\(/),
    ]);
    expect(lines(-1)).toEqual(['#pragma omp simd', expect.stringMatching(/^x\[\w+ \+ apart\] = choose_f64\(/)]);
  });

  it('chooses by bits on lanes where a condition is one for all of them, which gcc would not put on lanes', () => {
    const buffers = [declareBuffer('x', 'f64', 8, 'inout'), declareBuffer('n', 'i32', 8, 'inout')];
    const choices = (inside: boolean): readonly string[] => {
      const k = buildKernel(
        'k',
        {},
        (b) => {
          const outside = b.cmp('lt', b.load('x', b.i32(0)), b.f64(1));
          b.for(b.i32(0), b.i32(8), b.i32(1), { simd: true }, [], (i) => {
            const c = inside ? b.cmp('lt', b.load('x', i), b.f64(1)) : outside;
            b.store('x', b.select(c, b.load('x', i), b.f64(2)), i);
            b.store('n', b.select(c, b.load('n', i), b.i32(2)), i);
          });
        },
        buffers,
      );
      const stores = body(makeModule('m', buffers, [k]))
        .split('\n')
        .filter((l) => l.includes('] = '));
      return stores.map((l) => /pick_\w+|choose_\w+|\?/.exec(l)![0]);
    };
    expect(choices(false)).toEqual(['pick_f64', 'pick_i32']);
    expect(choices(true)).toEqual(['choose_f64', '?']);
  });

  it('loads the lower half of a word alone where lanes cut off the rest, and as whole words what is wanted whole', () => {
    const buffers = [
      declareBuffer('w', 'u64', 8, 'input'),
      declareBuffer('at', 'i32', 8, 'input'),
      declareBuffer('y', 'u32', 8, 'output'),
    ];
    const lines = (simd: boolean, shift: bigint): readonly string[] => {
      const kernel = buildKernel(
        'k',
        {},
        (b) =>
          b.for(b.i32(0), b.i32(8), b.i32(1), { simd }, [], (i) => {
            const word = b.load('w', b.load('at', i));
            b.store('y', b.cast(shift === 0n ? word : b.shr(word, b.constant(shift, 'u64')), 'u32'), i);
          }),
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]))
        .split('\n')
        .filter((l) => l.includes('] = '));
    };
    expect(
      lines(true, 0n)[0]
        .replace(/i\d*\b/g, 'i')
        .trim(),
    ).toBe('y[i] = low_half_u64(&w[at[i]]);');
    expect(lines(false, 0n)[0]).toContain('(unsigned)w[');
    expect(lines(true, 9n)[0]).toContain('(unsigned)(w[');
  });

  it('says of functions that the C library has them for vectors, and of no others', () => {
    const buffers = [declareBuffer('x', 'f32', 64, 'input'), declareBuffer('y', 'f32', 64, 'output')];
    const declared = (name: string): boolean => {
      const loop = (b: Builder): void => {
        b.for(b.i32(0), b.i32(64), b.i32(1), {}, [], (i) => b.store('y', b.value(`math.${name}`, [b.load('x', i)]), i));
      };
      const module = makeModule('m', buffers, [buildKernel('k', {}, loop, buffers)]);
      return text(module).includes(`__attribute__((simd("notinbranch"), nothrow)) float ${name}f(float);`);
    };
    expect(['exp', 'tanh', 'sqrt', 'floor'].map(declared)).toEqual([true, true, false, false]);
  });

  it('computes indices on bits where the way from the first to the last may not fit one, since signed overflow has no meaning', () => {
    const indices = (from: number, to: number): readonly string[] => {
      const buffers = [declareBuffer('y', 'i32', 1, 'output')];
      const loop = (b: Builder): void => {
        b.for(b.i32(from), b.i32(to), b.i32(1000003), {}, [], (i) => b.store('y', i, b.i32(0)));
      };
      return body(makeModule('m', buffers, [buildKernel('k', {}, loop, buffers)]))
        .split('\n')
        .filter((l) => l.includes('const int i ='))
        .map((l) => l.trim());
    };
    expect(indices(-(2 ** 31), 2 ** 31 - 1)).toEqual([
      'const int i = (int)((unsigned)(-2147483647 - 1) + (unsigned)trip_1 * (unsigned)1000003);',
    ]);
    expect(indices(5, 2 ** 31 - 1)).toEqual(['const int i = 5 + (int)trip_1 * 1000003;']);
  });

  it('keeps neighbours that change places from becoming one store, and takes the greater of two floats by a function, in loops one after the other', () => {
    const buffers = [declareBuffer('x', 'f32', 9, 'inout'), declareBuffer('most', 'f32', 1, 'output')];
    const lines = (attrs: Attrs): readonly string[] => {
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          b.for(b.i32(0), b.i32(8), b.i32(1), attrs, [], (i) => {
            const [here, there] = [b.load('x', i), b.load('x', b.add(i, b.i32(1)))];
            b.store('x', there, i);
            b.store('x', here, b.add(i, b.i32(1)));
            b.store('x', b.add(here, there), b.add(i, b.i32(2)));
          });
          const [most] = b.for(b.i32(0), b.i32(9), b.i32(1), {}, [b.f32(0)], (i, [best]) => {
            const found = b.load('x', i);
            return b.select(b.cmp('gt', found, best!), found, best!);
          });
          b.store('most', most!, b.i32(0));
        },
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]))
        .split('\n')
        .map((l) => l.trim())
        .filter((l) => l.startsWith('x[') || l.includes(' = above'));
    };
    expect(lines({})).toEqual([
      'x[i] = alone_f32(v7);',
      'x[i + 1] = v4;',
      'x[i + 2] = v4 + v7;',
      'v18 = above_f32(v18, v19);',
    ]);
    expect(lines({ simd: true })).not.toContainEqual(expect.stringContaining('alone'));
  });

  it('branches on a minimum or maximum that a loop hands on, where one operand depends on the one before', () => {
    const buffers = [declareBuffer('x', 'f64', 9, 'input'), declareBuffer('y', 'f64', 9, 'output')];
    const lines = (attrs: Attrs): readonly string[] => {
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          const zeros = Array.from({ length: 4 }, () => b.f64(0));
          const last = b.for(b.i32(0), b.i32(9), b.i32(1), attrs, zeros, (i, [most, sum, both, fixed]) => {
            const x = b.load('x', i);
            const next = b.max(most!, x);
            return [
              next,
              b.max(x, b.add(sum!, x)),
              b.min(b.mul(both!, x), b.add(both!, x)),
              b.max(b.add(fixed!, x), b.f64(2)),
            ];
          });
          last.forEach((v, k) => b.store('y', v, b.i32(k)));
        },
        buffers,
      );
      const written = body(makeModule('m', buffers, [kernel])).matchAll(
        /\b((?:highest|lowest|min|max|above)_f64\(.*\));/g,
      );
      return [...written].map(([, call]) => call).filter((call) => !/double|\(a, b\)/.test(call));
    };
    /* In order what is new, and what depends on what was handed on. */
    const said = lines({});
    expect(said.map((call) => call.slice(0, call.indexOf('(')))).toEqual([
      'highest_f64',
      'highest_f64',
      'min_f64',
      'above_f64',
    ]);
    expect(said[0]).toMatch(/^highest_f64\((v\d+), v\d+\)$/);
    expect(said[1]).toMatch(/^highest_f64\((v\d+), v\d+ \+ \1\)$/);
    expect(lines({ simd: true }).join()).not.toContain('highest');
  });

  it('writes a sum with a negative as a difference, and nests only where C must', () => {
    const buffers = [declareBuffer('x', 'f64', 3, 'inout')];
    const kernel = buildKernel(
      'k',
      {},
      (b) => {
        const [p, q, r] = [0, 1, 2].map((k) => b.load('x', b.i32(k)));
        b.store('x', b.add(b.neg(p), b.mul(q, b.add(r, b.f64(-0.5)))), b.i32(0));
        b.store('x', b.sub(q, b.sub(r, b.select(b.cmp('lt', q, r), q, b.f64(1e-7)))), b.i32(1));
      },
      buffers,
    );
    const lines = body(makeModule('m', buffers, [kernel]))
      .split('\n')
      .filter((l) => /^ {2}x\[/.test(l));
    expect(lines).toEqual([
      '  x[0] = rounded_f64(v3 * (v5 + -0.5)) - x[0];',
      '  x[1] = v3 - (v5 - (v3 < v5 ? v3 : 1e-7));',
    ]);
  });

  it('makes one pointer where many accesses are at constant distances from one index', () => {
    const module = (taps: number): Module => {
      const buffers = [declareBuffer('x', 'f64', 64, 'input'), declareBuffer('y', 'f64', 64, 'inout')];
      const kernel = buildKernel(
        'k',
        { first: 'i32' },
        (b, { first }) => {
          const outside = b.add(first!, b.i32(2));
          b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (i) => {
            const at = b.add(b.mul(i, b.i32(8)), first!);
            b.for(b.i32(0), b.i32(2), b.i32(1), {}, [], (j) => {
              const terms = Array.from({ length: taps }, (_, k) =>
                b.mul(b.load('x', b.add(at, b.i32(k))), b.load('x', b.add(outside, b.i32(k + 1)))),
              );
              b.store(
                'y',
                terms.reduce((sum, t) => b.add(sum, t)),
                b.add(at, j),
              );
            });
          });
        },
        buffers,
      );
      return makeModule('m', buffers, [kernel]);
    };
    const lines = body(module(6)).split('\n');
    const from = lines.findIndex((l) => l.includes('static void part0_of_k'));
    expect(lines.slice(from, lines.indexOf('}', from) + 1).join('\n')).toBe(
      `
static void part0_of_k(const double* __restrict x, double* __restrict y, long long first, long long v2, long long begin, long long end) {
  const long long last = (long long)end;
  for (long long i = (long long)begin; i < last; ++i) {
    const long long v9 = i * 8 + first;
    const double* const x_v9 = x + v9;
    const double* const x_v2 = x + v2;
    for (long long i_1 = 0; i_1 < 2; ++i_1) {
      const double v59 = x_v9[0] * x_v2[1] + x_v9[1] * x_v2[2] + x_v9[2] * x_v2[3] + x_v9[3] * x_v2[4] + x_v9[4] * x_v2[5];
      y[v9 + i_1] = v59 + x_v9[5] * x_v2[6];
    }
  }
}`.trim(),
    );
    expect(body(module(5))).not.toContain('* const ');
  });

  it('names what a loop takes along that nothing in it asks for in the end', () => {
    const buffers = [declareBuffer('table', 'i32', 16, 'input'), declareBuffer('y', 'f64', 8, 'output')];
    const kernel = buildKernel(
      'k',
      {},
      (b) => {
        const from = b.load('table', b.i32(2));
        const many = b.sub(b.load('table', b.i32(3)), from);
        b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (i) => {
          b.add(from, i);
          b.store('y', b.cast(many, 'f64'), i);
        });
      },
      buffers,
    );
    expect(body(makeModule('m', buffers, [kernel]))).toMatch(
      /part0_of_k\(double\* \w+ y, int \w+, int \w+, long long begin/,
    );
  });

  it('declares scratch where it is private: in an iteration, in serial code, off the stack where it is large', () => {
    const module = (length: number): Module => {
      const buffers = [declareBuffer('y', 'f64', 8, 'output'), declareBuffer('tile', 'f64', length, 'scratch')];
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (i) => {
            b.store('tile', b.cast(i, 'f64'), b.i32(1));
            b.store('y', b.load('tile', b.i32(1)), i);
          });
        },
        buffers,
      );
      return makeModule('m', buffers, [kernel]);
    };
    expect(body(module(4))).toContain(
      [
        '  for (int i = (int)begin; i < last; ++i) {',
        '    alignas(64) double tile[4];',
        '    tile[1] = (double)i;',
        '    y[i] = tile[1];',
        '  }',
      ].join('\n'),
    );
    expect(body(module(4))).toContain('part0_of_k(y, share(');
    expect(body(module(8192))).toContain('alignas(64) static thread_local double tile[8192];');
  });

  it('writes a form for one thread alone where atomic updates are much of the work', () => {
    const forms = (perUpdate: number): number => {
      const buffers = [declareBuffer('x', 'f32', 1000, 'input'), declareBuffer('sum', 'f32', 1, 'inout')];
      const kernel = buildKernel(
        'total',
        {},
        (b) =>
          void b.for(b.i32(0), b.i32(10), b.i32(1), { parallel: true }, [], (i) => {
            const [sum] = b.for(b.i32(0), b.i32(perUpdate), b.i32(1), {}, [b.f32(0)], (j, [s]) =>
              b.add(s, b.load('x', b.add(i, j))),
            );
            b.atomic('sum', 'add', sum, b.i32(0));
          }),
        buffers,
      );
      return text(makeModule('m', buffers, [kernel])).match(/^static void part0_of_total/gm)!.length;
    };
    expect([forms(10), forms(500)]).toEqual([2, 1]);
  });

  it('is the same for modules that differ in lengths and data only', () => {
    const small = makeModule('a', axpy(4).buffers, axpy(8).kernels);
    const other = makeModule('b', axpy(8, [9, 9, 9, 9, 9, 9, 9, 9]).buffers, axpy(8).kernels);
    expect(text(small)).toBe(text(other));
  });

  it('is the same bytes for the same module, and has no headers', () => {
    for (const p of conformancePrograms()) {
      if (p.name.startsWith('straight')) continue;
      expect(text(p.module)).toBe(text(p.module));
      expect(text(p.module)).not.toMatch(/#include/);
    }
  });

  it('keeps loops of few iterations that go on with a sum over a row, and no others', () => {
    const nest = (trips: number, apart: number, goesOn = true): string => {
      const buffers = [declareBuffer('x', 'f32', 4096, 'input'), declareBuffer('y', 'f32', 64, 'output')];
      const kernel = buildKernel(
        'k',
        {},
        (b) =>
          b.for(b.i32(0), b.i32(64), b.i32(1), { parallel: true }, [], (i) => {
            const [sum] = b.for(b.i32(0), b.i32(3), b.i32(1), {}, [b.f32(0)], (p, [s]) => {
              const [row] = b.for(
                b.i32(0),
                b.i32(trips),
                b.i32(1),
                { independent: true },
                [goesOn ? s! : b.f32(0)],
                (c, [t]) => {
                  const at = b.add(b.mul(p, b.i32(64)), apart === 1 ? c : b.mul(c, b.i32(apart)));
                  return [b.add(t!, b.mul(b.load('x', at), b.load('x', b.add(b.mul(i, b.i32(16)), c))))];
                },
              );
              return [goesOn ? row! : b.max(s!, row!)];
            });
            b.store('y', sum!, i);
          }),
        buffers,
      );
      return body(makeModule('m', buffers, [kernel]));
    };
    const kept = '#pragma GCC unroll 1';
    expect(nest(16, 1)).toContain(kept);
    expect([nest(4, 1), nest(16, 8), nest(16, 1, false)].filter((t) => t.includes(kept))).toEqual([]);
  });

  it('grows with the program and not faster', () => {
    const size = (n: number): number => {
      const buffers = [declareBuffer('x', 'f64', 2, 'inout')];
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          let v = b.load('x', b.i32(0));
          for (let k = 0; k < n; k++) v = b.add(b.mul(v, v), b.load('x', b.i32(1)));
          b.store('x', v, b.i32(0));
        },
        buffers,
      );
      return body(makeModule('m', buffers, [kernel])).length;
    };
    expect(size(4000)).toBeLessThan(4.5 * size(1000));
  });

  it('cuts very long code without loops, and very many loops in a row, into pieces that are compiled one by one, and no other', () => {
    const pieces = (statements: number, loops = 0): { readonly count: number; readonly declared: number } => {
      const buffers = [declareBuffer('x', 'f64', 2, 'inout')];
      const storeBoth = (b: Builder, v: Value): void =>
        void b.for(b.i32(0), b.i32(2), b.i32(1), {}, [], (i) => {
          b.store('x', v, i);
          return [];
        });
      const kernel = buildKernel(
        'k',
        {},
        (b) => {
          const first = b.load('x', b.i32(0));
          let v = first;
          for (let k = 0; k < statements; k++) {
            if (k % Math.ceil(statements / loops) === 1) storeBoth(b, v);
            v = b.max(b.mul(v, v), b.add(v, first));
          }
          b.store('x', b.sub(v, first), b.i32(0));
        },
        buffers,
      );
      const lines = body(makeModule('m', buffers, [kernel])).split('\n');
      return {
        count: lines.filter((l) => l.includes('[&]() __attribute__((noinline)) {')).length,
        declared: lines.filter((l) => /^ {2}double v\d+;$/.test(l)).length,
      };
    };
    expect(pieces(1000)).toEqual({ count: 0, declared: 0 });
    const { count, declared } = pieces(8000);
    expect(count).toBeGreaterThan(8);
    expect(declared).toBe(count);
    expect(pieces(8000, 20)).toEqual({ count: 0, declared: 0 });
    expect(pieces(1000, 90).count).toBe(0);
    expect(pieces(1000, 200).count).toBe(5);
  });

  it('comes with a header and the constant tables as they lie in the slab', () => {
    const files = sourcesOf(axpy(8)).files;
    expect(files.map((f) => f.name)).toEqual(['kernels.cpp', 'kernels.h', 'tables.bin']);
    const header = String(files[1].contents);
    expect(header).toContain('#define FILIGREE_AT_x 64LL /* double[8], input */');
    expect(header).toContain('#define FILIGREE_TABLE_BYTES 64LL');
    const tables = files[2].contents as Uint8Array;
    expect([...new Uint16Array(tables.buffer, 0, 8)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(tables.length).toBe(64);
  });
});

describe('legalize', () => {
  it('verifies a kernel that it made again where its buffers are others', () => {
    const backend = cpp();
    const legal = right(backend.legalize.run(axpy()));
    expect(right(backend.legalize.run(legal)).kernels).toEqual(legal.kernels);
    const shorter = { ...legal, buffers: legal.buffers.filter((b) => b.name !== 'x') };
    expect(backend.legalize.run(shorter)).toMatchObject({ _tag: 'Left', left: [{ code: 'verify/unknown-buffer' }] });
  });

  it('refuses a module that is not well-formed', () => {
    const module = axpy();
    const kernel = module.kernels[0];
    const broken = { ...module, kernels: [{ ...kernel, body: { ...kernel.body, ops: kernel.body.ops.slice(1) } }] };
    const result = cpp().legalize.run(broken);
    expect(result).toMatchObject({ _tag: 'Left' });
    expect(JSON.stringify(result)).toMatch(/verify\//);
  });

  it('refuses ops of dialects that it was not given', () => {
    const module = axpy();
    const kernel = module.kernels[0];
    const strange = { name: 'quantum.leap', operands: [], results: [], attrs: {}, regions: [] };
    const body = { ...kernel.body, ops: [strange, ...kernel.body.ops] };
    const result = cpp({ verify: false }).legalize.run({ ...module, kernels: [{ ...kernel, body }] });
    expect(result).toMatchObject({ left: [{ code: 'emit/unsupported-op', message: 'cpp cannot write quantum.leap' }] });
  });

  it('takes vectors apart that are no registers of floats, and all where indices are checked', () => {
    const lanes = (name: string, options: CppOptions = {}): readonly string[] => {
      const program = conformancePrograms().find((p) => p.name === name)!;
      const legal = right(cpp(options).legalize.run(program.module));
      return [...new Set(JSON.stringify(legal.kernels).match(/"lanes":\d+,"of":"\w+"/g) ?? [])];
    };
    expect(lanes('vectors of 8 f64', { vectorBytes: 32 })).toEqual(['"lanes":4,"of":"f64"']);
    expect(lanes('vectors of 4 u16')).not.toContain('"lanes":4,"of":"u16"');
    expect(lanes('vectors of 4 f64', { checked: true })).toEqual([]);
  });
});
