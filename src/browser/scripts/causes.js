// The chain of `cause` below an error, as an array; its last item is a marker if the chain comes back to itself.
function causes(most) {
  const chain = [];
  const seen = [this];
  let at = this;
  while (chain.length < most && at !== null && typeof at === 'object') {
    const own = Object.getOwnPropertyDescriptor(at, 'cause');
    if (!own || !('value' in own) || own.value === undefined) {
      break;
    }
    at = own.value;
    if (seen.includes(at)) {
      chain.push('(the chain comes back to an earlier error)');
      break;
    }
    seen.push(at);
    chain.push(at);
  }
  return chain;
}
