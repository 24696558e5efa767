// The front-end's pool of formatter workers.

import * as FormatterWorkerPool from 'frontend/front_end/models/formatter/FormatterWorkerPool.js';

/** A pool without workers. It would ask the module loader where their code is; ours is in a snapshot and found by file name. */
export function freshFormatterPool(): void {
  FormatterWorkerPool.FormatterWorkerPool.instance({
    forceNew: true,
    entrypointURL: 'devtools-mcp:///front_end/entrypoints/formatter_worker/formatter_worker-entrypoint.js',
  });
}
