import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import type { PictureSize } from '../../domain/cover.ts';
import { AppError, describeError } from '../../domain/errors.ts';

const ENTRY = new URL('decode-process.ts', import.meta.url);
/** Enough for a busy machine to load the library. */
const START_MS = 60_000;
/** A cover takes 50 ms, the largest picture that is allowed some seconds. */
const DECODE_MS = 15_000;

interface EncodedPicture extends PictureSize {
  bytes: Uint8Array;
}

/** A cover in the two sizes that are kept. */
export interface DecodedCover {
  /** The same for the same bytes. */
  hash: string;
  small: EncodedPicture;
  large: EncodedPicture;
}

/** What the process sends: once it is ready, and for each picture. */
export interface DecoderReply {
  cover?: DecodedCover;
  failure?: string;
}

/** The process that decodes cannot be started here: that says nothing of the pictures. */
export class DecoderAbsent extends Error {
  /** Whether its library is missing. Otherwise the machine may only be busy, or short of memory. */
  readonly isLasting: boolean;

  constructor(cause: unknown, isLasting: boolean) {
    super('pictures cannot be decoded on this machine', { cause });
    this.name = 'DecoderAbsent';
    this.isLasting = isLasting;
  }
}

/** Decodes pictures in a process of its own, which is started with the first one. */
export interface Decoder {
  /** Throws AppError `source-changed` for bytes that cannot be decoded, and DecoderAbsent. */
  decode(bytes: Uint8Array): Promise<DecodedCover>;
  /** Ends the process. */
  close(): void;
}

export function openDecoder({ entry = ENTRY, startMs = START_MS, decodeMs = DECODE_MS } = {}): Decoder {
  let child: ChildProcess | undefined;

  async function start(): Promise<ChildProcess> {
    // It inherits neither the settings of this process nor their secrets.
    const started = fork(entry, { serialization: 'advanced', execArgv: [], env: {}, stdio: QUIET });
    started.on('error', () => {});
    const { failure } = await nextReply(started, startMs).catch((error: unknown) => {
      started.kill('SIGKILL');
      throw new DecoderAbsent(error, false);
    });
    if (failure !== undefined) throw new DecoderAbsent(new Error(failure), true);
    return started;
  }

  /** A process that does not reply has crashed, or is still busy: the next picture gets another one. */
  async function ask(process: ChildProcess, bytes: Uint8Array): Promise<DecoderReply> {
    const reply = nextReply(process, decodeMs);
    process.send(bytes, () => {});
    return reply.catch((error: unknown) => {
      close();
      return { failure: describeError(error) };
    });
  }

  function close(): void {
    child?.kill('SIGKILL');
    child = undefined;
  }

  return {
    async decode(bytes) {
      // Linux may have ended it after the last picture.
      if (!child?.connected) child = await start();
      const { cover, failure } = await ask(child, bytes);
      if (!cover) throw new AppError('source-changed', `the picture cannot be decoded: ${failure}`);
      return cover;
    },
    close,
  };
}

const QUIET: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];

/** Resolves with the next message of a process. Rejects if it ends first, or takes too long. */
function nextReply(process: ChildProcess, maxMs: number): Promise<DecoderReply> {
  const { promise, resolve, reject } = Promise.withResolvers<DecoderReply>();
  const onExit = (code: number | null, signal: string | null) =>
    reject(new Error(`its process has ended (${signal ?? code})`));
  const timer = setTimeout(() => reject(new Error(`it takes longer than ${maxMs} ms`)), maxMs);
  process.once('message', resolve as (reply: unknown) => void);
  process.once('exit', onExit);
  return promise.finally(() => {
    clearTimeout(timer);
    process.off('message', resolve as (reply: unknown) => void);
    process.off('exit', onExit);
  });
}
