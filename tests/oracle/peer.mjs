// What chrome-devtools-mcp 1.11.0 itself says about trace files, asked through its own modules (its tools only analyse
// what they have just recorded). Usage: node peer.mjs FILE...; one JSON line per file.

import * as fs from 'node:fs';
import * as zlib from 'node:zlib';

const peer = '../node/node_modules/chrome-devtools-mcp/build/src';
await import(`${peer}/utils/polyfill.js`);
const {overrideDevToolsGlobals} = await import(`${peer}/devtools/DevtoolsUtils.js`);
overrideDevToolsGlobals({loadResource: async () => ''});
const {parseRawTraceBuffer, getTraceSummary, getInsightOutput} = await import(`${peer}/processors/PerformanceTrace.js`);

for (const file of process.argv.slice(2)) {
  let bytes = fs.readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    bytes = zlib.gunzipSync(bytes);
  }
  const started = performance.now();
  const result = await parseRawTraceBuffer(bytes);
  if (result.error) {
    console.log(JSON.stringify({file, error: result.error}));
    continue;
  }
  const summary = getTraceSummary(result, 'DESKTOP');
  const milliseconds = performance.now() - started;
  const insights = [];
  for (const [set, {model}] of result.insights ?? []) {
    for (const name of Object.keys(model)) {
      insights.push({set, name, text: getInsightOutput(result, set, name, 'DESKTOP').output});
    }
  }
  console.log(JSON.stringify({file, summary, insights, milliseconds, maxRssKb: process.resourceUsage().maxRSS}));
}
