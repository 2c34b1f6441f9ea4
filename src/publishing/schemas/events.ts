import { ONGOING_DAY } from './listing.ts';
import { ADDRESS, array, COUNT, FLAG, MOMENT, object, SLUG, success, TEXT } from './schema.ts';

const SEEN = {
  number: { ...COUNT, description: 'Counts up by one in each epoch.' },
  at: { ...MOMENT, description: 'When it was seen: the source names no time of day.' },
  slug: SLUG,
  title: TEXT,
  image: { ...ADDRESS, type: ['string', 'null'] },
  link: { ...ADDRESS, type: ['string', 'null'], description: 'Its page at the source.' },
} as const;

export const EVENT = {
  oneOf: [
    object({ ...SEEN, type: { const: 'added' }, episode: COUNT, day: ONGOING_DAY }),
    object({ ...SEEN, type: { const: 'new-episode' }, episode: COUNT, day: ONGOING_DAY }),
    object({ ...SEEN, type: { const: 'moved' }, from: ONGOING_DAY, to: ONGOING_DAY }),
    object({ ...SEEN, type: { const: 'left' } }),
  ],
} as const;

export const EVENTS = success(
  object({
    epoch: {
      ...TEXT,
      description: 'Identifies the numbering: send it back as `epoch`, with `last` as `since`.',
    },
    last: { ...COUNT, description: 'The value of `since` for the next request.' },
    complete: {
      ...FLAG,
      description:
        'False when events may have been missed, because they are no longer kept or the numbering is another one: read the list again.',
    },
    hasMore: { ...FLAG, description: 'There are more events after `last`: request them as well.' },
    events: array(EVENT),
  }),
);
