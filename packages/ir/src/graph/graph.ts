import { fail } from '../diagnostics/diagnostic.js';
import { scalarOp, scalarOps } from '../scalar/scalar-op.js';
import { P0, P1, P2, P3, inverse, mix, mul0, mul1, mul2, mul3, residue, residueOfWord } from './field.js';

export interface GraphOptions {
  /**
   * When two expressions are one node. `algebraic` (the default): when they have the same value at a random point, so
   * that commuted, re-associated, distributed and cancelled forms meet. `exact`: only when they are the same
   * operations up to the order of two operands, so that no floating-point result can change.
   */
  readonly identity?: 'algebraic' | 'exact';
  /** Expected number of nodes; storage grows beyond it. */
  readonly capacity?: number;
  /** Seed of the random point; default fixed, so that runs repeat. */
  readonly seed?: number;
  /**
   * Keeps a fourth, independent residue a node and compares it wherever two expressions are taken for one; a mismatch
   * is the diagnostic `graph/collision`. Slower, for debugging; 4 more bytes a node.
   */
  readonly checkCollisions?: boolean;
}

const OP = {
  variable: scalarOp('variable').code,
  constant: scalarOp('constant').code,
  add: scalarOp('add').code,
  mul: scalarOp('mul').code,
  neg: scalarOp('neg').code,
  div: scalarOp('div').code,
  select: scalarOp('select').code,
  arms: scalarOp('arms').code,
} as const;

const ARITY = Uint8Array.from(scalarOps, (o) => o.arity);
const COST = Uint8Array.from(scalarOps, (o) => o.cost);
const COMMUTATIVE = Uint8Array.from(scalarOps, (o) => (o.commutative ? 1 : 0));
const ASSOCIATIVE = Uint8Array.from(scalarOps, (o) => (o.associative ? 1 : 0));

/** A leaf's structural hash: variables and constants are two fixed structures (Alg. 1). */
const VARIABLE_STRUCTURE = 0x243f6a88;
const CONSTANT_STRUCTURE = 0x13198a2e;
const MAX_WEIGHT = 0xffffffff;

/**
 * The expression graph (§4.1, App. E): an append-only arena of binary nodes in typed arrays, hash-consed. A node id
 * never changes meaning and operands come before their users, so a graph of a given length is a value, every analysis
 * is a sweep over ids, and nothing recurses.
 *
 * Per node: op (1 byte), operands (8), three algebraic lanes and the structural hash (16), complexity (4), and its
 * share of the hash table. For a variable `left` is its number, for a constant its place in the table of constants.
 */
export class Graph {
  readonly identity: 'algebraic' | 'exact';
  /** Number of nodes. */
  length = 0;
  op: Uint8Array;
  left: Int32Array;
  right: Int32Array;
  /** Four words a node: three residues and the structural hash. */
  hash: Int32Array;
  /** Complexity: the cost of the expression tree, saturating. */
  weight: Uint32Array;
  variableCount = 0;
  private frozen = false;
  private readonly constantValues: number[] = [];
  private readonly constantIds = new Map<number, number>();
  private readonly seed: number;
  private table: Int32Array;
  private mask: number;
  /** Expressions in the table; partial sums are not. */
  private entries = 0;
  /** Number of nodes at which storage or table must grow. */
  private limit: number;
  private check: Int32Array | undefined;
  /* Residues of the node being made; fields, because JavaScript returns one value. */
  private h0 = 0;
  private h1 = 0;
  private h2 = 0;
  private structure = 0;
  /* The last divisor and its inverse, which costs as much as ten nodes: vectors are divided by one length. */
  private divisor = -1;
  private i0 = 0;
  private i1 = 0;
  private i2 = 0;
  private tag = 0;

  constructor(options: GraphOptions = {}) {
    this.identity = options.identity ?? 'algebraic';
    this.seed = options.seed ?? 0x5eed;
    const capacity = Math.max(64, options.capacity ?? 1024);
    this.op = new Uint8Array(capacity);
    this.left = new Int32Array(capacity);
    this.right = new Int32Array(capacity);
    this.hash = new Int32Array(4 * capacity);
    this.weight = new Uint32Array(capacity);
    let size = 128;
    while (size * LOAD < capacity) size *= 2;
    this.table = new Int32Array(size);
    this.mask = size - 1;
    this.limit = Math.min(capacity, Math.floor(size * LOAD));
    this.check = options.checkCollisions ? new Int32Array(capacity) : undefined;
    /* The constants that hashes are most often found to equal (App. D, “constant expressions”). */
    for (const c of [0, 1, -1, 2]) this.constant(c);
  }

  /**
   * Ends the building of this graph and gives back what only building needs, hashes included: more than half of its
   * memory. Making a new node or asking for a hash is then an error.
   */
  freeze(): void {
    this.frozen = true;
    this.table = new Int32Array(1);
    this.mask = 0;
    this.hash = new Int32Array(0);
    this.check = undefined;
    this.limit = 0;
  }

  /** Bytes held, table included. */
  get bytes(): number {
    return (
      this.op.byteLength +
      this.left.byteLength +
      this.right.byteLength +
      this.hash.byteLength +
      this.weight.byteLength +
      this.table.byteLength
    );
  }

  /** Makes `count` variables with consecutive numbers and consecutive ids; returns the first id. */
  variables(count: number): number {
    const first = this.length;
    this.reserve(first + count);
    for (let i = 0; i < count; i++) {
      const k = this.variableCount++;
      const h = mix(k, this.seed);
      this.h0 = residueOfWord(mix(h, 1), P0) || 1;
      this.h1 = residueOfWord(mix(h, 2), P1) || 1;
      this.h2 = residueOfWord(mix(h, 3), P2) || 1;
      this.structure = VARIABLE_STRUCTURE;
      this.append(OP.variable, k, 0, 0, this.slot());
    }
    return first;
  }

  variable(): number {
    return this.variables(1);
  }

  /** The node of this number; −0 is 0. */
  constant(value: number): number {
    const v = value === 0 ? 0 : value;
    const known = this.constantIds.get(v);
    if (known !== undefined) return known;
    if (this.length >= this.limit) this.reserve(this.length + 1);
    if (Number.isFinite(v)) {
      this.h0 = residue(v, 0);
      this.h1 = residue(v, 1);
      this.h2 = residue(v, 2);
    } else {
      const word = Number.isNaN(v) ? 11 : v > 0 ? 12 : 13;
      this.h0 = residueOfWord(mix(word, 1), P0);
      this.h1 = residueOfWord(mix(word, 2), P1);
      this.h2 = residueOfWord(mix(word, 3), P2);
    }
    const slot = this.slot();
    this.structure = CONSTANT_STRUCTURE;
    this.constantValues.push(v);
    this.constantIds.set(v, this.length);
    /* An expression found earlier to have this value gives way: whoever builds it again gets the number. */
    const entry = this.table[slot];
    if (entry !== 0) this.tag = entry & ~this.mask;
    const mayReplace =
      entry === 0 || (this.identity === 'algebraic' && this.op[(entry & this.mask) - 1] !== OP.constant);
    return this.append(OP.constant, this.constantValues.length - 1, 0, 0, mayReplace ? slot : -1);
  }

  isConstant(id: number): boolean {
    return this.op[id] === OP.constant;
  }

  isVariable(id: number): boolean {
    return this.op[id] === OP.variable;
  }

  /** The value of a constant node. */
  constantValue(id: number): number {
    return this.constantValues[this.left[id]];
  }

  /** The number of a variable node. */
  variableIndex(id: number): number {
    return this.left[id];
  }

  /** The structural hash: equal for trees that differ only by their leaves, invariant under commutation and association. */
  structuralHash(id: number): number {
    this.requireHashes();
    return this.hash[4 * id + 3];
  }

  /** The algebraic hash as three residues: equal for expressions of equal value (§4.1.2). */
  algebraicHash(id: number): readonly [number, number, number] {
    this.requireHashes();
    return [this.hash[4 * id], this.hash[4 * id + 1], this.hash[4 * id + 2]];
  }

  /** Cost of the expression tree below `id` (§4.1.4). */
  complexity(id: number): number {
    return this.weight[id];
  }

  add(a: number, b: number): number {
    const { op, hash } = this;
    if (op[a] === OP.constant || op[b] === OP.constant) {
      if (op[a] === op[b]) return this.constant(this.constantValue(a) + this.constantValue(b));
      if (this.identity === 'algebraic') {
        if (op[a] === OP.constant && this.constantValue(a) === 0) return b;
        if (op[b] === OP.constant && this.constantValue(b) === 0) return a;
      }
    }
    if (this.identity === 'exact') return this.opaque(OP.add, a, b);
    this.h0 = wrap(hash[4 * a] + hash[4 * b], P0);
    this.h1 = wrap(hash[4 * a + 1] + hash[4 * b + 1], P1);
    this.h2 = wrap(hash[4 * a + 2] + hash[4 * b + 2], P2);
    return this.intern(OP.add, a, b);
  }

  /** a − b, kept as the sum of a and −b; found without making −b when it exists already. */
  sub(a: number, b: number): number {
    const { op, hash } = this;
    if (this.identity === 'algebraic' && !this.check && op[a] !== OP.constant && op[b] !== OP.constant) {
      const x = a << 2;
      const y = b << 2;
      const found = this.lookup(
        lower(hash[x] - hash[y], P0),
        lower(hash[x + 1] - hash[y + 1], P1),
        lower(hash[x + 2] - hash[y + 2], P2),
      );
      if (found >= 0) return found;
    }
    return this.add(a, this.neg(b));
  }

  neg(a: number): number {
    const { op, hash } = this;
    if (op[a] === OP.constant) return this.constant(-this.constantValue(a));
    if (op[a] === OP.neg) return this.left[a];
    if (this.identity === 'exact') return this.opaque(OP.neg, a, 0);
    this.h0 = hash[4 * a] === 0 ? 0 : P0 - hash[4 * a];
    this.h1 = hash[4 * a + 1] === 0 ? 0 : P1 - hash[4 * a + 1];
    this.h2 = hash[4 * a + 2] === 0 ? 0 : P2 - hash[4 * a + 2];
    return this.intern(OP.neg, a, 0);
  }

  mul(a: number, b: number): number {
    const { op, hash } = this;
    if (op[a] === OP.constant || op[b] === OP.constant) {
      if (op[a] === op[b]) return this.constant(this.constantValue(a) * this.constantValue(b));
      const c = this.constantValue(op[a] === OP.constant ? a : b);
      const x = op[a] === OP.constant ? b : a;
      if (c === 1) return x;
      if (c === -1) return this.neg(x);
      if (c === 0 && this.identity === 'algebraic') return this.constant(0);
    }
    /* Signs rise to the top of a product, where a sum takes them as a subtraction; exact in floating point. */
    if (op[a] === OP.neg)
      return op[b] === OP.neg ? this.mul(this.left[a], this.left[b]) : this.neg(this.mul(this.left[a], b));
    if (op[b] === OP.neg) return this.neg(this.mul(a, this.left[b]));
    if (this.identity === 'exact') return this.opaque(OP.mul, a, b);
    this.h0 = mul0(hash[4 * a], hash[4 * b]);
    this.h1 = mul1(hash[4 * a + 1], hash[4 * b + 1]);
    this.h2 = mul2(hash[4 * a + 2], hash[4 * b + 2]);
    return this.intern(OP.mul, a, b);
  }

  div(a: number, b: number): number {
    const { op, hash } = this;
    if (op[b] === OP.constant) {
      if (op[a] === OP.constant) return this.constant(this.constantValue(a) / this.constantValue(b));
      if (this.constantValue(b) === 1) return a;
      if (this.constantValue(b) === -1) return this.neg(a);
    }
    if (op[a] === OP.neg) return this.neg(this.div(this.left[a], b));
    if (op[b] === OP.neg) return this.neg(this.div(a, this.left[b]));
    if (this.identity === 'exact' || hash[4 * b] === 0 || hash[4 * b + 1] === 0 || hash[4 * b + 2] === 0)
      return this.opaque(OP.div, a, b);
    if (op[a] === OP.constant && this.constantValue(a) === 0) return a;
    if (this.divisor !== b) {
      this.divisor = b;
      this.i0 = inverse(hash[4 * b], 0);
      this.i1 = inverse(hash[4 * b + 1], 1);
      this.i2 = inverse(hash[4 * b + 2], 2);
    }
    this.h0 = mul0(hash[4 * a], this.i0);
    this.h1 = mul1(hash[4 * a + 1], this.i1);
    this.h2 = mul2(hash[4 * a + 2], this.i2);
    return this.intern(OP.div, a, b);
  }

  /** c ? a : b, where c is a truth value: a comparison, or a number that is 0 or not. */
  select(c: number, a: number, b: number): number {
    if (a === b) return a;
    if (this.op[c] === OP.constant) return this.constantValue(c) !== 0 ? a : b;
    return this.opaque(OP.select, c, this.opaque(OP.arms, a, b));
  }

  /** Any operation of the scalar table by code; `b` is ignored by unary ones. */
  apply(code: number, a: number, b = 0): number {
    switch (code) {
      case OP.add:
        return this.add(a, b);
      case OP.mul:
        return this.mul(a, b);
      case OP.neg:
        return this.neg(a);
      case OP.div:
        return this.div(a, b);
      case OP.variable:
      case OP.constant:
        return fail('graph/apply', `'${scalarOps[code].name}' is not an operation`, {
          remedy: 'use variables() or constant()',
        });
      case OP.select:
        return this.opaque(code, a, b);
      case OP.arms:
        return this.opaque(code, a, b);
      default: {
        const unary = ARITY[code] === 1;
        if (this.op[a] === OP.constant && (unary || this.op[b] === OP.constant)) {
          return this.constant(scalarOps[code].evaluate(this.constantValue(a), unary ? 0 : this.constantValue(b)));
        }
        return this.opaque(code, a, unary ? 0 : b);
      }
    }
  }

  /** The sum of `n` nodes in order; found without making partial sums when it exists already. */
  sum(ids: Int32Array, n: number): number {
    if (n === 0) return this.constant(0);
    if (n > 2 && this.identity === 'algebraic' && !this.check) {
      const { hash } = this;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let t = 0; t < n; t++) {
        const h = 4 * ids[t];
        s0 = wrap(s0 + hash[h], P0);
        s1 = wrap(s1 + hash[h + 1], P1);
        s2 = wrap(s2 + hash[h + 2], P2);
      }
      const found = this.lookup(s0, s1, s2);
      if (found >= 0) return found;
    }
    let s = ids[0];
    for (let t = 1; t < n; t++) s = t < n - 1 ? this.partialSum(s, ids[t]) : this.add(s, ids[t]);
    return s;
  }

  /** Σ aᵢ·bᵢ over `n` pairs taken from `a` at `ai` and `b` at `bi`; found without making the products when it exists. */
  dot(a: Int32Array, ai: Int32Array, b: Int32Array, bi: Int32Array, n: number): number {
    if (n === 0) return this.constant(0);
    if (n > 1 && this.identity === 'algebraic' && !this.check) {
      const { hash } = this;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let t = 0; t < n; t++) {
        const x = 4 * a[ai[t]];
        const y = 4 * b[bi[t]];
        s0 = wrap(s0 + mul0(hash[x], hash[y]), P0);
        s1 = wrap(s1 + mul1(hash[x + 1], hash[y + 1]), P1);
        s2 = wrap(s2 + mul2(hash[x + 2], hash[y + 2]), P2);
      }
      const found = this.lookup(s0, s1, s2);
      if (found >= 0) return found;
    }
    if (n === 1) return this.mul(a[ai[0]], b[bi[0]]);
    let s = this.productTerm(a[ai[0]], b[bi[0]]);
    for (let t = 1; t < n; t++) {
      const product = this.productTerm(a[ai[t]], b[bi[t]]);
      s = t < n - 1 ? this.partialSum(s, product) : this.add(s, product);
    }
    return s;
  }

  /** A product within a sum. One of two inputs costs less to evaluate again than to find: it is not entered either. */
  private productTerm(a: number, b: number): number {
    const { op, hash } = this;
    if (op[a] !== OP.variable || op[b] !== OP.variable || this.identity === 'exact' || this.check)
      return this.mul(a, b);
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const x = a << 2;
    const y = b << 2;
    this.h0 = mul0(hash[x], hash[y]);
    this.h1 = mul1(hash[x + 1], hash[y + 1]);
    this.h2 = mul2(hash[x + 2], hash[y + 2]);
    this.structure = this.structureOf(OP.mul, a, b);
    return this.append(OP.mul, a, b, COST[OP.mul], -1);
  }

  /**
   * A sum on the way to a longer one. It is not entered into the table: the whole sum is what other programs share, and
   * entering every prefix would double the cost of building sparse products.
   */
  private partialSum(a: number, b: number): number {
    const { op } = this;
    if (this.identity === 'exact' || this.check || op[a] === OP.constant || op[b] === OP.constant)
      return this.add(a, b);
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const { hash } = this;
    const x = a << 2;
    const y = b << 2;
    this.h0 = wrap(hash[x] + hash[y], P0);
    this.h1 = wrap(hash[x + 1] + hash[y + 1], P1);
    this.h2 = wrap(hash[x + 2] + hash[y + 2], P2);
    this.structure = this.structureOf(OP.add, a, b);
    const weight = this.weight[a] + this.weight[b] + COST[OP.add];
    return this.append(OP.add, a, b, weight > MAX_WEIGHT ? MAX_WEIGHT : weight, -1);
  }

  /** The node with these residues, or −1. */
  private lookup(h0: number, h1: number, h2: number): number {
    this.h0 = h0;
    this.h1 = h1;
    this.h2 = h2;
    return (this.table[this.slot()] & this.mask) - 1;
  }

  /** An operation whose result is no polynomial of its operands' residues: a random value determined by them. */
  private opaque(code: number, a: number, b: number): number {
    const { hash } = this;
    let x = 4 * a;
    let y = 4 * b;
    const unary = ARITY[code] === 1;
    if (!unary && COMMUTATIVE[code] === 1 && hash[x] > hash[y]) {
      const t = x;
      x = y;
      y = t;
    }
    let w = mix(code, hash[x]);
    w = mix(w, hash[x + 1]);
    w = mix(w, hash[x + 2]);
    if (!unary) {
      w = mix(w, hash[y]);
      w = mix(w, hash[y + 1]);
      w = mix(w, hash[y + 2]);
    }
    /* Three lanes from one 32-bit word would carry 32 bits: each lane mixes the operands' lanes in another order. */
    const v = mix(
      mix(mix(hash[x + 2], code), hash[x]),
      unary ? hash[x + 1] : mix(mix(hash[y + 2], hash[x + 1]), hash[y + 1]),
    );
    const u = mix(
      mix(hash[x + 1], hash[x]),
      unary ? mix(code, hash[x + 2]) : mix(mix(hash[y + 1], hash[y]), mix(code, hash[y + 2])),
    );
    this.h0 = residueOfWord(w, P0);
    this.h1 = residueOfWord(v, P1);
    this.h2 = residueOfWord(u, P2);
    return this.intern(code, a, b);
  }

  /** The node with the residues in h0, h1, h2, made now if there is none. */
  private intern(code: number, a: number, b: number): number {
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const slot = this.slot();
    const entry = this.table[slot];
    if (entry !== 0) {
      const found = (entry & this.mask) - 1;
      if (this.check) this.compare(found, code, a, b);
      return found;
    }
    /* Equal small residues in all lanes: the expression is an integer, whatever it looks like. */
    if (this.identity === 'algebraic' && (ARITY[code] === 2 || code === OP.neg)) {
      const integer = this.smallInteger();
      if (integer !== undefined) return this.constant(integer);
    }
    const weight = this.weight[a] + (ARITY[code] === 2 ? this.weight[b] : 0) + COST[code];
    this.structure = this.structureOf(code, a, b);
    return this.append(code, a, b, weight > MAX_WEIGHT ? MAX_WEIGHT : weight, slot);
  }

  private smallInteger(): number | undefined {
    const { h0, h1, h2 } = this;
    if (h0 < SMALL && h0 === h1 && h1 === h2) return h0;
    const n = P0 - h0;
    return n < SMALL && P1 - h1 === n && P2 - h2 === n ? -n : undefined;
  }

  private structureOf(code: number, a: number, b: number): number {
    const { op, hash } = this;
    const sa = hash[4 * a + 3];
    if (ARITY[code] === 1) return mix(mix(code, op[a]), sa);
    const sb = hash[4 * b + 3];
    /* A sum's (product's) hash adds up one word a term, so order and bracketing leave no trace. */
    if (ASSOCIATIVE[code] === 1)
      return ((op[a] === code ? sa : term(code, op[a], sa)) + (op[b] === code ? sb : term(code, op[b], sb))) | 0;
    if (COMMUTATIVE[code] === 1) return mix(code, (term(code, op[a], sa) + term(code, op[b], sb)) | 0);
    return mix(mix(mix(code, op[a]), sa), term(code, op[b], sb));
  }

  /**
   * The table slot that holds h0, h1, h2, or the empty one where they belong. An entry is id + 1 in the low bits and, in
   * the bits that ids do not need, a tag of the hash, so that a probe leaves the table only for a likely match.
   */
  private slot(): number {
    const { table, mask, hash, h0, h1, h2 } = this;
    const w = Math.imul(h0 ^ Math.imul(h1, 0x2c1b3c6d), 0x297a2d39) ^ Math.imul(h2, 0x85ebca6b);
    const tag = w & ~mask;
    for (let s = (w ^ (w >>> 15)) & mask; ; s = (s + 1) & mask) {
      const entry = table[s];
      if (entry === 0) {
        this.tag = tag;
        return s;
      }
      if ((entry & ~mask) !== tag) continue;
      const h = ((entry & mask) - 1) << 2;
      if (hash[h] === h0 && hash[h + 1] === h1 && hash[h + 2] === h2) return s;
    }
  }

  private append(code: number, a: number, b: number, weight: number, slot: number): number {
    const id = this.length++;
    this.op[id] = code;
    this.left[id] = a;
    this.right[id] = b;
    const h = 4 * id;
    this.hash[h] = this.h0;
    this.hash[h + 1] = this.h1;
    this.hash[h + 2] = this.h2;
    this.hash[h + 3] = this.structure;
    this.weight[id] = weight;
    if (slot >= 0) {
      if (this.table[slot] === 0) this.entries++;
      this.table[slot] = this.tag | (id + 1);
    }
    if (this.check) this.check[id] = this.fourthResidue(code, a, b);
    return id;
  }

  private compare(id: number, code: number, a: number, b: number): void {
    if (this.op[id] === OP.constant || this.check![id] === this.fourthResidue(code, a, b)) return;
    fail(
      'graph/collision',
      `two different expressions have one algebraic hash (node ${id} and a new ${scalarOps[code].name})`,
      {
        remedy: 'trace again with another seed',
      },
    );
  }

  private fourthResidue(code: number, a: number, b: number): number {
    const check = this.check!;
    switch (code) {
      case OP.variable:
        return residueOfWord(mix(mix(a, this.seed), 4), P3) || 1;
      case OP.constant:
        return Number.isFinite(this.constantValues[a]) ? residue(this.constantValues[a], 3) : 0;
      case OP.add:
        return this.identity === 'exact'
          ? mix(mix(code, check[a] ^ check[b]), check[a] + check[b])
          : wrap(check[a] + check[b], P3);
      case OP.mul:
        return this.identity === 'exact'
          ? mix(mix(code, check[a] ^ check[b]), check[a] + check[b])
          : mul3(check[a], check[b]);
      case OP.neg:
        return check[a] === 0 ? 0 : P3 - check[a];
      case OP.div:
        return this.identity === 'exact' || check[b] === 0
          ? mix(mix(code, check[a]), check[b])
          : mul3(check[a], inverse(check[b], 3));
      default: {
        if (ARITY[code] === 1) return residueOfWord(mix(code, check[a]), P3);
        if (COMMUTATIVE[code] === 1) return residueOfWord(mix(mix(code, check[a] ^ check[b]), check[a] + check[b]), P3);
        return residueOfWord(mix(mix(code, check[a]), check[b]), P3);
      }
    }
  }

  private requireHashes(): void {
    if (this.frozen)
      fail('graph/frozen', 'the expression graph is complete: it takes no more nodes and has no hashes', {
        remedy: 'build expressions inside the traced program, or in a graph of their own',
      });
  }

  /** Makes room for `n` nodes in all. */
  reserve(n: number): void {
    this.requireHashes();
    if (n > this.op.length) {
      if (n > MAX_NODES)
        fail('graph/too-large', `an expression graph holds at most ${MAX_NODES} nodes`, {
          remedy: 'split the program',
        });
      const capacity = Math.min(MAX_NODES, Math.max(n, 2 * this.op.length));
      this.op = grow(new Uint8Array(capacity), this.op);
      this.left = grow(new Int32Array(capacity), this.left);
      this.right = grow(new Int32Array(capacity), this.right);
      this.hash = grow(new Int32Array(4 * capacity), this.hash);
      this.weight = grow(new Uint32Array(capacity), this.weight);
      if (this.check) this.check = grow(new Int32Array(capacity), this.check);
    }
    /* Every node to come may enter the table. */
    const entries = this.entries + (n - this.length);
    if (entries > this.table.length * LOAD) this.rehash(entries);
    this.limit = Math.min(this.op.length, this.length + Math.floor(this.table.length * LOAD) - this.entries);
  }

  private rehash(entries: number): void {
    const old = this.table;
    const oldMask = this.mask;
    let size = old.length;
    while (entries > size * LOAD) size *= 2;
    this.table = new Int32Array(size);
    this.mask = size - 1;
    /* A node may be in the making. */
    const { h0, h1, h2, hash } = this;
    for (let s = 0; s < old.length; s++) {
      if (old[s] === 0) continue;
      const id = (old[s] & oldMask) - 1;
      this.h0 = hash[4 * id];
      this.h1 = hash[4 * id + 1];
      this.h2 = hash[4 * id + 2];
      const slot = this.slot();
      this.table[slot] = this.tag | (id + 1);
    }
    this.h0 = h0;
    this.h1 = h1;
    this.h2 = h2;
  }
}

/** Load factor at which the hash table doubles. */
const LOAD = 0.72;
const SMALL = 1 << 20;
const MAX_NODES = 2 ** 29 - 1;

const wrap = (x: number, p: number): number => (x >= p ? x - p : x);
const lower = (x: number, p: number): number => (x < 0 ? x + p : x);

/** The word that an operand adds to the structural hash of a sum or product. */
const term = (code: number, operandOp: number, structure: number): number => mix(mix(structure, operandOp), code);

const grow = <T extends Uint8Array | Int32Array | Uint32Array>(target: T, source: T): T => {
  target.set(source);
  return target;
};
