// What kind of field the element is and what it holds. `wanted` is the value to come: fields that sanitise are asked
// with a copy what they would make of it.
(element, wanted) => {
  const tag = element.tagName.toLowerCase();
  const role = (element.getAttribute('role') ?? '').trim().split(/\s+/)[0];
  const answer = {
    tag,
    name: nameOf(element),
    disabled: isDisabled(element),
    readOnly: Boolean(element.readOnly) || element.ariaReadOnly === 'true',
  };
  if (tag === 'select' || tag === 'option') {
    const select = tag === 'select' ? element : element.closest('select');
    if (select) {
      answer.kind = tag === 'select' ? 'select' : 'option';
      answer.disabled = isDisabled(select) || (tag === 'option' && isDisabled(element));
      answer.multiple = select.multiple;
      return answer;
    }
  }
  if ((tag === 'input' && /^(checkbox|radio)$/.test(element.type)) || /^(checkbox|radio|switch)$/.test(role)) {
    answer.kind = 'toggle';
    const mixed = element.indeterminate || element.getAttribute('aria-checked') === 'mixed';
    const on = tag === 'input' ? element.checked : element.getAttribute('aria-checked') === 'true';
    answer.value = mixed ? 'mixed' : String(on);
    answer.readOnly = false;
    return answer;
  }
  if (tag === 'textarea') {
    answer.kind = 'text';
    answer.value = element.value;
    answer.held = wanted.replace(/\r\n?/g, '\n');
    return answer;
  }
  if (tag === 'input') {
    const type = element.type;
    if (type === 'file') answer.kind = 'file';
    else if (/^(button|submit|reset|image)$/.test(type)) answer.kind = 'button';
    else answer.kind = /^(text|url|tel|search|password|number|email)$/.test(type) ? 'text' : 'value';
    answer.type = type;
    answer.value = element.value;
    const copy = document.createElement('input');
    copy.type = type;
    for (const name of ['min', 'max', 'step', 'multiple']) {
      if (element.hasAttribute(name)) copy.setAttribute(name, element.getAttribute(name));
    }
    copy.value = wanted;
    answer.held = copy.value;
    return answer;
  }
  if (element.isContentEditable) {
    answer.kind = 'editable';
    answer.value = element.innerText;
    answer.held = wanted;
    return answer;
  }
  answer.kind = 'none';
  return answer;
}
