(element) => (element.isContentEditable ? element.innerText : element.value) ?? ''
