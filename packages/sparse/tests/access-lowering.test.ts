import { coreDialects, interpret, pipeline } from '@filigree/ir';
import { dce, defaultPipeline } from '@filigree/opt';
import {
  STATUS,
  arenaName,
  dense,
  dynamic,
  field,
  fieldDialect,
  hash,
  hashOf,
  i,
  ij,
  layout,
  sitesOf,
  snodeDialect,
  storageOf,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerAccess, lowerFields, simplifyAccess, type SimplifyOptions } from '@filigree/sparse/lowering';
import { describe, expect, it } from 'vitest';
import { allocate, freshArena } from './access-model.js';
import { after, moduleFrom } from './access-text.js';
import { left, right } from './support.js';

const a = field('a', 'i32');
const b = field('b', 'i32');

/* `a[i] = b[i] + 1` over dense(i, 128).dense(i, 128), as a struct-for is: a block of 128 elements a task. */
const increment = `
  kernel @inc() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %n = arith.constant {value = 128} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%block: i32):
      %base = arith.mul %block, %n : i32
      scf.for %0, %n, %1 {simd = true} {
      ^(%digit: i32):
        %i = snode.index %base, %digit {unit = 128, lo = 0, hi = 16384} : i32
        %2 = field.load %i {field = "b"} : i32
        %3 = arith.add %2, %1 : i32
        field.store %3, %i {field = "a"}
        scf.yield
      }
      scf.yield
    }
    scf.yield
  }`;

const twoLevels = layout(dense(i, 128).dense(i, 128).place(a, b));

describe('the kernel of appendix C', () => {
  it('goes from the root to each value, and makes what is the same once', () => {
    expect(after(twoLevels, increment, (s) => [lowerAccess(s)])).toMatchInlineSnapshot(`
      "scf.for 0, 128, 1 {parallel = true} {
      ^(%block: i32):
        %base = arith.mul %block, 128 : i32
        scf.for 0, 128, 1 {simd = true} {
        ^(%digit: i32):
          %i = snode.index %base, %digit {hi = 16384, lo = 0, unit = 128} : i32
          %0 = snode.clamp %i {extent = 16384} : i32
          %1 = snode.inside %0, %i : i1
          %2 = snode.root : i32
          %3 = snode.child %2 {node = up.up.a} : i32
          %4 = snode.extract %0 {below = 128, extent = 0} : i32
          %5 = snode.linearize %4 {node = up.up.a} : i32
          %6 = snode.lookup %3, %5, %1 {node = up.up.a} : i32
          %7 = snode.child %6 {node = up.a} : i32
          %8 = snode.extract %0 {below = 1, extent = 128} : i32
          %9 = snode.linearize %8 {node = up.a} : i32
          %10 = snode.lookup %7, %9 {node = up.a} : i32
          %11 = snode.child %10 {node = b} : i32
          %12 = snode.load %11 {node = b} : i32
          %13 = arith.add %12, 1 : i32
          %14 = snode.lookup %3, %5, %1 {node = up.up.a, written = true} : i32
          %15 = snode.child %14 {node = up.a} : i32
          %16 = snode.lookup %15, %9 {node = up.a} : i32
          %17 = snode.child %16 {node = a} : i32
          snode.store %13, %17 {node = a}
        }
      }"
    `);
  });

  it('ends with one path for both, a part of it a block, as in the thesis', () => {
    expect(after(twoLevels, increment, (s) => [lowerAccess(s), simplifyAccess(s)])).toMatchInlineSnapshot(`
      "%0 = snode.root : i32
      %1 = snode.child %0 {node = up.up.a} : i32
      scf.for 0, 128, 1 {parallel = true} {
      ^(%block: i32):
        %2 = snode.linearize %block {node = up.up.a} : i32
        %3 = snode.lookup %1, %2 {node = up.up.a} : i32
        %4 = snode.child %3 {node = up.a} : i32
        scf.for 0, 128, 1 {simd = true} {
        ^(%digit: i32):
          %5 = snode.linearize %digit {node = up.a} : i32
          %6 = snode.lookup %4, %5 {node = up.a} : i32
          %7 = snode.child %6 {node = b} : i32
          %8 = snode.load %7 {node = b} : i32
          %9 = arith.add %8, 1 : i32
          %10 = snode.child %6 {node = a} : i32
          snode.store %9, %10 {node = a}
        }
      }"
    `);
  });

  it('is two loads and stores of addresses with a common part', () => {
    expect(after(twoLevels, increment, (s) => [lowerFields(s), defaultPipeline()])).toMatchInlineSnapshot(`
      "scf.for 0, 128, 1 {parallel = true} {
      ^(%block: i32):
        %0 = arith.shl %block, 8 : i32
        scf.for 0, 128, 1 {simd = true} {
        ^(%digit: i32):
          %1 = arith.shl %digit, 1 : i32
          %2 = arith.add %0, %1 : i32
          %3 = arith.add %2, 17 : i32
          %4 = mem.load %3 {buffer = @arena_i32} : i32
          %5 = arith.add %4, 1 : i32
          %6 = arith.add %2, 16 : i32
          mem.store %5, %6 {buffer = @arena_i32}
        }
      }"
    `);
  });
});

const store = `
  kernel @k(%i: i32, %v: i32) {
    field.store %v, %i {field = "a"}
    scf.yield
  }`;
const load = `
  kernel @k(%i: i32) {
    %0 = field.load %i {field = "a"} : i32
    mem.store %0, %0 {buffer = @arena_i32}
    scf.yield
  }`;

const lowered = (shape: Layout, kernel: string): string =>
  after(shape, kernel, (s) => [lowerFields(s), defaultPipeline()]);

describe('an access', () => {
  it('to a dense node is arithmetic, within bounds whatever the index is', () => {
    expect(lowered(layout(dense(i, 3).dense(i, 8).place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 23 : i32
      %2 = arith.cmp %1, %i {predicate = eq} : i1
      %3 = arith.shr %1, 3 : i32
      %4 = arith.select %2, %3, 4 : i32
      %5 = arith.and %1, 7 : i32
      %6 = arith.shl %4, 3 : i32
      %7 = arith.add %6, %5 : i32
      %8 = arith.add %7, 16 : i32
      mem.store %v, %8 {buffer = @arena_i32}"
    `);
  });

  it('to a Z-order curve interleaves the bits of the digits', () => {
    const kernel = `
      kernel @k(%i: i32, %j: i32, %v: i32) {
        field.store %v, %i, %j {field = "a"}
        scf.yield
      }`;
    expect(lowered(layout(dense(ij, 8).morton().place(a)), kernel)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 7 : i32
      %2 = arith.cmp %1, %i {predicate = eq} : i1
      %3 = arith.max %j, 0 : i32
      %4 = arith.min %3, 7 : i32
      %5 = arith.cmp %4, %j {predicate = eq} : i1
      %6 = arith.and %2, %5 : i1
      %7 = arith.shl %1, 2 : i32
      %8 = arith.or %1, %7 : i32
      %9 = arith.and %8, 19 : i32
      %10 = arith.shl %9, 1 : i32
      %11 = arith.or %9, %10 : i32
      %12 = arith.and %11, 21 : i32
      %13 = arith.shl %12, 1 : i32
      %14 = arith.shl %4, 2 : i32
      %15 = arith.or %4, %14 : i32
      %16 = arith.and %15, 19 : i32
      %17 = arith.shl %16, 1 : i32
      %18 = arith.or %16, %17 : i32
      %19 = arith.and %18, 21 : i32
      %20 = arith.or %13, %19 : i32
      %21 = arith.select %6, %20, 65 : i32
      %22 = arith.add %21, 16 : i32
      mem.store %v, %22 {buffer = @arena_i32}"
    `);
  });

  it('that reads through a pointer has no branch: cell 0 is ambient', () => {
    expect(lowered(layout(dense(i, 4).pointer().dense(i, 8).place(a)), load)).toMatchInlineSnapshot(`
      "%0 = arith.cast %i {to = u32} : u32
      %1 = arith.min %0, 32 : u32
      %2 = arith.cast %1 {to = i32} : i32
      %3 = arith.shr %2, 3 : i32
      %4 = arith.add %3, 16 : i32
      %5 = mem.load %4 {buffer = @arena_i32} : i32
      %6 = arith.and %2, 7 : i32
      %7 = arith.shl %5, 3 : i32
      %8 = arith.add %7, %6 : i32
      %9 = arith.add %8, 80 : i32
      %10 = mem.load %9 {buffer = @arena_i32} : i32
      mem.store %10, %10 {buffer = @arena_i32}"
    `);
  });

  it('that writes through a pointer makes the cell where there is none, and gives it back if another thread was first', () => {
    expect(lowered(layout(dense(i, 4).pointer().dense(i, 8).place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.cast %i {to = u32} : u32
      %1 = arith.min %0, 32 : u32
      %2 = arith.cast %1 {to = i32} : i32
      %3 = arith.shr %2, 3 : i32
      %4 = arith.add %3, 16 : i32
      %5 = mem.load %4 {buffer = @arena_i32} : i32
      %6 = arith.cmp %5, 1 {predicate = le} : i1
      %7 = scf.if %6 {
        %8 = arith.cmp %3, 4 {predicate = ge} : i1
        %9 = scf.if %8 {
          scf.yield 1
        } {
          %10 = scf.while {
            %11 = mem.cas 0, 1, %4 {buffer = @arena_i32} : i32
            %12 = arith.cmp %11, 0 {predicate = eq} : i1
            %13 = scf.if %12 {
              %14 = mem.load 49 {buffer = @arena_i32} : i32
              %15 = mem.load 48 {buffer = @arena_i32} : i32
              %16 = arith.sub %15, %14 : i32
              %17 = arith.and %16, 255 : i32
              %18 = arith.add %17, %14 : i32
              %19 = arith.sub 6, %15 : i32
              %20 = arith.add %18, %19 : i32
              %21 = arith.add %20, 255 : i32
              %22 = arith.shr %21, 8 : i32
              %23 = mem.worker {buffer = @arena_i32, count = 64} : i32
              %24 = arith.shl %23, 4 : i32
              %25 = arith.add %24, 160 : i32
              %26 = mem.load %25 {buffer = @arena_i32} : i32
              %27 = arith.add %26, -1 : i32
              %28 = arith.cast %27 {to = u32} : u32
              %29 = arith.cast %22 {to = u32} : u32
              %30 = arith.cmp %28, %29 {predicate = lt} : i1
              %31 = scf.if %30 {
                %32 = arith.shl %27, 8 : i32
                %33 = arith.max %32, %17 : i32
                %34 = arith.add %32, 256 : i32
                %35 = arith.min %34, %20 : i32
                %36 = arith.shl %27, 4 : i32
                %37 = arith.add %36, 128 : i32
                %38 = mem.load %37 {buffer = @arena_i32} : i32
                %39 = arith.add %33, %38 : i32
                %40 = arith.cmp %39, %35 {predicate = lt} : i1
                %41 = scf.if %40 {
                  %42 = mem.atomic 1, %37 {buffer = @arena_i32, kind = add} : i32
                  %43 = arith.add %33, %42 : i32
                  %44 = arith.cmp %43, %35 {predicate = lt} : i1
                  %45 = arith.select %44, %43, -1 : i32
                  scf.yield %45
                } {
                  scf.yield -1
                } : i32
                scf.yield %41
              } {
                scf.yield -1
              } : i32
              %46 = arith.cmp %31, -1 {predicate = eq} : i1
              %47 = scf.if %46 {
                %48, %49, %50 = scf.while %27, false {
                ^(%51: i32, %52: i1):
                  %53, %54 = scf.if %52 {
                    %55 = arith.add %51, 1 : i32
                    %56 = mem.atomic %55, 33 {buffer = @arena_i32, kind = max} : i32
                    scf.yield %55, %52
                  } {
                    %57 = mem.load 32 {buffer = @arena_i32} : i32
                    %58 = arith.cmp %57, %22 {predicate = lt} : i1
                    %59 = scf.if %58 {
                      %60 = mem.atomic 1, 32 {buffer = @arena_i32, kind = add} : i32
                      scf.yield %60
                    } {
                      scf.yield %22
                    } : i32
                    %61 = arith.cmp %59, %22 {predicate = lt} : i1
                    %62 = scf.if %61 {
                      %63 = arith.shl %59, 4 : i32
                      %64 = arith.add %63, 129 : i32
                      mem.store %23, %64 {buffer = @arena_i32}
                      scf.yield %59
                    } {
                      %65 = mem.load 33 {buffer = @arena_i32} : i32
                      scf.yield %65
                    } : i32
                    %66 = arith.cmp %59, %22 {predicate = ge} : i1
                    scf.yield %62, %66
                  } : i32, i1
                  %67 = arith.add %53, 1 : i32
                  mem.store %67, %25 {buffer = @arena_i32}
                  %68 = arith.cast %53 {to = u32} : u32
                  %69 = arith.cmp %68, %29 {predicate = lt} : i1
                  %70 = scf.if %69 {
                    %71 = arith.shl %53, 8 : i32
                    %72 = arith.max %71, %17 : i32
                    %73 = arith.add %71, 256 : i32
                    %74 = arith.min %73, %20 : i32
                    %75 = arith.shl %53, 4 : i32
                    %76 = arith.add %75, 128 : i32
                    %77 = mem.load %76 {buffer = @arena_i32} : i32
                    %78 = arith.add %72, %77 : i32
                    %79 = arith.cmp %78, %74 {predicate = lt} : i1
                    %80 = scf.if %79 {
                      %81 = mem.atomic 1, %76 {buffer = @arena_i32, kind = add} : i32
                      %82 = arith.add %72, %81 : i32
                      %83 = arith.cmp %82, %74 {predicate = lt} : i1
                      %84 = arith.select %83, %82, -1 : i32
                      scf.yield %84
                    } {
                      scf.yield -1
                    } : i32
                    scf.yield %80
                  } {
                    scf.yield -1
                  } : i32
                  %85 = arith.cmp %70, -1 {predicate = eq} : i1
                  %86 = arith.cmp %53, %22 {predicate = lt} : i1
                  %87 = arith.and %85, %86 : i1
                  scf.condition %87, %70, %53, %54
                } {
                ^(%88: i32, %89: i32, %90: i1):
                  scf.yield %89, %90
                } : i32, i32, i1
                scf.yield %48
              } {
                scf.yield %31
              } : i32
              %91 = arith.cmp %47, -1 {predicate = eq} : i1
              %92 = scf.if %91 {
                scf.yield 0
              } {
                %93 = arith.cmp %47, %18 {predicate = lt} : i1
                %94 = scf.if %93 {
                  %95 = arith.sub %47, %17 : i32
                  %96 = arith.add %95, 1184 : i32
                  %97 = mem.load %96 {buffer = @arena_i32} : i32
                  scf.yield %97
                } {
                  %98 = mem.load 48 {buffer = @arena_i32} : i32
                  %99 = arith.sub %47, %18 : i32
                  %100 = arith.add %98, %99 : i32
                  scf.yield %100
                } : i32
                scf.yield %94
              } : i32
              %101 = arith.cmp %92, 0 {predicate = ne} : i1
              scf.if %101 {
                %102 = arith.add %92, 1232 : i32
                mem.store %3, %102 {buffer = @arena_i32}
                %103 = arith.add %92, 1216 : i32
                mem.store 1, %103 {buffer = @arena_i32}
              } {
              }
              %104 = mem.atomic %92, %4 {buffer = @arena_i32, kind = exchange} : i32
              scf.yield %92
            } {
              scf.yield %11
            } : i32
            %105 = arith.cmp %13, 1 {predicate = eq} : i1
            scf.condition %105, %13
          } {
          ^(%106: i32):
          } : i32
          %107 = arith.cmp %10, 0 {predicate = eq} : i1
          %108 = scf.if %107 {
            %109 = mem.cas 0, 1, 0 {buffer = @arena_i32} : i32
            %110 = arith.cmp %109, 0 {predicate = eq} : i1
            scf.if %110 {
              mem.store 0, 1 {buffer = @arena_i32}
              mem.store %3, 2 {buffer = @arena_i32}
            } {
            }
            scf.yield 1
          } {
            scf.yield %10
          } : i32
          scf.yield %108
        } : i32
        scf.yield %9
      } {
        scf.yield %5
      } : i32
      %111 = arith.and %2, 7 : i32
      %112 = arith.shl %7, 3 : i32
      %113 = arith.add %112, %111 : i32
      %114 = arith.add %113, 80 : i32
      mem.store %v, %114 {buffer = @arena_i32}"
    `);
  });

  it('that writes to a bitmasked node sets the bit unless it is set', () => {
    expect(lowered(layout(dense(i, 64).bitmasked().place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 63 : i32
      %2 = arith.cmp %1, %i {predicate = eq} : i1
      %3 = arith.select %2, %1, 65 : i32
      %4 = arith.shr %1, 5 : i32
      %5 = arith.and %1, 31 : i32
      %6 = arith.shl 1, %5 : i32
      %7 = arith.add %4, 16 : i32
      %8 = mem.load %7 {buffer = @arena_i32} : i32
      %9 = arith.and %8, %6 : i32
      %10 = arith.cmp %9, 0 {predicate = eq} : i1
      %11 = arith.and %2, %10 : i1
      scf.if %11 {
        %12 = mem.atomic %6, %7 {buffer = @arena_i32, kind = or} : i32
      } {
      }
      %13 = arith.add %3, 20 : i32
      mem.store %v, %13 {buffer = @arena_i32}"
    `);
  });

  it('that writes beyond the end of a list makes it longer, up to its maximum', () => {
    expect(lowered(layout(dynamic(i, 10).place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.cast %i {to = u32} : u32
      %1 = arith.min %0, 10 : u32
      %2 = arith.cast %1 {to = i32} : i32
      %3 = arith.max %i, 0 : i32
      %4 = arith.cmp %3, %i {predicate = eq} : i1
      %5 = arith.cmp %2, 10 {predicate = ge} : i1
      %6 = arith.select %5, 11, %2 : i32
      %7 = arith.select %4, %6, 11 : i32
      scf.if %4 {
        %8 = arith.cmp %2, 10 {predicate = lt} : i1
        %9 = mem.load 16 {buffer = @arena_i32} : i32
        %10 = arith.cmp %2, %9 {predicate = ge} : i1
        scf.if %10 {
          scf.if %8 {
            %11 = arith.add %2, 1 : i32
            %12 = mem.atomic %11, 16 {buffer = @arena_i32, kind = max} : i32
          } {
            %13 = mem.cas 0, 2, 0 {buffer = @arena_i32} : i32
            %14 = arith.cmp %13, 0 {predicate = eq} : i1
            scf.if %14 {
              mem.store 0, 1 {buffer = @arena_i32}
              mem.store %2, 2 {buffer = @arena_i32}
            } {
            }
          }
        } {
        }
      } {
      }
      scf.if %4 {
        %15 = arith.add %7, 18 : i32
        mem.store %v, %15 {buffer = @arena_i32}
      } {
      }"
    `);
  });

  it('that appends takes the next cell of a list, the spare one where it is full', () => {
    const kernel = `
      kernel @k(%v: i32) {
        %0 = field.append {node = up.a} : i32
        field.store %v, %0 {field = "a"}
        scf.yield
      }`;
    expect(after(layout(dynamic(i, 10).place(a)), kernel, (s) => [lowerAccess(s)])).toMatchInlineSnapshot(`
      "%0 = snode.root : i32
      %1 = snode.child %0 {node = up.a} : i32
      %2 = snode.append %1 {node = up.a, site = 0} : i32
      %3 = snode.clamp %2 {extent = 10, past = true} : i32
      %4 = snode.clamp %2 {extent = 2147483648} : i32
      %5 = snode.inside %4, %2 : i1
      %6 = snode.extract %3 {below = 1, extent = 0} : i32
      %7 = snode.linearize %6 {node = up.a} : i32
      %8 = snode.lookup %1, %7, %6, %5 {activate = true, node = up.a, past = true, site = 1} : i32
      %9 = snode.child %8 {node = a} : i32
      snode.store %v, %9, %5 {node = a}"
    `);
    expect(
      after(layout(dynamic(i, 10).place(a)), kernel.replace('field.store %v, %0 {field = "a"}', ''), (s) => [
        lowerFields(s),
        defaultPipeline(),
      ]),
    ).toMatchInlineSnapshot(`
      "%0 = mem.atomic 1, 16 {buffer = @arena_i32, kind = add} : i32
      %1 = arith.cmp %0, 10 {predicate = lt} : i1
      scf.if %1 {
      } {
        %2 = mem.atomic -1, 16 {buffer = @arena_i32, kind = add} : i32
        %3 = mem.cas 0, 2, 0 {buffer = @arena_i32} : i32
        %4 = arith.cmp %3, 0 {predicate = eq} : i1
        scf.if %4 {
          mem.store 0, 1 {buffer = @arena_i32}
        } {
        }
      }"
    `);
  });

  it('that reads from a hash table looks at one slot after the other, up to the first that was never used', () => {
    expect(lowered(layout(hash(i, 4, { cells: 10 }).dense(i, 2).place(a)), load)).toMatchInlineSnapshot(`
      "%0 = arith.shr %i, 1 : i32
      %1 = arith.shr %i, 3 : i32
      %2 = arith.mul %1, -1640531535 : i32
      %3 = arith.cast %2 {to = u32} : u32
      %4 = arith.shr %3, 15 : u32
      %5 = arith.cast %4 {to = i32} : i32
      %6 = arith.xor %2, %5 : i32
      %7 = arith.and %0, 3 : i32
      %8 = arith.shl %7, 2 : i32
      %9 = arith.cast %6 {to = u32} : u32
      %10 = arith.shr %9, 28 : u32
      %11 = arith.cast %10 {to = i32} : i32
      %12 = arith.xor %8, %11 : i32
      %13 = arith.and %6, -16 : i32
      %14 = arith.or %13, %12 : i32
      %15 = arith.and %14, 31 : i32
      %16, %17, %18 = scf.while %15, 32 {
      ^(%19: i32, %20: i32):
        %21 = arith.add %19, 1216 : i32
        %22 = mem.load %21 {buffer = @arena_i32} : i32
        %23 = arith.max %22, 0 : i32
        %24 = arith.cmp %23, 0 {predicate = ne} : i1
        %25 = arith.add %23, 1200 : i32
        %26 = mem.load %25 {buffer = @arena_i32} : i32
        %27 = arith.cmp %26, %0 {predicate = eq} : i1
        %28 = arith.and %24, %27 : i1
        %29 = arith.cmp %22, 0 {predicate = eq} : i1
        %30 = arith.cmp %20, 1 {predicate = le} : i1
        %31 = arith.or %29, %30 : i1
        %32 = arith.or %28, %31 : i1
        %33 = arith.not %32 : i1
        %34 = arith.select %28, %22, 0 : i32
        scf.condition %33, %34, %19, %20
      } {
      ^(%35: i32, %36: i32, %37: i32):
        %38 = arith.add %36, 1 : i32
        %39 = arith.and %38, 31 : i32
        %40 = arith.add %37, -1 : i32
        scf.yield %39, %40
      } : i32, i32, i32
      %41 = arith.and %i, 1 : i32
      %42 = arith.shl %16, 1 : i32
      %43 = arith.add %42, %41 : i32
      %44 = arith.add %43, 64 : i32
      %45 = mem.load %44 {buffer = @arena_i32} : i32
      mem.store %45, %45 {buffer = @arena_i32}"
    `);
  });
});

describe('a hash table', () => {
  it('is searched from where the host begins, too', () => {
    const shape = layout(hash(ij, 4, { cells: 10 }).place(a));
    const storage = storageOf(shape);
    const kernel = `
      kernel @k(%i: i32, %j: i32) {
        field.store %i, %i, %j {field = "a"}
        scf.yield
      }`;
    const module = right(lowerFields(storage).run(moduleFrom(storage, kernel)));
    const { slots, size } = storage.nodes[1].pool!.table!;
    for (const at of [
      [0, 0],
      [-1, 7],
      [123456, -98765],
      [2 ** 31 - 1, -(2 ** 31)],
    ]) {
      const arrays = allocate(module, storage);
      freshArena(storage, arrays);
      right(interpret(module, coreDialects, arrays, { kernel: 'k', args: at }));
      const table = (arrays[arenaName(storage.memory, 'i32')] as Int32Array).slice(slots / 4, slots / 4 + size);
      expect(table[hashOf(at) & (size - 1)]).toBe(2);
    }
  });
});

describe('simplification', () => {
  const blocks = layout(dense(i, 16).pointer().dense(i, 8).place(a, b));
  const simplified = (kernel: string, shape = blocks, options: SimplifyOptions = {}): string =>
    after(shape, kernel, (s) => [lowerAccess(s), simplifyAccess(s, options)]);

  it('activates a cell once', () => {
    const kernel = `
      kernel @k(%i: i32, %v: i32) {
        field.store %v, %i {field = "a"}
        %0 = field.load %i {field = "b"} : i32
        field.store %0, %i {field = "b"}
        %1 = field.atomic %v, %i {field = "b", kind = add} : i32
        scf.yield
      }`;
    expect(simplified(kernel)).toMatchInlineSnapshot(`
      "%0 = snode.clamp %i {extent = 128, past = true} : i32
      %1 = snode.root : i32
      %2 = snode.child %1 {node = up.up.a} : i32
      %3 = snode.extract %0 {below = 8, extent = 0} : i32
      %4 = snode.linearize %3 {node = up.up.a} : i32
      %5 = snode.lookup %2, %4, %3 {activate = true, node = up.up.a, past = true, site = 0} : i32
      %6 = snode.child %5 {node = up.a} : i32
      %7 = snode.extract %0 {below = 1, extent = 8} : i32
      %8 = snode.linearize %7 {node = up.a} : i32
      %9 = snode.lookup %6, %8 {node = up.a} : i32
      %10 = snode.child %9 {node = a} : i32
      snode.store %v, %10 {node = a}
      %11 = snode.lookup %2, %4 {node = up.up.a, past = true} : i32
      %12 = snode.child %11 {node = up.a} : i32
      %13 = snode.lookup %12, %8 {node = up.a} : i32
      %14 = snode.child %13 {node = b} : i32
      %15 = snode.load %14 {node = b} : i32
      %16 = snode.child %9 {node = b} : i32
      snode.store %15, %16 {node = b}
      %17 = snode.atomic %v, %16 {kind = add, node = b} : i32"
    `);
  });

  it('looks again for a cell that an activation may have made', () => {
    const kernel = `
      kernel @k(%i: i32, %j: i32, %v: i32) {
        %0 = field.load %i {field = "a"} : i32
        field.store %v, %j {field = "a"}
        %1 = field.load %i {field = "a"} : i32
        mem.store %0, %1 {buffer = @arena_i32}
        scf.yield
      }`;
    expect(simplified(kernel).match(/snode.lookup .*node = up.up.a/g)).toHaveLength(3);
  });

  /** A loop over a row of a block, which reads the element beside each. */
  const besideIt = `
      kernel @k(%first: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %n = arith.constant {value = 8} : i32
        %base = arith.mul %first, %n : i32
        scf.for %0, %n, %1 {simd = true} {
        ^(%digit: i32):
          %i = snode.index %base, %digit {unit = 8, lo = 0, hi = 128} : i32
          snode.assume_active %i {node = up.a}
          %r = arith.add %i, %1 : i32
          %x = field.load %i {field = "a"} : i32
          %y = field.load %r {field = "a"} : i32
          %z = arith.sub %y, %x : i32
          field.store %z, %i {field = "b"}
          scf.yield
        }
        scf.yield
      }`;

  it('activates nothing in a loop over active elements, and reads what lies beyond the block before it', () => {
    expect(simplified(besideIt)).toMatchInlineSnapshot(`
      "%base = arith.mul %first, 8 : i32
      %i = snode.index %base, 7 {hi = 128, lo = 0, unit = 8} : i32
      %0 = snode.root : i32
      %1 = snode.child %0 {node = up.up.a} : i32
      %r = arith.add %i, 1 : i32
      %2 = snode.clamp %r {extent = 128, past = true} : i32
      %3 = snode.extract %2 {below = 8, extent = 0} : i32
      %4 = snode.linearize %3 {node = up.up.a} : i32
      %5 = snode.lookup %1, %4 {node = up.up.a, past = true} : i32
      %6 = snode.child %5 {node = up.a} : i32
      %7 = snode.extract %2 {below = 1, extent = 8} : i32
      %8 = snode.linearize %7 {node = up.a} : i32
      %9 = snode.lookup %6, %8 {node = up.a} : i32
      %10 = snode.child %9 {node = a} : i32
      %11 = snode.load %10 {node = a} : i32
      %12 = snode.linearize %first {node = up.up.a} : i32
      %13 = snode.lookup %1, %12 {node = up.up.a} : i32
      %14 = snode.child %13 {node = up.a} : i32
      scf.for 0, 8, 1 {simd = true} {
      ^(%digit: i32):
        %15 = arith.cmp %digit, 7 {predicate = eq} : i1
        %16 = snode.linearize %digit {node = up.a} : i32
        %17 = snode.lookup %14, %16 {node = up.a} : i32
        %18 = snode.child %17 {node = a} : i32
        %19 = snode.load %18 {node = a} : i32
        %20 = snode.offset %17 {bytes = 8} : i32
        %21 = snode.child %20 {node = a} : i32
        %22 = snode.load %21 {node = a} : i32
        %23 = arith.select %15, %11, %22 : i32
        %z = arith.sub %23, %19 : i32
        %24 = snode.child %17 {node = b} : i32
        snode.store %z, %24 {node = b}
      }"
    `);
  });

  it('does the same where dead code is dropped before', () => {
    const clean = (s: Storage) => dce({ dialects: [...coreDialects, fieldDialect(s.layout), snodeDialect(s.layout)] });
    expect(after(blocks, besideIt, (s) => [clean(s), lowerAccess(s), simplifyAccess(s)])).toBe(simplified(besideIt));
  });

  it('splits a loop over rows as well, so that the rows in the middle look nothing up', () => {
    const rows = layout(dense(ij, 16).pointer().dense(ij, 8).place(a, b));
    const text = simplified(
      `kernel @k(%first: i32, %second: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %n = arith.constant {value = 8} : i32
        %across = arith.mul %first, %n : i32
        %along = arith.mul %second, %n : i32
        scf.for %0, %n, %1 {
        ^(%row: i32):
          %i = snode.index %across, %row {unit = 8, lo = 0, hi = 128} : i32
          %below = arith.add %i, %1 : i32
          scf.for %0, %n, %1 {simd = true} {
          ^(%digit: i32):
            %j = snode.index %along, %digit {unit = 8, lo = 0, hi = 128} : i32
            snode.assume_active %i, %j {node = up.a}
            %x = field.load %below, %j {field = "a"} : i32
            field.store %x, %i, %j {field = "b"}
            scf.yield
          }
          scf.yield
        }
        scf.yield
      }`,
      rows,
    );
    const [, middle, last] = text.split(/(?=scf\.for 0, 7|scf\.for 7, 8)/);
    expect([middle, last].map((part) => part!.match(/snode\.lookup .*node = up.up.a/g)?.length ?? 0)).toEqual([0, 1]);
  });

  it('puts rows on lanes in which twice the index is within bounds, and not the few others', () => {
    const fine = field('fine', 'i32');
    const coarse = field('coarse', 'i32');
    const shape = layout(dense(i, 8).dense(i, 16).place(fine), dense(i, 8).dense(i, 16).place(coarse));
    const halve = `
      kernel @halve() {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %2 = arith.constant {value = 2} : i32
        %blocks = arith.constant {value = 8} : i32
        %n = arith.constant {value = 16} : i32
        scf.for %0, %blocks, %1 {parallel = true} {
        ^(%block: i32):
          %base = arith.mul %block, %n : i32
          scf.for %0, %n, %1 {simd = true} {
          ^(%digit: i32):
            %i = snode.index %base, %digit {unit = 16, lo = 0, hi = 128} : i32
            %at = arith.mul %i, %2 : i32
            %x = field.load %at {field = "fine"} : i32
            field.store %x, %i {field = "coarse"}
            scf.yield
          }
          scf.yield
        }
        scf.yield
      }`;
    const text = after(shape, halve, (s) => [lowerAccess(s), simplifyAccess(s)]);
    const [, within, beyond] = text.split(/scf\.if|^ *\} \{$/m);
    expect(within).toContain('simd = true');
    expect(beyond).toMatch(/scf\.for 0, 16, 1 \{\n/);
    expect(beyond).not.toContain('simd');
  });

  it('looks for other blocks only where a block ends, where loops are split', () => {
    expect(simplified(besideIt, blocks, { edges: false })).toMatchInlineSnapshot(`
      "%base = arith.mul %first, 8 : i32
      %0 = snode.root : i32
      %1 = snode.child %0 {node = up.up.a} : i32
      %2 = snode.linearize %first {node = up.up.a} : i32
      %3 = snode.lookup %1, %2 {node = up.up.a} : i32
      %4 = snode.child %3 {node = up.a} : i32
      scf.for 0, 7, 1 {simd = true} {
      ^(%digit: i32):
        %5 = snode.linearize %digit {node = up.a} : i32
        %6 = snode.lookup %4, %5 {node = up.a} : i32
        %7 = snode.child %6 {node = a} : i32
        %8 = snode.load %7 {node = a} : i32
        %9 = snode.offset %6 {bytes = 8} : i32
        %10 = snode.child %9 {node = a} : i32
        %11 = snode.load %10 {node = a} : i32
        %z = arith.sub %11, %8 : i32
        %12 = snode.child %6 {node = b} : i32
        snode.store %z, %12 {node = b}
      }
      %13 = snode.linearize 7 {node = up.a} : i32
      %14 = snode.lookup %4, %13 {node = up.a} : i32
      %15 = snode.child %14 {node = a} : i32
      %16 = snode.child %14 {node = b} : i32
      scf.for 7, 8, 1 {simd = true} {
      ^(%digit_1: i32):
        %i = snode.index %base, %digit_1 {hi = 128, lo = 0, unit = 8} : i32
        %r = arith.add %i, 1 : i32
        %17 = snode.load %15 {node = a} : i32
        %18 = snode.clamp %r {extent = 128, past = true} : i32
        %19 = snode.extract %18 {below = 8, extent = 0} : i32
        %20 = snode.linearize %19 {node = up.up.a} : i32
        %21 = snode.lookup %1, %20 {node = up.up.a, past = true} : i32
        %22 = snode.child %21 {node = up.a} : i32
        %23 = snode.extract %18 {below = 1, extent = 8} : i32
        %24 = snode.linearize %23 {node = up.a} : i32
        %25 = snode.lookup %22, %24 {node = up.a} : i32
        %26 = snode.child %25 {node = a} : i32
        %27 = snode.load %26 {node = a} : i32
        %z_1 = arith.sub %27, %17 : i32
        snode.store %z_1, %16 {node = b}
      }"
    `);
  });

  it('clamps nothing in the part of a loop of any length that is within bounds', () => {
    const kernel = `
      kernel @k(%n: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        scf.for %0, %n, %1 {parallel = true} {
        ^(%p: i32):
          %q = arith.add %p, %1 : i32
          %x = field.load %q {field = "a"} : i32
          field.store %x, %p {field = "b"}
          scf.yield
        }
        scf.yield
      }`;
    expect(simplified(kernel, layout(dense(i, 100).place(a, b)))).toMatchInlineSnapshot(`
      "%0 = arith.min %n, 99 : i32
      %1 = snode.root : i32
      %2 = snode.child %1 {node = up.a} : i32
      scf.for 0, %0, 1 {parallel = true} {
      ^(%p: i32):
        %q = arith.add %p, 1 : i32
        %3 = snode.linearize %q {node = up.a} : i32
        %4 = snode.lookup %2, %3 {node = up.a} : i32
        %5 = snode.child %4 {node = a} : i32
        %6 = snode.load %5 {node = a} : i32
        %7 = snode.offset %4 {bytes = -8} : i32
        %8 = snode.child %7 {node = b} : i32
        snode.store %6, %8 {node = b}
      }
      %9 = arith.max 0, %0 : i32
      scf.for %9, %n, 1 {
      ^(%p_1: i32):
        %q_1 = arith.add %p_1, 1 : i32
        %10 = snode.clamp %q_1 {extent = 100} : i32
        %11 = snode.inside %10, %q_1 : i1
        %12 = snode.linearize %10 {node = up.a} : i32
        %13 = snode.lookup %2, %12, %11 {node = up.a} : i32
        %14 = snode.child %13 {node = a} : i32
        %15 = snode.load %14 {node = a} : i32
        %16 = snode.clamp %p_1 {extent = 100} : i32
        %17 = snode.inside %16, %p_1 : i1
        %18 = snode.linearize %16 {node = up.a} : i32
        %19 = snode.lookup %2, %18, %17 {node = up.a, written = true} : i32
        %20 = snode.child %19 {node = b} : i32
        snode.store %15, %20 {node = b}
      }"
    `);
  });

  it('makes offsets of accesses at known distances in a cell', () => {
    const kernel = `
      kernel @k(%first: i32) {
        %n = arith.constant {value = 8} : i32
        %3 = arith.constant {value = 3} : i32
        %6 = arith.constant {value = 6} : i32
        %base = arith.mul %first, %n : i32
        %i = snode.index %base, %3 {unit = 8, lo = 0, hi = 128} : i32
        %j = snode.index %base, %6 {unit = 8, lo = 0, hi = 128} : i32
        %x = field.load %i {field = "a"} : i32
        field.store %x, %j {field = "b"}
        scf.yield
      }`;
    expect(simplified(kernel, layout(dense(i, 16).dense(i, 8).place(a, b)))).toMatchInlineSnapshot(`
      "%0 = snode.root : i32
      %1 = snode.child %0 {node = up.up.a} : i32
      %2 = snode.linearize %first {node = up.up.a} : i32
      %3 = snode.lookup %1, %2 {node = up.up.a} : i32
      %4 = snode.child %3 {node = up.a} : i32
      %5 = snode.linearize 3 {node = up.a} : i32
      %6 = snode.lookup %4, %5 {node = up.a} : i32
      %7 = snode.child %6 {node = a} : i32
      %8 = snode.load %7 {node = a} : i32
      %9 = snode.offset %6 {bytes = 24} : i32
      %10 = snode.child %9 {node = b} : i32
      snode.store %8, %10 {node = b}"
    `);
  });

  it('activates in one go what follows one another, unless somebody asks in between', () => {
    const scatter = (between: string, last: string): string => `
      kernel @k(%i: i32, %v: i32) {
        %1 = arith.constant {value = 8} : i32
        %j = arith.add %i, %1 : i32
        %k = arith.add %j, %1 : i32
        field.store %v, %i {field = "a"}
        ${between}
        field.store %v, %j {field = "a"}
        field.store ${last}, %k {field = "b"}
        scf.yield
      }`;
    expect(simplified(scatter('', '%v'))).toMatchInlineSnapshot(`
      "%j = arith.add %i, 8 : i32
      %k = arith.add %j, 8 : i32
      %0 = snode.clamp %i {extent = 128, past = true} : i32
      %1 = snode.root : i32
      %2 = snode.child %1 {node = up.up.a} : i32
      %3 = snode.extract %0 {below = 8, extent = 0} : i32
      %4 = snode.linearize %3 {node = up.up.a} : i32
      %5 = snode.clamp %j {extent = 128, past = true} : i32
      %6 = snode.extract %5 {below = 8, extent = 0} : i32
      %7 = snode.linearize %6 {node = up.up.a} : i32
      %8 = snode.clamp %k {extent = 128, past = true} : i32
      %9 = snode.extract %8 {below = 8, extent = 0} : i32
      %10 = snode.linearize %9 {node = up.up.a} : i32
      %11, %12, %13 = snode.lookup_all %2, %4, %3, %2, %7, %6, %2, %10, %9 {count = 3, node = up.up.a, past = true, site = 0} : i32, i32, i32
      %14 = snode.child %11 {node = up.a} : i32
      %15 = snode.extract %0 {below = 1, extent = 8} : i32
      %16 = snode.linearize %15 {node = up.a} : i32
      %17 = snode.lookup %14, %16 {node = up.a} : i32
      %18 = snode.child %17 {node = a} : i32
      snode.store %v, %18 {node = a}
      %19 = snode.child %12 {node = up.a} : i32
      %20 = snode.extract %5 {below = 1, extent = 8} : i32
      %21 = snode.linearize %20 {node = up.a} : i32
      %22 = snode.lookup %19, %21 {node = up.a} : i32
      %23 = snode.child %22 {node = a} : i32
      snode.store %v, %23 {node = a}
      %24 = snode.child %13 {node = up.a} : i32
      %25 = snode.extract %8 {below = 1, extent = 8} : i32
      %26 = snode.linearize %25 {node = up.a} : i32
      %27 = snode.lookup %24, %26 {node = up.a} : i32
      %28 = snode.child %27 {node = b} : i32
      snode.store %v, %28 {node = b}"
    `);
    const asked = simplified(
      scatter('%x = field.is_active %k {node = up.up.a} : i1\n%w = arith.select %x, %v, %i : i32', '%w'),
    );
    expect(asked).not.toContain('lookup_all');
    expect(asked.match(/activate = true/g)).toHaveLength(3);
  });

  it('knows the digits of indices below zero', () => {
    const shape = layout(hash(i, 4, { cells: 10 }).dense(i, 3).place(a));
    const storage = storageOf(shape);
    const kernel = `
      kernel @k(%block: i32, %digit: i32, %v: i32) {
        %n = arith.constant {value = 3} : i32
        %1 = arith.constant {value = 1} : i32
        %base = arith.mul %block, %n : i32
        %i = snode.index %base, %digit {unit = 3} : i32
        %j = arith.sub %i, %1 : i32
        field.store %v, %j {field = "a"}
        scf.yield
      }`;
    const module = right(lowerFields(storage).run(moduleFrom(storage, kernel)));
    const { pool, cellBytes } = storage.nodes[1];
    for (const [block, digit] of [
      [0, 0],
      [0, 1],
      [0, 2],
      [-1, 0],
      [-1, 2],
      [-2, 1],
      [3, 0],
    ]) {
      const arrays = allocate(module, storage);
      freshArena(storage, arrays);
      right(interpret(module, coreDialects, arrays, { kernel: 'k', args: [block, digit, 7] }));
      const words = arrays[arenaName(storage.memory, 'i32')] as Int32Array;
      const at = 3 * block + digit - 1;
      expect(words[pool!.coordinates / 4 + 2], `${at}`).toBe(Math.floor(at / 3));
      expect(words[(pool!.cells + 2 * cellBytes) / 4 + (((at % 3) + 3) % 3)], `${at}`).toBe(7);
    }
  });

  it('forwards what was stored, and drops what is overwritten', () => {
    const kernel = `
      kernel @k(%i: i32, %v: i32, %w: i32) {
        field.store %v, %i {field = "a"}
        %0 = field.load %i {field = "a"} : i32
        field.store %0, %i {field = "b"}
        field.store %w, %i {field = "a"}
        scf.yield
      }`;
    expect(simplified(kernel, layout(dense(i, 16).place(a, b)))).toMatchInlineSnapshot(`
      "%0 = snode.clamp %i {extent = 16} : i32
      %1 = snode.inside %0, %i : i1
      %2 = snode.root : i32
      %3 = snode.child %2 {node = up.a} : i32
      %4 = snode.linearize %0 {node = up.a} : i32
      %5 = snode.lookup %3, %4, %1 {node = up.a, written = true} : i32
      %6 = snode.child %5 {node = a} : i32
      %7 = arith.select %1, %v, 0 : i32
      %8 = snode.child %5 {node = b} : i32
      snode.store %7, %8 {node = b}
      snode.store %w, %6 {node = a}"
    `);
  });

  it('moves an activation out of a loop that is sure to run, and not out of another', () => {
    const kernel = (to: string): string => `
      kernel @k(%i: i32, %n: i32, %v: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %c = arith.constant {value = 8} : i32
        scf.for %0, ${to}, %1 {
        ^(%t: i32):
          %x = field.atomic %v, %i {field = "a", kind = add} : i32
          scf.yield
        }
        scf.yield
      }`;
    const place = (text: string): boolean => text.indexOf('snode.lookup') < text.indexOf('scf.for');
    expect(place(simplified(kernel('%c')))).toBe(true);
    expect(place(simplified(kernel('%n')))).toBe(false);
  });

  it('can be left out, as a whole or in part', () => {
    const text = (simplify: Parameters<typeof lowerFields>[1]): string =>
      after(twoLevels, increment, (s) => [lowerFields(s, simplify)]);
    const plain = text({ simplify: false });
    const all = text({});
    expect(plain.match(/arith.min/g)).toHaveLength(1);
    expect(all).not.toContain('arith.min');
    expect(text({ simplify: { digits: false } })).toContain('arith.min');
    expect(text({ simplify: { digits: false, merge: false, hoist: false, forward: false } })).toBe(plain);
  });
});

describe('simplified kernels do the same where indices with different names are equal', () => {
  const shapes: readonly (readonly [string, Layout])[] = [
    ['dense', layout(dense(i, 4).dense(i, 4).place(a, b))],
    ['pointer', layout(dense(i, 4).pointer().dense(i, 4).place(a, b))],
    ['bitmasked', layout(dense(i, 16).bitmasked().place(a, b))],
    ['hash', layout(hash(i, 4, { cells: 20 }).dense(i, 4).place(a, b))],
  ];
  const load = (out: string, at: string): string => `${out} = field.load ${at} {field = "a"} : i32`;
  const put = (at: string, v = '%v'): string => `field.store ${v}, ${at} {field = "a"}`;
  const bodies: readonly (readonly [string, string])[] = [
    ['a store between loads', `${load('%x', '%i')} ${put('%j')} ${load('%y', '%i')}`],
    ['a store between stores and a load', `${put('%i', '%n')} ${load('%x', '%j')} ${put('%j')} ${load('%y', '%i')}`],
    ['a load between stores', `${put('%i', '%n')} ${load('%x', '%j')} ${put('%i')} ${load('%y', '%j')}`],
    [
      'a store in a branch',
      `${put('%i', '%n')} ${load('%x', '%i')} scf.if %c { ${put('%j')} scf.yield } { scf.yield } ${load('%y', '%i')}`,
    ],
    [
      'a load in a branch between stores',
      `${put('%i', '%n')} %x = scf.if %c { ${load('%q', '%j')} scf.yield %q } { scf.yield %0 } : i32 ${put('%i')} ${load('%y', '%j')}`,
    ],
    [
      'loads in branches',
      `scf.if %c { ${put('%j')} scf.yield } { ${put('%i', '%n')} scf.yield } ${load('%x', '%i')} ${put('%i')} ${load('%y', '%j')}`,
    ],
    [
      'a store in a loop',
      `${load('%x', '%i')} scf.for %0, %n, %1 { ^(%t: i32): ${load('%z', '%i')} %s = arith.add %z, %1 : i32 ${put('%j', '%s')} scf.yield } ${load('%y', '%i')}`,
    ],
    [
      'an atomic in a loop',
      `${put('%i')} scf.for %0, %n, %1 { ^(%t: i32): %z = field.atomic %1, %j {field = "a", kind = add} : i32 scf.yield } ${load('%x', '%i')} ${load('%y', '%j')}`,
    ],
    [
      'a look at a neighbour in a loop',
      `scf.for %0, %n, %1 { ^(%t: i32): ${load('%z', '%i')} %s = arith.add %z, %v : i32 ${put('%t', '%s')} scf.yield } ${load('%x', '%i')} ${load('%y', '%j')}`,
    ],
  ];
  const cases = shapes.flatMap(([name, shape]) => bodies.map(([what, body]) => [what, name, shape, body] as const));

  it.each(cases)('%s, %s', (_what, _name, shape, body) => {
    const storage = storageOf(shape, { budget: 1 << 16 });
    const kernel = `
      buffer @out : i32[2] output
      kernel @k(%i: i32, %j: i32, %n: i32, %v: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %c = arith.cmp %i, %1 {predicate = lt} : i1
        ${body}
        mem.store %x, %0 {buffer = @out}
        mem.store %y, %1 {buffer = @out}
        scf.yield
      }`;
    const results = (options: Parameters<typeof lowerFields>[1]): unknown => {
      const module = right(lowerFields(storage, options).run(moduleFrom(storage, kernel)));
      return [0, 1, 2, 5].flatMap((x) =>
        [0, 1, 2, 5].map((y) => {
          const arrays = allocate(module, storage);
          freshArena(storage, arrays);
          right(interpret(module, coreDialects, arrays, { kernel: 'k', args: [x, y, 3, 40 + x] }));
          return [...arrays.out];
        }),
      );
    };
    expect(results({})).toEqual(results({ simplify: false }));
  });
});

describe('what goes wrong at run time', () => {
  const run = (shape: Layout, kernel: string, args: readonly number[], checks = false) => {
    const storage = storageOf(shape, { budget: 1 << 16 });
    const module = right(pipeline([lowerFields(storage, { checks })]).run(moduleFrom(storage, kernel)));
    const arrays = allocate(module, storage);
    freshArena(storage, arrays);
    right(interpret(module, coreDialects, arrays, { kernel: 'k', args: [...args] }));
    const words = arrays[arenaName(storage.memory, 'i32')] as Int32Array;
    const [what, where, ...coordinates] = words.slice(storage.status / 4, storage.status / 4 + 4);
    return { what, site: sitesOf(module)[where], coordinates };
  };

  it('an index out of bounds is reported with its place and value, where checks are on', () => {
    const shape = layout(dense(i, 4).dense(i, 8).place(a));
    expect(run(shape, store, [32, 1], true)).toMatchObject({
      what: STATUS.outOfBounds,
      site: { access: 'field.store', node: 3, loc: { line: 4 } },
      coordinates: [32, 0],
    });
    expect(run(shape, store, [-1, 1], true).what).toBe(STATUS.outOfBounds);
    expect(run(shape, store, [31, 1], true).what).toBe(STATUS.fine);
    expect(run(shape, store, [32, 1]).what).toBe(STATUS.fine);
  });

  it('so is memory that runs out, and a list past its maximum, always', () => {
    const two = `
      kernel @k(%i: i32, %j: i32) {
        field.store %i, %i {field = "a"}
        field.store %i, %j {field = "a"}
        scf.yield
      }`;
    const shape = layout(dense(i, 4).pointer({ cells: 1 }).dense(i, 8).place(a));
    expect(run(shape, two, [3, 4])).toMatchObject({ what: STATUS.fine });
    expect(run(shape, two, [3, 25])).toMatchObject({
      what: STATUS.exhausted,
      site: { access: 'field.store', loc: { line: 5 } },
      coordinates: [3, 0],
    });
    expect(run(layout(dynamic(i, 10).place(a)), store, [10, 1])).toMatchObject({
      what: STATUS.listFull,
      site: { access: 'field.store' },
      coordinates: [10, 0],
    });
  });
});

describe('modules that cannot be lowered', () => {
  const storage = storageOf(layout(dense(i, 4).pointer().place(a)));
  const refused = (kernel: string, pass = lowerAccess(storage)) => left(pass.run(moduleFrom(storage, kernel)));

  it('loops come first', () => {
    const kernel = 'kernel @k(%i: i32) {\n field.clear_all {node = up.a}\n scf.yield\n }';
    expect(refused(kernel)).toMatchObject({ code: 'access/order', loc: { line: 3 } });
  });

  it('cells are no numbers', () => {
    const kernel = `
      kernel @k() {
        %0 = snode.root : i32
        %1 = arith.add %0, %0 : i32
        mem.store %1, %1 {buffer = @arena_i32}
        scf.yield
      }`;
    expect(refused(kernel, lowerFields(storage))).toMatchObject({ code: 'access/handle', loc: { line: 5 } });
  });
});

describe('places in hash tables', () => {
  const table = layout(hash(ij, 8).place(a));
  const writing = (column: string): string => `
  kernel @w(%n: i32, %j: i32) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%i: i32):
      %2 = arith.mul %i, %j : i32
      ${column}
      field.store %i, %i, %3 {field = "a"}
      scf.yield
    }
    scf.yield
  }`;
  const asks = (column: string): readonly string[] =>
    after(table, writing(column), (s) => [lowerAccess(s), simplifyAccess(s)])
      .split('\n')
      .filter((line) => /prefetch|^ *%\w+ = arith/.test(line));

  it('are asked for some iterations before they are looked up', () => {
    expect(asks('%3 = arith.sub %2, %1 : i32')).toMatchInlineSnapshot(`
      [
        "  %2 = arith.mul 1, 16 : i32",
        "  %3 = arith.add %i, %2 : i32",
        "  %4 = arith.mul %3, %j : i32",
        "  %5 = arith.sub %4, 1 : i32",
        "  snode.prefetch %3, %5 {node = up.a}",
        "  %6 = arith.mul %i, %j : i32",
        "  %7 = arith.sub %6, 1 : i32",
      ]
    `);
  });

  it('are not where coordinates come from memory', () => {
    expect(asks('%3 = field.load %2, %2 {field = "a"} : i32').join()).not.toContain('prefetch');
  });
});

it('an index that is zero after a division of negative numbers is 0', () => {
  const kernel = `
    kernel @k() {
      %0 = arith.constant {value = 0} : i32
      %1 = arith.constant {value = 1} : i32
      %low = arith.constant {value = -5} : i32
      %ten = arith.constant {value = 10} : i32
      scf.for %low, %ten, %1 {
      ^(%i: i32):
        %zero = arith.mul %i, %0 : i32
        %tenth = arith.div %i, %ten : i32
        %2 = field.load %tenth {field = "b"} : i32
        field.store %2, %zero {field = "a"}
        scf.yield
      }
      scf.yield
    }`;
  expect(after(layout(hash(i, 16).place(a, b)), kernel, (s) => [lowerFields(s)])).not.toContain('arith.div');
});
