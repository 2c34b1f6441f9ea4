import type { SourceState } from '../../src/store/source-status.ts';
import type { Fault, TestSource } from '../support/source.ts';

/** The sample source site that is configured, and another one that a redirect may lead to. */
export interface Sites {
  configured: TestSource;
  /** Shows the same anime until a fault alters its catalogue. Not configured, unless `sourceUrls` says so. */
  other: TestSource;
}

/** One way in which a source goes wrong, and what has to come of it. */
export interface SourceFault {
  name: string;
  /** What the source site does, for the table. */
  does: string;
  /** The state that readers and the operator see; `ok` where a crawl copes with the fault. */
  state: SourceState;
  /** What the operator reads: the reason, or where the state is `ok`, a line of the log. */
  expectedReason?: RegExp;
  /** Begins the fault. Answers in the place of the configured site, where it has to. */
  begin(sites: Sites): Promise<Fault | undefined> | Fault | undefined;
  /** Ends a fault that is more than a response, such as a server. */
  end?(sites: Sites): Promise<void> | void;
  /** SOURCE_URLS; the address of the configured site when it is left out. */
  sourceUrls?(sites: Sites): string;
  /** Whether it lasts until SOURCE_TIMEOUT is over. */
  isTimed?: true;
  /** For how many attempts it lasts; 1 when it is left out. */
  attempts?: number;
  /** How long the source asks to be left alone, ms. */
  retryAfterMs?: number;
  /** Whether the other site must not get a single request. */
  sparesOther?: true;
  /** Whether the next process has to ask the other site, and the configured one no more. */
  remembersOther?: true;
}
