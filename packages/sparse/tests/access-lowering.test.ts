import { coreDialects, interpret, pipeline } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  STATUS,
  arenaName,
  dense,
  dynamic,
  field,
  hash,
  i,
  ij,
  layout,
  lowerAccess,
  lowerFields,
  simplifyAccess,
  sitesOf,
  storageOf,
  type Layout,
} from '@filigree/sparse';
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
  it('goes from the root to each value, an access after the other', () => {
    expect(after(twoLevels, increment, (s) => [lowerAccess(s)])).toMatchInlineSnapshot(`
      "scf.for 0, 128, 1 {parallel = true} {
      ^(%block: i32):
        %base = arith.mul %block, 128 : i32
        scf.for 0, 128, 1 {simd = true} {
        ^(%digit: i32):
          %i = snode.index %base, %digit {hi = 16384, lo = 0, unit = 128} : i32
          %0 = snode.clamp %i {extent = 16384} : i32
          %1 = snode.root : i32
          %2 = snode.child %1 {node = 1} : i32
          %3 = snode.extract %0 {below = 128, extent = 0} : i32
          %4 = snode.linearize %3 {node = 1} : i32
          %5 = snode.lookup %2, %4 {node = 1} : i32
          %6 = snode.child %5 {node = 2} : i32
          %7 = snode.extract %0 {below = 1, extent = 128} : i32
          %8 = snode.linearize %7 {node = 2} : i32
          %9 = snode.lookup %6, %8 {node = 2} : i32
          %10 = snode.child %9 {node = 4} : i32
          %11 = snode.load %10 {node = 4} : i32
          %12 = arith.add %11, 1 : i32
          %13 = snode.clamp %i {extent = 16384} : i32
          %14 = snode.root : i32
          %15 = snode.child %14 {node = 1} : i32
          %16 = snode.extract %13 {below = 128, extent = 0} : i32
          %17 = snode.linearize %16 {node = 1} : i32
          %18 = snode.lookup %15, %17 {node = 1} : i32
          %19 = snode.child %18 {node = 2} : i32
          %20 = snode.extract %13 {below = 1, extent = 128} : i32
          %21 = snode.linearize %20 {node = 2} : i32
          %22 = snode.lookup %19, %21 {node = 2} : i32
          %23 = snode.child %22 {node = 3} : i32
          snode.store %12, %23 {node = 3}
        }
      }"
    `);
  });

  it('ends with one path for both, a part of it a block, as in the thesis', () => {
    expect(after(twoLevels, increment, (s) => [lowerAccess(s), simplifyAccess(s)])).toMatchInlineSnapshot(`
      "%0 = snode.root : i32
      %1 = snode.child %0 {node = 1} : i32
      scf.for 0, 128, 1 {parallel = true} {
      ^(%block: i32):
        %2 = snode.linearize %block {node = 1} : i32
        %3 = snode.lookup %1, %2 {node = 1} : i32
        %4 = snode.child %3 {node = 2} : i32
        scf.for 0, 128, 1 {simd = true} {
        ^(%digit: i32):
          %5 = snode.linearize %digit {node = 2} : i32
          %6 = snode.lookup %4, %5 {node = 2} : i32
          %7 = snode.child %6 {node = 4} : i32
          %8 = snode.load %7 {node = 4} : i32
          %9 = arith.add %8, 1 : i32
          %10 = snode.child %6 {node = 3} : i32
          snode.store %9, %10 {node = 3}
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
      %2 = arith.shr %1, 3 : i32
      %3 = arith.and %1, 7 : i32
      %4 = arith.shl %2, 3 : i32
      %5 = arith.add %4, %3 : i32
      %6 = arith.add %5, 16 : i32
      mem.store %v, %6 {buffer = @arena_i32}"
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
      %2 = arith.max %j, 0 : i32
      %3 = arith.min %2, 7 : i32
      %4 = arith.shl %1, 2 : i32
      %5 = arith.or %1, %4 : i32
      %6 = arith.and %5, 19 : i32
      %7 = arith.shl %6, 1 : i32
      %8 = arith.or %6, %7 : i32
      %9 = arith.and %8, 21 : i32
      %10 = arith.shl %9, 1 : i32
      %11 = arith.shl %3, 2 : i32
      %12 = arith.or %3, %11 : i32
      %13 = arith.and %12, 19 : i32
      %14 = arith.shl %13, 1 : i32
      %15 = arith.or %13, %14 : i32
      %16 = arith.and %15, 21 : i32
      %17 = arith.or %10, %16 : i32
      %18 = arith.add %17, 16 : i32
      mem.store %v, %18 {buffer = @arena_i32}"
    `);
  });

  it('that reads through a pointer has no branch: cell 0 is ambient', () => {
    expect(lowered(layout(dense(i, 4).pointer().dense(i, 8).place(a)), load)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 31 : i32
      %2 = arith.shr %1, 3 : i32
      %3 = arith.add %2, 16 : i32
      %4 = mem.load %3 {buffer = @arena_i32} : i32
      %5 = arith.and %1, 7 : i32
      %6 = arith.shl %4, 3 : i32
      %7 = arith.add %6, %5 : i32
      %8 = arith.add %7, 48 : i32
      %9 = mem.load %8 {buffer = @arena_i32} : i32
      mem.store %9, %9 {buffer = @arena_i32}"
    `);
  });

  it('that writes through a pointer makes the cell where there is none, and gives it back if another thread was first', () => {
    expect(lowered(layout(dense(i, 4).pointer().dense(i, 8).place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 31 : i32
      %2 = arith.shr %1, 3 : i32
      %3 = arith.add %2, 16 : i32
      %4 = mem.load %3 {buffer = @arena_i32} : i32
      %5 = arith.cmp %4, 0 {predicate = eq} : i1
      %6 = scf.if %5 {
        %7 = mem.atomic 1, 32 {buffer = @arena_i32, kind = add} : i32
        %8 = mem.load 34 {buffer = @arena_i32} : i32
        %9 = arith.cmp %7, %8 {predicate = ge} : i1
        %10 = scf.if %9 {
          %11 = mem.load 33 {buffer = @arena_i32} : i32
          %12 = arith.sub %7, %8 : i32
          %13 = arith.add %11, %12 : i32
          scf.yield %13
        } {
          %14 = arith.add %7, 608 : i32
          %15 = mem.load %14 {buffer = @arena_i32} : i32
          scf.yield %15
        } : i32
        %16 = arith.cmp %10, 70 {predicate = lt} : i1
        %17 = scf.if %16 {
          %18 = arith.add %10, 848 : i32
          mem.store %2, %18 {buffer = @arena_i32}
          %19 = mem.cas 0, %10, %3 {buffer = @arena_i32} : i32
          %20 = arith.cmp %19, 0 {predicate = eq} : i1
          %21 = arith.select %20, %10, %19 : i32
          %22 = arith.cmp %21, %10 {predicate = eq} : i1
          scf.if %22 {
            %23 = arith.add %10, 768 : i32
            mem.store 1, %23 {buffer = @arena_i32}
          } {
            %24 = arith.add %7, 1 : i32
            %25 = mem.cas %24, %7, 32 {buffer = @arena_i32} : i32
            %26 = arith.cmp %25, %24 {predicate = ne} : i1
            scf.if %26 {
              %27 = mem.atomic 1, 35 {buffer = @arena_i32, kind = add} : i32
              %28 = arith.add %27, 688 : i32
              mem.store %10, %28 {buffer = @arena_i32}
            } {
            }
          }
          scf.yield %21
        } {
          %29 = mem.atomic -1, 32 {buffer = @arena_i32, kind = add} : i32
          %30 = mem.load %3 {buffer = @arena_i32} : i32
          %31 = arith.cmp %30, 0 {predicate = eq} : i1
          %32 = scf.if %31 {
            %33 = mem.cas 0, 1, 0 {buffer = @arena_i32} : i32
            %34 = arith.cmp %33, 0 {predicate = eq} : i1
            scf.if %34 {
              mem.store 0, 1 {buffer = @arena_i32}
              mem.store %2, 2 {buffer = @arena_i32}
            } {
            }
            scf.yield 1
          } {
            scf.yield %30
          } : i32
          scf.yield %32
        } : i32
        scf.yield %17
      } {
        scf.yield %4
      } : i32
      %35 = arith.and %1, 7 : i32
      %36 = arith.shl %6, 3 : i32
      %37 = arith.add %36, %35 : i32
      %38 = arith.add %37, 48 : i32
      mem.store %v, %38 {buffer = @arena_i32}"
    `);
  });

  it('that writes to a bitmasked node sets the bit unless it is set', () => {
    expect(lowered(layout(dense(i, 64).bitmasked().place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 63 : i32
      %2 = arith.shr %1, 5 : i32
      %3 = arith.and %1, 31 : i32
      %4 = arith.shl 1, %3 : i32
      %5 = arith.add %2, 16 : i32
      %6 = mem.load %5 {buffer = @arena_i32} : i32
      %7 = arith.and %6, %4 : i32
      %8 = arith.cmp %7, 0 {predicate = eq} : i1
      scf.if %8 {
        %9 = mem.atomic %4, %5 {buffer = @arena_i32, kind = or} : i32
      } {
      }
      %10 = arith.add %1, 18 : i32
      mem.store %v, %10 {buffer = @arena_i32}"
    `);
  });

  it('that writes beyond the end of a list makes it longer, up to its maximum', () => {
    expect(lowered(layout(dynamic(i, 10).place(a)), store)).toMatchInlineSnapshot(`
      "%0 = arith.max %i, 0 : i32
      %1 = arith.min %0, 10 : i32
      %2 = arith.cmp %1, 10 {predicate = lt} : i1
      %3 = mem.load 16 {buffer = @arena_i32} : i32
      %4 = arith.cmp %1, %3 {predicate = ge} : i1
      scf.if %4 {
        scf.if %2 {
          %5 = arith.add %1, 1 : i32
          %6 = mem.atomic %5, 16 {buffer = @arena_i32, kind = max} : i32
        } {
          %7 = mem.cas 0, 2, 0 {buffer = @arena_i32} : i32
          %8 = arith.cmp %7, 0 {predicate = eq} : i1
          scf.if %8 {
            mem.store 0, 1 {buffer = @arena_i32}
            mem.store %1, 2 {buffer = @arena_i32}
          } {
          }
        }
      } {
      }
      %9 = arith.add %1, 17 : i32
      mem.store %v, %9 {buffer = @arena_i32}"
    `);
  });

  it('that appends takes the next cell of a list, the spare one where it is full', () => {
    const kernel = `
      kernel @k(%v: i32) {
        %0 = field.append {node = 1} : i32
        field.store %v, %0 {field = "a"}
        scf.yield
      }`;
    expect(after(layout(dynamic(i, 10).place(a)), kernel, (s) => [lowerAccess(s)])).toMatchInlineSnapshot(`
      "%0 = snode.root : i32
      %1 = snode.child %0 {node = 1} : i32
      %2 = snode.append %1 {node = 1, site = 0} : i32
      %3 = snode.clamp %2 {extent = 11} : i32
      %4 = snode.root : i32
      %5 = snode.child %4 {node = 1} : i32
      %6 = snode.extract %3 {below = 1, extent = 0} : i32
      %7 = snode.linearize %6 {node = 1} : i32
      %8 = snode.lookup %5, %7, %6 {activate = true, node = 1, site = 1} : i32
      %9 = snode.child %8 {node = 2} : i32
      snode.store %v, %9 {node = 2}"
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
      %1 = arith.mul %0, -1640531535 : i32
      %2 = arith.cast %1 {to = u32} : u32
      %3 = arith.shr %2, 15 : u32
      %4 = arith.cast %3 {to = i32} : i32
      %5 = arith.xor %1, %4 : i32
      %6 = arith.and %5, 31 : i32
      %7, %8, %9 = scf.while %6, 32 {
      ^(%10: i32, %11: i32):
        %12 = arith.add %10, 128 : i32
        %13 = mem.load %12 {buffer = @arena_i32} : i32
        %14 = arith.max %13, 0 : i32
        %15 = arith.cmp %14, 0 {predicate = ne} : i1
        %16 = arith.add %14, 112 : i32
        %17 = mem.load %16 {buffer = @arena_i32} : i32
        %18 = arith.cmp %17, %0 {predicate = eq} : i1
        %19 = arith.and %15, %18 : i1
        %20 = arith.cmp %13, 0 {predicate = eq} : i1
        %21 = arith.cmp %11, 1 {predicate = le} : i1
        %22 = arith.or %20, %21 : i1
        %23 = arith.or %19, %22 : i1
        %24 = arith.not %23 : i1
        %25 = arith.select %19, %13, 0 : i32
        scf.condition %24, %25, %10, %11
      } {
      ^(%26: i32, %27: i32, %28: i32):
        %29 = arith.add %27, 1 : i32
        %30 = arith.and %29, 31 : i32
        %31 = arith.add %28, -1 : i32
        scf.yield %30, %31
      } : i32, i32, i32
      %32 = arith.and %i, 1 : i32
      %33 = arith.shl %7, 1 : i32
      %34 = arith.add %33, %32 : i32
      %35 = arith.add %34, 32 : i32
      %36 = mem.load %35 {buffer = @arena_i32} : i32
      mem.store %36, %36 {buffer = @arena_i32}"
    `);
  });
});

describe('simplification', () => {
  const blocks = layout(dense(i, 16).pointer().dense(i, 8).place(a, b));
  const simplified = (kernel: string, shape = blocks): string =>
    after(shape, kernel, (s) => [lowerAccess(s), simplifyAccess(s)]);

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
      "%0 = snode.clamp %i {extent = 128} : i32
      %1 = snode.root : i32
      %2 = snode.child %1 {node = 1} : i32
      %3 = snode.extract %0 {below = 8, extent = 0} : i32
      %4 = snode.linearize %3 {node = 1} : i32
      %5 = snode.lookup %2, %4, %3 {activate = true, node = 1, site = 0} : i32
      %6 = snode.child %5 {node = 2} : i32
      %7 = snode.extract %0 {below = 1, extent = 8} : i32
      %8 = snode.linearize %7 {node = 2} : i32
      %9 = snode.lookup %6, %8 {node = 2} : i32
      %10 = snode.child %9 {node = 3} : i32
      snode.store %v, %10 {node = 3}
      %11 = snode.child %9 {node = 4} : i32
      %12 = snode.load %11 {node = 4} : i32
      snode.store %12, %11 {node = 4}
      %13 = snode.atomic %v, %11 {kind = add, node = 4} : i32"
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
    expect(simplified(kernel).match(/snode.lookup .*node = 1/g)).toHaveLength(3);
  });

  it('activates nothing in a loop over active elements, and looks for other blocks only where a block ends', () => {
    const kernel = `
      kernel @k(%first: i32) {
        %0 = arith.constant {value = 0} : i32
        %1 = arith.constant {value = 1} : i32
        %n = arith.constant {value = 8} : i32
        %base = arith.mul %first, %n : i32
        scf.for %0, %n, %1 {simd = true} {
        ^(%digit: i32):
          %i = snode.index %base, %digit {unit = 8, lo = 0, hi = 128} : i32
          snode.assume_active %i {node = 2}
          %r = arith.add %i, %1 : i32
          %x = field.load %i {field = "a"} : i32
          %y = field.load %r {field = "a"} : i32
          %z = arith.sub %y, %x : i32
          field.store %z, %i {field = "b"}
          scf.yield
        }
        scf.yield
      }`;
    expect(simplified(kernel)).toMatchInlineSnapshot(`
      "%base = arith.mul %first, 8 : i32
      %0 = snode.root : i32
      %1 = snode.child %0 {node = 1} : i32
      %2 = snode.linearize %first {node = 1} : i32
      %3 = snode.lookup %1, %2 {node = 1} : i32
      %4 = snode.child %3 {node = 2} : i32
      scf.for 0, 7, 1 {simd = true} {
      ^(%digit: i32):
        %5 = snode.linearize %digit {node = 2} : i32
        %6 = snode.lookup %4, %5 {node = 2} : i32
        %7 = snode.child %6 {node = 3} : i32
        %8 = snode.load %7 {node = 3} : i32
        %9 = snode.offset %6 {bytes = 8} : i32
        %10 = snode.child %9 {node = 3} : i32
        %11 = snode.load %10 {node = 3} : i32
        %z = arith.sub %11, %8 : i32
        %12 = snode.child %6 {node = 4} : i32
        snode.store %z, %12 {node = 4}
      }
      %13 = snode.linearize 7 {node = 2} : i32
      %14 = snode.lookup %4, %13 {node = 2} : i32
      %15 = snode.child %14 {node = 3} : i32
      %16 = snode.child %14 {node = 4} : i32
      scf.for 7, 8, 1 {simd = true} {
      ^(%digit_1: i32):
        %i = snode.index %base, %digit_1 {hi = 128, lo = 0, unit = 8} : i32
        %r = arith.add %i, 1 : i32
        %17 = snode.load %15 {node = 3} : i32
        %18 = snode.clamp %r {extent = 128} : i32
        %19 = snode.extract %18 {below = 8, extent = 0} : i32
        %20 = snode.linearize %19 {node = 1} : i32
        %21 = snode.lookup %1, %20 {node = 1} : i32
        %22 = snode.child %21 {node = 2} : i32
        %23 = snode.extract %18 {below = 1, extent = 8} : i32
        %24 = snode.linearize %23 {node = 2} : i32
        %25 = snode.lookup %22, %24 {node = 2} : i32
        %26 = snode.child %25 {node = 3} : i32
        %27 = snode.load %26 {node = 3} : i32
        %z_1 = arith.sub %27, %17 : i32
        snode.store %z_1, %16 {node = 4}
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
      %1 = snode.child %0 {node = 1} : i32
      %2 = snode.linearize %first {node = 1} : i32
      %3 = snode.lookup %1, %2 {node = 1} : i32
      %4 = snode.child %3 {node = 2} : i32
      %5 = snode.linearize 3 {node = 2} : i32
      %6 = snode.lookup %4, %5 {node = 2} : i32
      %7 = snode.child %6 {node = 3} : i32
      %8 = snode.load %7 {node = 3} : i32
      %9 = snode.offset %6 {bytes = 24} : i32
      %10 = snode.child %9 {node = 4} : i32
      snode.store %8, %10 {node = 4}"
    `);
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
      %1 = snode.root : i32
      %2 = snode.child %1 {node = 1} : i32
      %3 = snode.linearize %0 {node = 1} : i32
      %4 = snode.lookup %2, %3 {node = 1} : i32
      %5 = snode.child %4 {node = 2} : i32
      %6 = snode.child %4 {node = 3} : i32
      snode.store %v, %6 {node = 3}
      snode.store %w, %5 {node = 2}"
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
    expect(plain.match(/arith.min/g)).toHaveLength(2);
    expect(all).not.toContain('arith.min');
    expect(text({ simplify: { digits: false } })).toContain('arith.min');
    expect(text({ simplify: { digits: false, merge: false, hoist: false, forward: false } })).toBe(plain);
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

  it('loops and deactivation come first', () => {
    const kernel = 'kernel @k(%i: i32) {\n field.deactivate %i {node = 1}\n scf.yield\n }';
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
