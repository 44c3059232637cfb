import * as backend from '@filigree/backend';
import * as native from '@filigree/backend/native';
import * as cpp from '@filigree/backend-cpp';
import * as wasm from '@filigree/backend-wasm';
import * as conformance from '@filigree/conformance';
import * as ir from '@filigree/ir';
import { DiagnosticError, type Diagnostics } from '@filigree/ir';
import * as lang from '@filigree/lang';
import * as plugin from '@filigree/lang/plugin';
import * as opt from '@filigree/opt';
import * as quant from '@filigree/quant';
import * as runtime from '@filigree/runtime';
import { fieldPipeline } from '@filigree/runtime/pipeline';
import * as sparse from '@filigree/sparse';
import * as specialize from '@filigree/specialize';
import * as tensor from '@filigree/tensor';
import * as filigree from 'filigree';
import { describe, expect, it } from 'vitest';
import { functionsWithOptions } from './public-options.js';

const packages: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  backend,
  'backend-cpp': cpp,
  'backend-wasm': wasm,
  conformance,
  filigree,
  ir,
  lang: { ...lang, ...plugin },
  opt,
  quant,
  runtime: { ...runtime, fieldPipeline },
  sparse,
  specialize,
  tensor,
};

/* What the functions take before their options; none of it is reached where the options are wrong. */
const u = sparse.field('u', 'f32');
const tree = sparse.layout(sparse.dense(sparse.i, 8).place(u));
const storage = sparse.storageOf(tree);
const module: ir.Module = { name: 'm', buffers: [], kernels: [], attrs: {} };
const pattern = sparse.identityPattern(2);
const matrix = { pattern, values: Float64Array.of(1, 2) };
const decl = filigree.declareKernel('C[ij] = A[ik]*B[kj]', { shapes: { A: [2, 2], B: [2, 2] } });
const interpreter = { name: 'none', capabilities: {}, legalize: {}, emit: {}, probe: {} } as unknown as backend.Backend;
const language = { name: 'cpp', language: 'cpp', standard: '-std=gnu++2a', dialect: cpp.cppDialect } as const;
const term = tensor.tensor('A', [2, 2])('ij');
const expression = { kind: 'name' } as never;
const traced = { inputs: { x: 2 }, run: ({ x }: { readonly x: never }) => ({ y: x }) } as never;
const builder = { value: () => undefined } as never;

/** How each public function is called with options. Of a new function the test below says that it is missing here. */
const calls: Readonly<Record<string, (options: never) => unknown>> = {
  'backend.emitKernel': (o) =>
    backend.emitKernel(
      module,
      ir.buildKernel('k', {}, () => {}),
      'k',
      cpp.cppDialect,
      o,
    ),
  'native.findToolchain': (o) => native.findToolchain(o)(),
  'native.runProcess': (o) => native.runProcess('true', [], o),
  'backend-cpp.cpp': (o) => cpp.cpp(o),
  'backend-cpp.nativeBackend': (o) => cpp.nativeBackend(language, o),
  'backend-wasm.wasm': (o) => wasm.wasm(o),
  'conformance.conformance': (o) => conformance.conformance(interpreter, o),
  'filigree.ablateFields': (o) => filigree.ablateFields([], o),
  'filigree.compile': (o) => filigree.compile(traced, o),
  'filigree.compileExpression': (o) => filigree.compileExpression('A', { A: matrix }, o),
  'filigree.compilePlans': (o) => filigree.compilePlans([], o),
  'filigree.compileTensors': (o) => filigree.compileTensors([decl], o),
  'filigree.cppProject': (o) => filigree.cppProject([decl], o),
  'filigree.declareKernel': (o) => filigree.declareKernel('C[ij] = A[ik]*B[kj]', o),
  'filigree.einsum': (o) => filigree.einsum('C[ij] = A[ik]*B[kj]', o),
  'filigree.measurePeak': (o) => filigree.measurePeak('f64', o),
  'filigree.openMemory': (o) => filigree.openMemory(o),
  'filigree.peakMeter': (o) => filigree.peakMeter('f64', o),
  'filigree.program': (o) => filigree.program({ layout: tree, kernels: {}, ...plain(o) }),
  'filigree.quantSearch': (o) =>
    filigree.quantSearch({
      layout: tree,
      kernels: {},
      inputs: () => {},
      launch: () => {},
      outputs: [u],
      error: 1,
      ...plain(o),
    }),
  'filigree.readMatrix': (o) => filigree.readMatrix(new Uint8Array(), o),
  'filigree.readMatrixFile': (o) => filigree.readMatrixFile('none', o),
  'filigree.session': (o) => filigree.session(o),
  'ir.buildKernel': (o) => ir.buildKernel('k', {}, () => {}, [], o),
  'ir.Graph': (o) => new ir.Graph(o),
  'ir.interpret': (o) => ir.interpret(module, ir.coreDialects, {}, o),
  'ir.parsePipeline': (o) => ir.parsePipeline('', {}, o),
  'ir.pipeline': (o) => ir.pipeline([], o),
  'ir.printGraph': (o) => ir.printGraph(new ir.Graph(), o),
  'ir.rewriteGreedily': (o) =>
    ir.rewriteGreedily(
      ir.buildKernel('k', {}, () => {}),
      ir.coreDialects,
      [],
      [],
      o,
    ),
  'ir.rewriteOps': (o) =>
    ir.rewriteOps(
      ir.buildKernel('k', {}, () => {}),
      ir.coreDialects,
      () => undefined,
      [],
      o,
    ),
  'ir.runFilTest': (o) => ir.runFilTest({ file: 't', source: '', runs: [], errors: [] } as never, o),
  'lang.filigreeEsbuild': (o) => plugin.filigreeEsbuild(o),
  'lang.filigreeRollup': (o) => plugin.filigreeRollup(o),
  'lang.filigreeVite': (o) => plugin.filigreeVite(o),
  'lang.kernel': (o) => lang.kernel([u], o, () => {}),
  'lang.lowerKernel': (o) =>
    lang.lowerKernel(
      lang.kernel([u], () => {}),
      tree,
      [],
      o,
    ),
  'lang.lowerKernels': (o) => lang.lowerKernels({}, tree, 'kernels', [], o),
  'lang.solveConjugateGradients': (o) => lang.solveConjugateGradients({} as never, o),
  'lang.sparseGrid': (o) => lang.sparseGrid([4], 0, o),
  'lang.symbolic': (o) => lang.symbolic((x: number) => x, o),
  'lang.transform': (o) => plugin.transform('', 'a.js', o),
  'opt.defaultPipeline': (o) => opt.defaultPipeline(o),
  'runtime.evaluateRegionsInParallel': (o) => runtime.evaluateRegionsInParallel({} as never, {}, o)(),
  'runtime.fieldPipeline': (o) => fieldPipeline(storage, o),
  'runtime.fieldProgram': (o) => runtime.fieldProgram(storage, module, {}, o)(),
  'runtime.gradient': (o) => runtime.gradient({} as never, () => {}, o),
  'runtime.hostStep': (o) => runtime.hostStep({} as never, o),
  'runtime.instantiate': (o) => runtime.instantiate(module, interpreter, o)(),
  'runtime.openMemory': (o) => runtime.openMemory(wasm.wasm(), o)(),
  'runtime.program': (o) => runtime.program(o)(),
  'runtime.session': (o) => runtime.session(wasm.wasm(), o)(),
  'runtime.solveStep': (o) => runtime.solveStep({} as never, o as never),
  'runtime.steps': (o) => runtime.steps({} as never, 1, () => {}, o),
  'runtime.valueAndGradient': (o) => runtime.valueAndGradient({} as never, () => {}, o),
  'runtime.valueAndTangent': (o) => runtime.valueAndTangent({} as never, () => {}, o),
  'runtime.hessianProduct': (o) => runtime.hessianProduct({} as never, () => {}, o),
  'sparse.buildCell': (o) => sparse.buildCell(builder, tree, 0, [], o),
  'sparse.buildCellPath': (o) => sparse.buildCellPath(builder, tree, 0, [], o),
  'sparse.buildContainer': (o) => sparse.buildContainer(builder, tree, 1, [], o),
  'sparse.field': (o) => sparse.field('u', 'f32', o),
  'sparse.fields': (o) => sparse.fields('f32', sparse.i, ['u'], o),
  'sparse.hash': (o) => sparse.hash(sparse.i, 4, o),
  'sparse.lowerAccess': (o) => sparse.lowerAccess(storage, o),
  'quant.fixed': (o) => quant.fixed(8, 1, o),
  'quant.float': (o) => quant.float(5, 10, o),
  'quant.int': (o) => quant.int(8, o),
  'quant.quantPasses': (o) => quant.quantPasses(storage, o),
  'sparse.lowerFields': (o) => sparse.lowerFields(storage, o),
  'sparse.lowerLoops': (o) => sparse.lowerLoops(storage, o),
  'sparse.lowerSNodes': (o) => sparse.lowerSNodes(storage, o),
  'sparse.matrixField': (o) => sparse.matrixField('u', 'f32', 2, 2, o),
  'sparse.planExpr': (o) => sparse.planExpr(expression, {}, o),
  'sparse.readHarwellBoeing': (o) => sparse.readHarwellBoeing('', o),
  'sparse.readMatrixMarket': (o) => sparse.readMatrixMarket('', o),
  'sparse.reconstruct': (o) => sparse.reconstruct([[1]], o),
  'sparse.reconstructPattern': (o) => sparse.reconstructPattern(pattern, o),
  'sparse.sddmmKernel': (o) => sparse.sddmmKernel(pattern, 2, o),
  'sparse.simplifyAccess': (o) => sparse.simplifyAccess(storage, o),
  'sparse.solveKernel': (o) => sparse.solveKernel(pattern, o),
  'sparse.solveProgram': (o) => sparse.solveProgram(module, o),
  'sparse.specializeRegions': (o) => sparse.specializeRegions({} as never, o),
  'sparse.spmmKernel': (o) => sparse.spmmKernel(pattern, 2, o),
  'sparse.spmvFromPieces': (o) => sparse.spmvFromPieces([], 2, 2, o),
  'sparse.spmvKernel': (o) => sparse.spmvKernel(pattern, o),
  'sparse.storageOf': (o) => sparse.storageOf(tree, o),
  'sparse.vectorField': (o) => sparse.vectorField('u', 'f32', 2, o),
  'sparse.writeHarwellBoeing': (o) => sparse.writeHarwellBoeing(matrix, o),
  'sparse.writeMatrixMarket': (o) => sparse.writeMatrixMarket(matrix, o),
  'specialize.decompose': (o) => specialize.decompose(o),
  'specialize.group': (o) => specialize.group(o),
  'specialize.harvest': (o) => specialize.harvest(o),
  'specialize.order': (o) => specialize.order(o),
  'specialize.place': (o) => specialize.place(o),
  'specialize.simplify': (o) => specialize.simplify(o),
  'specialize.simplifyTemplate': (o) => specialize.simplifyTemplate({} as never, o),
  'specialize.specialize': (o) => specialize.specialize(o),
  'specialize.trace': (o) => specialize.trace(o).run(traced),
  'tensor.checkNotation': (o) => throwing(tensor.checkNotation(decl, o)),
  'tensor.cppProject': (o) => tensor.cppProject([], { name: 'p', emit: () => null, ...plain(o) } as never),
  'tensor.deducePattern': (o) => tensor.deducePattern(term, 'ij', o),
  'tensor.explainKernel': (o) => tensor.explainKernel(decl, { type: 'f64', ...plain(o) }),
  'tensor.kernel': (o) => tensor.kernel('k', [], o),
  'tensor.lowerGemm': (o) => tensor.lowerGemm(tensor.gemmTargets.avx2, o),
  'tensor.lowerPlan': (o) => tensor.lowerPlan({} as never, o),
  'tensor.lowerPlans': (o) => tensor.lowerPlans([], o),
  'tensor.planKernel': (o) => tensor.planKernel(decl, { type: 'f64', ...plain(o) }),
  'tensor.tensor': (o) => tensor.tensor('A', [2], o),
  /* Those that are no functions of a package by themselves. */
  'Branch.hash': (o) => sparse.dense(sparse.i, 2).hash(sparse.i, 2, o),
  'Branch.pointer': (o) => sparse.dense(sparse.i, 2).pointer(o),
  'Backend.compile': (o) => wasm.wasm().compile!({ backend: 'wasm', files: [] }, o)(),
  'Backend.load': (o) =>
    wasm.wasm().load!({ backend: 'wasm', hash: '', cached: false, compileMs: 0, bytes: new Uint8Array() }, module, o)(),
  mergeOptions: (o) => filigree.mergeOptions(o),
  ...Object.fromEntries(Object.entries(opt.corePasses).map(([name, make]) => [`pass ${name}`, (o: never) => make(o)])),
};

/** Options that take any text, so that one may be anything. */
const TEXTS = /^(backend|fallback|cache|compiler|name|title|key|memory|kernel|stopAfter|cwd|layout|shared|helpers)$/;
/** Options that take any number. */
const NUMBERS = /^(ambient|seed)$/;
/** Options whose values are checked by what they are for, with codes of its own. */
const OWN = /^(ablate|ambient|backend|fields|kernels|layout|seed)$/;

const plain = (o: unknown): object => (typeof o === 'object' && o !== null ? o : { [String(o)]: 1 });

const throwing = (diagnostics: Diagnostics): void => {
  if (diagnostics.length > 0) throw new DiagnosticError(diagnostics);
};

/** The first diagnostic of a call, by whichever way it comes; undefined where there is none, else what was thrown. */
const problem = async (call: () => unknown): Promise<ir.Diagnostic | undefined> => {
  try {
    const result = (await call()) as { readonly _tag?: string; readonly left?: Diagnostics } | undefined;
    return result?._tag === 'Left' ? result.left![0] : undefined;
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
};

it('knows every public function that takes options', () => {
  const all = Object.entries(packages).flatMap(([name, exported]) => [...functionsWithOptions(name, exported)]);
  expect(all.length).toBeGreaterThan(70);
  expect(all.filter((name) => !Object.hasOwn(calls, name))).toEqual([]);
});

describe.each(Object.entries(calls))('%s', (_, call) => {
  const given = async (options: unknown): Promise<ir.Diagnostic | undefined> => problem(() => call(options as never));
  const names = async (): Promise<readonly string[]> =>
    (await given({ noSuchOption: 1 }))!.remedy!.replace(/^.*use one of /, '').split(', ');

  it('refuses an option that it does not have, and says which it has', async () => {
    expect(await given({ noSuchOption: 1 })).toMatchObject({
      code: 'option/unknown',
      message: expect.stringContaining("'noSuchOption'") as string,
      remedy: expect.stringMatching(/use one of|it has none/) as string,
    });
  });

  it('refuses NaN, a negative number and a text for what takes none', async () => {
    const all = await names();
    expect(all.length).toBeGreaterThan(0);
    for (const name of all) {
      if (name === 'it has none') continue;
      for (const value of [NaN, -1, 'lots'] as const) {
        if (typeof value === 'string' ? TEXTS.test(name) : NUMBERS.test(name)) continue;
        const found = await given({ [name]: value });
        expect(found?.code, `${name} = ${value}`).toMatch(OWN.test(name) ? /./ : /^option\/value$/);
      }
    }
  });
});

it('names the option that was meant', async () => {
  expect(await problem(() => filigree.compile(traced, { theads: 2 } as never))).toMatchObject({
    code: 'option/unknown',
    message: "compile has no option 'theads'",
    remedy: expect.stringMatching(/^did you mean 'threads'\?/) as string,
  });
  expect(
    await problem(() => filigree.compile(traced, { specialize: { order: { reorders: false } } } as never)),
  ).toMatchObject({ message: "compile has no option 'specialize.order.reorders'" });
});
