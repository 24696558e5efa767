// Work on tables that native code does, on a thread of its own.

import {op_dtm_native, op_dtm_native_result} from './ops.js';

/** Runs a native function. The tables must not change meanwhile. */
export async function native(name: string, numbers: number[], tables: ArrayBufferView[]): Promise<ArrayBuffer[]> {
  const bytes = tables.map(table => new Uint8Array(table.buffer as ArrayBuffer, table.byteOffset, table.byteLength));
  return op_dtm_native_result(await op_dtm_native(name, numbers, bytes));
}
