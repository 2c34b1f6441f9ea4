/* What of Baileys the program for WhatsApp uses. It logs in as WhatsApp has it: a code, a forced restart, then the connection. */
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';

export const DisconnectReason = { loggedOut: 401, restartRequired: 515 };

export async function useMultiFileAuthState(folder) {
  const file = `${folder}/creds.json`;
  mkdirSync(folder, { recursive: true });
  return {
    state: { creds: {}, isRegistered: () => existsSync(file) },
    saveCreds: () => writeFileSync(file, '{}'),
  };
}

export function makeWASocket({ auth }) {
  const ev = new EventEmitter();
  setImmediate(() => {
    if (auth.isRegistered()) return ev.emit('connection.update', { connection: 'open' });
    ev.emit('connection.update', { qr: 'code' });
    ev.emit('creds.update');
    const error = { output: { statusCode: DisconnectReason.restartRequired } };
    ev.emit('connection.update', { connection: 'close', lastDisconnect: { error } });
  });
  return {
    ev,
    groupFetchAllParticipating: async () => ({ 1: { id: '1@g.us', subject: 'Grup' } }),
    async sendMessage(chat, content) {
      const body = JSON.stringify({ chat, ...content });
      const { ok, status } = await fetch(process.env.STAND_IN_URL, { method: 'POST', body });
      if (!ok) throw new Error(`the message was answered with ${status}`);
    },
  };
}
