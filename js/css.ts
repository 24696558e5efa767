// An element's styles as the Styles pane has them: matched, inherited and pseudo rules in cascade order, and the
// at-rules that they use.

import {cssMetadata} from 'frontend/front_end/core/sdk/CSSMetadata.js';
import {type CSSMatchedStyles, PropertyState} from 'frontend/front_end/core/sdk/CSSMatchedStyles.js';
import {CSSModel} from 'frontend/front_end/core/sdk/CSSModel.js';
import type {CSSProperty} from 'frontend/front_end/core/sdk/CSSProperty.js';
import {
  CSSFunctionRule,
  type CSSNestedStyle,
  CSSRule,
  CSSStyleRule,
} from 'frontend/front_end/core/sdk/CSSRule.js';
import {type CSSStyleDeclaration, Type} from 'frontend/front_end/core/sdk/CSSStyleDeclaration.js';
import {DOMModel, type DOMNode} from 'frontend/front_end/core/sdk/DOMModel.js';
import type * as Protocol from 'frontend/front_end/generated/protocol.js';

import type {PageUniverse} from './bridge/universe.js';
import {ancestors, query, reference} from './css/ancestors.js';
import type {Ancestor, Block, Keyframe, NodeRef, Part, Property} from './css/blocks.js';
import {Sources} from './css/sources.js';
import {Deadline} from './deadline.js';

export interface StyleParams {
  /** CDP target id of a frame with its own, null for the page. */
  target: string|null;
  backend: number;
  /** For all source maps together. */
  deadlineMs: number;
}

export type Styles = {
  element: NodeRef,
  blocks: Block[],
  /** Why some positions are those of generated sheets. */
  notes: string[],
}|{
  failure: 'detached'|'not-element'|'no-styles',
};

/** How long a target that was attached a moment ago may take to become known. */
const TARGET_MS = 1000;

/** How often an element's styles are asked for. */
const ATTEMPTS = 3;

export async function styles(
    universe: PageUniverse, {target: id, backend, deadlineMs}: StyleParams): Promise<Styles> {
  const deadline = new Deadline(deadlineMs);
  const target = await deadline.until(() => universe.target(id), TARGET_MS);
  const dom = target?.model(DOMModel);
  const css = target?.model(CSSModel);
  if (!dom || !css) {
    return {failure: 'detached'};
  }
  let found = await lookUp(universe, dom, css, backend, deadline);
  // Chrome announces a document anew when the DOM is first asked for: the numbers of its nodes are others then.
  for (let left = ATTEMPTS - 1; left > 0 && 'failure' in found && found.failure === 'no-styles'; left--) {
    found = await lookUp(universe, dom, css, backend, deadline);
  }
  return found;
}

async function lookUp(
    universe: PageUniverse, dom: DOMModel, css: CSSModel, backend: number, deadline: Deadline): Promise<Styles> {
  const number = backend as Protocol.DOM.BackendNodeId;
  const node = (await dom.pushNodesByBackendIdsToFrontend(new Set([number])))?.get(number);
  if (!node) {
    return {failure: 'detached'};
  }
  const element = node.enclosingElementOrSelf();
  if (!element) {
    return {failure: 'not-element'};
  }
  if (!isConnected(element)) {
    return {failure: 'detached'};
  }
  const matched = await css.getMatchedStyles(element.id);
  if (!matched) {
    return {failure: 'no-styles'};
  }
  const walk = new Walk(matched, element, new Sources(universe));
  return {element: reference(element), blocks: await walk.blocks(deadline), notes: [...walk.sources.notes]};
}

/** Nodes that were removed stay known for a while. */
function isConnected(node: DOMNode): boolean {
  let top = node;
  while (top.parentNode) {
    top = top.parentNode;
  }
  // The document of a frame with a process of its own hangs below its owner, in another model.
  return top === top.domModel().existingDocument();
}

class Walk {
  readonly #matched: CSSMatchedStyles;
  readonly #element: DOMNode;

  constructor(matched: CSSMatchedStyles, element: DOMNode, readonly sources: Sources) {
    this.#matched = matched;
    this.#element = element;
  }

  async blocks(deadline: Deadline): Promise<Block[]> {
    const matched = this.#matched;
    await this.sources.load(this.#rules(), deadline);
    const blocks: Array<Block|undefined> = [];
    for (const style of matched.nodeStyles()) {
      blocks.push(await this.#own(style));
    }
    for (const name of matched.customHighlightPseudoNames()) {
      for (const style of matched.customHighlightPseudoStyles(name)) {
        blocks.push(await this.#pseudo(style, `::highlight(${name})`, true));
      }
    }
    for (const type of matched.pseudoTypes()) {
      for (const style of matched.pseudoStyles(type)) {
        blocks.push(await this.#pseudo(style, `::${type}`, cssMetadata().isHighlightPseudoType(type)));
      }
    }
    blocks.push(...this.#atRules());
    this.sources.label();
    return blocks.filter(block => block !== undefined);
  }

  * #rules(): Generator<CSSRule> {
    const matched = this.#matched;
    const styles = [
      ...matched.nodeStyles(),
      ...[...matched.customHighlightPseudoNames()].flatMap(name => matched.customHighlightPseudoStyles(name)),
      ...[...matched.pseudoTypes()].flatMap(type => matched.pseudoStyles(type)),
      ...matched.registeredProperties().map(property => property.style()),
    ];
    for (const {parentRule} of styles) {
      if (parentRule) {
        yield parentRule;
      }
    }
    yield* matched.keyframes().flatMap(rule => rule.keyframes());
    yield* matched.atRules();
    yield* matched.positionTryRules();
    yield* matched.functionRules();
  }

  /** A style of the element's own cascade. */
  async #own(style: CSSStyleDeclaration): Promise<Block|undefined> {
    const inherited = this.#matched.isInherited(style);
    const properties = this.#properties(style).filter(({name}) => !inherited || this.#inherits(name));
    if (!properties.length) {
      return undefined;
    }
    const node = this.#matched.nodeForStyle(style);
    const block: Block = {type: 'matched', selector: '', properties};
    switch (style.type) {
      case Type.Transition:
        Object.assign(block, {type: 'transition', selector: 'transitions style'});
        break;
      case Type.Animation: {
        const name = style.animationName();
        Object.assign(
            block, {type: 'animation', selector: name ? `${name} animation` : 'animation style'}, name ? {name} : {});
        break;
      }
      case Type.Inline:
        Object.assign(block, {type: 'inline', selector: 'element.style'});
        break;
      case Type.Attributes:
        Object.assign(
            block, {type: 'attributes', selector: `${(node ?? this.#element).nodeNameInCorrectCase()}[attributes style]`});
        break;
      default:
        await this.#describe(block, style, node);
    }
    if (inherited) {
      delete block.isUserAgent;
      block.type = 'inherited';
      block.node = node ? reference(node) : undefined;
    }
    return block;
  }

  async #pseudo(style: CSSStyleDeclaration, pseudoType: string, highlight: boolean): Promise<Block|undefined> {
    const inherited = this.#matched.isInherited(style);
    const passes = (name: string): boolean => highlight && !cssMetadata().isCustomProperty(name) || this.#inherits(name);
    const properties = this.#properties(style).filter(({name}) => !inherited || passes(name));
    if (!properties.length) {
      return undefined;
    }
    const node = this.#matched.nodeForStyle(style);
    const block: Block = {type: 'pseudo', pseudoType, selector: pseudoType, properties};
    await this.#describe(block, style, inherited ? node : this.#element);
    if (inherited && node) {
      block.node = reference(node);
    }
    return block;
  }

  /** What is known of a style from its rule. */
  async #describe(block: Block, style: CSSStyleDeclaration, node: DOMNode|null): Promise<void> {
    const rule = style.parentRule;
    if (!(rule instanceof CSSStyleRule)) {
      return;
    }
    // Declarations right inside a nested at-rule are, in effect, those of `&`.
    block.selector = rule.selectorText() || block.selector || '&';
    const around = await ancestors(rule, node);
    if (around.length) {
      block.ancestors = around;
    }
    if (rule.selectors.length > 1) {
      block.matchingSelectors = this.#matched.getMatchingSelectors(rule).map(index => rule.selectors[index].text);
    }
    this.sources.note(block, rule);
    if (rule.isUserAgent()) {
      block.isUserAgent = true;
    }
  }

  * #atRules(): Generator<Block> {
    const matched = this.#matched;
    for (const rule of matched.keyframes()) {
      const name = rule.name().text;
      const keyframes = rule.keyframes().map(frame => {
        const keyframe: Keyframe = {keyText: frame.key().text, properties: this.#properties(frame.style)};
        this.sources.note(keyframe, frame);
        return keyframe;
      });
      const block: Block = {type: 'keyframes', name, selector: `@keyframes ${name}`, keyframes};
      const first = rule.keyframes()[0];
      if (first) {
        this.sources.note(block, first);
      }
      yield block;
    }
    for (const rule of matched.atRules()) {
      const [atRuleType, name, subsection] = [rule.type(), rule.name()?.text, rule.subsection()];
      const header = name ? `@${atRuleType} ${name}` : `@${atRuleType}`;
      const named = name ? {name} : {};
      yield* this.#atRule(rule, {
        type: 'at-rule',
        atRuleType,
        ...named,
        ...subsection ? {subsection, ancestors: [{type: 'at-rule', atRuleType, ...named}]} : {},
        selector: subsection ? `@${subsection}` : header,
      });
    }
    for (const rule of matched.positionTryRules()) {
      const name = rule.name().text;
      yield* this.#atRule(rule, {type: 'position-try', name, active: rule.active(), selector: `@position-try ${name}`});
    }
    for (const property of matched.registeredProperties()) {
      const [name, style] = [property.propertyName(), property.style()];
      const properties = this.#properties(style);
      const block: Block = {type: 'property', name, selector: `@property ${name}`, properties};
      if (style.parentRule) {
        this.sources.note(block, style.parentRule);
      } else {
        block.source = 'CSS.registerProperty';
      }
      yield block;
    }
    for (const rule of matched.functionRules()) {
      yield* this.#function(rule);
    }
  }

  * #atRule(rule: CSSRule, block: Block): Generator<Block> {
    block.properties = this.#properties(rule.style);
    if (block.properties.length) {
      this.sources.note(block, rule);
      yield block;
    }
  }

  * #function(rule: CSSFunctionRule): Generator<Block> {
    const name = rule.nameWithParameters();
    const block: Block = {type: 'function', name, selector: `@function ${name}`, body: this.#body(rule.children())};
    this.sources.note(block, rule);
    yield block;
  }

  #body(children: CSSNestedStyle[]): Part[] {
    return children.flatMap(child => {
      if ('style' in child) {
        return [{properties: this.#properties(child.style)}];
      }
      const condition = conditionOf(child);
      const body = this.#body(child.children);
      return condition ? [{condition, body}] : body;
    });
  }

  #properties(style: CSSStyleDeclaration): Property[] {
    const leading = style.leadingProperties();
    return (leading.length ? leading : style.allProperties()).map(property => this.#property(property));
  }

  #property(property: CSSProperty): Property {
    // Rules of the browser's own sheet may have it in their values alone.
    const value = property.important ? property.value.replace(IMPORTANT, '') : property.value;
    const result: Property = {name: property.name, value, status: 'active'};
    if (property.disabled) {
      result.status = 'disabled';
    } else if (!property.parsedOk) {
      result.status = 'invalid';
    } else if (this.#matched.propertyState(property) === PropertyState.OVERLOADED) {
      result.status = 'overloaded';
    }
    if (property.important) {
      result.important = true;
    }
    return result;
  }

  #inherits(name: string): boolean {
    if (cssMetadata().isCustomProperty(name)) {
      return this.#matched.getRegisteredProperty(name)?.inherits() ?? true;
    }
    return cssMetadata().isPropertyInherited(name);
  }
}

/** As browsers take it: blanks and case do not matter. */
const IMPORTANT = /\s*!\s*important\s*$/i;

function conditionOf(child: Exclude<CSSNestedStyle, {style: unknown}>): Ancestor|undefined {
  if ('media' in child) {
    return query('media', child.media);
  }
  if ('supports' in child) {
    return query('supports', child.supports);
  }
  if ('navigation' in child) {
    return query('navigation', child.navigation);
  }
  return {type: 'container', query: child.container.text, ...child.container.name ? {name: child.container.name} : {}};
}
