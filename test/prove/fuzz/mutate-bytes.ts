/** Numbers from 0 to 1. */
export type Draw = () => number;

const MAX_CHANGES = 4;
/** Longer inputs take time and find nothing that shorter ones do not. */
const MAX_BYTES = 32_000;

export function choose<Item>(items: readonly Item[], draw: Draw): Item {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}

/** Changes an input in a few places. `tokens` are texts with a meaning for the reader; `other` is another input. */
export function mutateBytes(input: Buffer, { tokens, other, draw }: Material): Buffer {
  let changed = input;
  const changes = 1 + Math.floor(draw() ** 3 * MAX_CHANGES);
  for (let change = 0; change < changes; change += 1)
    changed = choose(CHANGES, draw)(changed, { tokens, other, draw });
  return changed.subarray(0, MAX_BYTES);
}

interface Material {
  tokens: readonly Buffer[];
  other: Buffer;
  draw: Draw;
}

type Change = (input: Buffer, material: Material) => Buffer;

const CHANGES: Change[] = [
  (input, { tokens, draw }) => replace(input, pointIn(input, draw), choose(tokens, draw)),
  (input, { tokens, draw }) => replace(input, rangeIn(input, draw), choose(tokens, draw)),
  (input, { draw }) => replace(input, rangeIn(input, draw), Buffer.alloc(0)),
  (input, { draw }) => replace(input, rangeIn(input, draw, 3), randomBytes(draw)),
  (input, { draw }) => {
    const { start, end } = rangeIn(input, draw);
    return replace(input, pointIn(input, draw), input.subarray(start, end));
  },
  (input, { other, draw }) => {
    const { start, end } = rangeIn(other, draw);
    return replace(input, rangeIn(input, draw), other.subarray(start, end));
  },
  swapTokens,
  (input, { draw }) => (draw() < 0.2 ? input.subarray(0, Math.floor(draw() * input.length)) : input),
];

/** Puts a token in the place of another one. */
function swapTokens(input: Buffer, { tokens, draw }: Material): Buffer {
  const token = choose(tokens, draw);
  const from = Math.floor(draw() * input.length);
  const start = token.length > 0 ? input.indexOf(token, from) : -1;
  return start === -1 ? input : replace(input, { start, end: start + token.length }, choose(tokens, draw));
}

interface Range {
  start: number;
  end: number;
}

function replace(input: Buffer, { start, end }: Range, bytes: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, start), bytes, input.subarray(end)]);
}

function pointIn(input: Buffer, draw: Draw): Range {
  const start = Math.floor(draw() * (input.length + 1));
  return { start, end: start };
}

/** Most ranges are short. */
function rangeIn(input: Buffer, draw: Draw, maxLength = 200): Range {
  const { start } = pointIn(input, draw);
  return { start, end: Math.min(input.length, start + Math.floor(draw() ** 3 * maxLength) + 1) };
}

function randomBytes(draw: Draw): Buffer {
  return Buffer.from(Array.from({ length: 1 + Math.floor(draw() * 3) }, () => Math.floor(draw() * 256)));
}
