(function track() { const until = performance.now() + 2; while (performance.now() < until) {} })();
// padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding padding 
