import KeyvRedis from '@keyv/redis';
import type { RedisConnection } from '../../redis/connection.ts';

interface SharedKeyvRedisOptions {
  redis: RedisConnection;
  /** The prefix of every key. */
  namespace: string;
  /** Writes a value under a key that has its prefix, and notifies the other processes. */
  write: (key: string, value: string) => Promise<void>;
}

/**
 * Keyv's own adapter for Redis over a given connection, which it neither opens nor restores: operations fail while the
 * connection is down.
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

  /** The adapter emits errors of this method instead of throwing them. */
  override async clear(): Promise<void> {
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    this.on('error', note);
    await super.clear();
    this.off('error', note);
    if (failures.length > 0) throw failures[0];
  }
}
