// Which part of a list is asked for, and lists of which only that part is made.

import {
  type HeapSnapshot,
  type HeapSnapshotItemProvider,
  HeapSnapshotNodesProvider,
} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';

export interface Paging {
  pageIdx?: number;
  pageSize?: number;
}

/** As in `structuredContent.pagination`, and the list's length. */
export interface Page {
  currentPage: number;
  totalPages: number;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startIndex: number;
  endIndex: number;
  invalidPage: boolean;
  total: number;
}

const DEFAULT_PAGE_SIZE = 20;

/** Rows of a list of which no page was asked for. The rest is on further pages. */
export const UNPAGED_ROWS = 1000;

export function pageOf(total: number, {pageIdx, pageSize}: Paging): Page {
  const isAsked = pageIdx !== undefined || pageSize !== undefined;
  const size = pageSize ?? (isAsked ? DEFAULT_PAGE_SIZE : UNPAGED_ROWS);
  const totalPages = Math.max(1, Math.ceil(total / size));
  const invalidPage = pageIdx !== undefined && (pageIdx < 0 || pageIdx >= totalPages);
  const currentPage = invalidPage ? 0 : pageIdx ?? 0;
  const startIndex = currentPage * size;
  return {
    currentPage,
    totalPages,
    hasNextPage: currentPage < totalPages - 1,
    hasPreviousPage: currentPage > 0,
    startIndex,
    endIndex: Math.min(startIndex + size, total),
    invalidPage,
    total,
  };
}

export interface Listed<T> {
  page: Page;
  items: T[];
}

export function listed<T>(all: T[], paging: Paging): Listed<T> {
  const page = pageOf(all.length, paging);
  return {page, items: all.slice(page.startIndex, page.endIndex)};
}

/** What the front-end's providers keep for themselves. */
interface Inside {
  iterationOrder: number[]|null;
  currentComparator: unknown;
}

const inside = (provider: HeapSnapshotItemProvider): Inside => provider as unknown as Inside;

function orderOf(provider: HeapSnapshotItemProvider): number[] {
  provider.serializeItemsRange(0, 0);
  return inside(provider).iterationOrder ?? [];
}

/**
 * A page of a provider's list. The whole order is computed, as when everything is asked for: the front-end's order for a
 * part differs where its comparison is not a consistent one.
 */
export function providerPage(provider: HeapSnapshotItemProvider, paging: Paging): Listed<unknown> {
  const order = orderOf(provider);
  const page = pageOf(order.length, paging);
  const comparator = inside(provider).currentComparator;
  if (comparator && order.length) {
    const last = order.length - 1;
    provider.sort(comparator as Parameters<HeapSnapshotItemProvider['sort']>[0], 0, last, 0, last);
    inside(provider).currentComparator = null;
  }
  return {page, items: provider.serializeItemsRange(page.startIndex, page.endIndex).items};
}

/** A page of nodes, the largest retained size first; equal ones stay in the given order. */
export function nodesPage(snapshot: HeapSnapshot, indexes: number[], paging: Paging): Listed<unknown> {
  const {retainedSizes, nodeFieldCount} = snapshot;
  const sorted =
      indexes.toSorted((a, b) => retainedSizes[b / nodeFieldCount] - retainedSizes[a / nodeFieldCount]);
  const page = pageOf(sorted.length, paging);
  const part = new HeapSnapshotNodesProvider(snapshot, sorted.slice(page.startIndex, page.endIndex));
  return {page, items: part.serializeItemsRange(0, Infinity).items};
}

/** Indexes of the nodes a provider lists, in its order. */
export function indexesOf(provider: HeapSnapshotItemProvider): number[] {
  return orderOf(provider);
}
