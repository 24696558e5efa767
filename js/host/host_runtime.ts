// Takes the place of the front-end's core/platform/HostRuntime.ts, which is the seam it keeps for hosts (and whose
// top-level await could not be evaluated here). See vendor/overlays.json.

import {core} from 'ext:core/mod.js';
import {op_dtm_resource_text, op_dtm_worker_start, op_dtm_worker_terminate} from './ops.js';

import type * as Api from 'frontend/front_end/core/platform/api/api.js';

import {messagePorts} from './globals.js';

export type {
  CacheEntry,
  CacheStorageLike,
  HostRuntime,
  ScreenshotOptions,
  Worker,
  WorkerMessageEvent,
  WorkerMessagePort,
  WorkerScope,
  WorkerTransferable,
} from 'frontend/front_end/core/platform/api/HostRuntime.js';

type HostWorker = Api.HostRuntime.Worker;
type HostMessageEvent = Api.HostRuntime.WorkerMessageEvent;
type Transferable = Api.HostRuntime.WorkerTransferable;

export const IS_NODE = false;
export const IS_BROWSER = false;

/** A port for a resource that Rust made: a fresh channel's port is pointed at it. */
export function portForResource(resource: number): MessagePort {
  const {port1, port2} = new messagePorts.MessageChannel();
  core.close(messagePorts.getMessagePortId(port1));
  core.close(messagePorts.getMessagePortId(port2));
  messagePorts.setMessagePortId(port1, resource);
  return port1;
}

class IsolateWorker implements HostWorker {
  readonly #id: number;
  readonly #port: MessagePort;
  readonly #ready: Promise<void>;
  #onMessage?: (event: HostMessageEvent) => void;
  #onError?: (event: unknown) => void;
  #rejectReady!: (error: Error) => void;
  #disposed = false;

  constructor(url: string) {
    const entry = url.slice(url.lastIndexOf('/') + 1);
    const [id, resource] = op_dtm_worker_start(entry);
    this.#id = id;
    this.#port = portForResource(resource);
    let markReady!: () => void;
    this.#ready = new Promise((resolve, reject) => {
      markReady = resolve;
      this.#rejectReady = reject;
    });
    // Nobody may be waiting when the worker is terminated early.
    this.#ready.catch(() => {});
    this.#port.onmessage = (event: MessageEvent) => {
      if (event.data === 'workerReady') {
        markReady();
      } else if (!this.#disposed) {
        this.#onMessage?.({data: event.data, ports: event.ports});
      }
    };
    this.#port.onmessageerror = event => this.#onError?.(event);
    this.#port.addEventListener('close', () => {
      if (!this.#disposed) {
        this.#onError?.({type: 'error', message: `the worker ${entry} ended (out of memory or an internal error)`});
      }
    });
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    void this.#ready.then(() => {
      if (!this.#disposed) {
        this.#port.postMessage(message, transfer as unknown as MessagePort[]);
      }
    }, () => {});
  }

  dispose(): void {
    this.#disposed = true;
    this.#port.close();
    op_dtm_worker_terminate(this.#id);
  }

  terminate(immediately?: boolean): void {
    if (immediately) {
      this.#rejectReady(new Error('Worker terminated'));
    }
    this.dispose();
  }

  set onmessage(listener: (event: HostMessageEvent) => void) {
    this.#onMessage = listener;
  }

  set onerror(listener: (event: unknown) => void) {
    this.#onError = listener;
  }
}

/** A worker in this very isolate, for while the snapshot is made and no other can be started. */
class LocalWorker implements HostWorker {
  #onMessage?: (event: HostMessageEvent) => void;

  constructor() {
    isolateWorkerScope.connectLocally(data => this.#onMessage?.({data, ports: []}));
  }

  postMessage(message: unknown): void {
    isolateWorkerScope.receive(message);
  }

  dispose(): void {}
  terminate(): void {}

  set onmessage(listener: (event: HostMessageEvent) => void) {
    this.#onMessage = listener;
  }

  set onerror(_listener: (event: unknown) => void) {}
}

/** The scope of a worker isolate. Messages posted before it is connected (while its snapshot is made) are kept. */
class IsolateWorkerScope implements Api.HostRuntime.WorkerScope {
  #port?: MessagePort;
  #early: Array<[unknown, Transferable[]]> = [];
  #listener?: (event: HostMessageEvent) => Promise<void>|void;
  #local?: (message: unknown) => void;

  /** Answers go to `answer`; what was posted early stays for the isolate that will be a worker. */
  connectLocally(answer?: (message: unknown) => void): void {
    this.#local = answer;
  }

  receive(data: unknown): void {
    void this.#listener?.({data, ports: []});
  }

  connect(resource: number): void {
    const port = this.#port = portForResource(resource);
    port.onmessage = (event: MessageEvent) => void this.#listener?.({data: event.data, ports: event.ports});
    for (const [message, transfer] of this.#early.splice(0)) {
      this.postMessage(message, transfer);
    }
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    if (this.#port) {
      this.#port.postMessage(message, transfer as unknown as MessagePort[]);
    } else if (this.#local) {
      this.#local(message);
    } else {
      this.#early.push([message, transfer]);
    }
  }

  set onmessage(listener: (event: HostMessageEvent) => Promise<void>|void) {
    this.#listener = listener;
  }
}

export const isolateWorkerScope = new IsolateWorkerScope();

let makeWorker = (url: string): HostWorker => new IsolateWorker(url);

/** Runs something with workers that are not isolates. */
export async function withLocalWorkers(work: () => Promise<void>): Promise<void> {
  const before = makeWorker;
  makeWorker = () => new LocalWorker();
  try {
    await work();
  } finally {
    makeWorker = before;
    isolateWorkerScope.connectLocally();
  }
}

export const HOST_RUNTIME: Api.HostRuntime.HostRuntime = {
  createWorker: url => makeWorker(url),
  workerScope: isolateWorkerScope,
  getOnLine: () => true,
  getUserAgent: () => 'devtools-mcp',
  getLocalStorage: () => undefined,
  getCacheStorage: () => undefined,
  getDevicePixelRatio: () => 1,
  saveScreenshot: async () => {},
  revokeLastScreenshotUrl: () => {},
  loadTextFile: async url => op_dtm_resource_text(decodeURIComponent(url.pathname).replace(/^\//, '')),
  evaluateCSS: () => null,
  removeCSSEvaluationElement: () => {},
};
