// Methods that tests and `doctor` use to look at an isolate from inside.

import * as Common from 'frontend/front_end/core/common/common.js';
import * as Formatter from 'frontend/front_end/models/formatter/formatter.js';
import * as HeapSnapshotProxy from 'frontend/front_end/models/heap_snapshot/HeapSnapshotProxy.js';

import {HOST_GLOBALS} from './host/globals.js';

const retained: unknown[] = [];

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

  /** Fills the heap until V8 gives up, calling functions as ordinary code does. */
  exhaust(): number {
    const grow = (depth: number): unknown => depth ? {left: grow(depth - 1), right: grow(depth - 1)} : {};
    for (;;) {
      retained.push(grow(12));
    }
  },

  /** The same in a loop that calls nothing; V8's optimised code then does not notice that it should stop. */
  exhaustWithoutCalls(): number {
    for (;;) {
      retained.push(new Array(1000).fill(retained.length));
    }
  },

  absent: (): unknown => (globalThis as any).fetch('http://127.0.0.1/'),

  async format({mimeType, content}: {mimeType: string, content: string}): Promise<string> {
    const result = await Formatter.FormatterWorkerPool.formatterWorkerPool().format(mimeType, content, '  ');
    return result.content;
  },

  /**
   * Loads a heap snapshot the way the front-end does: a worker, a second worker that computes dominators beside it, and a
   * port transferred between the two.
   */
  async heapStatistics({text}: {text: string}): Promise<{nodeCount: number, totalSize: number, total: number}> {
    const {promise, resolve} = Promise.withResolvers<HeapSnapshotProxy.HeapSnapshotProxy>();
    const worker = new HeapSnapshotProxy.HeapSnapshotWorkerProxy(
        () => {}, Common.Console.Console.instance(),
        'devtools-mcp:///front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker-entrypoint.js');
    try {
      const loader = worker.createLoader(1, resolve);
      await loader.write(text);
      await loader.close();
      const snapshot = await promise;
      const {total} = await snapshot.getStatistics();
      return {nodeCount: snapshot.staticData!.nodeCount, totalSize: snapshot.totalSize, total};
    } finally {
      worker.dispose();
    }
  },
};
