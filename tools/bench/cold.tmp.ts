import { LARGE_QUEUED_CASES, QUEUED_CASES } from '@filigree/e2e';
import { program } from 'filigree';
const [name, queue] = process.argv.slice(2);
const one = [...QUEUED_CASES, ...LARGE_QUEUED_CASES].find((c) => c.name === name)!;
const made = one.make(one.name.includes('mgpcg') ? 64 : 64 * one.multiple > 4096 ? one.multiple * 2 : 64, 'f64', 'pointer');
const t0 = performance.now();
const p = await program({ layout: made.layout, kernels: made.kernels, queue: queue === 'on', backend: 'cpp', threads: 1 } as never) as any;
const t1 = performance.now();
made.start(p.run, p);
p.flush();
const t2 = performance.now();
for (let k = 0; k < 3; k++) { made.step(p.run, {} as never); await p.sync({ compiled: true }); }
const t3 = performance.now();
console.log(name, queue, 'program', (t1 - t0).toFixed(0), 'first flush', (t2 - t1).toFixed(0), 'plans ready', (t3 - t2).toFixed(0), 'kept', p.instance.kept, JSON.stringify({ ...p.queued(), last: undefined }));
process.exit(0);
