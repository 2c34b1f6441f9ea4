/** A command resolves to the process's exit code. */
type Command = (args: string[]) => Promise<number>;

/** Only what a command needs is loaded. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  refresh: async () => (await import('./commands/refresh.ts')).refresh,
  demo: async () => (await import('./commands/demo.ts')).demo,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  capture: async () => (await import('./commands/capture.ts')).capture,
};

const [name = 'serve', ...args] = process.argv.slice(2);
const load = COMMANDS[name];

if (load) {
  const command = await load();
  process.exit(await command(args));
} else {
  console.error(`there is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}`);
  process.exit(1);
}
