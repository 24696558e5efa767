// The console of our isolates: everything goes to `tracing`, nothing to stdout, which carries the MCP protocol.

import {op_dtm_log} from './ops.js';

const MAX_LENGTH = 4000;

function describe(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  if (value instanceof Error) {
    return value.stack ?? String(value);
  }
  try {
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function write(level: number): (...values: unknown[]) => void {
  return (...values) => {
    const text = values.map(describe).join(' ');
    op_dtm_log(level, text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} (${text.length} characters)` : text);
  };
}

const ignore = (): void => {};

export const engineConsole = {
  debug: write(0),
  trace: write(0),
  log: write(1),
  info: write(1),
  dir: write(1),
  table: write(1),
  warn: write(2),
  error: write(3),
  assert: (condition: unknown, ...values: unknown[]): void => {
    if (!condition) {
      engineConsole.error('Assertion failed:', ...values);
    }
  },
  group: ignore,
  groupCollapsed: ignore,
  groupEnd: ignore,
  count: ignore,
  time: ignore,
  timeEnd: ignore,
  timeStamp: ignore,
  profile: ignore,
  profileEnd: ignore,
};
