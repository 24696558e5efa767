// Shared by the functions that work on an element. `this` of the outer function is any DOM node.
const elementOf = node => {
  if (!node.isConnected) throw new Error('devtools-mcp: gone');
  if (node.nodeType === Node.ELEMENT_NODE) return node;
  if (node.nodeType === Node.DOCUMENT_NODE) return node.documentElement;
  return node.parentElement ?? node.getRootNode().host ?? node.ownerDocument.documentElement;
};
// The parent in the tree that is painted: slots and shadow hosts included.
const parentOf = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
const contains = (outer, inner) => {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
  return false;
};
const isDisabled = element =>
  element.matches('button, input, select, textarea, option, optgroup, fieldset') && element.matches(':disabled');
// The next painted frame; a page that is not painted gets a timer instead.
const nextFrame = () =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
// What is at a point, inside open shadow roots too.
const deepest = (root, x, y) => {
  let hit = root.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
};
const labelsOf = element => (element.labels ? [...element.labels] : []);
const short = text => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 40 ? [...line].slice(0, 40).join('') + '...' : line;
};
const nameOf = element => {
  const tag = element.tagName.toLowerCase();
  const id = element.id ? '#' + element.id : '';
  const text = short(element.innerText ?? element.textContent ?? '');
  return `<${tag}${id}>` + (text ? ` "${text}"` : '');
};
