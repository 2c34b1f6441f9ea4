/** Changes rendered calendars (RFC 5545) as text, without the library that renders them. */

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** The end of the head of a calendar. A folded line continues after CRLF and a space, so no title has these lines. */
const HEAD_END = /(?<=\r\n)(?:BEGIN:VEVENT|END:VCALENDAR)\r\n/u;
const EVENT_END = '\r\nEND:VEVENT\r\n';
const CALENDAR_END = 'END:VCALENDAR\r\n';

/** Joins calendars to one; `calendars` must not be empty. */
export function joinCalendars(calendars: readonly string[]): string {
  const parts = calendars.map((text) => {
    const headEnd = text.search(HEAD_END);
    return { head: text.slice(0, headEnd), events: text.slice(headEnd, -CALENDAR_END.length) };
  });
  return `${parts[0]?.head}${parts.map(({ events }) => events).join('')}${CALENDAR_END}`;
}

/** The calendar with an alarm in each entry, `minutes` before it begins. */
export function addAlarms(calendar: string, minutes: number): string {
  const lines = [
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Tayang',
    `TRIGGER:-PT${minutes}M`,
    'END:VALARM',
  ];
  return calendar.replaceAll(EVENT_END, `\r\n${lines.join('\r\n')}${EVENT_END}`);
}
