import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
let organizationId: string;
let model: string;
let modelCount = 0;

beforeAll(async () => {
  gateway = await startAdminFixture({ 'my-llm': { baseUrl: 'https://llm.example.com/v1' } });
});
beforeEach(async () => {
  organizationId = newOrganizationId();
  const created_at = '2026-01-01T00:00:00.000Z';
  await gateway.directory.createOrganization(
    { id: organizationId, name: 'Acme', created_at, log_shards: 1 },
    gateway.audit,
  );
  modelCount += 1;
  model = `my-llm/model-${modelCount}`;
});
afterAll(() => gateway?.stop());

const price = (command: string, ...options: string[]) =>
  gateway.run(['price', ...command.split(' '), ...options]);
const later = '2999-01-01T00:00:00.000Z';
const unit = 'usd_per_million_tokens';

async function listed() {
  const { stdout } = await price('list --json');
  const rows: { model: string }[] = JSON.parse(stdout);
  return rows.filter((row) => row.model === model);
}

async function importFile(content: unknown, ...options: string[]) {
  const file = join(gateway.dataDirectory, 'prices.json');
  const json = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(file, json.replaceAll('my-llm/MODEL', model));
  return price('import', file, ...options);
}

describe('price set', () => {
  it('sets the prices of all kinds of tokens for a tier and an organization', async () => {
    const row = {
      model,
      organization_id: organizationId,
      tier: 'flex',
      from: later,
      unit,
      prices: { input: 2.5, cache_read: 0.25, cache_write: 3.125, cache_write_1h: 5, output: 10 },
    };
    const result = await price(
      `set ${model} --input 2.5 --output 10 --cached-input 0.25 --cache-write 3.125 --cache-write-1h 5`,
      ...['--tier', 'flex', '--yes', '--from', later, '--organization', organizationId, '--json'],
    );

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: row,
    });
    expect(await listed()).toEqual([row]);
  });

  it('prints a table', async () => {
    const { exitCode, stdout, stderr } = await price(`set ${model} --input 1 --output 0 --tier default`);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [, row = ''] = stdout.split('\n');
    const [name, organization, tier, , ...prices] = row.split(/ {3,}/);
    expect([name, organization, tier, prices]).toEqual([model, 'all', 'standard', ['input 1, output 0']]);
  });

  it('explains how to apply an earlier start to the past, and skips a price that is set already', async () => {
    const command = `set ${model} --input 1 --output 2 --from 2026-01-01T00:00:00Z`;
    const { stderr } = await price(command);
    const repeated = await price(command);

    expect(stderr).toMatch(
      /^note: functions may use other prices until \S+Z; after that, "costs reprice --all --from 2026-01-01T00:00:00.000Z" corrects requests since the start\n$/,
    );
    expect(repeated.stderr).toBe('note: this price is set already: nothing was changed\n');
    expect(repeated.stdout).toContain(
      `${model}   all            standard   2026-01-01T00:00:00.000Z   input 1, output 2`,
    );
    expect(await listed()).toHaveLength(1);
  });

  it.each([
    [
      'my-lm/a --input 1 --output 1',
      /^error: The model must begin with the name of a provider: openai, .*, my-llm\n$/,
    ],
    [
      'gpt-4o --input 1 --output 1',
      /^error: The model must be <provider>\/<model>, such as openai\/gpt-4o\n$/,
    ],
    ['openai/ --input 1 --output 1', /^error: The model must be <provider>\/<model>/],
    [
      'openai/a --input -1 --output 1',
      /^error: --input must be a price in US dollars per million tokens, such as 2.5\n$/,
    ],
    ['openai/a --input 1 --output 1e3', /^error: --output must be a price/],
    ['openai/a --input 1', /^error: required option '--output <usd>' not specified/],
    ['openai/a --input 1 --output 1 --from yesterday', /^error: --from must be an RFC 3339 timestamp/],
    [
      'openai/a --input 1 --output 1 --tier a|b\u00e9',
      /^error: --tier must be the name of a service tier, such as flex\n$/,
    ],
    [
      'openai/a --input 1 --output 1 --organization org_x',
      /^error: Organization org_x was not found: see "org list"\n$/,
    ],
  ])('rejects %s and changes nothing', async (options, message) => {
    const before = await price('list --json');
    const { exitCode, stdout, stderr } = await price(`set ${options}`);

    expect([exitCode, stdout]).toEqual([options.includes('org_x') ? 1 : 2, '']);
    expect(stderr).toMatch(message);
    expect(await price('list --json')).toEqual(before);
  });
});

describe('price list', () => {
  it('lists the prices of one organization, and says how to set one when there are none', async () => {
    const empty = await price('list', '--organization', organizationId);
    await price(`set ${model} --input 1 --output 2 --from ${later}`);
    await price(`set ${model} --input 3 --output 4 --from ${later}`, '--organization', organizationId);
    const { stdout } = await price('list', '--organization', organizationId);

    expect(empty.stdout).toBe(
      'No prices are set: set one with "price set PROVIDER/MODEL --input USD --output USD".\n',
    );
    expect(stdout).toBe(
      [
        'MODEL            ORGANIZATION           TIER       FROM                       USD PER MILLION TOKENS',
        `${model.padEnd(14)}   ${organizationId}   standard   ${later}   input 3, output 4\n`,
      ]
        .join('\n')
        .replace('MODEL            ', `MODEL${' '.repeat(model.length - 2)}`),
    );
    expect((await price('list', '--organization', 'org_x')).stderr).toContain(
      'Organization org_x was not found',
    );
  });
});

describe('price remove', () => {
  it('ends a price, and removes the one that starts later', async () => {
    await price(`set ${model} --input 1 --output 2 --from 2026-01-01T00:00:00Z`);
    await price(`set ${model} --input 3 --output 4 --from ${later}`);
    const { exitCode, stdout, stderr } = await price(`remove ${model} --from 2998-01-01T00:00:00Z --json`);

    const row = { model, organization_id: null, tier: null, unit };
    expect({ exitCode, stderr, ...JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      stderr: '',
      ended: { ...row, from: '2998-01-01T00:00:00.000Z', prices: null },
      removed: [{ ...row, from: later, prices: { input: 3, output: 4 } }],
    });
    expect((await price(`remove ${model} --from 2026-01-01T00:00:00Z`)).stdout).toMatch(
      /^Removed:\nMODEL .*\n.* input 1, output 2\n.* ended\n$/,
    );
    expect(await listed()).toEqual([]);
  });

  it('fails when there is no such price', async () => {
    await price(`set ${model} --input 1 --output 2`);

    expect(await price(`remove ${model} --tier flex`)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: ${model} has no such price at that time or later: see "price list"\n`,
    });
  });
});

describe('price import', () => {
  const row = (fields: object = {}) => ({
    model: 'my-llm/MODEL',
    unit,
    prices: { input: 1, output: 2 },
    ...fields,
  });

  it('sets what price list prints, with the options as defaults', async () => {
    const above = [[200_000, { input: 2, output: 3 }]];
    const ended = row({ from: '2999-06-01T00:00:00Z', prices: null, tier: 'flex' });
    const rows = [
      row({ above }),
      row({ tier: 'flex', from: later, prices: { input: 0.5, output: 1, input_audio: 7 } }),
      ended,
    ];
    const options = ['--from', '2998-01-01T00:00:00Z', '--organization', organizationId];
    const { stdout } = await importFile(rows, ...options, '--json', '--yes');
    const all = await listed();

    expect(JSON.parse(stdout)).toMatchObject({
      set: 3,
      unchanged: 0,
      models: 1,
      skipped: { provider: 0, mode: 0, unit: 0, name: 0, free: 0, duplicate: 0, lower: 0 },
    });
    expect(all).toEqual([
      {
        model,
        organization_id: organizationId,
        tier: null,
        from: '2998-01-01T00:00:00.000Z',
        unit,
        prices: { input: 1, output: 2 },
        above,
      },
      {
        model,
        organization_id: organizationId,
        tier: 'flex',
        from: later,
        unit,
        prices: { input: 0.5, output: 1, input_audio: 7 },
      },
      {
        model,
        organization_id: organizationId,
        tier: 'flex',
        from: '2999-06-01T00:00:00.000Z',
        unit,
        prices: null,
      },
    ]);
    const forAll = await importFile([row({ organization_id: null, from: later })], ...options);
    expect([forAll.exitCode, (await listed())[0]]).toEqual([
      0,
      expect.objectContaining({ organization_id: null }),
    ]);
    await price(`remove ${model} --from 2026-01-01T00:00:00Z`);
    expect(await importFile(all)).toEqual({
      exitCode: 0,
      stdout: 'SET   UNCHANGED   MODELS   SAME COST\n0     3           1        0\n',
      stderr: 'note: all prices are set already: nothing was changed\n',
    });
    expect(await listed()).toEqual(all);
  });

  it('lists how the costs of requests change', async () => {
    const above = (input: number) => [[200_000, { input, output: 3 }]];
    const former = [row({ above: above(2) }), row({ tier: 'batch' })];
    await importFile(former, '--from', '2998-01-01T00:00:00Z', '--yes');
    const options = ['--from', later, '--organization', organizationId];
    const rows = [
      row({ prices: { input: 1.5, output: 2 }, above: above(1) }),
      row({ tier: 'batch', organization_id: null }),
    ];
    const { stdout } = await importFile(rows, ...options);
    const json = await importFile([row({ prices: { input: 3, output: 0 } })], ...options, '--json');

    const columns = stdout.split('\n').map((line) => line.split(/ {3,}/));
    expect(columns).toEqual([
      ['MODEL', 'ORGANIZATION', 'TIER', 'FROM', 'OLD → NEW USD PER MILLION TOKENS'],
      [
        ...[model, organizationId, 'standard', later],
        'input 1 → 1.5 (+50 %); above 200,000 input tokens: input 2 → 1 (-50 %)',
      ],
      [''],
      ['SET', 'UNCHANGED', 'MODELS', 'SAME COST'],
      ['2', '0', '1', '1'],
      [''],
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      same_cost: 0,
      changes: [
        {
          model,
          organization_id: organizationId,
          tier: null,
          from: later,
          kinds: [
            { above: null, kind: 'input', old: 1.5, new: 3, percent: 100 },
            { above: null, kind: 'output', old: 2, new: 0, percent: -100 },
            { above: 200_000, kind: 'input', old: 1, new: 3, percent: 200 },
            { above: 200_000, kind: 'output', old: 3, new: 0, percent: -100 },
          ],
        },
      ],
    });
  });

  it.each([
    [
      'a negative price',
      [row(), row({ prices: { input: -1, output: 1 } })],
      'Row 2: prices.input must not be negative',
    ],
    ['an unknown unit', [row({ unit: 'usd_per_token' })], 'Row 1: unit must be "usd_per_million_tokens"'],
    [
      'an unknown kind',
      [row({ prices: { input: 1, output: 1, video: 1 } })],
      'Row 1: prices has the unknown field video',
    ],
    [
      'an unknown provider',
      [row({ model: 'my-lm/a' })],
      'Row 1: model must begin with the name of a provider',
    ],
    [
      'a missing price',
      [row({ prices: { input: 1 } })],
      'Row 1: prices.output must be a number of US dollars',
    ],
    ['an invalid start', [row({ from: 'soon' })], 'Row 1: from must be an RFC 3339 timestamp'],
    [
      'a long-context price of a kind without a price',
      [row({ above: [[1, { input: 1, output: 1, cache_read: 1 }]] })],
      'Row 1: above.0 has cache_read, which prices must also have',
    ],
    [
      'long-context prices in no order',
      [
        row({
          above: [
            [2, { input: 1, output: 1 }],
            [2, { input: 1, output: 1 }],
          ],
        }),
      ],
      'Row 1: above.1 must be in ascending order',
    ],
    [
      'long-context prices of an end',
      [row({ prices: null, above: [[2, { input: 1, output: 1 }]] })],
      'Row 1: above must be left out when prices is null',
    ],
    [
      'the same start twice',
      [row(), row({ tier: 'standard', prices: { input: 5, output: 5 } })],
      'The file has two prices of my-llm/MODEL in the tier standard from the default start: remove one',
    ],
    [
      'the same start twice under names of a tier',
      [
        row({ model: 'openai/x', tier: 'fast', from: later }),
        row({ model: 'openai/x', tier: 'priority', from: later }),
      ],
      `The file has two prices of openai/x in the tier priority from ${later}: remove one`,
    ],
    [
      'an unknown organization',
      [row(), row({ organization_id: 'org_x' })],
      'Organization org_x was not found',
    ],
    [
      'another object',
      { prices: [] },
      'The file must be an array of prices, as of "price list --json", or the price file of LiteLLM',
    ],
    ['no JSON', 'prices', 'is not valid JSON'],
  ])('rejects a file with %s and changes nothing', async (_, content, message) => {
    const before = await price('list --json');
    const { exitCode, stdout, stderr } = await importFile(content);

    expect([exitCode, stdout]).toEqual([message.startsWith('Organization') ? 1 : 2, '']);
    expect(stderr).toContain(message.replace('my-llm/MODEL', model));
    expect(await price('list --json')).toEqual(before);
  });

  it("skips LiteLLM's prices that are lower than the built-in ones, unless told", async () => {
    const chat = { litellm_provider: 'groq', mode: 'chat', output_cost_per_token: 1 / 1000 };
    const file = {
      'groq/openai/gpt-oss-120b': { ...chat, input_cost_per_token: 1e-9 },
      'groq/openai/gpt-oss-20b': { ...chat, input_cost_per_token: 1 / 1000 },
    };
    const { stdout } = await importFile(file);
    const lowered = await importFile(file, '--allow-lower', '--json');

    expect(stdout).toContain(
      [
        'SET   UNCHANGED   MODELS   SAME COST\n1     0           1        0\n',
        'Skipped: lower 1',
        'To set the prices that are lower than the built-in ones too, add --allow-lower.\n',
      ].join('\n'),
    );
    expect(JSON.parse(lowered.stdout)).toMatchObject({ set: 1, unchanged: 1, skipped: { lower: 0 } });
  });

  it('names the organization in the advice to reprice if all prices are for the same', async () => {
    const past = { from: '2026-01-01T00:00:00Z' };
    const own = row({ ...past, organization_id: organizationId });
    const advice = (scope: string) =>
      `"costs reprice --all --from 2026-01-01T00:00:00.000Z${scope}" corrects`;

    expect((await importFile([own])).stderr).toContain(advice(` --organization ${organizationId}`));
    await price(`remove ${model} --from 2026-01-01T00:00:00Z`, '--organization', organizationId);
    expect((await importFile([own, row(past)])).stderr).toContain(advice(''));
  });

  it('refuses unusual prices, as price set does, unless confirmed', async () => {
    const options = ['--organization', organizationId];
    const set = `set ${model} --input 1 --output 1001 --tier turbo`;
    const rows = [row(), row({ tier: 'turbo', prices: { input: 1, output: 1001 } })];
    const refused = [await importFile(rows, ...options), await price(set, ...options)];
    const unchanged = await listed();
    const confirmed = [await importFile(rows, ...options, '--yes'), await price(set, ...options, '--yes')];

    const error = `error: Nothing was changed, since these may be mistakes: ${model} in the tier turbo has output 1001; my-llm has no known tier turbo. If they are right, repeat the command with --yes\n`;
    expect([refused, unchanged]).toEqual([
      Array.from({ length: 2 }, () => ({ exitCode: 1, stdout: '', stderr: error })),
      [],
    ]);
    expect(confirmed.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await listed()).toHaveLength(2);
  });

  it('rejects a file that does not exist', async () => {
    const { exitCode, stderr } = await price('import nowhere.json');

    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^error: The file cannot be read: ENOENT/)]);
  });
});
