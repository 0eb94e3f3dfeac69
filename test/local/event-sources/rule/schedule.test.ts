import { describe, expect, it } from 'vitest';
import { readSchedule } from '#local/event-sources/rule/schedule.ts';

describe('readSchedule', () => {
  it.each([
    ['rate(1 minute)', '2026-01-31T09:00:30', '2026-01-31T09:01:30'],
    ['rate(15 minutes)', '2026-01-31T09:00:30', '2026-01-31T09:15:30'],
    ['rate(2 hours)', '2026-01-31T23:00:00', '2026-02-01T01:00:00'],
    ['rate(1 day)', '2026-01-31T09:00:00', '2026-02-01T09:00:00'],
    ['cron(0/15 2-5 * * ? *)', '2026-01-31T01:59:59', '2026-01-31T02:00:00'],
    ['cron(0/15 2-5 * * ? *)', '2026-01-31T02:00:00', '2026-01-31T02:15:00'],
    ['cron(0/15 2-5 * * ? *)', '2026-01-31T05:45:00', '2026-02-01T02:00:00'],
    ['cron(30 6 * * ? *)', '2026-01-31T06:30:00.001', '2026-02-01T06:30:00'],
    ['cron(5/20 * * * ? *)', '2026-01-31T09:46:00', '2026-01-31T10:05:00'],
  ])('%s is due after %s at %s', (expression, after, due) => {
    const schedule = readSchedule(expression, 'Rule');

    expect(new Date(schedule(Date.parse(`${after}Z`))).toISOString()).toBe(`${due}.000Z`);
  });

  it.each([
    'rate(1 week)',
    'cron(0 2 1 * ? *)',
    'cron(60 2 * * ? *)',
    'cron(0/0 2 * * ? *)',
    'cron(0 5-2 * * ? *)',
    'cron(0 2,3 * * ? *)',
    '',
  ])('rejects %j', (expression) => {
    expect(() => readSchedule(expression, 'Rule')).toThrow(
      `Rule: the local run supports only rates and times of every day, not ${expression}`,
    );
  });
});
