import { scalarOp } from '../scalar/scalar-op.js';
import type { Graph } from './graph.js';
import { differenceOf, negativeOf, operationOf } from './residues.js';
import { SUB, Sym } from './symbol.js';

const SELECT = scalarOp('select').code;
const ARMS = scalarOp('arms').code;

/** Operations that are looked for together: enough for waits to overlap, few enough to stay in the nearest cache. */
const BATCH = 256;
/** How far a program that repeats itself may skip nodes that it made the first time. */
const SKIPPED = 4;
/** New operations in a row after which it is not taken to repeat itself any more. */
const NEWS = 8;

/**
 * Operations on symbols that wait to become nodes of a graph. Each must be looked for in the graph's table, which is larger
 * than any cache, so that one operation after another would wait for memory. On the tape the residues of a batch are worked
 * out first, from those of the operands; then the table is asked for all of them at once; then the nodes are made one by one
 * in the order noted: the graph is what it would be without a tape.
 *
 * A program that computes again what it has computed, as when it calls a function twice, goes through its nodes again in
 * order. That is noticed, and the next operation is then compared with the next nodes, which spares the table.
 *
 * An operand's place is a node, or below zero ~k for operation k on the tape.
 */
export class Tape {
  private length = 0;
  private readonly code = new Uint8Array(BATCH);
  private readonly left = new Int32Array(BATCH);
  private readonly right = new Int32Array(BATCH);
  private readonly condition = new Int32Array(BATCH);
  private readonly symbols: Sym[] = [];
  /* The node of an operation that is known to exist, else −1 and where its residues stand. */
  private readonly node = new Int32Array(BATCH);
  private readonly row = new Int32Array(BATCH);
  /* Whether the residues worked out for an operation are those of its node: not where it folded to something else. */
  private readonly guessed = new Uint8Array(BATCH);
  private surprised = false;
  /* Three words each, of operations and of further nodes that they need. */
  private readonly residues = new Int32Array(3 * 2 * BATCH);
  private rows = 0;
  /* The node after the one that was found last, while the program repeats itself; else −1. */
  private next = -1;
  /* New operations since then. */
  private news = 0;

  constructor(private readonly graph: Graph) {}

  /** The symbol of an operation; of `select` the operands are the arms. */
  note(code: number, a: number, b = 0, condition = 0): Sym {
    const { graph } = this;
    if (!graph.looksAhead) return new Sym(graph, this.makeNow(code, a, b, condition));
    const k = this.length++;
    this.code[k] = code;
    this.left[k] = a;
    this.right[k] = b;
    this.condition[k] = condition;
    const symbol = new Sym(graph, ~k);
    this.symbols[k] = symbol;
    if (this.length === BATCH) this.settle();
    return symbol;
  }

  /** The node of a number. A new one waits for what was noted before it. */
  constant(value: number): number {
    const known = this.graph.knownConstant(value);
    if (known >= 0) return known;
    this.settle();
    return this.graph.constant(value);
  }

  /** The operation at a place. */
  operationAt(place: number): number {
    return place < 0 ? this.code[~place] : this.graph.op[place];
  }

  /** Makes nodes of all that was noted. */
  settle(): void {
    const { graph, length, symbols, node, guessed } = this;
    this.length = 0;
    this.rows = 0;
    for (let k = 0; k < length; k++) {
      node[k] = this.next < 0 ? -1 : this.repeated(k);
      if (node[k] >= 0) continue;
      this.workOut(k);
      if (this.next >= 0) node[k] = this.resumed(k);
    }
    graph.lookAhead(this.residues, this.rows);
    let last = -1;
    let before = -1;
    for (let k = 0; k < length; k++) {
      const made = graph.length;
      const found = node[k] >= 0;
      /* A number that was made meanwhile may have taken the place of an expression, and what follows knew the latter. */
      if (found && !graph.isEntered(node[k])) this.surprised = true;
      if (!found || this.surprised) node[k] = this.make(k);
      symbols[k].place = node[k];
      guessed[k] = found || graph.hasResidues(node[k], this.residues, this.row[k]) ? 1 : 0;
      before = last;
      last = node[k] < made ? node[k] : -1;
    }
    this.surprised = false;
    if (this.next < 0 && before >= 0 && last > before && last <= before + 1 + SKIPPED) {
      this.next = last + 1;
      this.news = 0;
    }
  }

  /** The node of a place, −1 where it is still to be made. */
  private nodeAt(place: number): number {
    return place < 0 ? this.node[~place] : place;
  }

  /** The node of operation k if it is one of the next nodes, else −1. */
  private repeated(k: number): number {
    const { graph, next } = this;
    const code = this.code[k];
    const a = this.nodeAt(this.left[k]);
    const b = this.nodeAt(this.right[k]);
    if (a < 0 || b < 0 || code === SELECT) return -1;
    for (let id = next; id <= next + SKIPPED && id < graph.length; id++) {
      if (!(code === SUB ? graph.isDifference(id, a, b) : graph.isOperation(id, code, a, b))) continue;
      if (!graph.isEntered(id)) return -1;
      this.next = id + 1;
      this.news = 0;
      return id;
    }
    return -1;
  }

  /** The node of operation k where a repetition goes on elsewhere, after what the program does not compute again; else −1. */
  private resumed(k: number): number {
    const { graph } = this;
    const a = this.nodeAt(this.left[k]);
    const b = this.nodeAt(this.right[k]);
    const known = a < 0 || b < 0 || graph.mayFold(a, b) ? -1 : graph.search(this.residues, this.row[k]);
    if (known >= 0) {
      this.next = known + 1;
      this.news = 0;
    } else if (++this.news > NEWS) this.next = -1;
    return known;
  }

  /** The residues of operation k, and of a further node that it may need. */
  private workOut(k: number): void {
    const { graph, residues } = this;
    const code = this.code[k];
    const a = this.nodeAt(this.left[k]);
    const b = this.nodeAt(this.right[k]);
    const x = a < 0 ? residues : graph.hash;
    const y = b < 0 ? residues : graph.hash;
    const i = a < 0 ? this.row[~this.left[k]] : 3 * a;
    const j = b < 0 ? this.row[~this.right[k]] : 3 * b;
    const o = 3 * this.rows++;
    this.row[k] = o;
    if (code === SUB) {
      differenceOf(residues, o, x, i, y, j);
      negativeOf(residues, 3 * this.rows++, y, j);
    } else if (code === SELECT) {
      const arms = 3 * this.rows++;
      const c = this.nodeAt(this.condition[k]);
      operationOf(residues, arms, ARMS, false, x, i, y, j);
      if (c < 0) operationOf(residues, o, SELECT, false, residues, this.row[~this.condition[k]], residues, arms);
      else operationOf(residues, o, SELECT, false, graph.hash, 3 * c, residues, arms);
    } else graph.residuesOf(residues, o, code, x, i, y, j);
  }

  /** Makes the node of operation k, by its residues if they are right. */
  private make(k: number): number {
    const code = this.code[k];
    const a = this.nodeAt(this.left[k]);
    const b = this.nodeAt(this.right[k]);
    const sure = !this.surprised && this.isSure(this.left[k]) && this.isSure(this.right[k]);
    return code === SUB || code === SELECT || !sure
      ? this.makeNow(code, a, b, this.nodeAt(this.condition[k]))
      : this.graph.applyKnowing(code, a, b, this.residues, this.row[k]);
  }

  /** Whether what stands at a place has the residues that were taken for it. */
  private isSure(place: number): boolean {
    return place >= 0 || this.guessed[~place] === 1;
  }

  private makeNow(code: number, a: number, b: number, condition: number): number {
    const { graph } = this;
    if (code === SUB) return graph.sub(a, b);
    return code === SELECT ? graph.select(condition, a, b) : graph.apply(code, a, b);
  }
}
