// Notes what becomes of a native drag. Called for the source and for the target, which may be in different frames: a drag
// that ends in another process is never told to its source.
(element) => {
  const seen = {started: false, effect: null, dropped: false};
  globalThis.dragSeen = seen;
  const once = {capture: true, once: true};
  addEventListener('dragstart', () => (seen.started = true), once);
  addEventListener('dragend', event => (seen.effect = event.dataTransfer?.dropEffect ?? 'none'), once);
  addEventListener('drop', () => (seen.dropped = true), once);
  return null;
}
