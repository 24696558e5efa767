(function () {
  'use strict';

  // One of the two modules of the bundles beside this folder.

  /** Adds the prices of a basket; one that is no number is an error. */
  function addPrices(prices) {
    let result = 0;
    for (const price of prices) {
      if (Number.isNaN(price)) {
        throw new TypeError('not a price');
      }
      result += price;
    }
    return result;
  }

  // Bundled by rollup (4.x, `--format iife --sourcemap`), with and without @rollup/plugin-terser: see ../README.md.

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

})();
//# sourceMappingURL=plain.js.map
