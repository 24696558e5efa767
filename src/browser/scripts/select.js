// Selects options of a select by label or value, or the option itself, and tells the page. Answers what is selected, or
// why that cannot be.
(element, wanted) => {
  const select = element.tagName === 'SELECT' ? element : element.closest('select');
  const options = [...select.options];
  const clean = text => text.replace(/\s+/g, ' ').trim();
  const labelOf = option => clean(option.label || option.text);
  let chosen;
  if (wanted === null) {
    chosen = [element];
  } else {
    chosen = [];
    for (const text of wanted) {
      const match =
        options.find(o => labelOf(o) === clean(text) && !isDisabled(o)) ??
        options.find(o => o.value === text && !isDisabled(o)) ??
        options.find(o => labelOf(o) === clean(text) || o.value === text) ??
        options.find(o => clean(o.getAttribute('aria-label') ?? '') === clean(text));
      if (!match) return {missing: text, options: options.map(labelOf)};
      if (isDisabled(match)) return {disabled: text};
      chosen.push(match);
    }
  }
  if (select.multiple) {
    for (const option of options) option.selected = chosen.includes(option);
  } else {
    chosen[0].selected = true;
  }
  // Also when it was selected before: a page may have put it there and still wait for somebody to choose.
  select.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
  select.dispatchEvent(new Event('change', {bubbles: true}));
  return {selected: [...select.selectedOptions].map(labelOf), held: chosen.every(o => o.selected)};
}
