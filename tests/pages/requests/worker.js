fetch('x?worker').then(answer => answer.text()).then(() => postMessage('done'));
