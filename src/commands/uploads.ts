import { stat } from 'node:fs/promises';
import type { Config } from '../app/config.ts';
import { AppError, describeError } from '../domain/errors.ts';
import { driverFor, redactText } from '../domain/setting-url.ts';
import type { UploadId } from '../domain/upload-id.ts';
import { createModerator, type Moderator } from '../uploads/moderation/moderator.ts';
import { STORAGE_DRIVERS, storageFolder } from '../uploads/storage/drivers.ts';
import { hasCode, unlessMissing } from '../uploads/storage/errors.ts';
import type { Storage } from '../uploads/storage.ts';
import { actAsOwner } from './data-owner.ts';
import { loadConfig } from './environment.ts';
import { CONSOLE, type Printer } from './printer.ts';
import { formatJson, zonedTimeFormatter } from './table.ts';
import { parseUploadsArguments, type UploadsRequest } from './uploads-arguments.ts';
import { type ListedFile, listFiles } from './uploads-list.ts';
import {
  createFormats,
  presentCollection,
  presentFile,
  presentReport,
  type UploadFormats,
} from './uploads-output.ts';

/** The maximum number of files in a table. */
const MAX_ROWS = 100;

/** Lists, shows, removes and blocks uploads beside a running service. Resolves with the exit code. */
export async function uploads(args: string[]): Promise<number> {
  const request = parseUploadsArguments(args);
  const config = loadConfig();
  const folder = storageFolder(config.upload.storageUrl);
  if (folder !== undefined) await actAsOwner(folder);
  const json = request.json || !process.stdout.isTTY;
  return runUploadsCommand(config, { ...request, json }, CONSOLE);
}

/** Runs one action on the storage of a configuration. Resolves with the exit code. */
export async function runUploadsCommand(
  config: Config,
  request: UploadsRequest,
  { print, printError }: Printer,
): Promise<number> {
  try {
    const storage = await openStorage(config);
    try {
      const moderator = createModerator(storage, Date.now);
      const formats = createFormats(zonedTimeFormatter(config.timeZone));
      const act = ACTIONS[request.action];
      const { data, text } = await act({ ...request, storage, moderator, printError, ...formats });
      print(request.json ? formatJson(data) : text);
      return 0;
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(redactText(describeFailure(error)));
    return 1;
  }
}

/** A missing folder means a wrong setting, or a service that never started. */
async function openStorage(config: Config): Promise<Storage> {
  const folder = storageFolder(config.upload.storageUrl);
  const isThere = folder === undefined || (await unlessMissing(stat(folder)))?.isDirectory();
  if (!isThere) {
    const advice = 'run this with the environment of the service';
    throw new AppError('not-found', `there are no uploads in ${folder}; ${advice}`);
  }
  const { storageUrl } = config.upload;
  return driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl);
}

interface ActionOptions extends UploadsRequest, UploadFormats {
  storage: Storage;
  moderator: Moderator;
  printError: Printer['printError'];
}

/** Resolves with the result, for programs and for people. */
type Act = (options: ActionOptions) => Promise<{ data: unknown; text: string }>;

const ACTIONS: Record<UploadsRequest['action'], Act> = {
  async list({ storage, filter, json, printError, formatFiles }) {
    const files: ListedFile[] = [];
    const onUnreadable = (id: UploadId, error: unknown) =>
      printError(`${id} cannot be read: ${describeError(error)}; you can remove it`);
    for await (const file of listFiles(storage, filter, Date.now(), onUnreadable)) {
      files.push(file);
      if (!json && files.length > MAX_ROWS) break;
    }
    if (!json && files.length > MAX_ROWS)
      printError(`These are the first ${MAX_ROWS} files; --json prints all of them.`);
    const data = files.map(({ id, description, reports }) => ({ ...presentFile(id, description), reports }));
    return { data, text: formatFiles(data.slice(0, MAX_ROWS)) };
  },

  async show({ moderator, id, formatFile, formatCollection }) {
    const shown = await moderator.show(id);
    const reports = shown.reports.map(presentReport);
    if (shown.collection) {
      const collection = presentCollection(shown.collection);
      return { data: { ...collection, reports }, text: formatCollection(collection, reports) };
    }
    const file = presentFile(id, shown.description);
    return { data: { ...file, reports }, text: formatFile(file, reports) };
  },

  async remove({ moderator, id, isLegal, blocks }) {
    const { reason, sha256 } = await moderator.remove(id, { reason: isLegal ? 'legal' : 'operator', blocks });
    const answered = reason === 'legal' ? '451, removed for legal reasons' : '410, removed by the operator';
    const refused = blocks ? `\nThe same bytes are refused from now on: sha256:${sha256}` : '';
    return {
      data: { id, reason, sha256, blocked: blocks },
      text: `Removed ${id}. Until it expires, its links answer ${answered}.${refused}`,
    };
  },

  async block({ moderator, entries }) {
    await moderator.block(entries);
    return { data: { blocked: entries }, text: entries.map((entry) => `Blocked ${entry}`).join('\n') };
  },

  async unblock({ moderator, entries }) {
    const unblocked = await moderator.unblock(entries);
    const missing = entries.find((entry) => !unblocked.includes(entry));
    if (missing) throw new AppError('not-found', `there is no block ${missing}; "blocked" lists all blocks`);
    return { data: { unblocked }, text: unblocked.map((entry) => `Unblocked ${entry}`).join('\n') };
  },

  async blocked({ moderator }) {
    const data = await moderator.blocked();
    return { data, text: data.join('\n') || 'Nothing is blocked.' };
  },

  async reports({ moderator, id, formatReports }) {
    const data = (await moderator.reports(id || undefined)).map(presentReport);
    return { data, text: formatReports(data) };
  },
};

/** The message of an AppError is for clients; the operator needs its cause as well. */
function describeFailure(error: Error): string {
  const cause = error instanceof AppError && error.cause ? ` (${describeError(error.cause)})` : '';
  const isDenied = hasCode(error, 'EACCES', 'EPERM');
  const advice = isDenied ? '; run this as the owner of the uploads, or as root' : '';
  const text = `${describeError(error)}${cause}${advice}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
