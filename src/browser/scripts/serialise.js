value => {
  const json = JSON.stringify(value);
  const kind = typeof value;
  let note = null;
  const says = what => `The value is ${what}, which JSON cannot hold.`;
  if (kind === 'function' || kind === 'symbol') note = says(`a ${kind}`);
  else if (kind === 'number' && (Number.isNaN(value) || !Number.isFinite(value))) note = says(String(value));
  else if (value instanceof Map || value instanceof Set) note = says(`a ${value.constructor.name} of ${value.size} entries`);
  else if (typeof Node === 'function' && value instanceof Node) note = says(`the DOM node ${value.nodeName.toLowerCase()}`);
  else if (value instanceof Error && json === '{}') note = says(`an error: ${value}`);
  return {json, note};
}
