/**
 * `npm run playground`: builds the page into tools/playground/out, a folder that any server of files can serve, and serves it here.
 * `-- --build` only builds.
 */
import { build, preview } from 'vite';

const configFile = new URL('vite.config.mjs', import.meta.url).pathname;

await build({ configFile, logLevel: 'warn' });
if (!process.argv.includes('--build')) {
  const server = await preview({ configFile });
  console.log(`the playground is at ${server.resolvedUrls?.local[0]}`);
}
