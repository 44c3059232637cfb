import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { workerData, type MessagePort } from 'node:worker_threads';
import type { Backend } from '@filigree/backend';
import { DiagnosticError, fromJson, orThrow, type Json, type Module } from '@filigree/ir';
import * as quant from '@filigree/quant';
import { layoutOf, storageOf } from '@filigree/sparse/fields';
import type { CodeJob, CodeMade, Said, Told } from './away/code-job.js';
import { withoutCode } from './away/without-code.js';
import { bankEntry } from './bank/banked.js';
import { skeletonsOf, type Skeletons } from './bank/skeleton.js';
import { fastMathOf } from './instantiate.js';
import { fieldPasses, type FieldPasses } from './program/field-passes.js';
import { lowerAgain } from './program/lower-ahead.js';

/** A worker that lowers and compiles modules, one after the other, for a thread that runs meanwhile. */
const { port, ended } = workerData as { readonly port: MessagePort; readonly ended: Int32Array };

const say = (said: Said): void => port.postMessage(said);

port.on('message', (told: Told) => {
  if (told.is === 'end') return end();
  if (told.is === 'place') return placing.told?.(told.place);
  made(told.job).then(
    (made) => say({ is: 'made', made }),
    (e: unknown) => say({ is: 'failed', why: withoutCode(e) }),
  );
});

/** What waits to be told a place. */
const placing: { told?: (place: Json | undefined) => void } = {};

const placeOf = (of: Skeletons): Promise<Json | undefined> =>
  new Promise((resolve) => {
    placing.told = resolve;
    say({ is: 'lowered', of });
  });

/** The process ends: compilers that run for this thread are stopped, as whoever started them asked for. */
const end = (): void => {
  process.emit('exit', 0);
  Atomics.store(ended, 0, 1);
  Atomics.notify(ended, 0);
};

const made = async ({ origin, module: text, fields, options, kept }: CodeJob): Promise<CodeMade> => {
  const backend = await backendOf(origin);
  const module = orThrow(fromJson(JSON.parse(text)));
  const lowered = fields ? orThrow(lowerAgain(module, passesOf(module, fields), backend)) : module;
  const legal = orThrow(backend.legalize.run(lowered));
  const skeletons = skeletonsOf(lowered, legal);
  const inPlace = backend.sharing?.inPlace;
  const place = inPlace && (await placeOf(skeletons));
  if (inPlace && place === undefined) throw new DiagnosticError([]);
  const emit = inPlace ? inPlace.emit(place!) : backend.emit;
  const sources = orThrow(emit.run(legal));
  const artifact = orThrow(await backend.compile!(sources, { ...fastMathOf(lowered), ...options })());
  const entry = kept && (await bankEntry(backend, options, [text, ...kept]));
  await entry?.write(lowered, legal);
  await entry?.writeArtifact(place, artifact);
  return { ...skeletons, artifact, warnings: entry?.warnings ?? [] };
};

const passesOf = ({ layout }: Module, { memory, budget, pipeline }: NonNullable<CodeJob['fields']>): FieldPasses =>
  fieldPasses(
    storageOf(layoutOf(layout!, quant.quantFormats), {
      memory,
      ...(budget === undefined ? {} : { budget }),
      together: pipeline.grain?.hands === 1,
    }),
    pipeline,
    quant,
  );

const backendOf = async ({ from, near, make, options }: CodeJob['origin']): Promise<Backend> => {
  const found = (await import(pathToFileURL(createRequire(near).resolve(from)).href)) as Record<
    string,
    (options: object) => Backend
  >;
  return found[make](options);
};

say({ is: 'ready' });
