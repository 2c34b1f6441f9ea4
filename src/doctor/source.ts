import type { Config } from '../app/config.ts';
import { loadSource } from '../app/open-crawler.ts';
import { openStore } from '../app/open-store.ts';
import { PendingReading } from '../belief/pending.ts';
import { checkOwnPage } from '../crawler/details/record-details.ts';
import { createRefresh } from '../crawler/refresh.ts';
import { createRefreshTimes } from '../crawler/timing/refresh-times.ts';
import { AppError, describeError } from '../domain/errors.ts';
import type { OperationalEvent } from '../domain/operational-event.ts';
import { otakudesu } from '../source/sites/otakudesu/site.ts';
import type { Source } from '../source/source.ts';
import { openMemoryStore } from '../store/drivers/memory.ts';
import { openSnapshotStore, type SnapshotStore } from '../store/snapshot-store.ts';
import type { Repair } from '../store/source-status.ts';
import { describeEvent, describeMirror } from '../telemetry/describe-event.ts';
import { type Check, describeDuration, type Level, type Show } from './check.ts';
import { readNewestCover } from './covers.ts';

/** Facts that the pages of airing anime often lack. */
const MAY_BE_EMPTY = new Set(['synopsis', 'score', 'producers', 'totalEpisodes']);

const SELECTORS_FILE = `src/source/sites/${otakudesu.name}/selectors.ts`;

/**
 * Crawls the source as the service would, from a copy of the store in memory, and shows what happens. Mirrors that the
 * crawl does not need only have to serve the schedule.
 */
export const checkSource: Check = async (config, show) => {
  const asked = new Set<string>();
  const retried: string[] = [];
  const report = (event: OperationalEvent) => {
    if (event.type === 'refresh-started') asked.add(event.mirror);
    if (event.type === 'page-read') show('ok', `read ${event.page}`);
    if (event.type === 'attempt-failed') retried.push(describeEvent(event));
    if (event.type === 'mirror-failed') retried.length = 0;
    const level = LEVELS[event.type];
    if (level) show(level, describeEvent(event));
  };
  const source = await loadSource(config.source, report);
  const store = await copyStore(config);
  const times = createRefreshTimes(undefined, null, Date.now, Math.random);
  const { signal } = new AbortController();
  let failure: unknown;
  try {
    await createRefresh({ source, store, report, now: Date.now, times })({ force: false, signal });
    // If a mirror failed in the end, its failure is enough.
    for (const text of retried) show('warning', text);
    showMirror((await store.readStatus()).mirrors, config.source.urls, show);
  } catch (error) {
    failure = error;
  }
  if (!failure && config.readsDetails) await readNewestAnime(source, store, show);
  const begin = source.beginCrawl(signal);
  for (const mirror of config.source.urls.filter((one) => !asked.has(one))) {
    await begin(mirror)
      .readSchedule()
      .then(
        () => show('ok', `${mirror} serves the schedule`),
        (error: unknown) => show('warning', describeMirror(mirror, error)),
      );
  }
  for (const repair of (await store.readStatus()).crawl.repaired)
    show('warning', describeRepair(repair, Date.now()));
  if (failure) show('problem', explain(failure, config));
  else await readNewestCover(config, source, store, show);
  await source.close();
};

/** These events are shown in the words of the log. */
const LEVELS: Partial<Record<OperationalEvent['type'], Level>> = {
  'refresh-finished': 'ok',
  'selectors-restored': 'ok',
  'mirror-failed': 'warning',
  'card-omitted': 'warning',
  'anime-missing': 'warning',
};

/** Reads the page of the first anime of the list, and shows which facts it lacks. */
async function readNewestAnime(source: Source, store: SnapshotStore, show: Show): Promise<void> {
  const { mirror } = (await store.readStatus()).mirrors;
  const snapshot = await store.readSnapshot();
  const [newest] = snapshot?.ongoing ?? [];
  if (!snapshot || !newest || !mirror)
    return show('warning', 'the list is empty, so no page of an anime was read');
  const { slug } = newest;
  try {
    const page = await source.beginCrawl(new AbortController().signal)(mirror).readAnime(slug);
    checkOwnPage({ slug, page }, snapshot);
    const { publishedAt, episodes, details } = page;
    const status = details.isDropped ? 'dropped' : details.status;
    const missing = Object.entries({ ...details, status, time: publishedAt, episodes })
      .filter(([name, value]) => !MAY_BE_EMPTY.has(name) && (value === null || String(value) === ''))
      .map(([name]) => name);
    const read = `read the page of ${slug}, ${episodes.length} episodes`;
    if (missing.length === 0) show('ok', read);
    else show('warning', `${read}, without ${missing.join(', ')}`);
  } catch (error) {
    show('warning', `the page of ${slug}: ${describeError(error)}; the listing works without it`);
  }
}

/** Copies the store into memory. The copy is empty if the store cannot be read, which its own check reports. */
async function copyStore(config: Config): Promise<SnapshotStore> {
  const copy = await openSnapshotStore(await openMemoryStore(), { random: Math.random });
  try {
    const store = await openStore(config);
    const written = { listing: await store.readListing(), status: await store.readStatus() };
    await store.close();
    const lease = await copy.lease('refresh');
    if (lease) await copy.write(lease, written).finally(lease.release);
  } catch {}
  return copy;
}

/** Shows the origin that served, and whether SOURCE_URLS should change. */
function showMirror(
  { mirror, askedMirror }: { mirror: string | null; askedMirror: string | null },
  configured: readonly string[],
  show: Show,
): void {
  if (!mirror) return;
  if (!configured.includes(mirror))
    show('warning', `${mirror} serves the site but is not in SOURCE_URLS: add it`);
  else if (askedMirror && askedMirror !== mirror)
    show('warning', `${askedMirror} redirects to ${mirror}: remove it from SOURCE_URLS`);
  else show('ok', `${mirror} serves the site`);
}

function explain(error: unknown, { source }: Config): string {
  const reason = describeError(error);
  if (!(error instanceof AppError) || error instanceof PendingReading) return reason;
  if (error.code === 'source-changed' || error.code === 'source-moved')
    return `${reason}; if the site has changed, fix ${SELECTORS_FILE}, or the words in src/source/vocabulary.json`;
  if (reason.includes('SOURCE_')) return reason;
  if (reason.includes('which does not answer'))
    return `${reason}; the site is moving: wait until it answers there, or add a working mirror to SOURCE_URLS`;
  if (reason.includes('ENOTFOUND'))
    return `${reason}; correct ${source.proxy ? 'SOURCE_PROXY or SOURCE_URLS' : 'SOURCE_URLS'}, or check the DNS of this machine`;
  if (reason.includes('EAI_AGAIN')) return `${reason}; check the network and the resolver of this machine`;
  if (/EHOSTUNREACH|ENETUNREACH|ECONNREFUSED/u.test(reason))
    return `${reason}; check the network and the firewall of this machine, ${source.proxy ? 'SOURCE_PROXY, ' : ''}or set SOURCE_URLS to the site's current address`;
  const proxy = source.proxy ? 'check SOURCE_PROXY; ' : '';
  if (reason.includes('no complete answer within'))
    return `${reason}; ${proxy}raise SOURCE_TIMEOUT if it is slow, or set SOURCE_URLS to the site's current address`;
  return `${reason}; ${proxy}try again later, or set SOURCE_URLS to the site's current address`;
}

/** Names a repaired selector, and the line that makes the repair permanent. */
function describeRepair({ field, was, now: selector, agreement, since }: Repair, now: number): string {
  const share = `${Math.floor(agreement * 100)} %`;
  const name = field.replace(/^schedule /u, '');
  const where = field === name ? 'ongoing list' : 'schedule';
  const used = `${field}: ${selector || 'nothing'} instead of ${was} for ${describeDuration(now - since)}`;
  return `${used}, right for ${share} of the anime; in ${SELECTORS_FILE} write ${name}: '${selector}', for the ${where}`;
}
