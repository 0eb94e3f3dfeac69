import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { costReportOf } from '#cli/costs/reconcile/report-items.ts';
import { fetchReportPages, type ReportQuery, readReportFile } from '#cli/costs/reconcile/report-pages.ts';
import { reportFormats } from '#cli/costs/reconcile/report-providers.ts';
import { AdminError } from '#cli/errors.ts';
import { type AnthropicCost, startAnthropicCosts } from '#test/support/cost-reports/anthropic.ts';
import { type OpenAiCost, startOpenAiCosts } from '#test/support/cost-reports/openai.ts';
import type { CostReportServer } from '#test/support/cost-reports/server.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 8, 1);
const { openai, anthropic } = reportFormats;

function query(format: ReportQuery['format'], { days = 2, scope = null as string | null } = {}): ReportQuery {
  return { format, period: { startMs, endMs: startMs + days * dayMs }, scope };
}

/** A job that records its pauses instead of waiting. */
function recordingJob() {
  const controller = new AbortController();
  const pauses: number[] = [];
  return {
    controller,
    pauses,
    signal: controller.signal,
    report() {},
    async wait(ms: number) {
      pauses.push(ms);
      controller.signal.throwIfAborted();
    },
  };
}

const queryText = (parameters: URLSearchParams) => decodeURIComponent(parameters.toString());

const september = (day: number) => `2026-09-${String(day).padStart(2, '0')}`;

const openAiCosts: OpenAiCost[] = [
  { day: september(1), line_item: 'gpt-5.4, input', value: '0.1234567890125' },
  { day: september(2), line_item: 'Vector storage', value: '"1.5E+1"' },
];

const anthropicCosts: AnthropicCost[] = Array.from({ length: 40 }, (_, index) => ({
  day: new Date(startMs + index * dayMs).toISOString().slice(0, 10),
  description: 'Claude Usage - Output Tokens',
  model: 'claude-haiku-4-5',
  amount: `${index + 1}`,
}));

let openAiServer: CostReportServer;
let anthropicServer: CostReportServer;

beforeEach(async () => {
  openAiServer = await startOpenAiCosts(openAiCosts);
  anthropicServer = await startAnthropicCosts(anthropicCosts);
});

afterEach(() => Promise.all([openAiServer.stop(), anthropicServer.stop()]));

describe('Cost reports of an API', () => {
  it('are requested by line item and project from OpenAI', async () => {
    const request = query(openai, { scope: 'proj_gateway' });

    const pages = await fetchReportPages(request, openAiServer, recordingJob());

    expect(openAiServer.requests.map(queryText)).toEqual([
      'start_time=1788220800&end_time=1788393600&bucket_width=1d&group_by[]=line_item&group_by[]=project_id' +
        '&limit=180&project_ids[]=proj_gateway',
    ]);
    expect(costReportOf(pages, request)).toEqual({
      items: [
        { date: september(1), model: 'gpt-5.4', name: 'gpt-5.4, input', usd: '0.123456789013' },
        { date: september(2), model: null, name: 'Vector storage', usd: '15' },
      ],
      missingDays: [],
    });
  });

  it('are requested by description and workspace from Anthropic, page by page', async () => {
    const request = query(anthropic, { days: 40 });

    const pages = await fetchReportPages(request, anthropicServer, recordingJob());

    const first =
      'starting_at=2026-09-01T00:00:00.000Z&ending_at=2026-10-11T00:00:00.000Z&bucket_width=1d' +
      '&group_by[]=description&group_by[]=workspace_id&limit=31';
    expect(anthropicServer.requests.map(queryText)).toEqual([first, `${first}&page=page_31`]);
    const { items, missingDays } = costReportOf(pages, request);
    expect(missingDays).toEqual([]);
    expect(items.map(({ usd }) => usd)).toEqual(
      Array.from({ length: 40 }, (_, index) => String((index + 1) / 100)),
    );
  });

  it('leave out days outside the period', async () => {
    const pages = await fetchReportPages(query(anthropic, { days: 4 }), anthropicServer, recordingJob());
    const period = { startMs: startMs + dayMs, endMs: startMs + 2 * dayMs };

    const { items } = costReportOf(pages, { ...query(anthropic), period });

    expect(items.map(({ date, usd }) => [date, usd])).toEqual([[september(2), '0.02']]);
  });

  it.each<[nextPage: string | null]>([[null], ['page_1']])(
    'fail when there is another page, but its cursor is again %s',
    async (next_page) => {
      const body = { data: [], has_more: true, next_page };
      openAiServer.script.push({ status: 200, body }, { status: 200, body });

      const pages = fetchReportPages(query(openai), openAiServer, recordingJob());

      await expect(pages).rejects.toThrow(
        `The response of ${openAiServer.baseUrl}/organization/costs has more pages, but its next_page is not a new one`,
      );
    },
  );

  it('are requested again after 429 and 5xx, when the provider asks for it or after growing pauses', async () => {
    const overloaded = { status: 529 };
    openAiServer.script.push({ status: 429, headers: { 'retry-after': '17' } }, overloaded, overloaded);
    const job = recordingJob();

    const pages = await fetchReportPages(query(openai), openAiServer, job);

    expect(pages).toHaveLength(1);
    expect(job.pauses).toEqual([17_000, 2000, 4000]);
  });

  it.each([
    [
      'after four attempts',
      Array.from({ length: 4 }, () => ({ status: 503 })),
      'status 503: try again in 8 s',
    ],
    [
      'when the provider asks for a long pause',
      [{ status: 429, headers: { 'retry-after': '3600' } }],
      'status 429: try again in 3600 s',
    ],
    ['when it has no such endpoint', [{ status: 404 }], 'status 404'],
    [
      'when the request is invalid, with the reason but not the key',
      [{ status: 400, body: { error: { message: 'No such\nproject: sk-admin-0123456789abcdef' } } }],
      'status 400: No such project: *************************',
    ],
  ])('fail %s', async (_, responses, message) => {
    openAiServer.script.push(...responses);

    const pages = fetchReportPages(query(openai), openAiServer, recordingJob());

    await expect(pages).rejects.toThrow(
      new AdminError(`${openAiServer.baseUrl}/organization/costs returned HTTP ${message}`),
    );
    expect(openAiServer.requests).toHaveLength(responses.length);
  });

  it.each([401, 403])('say after status %i which key is required', async (status) => {
    const error = { message: `invalid key ${anthropicServer.key.slice(0, 20)}` };
    anthropicServer.script.push({ status, body: { error } });

    const pages = fetchReportPages(query(anthropic), anthropicServer, recordingJob());

    await expect(pages).rejects.toThrow(
      new AdminError(
        `${anthropicServer.baseUrl}/organizations/cost_report returned HTTP status ${status}: ANTHROPIC_ADMIN_KEY ` +
          'must be an admin key of the organization, which starts with "sk-ant-admin", not an API key',
      ),
    );
  });

  it('are not read from another address', async () => {
    openAiServer.script.push({ status: 307, headers: { location: anthropicServer.baseUrl } });

    const pages = fetchReportPages(query(openai), openAiServer, recordingJob());

    await expect(pages).rejects.toThrow('could not be read: unexpected redirect');
  });

  it('fail when the provider cannot be reached', async () => {
    await openAiServer.stop();
    const pages = fetchReportPages(query(openai), openAiServer, recordingJob());
    await expect(pages).rejects.toThrow(/could not be read: ECONNREFUSED$/);
    openAiServer = await startOpenAiCosts([]);
  });

  it('stop when the operator stops the command, also during a pause', async () => {
    const stopped = recordingJob();
    stopped.controller.abort();
    const paused = recordingJob();
    const pause = async () => {
      paused.controller.abort();
      paused.signal.throwIfAborted();
    };
    openAiServer.script.push({ status: 429 });

    const pages = [stopped, { ...paused, wait: pause }].map((job) =>
      fetchReportPages(query(openai), openAiServer, job),
    );

    for (const read of pages) await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(openAiServer.requests).toHaveLength(1);
  });

  const amount = { value: 1, currency: 'usd' };
  const openAiDay = (result: unknown, start_time: unknown = startMs / 1000) => ({
    data: [{ start_time, results: [result] }],
    has_more: false,
  });

  it.each<[body: unknown, message: string]>([
    ['<html>', 'is not valid JSON'],
    [[], 'must be an object: a response of the cost report'],
    [{ data: [] }, 'has_more must be true or false'],
    [openAiDay({ amount }, '2026-09-01'), 'data[0].start_time must be a time in seconds'],
    [
      openAiDay({ amount }, startMs / 1000 + 60),
      'data[0].start_time must be midnight UTC: request the report with starts of UTC days',
    ],
    [openAiDay({ line_item: 'gpt-5.4, input' }), 'data[0].results[0].amount is required'],
    [
      openAiDay({ amount: { ...amount, value: null } }),
      'data[0].results[0].amount.value must be a decimal number',
    ],
    [
      openAiDay({ amount: { ...amount, value: '1,50' } }),
      'data[0].results[0].amount.value must be a decimal number of plausible size',
    ],
    [
      openAiDay({ amount: { ...amount, currency: 'eur' } }),
      'data[0].results[0].amount.currency must be USD: other currencies cannot be compared',
    ],
    [openAiDay({ amount, line_item: 7 }), 'data[0].results[0].line_item must be text or null'],
  ])('fail with the name of the invalid field: %j', async (body, message) => {
    openAiServer.script.push({ status: 200, body });

    const pages = fetchReportPages(query(openai), openAiServer, recordingJob());

    await expect(pages).rejects.toThrow(message);
  });
});

describe('Cost reports of a file', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cost-reports-'));
  });

  afterAll(() => rm(directory, { recursive: true }));

  async function readFileOf(text: string, request: ReportQuery) {
    await writeFile(join(directory, 'costs.json'), text);
    return readReportFile('costs.json', request, { INIT_CWD: directory });
  }

  it('are a response or an array of responses, with all digits', async () => {
    const request = query(openai, { scope: 'proj_a' });
    const page = (day: number, value: string) =>
      `{"data":[{"start_time":${startMs / 1000 + day * 86_400},"results":[{"amount":{"value":${value},` +
      '"currency":"usd"},"line_item":"whisper","project_id":"proj_a"}]}],"has_more":true}';

    const single = await readFileOf(page(0, '123456789012.123456789012'), request);
    const both = await readFileOf(`[${page(0, '0E-6176')},${page(1, '2')}]`, request);

    expect(costReportOf(single, request)).toEqual({
      items: [{ date: september(1), model: 'whisper', name: 'whisper', usd: '123456789012.123456789012' }],
      missingDays: [september(2)],
    });
    expect(costReportOf(both, request).items.map(({ usd }) => usd)).toEqual(['0', '2']);
    expect(() => costReportOf([...single, ...single], request)).toThrow(
      'the cost report contains the day 2026-09-01 twice',
    );
  });

  const anthropicPage = (fields: Record<string, unknown>) =>
    JSON.stringify({
      data: [{ starting_at: '2026-09-01T00:00:00Z', results: [{ amount: '5', currency: 'USD', ...fields }] }],
      has_more: false,
    });
  const openAiPage = (fields: Record<string, unknown>) =>
    JSON.stringify([
      {
        data: [
          { start_time: startMs / 1000, results: [{ amount: { value: 1, currency: 'usd' }, ...fields }] },
        ],
        has_more: false,
      },
    ]);

  it.each([
    [openAiPage({}), query(openai), 'line_item'],
    [
      openAiPage({ line_item: 'whisper', project_id: null }),
      query(openai, { scope: 'proj_a' }),
      'project_id',
      ', or omit --project',
    ],
    [anthropicPage({ workspace_id: 'wrkspc_a' }), query(anthropic), 'description'],
    [
      anthropicPage({ description: 'Web Search Usage', workspace_id: null }),
      query(anthropic, { scope: 'wrkspc_a' }),
      'workspace_id',
      ', or omit --workspace',
    ],
  ])(
    'must be grouped by the fields that the comparison needs: %s',
    async (text, request, field, advice = '') => {
      await expect(readFileOf(text, request)).rejects.toThrow(
        new AdminError(`--file: no row has a ${field}: save the report with group_by[]=${field}${advice}`),
      );
    },
  );

  it('may have rows of the default workspace only, on some or all pages', async () => {
    const ofDefault = anthropicPage({ description: 'Web Search Usage', workspace_id: null });
    const ofOther = anthropicPage({ description: 'Web Search Usage', workspace_id: 'wrkspc_a' });

    expect(await readFileOf(ofDefault, query(anthropic, { scope: 'default' }))).toHaveLength(1);
    expect(
      await readFileOf(`[${ofDefault},${ofOther}]`, query(anthropic, { scope: 'wrkspc_a' })),
    ).toHaveLength(2);
  });

  it('name an item by its cost type if it has no description', async () => {
    const other = anthropicPage({ cost_type: 'session_usage', unknown: 1 });

    const { items } = costReportOf(await readFileOf(other, query(anthropic)), query(anthropic));

    expect(items).toEqual([{ date: september(1), model: null, name: 'session_usage', usd: '0.05' }]);
  });

  it('must exist and be JSON', async () => {
    await expect(readFileOf('amount', query(openai))).rejects.toThrow('costs.json is not valid JSON');
    await expect(readReportFile('none.json', query(openai), { INIT_CWD: directory })).rejects.toThrow(
      new AdminError(`--file: ${join(directory, 'none.json')} cannot be read (ENOENT)`),
    );
  });
});
