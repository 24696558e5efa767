// A point of the element that takes the mouse, in CSS pixels of its frame's viewport, or why there is none (yet).
// `check`: also refuse disabled elements.
async (element, check) => {
  // What an earlier search was covered by.
  globalThis.leftBehind = null;
  if (check && isDisabled(element)) return {problem: 'is disabled'};
  const rectsOf = () => [...element.getClientRects()].filter(r => r.width >= 1 && r.height >= 1);
  const inView = r => r.right > 0 && r.bottom > 0 && r.left < innerWidth && r.top < innerHeight;
  const wholly = r => r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
  const before = element.getBoundingClientRect();
  await nextFrame();
  if (!element.isConnected) throw new Error('devtools-mcp: gone');
  const after = element.getBoundingClientRect();
  if (['x', 'y', 'width', 'height'].some(key => before[key] !== after[key])) return {problem: 'is moving'};
  let rects = rectsOf();
  if (!rects.length) {
    const hidden = getComputedStyle(element).display === 'none' || !element.checkVisibility();
    return {problem: hidden ? 'is not visible' : 'has no size'};
  }
  // In a frame, the frame itself may be out of sight; only the browser knows.
  const visibleShare = () =>
    new Promise(resolve => {
      const timer = setTimeout(() => (observer.disconnect(), resolve(1)), 250);
      const observer = new IntersectionObserver(entries => {
        observer.disconnect();
        clearTimeout(timer);
        resolve(entries[0].intersectionRatio);
      });
      observer.observe(element);
    });
  const scroll = async () => {
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    await nextFrame();
    rects = rectsOf();
  };
  const seen = window === top ? (wholly(rects[0]) ? 1 : 0) : await visibleShare();
  if (seen < 0.99) await scroll();
  let cover = null;
  // A bar that stays at the window's edge may cover it where it was; in the middle it does not.
  for (const again of [false, true]) {
    if (again) await scroll();
    for (const rect of rects.filter(inView)) {
      const left = Math.max(rect.left, 0);
      const top = Math.max(rect.top, 0);
      const right = Math.min(rect.right, innerWidth);
      const bottom = Math.min(rect.bottom, innerHeight);
      for (const [across, down] of [[0.5, 0.5], [0.25, 0.25], [0.75, 0.75], [0.75, 0.25], [0.25, 0.75]]) {
        const x = left + (right - left) * across;
        const y = top + (bottom - top) * down;
        const hit = deepest(document, x, y);
        if (!hit) continue;
        const inner = innermost(hit, x, y);
        if (contains(element, inner) || labelsOf(element).some(label => contains(label, inner))) return {x, y};
        cover ??= inner;
      }
    }
  }
  if (!cover) return {problem: 'is out of sight'};
  globalThis.leftBehind = cover;
  return {problem: 'is covered', cover: nameOf(cover)};
  // A closed shadow root hides what is inside from `elementFromPoint`; the element's own root knows.
  function innermost(hit, x, y) {
    const root = element.getRootNode();
    if (root instanceof ShadowRoot && contains(hit, root.host)) {
      return deepest(root, x, y) ?? hit;
    }
    return hit;
  }
}
