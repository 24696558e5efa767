// Methods that tests and `doctor` use to look at an isolate from inside.

import * as Formatter from 'frontend/front_end/models/formatter/formatter.js';

import {HOST_GLOBALS} from './host/globals.js';
import {HOST_RUNTIME} from './host/host_runtime.js';

let retained: unknown[] = [];

export const diagnostics = {
  globals: (): readonly string[] => HOST_GLOBALS,

  /** Number and date formatting need ICU data; it is inside V8's library. */
  intl: () => ({
    number: new Intl.NumberFormat('de-DE').format(1234567.89),
    date: new Intl.DateTimeFormat('en-US', {timeZone: 'UTC', dateStyle: 'long'}).format(new Date(0)),
  }),

  /** Language features that the front-end expects from the host and that older hosts had to polyfill. */
  features: () => ({
    withResolvers: typeof Promise.withResolvers === 'function',
    setUnion: typeof (Set.prototype as any).union === 'function',
    iteratorHelpers: typeof (globalThis as any).Iterator?.prototype?.map === 'function',
    disposableStack: typeof (globalThis as any).DisposableStack === 'function',
  }),

  print(): string {
    console.log('log');
    console.error('error');
    (globalThis as any).Deno?.core?.print?.('print\n', false);
    return 'printed';
  },

  fail({depth}: {depth: number}): number {
    if (depth > 0) {
      return diagnostics.fail({depth: depth - 1}) + 1;
    }
    throw new RangeError('diagnostic failure');
  },

  /** Never returns by itself: for cancellation and deadlines. */
  spin(): never {
    for (;;) {
    }
  },

  never: (): Promise<void> => new Promise(() => {}),

  sleep: ({milliseconds}: {milliseconds: number}): Promise<string> =>
      new Promise(resolve => setTimeout(() => resolve('slept'), milliseconds)),

  /** Fills the heap until V8 gives up. */
  exhaust(): number {
    for (;;) {
      retained.push(new Array(1000).fill(retained.length));
    }
  },

  absent: (): unknown => (globalThis as any).fetch('http://127.0.0.1/'),

  async format({mimeType, content}: {mimeType: string, content: string}): Promise<string> {
    const result = await Formatter.FormatterWorkerPool.formatterWorkerPool().format(mimeType, content, '  ');
    return result.content;
  },

  /** Sends a port through a worker's structured clone and waits for what comes back; see HeapSnapshotWorker. */
  async heapWorker(): Promise<unknown> {
    const worker = HOST_RUNTIME.createWorker('x/heap_snapshot_worker-entrypoint.js');
    try {
      return await new Promise((resolve, reject) => {
        worker.onmessage = event => resolve(event.data);
        worker.onerror = reject;
        worker.postMessage({disposition: 'evaluateForTest', callId: 7, source: '1 + 1'});
      });
    } finally {
      worker.dispose();
    }
  },
};
