fetch('text.html?worker').then(answer => answer.text()).then(() => postMessage('done'));
