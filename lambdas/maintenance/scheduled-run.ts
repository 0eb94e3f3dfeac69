import type { Context, ScheduledEvent } from 'aws-lambda';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';

export interface ScheduledRun {
  /** When the run was due, in milliseconds since 1970. */
  atMs: number;
  /** Aborted early enough for the run to finish its calls and print its result. */
  signal: AbortSignal;
}

interface ScheduledWork {
  run(run: ScheduledRun): Promise<void>;
  onFailure(error: unknown): void;
  now(): Date;
}

/** Longer than any call to an AWS service takes, with its retries. */
const lastCallsMs = minuteMs;

/** Without a payload, an operator's invocation has no time; its run is due at once. */
type RunEvent = Partial<Pick<ScheduledEvent, 'time'>> | null;

type RunContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

export function createScheduledHandler({ run, onFailure, now }: ScheduledWork) {
  return withLogContext(async (event: RunEvent, context: RunContext): Promise<void> => {
    const dueMs = Date.parse(event?.time ?? '');
    try {
      await run({
        atMs: Number.isNaN(dueMs) ? now().getTime() : dueMs,
        signal: AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - lastCallsMs)),
      });
    } catch (error) {
      onFailure(error);
      throw error;
    }
  });
}
