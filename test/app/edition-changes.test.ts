import { expect, onTestFinished, test, vi } from 'vitest';
import { type SnapshotUpdate, startEditionSender } from '../../src/app/edition-sender.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { applyChanges } from '../../src/publishing/document-changes.ts';
import type { Edition } from '../../src/publishing/edition.ts';
import { type FlatStatus, flattenStatus, initialStatus } from '../../src/store/source-status.ts';
import { makeSnapshot } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';
import { ledgerOf } from '../support/ledger.ts';

const WEEK_MS = 7 * 86_400_000;
const FRIDAY = Date.parse('2026-11-20T16:00:00Z');
const TIME_ZONE = 'Asia/Jakarta';
const OK: FlatStatus = {
  ...flattenStatus(initialStatus(0)),
  state: 'ok',
  since: FRIDAY,
  refreshedAt: FRIDAY,
};

const NAGA = { ...makeAnime(1), title: 'Naga', slug: 'a', day: 'Jumat' as const };
const SATURDAY = { ...NAGA, slug: 'b', day: 'Sabtu' as const };
const SNAPSHOT = makeSnapshot([NAGA], [NAGA, SATURDAY]);
const UPDATE = { snapshot: SNAPSHOT, events: [] };

/** What is published, as the main thread gets it. */
function open(now: () => number) {
  const published: Pick<Edition, 'documents'>[] = [];
  const reports: OperationalEvent[] = [];
  let content: Partial<SnapshotUpdate> = {};
  const sender = startEditionSender({
    url: 'https://a.example',
    sourceUrl: 'https://source.example',
    timeZone: TIME_ZONE,
    post(message, transfer = []) {
      if (message.type !== 'edition') return;
      const documents = structuredClone(message.documents, { transfer });
      published.push({ documents: applyChanges(documents, edition()?.documents ?? new Map()) });
    },
    report: (event) => void reports.push(event),
    now,
  });
  onTestFinished(sender.stop);
  function show(changes: Partial<SnapshotUpdate>): void {
    content = { status: OK, events: [], ...content, ...changes };
    if (content.snapshot) sender.show(content as SnapshotUpdate);
  }
  const edition = () => published.at(-1);
  const front = () => edition()!.documents.get('/?lang=id')!;
  const read = (address: string) =>
    JSON.parse(String(edition()?.documents.get(address)?.identity.bytes)).data;
  return { show, published, reports, edition, front, read, text: () => String(front().identity.bytes) };
}

test('a new day has a new front page from its first moment', async () => {
  let now = FRIDAY;
  const { show, text, front, edition, published } = open(() => now);
  show(UPDATE);
  const schedule = edition()?.documents.get('/api/anime/schedule');
  const before = front();
  expect(text()).toContain('Jumat, 20 Nov');
  now = FRIDAY + 3_600_000 - 1;
  show({});
  expect(published).toHaveLength(1);
  now += 1;
  show({});
  expect(text()).toContain('Sabtu, 21 Nov');
  expect(front().changedAt).toBeGreaterThan(before.changedAt);
  expect(edition()?.documents.get('/api/anime/schedule')).toBe(schedule);
});

test('the first good reading of a day, and none after it, makes a page that says that nothing is out', () => {
  let now = FRIDAY;
  const { show, text, published } = open(() => now);
  const readNow = () => show({ status: { ...OK, readAt: now } });
  show(UPDATE);
  readNow();
  now += 2 * 3_600_000;
  show({});
  expect(text()).toContain('Belum ada kabar untuk hari ini');
  const before = published.length;
  readNow();
  expect(text()).toContain('Belum ada yang rilis hari ini');
  now += 3_600_000;
  readNow();
  expect(published).toHaveLength(before + 1);
});

test('time alone makes an episode unseen whose window is over, and the first good reading after that makes it late', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: FRIDAY });
  onTestFinished(() => void vi.useRealTimers());
  const { show, read, text, published } = open(Date.now);
  const seenAt = (weeks: number) => FRIDAY - 3_600_000 - weeks * WEEK_MS;
  const history = { a: [3, 2, 1].map((episode) => ({ episode, seenAt: seenAt(3 - episode) })) };
  const anime = { ...NAGA, episode: 3, date: '20 Nov' as const };
  show({ ...UPDATE, snapshot: makeSnapshot([anime], [anime], { ledger: ledgerOf(history) }) });
  const [{ expectedAt, latest }] = read('/api/anime/upcoming');
  expect(expectedAt).toBe(new Date(seenAt(-1)).toISOString());
  const stateAt = (ms: number) => {
    vi.setSystemTime(Date.parse(latest) + ms);
    vi.advanceTimersByTime(5_000);
    const [{ late, unseen }] = read('/api/anime/upcoming');
    return { late, unseen };
  };
  const readAt = (ms: number) => {
    const at = Date.parse(latest) + ms;
    vi.setSystemTime(at);
    show({ status: { ...OK, readAt: at } });
    return published.length;
  };
  readAt(-120_000);
  expect(stateAt(-90_000)).toEqual({ late: false, unseen: false });
  expect(stateAt(60_000)).toEqual({ late: false, unseen: true });
  expect(text()).toContain('Mungkin sudah rilis: situs sumber belum bisa dicek');
  const before = published.length;
  // What the last good reading shows may be older than the reading.
  show({ status: { ...OK, readAt: Date.parse(latest) - 1_000 } });
  expect(published).toHaveLength(before);
  expect(readAt(120_000)).toBe(before + 1);
  expect(stateAt(125_000)).toEqual({ late: true, unseen: false });
  expect(text()).not.toContain('Mungkin sudah rilis');
  // Further ones decide nothing.
  expect(readAt(300_000)).toBe(before + 1);
  expect(stateAt(2 * 86_400_000)).toEqual({ late: true, unseen: false });
});

test('a rendering that fails is reported once, and tried again until it succeeds', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let failure: Error | undefined;
  let now = FRIDAY;
  const { show, published, reports } = open(() => {
    if (failure) throw failure;
    return now;
  });
  show({ ...UPDATE, status: OK });
  failure = new Error('full');
  now += 24 * 3_600_000;
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([{ type: 'render-failed', error: failure }]);
  failure = undefined;
  vi.advanceTimersByTime(60_000);
  expect(published).toHaveLength(2);
});
