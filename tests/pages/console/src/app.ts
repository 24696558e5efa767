interface Item {
  price: number;
}

class Cart {
  items: Item[] = [];

  addItem(item: Item): number {
    this.items.push(item);
    console.log('added', item, this.items.length);
    return computeTotal(this);
  }
}

function computeTotal(cart: Cart): number {
  if (cart.items.length > 1) {
    throw new Error('too many items', {cause: new RangeError('limit is 1')});
  }
  return cart.items.reduce((sum, item) => sum + item.price, 0);
}

async function startAsync(cart: Cart): Promise<void> {
  await null;
  console.warn('in async', cart.addItem({price: 7}));
}

function main(): void {
  const cart = new Cart();
  setTimeout(() => void startAsync(cart), 1);
  setTimeout(() => cart.addItem({price: 8}), 60);
}

setTimeout(main, 1);
