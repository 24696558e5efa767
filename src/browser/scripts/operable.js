// Elements that can be operated but have no place in the accessibility tree: file fields that are not shown (a styled
// button opens them), and things that show by their cursor that they can be clicked but have neither text nor role.
// Answers an array of elements; their descriptions are in `globalThis.operable`, in the same order.
(limit) => {
  const files = [];
  const pointers = [];
  const roots = [document];
  const native = /^(a|button|input|select|textarea|option|label|summary|iframe|body|html|video|audio)$/i;
  let looked = 0;
  while (roots.length) {
    const root = roots.pop();
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (files.length + pointers.length >= limit) break;
      if (element.localName === 'input' && element.type === 'file') {
        if (!element.checkVisibility()) files.push(element);
        continue;
      }
      // Styles cost time; only small elements without text, role and focus are looked at, and not without end.
      if (looked >= 4000 || element.childElementCount > 3 || native.test(element.localName)) continue;
      if (element.hasAttribute('role') || element.hasAttribute('tabindex') || element.textContent.trim()) continue;
      if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml' && element.localName !== 'svg') continue;
      looked++;
      const style = getComputedStyle(element);
      if (style.cursor !== 'pointer' || style.visibility !== 'visible') continue;
      const around = element.closest('a, button, label, summary, [role], [tabindex]');
      const parent = element.parentElement;
      if (around || (parent && getComputedStyle(parent).cursor === 'pointer')) continue;
      if (element.getClientRects().length) pointers.push(element);
    }
  }
  const clean = text => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 100);
  const nameOf = element =>
    clean(element.getAttribute('aria-label') || element.title || element.labels?.[0]?.textContent || element.name || element.id || element.getAttribute('class'));
  const all = [...files, ...pointers];
  globalThis.operable = all.map((element, at) => ({file: at < files.length, name: nameOf(element), tag: element.localName}));
  return all;
}
