import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallerSessionReport, LogEntryDetails, LogList } from '#lambdas/accounts/analytics/responses.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { parseAmounts } from '#test/support/exact-amounts.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';

let fixture: AnalyticsFixture;
beforeAll(async () => {
  fixture = await startAnalyticsFixture();
});
afterAll(() => fixture.stop());

const entryAt = (time: string, fields: Partial<LogEntry> = {}) =>
  logEntry({ id: createLogId(Date.parse(time)), ...fields });

const noEntry = { status: 404, body: { error: { message: 'There is no log entry with this id' } } };

describe('GET /dashboard/api/analytics/{organization}/logs', () => {
  it('lists the entries of GET /api/logs, by pages, with amounts as text', async () => {
    const costs = ['0.000000000001', '0.1', '123456.000000000001'];
    await fixture.record(
      ...costs.map((cost_usd, second) =>
        entryAt(`2026-11-20T10:00:0${second}Z`, { user_id: 'ada', cost_usd, reserved_usd: '0.3' }),
      ),
    );
    const pageOf = async (query: string) => {
      const { body } = await fixture.get(`/logs?${query}`);
      const { text } = await fixture.reports.get('logs', { caller: fixture.caller, query });
      const { offset: _, ...expected } = parseAmounts<LogList & { offset: number }>(text);
      expect(body).toEqual({
        ...expected,
        searched_back_to: expected.has_more ? expected.data.at(-1)?.created_at : null,
        tail: query.includes('cursor') ? null : expect.any(String),
      });
      return body as LogList;
    };

    const first = await pageOf('user_id=ada&limit=2');
    const second = await pageOf(`user_id=ada&limit=2&cursor=${first.next_cursor}`);

    const shown = [...first.data, ...second.data];
    expect(shown.map(({ cost_usd }) => cost_usd)).toEqual(costs.toReversed());
    expect(shown.map(({ reserved_usd }) => reserved_usd)).toEqual(['0.3', '0.3', '0.3']);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
  });

  it('lists what has been written since the tail of a page', async () => {
    const before = entryAt('2026-11-20T09:00:00Z', { user_id: 'tail' });
    await fixture.record(before);
    const { body: page } = await fixture.get('/logs?user_id=tail');
    const { tail } = page as LogList;
    const after = logEntry({ id: createLogId(fixture.dependencies.now().getTime()), user_id: 'tail' });
    await fixture.record(after, {
      ...after,
      id: createLogId(Date.parse(after.created_at)),
      user_id: 'other',
    });

    const { body } = await fixture.get(`/logs?user_id=tail&written_after=${tail}`);

    expect((page as LogList).data.map(({ id }) => id)).toEqual([before.id]);
    expect(body).toEqual({
      object: 'list',
      data: [expect.objectContaining({ id: after.id })],
      limit: 100,
      has_more: false,
      next_cursor: null,
      searched_back_to: null,
      sorted: null,
      tail: expect.any(String),
    });
  });

  it.each([
    ['Europe/Berlin', '2026-10-25', ['2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z']],
    ['America/Santiago', '2026-09-06', ['2026-09-06T04:00:00Z', '2026-09-07T02:59:59.999Z']],
  ])(
    'lists the first and the last request of a local day with a change of the clock: %s, %s',
    async (zone, date, times) => {
      const user_id = `${zone} ${date}`;
      const [first = 0, last = 0] = times.map((time) => Date.parse(time));
      await fixture.record(
        ...[first - 1, first, last, last + 1].map((ms) => logEntry({ id: createLogId(ms), user_id })),
      );
      const nextDate = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
      const query = new URLSearchParams({ time_zone: zone, start: date, end: nextDate, user_id });

      const { body } = await fixture.get(`/logs?${query}`);

      expect((body as LogList).data.map(({ created_at }) => Date.parse(created_at))).toEqual([last, first]);
    },
  );

  it.each([
    ['start', 'start=2026-02-30'],
    ['end', 'end=2026-13-01'],
    ['time_zone', 'time_zone=Mars/Olympus'],
    ['time_zone', 'time_zone=UTC&time_zone=UTC'],
    ['limit', 'limit=0'],
    ['cursor', 'cursor=forged'],
    ['color', 'color=red'],
    ['written_after', 'written_after=forged'],
    ['written_after', 'written_after=1-1&sort=cost_usd'],
    ['written_after', 'written_after=1-1&written_after=1-1'],
    ['min_latency_ms', 'min_latency_ms=2&max_latency_ms=1'],
  ])('returns 400 that names %s: %s', async (param, query) => {
    expect(await fixture.get(`/logs?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request_error', param } },
    });
  });
});

describe('GET /dashboard/api/analytics/{organization}/logs/{id}', () => {
  it('returns the entry of GET /api/logs/{id}, with every amount of its breakdown as text', async () => {
    const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 500, reasoning_tokens: 0 };
    const entry = entryAt('2026-11-19T10:00:00Z', { ...usage, cost_usd: '0.0075', reserved_usd: '0.01' });
    await fixture.record(entry);

    const { body } = await fixture.get(`/logs/${entry.id}`);
    const { text } = await fixture.reports.get('log', { caller: fixture.caller, id: entry.id });

    expect(body).toEqual(parseAmounts(text));
    expect((body as LogEntryDetails).cost_breakdown).toEqual([
      {
        model: 'gpt-4o-2024-08-06',
        charges: [
          {
            type: 'uncached_text_input_tokens',
            count: 1000,
            price_usd: '2.5',
            per: 1_000_000,
            cost_usd: '0.0025',
          },
          {
            type: 'text_output_tokens',
            count: 500,
            price_usd: '10',
            per: 1_000_000,
            cost_usd: '0.005',
          },
        ],
        cost_usd: '0.0075',
      },
    ]);
  });

  it("returns 404 for an unknown id, and for another organization's entry", async () => {
    const { organizationId } = await fixture.reports.newCaller();
    const foreign = entryAt('2026-11-19T11:00:00Z', { organization_id: organizationId });
    await fixture.reports.write(foreign);

    expect(await fixture.get('/logs/unknown')).toMatchObject(noEntry);
    expect(await fixture.get(`/logs/${foreign.id}`)).toMatchObject(noEntry);
  });
});

describe('GET /dashboard/api/analytics/{organization}/session', () => {
  const reportOf = async (sessionId: string) => {
    const { body } = await fixture.get(`/session?session_id=${sessionId}`);
    return body as CallerSessionReport;
  };

  /** The report from entries in memory. */
  const reportIn = async (entries: LogEntry[], sessionId: string) => {
    const { dependencies } = fixture;
    const { reports } = dependencies;
    const { reader } = memoryLogEntries(entries);
    dependencies.reports = { ...reports, logEntries: { ...reports.logEntries, ...reader } };
    try {
      return await reportOf(sessionId);
    } finally {
      dependencies.reports = reports;
    }
  };

  it('lists the requests in order of receipt, each with the cost up to it', async () => {
    const costs = ['0.000000000001', '0.1', '0', '0.2'];
    const entries = costs.map((cost_usd, minute) =>
      entryAt(`2026-11-18T10:0${minute}:00Z`, { session_id: 'chat', cost_usd }),
    );
    await fixture.record(...entries, entryAt('2026-11-18T10:00:30Z', { session_id: 'other' }));

    const { session_id, data, has_earlier } = await reportOf('chat');

    expect({ session_id, has_earlier }).toEqual({ session_id: 'chat', has_earlier: false });
    expect(data.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    expect(data.map(({ cumulative_cost_usd }) => cumulative_cost_usd)).toEqual([
      '0.000000000001',
      '0.100000000001',
      '0.100000000001',
      '0.300000000001',
    ]);
  });

  it('lists the newest 1,000 requests, and tells that there are earlier ones', async () => {
    const startMs = Date.parse('2026-11-17T10:00:00Z');
    const entries = Array.from({ length: 1002 }, (_, second) =>
      logEntry({ id: createLogId(startMs + second * 1000), session_id: 'long', cost_usd: '0.1' }),
    );

    const { data, has_earlier } = await reportIn(entries, 'long');

    expect(has_earlier).toBe(true);
    expect(data.map(({ id }) => id)).toEqual(entries.slice(2).map(({ id }) => id));
    expect([data[0], data.at(-1)].map((request) => request?.cumulative_cost_usd)).toEqual(['0.1', '100']);
  });

  it('lists fewer requests if the response would be larger than 6 MB', async () => {
    const startMs = Date.parse('2026-11-16T10:00:00Z');
    const provider_request_id = 'x'.repeat(20_000);
    const entries = Array.from({ length: 400 }, (_, second) =>
      logEntry({ id: createLogId(startMs + second * 1000), session_id: 'large', provider_request_id }),
    );

    const { data, has_earlier } = await reportIn(entries, 'large');

    expect(has_earlier).toBe(true);
    expect(data.map(({ id }) => id)).toEqual(entries.slice(200).map(({ id }) => id));
    expect(data[0]).toMatchObject({ cost_usd: '0.00472', cumulative_cost_usd: '0.00472' });
  });

  it('is empty for a session that has no requests', async () => {
    expect(await reportOf('none')).toEqual({ session_id: 'none', data: [], has_earlier: false });
  });

  it.each(['', '?session_id=', '?session_id=a&session_id=b', `?session_id=${'x'.repeat(257)}`])(
    'returns 400 that names session_id: %s',
    async (query) => {
      expect(await fixture.get(`/session${query}`)).toMatchObject({
        status: 400,
        body: { error: { param: 'session_id' } },
      });
    },
  );
});
