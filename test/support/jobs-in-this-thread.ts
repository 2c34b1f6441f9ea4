import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import type { OpenThread } from '../../src/app/threads/open-worker.ts';
import { runThread } from '../../src/app/threads/run-thread.ts';
import { type StartJob, superviseThread } from '../../src/app/threads/supervisor.ts';

/**
 * Runs the jobs of a service in the thread of the test. To start a thread takes longer than most tests, so only those
 * that are about threads start them. Messages pass through a channel, as they do between threads.
 */
export const startInThisThread: StartJob = (options) => superviseThread(options, { open: openHere });

const openHere: OpenThread = ({ name, data }, { notes }) => {
  const { port1, port2 } = new MessageChannel();
  const thread = new EventEmitter();
  port1.on('message', (message) => thread.emit('message', message));
  // A port is closed once what was sent before has arrived.
  port1.on('close', () => thread.emit('exit', 0));
  const end = () => port2.close();
  const run = async () => {
    const { start } = await import(`../../src/app/${name}-thread.ts`);
    await runThread({ start: (context) => start(data, context), main: port2, notes, end });
  };
  run().catch((error: unknown) => {
    thread.emit('error', error);
    end();
  });
  const terminate = () => Promise.reject(new Error('only a job in a thread of its own can be ended'));
  const cpuUsage = async () => process.threadCpuUsage();
  return Object.assign(thread, { postMessage: port1.postMessage.bind(port1), terminate, cpuUsage });
};
