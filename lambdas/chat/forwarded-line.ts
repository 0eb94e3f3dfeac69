/** The line that is left in the log of a request whose function was killed while the provider worked on it. */
import { entryText } from '../shared/domain/log-entry-text.ts';
import { finishLogDraft, type LogDraft } from './log-draft.ts';

/** The entry that the request has if nothing more is ever written of it: `admin logs recover` makes it of the line. */
export function forwardedLine(draft: LogDraft, atMs: number): string {
  const entry = finishLogDraft(draft, { endedAtMs: atMs, status: 502, price: null });
  return JSON.stringify({
    level: 'INFO',
    event: 'request_forwarded',
    entry: entryText({ ...entry, outcome: 'interrupted' }),
  });
}
