const next = document.createElement('script');
next.src = 'chain2.js?delay=80';
document.head.append(next);
