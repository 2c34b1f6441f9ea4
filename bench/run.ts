import { measureCaches } from './groups/caches.ts';
import { measureDownload } from './groups/download.ts';
import { measureFirstCrawl } from './groups/first-crawl.ts';
import { measureFreshness } from './groups/freshness.ts';
import { measureFileGrowth } from './groups/growth-files.ts';
import { measureListingGrowth } from './groups/growth-listing.ts';
import { measureLimiter } from './groups/limiter.ts';
import { measureListing } from './groups/listing.ts';
import { measureIdleMemory, measureMemory } from './groups/memory.ts';
import { measureOffload } from './groups/offload.ts';
import { measureParse } from './groups/parse.ts';
import { measurePush } from './groups/push.ts';
import { measureRefresh } from './groups/refresh.ts';
import { measureRestarts } from './groups/restarts.ts';
import { measureSelections } from './groups/selections.ts';
import { measureStart } from './groups/start.ts';
import { measureStreams } from './groups/streams.ts';
import { measureLargeUploads, measurePutUploads, measureResumableUploads } from './groups/upload-large.ts';
import { measureSmallUploads } from './groups/upload-small.ts';
import { measureWebhooks } from './groups/webhooks.ts';
import { measureWhileParsing } from './groups/while-parsing.ts';
import { measureWhileRefreshing } from './groups/while-refreshing.ts';
import { measureWhileUploading } from './groups/while-uploading.ts';
import { stopLoadProcess } from './support/load.ts';
import { describeMachine, writeResults } from './support/results.ts';
import { formatTable, type Line, type Row, toLine } from './support/table.ts';

/** `npm run bench -- [--write] [--all] [group…]`: README.md in this folder describes the groups and the method. */

interface Group {
  measure: (options: { all: boolean }) => Promise<Row[]>;
  /** Whether the group runs only when it is named. */
  isLong?: boolean;
}

const GROUPS: Record<string, Group> = {
  listing: { measure: measureListing },
  selections: { measure: measureSelections },
  'while-refreshing': { measure: measureWhileRefreshing },
  'while-uploading': { measure: measureWhileUploading },
  'while-parsing': { measure: measureWhileParsing },
  restarts: { measure: measureRestarts },
  idle: { measure: measureIdleMemory },
  'first-crawl': { measure: measureFirstCrawl },
  freshness: { measure: measureFreshness },
  webhooks: { measure: measureWebhooks, isLong: true },
  push: { measure: measurePush, isLong: true },
  streams: { measure: measureStreams },
  caches: { measure: measureCaches },
  parse: { measure: measureParse },
  refresh: { measure: measureRefresh },
  'upload-large': { measure: measureLargeUploads },
  'upload-put': { measure: measurePutUploads },
  'upload-resumable': { measure: measureResumableUploads },
  'upload-small': { measure: measureSmallUploads },
  download: { measure: measureDownload },
  offload: { measure: measureOffload },
  limiter: { measure: measureLimiter },
  start: { measure: measureStart },
  'growth-listing': { measure: measureListingGrowth },
  'growth-files': { measure: measureFileGrowth },
  memory: { measure: measureMemory, isLong: true },
};

const args = process.argv.slice(2);
const options = { all: args.includes('--all') };
const named = args.filter((arg) => !arg.startsWith('--'));
const unknown = named.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) {
  console.error(`there is no group ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`);
  process.exit(1);
}

const lines: Line[] = [];
for (const [name, { measure, isLong = false }] of Object.entries(GROUPS)) {
  if (named.length > 0 ? !named.includes(name) : isLong) continue;
  const startedAt = performance.now();
  const measured = (await measure(options)).map((row) => toLine(name, row));
  lines.push(...measured);
  console.error(
    `${name}: ${measured.length} rows in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
  );
}
stopLoadProcess();
console.log(`${describeMachine()}\n\n${formatTable(lines)}`);
if (args.includes('--write')) await writeResults(lines, Object.keys(GROUPS));
