import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { allTime, parseTimeWindow } from '#lambdas/platform/time-window.ts';

const startOf = (start: string) => parseTimeWindow({ start }).startMs;

describe('parseTimeWindow', () => {
  it('returns all time without bounds', () => {
    expect(parseTimeWindow({})).toEqual(allTime);
  });

  it.each([
    ['2026-01-31T09:30:00Z', Date.UTC(2026, 0, 31, 9, 30)],
    ['2026-01-31t09:30:00z', Date.UTC(2026, 0, 31, 9, 30)],
    ['2026-01-31T09:30:00.5Z', Date.UTC(2026, 0, 31, 9, 30, 0, 500)],
    ['2026-01-31T09:30:00.123Z', Date.UTC(2026, 0, 31, 9, 30, 0, 123)],
    ['2026-01-31T09:30:00.123000Z', Date.UTC(2026, 0, 31, 9, 30, 0, 123)],
    ['2026-01-31T09:30:00.1230001Z', Date.UTC(2026, 0, 31, 9, 30, 0, 124)],
    ['2026-01-31T09:30:00+02:00', Date.UTC(2026, 0, 31, 7, 30)],
    ['2026-01-31T09:30:00 02:00', Date.UTC(2026, 0, 31, 7, 30)],
    ['2026-01-31T09:30:00-09:30', Date.UTC(2026, 0, 31, 19, 0)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('parses %s to the millisecond', (text, expected) => {
    expect(startOf(text)).toBe(expected);
  });

  it.each([
    'yesterday',
    '2026-01-31',
    '2026-01-31T09:30Z',
    '2026-01-31T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '1769851800',
    '2026-01-31T09:30:00+25:00',
  ])('rejects %s and names the parameter', (end) => {
    const attempt = () => parseTimeWindow({ end });
    expect(attempt).toThrow(GatewayError);
    expect(attempt).toThrow(/^end must be an RFC 3339 timestamp/);
  });

  it('uses the starts of months for open bounds', () => {
    expect([allTime.startMs, allTime.endMs].map((ms) => new Date(ms).toISOString())).toEqual([
      '1970-01-01T00:00:00.000Z',
      '9999-12-01T00:00:00.000Z',
    ]);
  });

  it('rejects a start after the end, and accepts an empty window', () => {
    const [early, late] = ['2026-01-31T00:00:00Z', '2026-01-31T00:00:01Z'];
    expect(() => parseTimeWindow({ start: late, end: early })).toThrow('start must not be after end');
    expect(parseTimeWindow({ start: early, end: early }).startMs).toBe(Date.UTC(2026, 0, 31));
  });

  it('clamps bounds to the times that a log id can represent', () => {
    expect(parseTimeWindow({ start: '1950-01-01T00:00:00Z', end: '1960-01-01T00:00:00Z' })).toEqual({
      startMs: 0,
      endMs: 0,
    });
    expect(parseTimeWindow({ start: '9999-12-31T00:00:00Z', end: '9999-12-31T23:59:59-10:00' })).toEqual({
      startMs: allTime.endMs,
      endMs: allTime.endMs,
    });
  });
});
