import { describeUploadsAction, UPLOADS_ACTIONS, type UploadsActionName } from './uploads-actions.ts';

/** What the command line says of a command. */
interface CommandDescription {
  /** The forms in which it is called. */
  usage: readonly string[];
  summary: string;
}

// The names of an object's own properties are its keys.
const ACTIONS = Object.keys(UPLOADS_ACTIONS) as UploadsActionName[];

/** Every command. This file is loaded by all of them, so it loads none. */
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
    summary: 'Runs the service against a sample source site on this machine.',
  },
  doctor: {
    usage: ['npm run doctor'],
    summary: 'Checks the configuration, the disk, the store, the mirrors, the pages and the selectors.',
  },
  copy: {
    usage: ['npm run copy -- cache FROM TO', 'npm run copy -- uploads FROM TO'],
    summary:
      'Copies everything that is kept to another address, written as in CACHE_URL and UPLOAD_STORAGE_URL. FROM is only read, and may be in use. Run it again to copy what has changed since.',
  },
  channels: {
    usage: ['npm run channels -- list', 'npm run channels -- remove ID'],
    summary:
      'Lists the channels that strangers have added, and removes one by the id of its webhook. Prints a table on a terminal, and JSON on a pipe or with --json.',
  },
  uploads: {
    usage: ACTIONS.map((name) => `npm run uploads -- ${describeUploadsAction(name)}`),
    summary:
      'Finds, removes and blocks uploads beside a running service. Prints a table on a terminal, and JSON on a pipe or with --json.',
  },
} satisfies Record<string, CommandDescription>;

export type CommandName = keyof typeof COMMANDS;
