import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RedisClientType } from '@redis/client';
import { once } from '../domain/serial.ts';

/** A Lua script, which Redis runs atomically. */
export interface Script {
  run(client: RedisClientType, keys: string[], args: string[]): Promise<unknown>;
}

/** Sends the hash of the script, and its text only when the server does not know the hash, as after a restart. */
export function createScript(lua: string): Script {
  const sha1 = createHash('sha1').update(lua).digest('hex');
  return {
    async run(client, keys, args) {
      const options = { keys, arguments: args };
      try {
        return await client.evalSha(sha1, options);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(lua, options);
      }
    },
  };
}

/** A script in a file, which is read before its first run. */
export function scriptFile(file: URL): Script {
  const load = once(async () => createScript(await readFile(file, 'utf8')));
  return { run: async (...args) => (await load()).run(...args) };
}
