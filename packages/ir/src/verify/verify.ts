import { DiagnosticError, type Diagnostic, type Diagnostics, error } from '../diagnostics/diagnostic.js';
import { bufferMap } from '../dialects/mem.js';
import { terminatorOf, typesText } from '../dialects/define.js';
import { type OpTable, opTable } from '../dialects/op-table.js';
import type { Buffers, Dialect, OwnTypeDef } from '../kernel/dialect.js';
import type { Attr, Kernel, Op, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { type OwnType, type Type, isOwn, isScalarType, sameType, typeText } from '../kernel/type.js';
import { type Pass, pass } from '../pass/pass.js';
import { accessProblem } from './accesses.js';
import { controlProblem } from './control.js';
import { verifyBuffers } from './buffers.js';
import { isIdentifier } from './identifier.js';
import { verifyLayout } from './layout.js';

/**
 * What a well-formed module is. Passes take well-formed modules and leave well-formed modules; interpreter and backends
 * rely on every line of this.
 *
 * Names. Modules, buffers and kernels have names that are identifiers of C. No two buffers, and no two kernels, share one.
 *
 * Layouts. Nodes split different axes, into a whole number of cells from 1 along each; fields have names that are identifiers, each
 * its own.
 *
 * Buffers. A length is a non-negative integer. A const buffer has data: the typed array of its type, of its length. No other
 * buffer has any. A scratch buffer takes at most `SCRATCH_BYTES` and shares no memory.
 *
 * Values. Within a kernel an id is defined once: by a parameter, a region's parameter, or a result. A use names a value that
 * is visible: a parameter of the kernel or of a region around it, or a result of an earlier op in the same region or a
 * region around it. Values defined inside a region are not visible outside. A use has the type of the definition.
 * Parameters of kernels are scalars. Vectors have at least two lanes. A type of one's own is defined by one of the dialects given.
 *
 * Ops. The name is defined by one of the dialects given. Operand count and types, attributes and regions satisfy the op's
 * own definition, and its results have the types which that definition gives them. Attributes that begin with `@` name
 * buffers of the module.
 *
 * Regions. A terminator stands last or not at all. A kernel's body takes no parameters and ends in `scf.yield` without operands.
 *
 * All problems are reported, up to a hundred; each names kernel, op and types.
 *
 * @param isKnown kernels that were verified with these very buffers: they are not looked into again
 */
export const verifyModule = (
  module: Module,
  dialects: readonly Dialect[],
  isKnown: (kernel: Kernel) => boolean = () => false,
): Diagnostics => {
  const found: Diagnostic[] = [];
  const report: Report = (d) => void (found.length < 100 && found.push(d));
  const buffers = bufferMap(module.buffers);
  if (!isIdentifier(module.name))
    report(
      error('verify/name', `module name '${module.name}' is not an identifier`, {
        remedy: 'use letters, digits and _',
      }),
    );
  if (module.layout) verifyLayout(module.layout, report);
  verifyBuffers(module, report);
  const table = opTable(dialects);
  const ownTypes = new Map(dialects.flatMap(({ types = {} }) => Object.entries(types)));
  const kernels = new Set<string>();
  for (const kernel of module.kernels) {
    if (kernels.has(kernel.name))
      report(error('verify/duplicate-kernel', `two kernels are named @${kernel.name}`, { remedy: 'rename one' }));
    kernels.add(kernel.name);
    if (!isKnown(kernel)) new KernelVerifier(kernel, table, ownTypes, buffers, report).kernelBody();
  }
  return found;
};

/** The verifier as a pass: the module itself, or what is wrong with it. */
export const verify = (dialects: readonly Dialect[]): Pass<Module> =>
  pass('verify', (module) => {
    const problems = verifyModule(module, dialects);
    if (problems.length > 0) throw new DiagnosticError(problems);
    return module;
  });

type Report = (d: Diagnostic) => void;

class KernelVerifier {
  /** Types of the values that are visible at the op at hand. */
  private readonly visible = new Map<number, Type>();
  private readonly defined = new Set<number>();

  constructor(
    private readonly kernel: Kernel,
    private readonly table: OpTable,
    private readonly ownTypes: ReadonlyMap<string, OwnTypeDef>,
    private readonly buffers: Buffers,
    private readonly report: Report,
  ) {}

  kernelBody(): void {
    const { kernel } = this;
    if (!isIdentifier(kernel.name))
      this.problem('name', undefined, 'the name is not an identifier', 'use letters, digits and _');
    for (const p of kernel.params) {
      this.define(p, undefined);
      if (typeof p.type !== 'string')
        this.problem(
          'type',
          undefined,
          `parameter ${valueText(p)} is ${typeText(p.type)}`,
          'pass scalars; arrays are buffers',
        );
    }
    if (kernel.body.params.length > 0)
      this.problem('region', undefined, 'the body has parameters', `declare them as the kernel's`);
    this.region(kernel.body);
    const last = terminatorOf(kernel.body);
    if (last?.name !== 'scf.yield' || last.operands.length > 0)
      this.problem('terminator', last, 'the body must end in scf.yield without operands', 'add scf.yield at the end');
  }

  private region(region: Region): void {
    const mine: number[] = [];
    const define = (v: Value, op: Op | undefined): void => {
      if (this.define(v, op)) mine.push(v.id);
    };
    region.params.forEach((p) => define(p, undefined));
    region.ops.forEach((op, i) => {
      this.op(op, i === region.ops.length - 1);
      op.results.forEach((r) => define(r, op));
    });
    for (const id of mine) this.visible.delete(id);
  }

  private op(op: Op, last: boolean): void {
    for (const v of op.operands) this.use(v, op);
    for (const inner of op.regions) this.region(inner);
    const def = this.table.get(op.name);
    if (!def)
      return this.problem(
        'unknown-op',
        op,
        'no dialect given defines this op',
        'check the spelling, or pass its dialect',
      );
    const unknown = buffersNamed(op).find((name) => !this.buffers.has(name));
    if (unknown !== undefined)
      return this.problem('unknown-buffer', op, `there is no buffer @${unknown}`, 'declare it in the module');
    if (def.traits.terminator === true && !last)
      this.problem('terminator', op, 'a terminator stands before other ops', 'move it to the end');
    const problems = def.verify(op, this.buffers);
    for (const message of problems) this.problem('op', op, message, 'give the op what its definition asks for');
    if (problems.length > 0 || def.traits.constant === true) return;
    const touched = def.accesses && accessProblem(op, def.accesses(op), def.effects(op));
    if (touched !== undefined)
      this.problem('access', op, touched, `let \`accesses\` and \`effects\` of the op's definition say the same`);
    const said = op.regions.length > 0 && def.control ? controlProblem(op, def.control(op)) : undefined;
    if (said !== undefined)
      this.problem('control', op, said, `let \`control\` and \`verify\` of the op's definition say the same`);
    const expected = def.resultTypes(op.operands, op.attrs, op.regions, this.buffers);
    const given = op.results.map((r) => r.type);
    if (expected.length !== given.length || !expected.every((t, i) => sameType(t, given[i])))
      this.problem(
        'result-type',
        op,
        `results are ${typesText(given)}, expected ${typesText(expected)}`,
        expected.length === 0 ? 'give it no results' : `give it results of ${typesText(expected)}`,
      );
  }

  private use(v: Value, op: Op): void {
    const type = this.visible.get(v.id);
    if (type === undefined) {
      const why = this.defined.has(v.id) ? 'is used where its definition is not visible' : 'is not defined';
      this.problem(
        'undefined-value',
        op,
        `${valueText(v)} ${why}`,
        'define values before use, in the same region or one around it',
      );
    } else if (!sameType(type, v.type)) {
      this.problem(
        'value-type',
        op,
        `${valueText(v)} is used as ${typeText(v.type)}, it is defined as ${typeText(type)}`,
        'use it with its own type, or cast it first',
      );
    }
  }

  private define(v: Value, op: Op | undefined): boolean {
    if (isOwn(v.type)) this.ownType(v.type, v, op);
    else if (!wellFormed(v.type))
      this.problem(
        'type',
        op,
        `${valueText(v)} has type ${typeText(v.type)}`,
        'vectors have two lanes or more of a scalar type',
      );
    if (this.defined.has(v.id)) {
      this.problem('duplicate-value', op, `${valueText(v)} is defined twice`, 'give every value an id of its own');
      return false;
    }
    this.defined.add(v.id);
    this.visible.set(v.id, v.type);
    return true;
  }

  private ownType(type: OwnType, v: Value, op: Op | undefined): void {
    const def = this.ownTypes.get(type.own);
    if (!def)
      this.problem(
        'type',
        op,
        `${valueText(v)} has type ${typeText(type)}, which no dialect defines`,
        'give the dialect that brings it',
      );
    for (const message of def?.verify?.(type.args) ?? [])
      this.problem('type', op, `${valueText(v)} has type ${typeText(type)}: ${message}`);
  }

  private problem(what: string, op: Op | undefined, message: string, remedy?: string): void {
    const subject = op ? `${op.name}(${op.operands.map((v) => typeText(v.type)).join(', ')}): ` : '';
    this.report(error(`verify/${what}`, `kernel @${this.kernel.name}: ${subject}${message}`, { loc: op?.loc, remedy }));
  }
}

const wellFormed = (t: Exclude<Type, OwnType>): boolean =>
  typeof t === 'string' ? isScalarType(t) : isScalarType(t.of) && Number.isInteger(t.lanes) && t.lanes >= 2;

const valueText = (v: Value): string => (v.hint === undefined ? `%${v.id}` : `%${v.hint} (id ${v.id})`);

const buffersNamed = (op: Op): readonly string[] => {
  const out: string[] = [];
  const visit = (a: Attr): void => {
    if (typeof a === 'string' && a.startsWith('@')) out.push(a.slice(1));
    else if (Array.isArray(a)) (a as readonly Attr[]).forEach(visit);
  };
  Object.values(op.attrs).forEach(visit);
  return out;
};
