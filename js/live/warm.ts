// A page that exists only here, asked for a mapped stack, an element's styles and an issue while the start-up snapshot is
// made, so that the bytecode of the way to them is in it: the first such answer of a process would wait for it otherwise.

import type {CDPConnectionObserver, CDPEvent, Event} from 'frontend/front_end/core/protocol_client/CDPConnection.js';

import {type PageConnection, PageUniverse} from '../bridge/universe.js';
import {styles} from '../css.js';
import {freshFormatterPool} from '../host/formatter_pool.js';
import {withLocalWorkers} from '../host/host_runtime.js';
import {issues} from '../issues.js';
import {network} from '../network.js';
import {translate} from '../stacks.js';

const SESSION = 'warm-up';
const ORIGIN = 'http://warm-up.test';
const DEADLINE_MS = 5000;

const SOURCE = 'function a(b){if(b>1){throw new Error("no")}return b}setTimeout(()=>{a(2)},1);';
const MAP = {
  version: 3,
  sources: ['warm.ts'],
  names: ['total', 'count'],
  sourcesContent: ['function total(count) {\n  if (count > 1) throw new Error("no")\n  return count\n}\nsetTimeout(() => total(2), 1)\n'],
  mappings: 'AAAA,SAASA,EAAMC,GACb,GAAIA,EAAQ,EAAG,MAAM,IAAI,MAAM,OAC/B,OAAOA,CAETC,WAAW,MAAMF,EAAM,GAAI',
};

const RANGE = {startLine: 0, startColumn: 0, endLine: 0, endColumn: 40};

function style(text: string): object {
  const cssProperties = text.split(';').filter(Boolean).map(part => {
    const [name, value] = part.split(':');
    return {name, value, text: `${part};`, range: RANGE, implicit: false, disabled: false};
  });
  return {styleSheetId: 'sheet', cssProperties, shorthandEntries: [], cssText: text, range: RANGE};
}

function rule(selector: string, text: string, more: object = {}): object {
  const selectorList = {selectors: [{text: selector, range: RANGE}], text: selector};
  return {matchingSelectors: [0], rule: {styleSheetId: 'sheet', origin: 'regular', selectorList, style: style(text), ...more}};
}

const ELEMENT = {
  nodeId: 3, backendNodeId: 3, nodeType: 1, nodeName: 'P', localName: 'p', nodeValue: '', childNodeCount: 0,
  attributes: ['class', 'a', 'style', 'color: red'], children: [],
};
const BODY = {
  nodeId: 2, backendNodeId: 2, nodeType: 1, nodeName: 'BODY', localName: 'body', nodeValue: '', childNodeCount: 1,
  attributes: [], children: [ELEMENT],
};
const ROOT = {
  nodeId: 1, backendNodeId: 1, nodeType: 9, nodeName: '#document', localName: '', nodeValue: '', childNodeCount: 1,
  documentURL: `${ORIGIN}/`, baseURL: `${ORIGIN}/`, children: [BODY],
};

const ANSWERS: Record<string, object> = {
  'Debugger.enable': {debuggerId: 'warm-up'},
  'Debugger.getScriptSource': {scriptSource: SOURCE},
  'Network.getSecurityIsolationStatus': {status: {}},
  'Network.loadNetworkResource': {resource: {success: true, httpStatusCode: 200, headers: {}, stream: '1'}},
  'DOM.getDocument': {root: ROOT},
  'DOM.pushNodesByBackendIdsToFrontend': {nodeIds: [3]},
  'CSS.getMatchedStylesForNode': {
    inlineStyle: style('color:red'),
    attributesStyle: style(''),
    matchedCSSRules: [
      rule('p', 'color:blue;margin:0 1px;--size:2px'),
      rule('.a', 'width:calc(var(--size)*2);animation:move 1s', {
        media: [{text: '(min-width: 1px)', source: 'mediaRule', styleSheetId: 'sheet', range: RANGE}],
        layers: [{text: 'base', styleSheetId: 'sheet', range: RANGE}],
        supports: [],
      }),
    ],
    pseudoElements: [{pseudoType: 'before', matches: [rule('p::before', 'content:"x"')]}],
    inherited: [{matchedCSSRules: [rule('body', 'font:12px serif;color:green')]}],
    inheritedPseudoElements: [],
    cssKeyframesRules: [{
      animationName: {text: 'move', range: RANGE},
      keyframes: [{styleSheetId: 'sheet', origin: 'regular', keyText: {text: '100%', range: RANGE}, style: style('left:1px')}],
    }],
    cssPropertyRules: [{
      styleSheetId: 'sheet', origin: 'regular', propertyName: {text: '--size', range: RANGE},
      style: style('syntax:"<length>";inherits:true;initial-value:0px'),
    }],
  },
};

/** Answers for a page at once. */
class WarmConnection implements PageConnection {
  readonly #observers = new Set<CDPConnectionObserver>();
  readonly #before: (event: CDPEvent<Event>) => void;
  #stream = btoa(JSON.stringify(MAP));

  constructor(before: (event: CDPEvent<Event>) => void) {
    this.#before = before;
  }

  async send(method: string): Promise<any> {
    return {result: method === 'IO.read' ? this.#read() : ANSWERS[method] ?? {}};
  }

  /** The one stream there is, in one piece. */
  #read(): object {
    const data = this.#stream;
    this.#stream = '';
    return {data, base64Encoded: true, eof: !data};
  }

  async request(): Promise<string> {
    throw new Error('the page itself loads all that is asked for');
  }

  observe(observer: CDPConnectionObserver): void {
    this.#observers.add(observer);
  }

  unobserve(observer: CDPConnectionObserver): void {
    this.#observers.delete(observer);
  }

  close(): void {
    this.#observers.clear();
  }

  tell(method: string, params: object, sessionId = SESSION): void {
    const event = {method, params, sessionId} as unknown as CDPEvent<Event>;
    this.#before(event);
    this.#observers.forEach(observer => observer.onEvent(event));
  }
}

function announce(connection: WarmConnection): void {
  const frame = {
    id: 'frame', loaderId: 'loader', url: `${ORIGIN}/`, domainAndRegistry: '', securityOrigin: ORIGIN, mimeType: 'text/html',
  };
  connection.tell('Page.frameNavigated', {frame, type: 'Navigation'});
  const auxData = {isDefault: true, type: 'default', frameId: 'frame'};
  connection.tell('Runtime.executionContextCreated', {context: {id: 1, origin: ORIGIN, name: '', uniqueId: '1', auxData}});
  const script = {
    startLine: 0, startColumn: 0, endLine: 0, endColumn: SOURCE.length, executionContextId: 1,
    executionContextAuxData: auxData, isLiveEdit: false, hasSourceURL: false, isModule: false, length: SOURCE.length,
    scriptLanguage: 'JavaScript', embedderName: '',
  };
  const inline = `data:application/json;base64,${btoa(JSON.stringify(MAP))}`;
  connection.tell('Debugger.scriptParsed', {...script, scriptId: '1', url: `${ORIGIN}/a.js`, hash: '1', sourceMapURL: inline});
  connection.tell('Debugger.scriptParsed', {...script, scriptId: '2', url: `${ORIGIN}/b.js`, hash: '2', sourceMapURL: 'b.js.map'});
  connection.tell('CSS.styleSheetAdded', {
    header: {
      styleSheetId: 'sheet', frameId: 'frame', sourceURL: `${ORIGIN}/a.css`, origin: 'regular', title: '', disabled: false,
      isInline: false, isMutable: false, isConstructed: false, startLine: 0, startColumn: 0, length: 40, endLine: 0, endColumn: 40,
    },
  });
}

function stack(scriptId: string, url: string): any {
  const frame = (functionName: string, columnNumber: number): object =>
      ({functionName, scriptId, url, lineNumber: 0, columnNumber});
  return {
    callFrames: [frame('a', 28), frame('', 68)],
    parent: {description: 'setTimeout', callFrames: [frame('', 53)]},
  };
}

async function warmPage(): Promise<void> {
  let connection!: WarmConnection;
  const universe = new PageUniverse(before => connection = new WarmConnection(before), {session: SESSION, sourceMaps: true});
  announce(connection);
  const stacks = ['a', 'b'].map((name, at) => ({target: null, stack: stack(`${at + 1}`, `${ORIGIN}/${name}.js`)}));
  const translated = await translate(universe, {stacks, deadlineMs: DEADLINE_MS});
  // What does not go the whole way warms nothing.
  if (translated.notes.length || !translated.stacks.every(lines => lines[0].startsWith('at total (warm.ts:2:'))) {
    throw new Error(`the warm-up's stacks were not mapped: ${JSON.stringify(translated)}`);
  }
  const found = await styles(universe, {target: null, backend: ELEMENT.backendNodeId, deadlineMs: DEADLINE_MS});
  if (!('blocks' in found) || found.blocks.length < 4) {
    throw new Error(`the warm-up's styles were not found: ${JSON.stringify(found)}`);
  }
  universe.dispose();
}

export async function warmLive(): Promise<void> {
  // The formatter worker's functions run here, and so stand in the blob that its isolate starts from.
  await withLocalWorkers(async () => {
    // Twice: some functions are only kept after more than one call.
    await warmPage();
    await warmPage();
  });
  freshFormatterPool();
  const details = {genericIssueDetails: {errorType: 'FormLabelForNameError', violatingNodeId: 1}};
  issues.group({issues: [{code: 'GenericIssue', details} as never]});
  network.sanitizeHeaders({headers: [{name: 'authorization', value: 'x'}, {name: 'accept', value: '*/*'}]});
}
