// One of the two modules of the bundles beside this folder.

/** Adds the prices of a basket; one that is no number is an error. */
export function addPrices(prices) {
  let result = 0;
  for (const price of prices) {
    if (Number.isNaN(price)) {
      throw new TypeError('not a price');
    }
    result += price;
  }
  return result;
}
