// What the same front-end says about traces when it runs in Node with nothing of ours around it: whole-file JSON.parse,
// the front-end's own Node host runtime, its own boot. One JSON line per file on stdout.

import * as fs from 'node:fs';
import * as zlib from 'node:zlib';

import {
  AgentFocus,
  Common,
  I18n,
  PerformanceInsightFormatter,
  PerformanceTraceFormatter,
  TraceEngine,
} from 'frontend/mcp/mcp.js';
import * as SourceMap from 'frontend/front_end/core/sdk/SourceMap.js';

I18n.DevToolsLocale.DevToolsLocale.instance({
  create: true,
  data: {navigatorLanguage: 'en-US', settingLanguage: 'en-US', lookupClosestDevToolsLocale: (l: string) => l},
});
I18n.i18n.registerLocaleDataForTest('en-US', {});

async function resolveSourceMap(params: any): Promise<any> {
  let payload = params.cachedRawSourceMap;
  if (!payload && params.sourceMapUrl.startsWith('data:')) {
    payload = SourceMap.parseSourceMap(await (await fetch(params.sourceMapUrl)).text());
  }
  return payload && params.sourceUrl ?
      new SourceMap.SourceMap(params.sourceUrl, params.sourceMapUrl, payload, Common.Console.Console.instance()) :
      null;
}

async function examine(file: string, scope: any): Promise<object> {
  let bytes = fs.readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    bytes = zlib.gunzipSync(bytes);
  }
  const content = JSON.parse(bytes.toString('utf8'));
  const events = Array.isArray(content) ? content : content.traceEvents;
  const metadata = Array.isArray(content) ? {} : content.metadata ?? {};
  const model = TraceEngine.TraceModel.Model.createWithAllHandlers();
  await model.parse(events, {
    metadata: Object.keys(metadata).length ? metadata : undefined,
    isFreshRecording: false,
    resolveSourceMap,
  });
  const parsed = model.parsedTrace()!;
  const insights = [];
  for (const [set, {model}] of parsed.insights ?? []) {
    for (const name of Object.keys(model)) {
      const formatter = () =>
          new PerformanceInsightFormatter(AgentFocus.fromParsedTrace(parsed), (model as any)[name], scope);
      insights.push({set, name, ...attempt(() => formatter().formatInsight())});
    }
  }
  const summary = attempt(
      () => new PerformanceTraceFormatter(AgentFocus.fromParsedTrace(parsed), scope).formatTraceSummary());
  return {eventCount: events.length, summary, insights};
}

/** Some formatters throw on old traces: then both sides must throw alike. */
function attempt(format: () => string): {text: string}|{error: string} {
  try {
    return {text: format()};
  } catch (error) {
    return {error: String((error as Error).message)};
  }
}

for (const file of process.argv.slice(2)) {
  let result: object;
  try {
    result = await examine(file, 'DESKTOP');
  } catch (error) {
    result = {error: String((error as Error).message)};
  }
  process.stdout.write(JSON.stringify({file, ...result}) + '\n');
}
