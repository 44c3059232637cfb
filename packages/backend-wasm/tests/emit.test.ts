import { describe, expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { parsed, textOf } from './helpers.js';

const axpy = (simd: boolean): string => `
module @axpy {
  buffer @x : f64[1000] input
  buffer @y : f64[1000] inout
  kernel @k(%a: f64) {
    %lb = arith.constant {value = 0} : i32
    %ub = arith.constant {value = 1000} : i32
    %one = arith.constant {value = 1} : i32
    scf.for %lb, %ub, %one {parallel = true, simd = ${String(simd)}} {
    ^(%i: i32):
      %x = mem.load %i {buffer = @x} : f64
      %y = mem.load %i {buffer = @y} : f64
      %p = arith.mul %a, %x : f64
      %s = arith.add %p, %y : f64
      mem.store %s, %i {buffer = @y}
      scf.yield
    }
    scf.yield
  }
}`;

/** The function of a kernel's first parallel loop, from its head to its end. */
const loopText = (text: string): string => {
  const lines = text.split('\n');
  const start = lines.findIndex((l) => l.includes('~loop0 (type'));
  const end = lines.findIndex((l, k) => k > start && l === '  )');
  return lines.slice(start, end + 1).join('\n');
};

describe('emit', () => {
  it('writes a parallel loop as a function of a range, with addresses scaled once', () => {
    expect(loopText(textOf(parsed(axpy(false)))))
      .toBe(`  (func $kernel.k~loop0 (type $range) (param $from i64) (param $to i64)
    (local $a f64) (local $i i32) (local $end i32) (local $i.x8 i32)
    (local.set $a (f64.load offset=16320 (i32.const 0)))
    (local.set $i (i32.wrap_i64 (local.get $from)))
    (local.set $end (i32.wrap_i64 (local.get $to)))
    (loop $l0
      (local.set $i.x8 (i32.shl (local.get $i) (i32.const 3)))
      (f64.store offset=8000 (local.get $i.x8) (f64.add (f64.mul (local.get $a) (f64.load (local.get $i.x8))) (f64.load offset=8000 (local.get $i.x8))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l0 (i32.lt_s (local.get $i) (local.get $end)))
    )
  )`);
  });

  it('uses vectors where a loop wants lanes', () => {
    const text = loopText(textOf(parsed(axpy(true))));
    expect(text).toContain('f64x2.mul');
    expect(text).toContain('v128.store');
    expect(loopText(textOf(parsed(axpy(true)), wasm({ simd: false })))).not.toContain('v128');
  });

  it('gives the same bytes for the same module, and says whether memory is shared', () => {
    expect(textOf(parsed(axpy(true)))).toBe(textOf(parsed(axpy(true))));
    expect(textOf(parsed(axpy(true)), wasm({ shared: true }))).toContain('(memory 1 1 shared)');
    expect(textOf(parsed(axpy(true)), wasm({ shared: false }))).toContain('(memory 1 1)');
  });

  it('moves a constant into the offset of a load only where the rest of the index cannot be negative', () => {
    const text = (role: string): string =>
      textOf(
        parsed(`
module @m {
  buffer @t : i32[4] ${role}
  buffer @x : f64[16] input
  buffer @y : f64[4] output
  kernel @k() {
    %zero = arith.constant {value = 0} : i32
    %two = arith.constant {value = 2} : i32
    %t = mem.load %zero {buffer = @t} : i32
    %i = arith.add %t, %two : i32
    %x = mem.load %i {buffer = @x} : f64
    mem.store %x, %zero {buffer = @y}
    scf.yield
  }
}`),
      );
    expect(text('const = [0, 1, 2, 3]')).toContain(
      '(f64.load offset=80 (i32.shl (i32.load (i32.const 0)) (i32.const 3)))',
    );
    expect(text('const = [-2, 1, 2, 3]')).toContain(
      '(f64.load (i32.add (i32.shl (i32.load (i32.const 0)) (i32.const 3)) (i32.const 80)))',
    );
    expect(text('input')).toContain('(i32.const 80))');
  });

  it('reads index lanes straight into scalars for a gather', () => {
    const text = loopText(
      textOf(
        parsed(`
module @m {
  buffer @t : u16[64] const = [${Array.from({ length: 64 }, (_, k) => 63 - k).join(', ')}]
  buffer @x : f64[64] input
  buffer @y : f64[64] output
  kernel @k() {
    %lb = arith.constant {value = 0} : i32
    %ub = arith.constant {value = 64} : i32
    %one = arith.constant {value = 1} : i32
    scf.for %lb, %ub, %one {parallel = true, simd = true} {
    ^(%i: i32):
      %t = mem.load %i {buffer = @t} : u16
      %at = arith.cast %t {to = i32} : i32
      %x = mem.load %at {buffer = @x} : f64
      mem.store %x, %i {buffer = @y}
      scf.yield
    }
    scf.yield
  }
}`),
      ),
    );
    expect(text).toContain('v128.load64_lane offset=128 1 (i32.shl (i32.load16_u offset=2');
    expect(text).not.toContain('extract_lane');
  });

  it('reads a number that all lanes need into all of them, and adds where the sum stands, before the next vector is read', () => {
    const text = textOf(
      parsed(`
module @m {
  buffer @a : f32[8] input
  buffer @x : f32[2] input
  buffer @y : f32[8] output
  kernel @k() {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %four = arith.constant {value = 4} : i32
    %a = mem.load %zero {buffer = @a, lanes = 4} : vec<4 x f32>
    %b = mem.load %four {buffer = @a, lanes = 4} : vec<4 x f32>
    %x = mem.load %zero {buffer = @x} : f32
    %xs = arith.splat %x {lanes = 4} : vec<4 x f32>
    %p = arith.mul %a, %xs : vec<4 x f32>
    %q = arith.mul %b, %xs : vec<4 x f32>
    %y = mem.load %one {buffer = @x} : f32
    %ys = arith.splat %y {lanes = 4} : vec<4 x f32>
    %r = math.fma %a, %ys, %p : vec<4 x f32>
    %s = math.fma %b, %ys, %q : vec<4 x f32>
    mem.store %r, %zero {buffer = @y}
    mem.store %s, %four {buffer = @y}
    scf.yield
  }
}`),
    );
    expect(text).not.toContain('f32x4.splat');
    const order = text
      .split('\n')
      .flatMap((line) => [...line.matchAll(/load32_splat|f32x4\.mul/g)].map(([name]) => name));
    expect(order.join(' ')).toBe('load32_splat f32x4.mul f32x4.mul load32_splat f32x4.mul f32x4.mul');
  });

  it('writes a product and a sum as one instruction where it is told to, and in Node only then', () => {
    const module = parsed(`
module @m {
  buffer @a : f64[8] input
  buffer @y : f64[4] output
  kernel @k() {
    %zero = arith.constant {value = 0} : i32
    %four = arith.constant {value = 4} : i32
    %a = mem.load %zero {buffer = @a, lanes = 4} : vec<4 x f64>
    %b = mem.load %four {buffer = @a, lanes = 4} : vec<4 x f64>
    %r = math.fma %a, %b, %a : vec<4 x f64>
    mem.store %r, %zero {buffer = @y}
    scf.yield
  }
}`);
    const count = (text: string, name: string): number => text.split(name).length - 1;
    const [plain, fused] = [textOf(module), textOf(module, wasm({ fused: true }))];
    expect(['relaxed_madd', 'f64x2.mul', 'f64x2.add'].map((name) => count(plain, name))).toEqual([0, 2, 2]);
    expect(['relaxed_madd', 'f64x2.mul', 'f64x2.add'].map((name) => count(fused, name))).toEqual([2, 0, 0]);
  });

  it('keeps locals few in a long straight line', () => {
    const ops = Array.from(
      { length: 3000 },
      (_, k) => `    %v${k + 1} = arith.${k % 2 ? 'add' : 'mul'} %v${k}, %v${k} : f64`,
    );
    const text = textOf(
      parsed(
        `
module @m {
  buffer @x : f64[1] inout
  kernel @k() {
    %z = arith.constant {value = 0} : i32
    %v0 = mem.load %z {buffer = @x} : f64
${ops.join('\n').replace(/%v(\d+)/g, '%$1')}
    mem.store %3000, %z {buffer = @x}
    scf.yield
  }
}`.replace('%v0', '%0'),
      ),
    );
    expect(text.match(/\(local \$/g)?.length).toBeLessThan(8);
  });
});
