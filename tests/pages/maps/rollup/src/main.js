// Bundled by rollup (4.x, `--format iife --sourcemap`), with and without @rollup/plugin-terser: see ../README.md.
import {addPrices} from './sum.js';

class Basket {
  #prices = [];

  put(price) {
    this.#prices.push(price);
    return this;
  }

  total() {
    return addPrices(this.#prices);
  }
}

async function reportLater() {
  await null;
  console.error('bundled later', new Basket().put(1).put(2).total());
}

function askServer() {
  return fetch('bundles.html?asked=' + addPrices([1, 2]));
}

function main() {
  reportLater();
  askServer();
  new Basket().put(3).put(NaN).total();
}

main();
