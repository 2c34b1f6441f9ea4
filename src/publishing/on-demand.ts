import type { Document } from './document.ts';

/** A client that asks for ever others shall not fill the memory. */
const MOST_KEPT = 500;

export type OnDemand<Key> = (key: Key) => Promise<Document>;

/** Documents of which there are too many to render them all: each is rendered when it is first asked for. */
export function onDemand<Key>(render: OnDemand<Key>): OnDemand<Key> {
  const rendered = new Map<Key, Promise<Document>>();
  return (key) => {
    const known = rendered.get(key);
    if (known) return known;
    if (rendered.size >= MOST_KEPT) rendered.clear();
    const document = render(key);
    rendered.set(key, document);
    return document;
  };
}
