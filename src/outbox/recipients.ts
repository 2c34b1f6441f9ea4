import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../domain/errors.ts';
import type { AnimeEvent, EpisodeEvent } from '../domain/event.ts';
import { nameOf } from '../store/event-position.ts';
import { type Apart, groupByCursor, ungroup } from './apart.ts';
import { type Cursor, eventsAfter, moveTo } from './cursor.ts';
import { listNews, MAX_AGE_MS } from './news.ts';
import type { Outcome, Receiver, ReceiverState, Sending, Session } from './receiver.ts';
import type { RecipientKind } from './recipient-kind.ts';
import { retryWaitMs } from './retry.ts';
import { readRows } from './rows.ts';
import type { Attempted, ServiceJob } from './services.ts';

/** The state is stored after so many messages: a crash repeats at most these, and those under way. */
const SAVE_EVERY = 200;
/** How soon it is stored otherwise. */
const SAVE_MS = 1_000;
/** A round waits so long for the answers to its last messages. */
const LAST_ANSWERS_MS = 2_000;
/** The wait after a row could not be read. */
const RETRY_READ_MS = 5_000;
/** So many recipients may be apart from the others. The messages to further ones are dropped. */
const MAX_APART = 20_000;

/** An attempt that has not come to a service. */
const NOTHING_SENT: Attempted = { isDown: false, tookMs: 0, pauseMs: 0 };

/**
 * All rows of a kind as one receiver. A delivery is a round over them: each that what is new concerns gets a message. Those whose
 * message fails, or that take no further one yet, follow apart, each with its own cursor and in order, and delay nobody else.
 */
export function createRecipients<Row, Message>(kind: RecipientKind<Row, Message>): Receiver {
  return { key: kind.key, name: kind.key, open: (session) => openRecipients(kind, session) };
}

function openRecipients<Row, Message>(kind: RecipientKind<Row, Message>, session: Session): Sending {
  const { log, now, ending, services } = session;
  const apart = ungroup(session.state().behind ?? []);
  const underWay = new Set<Promise<void>>();
  let savingSoon: NodeJS.Timeout | undefined;
  /** What was found last by `newsAfter`: most recipients are at the same cursor. */
  let found: { name: string; news: EpisodeEvent[] } = { name: '', news: [] };

  const first = nextRound(session.state());
  /** Where the round under way ends, or the last one did: recipients that are apart are led to there. */
  let end = first.isBegun ? moveTo(log(), session.state(), first.last) : session.state();
  /** The last key that the round under way has dealt with; undefined without one. */
  let roundAt = first.isBegun ? first.after : undefined;
  for (const key of apart.keys()) services.later(0, jobOf(key));

  /** The last event of the next round, and the key after which it begins: a round that was begun keeps its events. */
  function nextRound(state: ReceiverState): {
    last: AnimeEvent | undefined;
    after: string;
    isBegun: boolean;
  } {
    const [to = '', after = ''] = state.progress?.split(' ') ?? [];
    const events = eventsAfter(log(), state);
    const begun = events.find((event) => nameOf(log().epoch, event) === to);
    return begun ? { last: begun, after, isBegun: true } : { last: events.at(-1), after: '', isBegun: false };
  }

  /** The news for a recipient at a cursor, up to the end of the round. */
  function newsAfter(cursor: Cursor): EpisodeEvent[] {
    const { epoch } = log();
    const name = `${cursor.position} ${end.position}`;
    if (found.name !== name) {
      const events = cursor.position === end.position ? [] : eventsAfter(log(), cursor);
      const last = events.findIndex((event) => nameOf(epoch, event) === end.position);
      const batch = last < 0 ? events.filter(({ at }) => at <= end.eventAt) : events.slice(0, last + 1);
      found = { name, news: listNews(log(), batch) };
    }
    return found.news.filter(({ at }) => at >= now() - MAX_AGE_MS);
  }

  /** The job that sends to one recipient what is new for it. Without its row, it is read before. */
  function jobOf(key: string, row?: Row): ServiceJob {
    return {
      service: row ? kind.serviceOf(row) : `${kind.key} rows`,
      async attempt() {
        const attempted = row ? attempt(key, row) : lead(key);
        const ended = attempted.then(() => void underWay.delete(ended));
        underWay.add(ended);
        return attempted;
      },
    };
  }

  /** Reads the row of a recipient that is apart, and begins the job that sends to it. */
  async function lead(key: string): Promise<Attempted> {
    // A store may answer many such questions without giving way to other work of this thread.
    await nextTurn();
    const one = apart.get(key);
    if (!one || ending.aborted) return NOTHING_SENT;
    const news = newsAfter(one.cursor);
    try {
      if (!(await session.isHeld())) return NOTHING_SENT;
      const text = news.length > 0 ? await kind.rows.get(key) : undefined;
      if (text !== undefined) services.later(0, jobOf(key, kind.parse(text)));
      else {
        if (one.failures > 0 && news.length === 0) kind.count('dropped');
        settle(key, { ...one, cursor: end });
      }
    } catch (error) {
      kind.count('failed', describeError(error));
      wait(key, one, RETRY_READ_MS);
    }
    return NOTHING_SENT;
  }

  async function attempt(key: string, row: Row): Promise<Attempted> {
    const one = apart.get(key);
    if (!one || ending.aborted) return NOTHING_SENT;
    const news = newsAfter(one.cursor);
    const composed = news.length > 0 ? kind.compose(row, news, log()) : undefined;
    if (!composed) {
      settle(key, { ...one, cursor: end });
      return NOTHING_SENT;
    }
    // A further round may begin meanwhile, and move the end.
    const after = composed.upTo === news.at(-1) ? end : moveTo(log(), one.cursor, composed.upTo);
    const outcome = await kind.post(row, composed.message, session);
    const { tookMs } = outcome;
    if (outcome.type !== 'failed') {
      await conclude(key, outcome, after);
      return { isDown: false, tookMs, pauseMs: 0 };
    }
    if (ending.aborted) return NOTHING_SENT;
    kind.count('failed', outcome.reason);
    const pauseMs = retryLater(key, one, outcome.retryAfterMs);
    return { isDown: outcome.isDown ?? false, tookMs, pauseMs };
  }

  /** Deals with a message that needs no further attempt. `after`: the cursor after it. */
  async function conclude(key: string, outcome: Exclude<Outcome, { type: 'failed' }>, after: Cursor) {
    kind.count(outcome.type === 'refused' ? 'dropped' : outcome.type);
    const next = { cursor: after, failures: 0, isIdle: false };
    if (outcome.type === 'gone') {
      // What cannot be removed now is found again with the next message.
      await kind.rows.remove(key).catch(() => {});
      settle(key, { ...next, cursor: end });
    } else if (outcome.type === 'delivered' && outcome.waitMs) wait(key, next, outcome.waitMs);
    else settle(key, next);
  }

  /** Returns the wait before the next attempt, or before one to another recipient of the service. */
  function retryLater(key: string, one: Apart, retryAfterMs = 0): number {
    const failures = one.failures + 1;
    const waitMs = retryWaitMs(failures, retryAfterMs, session.retry);
    if (failures < (kind.maxAttempts ?? Infinity)) wait(key, { ...one, failures }, waitMs);
    else {
      kind.count('dropped');
      settle(key, { ...one, cursor: end });
    }
    return waitMs;
  }

  function wait(key: string, one: Apart, waitMs: number): void {
    apart.set(key, one);
    services.later(waitMs, jobOf(key));
    saveSoon();
  }

  /** A recipient with nothing left to do goes on with the others, once the round under way has passed its row. */
  function settle(key: string, one: Apart): void {
    if (one.cursor.position !== end.position) wait(key, one, 0);
    else if (roundAt === undefined || key <= roundAt) apart.delete(key);
    else apart.set(key, { ...one, failures: 0, isIdle: true });
    saveSoon();
  }

  /** Begins a round over the rows after a key. Resolves with whether it has come to the end. */
  async function sendRound(from: Cursor, last: AnimeEvent, after: string): Promise<boolean> {
    roundAt = after;
    end = moveTo(log(), from, last);
    const news = newsAfter(from);
    const answers: Promise<void>[] = [];
    let count = 0;
    for await (const [key, text] of news.length > 0 ? readRows(kind.rows, after) : []) {
      if (ending.aborted) break;
      const row = apart.has(key) ? undefined : kind.parse(text);
      if (row && kind.compose(row, news, log())) {
        if (apart.size >= MAX_APART) kind.count('dropped');
        else {
          apart.set(key, { cursor: from, failures: 0, isIdle: false });
          const { isWaiting, ended } = await services.begin(jobOf(key, row));
          if (!isWaiting) answers.push(ended);
          count += 1;
        }
      }
      roundAt = key;
      if (count === SAVE_EVERY) {
        await save();
        count = 0;
      }
    }
    await Promise.race([Promise.all(answers), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
    await save();
    kind.onRound();
    if (ending.aborted) return false;
    roundAt = undefined;
    for (const [key, { isIdle }] of apart) if (isIdle) apart.delete(key);
    saveSoon();
    return true;
  }

  /** Stores who is apart, and how far the round under way has come. */
  async function save(): Promise<void> {
    clearTimeout(savingSoon);
    savingSoon = undefined;
    const progress = roundAt === undefined ? {} : { progress: `${end.position} ${roundAt}` };
    await session.save({ behind: groupByCursor(apart), ...progress });
  }

  /** One that fails is repeated with the next change. */
  function saveSoon(): void {
    if (!ending.aborted) savingSoon ??= setTimeout(() => void save().catch(() => {}), SAVE_MS);
  }

  return {
    next() {
      const state = session.state();
      const { last, after } = nextRound(state);
      if (!last) return undefined;
      return {
        after: moveTo(log(), state, last),
        async send() {
          const isWhole = await sendRound(state, last, after);
          return isWhole ? { type: 'delivered' } : { type: 'failed', reason: 'it was stopped' };
        },
      };
    },
    refill: async () => kind.refill?.(),
    async end() {
      await Promise.all(underWay);
      await save();
    },
  };
}
