// Where the links of the loop stand: around an ellipse where there is room, down one side and up the other where not.

export const PILL = { width: 136, height: 46 };
const WIDE = 940;
const STEPS_OF_ELLIPSE = 2000;

function ellipse(count, width) {
  const height = 336;
  const centre = { x: width / 2, y: height / 2 };
  const radius = { x: width / 2 - PILL.width / 2 - 6, y: height / 2 - PILL.height / 2 - 18 };
  const point = (turn) => ({
    x: centre.x + radius.x * Math.sin(2 * Math.PI * turn),
    y: centre.y - radius.y * Math.cos(2 * Math.PI * turn),
  });
  const walked = [0];
  for (let step = 1; step <= STEPS_OF_ELLIPSE; step += 1) {
    const [from, to] = [point((step - 1) / STEPS_OF_ELLIPSE), point(step / STEPS_OF_ELLIPSE)];
    walked.push(walked.at(-1) + Math.hypot(to.x - from.x, to.y - from.y));
  }
  const turnAt = (share) => walked.findIndex((length) => length >= share * walked.at(-1)) / STEPS_OF_ELLIPSE;
  const ahead = (turn) => Math.atan2(point(turn + 0.001).y - point(turn).y, point(turn + 0.001).x - point(turn).x);
  const places = [...Array(count).keys()];
  const between = places.map((place) => turnAt((place + 0.5) / count));
  return {
    height,
    centre,
    roomy: true,
    places: places.map((place) => point(turnAt(place / count))),
    arrows: between.map((turn) => ({ ...point(turn), angle: ahead(turn) })),
    track: `M${centre.x} ${centre.y - radius.y}a${radius.x} ${radius.y} 0 1 1 -0.01 0z`,
  };
}

function columns(count, width) {
  const rows = Math.ceil((count - 1) / 2);
  const [gap, top, bend] = [62, PILL.height / 2 + 20, 20];
  const [left, right] = [PILL.width / 2 + 4, width - PILL.width / 2 - 4];
  const centre = { x: width / 2, y: top + (gap * rows) / 2 };
  const bottom = top + gap * rows;
  const down = [...Array(rows).keys()].map((row) => ({ x: right, y: top + gap * (row + 1) }));
  const up = [...Array(count - 1 - rows).keys()].map((row) => ({ x: left, y: bottom - gap * row }));
  const places = [{ x: centre.x, y: top }, ...down, ...up];
  const arrows = places.map((from, place) => {
    const to = places[(place + 1) % count];
    if (place === 0) return { x: right, y: top + 28, angle: Math.PI / 2 };
    if (place === count - 1) return { x: left, y: top + 30, angle: -Math.PI / 2 };
    return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, angle: Math.atan2(to.y - from.y, to.x - from.x) };
  });
  const corner = (x, y, endX, endY) => `Q${x} ${y} ${endX} ${endY}`;
  const track =
    `M${centre.x} ${top}H${right - bend}${corner(right, top, right, top + bend)}V${bottom - bend}` +
    `${corner(right, bottom, right - bend, bottom)}H${left + bend}${corner(left, bottom, left, bottom - bend)}` +
    `V${top + bend}${corner(left, top, left + bend, top)}Z`;
  return { height: bottom + PILL.height / 2 + 8, centre, roomy: false, places, arrows, track };
}

export function circuit(count, width) {
  return width >= WIDE ? ellipse(count, width) : columns(count, Math.min(width, 560));
}

// Where the line from the middle of a pill to somewhere else leaves the pill.
function edge(pill, towards, spare) {
  const [x, y] = [towards.x - pill.x, towards.y - pill.y];
  const share = Math.min(
    (PILL.width / 2 + spare) / Math.abs(x || 1e-9),
    (PILL.height / 2 + spare) / Math.abs(y || 1e-9),
  );
  return { x: pill.x + x * share, y: pill.y + y * share };
}

// A bow through the inside of the loop, from a cause to what followed from it; in one column, around those between.
export function bow(from, to, centre) {
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const inwards = Math.sign(centre.x - from.x);
  const side = (pill, spare) => ({ x: pill.x + inwards * (PILL.width / 2 + spare), y: pill.y });
  const oneColumn = from.x === to.x;
  const bend = oneColumn
    ? { x: side(from, 38).x, y: middle.y }
    : { x: middle.x + (centre.x - middle.x) * 0.55, y: middle.y + (centre.y - middle.y) * 0.55 };
  const [start, end] = oneColumn ? [side(from, 0), side(to, 5)] : [edge(from, bend, 0), edge(to, bend, 5)];
  const path = `M${start.x} ${start.y}Q${bend.x} ${bend.y} ${end.x} ${end.y}`;
  return { path, ...end, angle: Math.atan2(end.y - bend.y, end.x - bend.x) };
}
