// Bundle of the front-end's formatter worker (pretty printing, scopes for source maps), as an isolate of its own.

import './host/globals.js';
import './host/intl.js';

import {isolateWorkerScope} from './host/host_runtime.js';
import {expose} from './host/service.js';

import 'frontend/front_end/entrypoints/formatter_worker/formatter_worker-entrypoint.js';

// One of the worker's commands answers through `self.postMessage` instead of its scope.
Object.defineProperty(globalThis, 'postMessage', {
  value: (message: unknown) => isolateWorkerScope.postMessage(message),
  configurable: true,
});

expose({connectWorker: (resource: number) => isolateWorkerScope.connect(resource)});
