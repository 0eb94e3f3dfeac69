/**
 * Schedule expressions of EventBridge, in UTC: rates, and cron expressions for times of every day.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';

/** Returns when the schedule is due next, in milliseconds since 1970. */
export type Schedule = (afterMs: number) => number;

const unitMs = { minute: minuteMs, hour: 60 * minuteMs, day: 1440 * minuteMs };

/** Throws for expressions that the local run does not support. */
export function readSchedule(expression: string, where: string): Schedule {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (unit !== undefined) {
    const intervalMs = Number(count) * unitMs[unit as keyof typeof unitMs];
    return (afterMs) => afterMs + intervalMs;
  }
  const [, minutes = '', hours = ''] = /^cron\((\S+) (\S+) \* \* \? \*\)$/.exec(expression) ?? [];
  const isMinute = readField(minutes, 60);
  const isHour = readField(hours, 24);
  if (isMinute === null || isHour === null) {
    throw new LocalGatewayError(
      `${where}: the local run supports only rates and times of every day, not ${expression}`,
    );
  }
  const isDue = (time: Date) => isMinute(time.getUTCMinutes()) && isHour(time.getUTCHours());
  return (afterMs) => {
    let dueMs = Math.floor(afterMs / minuteMs) * minuteMs;
    do dueMs += minuteMs;
    while (!isDue(new Date(dueMs)));
    return dueMs;
  };
}

type Field = (value: number) => boolean;

/** Supports every value, one, a range, and steps from a start. Returns `null` for other fields. */
function readField(text: string, limit: number): Field | null {
  if (text === '*') return () => true;
  const [, start, separator, operand] = /^(\d+)(?:([-/])(\d+))?$/.exec(text) ?? [];
  const [from, to] = [Number(start), Number(operand)];
  if (start === undefined || from >= limit) return null;
  if (separator === undefined) return (value) => value === from;
  if (separator === '-') return to >= from && to < limit ? (value) => value >= from && value <= to : null;
  return to > 0 ? (value) => value >= from && (value - from) % to === 0 : null;
}
