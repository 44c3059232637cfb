import { writeFileSync } from 'node:fs';
import { cpp } from '@filigree/backend-cpp';
import { compiledMpm } from './mpm/compiled.js';
import { nativeMpm } from './mpm/native.js';
import { mpm2dSetup } from './mpm2d/setup.js';
import { mpm3dSetup } from './mpm3d/setup.js';
const dim = process.argv[2] ?? '2';
const setup = dim === '2' ? mpm2dSetup({ n: 128 } as any) : mpm3dSetup({ n: 64 } as any);
console.log('particles', setup.body.length, 'n', setup.n);
const t0 = performance.now();
const sim: any = await compiledMpm({ backend: cpp(), dtype: 'f32', threads: 1, emit: (name: string, s: any) => writeFileSync(`/tmp/w/${name}.cpp`, s.files[0].contents) } as any)(setup);
console.log('program', (performance.now() - t0).toFixed(0), 'ms');
sim.step(5);
let best = 1e9; for (let r = 0; r < 5; r++) { const t = performance.now(); sim.step(10); best = Math.min(best, (performance.now() - t) / 10); }
console.log('step', best.toFixed(3), 'ms', ((best * 1e6) / setup.body.length).toFixed(1), 'ns/particle');
