// Bundles oracle.ts with the same front-end version for Node, independently of js/ and build.rs.
// Usage: node build.mjs OUT_FILE

import {fileURLToPath} from 'node:url';
import * as path from 'node:path';
import * as esbuild from '../../vendor/node_modules/esbuild/lib/main.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const frontend = path.join(here, '../../vendor/node_modules/chrome-devtools-frontend');

/** Generated files that the npm package lacks. */
const missing = {
  name: 'missing',
  setup(build) {
    build.onResolve({filter: /(\/locales|\.skill)\.js$/}, args => ({path: args.path, namespace: 'missing'}));
    build.onLoad({filter: /.*/, namespace: 'missing'}, () => ({
      contents: `export const LOCALES = ['en-US'], BUNDLED_LOCALES = ['en-US'], DEFAULT_LOCALE = 'en-US',
        REMOTE_FETCH_PATTERN = '', LOCAL_FETCH_PATTERN = '', skill = {};`,
    }));
  },
};

await esbuild.build({
  entryPoints: [path.join(here, 'oracle.ts')],
  outfile: process.argv[2],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'esnext',
  alias: {frontend},
  plugins: [missing],
  logLevel: 'error',
});
