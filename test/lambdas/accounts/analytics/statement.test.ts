import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueApiKey } from '#lambdas/access/api-key.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { Statement, StatementTotals } from '#lambdas/accounts/analytics/responses.ts';
import { toStatement } from '#lambdas/accounts/analytics/statement.ts';
import { statementFormats } from '#lambdas/accounts/analytics/statement-formats.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { readMonthCosts } from '#lambdas/reports/costs/month-costs.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { edgeCaseEntry } from '#test/lambdas/reports/costs/support/edge-case-arbitraries.ts';
import { noParameters } from '#test/lambdas/reports/costs/support/expected-costs.ts';
import { expectedShare } from '#test/lambdas/reports/costs/support/expected-totals.ts';
import { getCosts } from '#test/lambdas/reports/costs/support/get-costs-in-memory.ts';
import { createInMemoryCosts } from '#test/lambdas/reports/costs/support/in-memory-costs.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { testCreator } from '#test/support/audit/test-audit-trail.ts';
import { readCsv, unescapeFormulas } from '#test/support/csv-reader.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';

const organization = { id: 'org_AAAAAAAAAAAAAAAA', name: '=Example, Ltd', created_at: '', log_shards: 3 };
const month = { startMs: Date.UTC(2026, 1), endMs: Date.UTC(2026, 2) };

async function statementOf(entries: LogEntry[]) {
  const now = new Date('2026-03-01T01:00:00.000Z');
  const { dependencies } = createInMemoryCosts({ entries, logShards: organization.log_shards, now });
  const costs = await readMonthCosts(dependencies, organization.id, month);
  const names = [
    { id: 'key_1', name: 'Production' },
    { id: 'key_2', name: '@CI' },
  ] as const;
  const apiKeys = names.map((key) => ({ ...apiKey, ...key }));
  return { dependencies, statement: toStatement({ organization, month, costs, apiKeys }) };
}

const createdAt = new Date(0);
const { apiKey } = issueApiKey({
  organizationId: organization.id,
  name: '',
  createdAt,
  createdBy: testCreator,
});

type CountName = {
  [Name in keyof StatementTotals]: StatementTotals[Name] extends number ? Name : never;
}[keyof StatementTotals];
type AmountName = 'cost_usd' | 'assumed_cost_usd' | 'estimated_cost_usd';

function sumOf(list: readonly StatementTotals[]): StatementTotals {
  const count = (name: CountName) => list.reduce((sum, each) => sum + each[name], 0);
  const amount = (name: AmountName) => list.reduce((sum, each) => addUsd(sum, each[name]), '0');
  const cost_usd = amount('cost_usd');
  const uncertain = { assumed: amount('assumed_cost_usd'), estimated: amount('estimated_cost_usd') };
  return {
    requests: count('requests'),
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cost_usd,
    unpriced_requests: count('unpriced_requests'),
    assumed_requests: count('assumed_requests'),
    assumed_cost_usd: uncertain.assumed,
    estimated_requests: count('estimated_requests'),
    estimated_cost_usd: uncertain.estimated,
    uncertain_cost_share: expectedShare(cost_usd, addUsd(uncertain.assumed, uncertain.estimated)),
  };
}

function tierOf(name: string | null): string | null {
  return name === 'default' || name === 'Standard' ? null : name;
}

const entries = fc.array(
  edgeCaseEntry({ organizationId: organization.id, logShards: organization.log_shards }),
  {
    maxLength: 40,
  },
);

describe('A statement', () => {
  it('has one line for all names of the standard tier', async () => {
    const tiers = [null, 'default', 'Standard', 'on_demand', 'flex'];
    const all = tiers.map((service_tier, shard) =>
      logEntry({
        id: createLogId(month.startMs, shard % organization.log_shards),
        organization_id: organization.id,
        service_tier,
        cost_usd: '0.1',
      }),
    );

    const { statement } = await statementOf(all);

    expect(
      statement.lines.map(({ service_tier, requests, cost_usd }) => [service_tier, requests, cost_usd]),
    ).toEqual([
      [null, 4, '0.4'],
      ['flex', 1, '0.1'],
    ]);
  });
});

describe('The lines of a statement', () => {
  it('are apart for each operation, which their FOCUS rows describe', async () => {
    const all = operations.map((operation, index) =>
      logEntry({
        id: createLogId(month.startMs, index % organization.log_shards),
        organization_id: organization.id,
        operation,
        cost_usd: `0.${index + 1}`,
      }),
    );

    const { statement } = await statementOf([...all, ...all]);
    const [names = [], ...records] = readCsv(statementFormats.focus.write(statement));

    expect(
      statement.lines.map(({ operation, requests, cost_usd }) => [operation, requests, cost_usd]),
    ).toEqual([
      ['responses', 2, '0.8'],
      ['messages', 2, '0.6'],
      ['embeddings', 2, '0.4'],
      ['chat.completions', 2, '0.2'],
    ]);
    expect(statement.by_model).toMatchObject([{ model: 'gpt-4o', requests: 8, cost_usd: '2' }]);
    const origin = 'with gpt-4o from OpenAI by the API key key_AAAAAAAAAAAAAAAA';
    expect(records.map((record) => record[names.indexOf('ChargeDescription')])).toEqual([
      `Responses ${origin}`,
      `Messages ${origin}`,
      `Embeddings ${origin}`,
      `Chat completions ${origin}`,
    ]);
  });
});

describe('A statement of random requests', () => {
  it('has lines, models and keys that add up to its totals, which are those of /api/costs, to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const { statement, dependencies } = await statementOf(all);
        const { totals, lines, by_model, by_key } = statement;

        for (const list of [lines, by_model, by_key]) expect(sumOf(list)).toEqual(totals);
        const costs = await getCosts(
          dependencies,
          { ...noParameters, start: month.startMs, end: month.endMs },
          organization.id,
        );
        expect(totals).toEqual({
          requests: costs.total_requests,
          cost_usd: costs.total_cost_usd,
          input_tokens: costs.total_input_tokens,
          output_tokens: costs.total_output_tokens,
          unpriced_requests: costs.unpriced_requests,
          assumed_requests: costs.assumed_requests,
          assumed_cost_usd: costs.assumed_cost_usd,
          estimated_requests: costs.estimated_requests,
          estimated_cost_usd: costs.estimated_cost_usd,
          uncertain_cost_share: costs.uncertain_cost_share,
        });
        const keysOf = all
          .filter((entry) => reachedProvider(entry) && entry.provider !== null && entry.model !== null)
          .filter(({ created_at }) => created_at.startsWith('2026-02'))
          .map(({ provider, model, operation, service_tier, api_key_id }) =>
            JSON.stringify([provider, model, operation, tierOf(service_tier), api_key_id]),
          );
        expect(
          lines
            .map(({ provider, model, operation, service_tier, api_key_id }) =>
              JSON.stringify([provider, model, operation, service_tier, api_key_id]),
            )
            .sort(),
        ).toEqual([...new Set(keysOf)].sort());
      }),
    );
  });

  it('exports the same lines as CSV, and their costs as FOCUS', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const { statement } = await statementOf(all);

        const [names = [], ...records] = readCsv(statementFormats.csv.write(statement));
        const rows = records.map((record) =>
          Object.fromEntries(
            names.map((name, index) => [name, record[index] && unescapeFormulas(record[index])]),
          ),
        );
        const { id, name } = organization;
        expect(rows).toEqual(
          statement.lines.map((line) =>
            Object.fromEntries(
              Object.entries({ month: '2026-02', organization_id: id, organization_name: name, ...line }).map(
                ([column, value]) => [column, value === null ? null : String(value)],
              ),
            ),
          ),
        );
        const [focusNames = [], ...focusRecords] = readCsv(statementFormats.focus.write(statement));
        const costs = focusRecords.map((record) => record[focusNames.indexOf('BilledCost')] ?? '');
        expect(costs.reduce(addUsd, '0')).toBe(statement.totals.cost_usd);
        expect(costs).toHaveLength(statement.lines.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe('The statement of a month', () => {
  let fixture: AnalyticsFixture;
  const at = (time: string) => createLogId(Date.parse(time));
  const flex = logEntry({
    id: at('2026-10-31T23:59:59.999Z'),
    service_tier: 'flex',
    cost_usd: '0.2',
    usage_source: 'estimated',
  });
  const unpriced = logEntry({
    id: at('2026-10-01T00:00:00.000Z'),
    api_key_id: 'key_gone',
    cost_usd: '0',
    pricing: 'unknown',
  });
  const assumed = logEntry({
    id: at('2026-10-15T00:00:00.000Z'),
    model: 'a',
    cost_usd: '0.3',
    pricing: 'assumed',
  });
  beforeAll(async () => {
    fixture = await startAnalyticsFixture();
    const rejected = logEntry({ id: at('2026-10-16T00:00:00.000Z'), outcome: 'rejected', cost_usd: '0' });
    const later = logEntry({ id: at('2026-11-01T00:00:00.000Z'), cost_usd: '5' });
    const { organizationId } = fixture.caller;
    const [key] = await fixture.dependencies.directory.listCurrentApiKeys(organizationId);
    const api_key_id = key?.id ?? '';
    const own = [flex, assumed, rejected, later].map((entry) => ({ ...entry, api_key_id }));
    await fixture.record(unpriced, ...own);
    // A reprice changes the cost of the entry.
    const priced = {
      ...unpriced,
      organization_id: organizationId,
      cost_usd: '0.3',
      pricing: 'table',
    } as const;
    const [before, after] = [{ ...unpriced, organization_id: organizationId }, priced].map(
      (entry) => streamRecord(entry, 100).dynamodb?.NewImage ?? {},
    );
    await fixture.reports.rollupHandler({
      shardId: 'shardId-1',
      Records: [
        {
          eventName: 'MODIFY',
          dynamodb: { SequenceNumber: '100', OldImage: before ?? {}, NewImage: after ?? {} },
        },
      ],
    });
  });
  afterAll(() => fixture.stop());

  it('has its requests, the most expensive first, then alphabetically', async () => {
    const { status, body } = await fixture.get('/statements/2026-10');

    const statement = body as Statement;
    expect([status, { ...statement, by_model: [], by_key: [], lines: [] }]).toEqual([
      200,
      {
        month: '2026-10',
        start: '2026-10-01T00:00:00.000Z',
        end: '2026-11-01T00:00:00.000Z',
        final: true,
        complete_until: '2026-11-23T08:00:00.000Z',
        organization: { id: fixture.caller.organizationId, name: 'test' },
        totals: {
          ...tokens(3),
          cost_usd: '0.8',
          unpriced_requests: 0,
          assumed_requests: 1,
          assumed_cost_usd: '0.3',
          estimated_requests: 1,
          estimated_cost_usd: '0.2',
          uncertain_cost_share: 0.625,
        },
        by_model: [],
        by_key: [],
        lines: [],
      },
    ]);
    expect(
      statement.lines.map((line) => [line.cost_usd, line.model, line.service_tier, line.api_key_name]),
    ).toEqual([
      ['0.3', 'a', null, 'test'],
      ['0.3', 'gpt-4o', null, null],
      ['0.2', 'gpt-4o', 'flex', 'test'],
    ]);
    expect(statement.by_model.map(({ model, cost_usd }) => [model, cost_usd])).toEqual([
      ['gpt-4o', '0.5'],
      ['a', '0.3'],
    ]);
    expect(statement.by_key.map(({ api_key_id, cost_usd }) => [api_key_id === 'key_gone', cost_usd])).toEqual(
      [
        [false, '0.5'],
        [true, '0.3'],
      ],
    );
  });

  it('names keys that are revoked', async () => {
    const { dependencies, accounts, owner, caller } = fixture;
    const [key] = await dependencies.directory.listCurrentApiKeys(caller.organizationId);
    const directory = createDirectoryStore(dependencies.directoryTable);
    const audit = accounts.auditOf(owner);
    const revoked = await directory.revokeApiKey(caller.organizationId, key?.id ?? '', audit);

    expect(revoked?.revoked_at).toBe(audit.now().toISOString());
    const statement = (await fixture.get('/statements/2026-10')).body as Statement;

    expect(statement.by_key.map(({ api_key_name }) => api_key_name)).toEqual(['test', null]);
  });

  const tokens = (requests: number) => ({
    requests,
    input_tokens: 1200 * requests,
    output_tokens: 300 * requests,
  });

  it('is not final until the last requests of the month have been counted', async () => {
    const { clock } = fixture.accounts;
    const before = clock.nowMs;
    const finalAt = async (time: string) => {
      clock.nowMs = Date.parse(time);
      const user = await fixture.accounts.signIn('Ada', { id: fixture.owner.id });
      return (await fixture.get('/statements/2026-10', user)).body as Statement;
    };

    // A request runs for 15 minutes at most, and its entry is written in 5 seconds; clocks may differ by a minute.
    const times = ['2026-10-31T23:00:00.000Z', '2026-11-01T00:16:04.999Z', '2026-11-01T00:16:05.000Z'];
    const found = [];
    for (const time of times) found.push((await finalAt(time)).final);
    clock.nowMs = before;
    expect(found).toEqual([false, false, true]);
  });

  it('can be downloaded as CSV and as FOCUS', async () => {
    const csv = await fixture.get('/statements/2026-10?format=csv');
    const focus = await fixture.get('/statements/2026-10?format=focus');

    const { organizationId } = fixture.caller;
    expect([csv.status, csv.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="statement-2026-10.csv"',
      },
    ]);
    expect(csv.text.split('\r\n').slice(0, 1)).toEqual([
      'month,organization_id,organization_name,provider,model,operation,service_tier,api_key_id,api_key_name,' +
        'requests,input_tokens,output_tokens,cost_usd,unpriced_requests,assumed_requests,assumed_cost_usd,' +
        'estimated_requests,estimated_cost_usd,uncertain_cost_share',
    ]);
    expect(csv.text.split('\r\n')[2]).toBe(
      `2026-10,${organizationId},test,openai,gpt-4o,chat.completions,,key_gone,,1,1200,300,0.3,0,0,0,0,0,0`,
    );
    expect(focus.headers).toMatchObject({
      'content-disposition': 'attachment; filename="focus-2026-10.csv"',
    });
    expect(focus.text.split('\r\n')[3]).toBe(
      `0.2,${organizationId},test,USD,2026-11-01T00:00:00Z,2026-10-01T00:00:00Z,Usage,,` +
        'Chat completions with gpt-4o from OpenAI (flex) by the API key test,2026-11-01T00:00:00Z,' +
        '2026-10-01T00:00:00Z,0.2,0.2,OpenAI,0.2,0.0015,1000000 Tokens,OpenAI,OpenAI,AI and Machine Learning,OpenAI API,' +
        '0.0,0,0.2,1,0',
    );
  });

  it.each([
    ['/statements/2026-12', 'month', 'month must not be in the future: 2026-12 has not begun in UTC'],
    ['/statements/2026-13', 'month', 'month must be a month since 1970, such as 2026-11'],
    ['/statements/0001-01', 'month', 'month must be a month since 1970, such as 2026-11'],
    ['/statements/2026-10?format=pdf', 'format', 'format must be one of csv, focus: omit it for JSON'],
  ])('refuses %s', async (path, param, message) => {
    expect(await fixture.get(path)).toMatchObject({ status: 400, body: { error: { param, message } } });
  });

  it('refuses a month with too many sums', async () => {
    const { dependencies } = fixture;
    const { reports } = dependencies;
    const row = {
      startMs: 0,
      provider: 'p',
      operation: 'embeddings',
      serviceTier: null,
      value: 'k',
    } as const;
    const totals = { ...noTotals, requests: 1 };
    const rows = (count: number) => ({
      ...reports.rollupReader,
      async *read() {
        for (let index = 0; index < count; index += 1) yield { ...row, model: `model-${index}`, totals };
      },
    });
    const errorOf = async (count: number) => {
      dependencies.reports = { ...reports, rollupReader: rows(count) };
      const { body } = await fixture.get('/statements/2026-10');
      dependencies.reports = reports;
      return (body as { error?: { message: string } }).error?.message;
    };

    expect(await errorOf(50_001)).toContain(
      'more sums of a key, model, operation and service tier than a statement can have (50000)',
    );
    expect(await errorOf(18_000)).toContain('The response would exceed 6 MB');
    expect(await errorOf(5000)).toBeUndefined();
  });
});
