// The front-end's "second worker" in this isolate: its own code for retainers, dominators and retained sizes, run when the
// first pass is done. For comparison with `prepared.ts`, and for the start-up snapshot.

import type * as Api from 'frontend/front_end/core/platform/api/api.js';
import {SecondaryInitManager} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';

type Port = Api.HostRuntime.WorkerMessagePort;
type Listener = (event: {data: unknown}) => void;

/** The part of a MessagePort that both sides use. */
class LocalPort {
  #listeners: Listener[] = [];

  constructor(readonly onPost: (message: unknown) => void) {}

  addEventListener(_type: string, listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners = this.#listeners.filter(other => other !== listener);
  }

  start(): void {}

  postMessage(message: unknown): void {
    this.onPost(message);
  }

  deliver(data: unknown): void {
    for (const listener of this.#listeners) {
      listener({data});
    }
  }
}

/** For `JSHeapSnapshot.initialize`. */
export function inJavaScript(): Port {
  const far: LocalPort = new LocalPort(message => near.deliver(message));
  const near: LocalPort = new LocalPort(message => void Promise.resolve().then(() => far.deliver(message)));
  new SecondaryInitManager(far as unknown as Port);
  return near as unknown as Port;
}
