import type { Status } from '../crawler/source-state.ts';
import type { NoticeContent } from '../domain/notice.ts';
import type { NoticeLog } from './notices.ts';

/** Shorter trouble is not worth a message. */
const TROUBLE_MS = 3_600_000;

type Trouble = Pick<Status, 'state' | 'since' | 'reason' | 'troubleSince'>;

/** The notice that is due: `source.down` once when trouble has lasted an hour, `source.ok` when that trouble has ended. */
export function sourceNotice(
  { state, since, reason, troubleSince }: Trouble,
  { isSourceDown }: Pick<NoticeLog, 'isSourceDown'>,
  now: number,
): NoticeContent | undefined {
  if (state === null) return undefined;
  const data = { state, since: since === null ? null : new Date(since).toISOString(), reason };
  if (state === 'ok') return isSourceDown ? { type: 'source.ok', data } : undefined;
  const hasLasted = now - (troubleSince ?? since ?? now) >= TROUBLE_MS;
  return hasLasted && !isSourceDown ? { type: 'source.down', data } : undefined;
}
