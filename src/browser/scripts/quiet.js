// Watches for changes of the document. `begin` starts; afterwards it says how many ms are to be waited before asking
// again: 0 if nothing has changed at all or nothing for `quiet` ms. Has no timer of its own: Chrome lets those of
// background tabs run once a second.
(begin, quiet, last) => {
  if (begin) {
    globalThis.quietWatch?.observer.disconnect();
    const watch = {changed: null};
    watch.observer = new MutationObserver(() => (watch.changed = performance.now()));
    watch.observer.observe(document, {childList: true, subtree: true, attributes: true});
    globalThis.quietWatch = watch;
    return 0;
  }
  const watch = globalThis.quietWatch;
  const left = watch?.changed == null ? 0 : quiet - (performance.now() - watch.changed);
  if (left > 0 && !last) return left;
  watch?.observer.disconnect();
  globalThis.quietWatch = undefined;
  return 0;
}
