/** What a service worker shows. It also has the texts, because the service does not know who speaks which language. */
export interface PushMessage {
  /** The same for the same episodes: a message that is repeated after a crash replaces the first one. */
  id: string;
  /** The first anime with new episodes. */
  anime: NewEpisodes[];
  /** How many anime have new episodes. */
  count: number;
}

export interface NewEpisodes {
  slug: string;
  title: string;
  /** The newest one. */
  episode: number;
  /** All that are new, the lowest first, where there are several. */
  episodes?: number[];
  image?: string;
}
