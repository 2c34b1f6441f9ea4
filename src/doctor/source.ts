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
import { describeEvent } from '../telemetry/describe-event.ts';
import { type Check, describeDuration, type Level, type Show } from './check.ts';
import { readNewestCover } from './covers.ts';

/** What the pages of airing anime often lack. */
const MAY_BE_EMPTY = new Set(['synopsis', 'score', 'producers', 'totalEpisodes']);

const SELECTORS_FILE = `src/source/sites/${otakudesu.name}/selectors.ts`;

/**
 * Crawls the source as the service would, from what the store knows, into a store in memory, and shows what happens. Of
 * the mirrors that the crawl does not reach, it reads the schedule.
 */
export const checkSource: Check = async (config, show) => {
  const asked = new Set<string>();
  const report = (event: OperationalEvent) => {
    if (event.type === 'refresh-started') asked.add(event.mirror);
    if (event.type === 'page-read') show('ok', `${event.page} is read`);
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
        (error: unknown) => show('warning', `${mirror}: ${describeError(error)}`),
      );
  }
  for (const repair of (await store.readStatus()).crawl.repaired)
    show('warning', describeRepair(repair, Date.now()));
  if (failure) show('problem', explain(failure, config));
  else await readNewestCover(config, source, store, show);
  await source.close();
};

/** The events of the crawl that are shown as the log has them. */
const LEVELS: Partial<Record<OperationalEvent['type'], Level>> = {
  'refresh-finished': 'ok',
  'selectors-restored': 'ok',
  'attempt-failed': 'warning',
  'mirror-failed': 'warning',
  'card-omitted': 'warning',
  'anime-missing': 'warning',
};

/** Reads the page of the anime on top of the list, and shows which of its facts cannot be read. */
async function readNewestAnime(source: Source, store: SnapshotStore, show: Show): Promise<void> {
  const { mirror } = (await store.readStatus()).mirrors;
  const snapshot = await store.readSnapshot();
  const [newest] = snapshot?.ongoing ?? [];
  if (!snapshot || !newest || !mirror) return show('warning', 'there is no anime whose page could be read');
  const { slug } = newest;
  try {
    const page = await source.beginCrawl(new AbortController().signal)(mirror).readAnime(slug);
    checkOwnPage({ slug, page }, snapshot);
    const { publishedAt, episodes, details } = page;
    const status = details.isDropped ? 'dropped' : details.status;
    const missing = Object.entries({ ...details, status, time: publishedAt, episodes })
      .filter(([name, value]) => !MAY_BE_EMPTY.has(name) && (value === null || String(value) === ''))
      .map(([name]) => name);
    const read = `the page of ${slug} is read, ${episodes.length} episodes`;
    if (missing.length === 0) show('ok', read);
    else show('warning', `${read}, without ${missing.join(', ')}`);
  } catch (error) {
    show('warning', `the page of ${slug}: ${describeError(error)}; the listing does without`);
  }
}

/** What the store knows, in memory. It is empty where the store cannot be read, which its own check reports. */
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

/** The origin that served, where the configuration should name it, or should name no other that redirects to it. */
function showMirror(
  { mirror, askedMirror }: { mirror: string | null; askedMirror: string | null },
  configured: readonly string[],
  show: Show,
): void {
  if (!mirror) return;
  if (!configured.includes(mirror))
    show('warning', `${mirror} serves the site and is not configured: add it to SOURCE_URLS`);
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
    return `${reason}; the site is moving: wait until it answers there, or add a mirror that does to SOURCE_URLS`;
  if (reason.includes('ENOTFOUND'))
    return `${reason}; no server has that name: correct it in ${source.proxy ? 'SOURCE_PROXY or SOURCE_URLS' : 'SOURCE_URLS'}, or check the DNS of this machine`;
  if (reason.includes('EAI_AGAIN'))
    return `${reason}; the DNS of this machine does not answer: check its network and its resolver`;
  if (/EHOSTUNREACH|ENETUNREACH|ECONNREFUSED/u.test(reason))
    return `${reason}; nothing answers there: check the network and the firewall of this machine, ${source.proxy ? 'SOURCE_PROXY, ' : ''}or set SOURCE_URLS to the site's present address`;
  const remedies = source.proxy ? 'check SOURCE_PROXY; ' : '';
  return `${reason}; ${remedies}raise SOURCE_TIMEOUT if it is slow, or set SOURCE_URLS to the site's present address`;
}

/** A selector that the last good crawl repaired, and the line that makes it the written one. */
function describeRepair({ field, was, now: selector, agreement, since }: Repair, now: number): string {
  const share = `${Math.floor(agreement * 100)} %`;
  const name = field.replace(/^schedule /u, '');
  const where = field === name ? 'ongoing list' : 'schedule';
  const used = `${field}: ${selector || 'nothing'} in place of ${was} for ${describeDuration(now - since)}`;
  return `${used}, right on ${share} of the known anime; in ${SELECTORS_FILE} write ${name}: '${selector}', for the ${where}`;
}
