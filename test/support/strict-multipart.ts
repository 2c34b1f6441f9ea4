/*
 * A reader of complete multipart bodies that shares no code with the service: it reads lines (RFC 2046, 5.1.1). A line that
 * begins with the boundary ends a part, and must be a delimiter.
 */

export interface StrictPart {
  headers: string[];
  content: Buffer;
}

/** Returns undefined for an invalid body. */
export function readStrictly(body: Buffer, boundary: string): StrictPart[] | undefined {
  const lines = body.toString('latin1').split('\r\n');
  const parts: StrictPart[] = [];
  let part: string[] | undefined;
  for (const line of lines) {
    if (!line.startsWith(`--${boundary}`)) {
      part?.push(line);
      continue;
    }
    if (part) parts.push(readPart(part));
    part = [];
    const rest = line.slice(boundary.length + 2).replace(/[ \t]+$/u, '');
    if (rest === '--') return parts.every(({ headers }) => headers.length > 0) ? parts : undefined;
    if (rest !== '') return undefined;
  }
  return undefined;
}

function readPart(lines: string[]): StrictPart {
  const blank = lines.indexOf('');
  if (blank === -1) return { headers: [], content: Buffer.alloc(0) };
  const content = Buffer.from(lines.slice(blank + 1).join('\r\n'), 'latin1');
  return { headers: lines.slice(0, blank), content };
}
