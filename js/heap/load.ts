// Making the front-end's heap snapshot of tables that Rust has read and checked.

import * as Platform from 'frontend/front_end/core/platform/platform.js';
import {
  type HeapSnapshotHeader,
  HeapSnapshotProgress,
  JSHeapSnapshot,
  type Profile,
} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import type {
  HeapSnapshotWorkerDispatcher,
} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshotWorkerDispatcher.js';

import type {CallContext} from '../host/service.js';

import {Prepared, type Sums} from './prepared.js';
import {inJavaScript} from './second_pass.js';

type Table = Platform.TypedArrayUtilities.BigUint32Array;

export interface LoadParams {
  header: HeapSnapshotHeader;
  /** Names of the small tables that come after nodes and edges. */
  tables: string[];
  /** Pieces of the strings. */
  stringPieces: number;
  /** Let the front-end's own code compute everything; for comparison. */
  reference?: boolean;
}

/** Messages of the front-end's initialisation, each once or twice; their number only paces the progress. */
const STEPS = 16;

/** The front-end's array class is not exported; its instances tell. */
const TableClass =
    Platform.TypedArrayUtilities.createFixedBigUint32Array(0).constructor as new (buffer: ArrayBuffer) => Table;

function progressOf(call: CallContext): HeapSnapshotProgress {
  let steps = 0;
  const dispatcher = {
    sendEvent(_name: string, data: unknown): void {
      call.throwIfCancelled();
      const {string} = JSON.parse(String(data)) as {string: string};
      console.debug(string);
      call.progress(Math.min(++steps / STEPS, 1), string);
    },
  };
  return new HeapSnapshotProgress(dispatcher as unknown as HeapSnapshotWorkerDispatcher);
}

/**
 * The call's input: the strings, then nodes, edges and the small tables, then what `Prepared` takes. The sums that are no
 * tables come as a text before the tables.
 */
export async function load(params: LoadParams, call: CallContext): Promise<JSHeapSnapshot> {
  const started = performance.now();
  const pieces = call.pieces();
  const next = (): string|ArrayBuffer => {
    const {value} = pieces.next();
    if (value === undefined) {
      throw new TypeError('the input ended early');
    }
    return value;
  };
  const table = (): ArrayBuffer => next() as ArrayBuffer;
  const strings: string[] = [];
  for (let piece = 0; piece < params.stringPieces; piece++) {
    for (const string of JSON.parse(next() as string) as string[]) {
      strings.push(string);
    }
  }
  const sums = params.reference ? null : JSON.parse(next() as string) as Sums;
  const profile = {
    snapshot: params.header,
    nodes: new TableClass(table()),
    edges: new TableClass(table()),
    locations: [] as ArrayLike<number>,
    strings,
  } as unknown as Profile;
  for (const name of params.tables) {
    Object.assign(profile, {[name]: new Uint32Array(table())});
  }
  // Allocation traces were passed over when the file was read.
  profile.snapshot.trace_function_count = 0;
  const taken = performance.now();
  const snapshot = await initialised(profile, progressOf(call), sums && new Prepared(table, sums));
  console.debug(`tables and strings taken in ${Math.round(taken - started)} ms, analysed in ${
      Math.round(performance.now() - taken)} ms`);
  return snapshot;
}

export async function initialised(
    profile: Profile, progress: HeapSnapshotProgress, prepared: Prepared|null): Promise<JSHeapSnapshot> {
  const snapshot = new JSHeapSnapshot(profile, progress);
  await (prepared ? prepared.initialize(snapshot) : snapshot.initialize(inJavaScript()));
  return snapshot;
}
