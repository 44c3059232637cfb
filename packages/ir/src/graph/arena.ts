import { option, type OptionSpec } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import { fail } from '../diagnostics/diagnostic.js';
import { ARITHMETICS, arithmeticOf, type Arithmetic } from './arithmetic.js';
import { ARITY, CONSTANT, NEG, VARIABLE } from './codes.js';
import { CollisionCheck } from './collision-check.js';
import { P0, P1, P2, mix, residue, residueOfWord } from './field.js';
import { NodeTable } from './node-table.js';
import { StructureTable } from './structure-table.js';

/** How a graph decides that two expressions are equal, and how much room it reserves. */
export interface GraphOptions {
  /**
   * How close results stay to those of the plain function; default `DEFAULT_ARITHMETIC`. It decides when two expressions
   * are one node. `algebraic`: when they have the same value at a random point, so that commuted, re-associated,
   * distributed and cancelled forms meet. Else only when they are the same operations up to the order of two operands,
   * so that no floating-point result can change.
   */
  readonly arithmetic?: Arithmetic;
  /** Expected number of nodes; storage grows beyond it. */
  readonly capacity?: number;
  /** Expected number of nodes that may be found again, which excludes most of what `dots` makes; default all. */
  readonly entries?: number;
  /** Seed of the random point; default fixed, so that runs repeat. */
  readonly seed?: number;
  /**
   * Keeps a fourth, independent residue a node and compares it wherever two expressions are taken for one; a mismatch
   * is the diagnostic `graph/collision`. Slower, for debugging; 4 more bytes a node.
   */
  readonly checkCollisions?: boolean;
  /** Memory that the nodes may take, in MB; more is the diagnostic `memory/limit`. Default: what there is. */
  readonly maxMB?: number;
}

/**
 * The memory of an expression graph: nodes in typed arrays, append-only and hash-consed, with its variables and constants. Per
 * node: op (1 byte), operands (8), three algebraic residues (12), and its share of the hash table. For a variable `left` is
 * its number, for a constant its place in the table of constants. Where operations count and nobody has asked for residues yet, nodes are found by
 * their operands, and have lists of readers (12 bytes) in place of residues.
 */
export abstract class NodeArena {
  readonly arithmetic: Arithmetic;
  /** Whether expressions of equal value over the reals are one node, not only those of equal operations. */
  readonly algebraic: boolean;
  /** Number of nodes. */
  length = 0;
  op: Uint8Array;
  left: Int32Array;
  right: Int32Array;
  /** The algebraic hash: three residues a node; of none before `needResidues`. */
  hash = new Int32Array(0);
  variableCount = 0;
  private frozen = false;
  private readonly constantValues: number[] = [];
  private readonly constantIds = new Map<number, number>();
  /* A map does not tell −0 from 0. */
  private negativeZero = -1;
  private readonly seed: number;
  private entered = new NodeTable(1, 1);
  /** Finds nodes as long as there are no residues. */
  protected structure: StructureTable | undefined;
  /* As `capacity` and `entries` of the options, of what is made when it is needed. */
  private readonly expected: number;
  private hasResidues = false;
  /* Variables `[waitingFrom, waitingTo)` are in no table yet. */
  private waitingFrom = 0;
  private waitingTo = 0;
  /** Number of nodes at which storage or table must grow. */
  protected limit: number;
  protected readonly check: CollisionCheck | undefined;
  /** Nodes that there may be. */
  private most: number;

  constructor(given?: GraphOptions) {
    const options = checkOptions('Graph', given, graphSpec);
    this.arithmetic = arithmeticOf(options.arithmetic);
    this.algebraic = this.arithmetic === 'algebraic';
    this.seed = options.seed ?? 0x5eed;
    this.most = Math.min(MAX_NODES, Math.max(64, Math.floor(((options.maxMB ?? Infinity) * 1e6) / BYTES_A_NODE)));
    const capacity = Math.min(this.most, Math.max(64, options.capacity ?? 1024));
    this.op = new Uint8Array(capacity);
    this.left = new Int32Array(capacity);
    this.right = new Int32Array(capacity);
    this.expected = Math.min(options.entries ?? capacity, capacity);
    this.limit = capacity;
    this.check = options.checkCollisions ? new CollisionCheck(this, this.seed, capacity) : undefined;
    if (this.algebraic || this.check) this.needResidues();
    /* The constants that hashes are most often found to equal (App. D, “constant expressions”). */
    for (const c of [0, 1, -1, 2]) this.constant(c);
  }

  /**
   * Ends the building of this graph and frees what only building needs, hashes included: more than half of its memory.
   * Making a new node or asking for a hash is an error from then on.
   */
  freeze(): void {
    this.frozen = true;
    this.waitingFrom = this.waitingTo;
    this.entered = new NodeTable(1, 1);
    this.structure = undefined;
    this.hash = new Int32Array(0);
    this.check?.free();
    this.limit = 0;
  }

  /** Bytes held, table included. */
  get bytes(): number {
    return (
      this.op.byteLength +
      this.left.byteLength +
      this.right.byteLength +
      this.hash.byteLength +
      this.entered.bytes +
      (this.structure?.bytes ?? 0)
    );
  }

  /** Makes `count` variables with consecutive numbers and consecutive ids; returns the id of the first. */
  variables(count: number): number {
    const first = this.length;
    this.reserve(first + count);
    if (first !== this.waitingTo) {
      if (this.hasResidues) this.enterWaiting();
      this.waitingFrom = first;
    }
    for (let id = first; id < first + count; id++) {
      this.append(VARIABLE, this.variableCount++, 0);
      if (this.hasResidues) this.leafResidues(id);
    }
    this.waitingTo = first + count;
    return first;
  }

  /** From now on nodes have residues and are found by them: where expressions meet that are made in other ways, or at a point. */
  protected needResidues(): void {
    if (this.hasResidues) return;
    this.requireHashes();
    const capacity = this.op.length;
    this.structure = undefined;
    this.hasResidues = true;
    this.hash = new Int32Array(3 * capacity);
    this.entered = new NodeTable(this.expected, capacity);
    const { length, waitingFrom, waitingTo } = this;
    for (let id = 0; id < length; id++)
      if (ARITY[this.op[id]] === 0) this.leafResidues(id);
      else this.operationResidues(id);
    /* Variables that were made last wait on; of two nodes that are alike by chance the first is found, as ever. */
    this.waitingTo = waitingFrom;
    const waiting = waitingTo === length ? waitingFrom : length;
    this.entered.grow(length, capacity, this.hash);
    this.enterFrom(0, waiting);
    [this.waitingFrom, this.waitingTo] = [waiting, length];
    this.limit = Math.min(capacity, length + this.entered.room - (length - waiting));
  }

  /** Residues of an operation, of those of its operands. */
  protected abstract operationResidues(id: number): void;

  /** Residues of a variable, by its number, or of a constant. */
  private leafResidues(id: number): void {
    const h = 3 * id;
    const { hash } = this;
    if (this.op[id] === VARIABLE) {
      const word = mix(this.left[id], this.seed);
      hash[h] = residueOfWord(mix(word, 1), P0) || 1;
      hash[h + 1] = residueOfWord(mix(word, 2), P1) || 1;
      hash[h + 2] = residueOfWord(mix(word, 3), P2) || 1;
      return;
    }
    const v = this.constantValue(id);
    let word = Object.is(v, -0) && !this.algebraic ? 14 : 0;
    if (!Number.isFinite(v)) word = Number.isNaN(v) ? 11 : v > 0 ? 12 : 13;
    hash[h] = word === 0 ? residue(v, 0) : residueOfWord(mix(word, 1), P0);
    hash[h + 1] = word === 0 ? residue(v, 1) : residueOfWord(mix(word, 2), P1);
    hash[h + 2] = word === 0 ? residue(v, 2) : residueOfWord(mix(word, 3), P2);
  }

  /** Finds nodes. Variables are entered when the first is looked for: matrices have many, and some programs look for none. */
  protected get table(): NodeTable {
    if (this.waitingFrom < this.waitingTo) this.enterWaiting();
    return this.entered;
  }

  private enterWaiting(): void {
    this.enterFrom(this.waitingFrom, this.waitingTo);
    this.waitingFrom = this.waitingTo;
  }

  /** Enters nodes that are in no table, those in `[first, behind)`. */
  private enterFrom(first: number, behind: number): void {
    const { entered, hash } = this;
    for (let from = first; from < behind; from += AT_ONCE) {
      const to = Math.min(from + AT_ONCE, behind);
      entered.glance(hash, hash, from, to - from);
      for (let id = from; id < to; id++) {
        const [h0, h1, h2] = [hash[3 * id], hash[3 * id + 1], hash[3 * id + 2]];
        const found = entered.find(hash, h0, h1, h2);
        if (found < 0) entered.enter(~found, id, h0, h1, h2);
        else entered.replace(found, id, h0, h1, h2);
      }
    }
  }

  variable(): number {
    return this.variables(1);
  }

  /** The node of a number. Over the reals −0 is 0. */
  constant(value: number): number {
    const v = value === 0 && this.algebraic ? 0 : value;
    const signed = Object.is(v, -0);
    const known = signed ? this.negativeZero : (this.constantIds.get(v) ?? -1);
    if (known >= 0) return known;
    if (this.length >= this.limit) this.reserve(this.length + 1);
    this.constantValues.push(v);
    const id = this.append(CONSTANT, this.constantValues.length - 1, 0);
    if (signed) this.negativeZero = id;
    else this.constantIds.set(v, id);
    if (!this.hasResidues) return id;
    this.leafResidues(id);
    const [h0, h1, h2] = [this.hash[3 * id], this.hash[3 * id + 1], this.hash[3 * id + 2]];
    const found = this.table.find(this.hash, h0, h1, h2);
    if (found < 0) this.table.enter(~found, id, h0, h1, h2);
    /* An expression found earlier to have this value gives way: whoever builds it again gets the number. */ else if (
      this.algebraic &&
      this.op[found] !== CONSTANT
    )
      this.table.replace(found, id, h0, h1, h2);
    return id;
  }

  isConstant(id: number): boolean {
    return this.op[id] === CONSTANT;
  }

  isVariable(id: number): boolean {
    return this.op[id] === VARIABLE;
  }

  /** The value of a constant node. */
  constantValue(id: number): number {
    return this.constantValues[this.left[id]];
  }

  /** The number of a variable node. */
  variableIndex(id: number): number {
    return this.left[id];
  }

  /** The algebraic hash as three residues: equal for expressions of equal value (§4.1.2). */
  algebraicHash(id: number): readonly [number, number, number] {
    this.requireHashes();
    this.needResidues();
    return [this.hash[3 * id], this.hash[3 * id + 1], this.hash[3 * id + 2]];
  }

  /** The node of an operation, found by its operands and made now if there is none: before there are residues. */
  protected internAsWritten(code: number, a: number, b: number): number {
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const { op } = this;
    const structure = (this.structure ??= new StructureTable(this, op.length));
    const unary = ARITY[code] === 1;
    const later = unary || a > b ? a : b;
    const earlier = unary ? 0 : a > b ? b : a;
    /* A constant may have any number of readers. */
    const swapped = !unary && op[later] === CONSTANT;
    const found = structure.find(code, a, b, swapped ? earlier : later, swapped ? later : earlier);
    if (found >= 0) return found;
    const id = this.append(code, a, b);
    structure.enter(id);
    return id;
  }

  /** The node with these residues, made now if there is none. */
  protected intern(code: number, a: number, b: number, h0: number, h1: number, h2: number): number {
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const found = this.table.find(this.hash, h0, h1, h2);
    if (found >= 0) {
      this.check?.compare(found, code, a, b);
      return found;
    }
    /* Equal small residues in all lanes: the expression is an integer, whatever it looks like. */
    if ((h0 < SMALL || h0 > P0 - SMALL) && this.algebraic && (ARITY[code] === 2 || code === NEG)) {
      const n = smallInteger(h0, h1, h2);
      if (n !== undefined) return this.constant(n);
    }
    const id = this.appendWith(code, a, b, h0, h1, h2);
    this.table.enter(~found, id, h0, h1, h2);
    return id;
  }

  /** From now on nobody finds this node: what equals it is made anew. */
  hide(id: number): void {
    this.needResidues();
    this.table.remove(this.hash, id);
  }

  /** Whether expressions are found by their residues alone: then a variable may stand for one whose operands are kept elsewhere. */
  get findsByResidues(): boolean {
    return this.check === undefined;
  }

  /** The node with these residues, or a variable of them, made now; −1 where they are those of a small integer. */
  protected variableOf(h0: number, h1: number, h2: number): number {
    if (this.length >= this.limit) this.reserve(this.length + 1);
    const found = this.table.find(this.hash, h0, h1, h2);
    if (found >= 0) return found;
    if (this.algebraic && (h0 < SMALL || h0 > P0 - SMALL) && smallInteger(h0, h1, h2) !== undefined) return -1;
    const id = this.appendWith(VARIABLE, this.variableCount++, 0, h0, h1, h2);
    this.table.enter(~found, id, h0, h1, h2);
    return id;
  }

  private append(code: number, a: number, b: number): number {
    const id = this.length++;
    this.op[id] = code;
    this.left[id] = a;
    this.right[id] = b;
    this.check?.enter(id);
    return id;
  }

  /** Appends a node with its residues. */
  protected appendWith(code: number, a: number, b: number, h0: number, h1: number, h2: number): number {
    const id = this.append(code, a, b);
    const h = 3 * id;
    this.hash[h] = h0;
    this.hash[h + 1] = h1;
    this.hash[h + 2] = h2;
    return id;
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
      if (n > this.most) this.tooMany();
      const capacity = Math.min(Math.floor(this.most), Math.max(n, 2 * this.op.length));
      this.op = grow(new Uint8Array(capacity), this.op);
      this.left = grow(new Int32Array(capacity), this.left);
      this.right = grow(new Int32Array(capacity), this.right);
      if (this.hasResidues) this.hash = grow(new Int32Array(3 * capacity), this.hash);
      this.structure?.grow(capacity);
      this.check?.grow(capacity);
    }
    if (!this.hasResidues) {
      this.limit = this.op.length;
      return;
    }
    /* Every node to come may enter the table. */
    const waiting = this.waitingTo - this.waitingFrom;
    this.entered.grow(n - this.length + waiting, this.op.length, this.hash);
    this.limit = Math.min(this.op.length, this.length + this.entered.room - waiting);
  }

  /** Counts memory that is kept beside the nodes, such as terms of sums, towards the given limit; less than none gives some back. */
  charge(bytes: number): void {
    if (this.most === MAX_NODES) return;
    this.most -= bytes / BYTES_A_NODE;
    if (this.length > this.most) this.tooMany();
  }

  private tooMany(): never {
    const limited = this.most < MAX_NODES;
    return fail(
      limited ? 'memory/limit' : 'graph/too-large',
      limited
        ? `the program has more than the ${Math.max(0, Math.floor(this.most))} expressions that the given limit of memory has room for`
        : `an expression graph holds at most ${MAX_NODES} nodes`,
      { remedy: `say loops over many alike as elements, split the program${limited ? ', or raise maxMB' : ''}` },
    );
  }
}

const SMALL = 1 << 20;

/** The integer with these residues, if it is a small one. */
const smallInteger = (h0: number, h1: number, h2: number): number | undefined => {
  if (h0 < SMALL && h0 === h1 && h1 === h2) return h0;
  const n = P0 - h0;
  return n < SMALL && P1 - h1 === n && P2 - h2 === n ? -n : undefined;
};

/** Nodes that a graph holds at most. */
export const MAX_NODES = 2 ** 29 - 1;
/** Variables whose places in the table are looked for together, so that the waits for memory overlap. */
const AT_ONCE = 64;
/* With the share of the table. */
const BYTES_A_NODE = 30;

const grow = <T extends Uint8Array | Int32Array>(target: T, source: T): T => {
  target.set(source);
  return target;
};

/** Nodes have ids of 31 bits. */
const MOST_NODES = 2 ** 31 - 1;

const graphSpec: OptionSpec<GraphOptions> = {
  arithmetic: option.choice(...ARITHMETICS),
  capacity: option.number(0, MOST_NODES),
  entries: option.number(0, MOST_NODES),
  seed: option.whole(Number.MIN_SAFE_INTEGER),
  checkCollisions: option.truth,
  maxMB: option.number(1),
};
