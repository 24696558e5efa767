(element) => {
  const seen = {started: false, effect: null};
  globalThis.dragSeen = seen;
  addEventListener('dragstart', () => (seen.started = true), {capture: true, once: true});
  addEventListener('dragend', event => (seen.effect = event.dataTransfer?.dropEffect ?? 'none'), {capture: true, once: true});
  return null;
}
