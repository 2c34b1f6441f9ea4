import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as parse from '../app/parse-settings.ts';
import { pluralize } from '../doctor/check.ts';
import { type CopyCount, CopyRefusedError, type OnCopied, useEnd } from '../domain/copy.ts';
import { AppError, describeError, errorCode } from '../domain/errors.ts';
import { driverFor, redactSetting, redactText, schemeOf } from '../domain/setting-url.ts';
import { parseRedisUrl } from '../redis/address.ts';
import { copyStore } from '../store/copy-store.ts';
import { STORE_DRIVERS } from '../store/drivers.ts';
import { copyUploads } from '../uploads/copy/copy-uploads.ts';
import { createFolder } from '../uploads/storage/disk/files.ts';
import { STORAGE_DRIVERS, storageFolder } from '../uploads/storage/drivers.ts';
import { unlessMissing } from '../uploads/storage/errors.ts';
import { parseS3Url } from '../uploads/storage/s3/address.ts';
import { parseArguments, suggest, UsageError } from './arguments.ts';
import { actAsOwner } from './data-owner.ts';
import { loadEnvironment } from './environment.ts';
import { CONSOLE, endSentence, type Printer } from './printer.ts';
import { formatTable } from './table.ts';

/** At most this many items that were not copied are named. */
const MAX_NAMED = 20;
const PROGRESS_MS = 2_000;

interface CopyRequest {
  what: 'cache' | 'uploads';
  from: string;
  to: string;
}

/** Copies a store or all uploads to another place, beside a running service. Resolves with the exit code. */
export async function copy(args: string[]): Promise<number> {
  const request = parseCopyArguments(args);
  loadEnvironment();
  const folders = [request.from, request.to].map(folderOf);
  await actAsOwner(...folders.filter((folder) => folder !== undefined));
  return runCopy(request, CONSOLE);
}

const DRIVERS = { cache: STORE_DRIVERS, uploads: STORAGE_DRIVERS };
type What = keyof typeof DRIVERS;

/** Parses the arguments of `copy`. Throws UsageError, which shows no part of an address. */
export function parseCopyArguments(args: string[]): CopyRequest {
  const { positionals } = parseArguments(args, { allowPositionals: true, options: {} });
  const [what = '', from, to, ...more] = positionals;
  const kinds = Object.keys(DRIVERS) as What[];
  const kind = kinds.find((one) => one === what);
  if (!kind) throw new UsageError(`Say what to copy, ${kinds.join(' or ')}.${suggest(what, kinds)}`);
  if (from === undefined || to === undefined || more.length > 0)
    throw new UsageError(`"${kind}" needs two addresses, FROM and TO.`);
  requireAddress('FROM', from, kind);
  requireAddress('TO', to, kind);
  if (placeOf(from) === placeOf(to)) throw new UsageError('FROM and TO are the same.');
  return { what: kind, from, to };
}

function requireAddress(name: string, address: string, what: What): void {
  try {
    parse.driverUrl(DRIVERS[what])(address);
  } catch (error) {
    throw new UsageError(`${name} ${describeError(error)}.`);
  }
  if (address === 'memory:')
    throw new UsageError(`${name} cannot be memory:, which no other process can see.`);
}

/** Copies, and prints the counts. Resolves with 0 only if everything is there and was compared. */
export async function runCopy(request: CopyRequest, { print, printError }: Printer): Promise<number> {
  const { what, from, to } = request;
  const places = `${redactSetting(from)} to ${redactSetting(to)}`;
  try {
    await requireExisting(from);
    await requireApart(storageFolder(from), storageFolder(to));
    const { counts, failures } = await COPIES[what](request, reportProgress(printError));
    print(
      formatTable(
        ['kind', 'kept', 'copied', 'removed'],
        counts.map((count) => ({ ...count })),
      ),
    );
    for (const [key, error] of [...failures].slice(0, MAX_NAMED))
      printError(endSentence(redactText(`${key} was not copied: ${describeError(error)}`)));
    if (failures.size > 0) {
      printError(
        `Failed to copy ${pluralize(failures.size, 'item')} from ${places}. Run this again; remove damaged files with npm run uploads -- remove.`,
      );
      return 1;
    }
    print(`Copied and compared everything from ${places}.`);
    return 0;
  } catch (error) {
    const failed = error instanceof CopyRefusedError ? 'Nothing was copied' : 'The copy is incomplete';
    printError(endSentence(`${failed}: ${redactText(describeFailure(error))}`));
    return 1;
  }
}

interface Copied {
  counts: CopyCount[];
  failures: ReadonlyMap<string, unknown>;
}

const COPIES: Record<What, (request: CopyRequest, onCopied: OnCopied) => Promise<Copied>> = {
  async cache({ from, to }, onCopied) {
    const source = await useEnd('FROM', () => driverFor(from, STORE_DRIVERS)(from, { readOnly: true }));
    try {
      const target = await useEnd('TO', () => driverFor(to, STORE_DRIVERS)(to));
      try {
        const counts = await copyStore({ from: source, to: target, fromName: placeOf(from), onCopied });
        return { counts, failures: new Map() };
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },

  async uploads({ from, to }, onCopied) {
    const folder = storageFolder(to);
    if (folder !== undefined) await useEnd('TO', () => createFolder(folder));
    const source = await useEnd('FROM', () => driverFor(from, STORAGE_DRIVERS)(from));
    const target = await useEnd('TO', () => driverFor(to, STORAGE_DRIVERS)(to));
    try {
      return await copyUploads({
        from: source,
        to: target,
        fromName: placeOf(from),
        now: Date.now(),
        onCopied,
      });
    } finally {
      await Promise.all([source.close(), target.close()]);
    }
  },
};

/** Names the place of an address in one spelling, without credentials. */
function placeOf(address: string): string {
  const scheme = schemeOf(address);
  if (scheme === 's3:') return parseS3Url(address).label;
  if (scheme === 'redis:' || scheme === 'rediss:') {
    const { place, prefix } = parseRedisUrl(address);
    return `${place} ${prefix}`;
  }
  return scheme + path.resolve(address.slice(scheme.length));
}

/** The folder that has the data of an address; undefined if it is on another machine. */
function folderOf(address: string): string | undefined {
  if (address.startsWith('sqlite:')) return path.dirname(path.resolve(address.slice('sqlite:'.length)));
  return storageFolder(address);
}

/** A missing file or folder means a wrong address, not an empty place. */
async function requireExisting(from: string): Promise<void> {
  if (!/^(?:sqlite|file):/u.test(from)) return;
  const place = path.resolve(from.slice(schemeOf(from).length));
  if (!(await unlessMissing(stat(place)))) throw new CopyRefusedError(`there is nothing at ${place}`);
}

/** A folder in the other one would be copied into itself, and creating it would change FROM. */
async function requireApart(from: string | undefined, to: string | undefined): Promise<void> {
  if (from === undefined || to === undefined) return;
  const [source, target] = await Promise.all([realPathOf(from), realPathOf(to)]);
  if (source === target) throw new CopyRefusedError('FROM and TO are the same folder');
  if (isInside(source, target)) throw new CopyRefusedError('FROM is inside TO; name a folder outside it');
  if (isInside(target, source)) throw new CopyRefusedError('TO is inside FROM; name a folder outside it');
}

/** The path without symbolic links, of a folder that may be missing. */
async function realPathOf(folder: string): Promise<string> {
  const real = await unlessMissing(realpath(folder));
  return real ?? path.join(await realPathOf(path.dirname(folder)), path.basename(folder));
}

function isInside(inner: string, outer: string): boolean {
  return inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
}

function reportProgress(printError: Printer['printError']): OnCopied {
  let printedAt = performance.now();
  return (kind, done) => {
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    printError(`copied ${kind}: ${done.toLocaleString('en')}`);
  };
}

function describeFailure(error: unknown): string {
  const cause = error instanceof AppError && error.cause ? ` (${describeError(error.cause)})` : '';
  const isForbidden = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  const advice = isForbidden ? '; run this as the owner of the data, or as root' : '';
  return `${describeError(error)}${cause}${advice}`;
}
