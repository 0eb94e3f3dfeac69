/** Lines of the chat function's log that CloudWatch has. */
import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import type { ChatLog } from '#cli/connection/gateway-connection.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogSource } from './log-file.ts';
import { entryEvents } from './log-line.ts';

/** Only those with entries. They come in pages, some of them empty. */
export async function* readCloudWatch({ client, logGroupName }: ChatLog, window: TimeWindow): LogSource {
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName,
      startTime: window.startMs,
      // Included, unlike the end of a window.
      endTime: window.endMs - 1,
      filterPattern: entryEvents.map((event) => `?"${event}"`).join(' '),
    },
  );
  for await (const { events = [] } of pages) {
    yield events.map(({ message = '', timestamp = null }) => ({ text: message, atMs: timestamp }));
  }
}
