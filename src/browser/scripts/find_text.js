// Whether one of the texts is, or within `wait` ms becomes, part of the document's text. Children's texts are joined,
// values of fields count, open shadow roots are searched, scripts, styles and the head are not.
(texts, wait) => {
  const skip = new Set(['SCRIPT', 'STYLE', 'HEAD', 'NOSCRIPT', 'TEMPLATE']);
  const fieldText = element => {
    if (element.tagName === 'SELECT') return [...element.selectedOptions].map(o => o.text).join('') + element.value;
    if (element.tagName === 'TEXTAREA') return element.value;
    if (element.tagName === 'INPUT' && !/^(checkbox|radio|image)$/.test(element.type)) return element.value;
    return '';
  };
  // Iterative: documents can be deeper than the stack.
  const collect = root => {
    const parts = [];
    const stack = [root];
    while (stack.length) {
      const node = stack.pop();
      if (node.nodeType === Node.TEXT_NODE) {
        parts.push(node.data);
        continue;
      }
      if (skip.has(node.nodeName)) continue;
      if (node.nodeType === Node.ELEMENT_NODE) {
        const text = fieldText(node);
        // What a field holds does not run on into the text around it.
        if (text) parts.push('\u0000' + text + '\u0000');
        if (node.shadowRoot) stack.push(node.shadowRoot);
      }
      for (let child = node.lastChild; child; child = child.previousSibling) stack.push(child);
    }
    return parts.join('');
  };
  const found = () => {
    if (!document.documentElement) return false;
    const all = collect(document.documentElement);
    return texts.some(text => all.includes(text));
  };
  if (found()) return true;
  return new Promise(resolve => {
    const end = result => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(result);
    };
    const observer = new MutationObserver(() => found() && end(true));
    const timer = setTimeout(() => end(found()), wait);
    observer.observe(document, {childList: true, subtree: true, characterData: true, attributes: true});
  });
}
