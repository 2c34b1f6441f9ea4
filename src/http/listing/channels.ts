import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { addressBuckets } from '../../network/address-buckets.ts';
import type { Limiter } from '../../network/limiter.ts';
import {
  type ChannelChange,
  parseChannel,
  parseChannelRemoval,
  parseWebhook,
  startOf,
} from '../../outbox/channels/channel.ts';
import type { ChannelOutcome } from '../../outbox/channels/channels.ts';
import { type ChannelsPage, renderChannelDone, renderChannelsPage } from '../../pages/channels-page.ts';
import { TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { chooseLanguage } from '../negotiate.ts';
import { sendPage } from '../page-documents.ts';
import { refuseOverLimit } from '../refuse-over-limit.ts';
import { readSmallBody } from '../request-body.ts';
import { STATUS_OF } from '../status-of.ts';
import { requireOwnPage } from './own-page.ts';
import { normalizeSlug } from './require-edition.ts';

export interface ChannelRoutesOptions {
  /** Begins or ends the announcements in a channel. Undefined when there was no answer in time. */
  change(change: ChannelChange): Promise<ChannelOutcome | undefined>;
  /** Limits changes. Its window is an hour. */
  limiter: Limiter;
  addressOf: (request: IncomingMessage) => string;
  /** Whether other hosts than Discord's are allowed. */
  allowsPrivate: boolean;
  /** The title of an anime; undefined where the slug is none. */
  titleOf(slug: string): string | undefined;
}

const PAGE_PATH = '/channels';
const SUBSCRIPTION_PATH = '/channels/subscription';
/** How many changes one address may ask for in an hour. */
const MAX_CHANGES = 20;
/** As many slugs as there may be, of an unusual length. */
const MAX_BODY_BYTES = 32 * 1024;
const RETRY_MS = 10_000;

export type ChannelRoutes = (router: Router) => void;

/** The routes for channels: the page, its form, and what programs use. */
export function channelRoutes(options: ChannelRoutesOptions): ChannelRoutes {
  const { allowsPrivate } = options;

  /** Makes the change that a body asks for. Every request counts, whatever becomes of it. */
  async function makeChange(
    ctx: Context,
    type: string,
    parse: (body: string) => ChannelChange,
  ): Promise<void> {
    requireOwnPage(ctx);
    const buckets = addressBuckets(options.addressOf(ctx.req), MAX_CHANGES);
    refuseOverLimit(await options.limiter.take(buckets), 'changes');
    if (ctx.is(type) !== type) throw new AppError('unsupported-media-type', `send ${type}`);
    const change = parse(await readSmallBody(ctx, MAX_BODY_BYTES));
    requireDone(await options.change(change));
  }

  const changeBy = (parse: typeof parseChannel) => async (ctx: Context) => {
    await makeChange(ctx, 'application/json', (body) => parse(body, allowsPrivate));
    ctx.status = 204;
  };

  function sendForm(ctx: Context, page: Pick<ChannelsPage, 'problem'>): void {
    const slug = normalizeSlug(new URLSearchParams(ctx.querystring).get('anime') ?? '');
    const title = options.titleOf(slug);
    const anime = title === undefined ? undefined : { slug, title };
    sendPage(ctx, (language) => renderChannelsPage({ ...page, anime }, TRANSLATIONS[language]));
  }

  async function takeForm(ctx: Context): Promise<void> {
    const language = chooseLanguage(ctx.querystring, ctx.req.headers);
    try {
      let isStop = false;
      await makeChange(ctx, 'application/x-www-form-urlencoded', (body) => {
        const form = new URLSearchParams(body);
        isStop = form.get('action') === 'stop';
        return isStop
          ? { type: 'stop', url: parseWebhook(form.get('url'), allowsPrivate) }
          : startOf({ url: form.get('url'), slugs: slugsOf(form), language }, allowsPrivate);
      });
      sendPage(ctx, () => renderChannelDone(isStop, TRANSLATIONS[language]));
    } catch (error) {
      if (!(error instanceof AppError) || ctx.accepts('json', 'html') === 'json') throw error;
      ctx.state.code = error.code;
      ctx.status = STATUS_OF[error.code];
      if (error.retryAfterMs !== undefined)
        ctx.set('Retry-After', String(Math.ceil(error.retryAfterMs / 1_000)));
      sendForm(ctx, { problem: { status: ctx.status, message: error.message } });
    }
    ctx.set('Cache-Control', 'no-store');
  }

  return (router) => {
    router.get(PAGE_PATH, (ctx) => sendForm(ctx, {}));
    router.post(PAGE_PATH, takeForm);
    router.put(SUBSCRIPTION_PATH, changeBy(parseChannel));
    router.delete(SUBSCRIPTION_PATH, changeBy(parseChannelRemoval));
  };
}

/** The choice in the form: all, those that the script has filled in, or the one anime of the page that led to it. */
function slugsOf(form: URLSearchParams): string[] | null {
  const what = form.get('what') ?? 'all';
  if (what === 'all') return null;
  return what === 'followed' ? (form.get('followed') ?? '').split(',').filter(Boolean) : [what];
}

/** Throws an AppError for a change that was not made. */
function requireDone(outcome: ChannelOutcome | undefined): void {
  switch (outcome?.type) {
    case 'done':
      return;
    case 'full':
      throw new AppError('storage-full', 'this service keeps no more channels; try again another day');
    case 'refused':
      throw new AppError('channel-refused', `Discord refused the first message: ${outcome.reason}`);
    case 'unreachable':
      throw new AppError(
        'channel-down',
        `Discord did not take the first message: ${outcome.reason}; try again later`,
      );
    case 'busy':
      throw new AppError(
        'not-ready',
        'Discord takes no more messages for that webhook for now; try again later',
        {
          retryAfterMs: outcome.retryAfterMs,
        },
      );
    default:
      throw new AppError('not-ready', 'the channel could not be stored; try again in a moment', {
        retryAfterMs: RETRY_MS,
      });
  }
}
