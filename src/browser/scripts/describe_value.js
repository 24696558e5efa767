// Describes `this` as text in the manner of JSON, with what JSON cannot hold in DevTools' notation. Reads own data
// properties only, so nothing of the page runs. Called with `throwOnSideEffect`.
function describe(maxDepth, maxItems, maxLength) {
  const objectToString = Object.prototype.toString;
  let left = maxLength;
  const path = [];
  const give = text => {
    left -= text.length;
    return text;
  };
  const quote = text => text.length > left && text.length > 100 ?
      `${JSON.stringify(text.slice(0, Math.max(left, 100)))}… (${text.length} characters)` : JSON.stringify(text);
  const kind = value => objectToString.call(value).slice(8, -1);
  const name = value => {
    for (let at = value, depth = 0; at && depth < 10; at = Object.getPrototypeOf(at), depth++) {
      const own = Object.getOwnPropertyDescriptor(at, 'constructor');
      if (own && typeof own.value === 'function') {
        const named = Object.getOwnPropertyDescriptor(own.value, 'name');
        return named && typeof named.value === 'string' ? named.value : '';
      }
    }
    return '';
  };
  const primitive = value => {
    switch (typeof value) {
      case 'string': return quote(value);
      case 'bigint': return `${value}n`;
      case 'symbol': return Symbol.prototype.toString.call(value);
      case 'number': return Object.is(value, -0) ? '-0' : String(value);
      default: return String(value);
    }
  };
  const list = (open, items, close, more) => {
    if (more > 0) {
      items.push(`… ${more} more`);
    }
    return open + items.join(',') + close;
  };
  const take = (size, item) => {
    const items = [];
    for (let i = 0; i < size && i < maxItems && left > 0; i++) {
      items.push(item(i));
    }
    return items;
  };
  const walk = value => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return give(primitive(value));
    }
    if (typeof value === 'function') {
      const source = Function.prototype.toString.call(value).split(/[{\n]|=>/)[0].trim();
      return give(source.slice(0, 80) || 'function');
    }
    const at = path.indexOf(value);
    if (at >= 0) {
      return give(at === 0 ? '[Circular]' : `[Circular ^${path.length - at}]`);
    }
    const tag = kind(value);
    if (typeof Node === 'function' && value instanceof Node) {
      if (!(value instanceof Element)) {
        return give(String(value.nodeName));
      }
      const attributes = Array.from(value.attributes, ({name, value}) => ` ${name}=${quote(value)}`);
      return give(`<${value.localName}${attributes.join('')}>`);
    }
    if (value instanceof Error) {
      const own = Object.getOwnPropertyDescriptor(value, 'stack');
      return give(own && typeof own.value === 'string' ? own.value.split('\n    at ')[0] : tag);
    }
    if (value instanceof Date) {
      return give(isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value));
    }
    if (value instanceof RegExp) {
      return give(RegExp.prototype.toString.call(value));
    }
    if (path.length >= maxDepth || left <= 0) {
      return give(Array.isArray(value) ? `[… ${value.length}]` : '{…}');
    }
    path.push(value);
    try {
      if (Array.isArray(value)) {
        const items = take(value.length, i => walk(Object.getOwnPropertyDescriptor(value, i)?.value));
        return list('[', items, ']', value.length - items.length);
      }
      if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
        const items = take(value.length, i => walk(value[i]));
        return list(`${tag}(${value.length}) [`, items, ']', value.length - items.length);
      }
      if (value instanceof Map) {
        const entries = Array.from(Map.prototype.entries.call(value));
        const items = take(entries.length, i => `${walk(entries[i][0])} => ${walk(entries[i][1])}`);
        return list(`Map(${entries.length}) {`, items, '}', entries.length - items.length);
      }
      if (value instanceof Set) {
        const entries = Array.from(Set.prototype.values.call(value));
        const items = take(entries.length, i => walk(entries[i]));
        return list(`Set(${entries.length}) {`, items, '}', entries.length - items.length);
      }
      const keys = Reflect.ownKeys(value);
      const items = take(keys.length, i => {
        const key = keys[i];
        const property = Object.getOwnPropertyDescriptor(value, key);
        const label = give(typeof key === 'symbol' ? `[${Symbol.prototype.toString.call(key)}]` : JSON.stringify(key));
        return `${label}:${property && 'value' in property ? walk(property.value) : give('(…)')}`;
      });
      const title = name(value);
      return list(title && title !== 'Object' ? `${title} {` : '{', items, '}', keys.length - items.length);
    } finally {
      path.pop();
    }
  };
  return walk(this);
}
