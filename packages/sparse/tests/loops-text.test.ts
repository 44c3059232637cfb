import { coreDialects, verify } from '@filigree/ir';
import { canonicalize, cse } from '@filigree/opt';
import {
  dense,
  field,
  fieldDialect,
  ij,
  k,
  layout,
  snodeDialect,
  storageOf,
  type Layout,
} from '@filigree/sparse/fields';
import { lowerLoops, type LoopGrain } from '@filigree/sparse/lowering';
import { describe, expect, it } from 'vitest';
import { after, moduleFrom } from './access-text.js';
import { left } from './support.js';

const u = field('u', 'f32');
const v = field('v', 'f32');
const p = field('p', 'i32');

const dialectsOf = (shape: Layout) => [...coreDialects, fieldDialect(shape), snodeDialect(shape)];

/** What becomes of a kernel's loops, with what is equal written once. */
const lowered = (shape: Layout, kernel: string): string => {
  const dialects = dialectsOf(shape);
  return after(shape, kernel, (s) => [lowerLoops(s), canonicalize({ dialects }), cse({ dialects })]);
};

/** The same for a target whose loops are cut so. */
const loweredFor = (grain: LoopGrain, shape: Layout, kernel: string): string =>
  after(shape, kernel, (s) => [lowerLoops(s, { grain })]);

const copy = `
  kernel @copy() {
    field.for {node = up.u} {
    ^(%i: i32, %j: i32):
      %x = field.load %i, %j {field = u} : f32
      field.store %x, %i, %j {field = v}
      scf.yield
    }
    scf.yield
  }`;

describe('a loop over active elements', () => {
  it('of a dense grid has no list: rows run in parallel, the elements of a row in lanes', () => {
    expect(lowered(layout(dense(ij, [128, 64]).place(u, v)), copy)).toMatchInlineSnapshot(`
      "scf.for 0, 128, 1 {parallel = true} {
      ^(%task: i32):
        %0 = snode.index 0, %task {hi = 128, lo = 0, unit = 128} : i32
        scf.for 0, 64, 1 {simd = true} {
        ^(%j: i32):
          %1 = snode.index 0, %j {hi = 64, lo = 0, unit = 64} : i32
          %x = field.load %0, %1 {field = u} : f32
          field.store %x, %0, %1 {field = v}
        }
      }"
    `);
  });

  it('of a small grid takes as many axes in parallel as there must be for enough tasks', () => {
    expect(lowered(layout(dense(ij, 16).dense(ij, 8).place(u, v)), copy)).toMatchInlineSnapshot(`
      "scf.for 0, 256, 1 {parallel = true} {
      ^(%task: i32):
        %0 = arith.shr %task, 4 : i32
        %1 = snode.index 0, %0 {hi = 16, lo = 0, unit = 16} : i32
        %2 = arith.and %task, 15 : i32
        %3 = snode.index 0, %2 {hi = 16, lo = 0, unit = 16} : i32
        %4 = arith.shl %1, 3 : i32
        scf.for 0, 8, 1 {
        ^(%i: i32):
          %5 = snode.index %4, %i {hi = 128, lo = 0, unit = 8} : i32
          %6 = arith.shl %3, 3 : i32
          scf.for 0, 8, 1 {simd = true} {
          ^(%j: i32):
            %7 = snode.index %6, %j {hi = 128, lo = 0, unit = 8} : i32
            %x = field.load %5, %7 {field = u} : f32
            field.store %x, %5, %7 {field = v}
          }
        }
      }"
    `);
  });

  it('of blocks that it does not change looks for the active ones as it goes: a task a block', () => {
    expect(lowered(layout(dense(ij, 16).pointer().dense(ij, [4, 8]).place(u, v)), copy)).toMatchInlineSnapshot(`
      "%0 = mem.load 320 {buffer = @arena_i32} : i32
      %1 = arith.shl %0, 8 : i32
      %2 = mem.load 337 {buffer = @arena_i32} : i32
      %3 = arith.sub %1, %2 : i32
      %4 = arith.max %3, 0 : i32
      %5 = mem.load 336 {buffer = @arena_i32} : i32
      %6 = arith.add %5, %4 : i32
      %7 = arith.min %6, 235 : i32
      scf.for 2, %7, 1 {parallel = true} {
      ^(%task: i32):
        %8 = arith.add %task, 16944 : i32
        %9 = mem.load %8 {buffer = @arena_i32} : i32
        %10 = arith.cmp %9, 0 {predicate = ne} : i1
        scf.if %10 {
          %11 = arith.shl %task, 1 : i32
          %12 = arith.add %11, 17184 : i32
          %13 = mem.load %12 {buffer = @arena_i32} : i32
          %14 = snode.index %13, 0 {hi = 16, lo = 0, unit = 1} : i32
          %15 = arith.add %11, 17185 : i32
          %16 = mem.load %15 {buffer = @arena_i32} : i32
          %17 = snode.index %16, 0 {hi = 16, lo = 0, unit = 1} : i32
          snode.assume_active %14, %17 {node = up.up.u}
          %18 = arith.shl %14, 2 : i32
          scf.for 0, 4, 1 {
          ^(%i: i32):
            %19 = snode.index %18, %i {hi = 64, lo = 0, unit = 4} : i32
            %20 = arith.shl %17, 3 : i32
            scf.for 0, 8, 1 {simd = true} {
            ^(%j: i32):
              %21 = snode.index %20, %j {hi = 128, lo = 0, unit = 8} : i32
              %x = field.load %19, %21 {field = u} : f32
              field.store %x, %19, %21 {field = v}
            }
          }
        } {
        }
      }"
    `);
  });

  it('divides large blocks', () => {
    expect(lowered(layout(dense(ij, 4).pointer().dense(ij, 1024).place(u, v)), copy)).toMatchInlineSnapshot(`
      "%0 = mem.load 48 {buffer = @arena_i32} : i32
      %1 = arith.shl %0, 8 : i32
      %2 = mem.load 65 {buffer = @arena_i32} : i32
      %3 = arith.sub %1, %2 : i32
      %4 = arith.max %3, 0 : i32
      %5 = mem.load 64 {buffer = @arena_i32} : i32
      %6 = arith.add %5, %4 : i32
      %7 = arith.min %6, 3 : i32
      %8 = arith.shl %7, 10 : i32
      scf.for 2048, %8, 1 {parallel = true} {
      ^(%task: i32):
        %9 = arith.shr %task, 10 : i32
        %10 = arith.add %9, 6292640 : i32
        %11 = mem.load %10 {buffer = @arena_i32} : i32
        %12 = arith.cmp %11, 0 {predicate = ne} : i1
        scf.if %12 {
          %13 = arith.shl %9, 1 : i32
          %14 = arith.add %13, 6292656 : i32
          %15 = mem.load %14 {buffer = @arena_i32} : i32
          %16 = snode.index %15, 0 {hi = 4, lo = 0, unit = 1} : i32
          %17 = arith.add %13, 6292657 : i32
          %18 = mem.load %17 {buffer = @arena_i32} : i32
          %19 = snode.index %18, 0 {hi = 4, lo = 0, unit = 1} : i32
          %20 = arith.and %task, 1023 : i32
          %21 = arith.shl %16, 10 : i32
          %22 = snode.index %21, %20 {hi = 4096, lo = 0, unit = 1024} : i32
          snode.assume_active %16, %19 {node = up.up.u}
          %23 = arith.shl %19, 10 : i32
          scf.for 0, 1024, 1 {simd = true} {
          ^(%j: i32):
            %24 = snode.index %23, %j {hi = 4096, lo = 0, unit = 1024} : i32
            %x = field.load %22, %24 {field = u} : f32
            field.store %x, %22, %24 {field = v}
          }
        } {
        }
      }"
    `);
  });

  it('of a mask looks at the bits of a row at once', () => {
    expect(lowered(layout(dense(ij, 16).pointer().dense(ij, [4, 8]).bitmasked().place(u, v)), copy))
      .toMatchInlineSnapshot(`
        "%0 = mem.load 320 {buffer = @arena_i32} : i32
        %1 = arith.shl %0, 8 : i32
        %2 = mem.load 337 {buffer = @arena_i32} : i32
        %3 = arith.sub %1, %2 : i32
        %4 = arith.max %3, 0 : i32
        %5 = mem.load 336 {buffer = @arena_i32} : i32
        %6 = arith.add %5, %4 : i32
        %7 = arith.min %6, 229 : i32
        scf.for 2, %7, 1 {parallel = true, schedule = dynamic} {
        ^(%task: i32):
          %8 = arith.add %task, 17024 : i32
          %9 = mem.load %8 {buffer = @arena_i32} : i32
          %10 = arith.cmp %9, 0 {predicate = ne} : i1
          scf.if %10 {
            %11 = arith.shl %task, 1 : i32
            %12 = arith.add %11, 17264 : i32
            %13 = mem.load %12 {buffer = @arena_i32} : i32
            %14 = snode.index %13, 0 {hi = 16, lo = 0, unit = 1} : i32
            %15 = arith.add %11, 17265 : i32
            %16 = mem.load %15 {buffer = @arena_i32} : i32
            %17 = snode.index %16, 0 {hi = 16, lo = 0, unit = 1} : i32
            snode.assume_active %14, %17 {node = up.up.u}
            %18 = arith.shl %14, 2 : i32
            scf.for 0, 4, 1 {
            ^(%i: i32):
              %19 = snode.index %18, %i {hi = 64, lo = 0, unit = 4} : i32
              %20 = arith.shl %17, 3 : i32
              %21 = arith.shl %i, 3 : i32
              %22 = arith.shr %21, 5 : i32
              %23 = arith.mul %task, 66 : i32
              %24 = arith.add %23, %22 : i32
              %25 = arith.add %24, 368 : i32
              %26 = mem.load %25 {buffer = @arena_i32} : i32
              %27 = arith.and %21, 31 : i32
              %28 = arith.shr %26, %27 : i32
              %29 = arith.and %28, 255 : i32
              %30 = arith.cmp %29, 0 {predicate = ne} : i1
              scf.if %30 {
                scf.for 0, 8, 1 {simd = true} {
                ^(%j: i32):
                  %31 = arith.shr %29, %j : i32
                  %32 = arith.and %31, 1 : i32
                  %33 = arith.cmp %32, 0 {predicate = ne} : i1
                  scf.if %33 {
                    %34 = snode.index %20, %j {hi = 128, lo = 0, unit = 8} : i32
                    snode.assume_active %19, %34 {node = up.u}
                    %x = field.load %19, %34 {field = u} : f32
                    field.store %x, %19, %34 {field = v}
                  } {
                  }
                }
              } {
              }
            }
          } {
          }
        }"
      `);
  });

  it('of masks around blocks makes a list of the blocks first', () => {
    expect(lowered(layout(dense(ij, 16).bitmasked().dense(ij, 8).place(u, v)), copy)).toMatchInlineSnapshot(`
      "mem.store 0, 36896 {buffer = @arena_i32}
      scf.for 0, 8, 1 {
      ^(%n: i32):
        %0 = arith.add %n, 16 : i32
        %1 = mem.load %0 {buffer = @arena_i32} : i32
        %2 = arith.cmp %1, 0 {predicate = ne} : i1
        scf.if %2 {
          %3 = arith.shl %n, 5 : i32
          %4 = arith.shr %1, 1 : i32
          %5 = arith.and %4, 1431655765 : i32
          %6 = arith.sub %1, %5 : i32
          %7 = arith.and %6, 858993459 : i32
          %8 = arith.shr %6, 2 : i32
          %9 = arith.and %8, 858993459 : i32
          %10 = arith.add %7, %9 : i32
          %11 = arith.shr %10, 4 : i32
          %12 = arith.add %10, %11 : i32
          %13 = arith.and %12, 252645135 : i32
          %14 = arith.mul %13, 16843009 : i32
          %15 = arith.shr %14, 24 : i32
          %16 = mem.atomic %15, 36896 {buffer = @arena_i32, kind = add} : i32
          %17 = scf.for 0, 32, 1, %16 {
          ^(%i: i32, %18: i32):
            %19 = arith.shr %1, %i : i32
            %20 = arith.and %19, 1 : i32
            %21 = arith.cmp %20, 0 {predicate = ne} : i1
            scf.if %21 {
              %22 = arith.add %3, %i : i32
              %23 = arith.add %18, 36912 : i32
              mem.store %22, %23 {buffer = @arena_i32}
            } {
            }
            %24 = arith.add %18, %20 : i32
            scf.yield %24
          } : i32
        } {
        }
      }
      %25 = mem.load 36896 {buffer = @arena_i32} : i32
      scf.for 0, %25, 1 {parallel = true} {
      ^(%task: i32):
        %26 = arith.add %task, 36912 : i32
        %27 = mem.load %26 {buffer = @arena_i32} : i32
        %28 = arith.shr %27, 4 : i32
        %29 = arith.and %27, 15 : i32
        %30 = snode.index 0, %28 {hi = 16, lo = 0, unit = 16} : i32
        %31 = snode.index 0, %29 {hi = 16, lo = 0, unit = 16} : i32
        snode.assume_active %30, %31 {node = up.up.u}
        %32 = arith.shl %30, 3 : i32
        scf.for 0, 8, 1 {
        ^(%i_1: i32):
          %33 = snode.index %32, %i_1 {hi = 128, lo = 0, unit = 8} : i32
          %34 = arith.shl %31, 3 : i32
          scf.for 0, 8, 1 {simd = true} {
          ^(%j: i32):
            %35 = snode.index %34, %j {hi = 128, lo = 0, unit = 8} : i32
            %x = field.load %33, %35 {field = u} : f32
            field.store %x, %33, %35 {field = v}
          }
        }
      }"
    `);
  });

  it('of lists runs to the end of each', () => {
    const kernel = `
  kernel @number() {
    field.for {node = up.p} {
    ^(%i: i32, %j: i32, %k: i32):
      field.store %k, %i, %j, %k {field = p}
      scf.yield
    }
    scf.yield
  }`;
    expect(lowered(layout(dense(ij, 16).pointer().dynamic(k, 64).place(p)), kernel)).toMatchInlineSnapshot(`
      "%0 = mem.load 320 {buffer = @arena_i32} : i32
      %1 = arith.shl %0, 8 : i32
      %2 = mem.load 337 {buffer = @arena_i32} : i32
      %3 = arith.sub %1, %2 : i32
      %4 = arith.max %3, 0 : i32
      %5 = mem.load 336 {buffer = @arena_i32} : i32
      %6 = arith.add %5, %4 : i32
      %7 = arith.min %6, 223 : i32
      scf.for 2, %7, 1 {parallel = true, schedule = dynamic} {
      ^(%task: i32):
        %8 = arith.add %task, 17040 : i32
        %9 = mem.load %8 {buffer = @arena_i32} : i32
        %10 = arith.cmp %9, 0 {predicate = ne} : i1
        scf.if %10 {
          %11 = arith.shl %task, 1 : i32
          %12 = arith.add %11, 17264 : i32
          %13 = mem.load %12 {buffer = @arena_i32} : i32
          %14 = snode.index %13, 0 {hi = 16, lo = 0, unit = 1} : i32
          %15 = arith.add %11, 17265 : i32
          %16 = mem.load %15 {buffer = @arena_i32} : i32
          %17 = snode.index %16, 0 {hi = 16, lo = 0, unit = 1} : i32
          snode.assume_active %14, %17 {node = up.up.p}
          %18 = arith.mul %task, 68 : i32
          %19 = arith.add %18, 368 : i32
          %20 = mem.load %19 {buffer = @arena_i32} : i32
          %21 = arith.min %20, 64 : i32
          scf.for 0, %21, 1 {simd = true} {
          ^(%k: i32):
            %22 = snode.index 0, %k {hi = 64, lo = 0, unit = 64} : i32
            snode.assume_active %14, %17, %22 {node = up.p}
            field.store %22, %14, %17, %22 {field = p}
          }
        } {
        }
      }"
    `);
  });
});

describe('hints', () => {
  const shape = layout(dense(ij, 256).place(u, v));

  it('block and threads bound tasks and threads', () => {
    const text = lowered(shape, copy.replace('{node = up.u}', '{node = up.u, block = 64, threads = 3}'));
    expect(text).toMatchInlineSnapshot(`
      "scf.for 0, 1024, 1 {parallel = true, threads = 3} {
      ^(%task: i32):
        %0 = arith.shr %task, 2 : i32
        %1 = snode.index 0, %0 {hi = 256, lo = 0, unit = 256} : i32
        %2 = arith.and %task, 3 : i32
        %3 = arith.shl %2, 6 : i32
        scf.for 0, 64, 1 {simd = true} {
        ^(%j: i32):
          %4 = snode.index %3, %j {unit = 64} : i32
          %5 = snode.index 0, %4 {hi = 256, lo = 0, unit = 256} : i32
          %x = field.load %1, %5 {field = u} : f32
          field.store %x, %1, %5 {field = v}
        }
      }"
    `);
  });
});

describe('what is refused', () => {
  it('a loop over active elements inside a parallel loop', () => {
    const shape = layout(dense(ij, 16).place(u, v));
    const storage = storageOf(shape);
    const kernel = `
  kernel @nested() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %1, %1 {parallel = true} {
    ^(%n: i32):
      field.for {node = up.u} {
      ^(%i: i32, %j: i32):
        scf.yield
      }
      scf.yield
    }
    scf.yield
  }`;
    const module = moduleFrom(storage, kernel);
    expect(verify(dialectsOf(shape)).run(module)._tag).toBe('Right');
    const { code, remedy } = left(lowerLoops(storage).run(module));
    expect(code).toBe('loops/nested');
    expect(remedy).toContain('before or after');
  });
});

describe('the deactivation of all cells', () => {
  const clear = `
  kernel @clear() {
    field.clear_all {node = up.u}
    scf.yield
  }`;

  it('of a pool is done by one thread of a processor, since all of them go on one list', () => {
    const shape = layout(dense(ij, 16).pointer().place(u));
    expect(lowered(shape, clear)).toMatchInlineSnapshot(`
      "%0 = mem.load 320 {buffer = @arena_i32} : i32
      %1 = arith.shl %0, 8 : i32
      %2 = mem.load 337 {buffer = @arena_i32} : i32
      %3 = arith.sub %1, %2 : i32
      %4 = arith.max %3, 0 : i32
      %5 = mem.load 336 {buffer = @arena_i32} : i32
      %6 = arith.add %5, %4 : i32
      %7 = arith.min %6, 258 : i32
      scf.for 2, %7, 1 {
      ^(%task: i32):
        %8 = arith.add %task, 2512 : i32
        %9 = mem.load %8 {buffer = @arena_i32} : i32
        %10 = arith.cmp %9, 0 {predicate = ne} : i1
        scf.if %10 {
          %11 = arith.shl %task, 1 : i32
          %12 = arith.add %11, 2784 : i32
          %13 = mem.load %12 {buffer = @arena_i32} : i32
          %14 = snode.index %13, 0 {hi = 16, lo = 0, unit = 1} : i32
          %15 = arith.add %11, 2785 : i32
          %16 = mem.load %15 {buffer = @arena_i32} : i32
          %17 = snode.index %16, 0 {hi = 16, lo = 0, unit = 1} : i32
          field.deactivate %14, %17 {node = up.u}
        } {
        }
      }
      %18 = mem.load 352 {buffer = @arena_i32} : i32
      %19 = arith.cmp %18, 0 {predicate = ne} : i1
      scf.if %19 {
        %20 = arith.sub %5, %2 : i32
        %21 = arith.and %20, 255 : i32
        %22 = arith.add %21, %2 : i32
        %23 = arith.sub 258, %5 : i32
        %24 = arith.add %22, %23 : i32
        %25 = arith.add %24, 255 : i32
        %26 = arith.shr %25, 8 : i32
        %27 = arith.min %0, %26 : i32
        %28 = scf.for 0, %27, 1, %21 {
        ^(%i: i32, %29: i32):
          %30 = arith.shl %i, 8 : i32
          %31 = arith.max %30, %21 : i32
          %32 = arith.add %30, 256 : i32
          %33 = arith.min %32, %24 : i32
          %34 = arith.shl %i, 4 : i32
          %35 = arith.add %34, 896 : i32
          %36 = mem.load %35 {buffer = @arena_i32} : i32
          %37 = arith.add %31, %36 : i32
          %38 = arith.min %37, %33 : i32
          %39 = arith.add %i, 1 : i32
          %40 = arith.cmp %39, %0 {predicate = eq} : i1
          %41 = arith.select %40, %38, %33 : i32
          scf.for %38, %41, 1 {
          ^(%n: i32):
            %42 = arith.cmp %n, %22 {predicate = lt} : i1
            %43 = scf.if %42 {
              %44 = arith.sub %n, %21 : i32
              %45 = arith.add %44, 1968 : i32
              %46 = mem.load %45 {buffer = @arena_i32} : i32
              scf.yield %46
            } {
              %47 = mem.load 336 {buffer = @arena_i32} : i32
              %48 = arith.sub %n, %22 : i32
              %49 = arith.add %47, %48 : i32
              scf.yield %49
            } : i32
            %50 = mem.atomic 1, 352 {buffer = @arena_i32, kind = add} : i32
            %51 = arith.add %50, 2240 : i32
            mem.store %43, %51 {buffer = @arena_i32}
          }
          %52 = arith.add %34, 897 : i32
          %53 = mem.load %52 {buffer = @arena_i32} : i32
          %54 = arith.shl %53, 4 : i32
          %55 = arith.add %54, 944 : i32
          mem.store 0, %55 {buffer = @arena_i32}
          mem.store 0, %35 {buffer = @arena_i32}
          scf.yield %41
        } : i32
        %56 = arith.cmp %0, %26 {predicate = ge} : i1
        scf.if %56 {
          scf.for 0, 64, 1 {
          ^(%n_1: i32):
            %57 = arith.shl %n_1, 4 : i32
            %58 = arith.add %57, 944 : i32
            mem.store 0, %58 {buffer = @arena_i32}
          }
        } {
        }
        mem.store 0, 320 {buffer = @arena_i32}
        mem.store 0, 321 {buffer = @arena_i32}
        %59 = arith.sub %28, %21 : i32
        %60 = mem.load 352 {buffer = @arena_i32} : i32
        %61 = mem.load 337 {buffer = @arena_i32} : i32
        %62 = arith.min %59, %61 : i32
        %63 = arith.cmp %60, 4096 {predicate = gt} : i1
        scf.if %63 {
          scf.for 0, %60, 1 {parallel = true} {
          ^(%n_2: i32):
            %64 = arith.add %n_2, 2240 : i32
            %65 = mem.load %64 {buffer = @arena_i32} : i32
            %66 = arith.shl %65, 1 : i32
            %67 = arith.add %66, 368 : i32
            mem.store 0, %67 {buffer = @arena_f32}
            %68 = arith.cmp %n_2, %62 {predicate = lt} : i1
            %69 = arith.sub %61, %62 : i32
            %70 = arith.add %n_2, %69 : i32
            %71 = arith.select %68, %n_2, %70 : i32
            %72 = arith.add %71, 1968 : i32
            mem.store %65, %72 {buffer = @arena_i32}
          }
        } {
          scf.for 0, %60, 1 {
          ^(%n_3: i32):
            %73 = arith.add %n_3, 2240 : i32
            %74 = mem.load %73 {buffer = @arena_i32} : i32
            %75 = arith.shl %74, 1 : i32
            %76 = arith.add %75, 368 : i32
            mem.store 0, %76 {buffer = @arena_f32}
            %77 = arith.cmp %n_3, %62 {predicate = lt} : i1
            %78 = arith.sub %61, %62 : i32
            %79 = arith.add %n_3, %78 : i32
            %80 = arith.select %77, %n_3, %79 : i32
            %81 = arith.add %80, 1968 : i32
            mem.store %74, %81 {buffer = @arena_i32}
          }
        }
        %82 = arith.sub %62, %60 : i32
        %83 = arith.sub %61, %62 : i32
        %84 = arith.min %82, %83 : i32
        %85 = arith.max %84, 0 : i32
        scf.for 0, %85, 1 {
        ^(%n_4: i32):
          %86 = arith.sub %61, %85 : i32
          %87 = arith.add %86, %n_4 : i32
          %88 = arith.add %87, 1968 : i32
          %89 = mem.load %88 {buffer = @arena_i32} : i32
          %90 = arith.add %60, %n_4 : i32
          %91 = arith.add %90, 1968 : i32
          mem.store %89, %91 {buffer = @arena_i32}
        }
        %92 = arith.add %83, %60 : i32
        %93 = arith.sub %59, %62 : i32
        %94 = mem.load 336 {buffer = @arena_i32} : i32
        %95 = arith.add %94, %93 : i32
        %96 = arith.min %95, 258 : i32
        %97 = arith.add %96, -2 : i32
        %98 = arith.cmp %97, %92 {predicate = eq} : i1
        %99 = arith.select %98, 2, %96 : i32
        mem.store %99, 336 {buffer = @arena_i32}
        %100 = arith.select %98, 0, %92 : i32
        mem.store %100, 337 {buffer = @arena_i32}
        mem.store 0, 352 {buffer = @arena_i32}
      } {
      }"
    `);
    expect(loweredFor({ tasks: 1 << 16, least: 1, most: 256 }, shape, clear)).toContain('parallel = true');
  });

  it('of bits in a mask is divided among threads', () => {
    expect(lowered(layout(dense(ij, [128, 64]).bitmasked().place(u)), clear)).toContain('parallel = true');
  });
});
