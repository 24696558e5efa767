// In the page of a DevTools window: calls the bridge that DevTools keeps for agents. It exists once the window has
// loaded, and only with the browser's feature DevToolsComments.
async (step, ...given) => {
  const universe = globalThis.universe;
  const bridge = universe?.cd4aBridge;
  if (!bridge) {
    return {missing: universe ? 'off' : 'loading'};
  }
  const changed = 'CommentThreadsChanged';
  const forget = () => {
    const listener = globalThis.__onDevToolsCommentListener;
    if (listener) {
      bridge.removeEventListener(changed, listener);
      delete globalThis.__onDevToolsCommentListener;
    }
  };
  const steps = {
    // The listener of another server is replaced at first and left alone later.
    attach(isFirst) {
      if (isFirst || !globalThis.__onDevToolsCommentListener) {
        forget();
        const listener = () => globalThis.__onDevToolsCommentEvent?.('');
        globalThis.__onDevToolsCommentListener = listener;
        bridge.addEventListener(changed, listener);
        bridge.setAgentAttached(true);
      }
    },
    detach() {
      forget();
      bridge.setAgentAttached(false);
    },
    take: () => bridge.getCommentThreads(),
    resolve: (thread, reply) => bridge.resolveCommentThread(thread, reply ?? undefined),
    reveal: (panel, target) => bridge.reveal(panel, target),
  };
  return {value: await steps[step](...given) ?? null};
}
