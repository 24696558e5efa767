// The front-end's two workers, as roles of the one bundle: an isolate started by `HOST_RUNTIME.createWorker` is told on
// connecting which one it is. (One bundle, because V8's isolates share a read-only heap and so must come from one blob.)

import type * as Api from 'frontend/front_end/core/platform/api/api.js';
// Registers its handler with the worker scope and announces itself when it is evaluated.
import 'frontend/front_end/entrypoints/formatter_worker/formatter_worker-entrypoint.js';
import * as HeapSnapshotWorker from 'frontend/front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker.js';

import {isolateWorkerScope} from './host/host_runtime.js';

// One command of the formatter answers through `self.postMessage` instead of its scope.
Object.defineProperty(globalThis, 'postMessage', {
  value: (message: unknown) => isolateWorkerScope.postMessage(message),
  configurable: true,
});

/** What heap_snapshot_worker-entrypoint.ts does when it is evaluated in a worker of its own. */
function becomeHeapSnapshotWorker(): void {
  const dispatcher = new HeapSnapshotWorker.HeapSnapshotWorkerDispatcher.HeapSnapshotWorkerDispatcher(
      isolateWorkerScope.postMessage.bind(isolateWorkerScope));
  isolateWorkerScope.onmessage =
      dispatcher.dispatchMessage.bind(dispatcher) as (event: Api.HostRuntime.WorkerMessageEvent) => Promise<void>;
}

/** Entry point for worker isolates: `role` is `heap` or `formatter`. */
export function connectWorker(resource: number, role: string): void {
  if (role === 'heap') {
    becomeHeapSnapshotWorker();
  }
  isolateWorkerScope.connect(resource);
}
