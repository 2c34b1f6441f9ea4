import { CommandError, suggest, UsageError } from './commands/arguments.ts';
import { COMMANDS, type CommandName } from './commands/command-table.ts';

/** Imports each command only when it runs. A command resolves with the exit code of the process. */
const LOADERS: Record<CommandName, () => Promise<(args: string[]) => Promise<number>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  refresh: async () => (await import('./commands/refresh.ts')).refresh,
  demo: async () => (await import('./commands/demo.ts')).demo,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  copy: async () => (await import('./commands/copy.ts')).copy,
  channels: async () => (await import('./commands/channels.ts')).channels,
  uploads: async () => (await import('./commands/uploads.ts')).uploads,
};

// The names of an object's own properties are its keys.
const NAMES = Object.keys(COMMANDS) as CommandName[];
const NEXT_USAGE = '\n       ';

/** Exit codes. */
const FAILURE = 1;
const WRONG_USAGE = 2;

/** Runs the command and returns the exit code. */
async function main([name = 'serve', ...args]: string[]): Promise<number> {
  const command = NAMES.find((one) => one === name);
  const flags = command ? args : [name];
  if (flags.includes('--version')) return print(await packageVersion());
  if (flags.includes('--help')) return print(command ? describeCommand(command) : describeAll());
  if (!command) {
    const problem = `There is no command "${name}".${suggest(name, [...NAMES, '--help', '--version'])}`;
    return fail(`${problem} The commands are ${NAMES.join(', ')}.`, WRONG_USAGE);
  }
  try {
    const run = await LOADERS[command]();
    return await run(args);
  } catch (error) {
    if (error instanceof UsageError)
      return fail(`${error.message}\n${describeCommand(command)}`, WRONG_USAGE);
    if (error instanceof CommandError) return fail(error.message, FAILURE);
    throw error;
  }
}

function describeCommand(name: CommandName): string {
  const { usage, summary } = COMMANDS[name];
  return `Usage: ${usage.join(NEXT_USAGE)}\n${summary}\nEvery command takes --help and --version. docs/configuration.md lists the variables.`;
}

function describeAll(): string {
  return Object.entries(COMMANDS)
    .map(([name, { usage, summary }]) => `${name}: ${summary}\n  ${usage.join('\n  ')}`)
    .join('\n');
}

async function packageVersion(): Promise<string> {
  return (await import('./commands/environment.ts')).packageVersion();
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function fail(text: string, exitCode: number): number {
  console.error(text);
  return exitCode;
}

/** Exits without an error when a reader such as `head` closes the pipe early. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** Prints an unexpected error as Node does, after all earlier output. */
function failUnexpectedly(error: unknown): number {
  console.error(error);
  return FAILURE;
}

/** Resolves once the pipe has taken all output: it takes some 64 KB at once, the rest only as it is read. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

process.title = 'tayang';
// Every file may have secrets, such as keys and the addresses of senders: only the owner may read it.
process.umask(0o077);
const OUTPUTS = [process.stdout, process.stderr];
for (const output of OUTPUTS) output.on('error', endOnClosedPipe);
const exitCode = await main(process.argv.slice(2)).catch(failUnexpectedly);
await Promise.all(OUTPUTS.map(flush));
// An abandoned response may still keep the event loop alive.
process.exit(exitCode);
