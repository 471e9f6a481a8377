// A curve as its moving average: each point weighs less by the same factor the further back it lies, and the first
// ones are weighed as if nothing had gone before them.

export function smoothed(values, weight) {
  let [sum, mass] = [0, 0];
  return values.map((value) => {
    if (value === null || value === undefined) return value;
    sum = weight * sum + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    return sum / mass;
  });
}
