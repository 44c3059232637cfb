import { benchMain } from './bench.js';
import { filigreeProvider } from './filigree.js';

process.exitCode = await benchMain(process.argv.slice(2), [filigreeProvider()], { pages: true });
