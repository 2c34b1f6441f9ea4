import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests at a steady rate, whether or not responses arrive, so that every request during a pause of the server
 * counts. Prints when each was sent (ms since 1970), and how long its response took, in ms.
 */

const { url, perSecond, seconds } = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1_000 });
const sent: number[] = [];
const took: number[] = [];

async function ask(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const asking = get(url, { agent, headers: { 'Accept-Encoding': 'br' } }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
    response.resume().once('end', () => {
      sent.push(performance.timeOrigin + startedAt);
      took.push(performance.now() - startedAt);
      resolve();
    });
  });
  asking.once('error', reject);
  return promise;
}

const startedAt = performance.now();
const underWay: Promise<void>[] = [];
for (let count = 0; count < perSecond * seconds; ) {
  const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
  for (; count < due; count += 1) underWay.push(ask());
  await sleep(1);
}
await Promise.all(underWay);
agent.destroy();
console.log(JSON.stringify({ sent, took }));
