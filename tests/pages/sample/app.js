function addCards(count) {
  const list = document.querySelector('#list');
  for (let i = 0; i < count; i++) {
    const card = document.createElement('div');
    card.className = 'card';
    card.dataset.kind = i % 2 ? 'basic' : 'more';
    card.innerHTML = `<span class="label">Product ${i}</span>`;
    list.append(card);
    // Reading a size after each change forces a layout.
    if (i % 10 === 0) {
      card.offsetHeight;
    }
  }
}

function longTask(milliseconds) {
  const until = performance.now() + milliseconds;
  let sum = 0;
  while (performance.now() < until) {
    sum += Math.random();
  }
  return sum;
}

performance.mark('app-start');
addCards(400);
// Legacy-style polyfill that a modern browser does not need.
if (!Array.prototype.find || true) {
  Array.prototype.find = Array.prototype.find || function() {};
}
document.querySelector('#buy').addEventListener('click', () => {
  longTask(180);
  document.querySelector('#buy').textContent = 'Thank you – merci – ありがとう';
});
setTimeout(() => {
  const banner = document.querySelector('#banner');
  banner.style.height = '160px';
  banner.textContent = 'Late banner: Größe, naïve, 日本語';
}, 900);
setTimeout(() => longTask(220), 1200);
performance.measure('app-setup', 'app-start');
