import nock from 'nock';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** Answers requests to other servers in the tests of this file, and refuses those that nothing answers. */
export function answerWithNock(): void {
  // Files share a process, and the one before has restored the network.
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}
