import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, createAdminFixture, runAdminCommand } from '#test/support/admin-command.ts';
import { type AnthropicCost, startAnthropicCosts } from '#test/support/cost-reports/anthropic.ts';
import { type OpenAiCost, startOpenAiCosts } from '#test/support/cost-reports/openai.ts';
import type { CostReportServer } from '#test/support/cost-reports/server.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

const dayMs = 86_400_000;
/** Stays in the past, and within the retention, also if midnight passes during the tests. */
const firstDayMs = Math.floor(Date.now() / dayMs) * dayMs - 20 * dayMs;
const day = (number: number) => new Date(firstDayMs + number * dayMs).toISOString().slice(0, 10);

const gpt4o = 'gpt-4o-2024-08-06';

/** The invoice of the requests below, without a difference. The last day, `day(3)`, has neither. */
const openAiInvoice: readonly OpenAiCost[] = [
  { day: day(0), line_item: `${gpt4o}, input`, value: '"0.60000000000000000000000000000000000000"' },
  { day: day(0), line_item: `${gpt4o}, cached input`, value: '1E-1' },
  { day: day(0), line_item: `${gpt4o}, output`, value: '0.30000000000000000000000000000000000000' },
  { day: day(0), line_item: 'gpt-5.4-mini-2026-03-17, input', value: '0.15' },
  { day: day(0), line_item: 'gpt-5.4-mini-2026-03-17, cached input', value: '"0E-6176"' },
  { day: day(0), line_item: 'gpt-5.4-mini-2026-03-17, output', value: '0.1' },
  { day: day(1), line_item: `${gpt4o}, output`, value: '2.0' },
  { day: day(2), line_item: `priority | ${gpt4o}, output, long context`, value: '4' },
];

const sonnet = 'claude-sonnet-4-5';
const opus = 'claude-opus-4-5';

const anthropicInvoice: readonly AnthropicCost[] = [
  { day: day(0), model: sonnet, description: 'Claude Sonnet 4.5 Usage - Input Tokens', amount: '30' },
  { day: day(0), model: opus, description: 'Claude Opus 4.5 Usage - Input Tokens', amount: '50.000' },
  { day: day(0), description: 'Web Search Usage', amount: '2' },
  {
    day: day(2),
    model: 'claude-haiku-4-5-20251001',
    description: 'Claude Haiku 4.5 Usage - Output Tokens',
    amount: '12.34567890004',
  },
];

let reports: ReportFixture;
let gateway: AdminFixture;
let openAi: CostReportServer;
let anthropic: CostReportServer;
let directory: string;
const openAiCosts: OpenAiCost[] = [];
const anthropicCosts: AnthropicCost[] = [];

beforeAll(async () => {
  reports = await startReportFixture();
  const { database, tables } = reports;
  gateway = await createAdminFixture({ database, tables });
  [openAi, anthropic] = await Promise.all([
    startOpenAiCosts(openAiCosts),
    startAnthropicCosts(anthropicCosts),
  ]);
  directory = await mkdtemp(join(tmpdir(), 'cost-reports-'));
  await writeRequests();
});

afterAll(async () => {
  await Promise.all([gateway.stop(), openAi.stop(), anthropic.stop()]);
  await reports.stop();
  await rm(directory, { recursive: true });
});

beforeEach(() => {
  openAiCosts.splice(0, Number.POSITIVE_INFINITY, ...openAiInvoice);
  anthropicCosts.splice(0, Number.POSITIVE_INFINITY, ...anthropicInvoice);
  for (const { requests, script } of [openAi, anthropic]) {
    requests.length = 0;
    script.length = 0;
  }
});

async function writeRequests(): Promise<void> {
  const [first, second] = [await reports.newCaller({ logShards: 2 }), await reports.newCaller()];
  const request = (atMs: number, fields: Partial<LogEntry> & { shard?: number }) => {
    const { shard = 0, ...others } = fields;
    const id = createLogId(firstDayMs + atMs, shard);
    return logEntry({ id, organization_id: first.organizationId, ...others });
  };
  const unanswered = { response_model: null, ...usageFields([], null), cost_usd: '0' };
  const claude = { provider: 'anthropic', service_tier: 'standard' };
  const parts = [
    { model: null, usage: { ...noUsage, freshInputTokens: 100_000, webSearches: 2 } },
    { model: opus, usage: { ...noUsage, freshInputTokens: 100_000 } },
  ];
  await reports.write(
    request(-1, { cost_usd: '100' }),
    request(0, { cost_usd: '0.5' }),
    request(1, { cost_usd: '0.4', shard: 1 }),
    request(2, { cost_usd: '0.1', organization_id: second.organizationId }),
    request(3, { model: 'gpt-5.4-mini', response_model: 'gpt-5.4-mini', cost_usd: '0.25' }),
    request(dayMs, { cost_usd: '1.5', pricing: 'assumed' }),
    request(dayMs + 1, { cost_usd: '0.5', outcome: 'client_closed' }),
    request(dayMs + 2, { ...unanswered, model: 'o3', outcome: 'interrupted', pricing: null }),
    request(dayMs + 3, { model: 'gpt-new', response_model: 'gpt-new', cost_usd: '0', pricing: 'unknown' }),
    request(dayMs + 4, { ...unanswered, model: 'o4', outcome: 'rejected', pricing: null }),
    request(3 * dayMs - 1, { cost_usd: '4', pricing_gaps: ['code_execution'] }),
    request(4 * dayMs, { cost_usd: '100' }),
    request(0, {
      ...claude,
      model: sonnet,
      response_model: sonnet,
      ...usageFields(parts, sonnet),
      cost_usd: '0.82',
      pricing: 'assumed',
    }),
    request(2 * dayMs, {
      ...claude,
      model: 'claude-haiku-4-5',
      response_model: null,
      cost_usd: '0.123456789',
      usage_source: 'estimated',
    }),
  );
}

const period = ['--start', day(0), '--end', day(4)];
const keys = () => ({ OPENAI_ADMIN_KEY: openAi.key, ANTHROPIC_ADMIN_KEY: anthropic.key });

/** Reads the report of the local server, or without `--base-url` a file. Asserts that no output contains a key. */
async function reconcile(options: string[], environment: Record<string, string> = keys()) {
  const server = options.includes('anthropic') ? anthropic : openAi;
  const source = options.some((option) => ['--file', '--base-url'].includes(option))
    ? []
    : ['--base-url', server.baseUrl];
  const result = await runAdminCommand(['costs', 'reconcile', ...options, ...source], {
    environment: { GATEWAY_DATA_DIRECTORY: gateway.dataDirectory, INIT_CWD: directory, ...environment },
  });
  for (const key of Object.values(environment)) expect(JSON.stringify(result)).not.toContain(key);
  return result;
}

interface Row {
  date: string;
  model: string | null;
  gateway_usd: number;
  provider_usd: number;
  differs: boolean;
}

/** With a tolerance of 0, every difference differs. */
async function differences(provider: string, options: string[] = []) {
  const { exitCode, stdout } = await reconcile(
    ['--provider', provider, ...period, '--tolerance', '0', '--json'].concat(options),
  );
  const { rows } = JSON.parse(stdout) as { rows: Row[] };
  const found = rows
    .filter(({ differs }) => differs)
    .map(({ date, model, gateway_usd, provider_usd }) => [date, model, gateway_usd, provider_usd]);
  return { exitCode, found };
}

type Difference = [date: string, model: string | null, gatewayUsd: number, providerUsd: number];

const withoutDifference = { exitCode: 0, found: [] };

describe('costs reconcile', () => {
  it('finds no difference in an invoice of exactly the requests, for both providers', async () => {
    expect(await differences('openai')).toEqual(withoutDifference);
    expect(await differences('anthropic')).toEqual(withoutDifference);
    expect(await differences('openai', ['--project', 'proj_gateway'])).toEqual(withoutDifference);
    expect(await differences('anthropic', ['--workspace', 'default'])).toEqual(withoutDifference);
  });

  it.each<[name: string, change: (costs: OpenAiCost[]) => OpenAiCost[], difference: Difference]>([
    [
      'a day that the invoice does not have',
      (costs) => costs.filter((cost) => cost.day !== day(2)),
      [day(2), gpt4o, 4, 0],
    ],
    [
      'a day that the gateway does not have',
      (costs) => [...costs, { day: day(3), line_item: `${gpt4o}, input`, value: '0.7' }],
      [day(3), gpt4o, 0, 0.7],
    ],
    [
      'requests that were billed at another tier',
      (costs) => [
        ...costs.filter((cost) => cost.day !== day(1)),
        { day: day(1), line_item: `priority | ${gpt4o}, output`, value: '3.4' },
      ],
      [day(1), gpt4o, 2, 3.4],
    ],
    [
      'requests of another project',
      (costs) => [
        ...costs,
        { day: day(0), line_item: `${gpt4o}, input`, value: '5', project_id: 'proj_other' },
      ],
      [day(0), gpt4o, 1, 6],
    ],
    [
      'web searches that the gateway does not have',
      (costs) => [...costs, { day: day(0), line_item: 'web search tool calls', value: '"0.030"' }],
      [day(0), null, 0, 0.03],
    ],
    [
      'cached input that costs more',
      (costs) =>
        costs.map((cost) => (cost.line_item === `${gpt4o}, cached input` ? { ...cost, value: '0.4' } : cost)),
      [day(0), gpt4o, 1, 1.3],
    ],
    [
      'the cost of an interrupted request',
      (costs) => [...costs, { day: day(1), line_item: 'o3, input', value: '2e-12' }],
      [day(1), 'o3', 0, 2e-12],
    ],
    [
      'a model that the gateway does not have',
      (costs) => [...costs, { day: day(2), line_item: 'whisper', value: '0.06' }],
      [day(2), 'whisper', 0, 0.06],
    ],
    [
      'the cost of an unpriced request',
      (costs) => [...costs, { day: day(1), line_item: 'GPT-New, output', value: '0.9' }],
      [day(1), 'gpt-new', 0, 0.9],
    ],
    [
      'a credit',
      (costs) => [...costs, { day: day(2), line_item: 'Promotional credit', value: '"-3.25"' }],
      [day(2), null, 0, -3.25],
    ],
  ])('finds exactly this difference to an invoice of OpenAI: %s', async (_, change, difference) => {
    openAiCosts.splice(0, Number.POSITIVE_INFINITY, ...change([...openAiInvoice]));

    expect(await differences('openai')).toEqual({ exitCode: 1, found: [difference] });
  });

  it.each<[name: string, change: (costs: AnthropicCost[]) => AnthropicCost[], difference: Difference]>([
    [
      'no cost of the advisor of a request',
      (costs) => costs.filter(({ model }) => model !== opus),
      [day(0), opus, 0.5, 0],
    ],
    [
      'no web searches',
      (costs) => costs.filter(({ description }) => description !== 'Web Search Usage'),
      [day(0), null, 0.02, 0],
    ],
    [
      'a charge without a model',
      (costs) => [...costs, { day: day(2), description: 'Code Execution Usage', amount: '5.5' }],
      [day(2), null, 0, 0.055],
    ],
    [
      'requests of another workspace',
      (costs) => [
        ...costs,
        { day: day(2), model: sonnet, description: 'Tokens', amount: '7', workspace_id: 'wrkspc_other' },
      ],
      [day(2), sonnet, 0, 0.07],
    ],
    [
      'requests at half the price',
      (costs) => costs.map((cost) => (cost.model === sonnet ? { ...cost, amount: '15' } : cost)),
      [day(0), sonnet, 0.3, 0.15],
    ],
  ])('finds exactly this difference to an invoice of Anthropic: %s', async (_, change, difference) => {
    anthropicCosts.splice(0, Number.POSITIVE_INFINITY, ...change([...anthropicInvoice]));

    expect(await differences('anthropic')).toEqual({ exitCode: 1, found: [difference] });
  });

  it('ignores other projects with --project and other workspaces with --workspace', async () => {
    const other = { day: day(0), line_item: `${gpt4o}, input`, value: '5' };
    openAiCosts.push({ ...other, project_id: 'proj_other' }, { ...other, project_id: null });
    const unnamed = { day: day(2), model: sonnet, description: 'Tokens', amount: '7' };
    anthropicCosts.push({ ...unnamed, workspace_id: 'wrkspc_other' });

    expect(await differences('openai', ['--project', 'proj_gateway'])).toEqual(withoutDifference);
    expect(await differences('anthropic', ['--workspace', 'default'])).toEqual(withoutDifference);
    const { stdout } = await reconcile(
      ['--provider', 'anthropic', ...period, '--workspace', 'wrkspc_other'].concat('--json'),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      workspace: 'wrkspc_other',
      totals: { gateway_usd: 0.943456789, provider_usd: 0.07 },
    });
  });

  it('prints the comparison as JSON', async () => {
    openAiCosts.splice(0, Number.POSITIVE_INFINITY, ...openAiInvoice.filter((cost) => cost.day === day(1)));
    openAiCosts.push(
      { day: day(1), line_item: 'web search tool calls', value: '0.03' },
      { day: day(1), line_item: 'Vector storage', value: '0.005' },
      { day: day(1), line_item: 'Vector storage', value: '0.005' },
    );

    const { exitCode, stdout, stderr } = await reconcile([
      ...['--provider', 'openai', '--project', 'proj_gateway', '--tolerance', '1.95', '--json'],
      ...['--start', day(1), '--end', `${day(2)}T00:00:00Z`],
    ]);

    const nothing = {
      gateway_usd: 0,
      provider_usd: 0,
      difference_usd: 0,
      difference_percent: null,
      requests: 0,
      fallback_attempts: 0,
      unpriced_requests: 0,
      assumed_requests: 0,
      assumed_cost_usd: 0,
      estimated_requests: 0,
      estimated_cost_usd: 0,
      uncertain_cost_share: null,
      interrupted_requests: 0,
      interrupted_cost_usd: 0,
      gap_requests: 0,
      gap_cost_usd: 0,
    };
    const assumed = { assumed_requests: 1, assumed_cost_usd: 1.5 };
    const row = { ...nothing, date: day(1), differs: false };
    const of4o = {
      gateway_usd: 2,
      provider_usd: 2,
      difference_percent: 0,
      requests: 2,
      ...assumed,
      uncertain_cost_share: 0.75,
    };
    const withoutModel = {
      provider_usd: 0.04,
      difference_usd: -0.04,
      difference_percent: -100,
      differs: true,
    };
    expect(JSON.parse(stdout)).toEqual({
      provider: 'openai',
      start: day(1),
      end: day(2),
      project: 'proj_gateway',
      workspace: null,
      tolerance_percent: 1.95,
      within_tolerance: false,
      totals: {
        ...nothing,
        gateway_usd: 2,
        provider_usd: 2.04,
        difference_usd: -0.04,
        difference_percent: -1.96,
        requests: 4,
        ...assumed,
        unpriced_requests: 1,
        interrupted_requests: 1,
        uncertain_cost_share: 0.75,
      },
      rows: [
        { ...row, model: gpt4o, ...of4o },
        { ...row, model: 'gpt-new', requests: 1, unpriced_requests: 1 },
        { ...row, model: 'o3', requests: 1, interrupted_requests: 1 },
        { ...row, model: null, ...withoutModel },
      ],
      items_without_model: [
        { name: 'Vector storage', provider_usd: 0.01 },
        { name: 'web search tool calls', provider_usd: 0.03 },
      ],
    });
    const sentence =
      "The gateway's total of $2 is $0.04 (1.96 %) below the $2.04 of openai, more than the tolerance of 1.95 %";
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `error: ${sentence}\n` });
  });

  it('prints the comparison as a table with the items that name no model', async () => {
    anthropicCosts.push({ day: day(2), model: opus, description: 'Tokens', amount: '0.1' });

    const { exitCode, stdout, stderr } = await reconcile(['--provider', 'anthropic', ...period]);

    expect(stdout.split('\n').map((line) => line.split(/ {3,}/))).toEqual([
      ['DATE', 'MODEL', 'GATEWAY', 'PROVIDER', 'DIFFERENCE', '%', 'DIFFERS', 'REQUESTS'].concat([
        'UNPRICED',
        'ASSUMED',
        'ESTIMATED',
        'INTERRUPTED',
        'GAPS',
      ]),
      [day(0), opus, '0.5', '0.5', '0', '0', '0', '-', '0 ($0.5)', '-', '-', '-'],
      [day(0), sonnet, '0.3', '0.3', '0', '0', '1', '-', '1 ($0.3)', '-', '-', '-'],
      [day(0), '(no model)', '0.02', '0.02', '0', '0', '0', '-', '0 ($0.02)', '-', '-', '-'],
      [day(2), 'claude-haiku-4-5', '0.123456789', '0.123456789', '0', '0', '1', '-', '-'].concat([
        ...['1 ($0.123456789)', '-', '-'],
      ]),
      [day(2), opus, '0', '0.001', '-0.001', '-100', 'yes', '0', '-', '-', '-', '-', '-'],
      ['total', '0.943456789', '0.944456789', '-0.001', '-0.11', '2', '-', '1 ($0.82)'].concat([
        ...['1 ($0.123456789)', '-', '-'],
      ]),
      [''],
      ["$0.943456789 (100 %) of the gateway's total is assumed or estimated."],
      [''],
      ['ITEM WITHOUT A MODEL', 'PROVIDER'],
      ['Web Search Usage', '0.02'],
      [''],
      [
        "The gateway's total of $0.943456789 is $0.001 (0.11 %) below the $0.944456789 of anthropic, within the tolerance of 1 %.",
      ],
      [''],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it.each([
    ['0.05', '7.2536', 0],
    ['0.05', '7.253700000001', 1],
    ['100', '0', 1],
  ])(
    'with a tolerance of %s %% and $%s instead of $7.25 exits with %i',
    async (tolerance, value, exitCode) => {
      openAiCosts.splice(0, Number.POSITIVE_INFINITY, { day: day(3), line_item: 'Vector storage', value });

      const result = await reconcile(['--provider', 'openai', ...period, '--tolerance', tolerance]);

      expect(result.exitCode).toBe(exitCode);
    },
  );

  it('reads a saved report without a key, and notes the days that it does not contain', async () => {
    const report = new URLSearchParams({ start_time: String(firstDayMs / 1000), limit: '3' });
    report.append('end_time', String(firstDayMs / 1000 + 4 * 86_400));
    for (const group of ['line_item', 'project_id']) report.append('group_by[]', group);
    const headers = { authorization: `Bearer ${openAi.key}` };
    const response = await fetch(`${openAi.baseUrl}/organization/costs?${report}`, { headers });
    await writeFile(join(directory, 'page.json'), await response.text());

    const result = await reconcile(
      ['--provider', 'openai', ...period, '--file', 'page.json', '--project', 'proj_gateway'],
      {},
    );

    expect(result).toMatchObject({
      exitCode: 0,
      stderr: `note: days missing from the cost report: ${day(3)}\n`,
    });
  });

  it('notes that the costs of the last two days are not final', async () => {
    const today = day(20);

    const { stderr } = await reconcile(['--provider', 'openai', '--start', day(18), '--end', today]);

    expect(stderr).toBe('note: openai may still add costs of the last two days: compare them again later\n');
  });

  it.each<[options: string[], message: string]>([
    [['--provider', 'google', ...period], '--provider must be openai or anthropic'],
    [
      ['--provider', 'openai', '--start', `${day(0)}T01:00:00Z`, '--end', day(4)],
      '--start must be a UTC day, such as 2026-01-31',
    ],
    [
      ['--provider', 'openai', '--start', day(0), '--end', 'today'],
      '--end must be a UTC day, such as 2026-01-31',
    ],
    [
      ['--provider', 'openai', '--start', day(4), '--end', day(4)],
      '--start must be before --end, which is exclusive',
    ],
    [
      ['--provider', 'openai', ...period, '--workspace', 'default'],
      '--workspace requires --provider anthropic',
    ],
    [['--provider', 'anthropic', ...period, '--project', 'proj_1'], '--project requires --provider openai'],
    [['--provider', 'openai', ...period, '--project', 'sk-admin'], '--project must be an id, not a key'],
    [
      ['--provider', 'openai', ...period, '--tolerance', '100.5'],
      '--tolerance must be a percentage from 0 to 100, such as 0.5',
    ],
    [
      ['--provider', 'openai', ...period, '--base-url', 'http://api.openai.com/v1'],
      '--base-url must be an https URL, or http on a loopback address, without a query',
    ],
    [
      ['--provider', 'openai', ...period, '--base-url', 'https://api.openai.com', '--file', 'costs.json'],
      '--base-url cannot be combined with --file',
    ],
  ])('rejects %j', async (options, message) => {
    expect(await reconcile(options)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
  });

  it('rejects a period that has not ended, or whose log entries have expired', async () => {
    const ongoing = await reconcile(['--provider', 'openai', '--start', day(0), '--end', day(22)]);
    const expired = await reconcile(['--provider', 'openai', '--start', day(-71), '--end', day(4)]);

    expect(ongoing).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: --end must not be after .*, because today's costs are incomplete\n$/,
      ),
    });
    expect(expired).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: --start must not be before .*, because log entries expire after 90 days\n$/,
      ),
    });
    const oldest = await reconcile(['--provider', 'openai', '--start', day(-68), '--end', day(-60)]);
    expect(oldest).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('is the same as the $0') });
  });

  it.each<[environment: Record<string, string>, exitCode: number, message: string]>([
    [
      {},
      2,
      'the environment variable OPENAI_ADMIN_KEY must contain an admin key; or pass a saved report with --file FILE',
    ],
    [
      { OPENAI_ADMIN_KEY: 'sk-admin-0123\nsk-admin-4567' },
      2,
      'the environment variable OPENAI_ADMIN_KEY must contain a key without spaces or line breaks',
    ],
    [
      { OPENAI_ADMIN_KEY: 'sk-proj-0123456789abcdef' },
      1,
      'BASE/organization/costs returned HTTP status 401: OPENAI_ADMIN_KEY must be an admin key of the organization that may read usage, not the key of a project',
    ],
  ])('fails with the environment %j', async (environment, exitCode, message) => {
    const result = await reconcile(['--provider', 'openai', ...period], environment);

    const stderr = `error: ${message.replace('BASE', openAi.baseUrl)}\n`;
    expect(result).toEqual({ exitCode, stdout: '', stderr });
  });
});
