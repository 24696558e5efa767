// Resolves to whether the document changed: after `idle` ms if it does not change at all, after `quiet` ms without a
// further change, at the latest after `limit` ms.
(idle, quiet, limit) =>
  new Promise(resolve => {
    let changed = false;
    let timer;
    const end = () => {
      observer.disconnect();
      clearTimeout(timer);
      clearTimeout(last);
      resolve(changed);
    };
    const observer = new MutationObserver(() => {
      changed = true;
      clearTimeout(timer);
      timer = setTimeout(end, quiet);
    });
    const last = setTimeout(end, limit);
    timer = setTimeout(end, idle);
    observer.observe(document, {childList: true, subtree: true, attributes: true});
  })
