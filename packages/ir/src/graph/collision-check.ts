import { fail } from '../diagnostics/diagnostic.js';
import { scalarOps } from '../scalar/scalar-op.js';
import { ADD, ARITY, COMMUTATIVE, CONSTANT, DIV, MUL, NEG, VARIABLE } from './codes.js';
import { P3, inverse, mix, mul3, residue, residueOfWord, wrap } from './field.js';

/** What it needs of a graph. */
interface Nodes {
  readonly algebraic: boolean;
  readonly op: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  constantValue(id: number): number;
}

/**
 * A fourth residue of every node of a graph, independent of the three that it is found by: where two expressions are
 * taken for one and these differ, the three agree by chance.
 */
export class CollisionCheck {
  private residues: Int32Array;

  constructor(
    private readonly graph: Nodes,
    private readonly seed: number,
    capacity: number,
  ) {
    this.residues = new Int32Array(capacity);
  }

  /** Keeps the residue of a new node. */
  enter(id: number): void {
    const { op, left, right } = this.graph;
    if (op[id] === VARIABLE) this.residues[id] = residueOfWord(mix(mix(left[id], this.seed), 4), P3) || 1;
    else if (op[id] === CONSTANT) {
      const value = this.graph.constantValue(id);
      this.residues[id] = Number.isFinite(value) ? residue(value, 3) : 0;
    } else this.residues[id] = this.residueOf(op[id], left[id], right[id]);
  }

  /** Fails if an operation that was taken for node `id` has another residue. */
  compare(id: number, code: number, a: number, b: number): void {
    if (this.graph.op[id] === CONSTANT || this.residues[id] === this.residueOf(code, a, b)) return;
    fail(
      'graph/collision',
      `two different expressions have one algebraic hash (node ${id} and a new ${scalarOps[code].name})`,
      {
        remedy: 'trace again with another seed',
      },
    );
  }

  grow(capacity: number): void {
    const wider = new Int32Array(capacity);
    wider.set(this.residues);
    this.residues = wider;
  }

  free(): void {
    this.residues = new Int32Array(0);
  }

  private residueOf(code: number, a: number, b: number): number {
    const { graph, residues } = this;
    const x = residues[a];
    const y = residues[b];
    const unordered = (): number => mix(mix(code, x ^ y), x + y);
    switch (code) {
      case ADD:
        return !graph.algebraic ? unordered() : wrap(x + y, P3);
      case MUL:
        return !graph.algebraic ? unordered() : mul3(x, y);
      case NEG:
        return x === 0 ? 0 : P3 - x;
      case DIV:
        return !graph.algebraic || y === 0 ? mix(mix(code, x), y) : mul3(x, inverse(y, 3));
      default: {
        if (ARITY[code] === 1) return residueOfWord(mix(code, x), P3);
        if (COMMUTATIVE[code] === 1) return residueOfWord(unordered(), P3);
        return residueOfWord(mix(mix(code, x), y), P3);
      }
    }
  }
}
