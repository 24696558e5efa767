// What the accessibility tree does not tell about operating the page. Answers an array of elements; what there is to say
// about each is in `globalThis.operable`, in the same order:
// `file`: a file field that is not shown (a styled button opens it). `clickable`: something that shows by its cursor that
// it can be clicked but has neither text nor role. `covered`: a control that lies under something that scrolling does
// not move away. `offscreen`: a control where no scrolling leads. `closed`: what opens a closed `<details>`, and how much
// text is in it.
(limit, marks) => {
  const found = {file: [], clickable: [], covered: [], offscreen: [], closed: []};
  const roots = [document];
  const native = /^(a|button|input|select|textarea|option|label|summary|iframe|body|html|video|audio)$/i;
  let looked = 0;
  // For `markControls`: in a huge document each question about a place costs milliseconds.
  let end;
  let asked = 0;
  while (roots.length) {
    const root = roots.pop();
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (found.file.length + found.clickable.length >= limit) continue;
      if (element.localName === 'input' && element.type === 'file') {
        if (!element.checkVisibility()) found.file.push(element);
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
      if (element.getClientRects().length) found.clickable.push(element);
    }
    for (const details of root.querySelectorAll('details:not([open])')) {
      if (found.closed.length >= marks) break;
      if (details.checkVisibility()) found.closed.push([...details.children].find(c => c.localName === 'summary') ?? details);
    }
    markControls(root);
  }

  // Layout is done once for all of them; only what is in view is hit-tested. Ends when its time is over.
  function markControls(root) {
    const controls = root.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role^=menuitem],' +
        '[role=checkbox], [role=radio], [role=switch], [role=option], [role=combobox], [role=textbox], [contenteditable]',
    );
    const scroller = document.scrollingElement ?? document.documentElement;
    const leftEnd = getComputedStyle(scroller).direction === 'rtl' ? innerWidth - scroller.scrollWidth : 0;
    end ??= performance.now() + 50;
    for (const control of controls) {
      if (found.covered.length + found.offscreen.length >= marks || (asked >= 300 && performance.now() > end)) return;
      asked++;
      const rect = control.getBoundingClientRect();
      if (rect.width < 1 || rect.height < 1) continue;
      if (rect.right + scrollX <= leftEnd || rect.bottom + scrollY <= 0) {
        if (isShown(control) && !scrolledAway(control)) found.offscreen.push(control);
        continue;
      }
      if (rect.right <= 0 || rect.bottom <= 0 || rect.left >= innerWidth || rect.top >= innerHeight) continue;
      // A hit test costs as much as many rectangles.
      asked += 29;
      if (isCovered(control, rect) && isShown(control)) found.covered.push(control);
    }
  }
  function isShown(element) {
    return element.checkVisibility({visibilityProperty: true});
  }
  function scrolledAway(element) {
    for (let node = parentOf(element); node; node = parentOf(node)) {
      if (node !== document.scrollingElement && (node.scrollLeft || node.scrollTop)) return true;
    }
    return false;
  }
  // As before a click: none of five points takes the mouse.
  function isCovered(control, rect) {
    const left = Math.max(rect.left, 0);
    const top = Math.max(rect.top, 0);
    const width = Math.min(rect.right, innerWidth) - left;
    const height = Math.min(rect.bottom, innerHeight) - top;
    for (const [across, down] of [[0.5, 0.5], [0.25, 0.25], [0.75, 0.75], [0.75, 0.25], [0.25, 0.75]]) {
      const [x, y] = [left + width * across, top + height * down];
      const hit = deepest(control.getRootNode(), x, y) ?? deepest(document, x, y);
      if (!hit || contains(control, hit) || labelsOf(control).some(label => contains(label, hit))) return false;
      if (isClipped(control, x, y) || movesAside(hit, x)) return false;
    }
    return true;
  }
  // Cut off by a box that can be scrolled: what is there instead covers nothing.
  function isClipped(element, x, y) {
    for (let node = parentOf(element); node && node !== document.body; node = parentOf(node)) {
      if (getComputedStyle(node).overflow === 'visible') continue;
      const box = node.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return true;
    }
    return false;
  }
  // A bar at the edge of the window: before a click the control is scrolled to the middle.
  function movesAside(cover, x) {
    for (let node = cover; node; node = parentOf(node)) {
      if (!/fixed|sticky/.test(getComputedStyle(node).position)) continue;
      const box = node.getBoundingClientRect();
      const middle = innerHeight / 2;
      return box.top > middle || box.bottom < middle || box.left > x || box.right < x;
    }
    return false;
  }
  const clean = text => (text ?? '').replace(/\s+/g, ' ').trim();
  const nameOfHidden = element =>
    clean(element.getAttribute('aria-label') || element.title || element.labels?.[0]?.textContent || element.name || element.id || element.getAttribute('class')).slice(0, 100);
  // The text of a closed `<details>` without what is shown of it.
  const lengthOf = summary => {
    const details = summary.closest('details');
    const shown = summary === details ? 0 : clean(summary.textContent).length;
    return [...clean(details.textContent)].length - shown;
  };
  const all = Object.entries(found).flatMap(([kind, elements]) => elements.map(element => [kind, element]));
  globalThis.operable = all.map(([kind, element]) => ({
    kind,
    name: kind === 'file' || kind === 'clickable' ? nameOfHidden(element) : '',
    tag: element.localName,
    characters: kind === 'closed' ? lengthOf(element) : 0,
  }));
  return all.map(([, element]) => element);
}
