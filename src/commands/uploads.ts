import { stat } from 'node:fs/promises';
import type { Config } from '../app/config.ts';
import { uploadFolder } from '../app/folders.ts';
import { AppError, describeError } from '../domain/errors.ts';
import { driverFor, redactText } from '../domain/setting-url.ts';
import { createModerator, type Moderator } from '../uploads/moderation/moderator.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { hasCode } from '../uploads/storage/errors.ts';
import type { Storage } from '../uploads/storage.ts';
import { actAsOwner } from './data-owner.ts';
import { loadConfig } from './environment.ts';
import { CONSOLE, type Printer } from './printer.ts';
import { formatJson, zonedTimeFormatter } from './table.ts';
import { parseFileArgument, parseUploadsArguments, type UploadsRequest } from './uploads-arguments.ts';
import { type ListedFile, listFiles } from './uploads-list.ts';
import {
  formatFile,
  formatFiles,
  formatReports,
  presentFile,
  presentListed,
  presentReport,
} from './uploads-output.ts';

/** The maximum number of files in a table. */
const MAX_ROWS = 100;

/** Lists, shows, removes and blocks uploads beside a running service. Resolves with the exit code. */
export async function uploads(args: string[]): Promise<number> {
  const request = parseUploadsArguments(args);
  const config = loadConfig();
  const folder = uploadFolder(config);
  // The service has to be able to read what this writes, whoever writes it.
  process.umask(0o022);
  if (folder !== undefined) await actAsOwner(folder);
  const json = request.json || !process.stdout.isTTY;
  return runUploadsCommand(config, { ...request, json }, CONSOLE);
}

/** Runs one action on the storage of a configuration. Resolves with the exit code. */
export async function runUploadsCommand(
  config: Config,
  request: UploadsRequest,
  printer: Printer,
): Promise<number> {
  try {
    const storage = await openStorage(config);
    try {
      const moderator = createModerator({ storage, now: Date.now });
      const formatTime = zonedTimeFormatter(config.timeZone);
      printer.print(await ACTIONS[request.action]({ storage, moderator, request, printer, formatTime }));
      return 0;
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printer.printError(redactText(describeFailure(error)));
    return 1;
  }
}

/** A missing folder is a wrong setting, or the service has not started yet. */
async function openStorage(config: Config): Promise<Storage> {
  const folder = uploadFolder(config);
  const isMissing = folder !== undefined && !(await stat(folder).catch(() => undefined))?.isDirectory();
  if (isMissing) {
    throw new AppError(
      'not-found',
      `there are no uploads in ${folder}; run this with the environment of the service`,
    );
  }
  const { storageUrl } = config.upload;
  return driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl, Date.now);
}

interface ActionOptions {
  storage: Storage;
  moderator: Moderator;
  request: UploadsRequest;
  printer: Printer;
  formatTime: (ms: number) => string;
}

/** Each action resolves with the text to print. */
const ACTIONS: Record<UploadsRequest['action'], (options: ActionOptions) => Promise<string>> = {
  list,
  show,
  remove,
  block: changeBlocks,
  unblock: changeBlocks,
  blocked: showBlocked,
  reports: showReports,
};

async function list({ storage, request, printer, formatTime }: ActionOptions): Promise<string> {
  const listed = listFiles(storage, request.filter, Date.now());
  if (request.json) return formatJson((await Array.fromAsync(listed)).map(presentListed));
  const files: ListedFile[] = [];
  for await (const file of listed) {
    files.push(file);
    if (files.length > MAX_ROWS) break;
  }
  if (files.length > MAX_ROWS)
    printer.printError(`There are more than these ${MAX_ROWS} files; --json prints all of them.`);
  return formatFiles(files.slice(0, MAX_ROWS), formatTime);
}

async function show({ moderator, request, formatTime }: ActionOptions): Promise<string> {
  const id = fileOf(request);
  const { description, reports } = await moderator.show(id);
  if (!request.json) return formatFile(id, description, reports, formatTime);
  return formatJson({ ...presentFile(id, description), reports: reports.map(presentReport) });
}

async function remove({ moderator, request }: ActionOptions): Promise<string> {
  const id = fileOf(request);
  const { isLegal, blocks, json } = request;
  const { reason, sha256 } = await moderator.remove(id, { reason: isLegal ? 'legal' : 'operator', blocks });
  if (json) return formatJson({ id, reason, sha256, blocked: blocks });
  const answered = reason === 'legal' ? '451, removed for legal reasons' : '410, removed by the operator';
  const refused = blocks ? `\nThe same bytes are refused from now on: sha256:${sha256}` : '';
  return `Removed ${id}. Until its expiry its addresses answer ${answered}.${refused}`;
}

async function changeBlocks({ moderator, request }: ActionOptions): Promise<string> {
  const { action, json } = request;
  const entries = [...new Set(request.operands)];
  if (action === 'block') {
    await moderator.block(entries);
    return json ? formatJson({ blocked: entries }) : entries.map((entry) => `Blocked ${entry}`).join('\n');
  }
  const unblocked = await moderator.unblock(entries);
  const missing = entries.find((entry) => !unblocked.includes(entry));
  if (missing) throw new AppError('not-found', `there is no block ${missing}; "blocked" lists the blocks`);
  return json ? formatJson({ unblocked }) : unblocked.map((entry) => `Unblocked ${entry}`).join('\n');
}

async function showBlocked({ moderator, request }: ActionOptions): Promise<string> {
  const entries = await moderator.blocked();
  if (request.json) return formatJson(entries);
  return entries.length === 0 ? 'Nothing is blocked.' : entries.join('\n');
}

async function showReports({ moderator, request, formatTime }: ActionOptions): Promise<string> {
  const reports = await moderator.reports(request.operands.length > 0 ? fileOf(request) : undefined);
  return request.json ? formatJson(reports.map(presentReport)) : formatReports(reports, formatTime);
}

function fileOf({ operands: [text = ''] }: UploadsRequest): string {
  return parseFileArgument(text);
}

/** The message of an AppError is for clients; the operator needs its cause as well. */
function describeFailure(error: Error): string {
  const cause = error instanceof AppError && error.cause ? ` (${describeError(error.cause)})` : '';
  const advice = hasCode(error, 'EACCES', 'EPERM')
    ? '; run this as the owner of the uploads, or as root'
    : '';
  const text = `${describeError(error)}${cause}${advice}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
