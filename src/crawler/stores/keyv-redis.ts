import KeyvRedis from '@keyv/redis';
import type { RedisConnection } from '../../redis/connection.ts';

export interface SharedKeyvRedisOptions {
  redis: RedisConnection;
  /** Before every key. */
  namespace: string;
  /** Puts a value under a key in full, and tells the others. */
  write: (key: string, value: string) => Promise<void>;
}

/**
 * The adapter of Keyv's own for Redis, over a connection that is somebody else's: it neither opens nor mends it, and
 * what fails while there is none has failed.
 */
export class SharedKeyvRedis extends KeyvRedis<string> {
  readonly #redis: RedisConnection;
  readonly #write: SharedKeyvRedisOptions['write'];

  constructor({ redis, namespace, write }: SharedKeyvRedisOptions) {
    super(redis.client(), { namespace, keyPrefixSeparator: ':', throwOnErrors: true });
    this.#redis = redis;
    this.#write = write;
  }

  override async getClient() {
    return this.#redis.client();
  }

  override async set(key: string, value: string): Promise<void> {
    await this.#write(this.createKeyPrefix(key, this.namespace), value);
  }

  /** The adapter only emits what goes wrong here. */
  override async clear(): Promise<void> {
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    this.on('error', note);
    await super.clear();
    this.off('error', note);
    if (failures.length > 0) throw failures[0];
  }
}
