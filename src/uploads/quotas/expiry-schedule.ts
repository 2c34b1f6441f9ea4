const MINUTE_MS = 60_000;

/** What expires within one minute. */
interface Due {
  files: number;
  bytesByOwner: Map<string, number>;
}

/** Sums up stored bytes by owner and minute of expiry, so that a file needs no entry of its own. Times are in ms. */
export function createExpirySchedule() {
  const dueByMinute = new Map<number, Due>();
  let files = 0;

  return {
    files: () => files,

    add(owner: string, bytes: number, expiresAt: number): void {
      const minute = minuteOf(expiresAt);
      const due = dueByMinute.get(minute) ?? { files: 0, bytesByOwner: new Map<string, number>() };
      due.bytesByOwner.set(owner, (due.bytesByOwner.get(owner) ?? 0) + bytes);
      due.files += 1;
      files += 1;
      dueByMinute.set(minute, due);
    },

    /** Returns false when so many bytes of this owner do not expire in that minute. */
    remove(owner: string, bytes: number, expiresAt: number): boolean {
      const due = dueByMinute.get(minuteOf(expiresAt));
      const rest = (due?.bytesByOwner.get(owner) ?? -1) - bytes;
      if (!due || rest < 0) return false;
      due.bytesByOwner.set(owner, rest);
      due.files -= 1;
      files -= 1;
      return true;
    },

    /** Removes what has expired, and yields each owner with the bytes that expired. */
    *takeExpired(now: number): Generator<[owner: string, bytes: number], void> {
      for (const [minute, due] of dueByMinute) {
        if (minute * MINUTE_MS > now) continue;
        dueByMinute.delete(minute);
        files -= due.files;
        yield* due.bytesByOwner;
      }
    },
  };
}

/** Rounded up: space is never released before the file has expired. */
function minuteOf(expiresAt: number): number {
  return Math.ceil(expiresAt / MINUTE_MS);
}
