import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Attaches strace to a process, or to one of its threads, and resolves once it is attached. `output` resolves with what
 * strace has printed, when the process has ended.
 */
export async function attachStrace(
  id: number,
  options: readonly string[],
): Promise<{ output(): Promise<string> }> {
  const tracer = spawn('strace', [...options, '-p', String(id)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  const attached = Promise.withResolvers<void>();
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('attached')) attached.resolve();
  });
  const ended = once(tracer, 'close');
  void ended.then(() => attached.reject(new Error(`strace could not attach: ${output}`)));
  await attached.promise;
  return {
    async output() {
      await ended;
      return output;
    },
  };
}
