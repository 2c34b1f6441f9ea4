import { describeUploadsAction, UPLOADS_ACTIONS, type UploadsActionName } from './uploads-actions.ts';

/** The help of a command. */
interface CommandDescription {
  usage: readonly string[];
  summary: string;
}

// The names of an object's own properties are its keys.
const ACTIONS = Object.keys(UPLOADS_ACTIONS) as UploadsActionName[];

/** Every command. All of them load this file, so it loads none. */
export const COMMANDS = {
  serve: {
    usage: ['npm start'],
    summary: 'Runs the service until SIGTERM or SIGINT.',
  },
  refresh: {
    usage: ['npm run refresh -- [--force]'],
    summary: 'Refreshes the listing once. --force also accepts short pages and fewer entries.',
  },
  demo: {
    usage: ['npm run demo'],
    summary: 'Runs the service offline, against a sample source site.',
  },
  doctor: {
    usage: ['npm run doctor'],
    summary: 'Checks the configuration and everything the service depends on, and says what to change.',
  },
  copy: {
    usage: ['npm run copy -- cache FROM TO', 'npm run copy -- uploads FROM TO'],
    summary:
      'Copies the store or all uploads to another address, as in CACHE_URL or UPLOAD_STORAGE_URL. FROM is only read, and may be in use. Run it again to copy later changes.',
  },
  channels: {
    usage: ['npm run channels -- list', 'npm run channels -- remove ID'],
    summary:
      'Lists the channels that readers added, or removes one by the id of its webhook. Prints a table on a terminal, JSON on a pipe or with --json.',
  },
  uploads: {
    usage: ACTIONS.map((name) => `npm run uploads -- ${describeUploadsAction(name)}`),
    summary:
      'Finds, removes and blocks uploads beside a running service. Prints a table on a terminal, JSON on a pipe or with --json.',
  },
} satisfies Record<string, CommandDescription>;

export type CommandName = keyof typeof COMMANDS;
