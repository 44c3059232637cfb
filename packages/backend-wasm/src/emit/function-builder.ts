import type { Expr, Local, Scope } from './expr.js';
import type { WasmType } from './wasm-type.js';

/** A place for a value that is used once: an expression until it is used, or a local if a store came before that. */
export interface Cell {
  expr: Expr | undefined;
  local: Local | undefined;
}

/** Beyond this many instructions an expression gets a local, so that neither lines nor parsers grow without bound. */
const longestExpression = 16;

/** With more locals than this, names given by people are dropped in favour of pooled ones. WebAssembly allows 50,000. */
const mostNamedLocals = 2000;

/** Writes the text of one function: lines, structured blocks, and locals that are reused as soon as they are free. */
export class FunctionBuilder {
  private readonly lines: string[] = [];
  private readonly declared: Local[] = [];
  private readonly names = new Map<string, number>();
  private readonly pool = new Map<WasmType, Local[]>();
  private readonly waiting = new Set<Cell>();
  private scopes: Scope[] = [{ owned: [], dead: [] }];
  private depth = 2;
  private labels = 0;

  /** A local that holds a value with `uses` reads to come (`Infinity`: until its scope ends). */
  local(type: WasmType, uses: number, hint?: string): Local {
    const scope = this.scope;
    const free = hint === undefined ? this.pool.get(type)?.pop() : undefined;
    const local = free ?? this.declare(type, hint);
    local.uses = uses;
    local.held = 0;
    local.scope = scope;
    scope.owned.push(local);
    return local;
  }

  /** A read of a local. */
  get(local: Local): Expr {
    local.uses--;
    local.held++;
    return { type: local.type, text: `(local.get ${local.name})`, size: 1, loads: false, locals: [local] };
  }

  /** Assigns to a local. */
  set(local: Local, value: Expr): void {
    this.write(`(local.set ${local.name} ${value.text})`);
    this.release(value);
  }

  /** Assigns to several locals at once: all values are read before the first local changes. */
  setAll(locals: readonly Local[], values: readonly Expr[]): void {
    const moves = locals.flatMap((local, k) =>
      values[k].text === `(local.get ${local.name})` ? [] : [{ local, value: values[k] }],
    );
    if (moves.length === 1) this.write(`(local.set ${moves[0].local.name} ${moves[0].value.text})`);
    else {
      for (const { value } of moves) this.write(value.text);
      for (const { local } of [...moves].reverse()) this.write(`(local.set ${local.name})`);
    }
    for (const value of values) this.release(value);
  }

  /** A statement. */
  statement(e: Expr): void {
    this.write(e.text);
    this.release(e);
  }

  /** The same value `count` times: constants and locals are repeated, anything else is kept in a local. */
  share(e: Expr, count: number): readonly Expr[] {
    if (e.constant !== undefined || (e.locals.length === 0 && e.size === 1 && !e.loads))
      return new Array<Expr>(count).fill(e);
    if (e.size === 1 && e.locals.length === 1) {
      e.locals[0].held += count - 1;
      return new Array<Expr>(count).fill(e);
    }
    if (count === 1) return [e];
    const local = this.local(e.type, count);
    this.set(local, e);
    return Array.from({ length: count }, () => this.get(local));
  }

  /** Forgets an expression that will not be written. */
  release(e: Expr): void {
    for (const local of e.locals) {
      local.held--;
      this.freeIfDead(local);
    }
  }

  /** A place for a value that is used once, in this region. */
  cell(e: Expr): Cell {
    const cell: Cell = { expr: e, local: undefined };
    if (e.size > longestExpression) this.spill(cell);
    else if (e.loads || e.type === 'v128') this.waiting.add(cell);
    return cell;
  }

  /** The value of a cell, which is then empty. */
  take(cell: Cell): Expr {
    this.waiting.delete(cell);
    return cell.expr ?? this.get(cell.local as Local);
  }

  /** Carries out all loads that wait in cells: memory is about to change, or control to branch. */
  settleLoads(): void {
    this.settle((e) => e.loads);
  }

  /**
   * Computes all that waits and is the last to read a vector: one more is about to be held. Engines compile in the order of the
   * text, and keep in registers what is still to be read.
   */
  settleVectors(): void {
    this.settle(({ locals }) => locals.some((l) => l.type === 'v128' && l.uses === 0));
  }

  private settle(wanted: (e: Expr) => boolean): void {
    for (const cell of this.waiting)
      if (wanted(cell.expr as Expr)) {
        this.waiting.delete(cell);
        this.spill(cell);
      }
  }

  /** Opens a structured block, such as `(loop $l1` or `(if condition`. Locals made in it are free when it closes. */
  open(head: string, ...operands: readonly Expr[]): void {
    this.write([head, ...operands.map((e) => e.text)].join(' '));
    for (const e of operands) this.release(e);
    this.depth++;
    this.scopes.push({ owned: [], dead: [] });
  }

  /** Closes the block and frees its locals. */
  close(): void {
    this.depth--;
    this.write(')');
    const ended = this.scopes.pop() as Scope;
    for (const local of ended.owned) if (local.scope === ended) this.free(local);
    for (const local of this.scope.dead.splice(0)) this.freeIfDead(local);
  }

  /** A line of text as it is. */
  write(line: string): void {
    this.lines.push('  '.repeat(this.depth) + line);
  }

  /** Says how many reads of a local are still to come, once its last assignment is written. */
  retire(local: Local, uses: number): void {
    local.uses = uses;
    this.freeIfDead(local);
  }

  /** A parameter of the function. */
  parameter(type: WasmType, hint: string): Local {
    return { name: this.uniqueName(hint), type, uses: Infinity, held: 0, pooled: false, scope: this.scope };
  }

  /** A name for a loop to branch to. */
  label(): string {
    return `$l${this.labels++}`;
  }

  /** The function's text, from its head such as `(func $f (param $n i32)`. */
  finish(head: string): string {
    const declared = this.declared.map((l) => `(local ${l.name} ${l.type})`);
    const rows: string[] = [];
    for (let k = 0; k < declared.length; k += 8) rows.push('    ' + declared.slice(k, k + 8).join(' '));
    return [`  ${head}`, ...rows, ...this.lines, '  )'].join('\n');
  }

  /** The instructions written so far, roughly. */
  get size(): number {
    return this.lines.length;
  }

  /** A name for a local or parameter that no other has. */
  uniqueName(hint: string): string {
    const clean = hint.replace(/[^A-Za-z0-9_.]/g, '_');
    const count = this.names.get(clean) ?? 0;
    this.names.set(clean, count + 1);
    return count === 0 ? `$${clean}` : this.uniqueName(`${clean}_${count}`);
  }

  private get scope(): Scope {
    return this.scopes[this.scopes.length - 1];
  }

  private declare(type: WasmType, hint: string | undefined): Local {
    const named = hint !== undefined && this.declared.length < mostNamedLocals;
    const name = this.uniqueName(named ? hint : 't');
    const local: Local = { name, type, uses: 0, held: 0, pooled: !named, scope: this.scope };
    this.declared.push(local);
    return local;
  }

  private spill(cell: Cell): void {
    const e = cell.expr as Expr;
    const local = this.local(e.type, 1);
    this.set(local, e);
    cell.expr = undefined;
    cell.local = local;
  }

  private freeIfDead(local: Local): void {
    if (local.uses > 0 || local.held > 0) return;
    if (local.scope === this.scope) this.free(local);
    else local.scope.dead.push(local);
  }

  private free(local: Local): void {
    if (!local.pooled || local.uses === Number.NEGATIVE_INFINITY) return;
    local.uses = Number.NEGATIVE_INFINITY;
    const free = this.pool.get(local.type);
    if (free) free.push(local);
    else this.pool.set(local.type, [local]);
  }
}
