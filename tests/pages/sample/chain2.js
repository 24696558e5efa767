fetch('data.json?delay=90').then(response => response.json()).then(data => {
  document.querySelector('#top').append(` (${data.items} items)`);
});
