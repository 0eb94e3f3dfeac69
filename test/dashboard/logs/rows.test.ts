import { describe, expect, it } from 'vitest';
import { nextOrder } from '#dashboard/logs/list/headings.tsx';
import { sortedEndText } from '#dashboard/logs/list/list-end.tsx';
import { orderTitle } from '#dashboard/logs/list/order-menu.tsx';
import { errorTitle, narrowFigures } from '#dashboard/logs/list/row.tsx';
import { partsOfRange } from '#dashboard/logs/list/sorted-coverage.tsx';
import { logEntry } from '#test/support/log-entries.ts';

describe('The order of the list', () => {
  it('is the highest first by another heading, and turned around by the same one', () => {
    expect(nextOrder({}, 'cost_usd')).toEqual({ sort: 'cost_usd' });
    expect(nextOrder({ sort: 'cost_usd' }, 'cost_usd')).toEqual({ sort: 'cost_usd', order: 'asc' });
    expect(nextOrder({ sort: 'cost_usd', order: 'asc' }, 'cost_usd')).toEqual({ sort: 'cost_usd' });
    expect(nextOrder({ sort: 'cost_usd', order: 'asc' }, 'retries')).toEqual({ sort: 'retries' });
    expect(nextOrder({}, undefined)).toEqual({ order: 'asc' });
    expect(nextOrder({ sort: 'retries' }, undefined)).toEqual({});
  });

  it('has a title', () => {
    expect(orderTitle({})).toBe('Newest first');
    expect(orderTitle({ order: 'asc' })).toBe('Oldest first');
    expect(orderTitle({ sort: 'latency_ms' })).toBe('Highest latency first');
    expect(orderTitle({ sort: 'cost_usd', order: 'asc' })).toBe('Lowest cost first');
  });

  it('shows its figure in rows of two lines', () => {
    const entry = logEntry({ total_tokens: 1500, latency_ms: 5120, time_to_first_token_ms: 480 });
    expect(narrowFigures(entry, undefined)).toBe('1,500 tokens · 5.12 s');
    expect(narrowFigures(entry, 'time_to_first_token_ms')).toBe('First token 480 ms · 5.12 s');
    expect(narrowFigures(entry, 'retries')).toBe('Retries 0 · 5.12 s');
    expect(narrowFigures({ ...entry, total_tokens: null }, 'cost_usd')).toBe('5.12 s');
  });
});

describe('The status of a request with an error', () => {
  it('names its code, with the message of the gateway', () => {
    expect(errorTitle({ error_code: null, error_message: null })).toBeUndefined();
    expect(errorTitle({ error_code: 'provider_error', error_message: null })).toBe('provider_error');
    expect(errorTitle({ error_code: 'model_not_found', error_message: 'There is no model x' })).toBe(
      'model_not_found: There is no model x',
    );
  });
});

describe('A sorted list', () => {
  const whole = { searched_entries: 900, searched_back_to: null, more_matches: false };
  const part = { ...whole, searched_back_to: '2026-11-23T14:03:00.000Z' };

  it('of a part of the range divides it there, with times for both bounds', () => {
    const range = { bounds: { start: '2026-11-01', end: '2026-11-27' }, timeZone: 'Europe/Berlin' };
    expect(partsOfRange(part, range)).toEqual({
      dividedAt: '2026-11-23T14:03:00.000Z',
      newer: { start: '2026-11-23T14:03:00.000Z', end: '2026-11-26T23:00:00.000Z' },
      older: { start: '2026-10-31T23:00:00.000Z', end: '2026-11-23T14:03:00.000Z' },
    });
    const open = { bounds: { start: '2026-11-01' }, timeZone: 'UTC' };
    expect(partsOfRange(part, open)?.newer).toEqual({ start: '2026-11-23T14:03:00.000Z', end: undefined });
    expect(partsOfRange(whole, range)).toBeNull();
  });

  it('says at its end whether it is complete', () => {
    expect(sortedEndText(12, whole, 'cost_usd')).toBe('These are all requests of the range with a cost.');
    expect(sortedEndText(12, part, 'total_tokens')).toBe(
      'These are all requests that were searched with tokens.',
    );
    expect(sortedEndText(200, { ...whole, more_matches: true }, 'time_to_first_token_ms')).toBe(
      'These are the first 200 by first token. There are more.',
    );
  });
});
