import type { ReportReason } from './file-report.ts';

/**
 * What receivers of webhooks get beside events of the list. A feature that sends another notice adds its type here, and
 * its text for chats in `webhooks/chat-text.ts`.
 */
export type NoticeContent =
  | {
      /** The trouble of the source has lasted for an hour, or has ended. */
      type: 'source.down' | 'source.ok';
      /** `since`: when the source entered that state, in ISO 8601. `reason` is null when it is ok. */
      data: { state: string; since: string | null; reason: string | null };
    }
  | {
      /** A file was reported for the first time. */
      type: 'upload.reported';
      /** `link`: the page of the file. */
      data: { id: string; reason: ReportReason; note: string; link: string };
    };

/** A notice as it is stored. */
export type Notice = NoticeContent & {
  /** When it was appended, ms since 1970; no two have the same time. */
  at: number;
};
