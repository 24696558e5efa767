// What is told about a style rule: the form in which `css.ts` hands its findings to Rust.

/** A node, by its number in its process. */
export interface NodeRef {
  backend: number;
  selector: string;
}

export interface Property {
  name: string;
  value: string;
  status: 'active'|'overloaded'|'invalid'|'disabled';
  important?: true;
}

/** What a rule is nested in. */
export type Ancestor =
    {type: 'layer', name?: string}|{type: 'media' | 'supports' | 'navigation', query: string}|
    {type: 'scope', query?: string}|{type: 'container', query: string, name?: string, container?: NodeRef}|
    {type: 'starting-style'}|{type: 'nesting', selector: string}|{type: 'at-rule', atRuleType: string, name?: string};

/** A part of a function's body, in order. */
export type Part = {
  properties: Property[],
}|{
  condition: Ancestor,
  body: Part[],
};

export interface Keyframe {
  keyText: string;
  source?: string;
  properties: Property[];
}

export interface Block {
  type: 'transition'|'animation'|'inline'|'attributes'|'matched'|'inherited'|'pseudo'|'keyframes'|'at-rule'|
      'position-try'|'property'|'function';
  selector: string;
  /** Outermost first. */
  ancestors?: Ancestor[];
  /** Those of several selectors that match. */
  matchingSelectors?: string[];
  source?: string;
  isUserAgent?: true;
  /** The element it comes from, if that is another one. */
  node?: NodeRef;
  pseudoType?: string;
  name?: string;
  atRuleType?: string;
  subsection?: string;
  active?: boolean;
  properties?: Property[];
  keyframes?: Keyframe[];
  body?: Part[];
}
