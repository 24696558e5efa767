// Gives a field its value and tells the page, as a picker does.
(element, value) => {
  element.focus({preventScroll: true});
  if (element.value !== value) {
    element.value = value;
    element.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
    element.dispatchEvent(new Event('change', {bubbles: true}));
  }
  return element.value;
}
