// Comparing two snapshots that live in two isolates: the base hands its objects on as tables, class by class.

import type {JSHeapSnapshot} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import type * as HeapSnapshotModel from 'frontend/front_end/models/heap_snapshot/heap_snapshot.js';

import type {CallContext} from '../host/service.js';

type Aggregates = Record<string, HeapSnapshotModel.HeapSnapshotModel.AggregateForDiff>;
export type Diff = HeapSnapshotModel.HeapSnapshotModel.Diff;

/** Key, name and number of objects of each class; a text has some thousand of them. */
type ClassRow = [string, string, number];
const ROWS = 5000;

/** Writes what the other snapshot compares itself with: texts of class rows, then one table per class. */
export function handOn(aggregates: Aggregates, call: CallContext): void {
  const classes = Object.entries(aggregates);
  const rows: ClassRow[] = classes.map(([key, {name, ids}]) => [key, name, ids.length]);
  for (let at = 0; at < rows.length; at += ROWS) {
    call.outputText(JSON.stringify(rows.slice(at, at + ROWS)));
  }
  for (const [, {ids, selfSizes, indexes}] of classes) {
    const table = new Uint32Array(3 * ids.length);
    table.set(ids, 0);
    table.set(selfSizes, ids.length);
    table.set(indexes, 2 * ids.length);
    call.outputWords(table);
  }
}

function received(call: CallContext): Aggregates {
  const aggregates: Aggregates = Object.create(null);
  const rows: ClassRow[] = [];
  let next = 0;
  for (const piece of call.pieces()) {
    if (typeof piece === 'string') {
      rows.push(...JSON.parse(piece) as ClassRow[]);
      continue;
    }
    const [key, name, count] = rows[next++];
    const table = new Uint32Array(piece);
    const part = (number: number): number[] =>
        table.subarray(number * count, (number + 1) * count) as unknown as number[];
    aggregates[key] = {name, ids: part(0), selfSizes: part(1), indexes: part(2)};
  }
  if (next !== rows.length) {
    throw new Error('the base snapshot did not hand on all of its classes');
  }
  return aggregates;
}

/** The changed classes against the base with this number, by size delta. `aggregates` is null if they come as input. */
export function changedClasses(
    snapshot: JSHeapSnapshot, base: number, aggregates: Aggregates|null, call: CallContext): Diff[] {
  const diffs = snapshot.calculateSnapshotDiff(base, aggregates ?? received(call));
  return Object.values(diffs)
      .filter(diff => diff.addedCount > 0 || diff.removedCount > 0)
      .sort((a, b) => b.sizeDelta - a.sizeDelta);
}
