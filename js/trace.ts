// Trace analysis: one stored trace per isolate, so that dropping the isolate returns its memory.
//
// Everything that is said about a trace comes from the front-end's engine and formatters. Ours is only the loading:
// events arrive in pieces (Rust has split the file at event boundaries), so no string limit and no second copy.

import * as Common from 'frontend/front_end/core/common/common.js';
import type * as Platform from 'frontend/front_end/core/platform/platform.js';
import * as SourceMap from 'frontend/front_end/core/sdk/SourceMap.js';
import {PerformanceInsightFormatter} from 'frontend/front_end/models/ai_assistance/data_formatters/PerformanceInsightFormatter.js';
import {PerformanceTraceFormatter} from 'frontend/front_end/models/ai_assistance/data_formatters/PerformanceTraceFormatter.js';
import {AgentFocus} from 'frontend/front_end/models/ai_assistance/performance/AIContext.js';
import type * as CrUXManager from 'frontend/front_end/models/crux-manager/crux-manager.js';
import * as Trace from 'frontend/front_end/models/trace/trace.js';

import {type Answer, fieldData, fieldDataQuestions} from './field_data.js';
import type {CallContext} from './host/service.js';

type ParsedTrace = Trace.TraceModel.ParsedTrace;
type Event = Trace.Types.Events.Event;
type MetaData = Trace.Types.File.MetaData;
type DeviceScope = CrUXManager.DeviceScope;
type ResolveParams = Trace.Types.Configuration.ResolveSourceMapParams;

interface LoadParams {
  /** Recorded just now by this program; the file's own source maps are ignored then, as in DevTools. */
  fresh?: boolean;
  /** Overrides the file's metadata: CPU slow-down factor. */
  cpuThrottling?: number;
  /** Overrides the file's metadata: name of the network condition. */
  networkThrottling?: string;
}

interface Overview {
  eventCount: number;
  insightSets: Array<{id: string, url: string, insights: Array<{name: string, key: string|null, state: string|null}>}>;
}

type InsightAnswer = {status: 'ok', text: string}|{status: 'noInsights' | 'unknownSet' | 'unknownInsight'};

let current: ParsedTrace|null = null;

/**
 * Category and name repeat in every event, and JSON.parse makes a new string each time. One copy of each saves a
 * quarter of a large trace's memory. Bounded: a page can invent names.
 */
class Interner {
  static readonly MAX = 20_000;
  readonly #known = new Map<string, string>();

  intern(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.#known.size < Interner.MAX) {
      this.#known.set(text, text);
    }
    return text;
  }
}

function collect(call: CallContext): {events: Event[], metadata: MetaData} {
  const events: Event[] = [];
  let metadata: MetaData = {};
  const strings = new Interner();
  for (const piece of call.input()) {
    if (!Array.isArray(piece)) {
      metadata = piece as MetaData;
      continue;
    }
    for (const event of piece as Event[]) {
      // Only what is a string already: a damaged file may hold anything, and the engine decides what that means.
      if (typeof event.cat === 'string') {
        event.cat = strings.intern(event.cat);
      }
      if (typeof event.name === 'string') {
        event.name = strings.intern(event.name) as typeof event.name;
      }
      events.push(event);
    }
  }
  return {events, metadata};
}

/** DevTools' rule for files: maps stored in the trace and maps inside `data:` URLs, never the network. */
async function resolveSourceMap(params: ResolveParams): Promise<SourceMap.SourceMap|null> {
  const {sourceUrl, sourceMapUrl, cachedRawSourceMap} = params;
  const payload = cachedRawSourceMap ?? sourceMapFromDataUrl(sourceMapUrl);
  if (!payload || !sourceUrl) {
    return null;
  }
  return new SourceMap.SourceMap(sourceUrl, sourceMapUrl, payload, Common.Console.Console.instance());
}

function sourceMapFromDataUrl(url: string): SourceMap.SourceMapV3|null {
  const match = /^data:[^,]*?(;base64)?,/.exec(url);
  if (!match) {
    return null;
  }
  try {
    const body = url.slice(match[0].length);
    const text = match[1] ? new TextDecoder().decode(Uint8Array.from(atob(body), c => c.charCodeAt(0))) :
                            decodeURIComponent(body);
    return SourceMap.parseSourceMap(text);
  } catch (error) {
    console.warn('a source map in a data: URL could not be read', error);
    return null;
  }
}

/**
 * Chrome's list of frames at the start of a recording has the page's own first and then, under the same id, each page in
 * its back/forward cache; the engine takes the last one for the page that was recorded.
 */
function forgetCachedPages(events: Event[]): void {
  for (const event of events) {
    if (event.name !== 'TracingStartedInBrowser') {
      continue;
    }
    const data = (event.args as {data?: {frames?: Array<{frame: string}>}} | undefined)?.data;
    if (Array.isArray(data?.frames)) {
      const seen = new Set<string>();
      data.frames = data.frames.filter(({frame}) => !seen.has(frame) && seen.add(frame));
    }
  }
}

async function analyse(
    events: Event[], metadata: MetaData, fresh: boolean,
    onProgress: (fraction: number) => void): Promise<ParsedTrace> {
  // A model keeps every trace it has parsed: a fresh one per trace.
  const model = Trace.TraceModel.Model.createWithAllHandlers();
  model.addEventListener(Trace.TraceModel.ModelUpdateEvent.eventName, event => {
    const {data} = event as Trace.TraceModel.ModelUpdateEvent;
    if (!Trace.TraceModel.isModelUpdateDataComplete(data)) {
      onProgress(data.data.percent);
    }
  });
  await model.parse(events, {
    metadata: Object.keys(metadata).length ? metadata : undefined,
    isFreshRecording: fresh,
    // Nothing else runs in this isolate, and it is ended from outside when it must stop: the engine yields only where
    // that is worth a progress report.
    yieldToMain: events.length > 200_000,
    resolveSourceMap,
  });
  const parsed = model.parsedTrace();
  if (!parsed) {
    throw new Error('the trace engine returned no parsed trace');
  }
  return parsed;
}

function overview(parsed: ParsedTrace): Overview {
  const insightSets = [...parsed.insights?.values() ?? []].map(set => ({
    id: set.id as string,
    url: set.url.href,
    insights: Object.entries(set.model).map(([name, model]) => ({
      name,
      key: model && 'insightKey' in model ? model.insightKey as string : null,
      state: model && 'state' in model ? model.state as string : null,
    })),
  }));
  return {eventCount: parsed.traceEvents.length, insightSets};
}

function loaded(): ParsedTrace {
  if (!current) {
    throw new Error('no trace is loaded in this isolate');
  }
  return current;
}

function summary({deviceScope}: {deviceScope: DeviceScope|null}): string {
  return new PerformanceTraceFormatter(AgentFocus.fromParsedTrace(loaded()), deviceScope).formatTraceSummary();
}

function insight({set, name, deviceScope}: {set: string, name: string, deviceScope: DeviceScope|null}): InsightAnswer {
  const parsed = loaded();
  if (!parsed.insights) {
    return {status: 'noInsights'};
  }
  const insightSet = parsed.insights.get(set as Trace.Types.Events.NavigationId);
  if (!insightSet) {
    return {status: 'unknownSet'};
  }
  if (!Object.hasOwn(insightSet.model, name)) {
    return {status: 'unknownInsight'};
  }
  const model = insightSet.model[name as keyof typeof insightSet.model] as Trace.Insights.Types.InsightModel;
  const formatter = new PerformanceInsightFormatter(AgentFocus.fromParsedTrace(parsed), model, deviceScope);
  return {status: 'ok', text: formatter.formatInsight()};
}

export const trace = {
  async load(params: LoadParams, call: CallContext): Promise<Overview> {
    current = null;
    const started = performance.now();
    const {events, metadata} = collect(call);
    const collected = performance.now();
    call.throwIfCancelled();
    if (params.fresh) {
      forgetCachedPages(events);
    }
    const combined: MetaData = {...metadata};
    if (params.cpuThrottling != null) {
      combined.cpuThrottling = params.cpuThrottling;
    }
    if (params.networkThrottling != null) {
      combined.networkThrottling = params.networkThrottling;
    }
    current = await analyse(events, combined, params.fresh ?? false, fraction => {
      call.throwIfCancelled();
      call.progress(fraction, `analysing ${events.length} events`);
    });
    console.debug(`${events.length} events: read in ${Math.round(collected - started)} ms, analysed in ${
        Math.round(performance.now() - collected)} ms`);
    return overview(current);
  },

  summary,
  insight,

  /** The addresses that the trace is about. */
  pageUrls(): string[] {
    const parsed = loaded();
    const urls = [...parsed.insights?.values() ?? []].map(set => set.url.href);
    return [...new Set([...urls, parsed.data.Meta.mainFrameURL])];
  },

  fieldDataQuestions,

  /** Adds what real users of these pages see, which the texts above then have. */
  async addFieldData({answers}: {answers: Answer[]}): Promise<void> {
    loaded().metadata.cruxFieldData = await fieldData(answers);
  },

  /** The fixed explanations of how call frames and network requests are written in the texts above. */
  formatDescriptions(): {callFrames: string, network: string} {
    return {
      callFrames: PerformanceTraceFormatter.callFrameDataFormatDescription,
      network: PerformanceTraceFormatter.networkDataFormatDescription,
    };
  },

  /** The browser's trace categories that DevTools' Performance panel records, with samples and screenshots. */
  categories(): string[] {
    return [
      ...Trace.Types.Events.DefaultCategories,
      ...Trace.Types.Events.OptionalCategories.JsSampling,
      ...Trace.Types.Events.OptionalCategories.Screenshot,
    ];
  },
};

/** Runs a small trace through everything while the snapshot is made, so that the bytecode is in it. */
export async function warmTrace(text: string): Promise<void> {
  const file = JSON.parse(text) as Event[]|{traceEvents: Event[], metadata?: MetaData};
  const events = Array.isArray(file) ? file : file.traceEvents;
  const metadata = Array.isArray(file) ? {} : file.metadata ?? {};
  current = await analyse(events, metadata, false, () => {});
  summary({deviceScope: 'DESKTOP' as DeviceScope});
  for (const set of overview(current).insightSets) {
    for (const {name} of set.insights) {
      insight({set: set.id, name, deviceScope: 'DESKTOP' as DeviceScope});
    }
  }
  // The handlers keep the last trace in module state: leave none of it in the snapshot.
  current = null;
  forgetMainFrame();
  for (const handler of Object.values(Trace.Handlers.ModelHandlers)) {
    handler.reset();
  }
  Trace.Helpers.SyntheticEvents.SyntheticEventsManager.reset();
}

/**
 * The Meta handler's `reset` forgets neither the main frame nor the pixel ratio (front-end 1.0.1705227); traces without
 * such events would show the warm-up's. Events that set them to their initial values do.
 */
function forgetMainFrame(): void {
  const event = (name: string, data: object): Event =>
      ({name, cat: '', ph: 'I', pid: 0, tid: 0, ts: 0, args: {data}}) as unknown as Event;
  const {Meta} = Trace.Handlers.ModelHandlers;
  Meta.reset();
  const frame = {frame: '', url: '', name: '', processId: 0, isOutermostMainFrame: true, isInPrimaryMainFrame: true};
  Meta.handleEvent(event('TracingStartedInBrowser', {frames: [frame]}));
  Meta.handleEvent(event('PaintTimingVisualizer::Viewport', {is_main_frame: true, dpr: null, viewport_rect: [0, 0, 0, 0, 0, 0]}));
}
