// Blocks the parser, then the main thread.
(function warmUp() {
  const until = performance.now() + 80;
  while (performance.now() < until) {
    Math.sqrt(until);
  }
})();
