const image = new Image();
image.src = 'photo.png?delay=700';
image.loading = 'lazy';
document.querySelector('#place').append(image);
