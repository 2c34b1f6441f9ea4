import { hash } from 'node:crypto';
import type { AnimeEvent } from '../domain/event.ts';

const DIGEST_LENGTH = 12;

/**
 * Names a position in the events: a digest of the event, and its number in base 36. If a backup takes events back, later
 * ones reuse their numbers, but not their names. The beginning is named after the numbering.
 */
export function nameOf(epoch: string, event: AnimeEvent | undefined): string {
  if (!event) return epoch;
  const { number, at, toldAt = at, type, slug } = event;
  const episode = 'episode' in event ? event.episode : '';
  const digest = hash('sha256', [epoch, number, toldAt, type, slug, episode].join(' '), 'hex');
  return digest.slice(0, DIGEST_LENGTH) + number.toString(36);
}

/** The number of the event that a name is of; 0 for the beginning. An epoch is shorter than a digest. */
export function numberIn(name: string): number {
  return name.length > DIGEST_LENGTH ? Number.parseInt(name.slice(DIGEST_LENGTH), 36) : 0;
}
