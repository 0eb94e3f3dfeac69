import { describe, expect, it } from 'vitest';
import { legendOf } from '#dashboard/components/request/status-legend.tsx';
import type { LogsOrder } from '#dashboard/filters/logs-search.ts';
import { ModelName } from '#dashboard/logs/list/cells.tsx';
import { Headings, nextOrder } from '#dashboard/logs/list/headings.tsx';
import { endText, sortedEndText } from '#dashboard/logs/list/list-end.tsx';
import { orderTitle } from '#dashboard/logs/list/order-menu.tsx';
import { MissingRequest } from '#dashboard/logs/list/request-list.tsx';
import { narrowFigures, statusTitle } from '#dashboard/logs/list/row.tsx';
import { partsOfRange } from '#dashboard/logs/list/sorted-coverage.tsx';
import { omittedText } from '#dashboard/logs/requests-chart.tsx';
import type { PresetName } from '#dashboard/range/range.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { all, names, renderComponent, textOf, texts } from '../rendering/markup.ts';

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

describe('The model of a request', () => {
  it('has beside it how many refused requests the entry stands for', () => {
    const text = (refused_requests: number | null) =>
      textOf(renderComponent(ModelName, { entry: logEntry({ refused_requests }) }));
    expect([null, 1, 37].map(text)).toEqual(['openai/gpt-4o', 'openai/gpt-4o', 'openai/gpt-4o, 37 requests']);
  });

  it('has beside it the place of an attempt after which the request was sent to another target', () => {
    const attempt = logEntry({ route: 'fast', attempt: 2, superseded_by: logEntry().id });
    const textsOf = [attempt, { ...attempt, superseded_by: null }].map((entry) =>
      textOf(renderComponent(ModelName, { entry })),
    );
    expect(textsOf).toEqual(['openai/gpt-4o, attempt 2', 'openai/gpt-4o']);
  });
});

describe('The status of a request', () => {
  const status = { outcome: 'completed', error_code: null, error_message: null } as const;

  it('says the outcome, and the error’s code with the message of the gateway', () => {
    expect(statusTitle(status)).toBe('Completed');
    expect(statusTitle({ ...status, outcome: 'provider_error', error_code: 'server_error' })).toBe(
      'Provider error: server_error',
    );
    expect(
      statusTitle({
        outcome: 'rejected',
        error_code: 'model_not_found',
        error_message: 'There is no model x',
      }),
    ).toBe('Rejected: model_not_found: There is no model x');
  });

  it('has a colour that a legend explains', () => {
    expect(legendOf()).toEqual([
      { tone: 'success', text: 'Completed' },
      { tone: 'neutral', text: 'Closed by the client' },
      { tone: 'danger', text: 'Provider error, Timeout, Interrupted' },
      { tone: 'warning', text: 'Rejected' },
    ]);
  });
});

describe('The headings of the list', () => {
  const headings = (order: LogsOrder) => {
    const onOrderChange = () => {};
    const names = ['time', 'model', 'status', 'input', 'cost_usd', 'user'] as const;
    return renderComponent(Headings, { names, zone: 'Berlin', order, onOrderChange });
  };
  const buttonsOf = (order: LogsOrder) =>
    all(headings(order), '[title]').map(({ attributes }) => attributes.title);

  it('say which columns sort the list, and nothing of the others', () => {
    expect(buttonsOf({})).toEqual(['Reverse the order', 'Sort by cost']);
    expect(buttonsOf({ sort: 'cost_usd' })).toEqual(['Sort by time', 'Reverse the order']);
    expect(names(headings({}), 'button')).toEqual(['Time (Berlin)', 'Colours of the statuses', 'Cost']);
  });
});

describe('The chart above the list', () => {
  it('says what it leaves out', () => {
    expect(omittedText(['latency_ms', 'response_id'])).toBe('The chart leaves out: latency, response ID');
  });
});

describe('A list by the ID of a request', () => {
  const shown = (preset: PresetName | null) => {
    const list = renderComponent(MissingRequest, { preset, retentionDays: 30, onLongestRange: () => {} });
    return [...texts(list, 'p'), ...names(list, 'button')];
  };

  it('offers the longest range, and says of that one that entries expire', () => {
    const offer = [
      'No request of this range matches the filters',
      'The ID must match exactly. The request may be older than the range.',
      'Search the last 12 months',
    ];
    expect(shown('30d')).toEqual(offer);
    expect(shown(null)).toEqual(offer);
    expect(shown('12m')).toEqual([
      'No request matches the filters',
      'The ID must match exactly. Entries expire after 30 days, and are not found any more.',
    ]);
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
    expect(endText(false)).toBe('These are all requests of the range.');
    expect(endText(true)).toBe('These are all requests of the range that match the filters.');
    expect(sortedEndText(12, whole, 'cost_usd', true)).toBe(
      'These are all requests of the range with a cost that match the filters.',
    );
    expect(sortedEndText(12, part, 'total_tokens', false)).toBe(
      'These are all requests that were searched with tokens.',
    );
    expect(sortedEndText(200, { ...whole, more_matches: true }, 'time_to_first_token_ms', true)).toBe(
      'These are the first 200 by first token. There are more.',
    );
  });
});
