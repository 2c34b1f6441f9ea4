import { createHash } from 'node:crypto';
import type { RedisClientType } from '@redis/client';

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
