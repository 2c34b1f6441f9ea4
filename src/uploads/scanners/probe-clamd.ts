import type { ClamdAddress } from './address.ts';
import { type ClamdConnection, connectClamd } from './clamd-connection.ts';

const REPLY_TIMEOUT_MS = 5_000;

/** Sends a command without an argument; resolves with the reply. `signal` ends the connection. */
export async function askClamd(
  address: ClamdAddress,
  command: 'PING' | 'VERSION',
  signal?: AbortSignal,
): Promise<string> {
  const connection = await connectClamd(address, command, signal);
  try {
    return await connection.reply(REPLY_TIMEOUT_MS);
  } finally {
    connection.close();
  }
}

/** Scans bytes; resolves with the reply, which may come before all of them have been sent. */
export async function scanBytes(address: ClamdAddress, chunks: Iterable<Buffer>): Promise<string> {
  const connection = await connectClamd(address, 'INSTREAM');
  try {
    await send(connection, chunks).catch(async (error: unknown) => {
      await connection.replied.catch(() => {
        throw error;
      });
    });
    return await connection.reply(REPLY_TIMEOUT_MS);
  } finally {
    connection.close();
  }
}

async function send(connection: ClamdConnection, chunks: Iterable<Buffer>): Promise<void> {
  for (const chunk of chunks) await connection.writeChunk(chunk);
  await connection.writeEnd();
}
