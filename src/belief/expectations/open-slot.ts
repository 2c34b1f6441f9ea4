import { LATE_MS } from '../../domain/episode-history.ts';

/** Ms since 1970. `readAt`: the moment that the last good reading of the source shows; null before the first one. */
export interface Moment {
  readAt: number | null;
  now: number;
}

/**
 * The slot in which the next episode is expected.
 * - A slot that was seen to pass without the episode: it is late for three days, then expected in the slot after. Once that
 *   one was seen to pass, too, nothing is expected: null.
 * - A slot that passed while the source was not read well shows nothing: the episode is unseen for three days, then the one
 *   of the slot after is expected. `passed` counts such slots, whose episodes may be out. The next good reading decides.
 *
 * `left`: how many episodes are still to come. The last one stays unseen until the source is read.
 */
export function openSlot<Slot extends { latest: number }>(
  slots: readonly Slot[],
  { readAt, now }: Moment,
  left = Infinity,
): (Slot & { late: boolean; unseen: boolean; passed: number }) | null {
  const seenUntil = Math.min(readAt ?? -Infinity, now);
  const seen = slots.filter(({ latest }) => latest < seenUntil).length;
  if (seen > 1) return null;
  const [first] = slots;
  if (first && seen === 1 && now < first.latest + LATE_MS)
    return { ...first, late: true, unseen: false, passed: 0 };
  const rest = slots.slice(seen, seen + left);
  const open = rest.findIndex(({ latest }) => now < latest + LATE_MS);
  const passed = open < 0 ? rest.length - 1 : open;
  const slot = rest[passed];
  return slot ? { ...slot, late: false, unseen: now > slot.latest, passed } : null;
}
