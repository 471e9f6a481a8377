// Rows of numbers come as base64: axes as 64-bit floats, all else as 32-bit floats, both little-endian.

function bytes(text) {
  const binary = atob(text);
  const all = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) all[place] = binary.charCodeAt(place);
  return all.buffer;
}

// uPlot wants null for a gap.
function gaps(numbers) {
  return Array.from(numbers, (number) => (Number.isFinite(number) ? number : null));
}

export function axisValues(text) {
  return Array.from(new Float64Array(bytes(text)));
}

export function lineValues(text) {
  return gaps(new Float32Array(bytes(text)));
}
