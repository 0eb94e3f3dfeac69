/** The options --from and --to: a window of time, as the API takes it. */
import { InvalidArgumentError } from 'commander';
import { GatewayError } from '../../lambdas/shared/domain/gateway-error.ts';
import { allTime, parseTimestamp, type TimeWindow } from '../../lambdas/shared/domain/time-window.ts';
import { usageError } from './admin-error.ts';

/** Milliseconds since 1970, from RFC 3339. */
export function parseTime(text: string): number {
  try {
    const timestampMs = parseTimestamp('It', text);
    return Math.min(Math.max(timestampMs, allTime.startMs), allTime.endMs);
  } catch (error) {
    throw error instanceof GatewayError ? new InvalidArgumentError(`${error.message}.`) : error;
  }
}

export function windowOf(from: number, to: number): TimeWindow {
  if (from > to) throw usageError('--from must not be after --to');
  return { startMs: from, endMs: to };
}
