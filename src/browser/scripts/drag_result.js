// Whether the target took it; null if no native drag began.
async (element) => {
  const seen = globalThis.dragSeen;
  for (let n = 0; n < 20 && seen?.started && seen.effect === null; n++) await new Promise(r => setTimeout(r, 25));
  return seen?.started ? seen.effect !== null && seen.effect !== 'none' : null;
}
