function thrower() { const root = new RangeError('root 1'); throw new Error('outer 1', {cause: new TypeError('inner 1', {cause: root})}); }
setTimeout(function t1() { thrower(); });
setTimeout(function t2() { throw 'plain'; });
setTimeout(function t3() { throw {code: 7}; });
setTimeout(function t4() { throw undefined; });
setTimeout(function t5() { throw null; });
setTimeout(function t6() { Promise.reject({why: 'x'}); });
setTimeout(function t7() { Promise.reject('y'); });
setTimeout(function t8() { Promise.reject(new Error('rejected', {cause: 'a text'})); });
setTimeout(function t9() { const a = new Error('a'), b = new Error('b', {cause: a}); a.cause = b; console.error(b); });
setTimeout(function t10() { console.error('with', new Error('solo', {cause: new Error('c1')})); });
setTimeout(function t11() { new Worker(URL.createObjectURL(new Blob(["console.log('in worker', {w: 1}); setTimeout(() => { throw new Error('worker broke') })"]))); });
setTimeout(function t12() { const f = document.createElement('iframe'); f.srcdoc = "<script>console.log('from srcdoc', {gone: {soon: true}}); setTimeout(() => { throw new Error('frame broke') })</" + 'script>'; document.body.append(f); setTimeout(() => f.remove(), 400); });
