// Neighbours differ in the original's words too, so that it does not merge them. No causes: it looks them up on
// another session, where object ids soon mean something else.
class Custom extends Error { name = 'Custom'; }
function thrower() { throw new Error('outer'); }
let last = 0;
const later = task => setTimeout(task, last += 20);
later(function t1() { thrower(); });
later(function t2() { console.log('then a string'); throw 'plain'; });
later(function t3() { console.log('then an object'); throw {code: 7}; });
later(function t4() { console.log('then a rejection'); Promise.reject({why: 'x'}); });
later(function t5() { console.log('then another'); Promise.reject(new Error('rejected')); });
later(function t6() { console.log('then several lines'); throw new Custom('multi\nline'); });
later(async function t7() { await null; console.log('awaited'); await Promise.reject(new Error('late')); });
later(function t10() { eval('(function evald() { console.warn("evaluated") })()'); });
later(function t11() { [1].forEach(() => console.trace('inside')); });
later(function t12() { queueMicrotask(() => console.log('microtask')); });
later(function t13() { requestAnimationFrame(() => console.log('frame')); });
later(function t14() { new Promise(resolve => setTimeout(resolve, 5)).then(() => console.log('the end')); });
