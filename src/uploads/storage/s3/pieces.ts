/*
 * A piece is an object with bytes of a resumable upload. Its name has its place and the piece that it follows, so each piece
 * belongs to one chain, and what two processes write at the same time are two chains. The longest one counts. Pieces are only
 * added, so it never becomes shorter.
 */

/** Names of pieces are this long at most, and sort by their places. */
const DIGITS = 15;
const NAME = /^(\d{15})-(\d{15})-([0-9a-f]+\.\d+)-([0-9a-f]+\.\d+|start)$/u;

/** What the first piece follows. */
const START = 'start';

export interface Piece {
  name: string;
  /** Of its first byte, and after its last one. A piece without bytes only links others to a chain. */
  start: number;
  end: number;
  /** A name that no other piece has: `<process>.<number>`. */
  own: string;
  /** The `own` of the piece that it follows. */
  previous: string;
}

export function createPiece(start: number, end: number, own: string, previous = START): Piece {
  const [from, to] = [start, end].map((place) => String(place).padStart(DIGITS, '0'));
  return { name: `${from}-${to}-${own}-${previous}`, start, end, own, previous };
}

/** Undefined for the name of anything else. */
export function parsePiece(name: string): Piece | undefined {
  const [, start, end, own, previous] = NAME.exec(name) ?? [];
  if (own === undefined || previous === undefined) return undefined;
  return { name, start: Number(start), end: Number(end), own, previous };
}

/** Returns the longest chain from the first byte on. Names of anything else are ignored. */
export function longestChain(names: Iterable<string>): Piece[] {
  const linked = new Map<string, Piece>();
  let last: Piece | undefined;
  for (const name of [...new Set(names)].sort()) {
    const piece = parsePiece(name);
    if (!piece) continue;
    const start = piece.previous === START ? 0 : linked.get(piece.previous)?.end;
    if (start !== piece.start) continue;
    linked.set(piece.own, piece);
    if (!last || piece.end > last.end) last = piece;
  }
  const chain: Piece[] = [];
  for (let piece = last; piece; piece = linked.get(piece.previous)) chain.unshift(piece);
  return chain;
}

/** How many bytes a chain has. */
export function endOf(chain: readonly Piece[]): number {
  return chain.at(-1)?.end ?? 0;
}
