import { fail } from '../diagnostics/diagnostic.js';
import { isTrue, scalarOps } from '../scalar/scalar-op.js';
import { ADD, ARITY, ARMS, COMMUTATIVE, CONSTANT, DIV, MUL, NEG, SELECT, VARIABLE } from './codes.js';
import { NodeArena } from './arena.js';
import type { Recorder } from './recorder.js';
import { P0, P1, P2, inverse, lower, mul0, mul1, mul2, residueOfWord, wrap } from './field.js';

/**
 * The expression graph (§4.1, App. E): an append-only arena of binary nodes, hash-consed. A node id never changes meaning and
 * operands come before their users, so a graph of a given length is a value, every analysis is a sweep over ids, and
 * nothing recurses.
 */
export class Graph extends NodeArena {
  /** Takes operations on symbols of this graph, while there is one. */
  recorder: Recorder | undefined = undefined;
  /* Residues of the products and of the sums that `dots` makes, three words each; and what `dot` hands to it. */
  private products = new Int32Array(0);
  private sums = new Int32Array(0);
  private readonly pairs = new Int32Array(2);
  private readonly result = new Int32Array(1);
  /* The last divisor and its inverse, which costs as much as ten nodes: vectors are divided by one length. */
  private divisor = -1;
  private i0 = 0;
  private i1 = 0;
  private i2 = 0;
  /* What `mixed` found. */
  private m0 = 0;
  private m1 = 0;
  private m2 = 0;

  add(a: number, b: number): number {
    const { op, hash } = this;
    if (op[a] === CONSTANT || op[b] === CONSTANT) {
      const value = this.fold(ADD, a, b);
      if (value !== undefined) return this.constant(value);
      if (op[a] === CONSTANT && this.isNothing(this.constantValue(a))) return b;
      if (op[b] === CONSTANT && this.isNothing(this.constantValue(b))) return a;
    }
    if (!this.algebraic) return this.opaque(ADD, a, b);
    const x = 3 * a;
    const y = 3 * b;
    const h0 = wrap(hash[x] + hash[y], P0);
    const h1 = wrap(hash[x + 1] + hash[y + 1], P1);
    const h2 = wrap(hash[x + 2] + hash[y + 2], P2);
    return this.intern(ADD, a, b, h0, h1, h2);
  }

  /** a − b, stored as a + (−b). A difference that exists already is found without making −b. */
  sub(a: number, b: number): number {
    const { op, hash } = this;
    if (this.algebraic && !this.check && op[a] !== CONSTANT && op[b] !== CONSTANT) {
      const x = 3 * a;
      const y = 3 * b;
      const h0 = lower(hash[x] - hash[y], P0);
      const h1 = lower(hash[x + 1] - hash[y + 1], P1);
      const h2 = lower(hash[x + 2] - hash[y + 2], P2);
      const found = this.table.find(hash, h0, h1, h2);
      if (found >= 0) return found;
    }
    return this.add(a, this.neg(b));
  }

  neg(a: number): number {
    const { op, hash } = this;
    if (op[a] === CONSTANT) return this.constant(-this.constantValue(a));
    if (op[a] === NEG) return this.left[a];
    if (!this.algebraic) return this.opaque(NEG, a, 0);
    const x = 3 * a;
    const h0 = hash[x] === 0 ? 0 : P0 - hash[x];
    const h1 = hash[x + 1] === 0 ? 0 : P1 - hash[x + 1];
    const h2 = hash[x + 2] === 0 ? 0 : P2 - hash[x + 2];
    return this.intern(NEG, a, 0, h0, h1, h2);
  }

  mul(a: number, b: number): number {
    const { op, hash } = this;
    if (op[a] === CONSTANT || op[b] === CONSTANT) {
      const value = this.fold(MUL, a, b);
      if (value !== undefined) return this.constant(value);
      const c = this.constantValue(op[a] === CONSTANT ? a : b);
      const x = op[a] === CONSTANT ? b : a;
      if (c === 1) return x;
      if (c === -1) return this.neg(x);
      if (c === 0 && this.algebraic) return this.constant(0);
    }
    /* Signs rise to the top of a product, where a sum takes them as a subtraction; exact in floating point. */
    if (op[a] === NEG)
      return op[b] === NEG ? this.mul(this.left[a], this.left[b]) : this.neg(this.mul(this.left[a], b));
    if (op[b] === NEG) return this.neg(this.mul(a, this.left[b]));
    if (!this.algebraic) return this.opaque(MUL, a, b);
    const x = 3 * a;
    const y = 3 * b;
    const h0 = mul0(hash[x], hash[y]);
    const h1 = mul1(hash[x + 1], hash[y + 1]);
    const h2 = mul2(hash[x + 2], hash[y + 2]);
    return this.intern(MUL, a, b, h0, h1, h2);
  }

  div(a: number, b: number): number {
    const { op, hash } = this;
    if (op[b] === CONSTANT) {
      const value = this.fold(DIV, a, b);
      if (value !== undefined) return this.constant(value);
      if (this.constantValue(b) === 1) return a;
      if (this.constantValue(b) === -1) return this.neg(a);
    }
    if (op[a] === NEG) return this.neg(this.div(this.left[a], b));
    if (op[b] === NEG) return this.neg(this.div(a, this.left[b]));
    const x = 3 * a;
    const y = 3 * b;
    if (!this.algebraic || hash[y] === 0 || hash[y + 1] === 0 || hash[y + 2] === 0) return this.opaque(DIV, a, b);
    if (op[a] === CONSTANT && this.constantValue(a) === 0) return a;
    if (this.divisor !== b) {
      this.divisor = b;
      this.i0 = inverse(hash[y], 0);
      this.i1 = inverse(hash[y + 1], 1);
      this.i2 = inverse(hash[y + 2], 2);
    }
    const h0 = mul0(hash[x], this.i0);
    const h1 = mul1(hash[x + 1], this.i1);
    const h2 = mul2(hash[x + 2], this.i2);
    return this.intern(DIV, a, b, h0, h1, h2);
  }

  /** c ? a : b, where c is a truth value: a comparison, or a number, of which 0 and NaN are false. */
  select(c: number, a: number, b: number): number {
    if (a === b) return a;
    if (this.op[c] === CONSTANT) return isTrue(this.constantValue(c)) ? a : b;
    return this.opaque(SELECT, c, this.opaque(ARMS, a, b));
  }

  /** Any operation of the scalar table by code; `b` is ignored by unary ones. */
  apply(code: number, a: number, b = 0): number {
    switch (code) {
      case ADD:
        return this.add(a, b);
      case MUL:
        return this.mul(a, b);
      case NEG:
        return this.neg(a);
      case DIV:
        return this.div(a, b);
      case VARIABLE:
      case CONSTANT:
        return fail('graph/apply', `'${scalarOps[code].name}' is not an operation`, {
          remedy: 'use variables() or constant()',
        });
      case SELECT:
        return this.opaque(code, a, b);
      case ARMS:
        return this.opaque(code, a, b);
      default: {
        if (scalarOps[code] === undefined)
          return fail('graph/apply', `there is no operation with the code ${String(code)}`, {
            remedy: `give a code of scalarOps, 0 to ${scalarOps.length - 1}, as in scalarOp('sin').code`,
          });
        const second = ARITY[code] === 1 ? 0 : b;
        const value = this.fold(code, a, second);
        return value === undefined ? this.opaque(code, a, second) : this.constant(value);
      }
    }
  }

  /** The sum of `n` nodes in order. A sum that exists already is found without making partial sums. */
  sum(ids: Int32Array, n: number): number {
    if (n === 0) return this.constant(0);
    if (n > 2 && this.algebraic && !this.check) {
      const { hash } = this;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let t = 0; t < n; t++) {
        const h = 3 * ids[t];
        s0 = wrap(s0 + hash[h], P0);
        s1 = wrap(s1 + hash[h + 1], P1);
        s2 = wrap(s2 + hash[h + 2], P2);
      }
      const found = this.table.find(hash, s0, s1, s2);
      if (found >= 0) return found;
    }
    let s = ids[0];
    for (let t = 1; t < n; t++) s = t < n - 1 ? this.partialSum(s, ids[t]) : this.add(s, ids[t]);
    return s;
  }

  /**
   * Σ aᵢ·bᵢ over `n` pairs taken from `a` at `ai` and `b` at `bi`. A sum that exists already is found without making
   * its products.
   */
  dot(a: Int32Array, ai: Int32Array, b: Int32Array, bi: Int32Array, n: number): number {
    this.pairs[1] = n;
    this.dots(this.result, 0, a, ai, b, bi, this.pairs, 1);
    return this.result[0];
  }

  /**
   * `count` such sums in a row: sum e is over the pairs `[ptr[e], ptr[e + 1])` and goes to `out[o + e]`. The table is
   * probed for all of them at once, so that the waits for memory overlap.
   */
  dots(
    out: Int32Array,
    o: number,
    a: Int32Array,
    ai: Int32Array,
    b: Int32Array,
    bi: Int32Array,
    ptr: Int32Array,
    count: number,
  ): void {
    if (!this.algebraic || this.check) {
      for (let e = 0; e < count; e++) out[o + e] = this.dotAsWritten(a, ai, b, bi, ptr[e], ptr[e + 1]);
      return;
    }
    this.residuesOfDots(a, ai, b, bi, ptr, count);
    const { op, hash, products, sums, table } = this;
    table.glance(hash, sums, 0, count);
    for (let e = 0; e < count; e++) {
      const from = ptr[e];
      const to = ptr[e + 1];
      if (to - from < 2) {
        out[o + e] = from === to ? this.constant(0) : this.mul(a[ai[from]], b[bi[from]]);
        continue;
      }
      /* Making a sum may have moved everything. */
      const found = this.table.find(this.hash, sums[3 * e], sums[3 * e + 1], sums[3 * e + 2]);
      if (found >= 0) {
        out[o + e] = found;
        continue;
      }
      if (op[a[ai[from]]] !== VARIABLE || op[b[bi[from]]] !== VARIABLE)
        this.table.glance(this.hash, products, from, to - from);
      let s = this.productTerm(a[ai[from]], b[bi[from]], from);
      for (let t = from + 1; t < to; t++) {
        const product = this.productTerm(a[ai[t]], b[bi[t]], t);
        s = t < to - 1 ? this.partialSum(s, product) : this.add(s, product);
      }
      out[o + e] = s;
    }
  }

  /**
   * As `dots`, but a sum that there is not yet becomes a variable of its value, for whoever keeps its terms elsewhere: it has the residues of the
   * sum, so that what equals the sum is that variable. These variables follow one another. −1 is left for a sum of no products, for one of the value of a small integer, and where `out` has `APART`. No operand may be a number or, where operations count, a negation.
   */
  dotsAsVariables(
    out: Int32Array,
    o: number,
    a: Int32Array,
    ai: Int32Array,
    b: Int32Array,
    bi: Int32Array,
    ptr: Int32Array,
    count: number,
  ): void {
    this.needResidues();
    if (this.algebraic) this.residuesOfDots(a, ai, b, bi, ptr, count);
    else this.residuesAsWritten(a, ai, b, bi, ptr, count);
    const { hash, sums } = this;
    this.table.glance(hash, sums, 0, count);
    for (let e = 0; e < count; e++)
      out[o + e] =
        out[o + e] === APART || ptr[e + 1] === ptr[e]
          ? -1
          : this.variableOf(sums[3 * e], sums[3 * e + 1], sums[3 * e + 2]);
  }

  /** Residues of such sums and of their products, over the reals. */
  private residuesOfDots(
    a: Int32Array,
    ai: Int32Array,
    b: Int32Array,
    bi: Int32Array,
    ptr: Int32Array,
    count: number,
  ): void {
    if (3 * ptr[count] > this.products.length) this.products = new Int32Array(6 * ptr[count]);
    if (3 * count > this.sums.length) this.sums = new Int32Array(6 * count);
    const { hash, products, sums } = this;
    for (let e = 0; e < count; e++) {
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let t = ptr[e]; t < ptr[e + 1]; t++) {
        const x = 3 * a[ai[t]];
        const y = 3 * b[bi[t]];
        const p0 = mul0(hash[x], hash[y]);
        const p1 = mul1(hash[x + 1], hash[y + 1]);
        const p2 = mul2(hash[x + 2], hash[y + 2]);
        products[3 * t] = p0;
        products[3 * t + 1] = p1;
        products[3 * t + 2] = p2;
        s0 = wrap(s0 + p0, P0);
        s1 = wrap(s1 + p1, P1);
        s2 = wrap(s2 + p2, P2);
      }
      sums[3 * e] = s0;
      sums[3 * e + 1] = s1;
      sums[3 * e + 2] = s2;
    }
  }

  /** The same of sums and products that are told apart by their operations. */
  private residuesAsWritten(
    a: Int32Array,
    ai: Int32Array,
    b: Int32Array,
    bi: Int32Array,
    ptr: Int32Array,
    count: number,
  ): void {
    if (3 * count > this.sums.length) this.sums = new Int32Array(6 * count);
    const { hash, sums } = this;
    for (let e = 0; e < count; e++) {
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let t = ptr[e]; t < ptr[e + 1]; t++) {
        const x = 3 * a[ai[t]];
        const y = 3 * b[bi[t]];
        this.mixed(MUL, hash[x], hash[x + 1], hash[x + 2], hash[y], hash[y + 1], hash[y + 2]);
        if (t > ptr[e]) this.mixed(ADD, s0, s1, s2, this.m0, this.m1, this.m2);
        s0 = this.m0;
        s1 = this.m1;
        s2 = this.m2;
      }
      sums[3 * e] = s0;
      sums[3 * e + 1] = s1;
      sums[3 * e + 2] = s2;
    }
  }

  /**
   * Adds ±a·b, or ±a where b is below 0, to number `at` of `sums`, each a pair of residues: as if operands were variables, whatever the arithmetic. So sums of the same
   * products get the same pair, in any order.
   */
  addTerm(sums: Int32Array, at: number, a: number, b: number, minus: boolean): void {
    this.needResidues();
    const { hash } = this;
    const x0 = b < 0 ? hash[3 * a] : mul0(hash[3 * a], hash[3 * b]);
    const x1 = b < 0 ? hash[3 * a + 1] : mul1(hash[3 * a + 1], hash[3 * b + 1]);
    const s0 = sums[2 * at];
    const s1 = sums[2 * at + 1];
    sums[2 * at] = minus ? lower(s0 - x0, P0) : wrap(s0 + x0, P0);
    sums[2 * at + 1] = minus ? lower(s1 - x1, P1) : wrap(s1 + x1, P1);
  }

  /** a + b, or a − b, as such a variable; −1 where it is a small integer. */
  sumAsVariable(a: number, b: number, minus: boolean): number {
    this.needResidues();
    const { hash } = this;
    const x = 3 * a;
    let y = 3 * b;
    if (!this.algebraic) {
      if (minus && this.op[b] === NEG) y = 3 * this.left[b];
      if (minus && this.op[b] !== NEG) this.mixed(NEG, hash[y], hash[y + 1], hash[y + 2], 0, 0, 0);
      else this.copied(y);
      this.mixed(ADD, hash[x], hash[x + 1], hash[x + 2], this.m0, this.m1, this.m2);
      return this.variableOf(this.m0, this.m1, this.m2);
    }
    return minus
      ? this.variableOf(
          lower(hash[x] - hash[y], P0),
          lower(hash[x + 1] - hash[y + 1], P1),
          lower(hash[x + 2] - hash[y + 2], P2),
        )
      : this.variableOf(
          wrap(hash[x] + hash[y], P0),
          wrap(hash[x + 1] + hash[y + 1], P1),
          wrap(hash[x + 2] + hash[y + 2], P2),
        );
  }

  private copied(h: number): void {
    this.m0 = this.hash[h];
    this.m1 = this.hash[h + 1];
    this.m2 = this.hash[h + 2];
  }

  /** An operation as a node of its own, which equals no other whatever its value: for expressions in which variables that stand for sums are written out. */
  apart(code: number, a: number, b: number): number {
    this.needResidues();
    if (this.length >= this.limit) this.reserve(this.length + 1);
    this.mixed(code, this.length, a, P0, b, this.length, P1);
    return this.appendWith(code, a, b, this.m0, this.m1, this.m2);
  }

  /** The sum of two or more nodes in order, which takes the place of a variable of its value: what equals it is found as this node from then on. */
  sumInPlaceOf(variable: number, ids: Int32Array): number {
    const last = ids.length - 1;
    let s = ids[0];
    for (let t = 1; t < last; t++) s = this.partialSum(s, ids[t]);
    return this.inPlaceOf(variable, ADD, s, ids[last]);
  }

  /** The same of a product, or minus it. */
  productInPlaceOf(variable: number, a: number, b: number, minus: boolean): number {
    return minus ? this.inPlaceOf(variable, NEG, this.mul(a, b), 0) : this.inPlaceOf(variable, MUL, a, b);
  }

  private inPlaceOf(variable: number, code: number, a: number, b: number): number {
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const [h0, h1, h2] = this.algebraicHash(variable);
    const id = this.appendWith(code, a, b, h0, h1, h2);
    if (this.table.find(this.hash, h0, h1, h2) === variable) this.table.replace(variable, id, h0, h1, h2);
    return id;
  }

  private dotAsWritten(a: Int32Array, ai: Int32Array, b: Int32Array, bi: Int32Array, from: number, to: number): number {
    if (from === to) return this.constant(0);
    let s = this.mul(a[ai[from]], b[bi[from]]);
    for (let t = from + 1; t < to; t++) s = this.add(s, this.mul(a[ai[t]], b[bi[t]]));
    return s;
  }

  /**
   * A product of a sum, whose residues stand in place `t` of `products`. One of two inputs costs less to evaluate again
   * than to find: it is not entered into the table.
   */
  private productTerm(a: number, b: number, t: number): number {
    const { op, products } = this;
    const h0 = products[3 * t];
    const h1 = products[3 * t + 1];
    const h2 = products[3 * t + 2];
    if (op[a] === VARIABLE && op[b] === VARIABLE) {
      if (this.length >= this.limit) this.reserve(this.length + 1);
      return this.appendWith(MUL, a, b, h0, h1, h2);
    }
    if (op[a] === CONSTANT || op[b] === CONSTANT || op[a] === NEG || op[b] === NEG) return this.mul(a, b);
    return this.intern(MUL, a, b, h0, h1, h2);
  }

  /**
   * A sum on the way to a longer one. It is not entered into the table: the whole sum is what other programs share, and
   * entering every prefix would double the cost of building sparse products.
   */
  private partialSum(a: number, b: number): number {
    const { op } = this;
    if (!this.algebraic || this.check || op[a] === CONSTANT || op[b] === CONSTANT) return this.add(a, b);
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const { hash } = this;
    const x = 3 * a;
    const y = 3 * b;
    const h0 = wrap(hash[x] + hash[y], P0);
    const h1 = wrap(hash[x + 1] + hash[y + 1], P1);
    const h2 = wrap(hash[x + 2] + hash[y + 2], P2);
    return this.appendWith(ADD, a, b, h0, h1, h2);
  }

  /**
   * What an operation on numbers comes to. Not over the reals: only where operands and result are f32 numbers, since
   * programs may be compiled for f32, where each operation is rounded.
   */
  private fold(code: number, a: number, b: number): number | undefined {
    const { op } = this;
    if (op[a] !== CONSTANT || (ARITY[code] === 2 && op[b] !== CONSTANT)) return undefined;
    const x = this.constantValue(a);
    const y = ARITY[code] === 2 ? this.constantValue(b) : 0;
    const value = scalarOps[code].evaluate(x, y);
    return this.algebraic || (isSingle(x) && isSingle(y) && isSingle(value)) ? value : undefined;
  }

  /** Whether adding this number changes nothing: 0 over the reals, else −0 alone, since −0 + 0 is 0. */
  private isNothing(value: number): boolean {
    return this.algebraic ? value === 0 : Object.is(value, -0);
  }

  /** An operation whose result is no polynomial of its operands' residues: a random value determined by them. */
  private opaque(code: number, a: number, b: number): number {
    const { hash } = this;
    if (hash.length === 0) return this.internAsWritten(code, a, b);
    const x = 3 * a;
    const y = 3 * b;
    this.mixed(code, hash[x], hash[x + 1], hash[x + 2], hash[y], hash[y + 1], hash[y + 2]);
    return this.intern(code, a, b, this.m0, this.m1, this.m2);
  }

  protected operationResidues(id: number): void {
    const { hash } = this;
    const x = 3 * this.left[id];
    const y = 3 * this.right[id];
    this.mixed(this.op[id], hash[x], hash[x + 1], hash[x + 2], hash[y], hash[y + 1], hash[y + 2]);
    hash[3 * id] = this.m0;
    hash[3 * id + 1] = this.m1;
    hash[3 * id + 2] = this.m2;
  }

  /** Residues of such an operation, of those of its operands, left in `m0` to `m2`. Those of a second operand of unary ones are not looked at. */
  private mixed(code: number, a0: number, a1: number, a2: number, b0: number, b1: number, b2: number): void {
    const unary = ARITY[code] === 1;
    const swapped = !unary && COMMUTATIVE[code] === 1 && a0 > b0;
    const x0 = swapped ? b0 : a0;
    const x1 = swapped ? b1 : a1;
    const x2 = swapped ? b2 : a2;
    const y0 = unary ? 0 : swapped ? a0 : b0;
    const y1 = unary ? 0 : swapped ? a1 : b1;
    const y2 = unary ? 0 : swapped ? a2 : b2;
    /* Three lanes from one 32-bit word would carry 32 bits: each has multipliers of its own. */
    this.m0 = residueOfWord(linear(code, x0, x1, x2, y0, y1, y2, 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d), P0);
    this.m1 = residueOfWord(linear(code, x1, x2, x0, y2, y0, y1, 0x27d4eb2f, 0x165667b1, 0xd3a2646d), P1);
    this.m2 = residueOfWord(linear(code, x2, x0, x1, y1, y2, y0, 0xfd7046c5, 0xb55a4f09, 0x8cb92ba7), P2);
  }
}

/** A word that seven others determine: a linear form of them with odd multipliers, mixed at the end. */
const linear = (
  code: number,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
  k: number,
  l: number,
  m: number,
): number => {
  let h = Math.imul(a, k) + Math.imul(b, l) + Math.imul(c, m);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) + code;
  h = (h ^ (h >>> 13)) + Math.imul(d, m) + Math.imul(e, k) + Math.imul(f, l);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
};

/** Marks a sum that is left to the caller. */
export const APART = -2;

const isSingle = (value: number): boolean => Object.is(Math.fround(value), value);
