import { once } from 'node:events';
import { connect } from 'node:net';

/** Downloads an address `times` times over one connection. All bytes go into the same buffer. */

const { url, times } = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port, pathname } = new URL(url);
const ask = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;

let head = '';
let left = Number.NaN;
let answers = 0;
const socket = connect({
  port: Number(port),
  host: hostname,
  onread: {
    buffer: Buffer.alloc(256 * 1024),
    callback(length, buffer) {
      take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  },
});

function take(bytes: Buffer): void {
  let body = bytes.length;
  if (Number.isNaN(left)) {
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
    left = Number(/^content-length: (\d+)/imu.exec(head)?.[1]);
    body = head.length - end - 4;
  }
  left -= body;
  if (left > 0) return;
  answers += 1;
  head = '';
  left = Number.NaN;
  if (answers < times) socket.write(ask);
  else socket.end();
}

socket.write(ask);
await once(socket, 'close');
if (answers < times) throw new Error(`${answers} of ${times} answers came whole`);
console.log(JSON.stringify({ answers }));
