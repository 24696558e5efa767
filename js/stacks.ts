// Stack traces in the words of DevTools: original positions and names, ignore-listed frames left out, async parents.

import type * as Protocol from 'frontend/front_end/generated/protocol.js';
import {DebuggerModel} from 'frontend/front_end/core/sdk/DebuggerModel.js';
import {PageResourceLoader} from 'frontend/front_end/core/sdk/PageResourceLoader.js';
import type {Script} from 'frontend/front_end/core/sdk/Script.js';
import type {Target} from 'frontend/front_end/core/sdk/Target.js';
import {DebuggerWorkspaceBinding} from 'frontend/front_end/models/bindings/DebuggerWorkspaceBinding.js';
import type * as StackTrace from 'frontend/front_end/models/stack_trace/stack_trace.js';
import * as Workspace from 'frontend/front_end/models/workspace/workspace.js';

import type {PageUniverse} from './bridge/universe.js';
import {Deadline} from './deadline.js';

type RawStack = Protocol.Runtime.StackTrace;
type Frame = StackTrace.StackTrace.Frame;

/** How long scripts may take to become known: their announcement may still be on its way. */
const SCRIPTS_MS = 1000;

/** DevTools' length of a file's name in a link. */
const MAX_PLACE = 100;

/** What the front-end appends to a script's address while its source map is on its way. */
const STUB = /:sourcemap$/;

/** Column to which the line between two parts of an async stack is filled. */
const SEPARATOR = 40;

export interface StackParams {
  /** `target`: CDP target id of a frame or worker with its own, null for the page. */
  stacks: Array<{target: string|null, stack: RawStack}>;
  /** For all of it together; what is not there by then stays in generated positions. */
  deadlineMs: number;
}

export interface Translated {
  /** One array for each stack. */
  stacks: string[][];
  /** Why some positions are those of the generated code. */
  notes: string[];
}

export async function translate(universe: PageUniverse, {stacks, deadlineMs}: StackParams): Promise<Translated> {
  const deadline = new Deadline(deadlineMs);
  const notes = new Set<string>();
  // Places are told relative to the page, whose address comes with its resource tree.
  await deadline.until(() => universe.main.inspectedURL(), SCRIPTS_MS);
  const known = await Promise.all(stacks.map(({target, stack}) => load(universe, target, stack, deadline, notes)));
  const texts = await Promise.all(stacks.map(async ({target, stack}, at) => {
    const found = known[at] ? universe.target(target) : null;
    if (found) {
      const translated = await deadline.wait(
          universe.foundation.context.get(DebuggerWorkspaceBinding).createStackTraceFromProtocolRuntime(stack, found));
      if (translated) {
        return format(universe, translated);
      }
      notes.add('the page did not answer in time; some positions are those of the generated code');
    }
    return formatRaw(universe, stack);
  }));
  return {stacks: texts, notes: [...notes]};
}

/** Waits for the scripts of a stack and their source maps. Whether the front-end knows all of its scripts. */
async function load(
    universe: PageUniverse, id: string|null, stack: RawStack, deadline: Deadline, notes: Set<string>): Promise<boolean> {
  const target = await deadline.until(() => universe.target(id), SCRIPTS_MS);
  const model = target?.model(DebuggerModel);
  if (!target || !model) {
    return false;
  }
  const scripts = new Set<Protocol.Runtime.ScriptId>();
  for (let part: RawStack|undefined = stack; part; part = part.parent) {
    part.callFrames.forEach(frame => frame.scriptId && scripts.add(frame.scriptId));
  }
  const found = await Promise.all([...scripts].map(async script => {
    const parsed = await deadline.until(() => model.scriptForId(script), SCRIPTS_MS);
    if (parsed?.sourceMapURL && model.sourceMapManager()) {
      await loadMap(universe, target, model, parsed, deadline, notes);
      noteGuesses(universe, target, model, parsed, stack, notes);
    }
    return Boolean(parsed);
  }));
  return found.every(Boolean);
}

/** DevTools shows a line without mappings at the last one before it, which may be far away: that is said. */
function noteGuesses(
    universe: PageUniverse, target: Target, model: DebuggerModel, script: Script, stack: RawStack,
    notes: Set<string>): void {
  const map = model.sourceMapManager().sourceMapForClient(script);
  for (let part: RawStack|undefined = map && stack; map && part; part = part.parent) {
    for (const frame of part.callFrames.filter(frame => frame.scriptId === script.scriptId)) {
      const {lineNumber, columnNumber} = script.rawLocationToRelativeLocation(frame);
      const entry = map.findEntry(lineNumber, columnNumber);
      if (entry && entry.lineNumber !== lineNumber) {
        const at = `${short(place(universe, target, script.sourceURL))}:${frame.lineNumber + 1}`;
        notes.add(`${at}: nothing is mapped on this line, the last position before it is shown`);
      }
    }
  }
}

async function loadMap(
    universe: PageUniverse, target: Target, model: DebuggerModel, script: Script, deadline: Deadline,
    notes: Set<string>): Promise<void> {
  const loading = Symbol('loading');
  const manager = model.sourceMapManager();
  if (!script.sourceMapURL || !script.hasSourceURL && !script.sourceURL) {
    return;
  }
  const map = await deadline.wait(manager.sourceMapForClientPromise(script).then(map => map ?? loading));
  if (map && map !== loading) {
    // Its scopes restore the functions' names; they are made from the generated source in the formatter.
    await deadline.wait((map as {waitForScopeInfo?(): Promise<void>}).waitForScopeInfo?.() ?? Promise.resolve());
    return;
  }
  if (!universe.sourceMaps) {
    return;
  }
  const name = short(script.sourceMapURL.startsWith('data:') ? 'its inline source map' : script.sourceMapURL);
  const why = map === loading ? failure(universe, script) : 'it took too long';
  notes.add(`${short(place(universe, target, script.sourceURL))}: generated positions, ${name} was not used (${why})`);
}

/** What the front-end noted about loading a script's map. */
function failure(universe: PageUniverse, script: Script): string {
  const loads = universe.foundation.context.get(PageResourceLoader).getResourcesLoaded().values();
  for (const load of loads) {
    if (load.url.endsWith(script.sourceMapURL ?? '\n') || script.sourceMapURL?.endsWith(load.url)) {
      return load.success === false ? load.errorMessage || 'it could not be loaded' : 'it is not a source map';
    }
  }
  return 'it could not be read';
}

function format(universe: PageUniverse, stack: StackTrace.StackTrace.StackTrace): string[] {
  const lines = frames(universe, stack.syncFragment.frames);
  for (const part of stack.asyncFragments) {
    const own = frames(universe, part.frames);
    if (own.length) {
      lines.push(separator(part.description), ...own);
    }
  }
  return lines;
}

function separator(description: string|undefined): string {
  return `--- ${description || 'async'} `.padEnd(SEPARATOR, '-');
}

function frames(universe: PageUniverse, list: readonly Frame[]): string[] {
  const ignored = universe.foundation.context.get(Workspace.IgnoreListManager.IgnoreListManager);
  return list
      .filter(
          ({uiSourceCode, url}) => uiSourceCode ? !ignored.isUserOrSourceMapIgnoreListedUISourceCode(uiSourceCode) :
                                                  !url || !ignored.isUserIgnoreListedURL(url as never))
      .map(frame => `at ${frame.name ?? '<anonymous>'}${location(universe, frame)}`);
}

function location(universe: PageUniverse, {uiSourceCode, url, line, column}: Frame): string {
  if (!uiSourceCode) {
    return url ? ` (${short(place(universe, universe.main, url))}:${line + 1}:${column + 1})` : '';
  }
  const link = uiSourceCode.uiLocation(line, column).linkText(true, true);
  const label = uiSourceCode.displayName(true);
  const name = label.replace(STUB, '');
  const full = place(universe, universe.main, uiSourceCode.url().replace(STUB, ''));
  // Names that DevTools makes up (`(index)`, `VM12`) stay.
  const isFile = full.endsWith(name) && !full.startsWith('debugger:');
  return ` (${short(isFile ? full : name)}${link.slice(label.length)})`;
}

/** A path below the page's own origin, else the whole address. Two files of one name are told apart by it. */
function place(universe: PageUniverse, target: Target, url: string): string {
  const page = URL.parse(universe.main.inspectedURL());
  const parsed = URL.parse(url);
  if (!parsed) {
    return url;
  }
  const shown = page && page.origin !== 'null' && parsed.origin === page.origin && parsed.protocol === page.protocol ?
      parsed.pathname.slice(1) + parsed.search :
      url;
  try {
    return decodeURI(shown) || '(index)';
  } catch {
    return shown || '(index)';
  }
}

/** Shortened from the left: the end of a path says most. */
function short(text: string): string {
  return text.length > MAX_PLACE ? `\u2026${text.slice(text.length - MAX_PLACE + 1)}` : text;
}

/** For scripts that are gone, as after a navigation. */
function formatRaw(universe: PageUniverse, stack: RawStack): string[] {
  const lines: string[] = [];
  for (let part: RawStack|undefined = stack; part; part = part.parent) {
    if (part !== stack && part.callFrames.length) {
      lines.push(separator(part.description));
    }
    for (const {functionName, url, lineNumber, columnNumber} of part.callFrames) {
      const at = url ? ` (${short(place(universe, universe.main, url))}:${lineNumber + 1}:${columnNumber + 1})` : '';
      lines.push(`at ${functionName}${at}`);
    }
  }
  return lines;
}
