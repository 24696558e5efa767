// Bundle of the front-end's heap snapshot worker, as an isolate of its own.

import './host/globals.js';
import './host/intl.js';

import {isolateWorkerScope} from './host/host_runtime.js';
import {expose} from './host/service.js';

import 'frontend/front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker-entrypoint.js';

expose({connectWorker: (resource: number) => isolateWorkerScope.connect(resource)});
