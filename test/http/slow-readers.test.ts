import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MIN_READ_RATE, nextReadCredit, type ReadCredit } from '../../src/http/server/read-rate.ts';
import { openServer } from '../../src/http/server.ts';

const KB = 1024;
const MB = KB ** 2;

/** A simulated connection whose client reads as much as the test says. */
function openFake() {
  let credit: ReadCredit | undefined;
  let isCutOff = false;
  const socket = { bytesWritten: 0, writableLength: 0 };
  return {
    socket,
    /** Advances the time in steps of five seconds; returns whether the connection is still open. */
    pass(seconds: number): boolean {
      for (let step = 0; step < seconds; step += 5) {
        credit = nextReadCredit(MIN_READ_RATE, credit, socket, 5_000);
        isCutOff ||= credit !== undefined && credit.ms < 0;
      }
      return !isCutOff;
    },
    send(bytes: number) {
      socket.bytesWritten += bytes;
      socket.writableLength = 32 * KB;
    },
  };
}

describe('a client that reads a response', () => {
  test('not at all is cut off after its credit', () => {
    const { send, pass } = openFake();
    send(4 * MB);
    expect(pass(90)).toBe(true);
    expect(pass(15)).toBe(false);
  });

  test('at half the minimum rate is cut off eventually', () => {
    const { send, pass } = openFake();
    const rounds = Array.from({ length: 60 }, () => {
      send(20 * KB);
      return pass(5);
    });
    expect(rounds.at(0)).toBe(true);
    expect(rounds.at(-1)).toBe(false);
  });

  test('at the minimum rate is never cut off, even in large steps', () => {
    const [smooth, inSteps] = [openFake(), openFake()];
    for (let minute = 0; minute < 60; minute += 1) {
      inSteps.send(60 * 8 * KB);
      expect(inSteps.pass(60)).toBe(true);
      for (let step = 0; step < 12; step += 1) {
        smooth.send(5 * 8 * KB);
        expect(smooth.pass(5)).toBe(true);
      }
    }
  });

  test('fast and then not at all gets no additional credit', () => {
    const { send, pass } = openFake();
    send(10);
    for (let second = 0; second < 20; second += 5) {
      send(100 * MB);
      pass(5);
    }
    expect(pass(110)).toBe(false);
  });

  test('loses no credit while no bytes wait for it', () => {
    const { socket, send, pass } = openFake();
    send(KB);
    pass(80);
    socket.writableLength = 0;
    expect(pass(600)).toBe(true);
    send(KB);
    expect(pass(90)).toBe(true);
  });
});

test.each([
  ['a large document', Buffer.alloc(32 * MB)],
  ['a response in pieces', undefined],
])('a server cuts off a client that does not read %s', async (_what, body) => {
  const limits = { minBytesPerSecond: MB, graceMs: 50, stepBytes: KB };
  const options = { readRate: limits, checkEveryMs: 20 };
  const answer: RequestListener = (_request, response) => {
    response.once('close', closed.resolve);
    if (body) return void response.end(body);
    const write = (): void => void response.write(Buffer.alloc(64 * KB), (error) => error || write());
    write();
  };
  const server = await openServer({ host: '127.0.0.1', port: 0 }, answer, options);
  onTestFinished(() => server.close());
  const closed = Promise.withResolvers<void>();
  const socket = connect(server.port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed.promise;
});
