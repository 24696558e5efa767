// Gives the element the focus with all of its content selected, or with the caret at its end. Answers whether it has it.
(element, caretAtEnd) => {
  element.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
  element.focus({preventScroll: true});
  if (element.isContentEditable) {
    const selection = getSelection();
    selection.selectAllChildren(element);
    if (caretAtEnd) selection.collapseToEnd();
  } else if (caretAtEnd) {
    // Number and email fields know no caret; a fresh focus by script puts it at the end.
    try {
      element.setSelectionRange(element.value.length, element.value.length);
    } catch {
      return false;
    }
  } else {
    element.select?.();
  }
  const root = element.getRootNode();
  return document.hasFocus() && (root.activeElement === element || contains(root.activeElement, element));
}
