console.log('extension begins', {deep: [1]});
console.warn('extension warns');
setTimeout(() => { throw new Error('extension broke'); }, 100);
