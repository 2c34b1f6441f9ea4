import { EventEmitter } from 'node:events';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Store } from '../snapshot-store.ts';

/** Where a driver keeps the texts of values. Both throw when the store fails. */
interface Texts {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
}

/** Keyv over the texts of a driver. `namespace`: what keys begin with, before a colon. */
export function createKeyv(texts: Texts, namespace: string): Store['keyv'] {
  return new Keyv(new TextAdapter(texts), { namespace, throwOnErrors: true, emitErrors: false });
}

/** Values are read and replaced, and never removed. */
class TextAdapter extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = {};
  readonly #texts: Texts;

  constructor(texts: Texts) {
    super();
    this.#texts = texts;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Keyv's own type of a value that is not deserialized yet
  get(key: string): Promise<any> {
    return this.#texts.get(key);
  }

  async set(key: string, text: string): Promise<boolean> {
    await this.#texts.set(key, text);
    return true;
  }

  delete(): Promise<never> {
    return Promise.reject(new Error('values are not removed'));
  }

  clear(): Promise<never> {
    return this.delete();
  }
}
