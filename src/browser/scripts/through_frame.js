// The element is a frame's owner. Maps a point of the frame's viewport into the viewport around it and checks that the
// frame takes the mouse there. Scaled frames count; rotated ones do not.
(owner, x, y, check) => {
  const rect = owner.getBoundingClientRect();
  const style = getComputedStyle(owner);
  const scaleX = owner.offsetWidth ? rect.width / owner.offsetWidth : 1;
  const scaleY = owner.offsetHeight ? rect.height / owner.offsetHeight : 1;
  const left = owner.clientLeft + parseFloat(style.paddingLeft || '0');
  const top = owner.clientTop + parseFloat(style.paddingTop || '0');
  const outerX = rect.left + (left + x) * scaleX;
  const outerY = rect.top + (top + y) * scaleY;
  if (!check) return {x: outerX, y: outerY};
  const root = owner.getRootNode();
  const hit = (root instanceof ShadowRoot ? deepest(root, outerX, outerY) : null) ?? deepest(document, outerX, outerY);
  if (!hit) return {problem: 'is out of sight'};
  if (!contains(owner, hit)) {
    globalThis.leftBehind = hit;
    return {problem: 'is covered', cover: nameOf(hit)};
  }
  return {x: outerX, y: outerY};
}
