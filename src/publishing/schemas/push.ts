import { ADDRESS, object, SLUG, success, TEXT } from './schema.ts';

export const PUSH_KEY = success(object({ key: { ...TEXT, pattern: '^[A-Za-z0-9_-]{87}$' } }));

export const PUSH_ENDPOINT = object({ endpoint: ADDRESS });

/** Browsers add members of their own, such as `expirationTime`. */
export const PUSH_SUBSCRIPTION = object({
  subscription: {
    type: 'object',
    properties: { endpoint: ADDRESS, keys: object({ p256dh: TEXT, auth: TEXT }) },
    required: ['endpoint', 'keys'],
  },
  slugs: { type: 'array', items: SLUG, maxItems: 200 },
} as const);
