import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { skipReasonText } from '#dashboard/components/request/skip-reason.ts';
import { AttemptsSection, attemptsOf, attemptsQuery } from '#dashboard/logs/entry/attempts.tsx';
import { Failure } from '#dashboard/logs/entry/failure.tsx';
import type { ListedLogEntry, LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { skipReasons } from '#lambdas/request-log/fields/skipped-target.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { all, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30);
const entryOf = (fields: Partial<ListedLogEntry>): LogEntryDetails => ({
  ...logEntry({ id: createLogId(receivedAtMs), route: 'fast', ...fields }),
  cost_breakdown: null,
});

const request = entryOf({ attempt: 3, model: 'gemini', provider: 'google' });
const attempts = [
  entryOf({
    attempt: 1,
    provider: 'openai',
    model: 'gpt-5.6',
    outcome: 'provider_error',
    status: 503,
    error_code: 'provider_unavailable',
    latency_ms: 840,
    cost_usd: '0',
    pricing: null,
    usage_source: 'missing',
    superseded_by: request.id,
  }),
  entryOf({
    attempt: 2,
    provider: 'anthropic',
    model: 'claude',
    outcome: 'timeout',
    status: 504,
    error_code: 'provider_timeout',
    latency_ms: 30_000,
    cost_usd: '0.25',
    superseded_by: request.id,
  }),
];
/** Another request of the same millisecond. */
const other = entryOf({ attempt: 1 });
const list = [request, other, ...attempts.toReversed()];

const sectionOf = (entry: LogEntryDetails) =>
  renderOnPage(createElement(AttemptsSection, { entry }), {
    loaded: [[attemptsQuery('org_1', entry.created_at).queryKey, { data: list }]],
  });

describe('The attempts of a request', () => {
  it('are the entries that its own has superseded, the first one first', () => {
    for (const entry of [request, ...attempts])
      expect(attemptsOf(list, entry).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(attemptsOf(list, other)).toEqual([other]);
  });

  it('are read from the millisecond in which the request was received', () => {
    expect(attemptsQuery('org_1', request.created_at).queryKey).toContainEqual({
      start: '2026-01-31T09:30:00.000Z',
      end: '2026-01-31T09:30:00.001Z',
      limit: 100,
    });
  });

  it('are listed with their targets, outcomes, times and costs, with links from each to the others', async () => {
    const section = await sectionOf(request);

    const [, ...rows] = all(section, 'tr');
    expect(rows.map((row) => [...texts(row, 'th'), ...texts(row, 'td')])).toEqual([
      ['openai/gpt-5.6', '503, Provider error provider_unavailable', '840 ms', 'No cost reported'],
      ['anthropic/claude', '504, Timeout provider_timeout', '30.0 s', '$0.25'],
      ['google/gemini', '200 ', '–', '$0.0047'],
    ]);
    const links = async (entry: LogEntryDetails) =>
      all(await sectionOf(entry), 'a').map(({ attributes }) => attributes.href);
    const pathOf = ({ id }: LogEntryDetails) => `/organizations/org_1/logs/${id}`;
    expect(await links(request)).toEqual(attempts.map(pathOf));
    expect(await links(attempts[0] ?? request)).toEqual([attempts[1] ?? request, request].map(pathOf));
  });

  it('are not there without a route, nor if the first target has served the request', async () => {
    expect(textOf(await sectionOf(entryOf({ route: null })))).toBe('');
    expect(textOf(await sectionOf(other))).toBe('');
  });

  it('say of one that failed that the request was sent to another target', async () => {
    const [first = request] = attempts;
    expect(textOf(await sectionOf(first))).toContain('the request was sent to another target');
    expect(texts(await renderOnPage(createElement(Failure, { entry: first })), 'p')[0]).toBe(
      'This attempt failed at the provider. The request was sent to another target',
    );
  });
});

describe('A skipped target', () => {
  it('is listed with the reason in words', async () => {
    const skipped_targets = [
      { target: 'openai/gpt-5.6', reason: 'unsupported' as const, param: 'tools[0]' },
      { target: 'groq/llama', reason: 'failing' as const, param: null },
    ];
    const section = await sectionOf(entryOf({ attempt: 1, skipped_targets }));

    expect(texts(section, 'li')).toEqual([
      'openai/gpt-5.6: it does not support tools[0]',
      'groq/llama: it has failed a moment ago, and is tried again later',
    ]);
    expect(all(section, 'table')).toEqual([]);
  });

  it('has a text for each reason', () => {
    const texts = skipReasons.map((reason) => skipReasonText({ reason, param: null }));
    expect(new Set(texts).size).toBe(skipReasons.length);
  });
});
