/** An open connection, as far as its place is concerned. */
interface PlaceHolder {
  /** The client that it counts for, and the client's site if it has one. */
  networks: readonly string[];
  /** When it was accepted or got its last request; a time of `performance.now()`. */
  usedAt: number;
  /** Whether it has no request in flight. */
  isIdle(): boolean;
  /** Ends it at once, because another connection takes its place. */
  makeRoom(): void;
}

interface PlaceLimits {
  /** Connections that are served at once. */
  max: number;
  /** Of those, how many one client may have; its site has twice as many. */
  maxPerClient: number;
  /** Connections beyond those, which are open until they are refused. */
  maxRefused: number;
}

/** When all places are taken, this share of them becomes free at once, because finding idle connections takes time. */
const FREED_SHARE = 1 / 100;

/** All places are taken, or the client has as many as one may have. */
export type RefusalReason = 'full' | 'client-share';

/** Gives places to connections. */
export interface ConnectionPlaces<P extends PlaceHolder> {
  /** Returns why the connection is to be refused; undefined where it is served. Either way it stays until `leave`. */
  enter(place: P): RefusalReason | undefined;
  leave(place: P): void;
}

/**
 * Creates the places of a server. When all of them are taken, the client with the most connections loses idle ones, the least
 * recently used first: nobody keeps others out by holding connections open.
 */
export function createConnectionPlaces<P extends PlaceHolder>(limits: PlaceLimits): ConnectionPlaces<P> {
  const { max, maxPerClient, maxRefused } = limits;
  const servedByNetwork = new Map<string, Set<P>>();
  const served = new Set<P>();
  const refused = new Set<P>();

  function isFull(network: string, index: number): boolean {
    return (servedByNetwork.get(network)?.size ?? 0) >= maxPerClient * (index + 1);
  }

  function serve(place: P): undefined {
    served.add(place);
    for (const network of place.networks) {
      const ofNetwork = servedByNetwork.get(network) ?? new Set();
      servedByNetwork.set(network, ofNetwork.add(place));
    }
  }

  function refuse(place: P): void {
    if (refused.size >= maxRefused) {
      const [oldest] = refused;
      const idle = refused.values().find((one) => one.isIdle());
      (idle ?? oldest)?.makeRoom();
    }
    refused.add(place);
  }

  function leave(place: P): void {
    refused.delete(place);
    if (!served.delete(place)) return;
    for (const network of place.networks) {
      const ofNetwork = servedByNetwork.get(network);
      ofNetwork?.delete(place);
      if (ofNetwork?.size === 0) servedByNetwork.delete(network);
    }
  }

  /** Returns the connections of the client that has the most, among clients with an idle one. A site counts half. */
  function mostWithIdle(): Iterable<P> {
    let most = new Set<P>();
    let mostWeight = 0;
    for (const [network, ofNetwork] of servedByNetwork) {
      const [first] = ofNetwork;
      const weight = ofNetwork.size / ((first?.networks.indexOf(network) ?? 0) + 1);
      if (weight <= mostWeight || !ofNetwork.values().some((place) => place.isIdle())) continue;
      most = ofNetwork;
      mostWeight = weight;
    }
    return most;
  }

  function freePlaces(): void {
    const idle = [...mostWithIdle()].filter((place) => place.isIdle());
    idle.sort((a, b) => a.usedAt - b.usedAt);
    for (const place of idle.slice(0, Math.ceil(max * FREED_SHARE))) {
      leave(place);
      place.makeRoom();
    }
  }

  return {
    enter(place) {
      const isOver = place.networks.some(isFull);
      if (!isOver && served.size >= max) freePlaces();
      if (!isOver && served.size < max) return serve(place);
      refuse(place);
      return isOver ? 'client-share' : 'full';
    },
    leave,
  };
}
