import { UsageError } from './commands/arguments.ts';

interface Command {
  usage: string;
  summary: string;
  /** Imports the command, which resolves with the exit code of the process. Only what it needs is loaded. */
  load: () => Promise<(args: string[]) => Promise<number>>;
}

const COMMANDS: Record<string, Command> = {
  serve: {
    usage: 'npm start',
    summary: 'Runs the service until SIGTERM or SIGINT.',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  refresh: {
    usage: 'npm run refresh -- [--force]',
    summary: 'Refreshes the listing once. --force also accepts short pages and fewer entries.',
    load: async () => (await import('./commands/refresh.ts')).refresh,
  },
  demo: {
    usage: 'npm run demo',
    summary: 'Runs the service against a sample source site on this machine.',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  doctor: {
    usage: 'npm run doctor',
    summary: 'Checks the configuration, the disk, the store, the mirrors, the pages and the selectors.',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  uploads: {
    usage: [
      'npm run uploads -- list [--reported] [--address CIDR] [--type TYPE] [--larger SIZE]',
      'npm run uploads -- show ID | reports [ID] | blocked',
      'npm run uploads -- remove ID [--legal] [--block]',
      'npm run uploads -- block|unblock sha256:HEX|address:CIDR …',
    ].join('\n       '),
    summary:
      'Finds, removes and blocks uploads beside a running service. Prints a table on a terminal, and JSON on a pipe or with --json.',
    load: async () => (await import('./commands/uploads.ts')).uploads,
  },
};

/** Runs the command and returns the exit code. */
async function main([name = 'serve', ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const flags = command ? args : [name];
  if (flags.includes('--version')) return print(await readVersion());
  if (flags.includes('--help')) return print(command ? describeCommand(command) : describeAll());
  if (!command)
    return fail(`There is no command "${name}". The commands are ${Object.keys(COMMANDS).join(', ')}.`);
  try {
    const run = await command.load();
    return await run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return fail(`${error.message}\n${describeCommand(command)}`);
  }
}

function describeCommand({ usage, summary }: Command): string {
  return `Usage: ${usage}\n${summary}\nEvery command takes --help and --version. The variables are in .env.example.`;
}

function describeAll(): string {
  return Object.entries(COMMANDS)
    .map(([name, { usage, summary }]) => `${name}: ${summary}\n  ${usage}`)
    .join('\n');
}

async function readVersion(): Promise<string> {
  return (await import('./commands/environment.ts')).readVersion();
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function fail(text: string): number {
  console.error(text);
  return 1;
}

/** A reader such as `head` may close the pipe early, which ends the command without an error. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

process.stdout.on('error', endOnClosedPipe);
process.exit(await main(process.argv.slice(2)));
