/**
 * Reads the lines with entries from the log group of the chat function.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
 */
import { isTransient } from '#lambdas/platform/aws/errors.ts';
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { filterObjects, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { entryFilterPattern, type LogSource } from '#lambdas/request-log/recover/log-line.ts';

interface LogGroup {
  logs: JsonService;
  logGroupName: string;
  now(): Date;
  log: Pick<Log, 'error'>;
  /** Rejects when the run has to end. */
  wait(milliseconds: number): Promise<void>;
}

/** Yields the lines that were printed in the window, page by page. Pages can be empty. */
export type ReadLogLines = (window: TimeWindow) => LogSource;

/** The account may make five calls a second in a region; one is left to others. */
const minIntervalMs = 250;

const minRetryDelayMs = 1000;
const maxRetryDelayMs = 30_000;

/** CloudWatch may search for many seconds before it returns a page. */
export const logCallTimeoutMs = 25_000;

export function createLogReader({ logs, logGroupName, now, log, wait }: LogGroup): ReadLogLines {
  let nextCallMs = 0;

  async function call(input: JsonObject): Promise<JsonObject> {
    await wait(Math.max(0, nextCallMs - now().getTime()));
    nextCallMs = now().getTime() + minIntervalMs;
    return logs.call('FilterLogEvents', input, logCallTimeoutMs);
  }

  /** Retries until the run has to end: another one would have to read the same lines again. */
  async function callUntilSuccess(input: JsonObject): Promise<JsonObject> {
    for (let delayMs = minRetryDelayMs; ; delayMs = Math.min(2 * delayMs, maxRetryDelayMs)) {
      try {
        return await call(input);
      } catch (error) {
        if (!isTransient(error)) throw error;
        log.error('service_unavailable', errorFields(error));
        await wait(delayMs);
      }
    }
  }

  return async function* readLogLines({ startMs, endMs }) {
    let nextToken: unknown;
    do {
      const page = await callUntilSuccess({
        logGroupName,
        filterPattern: entryFilterPattern,
        startTime: startMs,
        // `endTime` is inclusive, unlike the end of a window.
        endTime: endMs - 1,
        ...(nextToken !== undefined && { nextToken }),
      });
      yield filterObjects(page.events).map(({ message }) => stringOrEmpty(message));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  };
}
