import type { Tally } from './tally.ts';

/** More exchanges of one kind are not under way at once; the ones that are due then are left out, and counted. */
const MAX_UNDER_WAY = 60;

/** Does something at a steady rate, whether or not the one before has ended. `turn` counts from 0. */
export function every(
  intervalMs: number,
  kind: string,
  tally: Tally,
  act: (turn: number) => Promise<void>,
): void {
  let turn = 0;
  let underWay = 0;
  setInterval(async () => {
    if (underWay >= MAX_UNDER_WAY) return tally.expect(kind, 'left out', []);
    underWay += 1;
    turn += 1;
    await act(turn - 1).catch((error: NodeJS.ErrnoException) => {
      tally.expect(kind, error.code ?? error.message, []);
    });
    underWay -= 1;
  }, intervalMs);
}
