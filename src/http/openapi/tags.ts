/** The groups of operations, in the order of the document. */
export const TAGS = [
  { name: 'Listing', description: 'The weekly schedule and the anime that are airing.' },
  {
    name: 'News',
    description: 'What has changed: a list of events, a stream of them, feeds and a calendar.',
  },
  { name: 'Uploads', description: 'Store a file for a limited time, show it and delete it.' },
  { name: 'Service', description: 'The state of the service, and this description.' },
] as const;

export type Tag = (typeof TAGS)[number]['name'];
