// Where rules come from: the original file where a style sheet has a source map, else the sheet itself.

import type {CSSRule} from 'frontend/front_end/core/sdk/CSSRule.js';
import {CSSStyleRule} from 'frontend/front_end/core/sdk/CSSRule.js';
import {CSSLocation} from 'frontend/front_end/core/sdk/CSSLocation.js';
import type {CSSStyleSheetHeader} from 'frontend/front_end/core/sdk/CSSStyleSheetHeader.js';
import type {TextRange} from 'frontend/front_end/core/text_utils/TextRange.js';
import {CSSWorkspaceBinding} from 'frontend/front_end/models/bindings/CSSWorkspaceBinding.js';

import type {PageUniverse} from '../bridge/universe.js';
import type {Deadline} from '../deadline.js';

/** A place in a file; its label depends on the other files of the answer. */
interface Place {
  url: string;
  line: number;
}

export class Sources {
  readonly #universe: PageUniverse;
  readonly #urls = new Set<string>();
  readonly #unlabelled: Array<{at: {source?: string}, place: Place}> = [];
  readonly notes = new Set<string>();

  constructor(universe: PageUniverse) {
    this.#universe = universe;
  }

  /** Waits for the source maps of the sheets. */
  async load(rules: Iterable<CSSRule>, deadline: Deadline): Promise<void> {
    const sheets = new Set<CSSStyleSheetHeader>();
    for (const {header} of rules) {
      if (header?.sourceMapURL && this.#universe.sourceMaps) {
        sheets.add(header);
      }
    }
    await Promise.all([...sheets].map(async sheet => {
      const loading = sheet.cssModel().sourceMapManager().sourceMapForClientPromise(sheet).then(map => map ?? null);
      const map = await deadline.wait(loading);
      if (!map) {
        const name = sheet.sourceMapURL?.startsWith('data:') ? 'its inline source map' : sheet.sourceMapURL;
        const why = map === undefined ? 'it took too long' : 'it could not be loaded or read';
        this.notes.add(`${last(sheet.resourceURL()) || '<style>'}: generated positions, ${name} was not used (${why})`);
      }
    }));
  }

  /** Gives `at` the source of a rule, when all are known. */
  note(at: {source?: string}, rule: CSSRule): void {
    if (rule.isUserAgent()) {
      at.source = 'user agent stylesheet';
      return;
    }
    if (rule.isInjected()) {
      at.source = 'injected stylesheet';
      return;
    }
    if (rule.isViaInspector()) {
      at.source = 'via inspector';
      return;
    }
    const header = rule.header;
    if (!header) {
      return;
    }
    if (header.isConstructedByNew() && !header.sourceMapURL) {
      at.source = 'constructed stylesheet';
      return;
    }
    const range = rule instanceof CSSStyleRule ? rule.selectorRange() ?? rule.style.range : rule.style.range;
    const place = this.#place(header, range);
    this.#urls.add(place.url);
    this.#unlabelled.push({at, place});
  }

  #place(header: CSSStyleSheetHeader, range: TextRange|null): Place {
    const line = header.lineNumberInSource(range?.startLine ?? 0);
    const column = header.columnNumberInSource(range?.startLine ?? 0, range?.startColumn ?? 0);
    const mapped = this.#universe.foundation.context.get(CSSWorkspaceBinding)
                       .rawLocationToUILocation(new CSSLocation(header, line, column));
    if (mapped && header.sourceMapURL) {
      return {url: mapped.uiSourceCode.url(), line: mapped.lineNumber + 1};
    }
    return {url: header.isConstructedByNew() ? 'constructed stylesheet' : header.resourceURL(), line: line + 1};
  }

  /** Writes the labels: a file's name, with as much of its path as tells it from the others. */
  label(): void {
    const labels = new Map<string, string>();
    for (let parts = 1; this.#urls.size && parts <= MAX_PARTS; parts++) {
      const byLabel = Map.groupBy(this.#urls, url => last(url, parts));
      for (const [label, urls] of byLabel) {
        if (urls.length === 1 || parts === MAX_PARTS) {
          urls.forEach(url => {
            labels.set(url, label);
            this.#urls.delete(url);
          });
        }
      }
    }
    for (const {at, place} of this.#unlabelled) {
      at.source = `${labels.get(place.url) || '<style>'}:${place.line}`;
    }
  }
}

/** Parts of a path that a label shows at most. */
const MAX_PARTS = 8;

/** The last parts of an address's path. */
function last(url: string, parts = 1): string {
  if (!url) {
    return '';
  }
  for (const scheme of ['data', 'blob']) {
    if (url.startsWith(`${scheme}:`)) {
      return scheme === 'data' ? 'data-uri' : scheme;
    }
  }
  const path = URL.parse(url)?.pathname ?? url.replace(/[?#].*$/, '');
  const name = path.split('/').slice(-parts).join('/').replace(/^\/+/, '');
  try {
    return decodeURI(name) || 'index';
  } catch {
    return name || 'index';
  }
}
