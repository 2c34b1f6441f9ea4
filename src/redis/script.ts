import { createHash } from 'node:crypto';
import type { RedisClientType } from '@redis/client';

/** What Redis does as one step, which no other client's command comes into. */
export interface Script {
  run(client: RedisClientType, keys: string[], args: string[]): Promise<unknown>;
}

/** Sent by its name; in full once after each start of the server, which forgets it. */
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
