/** What callers sent within an hour in which nothing was counted. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { entryOf, seededRandom } from '../reports/dataset.ts';

const startMs = Date.UTC(2026, 0, 31, 9);
const hourMs = 3_600_000;
const noHeaders = { prompt_id: null, session_id: null, user_id: null };

/** By what the callers attach. */
export const backlogs: Record<string, (count: number) => LogEntry[]> = {
  'of 12 models and 3 keys': (count) => entries(count, noHeaders),
  'a tenth with a prompt, a fifth with a user, a twentieth with a session': (count) => entries(count, {}),
};

function entries(count: number, fields: Partial<LogEntry>): LogEntry[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, (_, index) => ({
    ...entryOf({
      id: createLogId(startMs + Math.floor((index * hourMs) / count)),
      organizationId: 'org_AAAAAAAAAAAAAAAA',
      random,
    }),
    ...fields,
  }));
}
