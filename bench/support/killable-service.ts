import { readConfig } from '../../src/app/config.ts';
import { startService } from '../../src/app/service.ts';

/** The service. It ends a thread whose name the parent process sends, and replies once that thread runs again. */

const service = await startService(readConfig(process.env, '0.0.0'), (event) => {
  if (event.type === 'listening') console.log(`${event.origin} listening on ${event.address}`);
});

process.on('message', (name: string) => {
  const thread = service.threads.get(name);
  if (!thread) return;
  const { restarts } = thread.state();
  thread.restart(new Error('ended by a measurement'));
  const timer = setInterval(() => {
    const now = thread.state();
    if (now.state !== 'running' || now.restarts === restarts) return;
    clearInterval(timer);
    process.send?.('running');
  }, 20);
});
process.once('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
