/** Compares `docs/cost.md` with the cost model, and the model with manual calculations from the published prices. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  breakEvenChatsPerSecond,
  breakEvenUtilization,
  cheapestProvisioned,
  managedUsdPerMillion,
  provisionedUsdPerMillion,
  provisionedUsdPerMonth,
  savedUsdPerMillion,
} from '#bench/cost/capacity.ts';
import { apiGatewayLines, egressLine, requestLines, storageLines, streamingUsd } from '#bench/cost/chat.ts';
import { readDeployment } from '#bench/cost/deployment.ts';
import { countRollupRows, measureFootprint, requestLogLines, writeUnits } from '#bench/cost/footprint.ts';
import { idleRows, totalIdleUsd } from '#bench/cost/idle.ts';
import { detailedMetricsUsd, metricsUsd, monitoringUsd } from '#bench/cost/monitoring.ts';
import { scheduledFunctions } from '#bench/cost/schedules.ts';
import { synthesizeTemplate, synthesizeTemplates } from '#bench/cost/synthesized-templates.ts';
import { costTables } from '#bench/cost/tables.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { readLogLine } from '#lambdas/request-log/recover/log-line.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';

const readDocument = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
const document = readDocument('docs/cost.md');
const templates = synthesizeTemplates();
const template = templates.alarms;
const tables = costTables(templates);

describe('docs/cost.md', () => {
  it.each(tables.map((table) => [/^### (.*)$/m.exec(table)?.[1], table]))(
    'contains the table that `npm run bench:cost` prints: %s',
    (_, table) => {
      expect(document).toContain(table);
    },
  );

  it('contains only tables that `npm run bench:cost` prints', () => {
    expect(document.match(/^### .*$/gm)).toHaveLength(tables.length);
  });
});

describe('cost of a million chats', () => {
  const deployment = {
    hasPlatformLines: true,
    rollupMemoryMb: 1024,
    batchingWindowSeconds: 1,
    maxBatchSize: 1000,
    accessLogLineBytes: 400,
    entryRetentionDays: 73,
    logRetentionDays: 36.5,
  };
  const footprint = {
    entryWriteUnits: 3,
    entryStoredBytes: 1000,
    entryCopies: 3,
    logBytes: 500,
    metricLineBytes: 400,
    platformLogBytes: 400,
  };
  const traffic = { coldStartShare: 0.01, batchSize: 100, batchRows: 50 };

  it('multiplies usage by list prices', () => {
    expect(requestLines({ deployment, footprint, traffic, memoryMb: 128 }).map(({ usd }) => usd)).toEqual([
      // 5 s × 128/1024 GB × 1,000,000 × $0.0000133334
      8.333375,
      // 1 in 100 × 0.3 s × 0.125 GB × 1,000,000 × $0.0000133334
      0.005, 0.2, 0,
      // 3 × $0.625
      1.875,
      // 50/100 × $0.625
      0.3125,
      // $0.20 and $0.125 a million, and (0.02 + 0.05) s × 1 GB × $13.3334, divided by 100 entries
      0.012583,
      // 2 items × (1 in 100 + 5 s of 20 s) × $0.125
      0.065,
      // 2 names × (1 in 100 + 5 s of 60 s) × $0.125
      0.023333,
      // 1.4 × $0.125
      0.175,
      // (1 in 100 + 5 s of 300 s) × $5
      0.133333,
      // 500 bytes × 1,000,000 = 0.5 GB × $0.50
      0.25, 0.2,
      // 400 bytes / 100 entries × 1,000,000 = 0.004 GB × $0.50
      0.002,
    ]);
    // 73 days are 2.4 months of 730 hours, 36.5 days are 1.2: 1 GB in 3 copies, 1 GB in backups, 0.9 GB of log lines
    expect(storageLines({ deployment, footprint }).map(({ usd }) => usd)).toEqual([1.8, 0.48, 0.0324]);
    expect(apiGatewayLines(deployment).map(({ usd }) => usd)).toEqual([3.5, 0.2]);
    // 102 GB × $0.09
    expect(egressLine().usd).toBe(9.18);
    expect([streamingUsd(6_000_000), streamingUsd(7_000_000)]).toEqual([0, 0.000008]);
  });
});

describe('cost of provisioned capacity', () => {
  it('calculates provisioned concurrency from its list prices', () => {
    // 730 h × 3600 s × $0.0000033334
    expect(provisionedUsdPerMonth(1024)).toBe(8.760175);
    // 625,000 GB-seconds × ($0.0000077778 + $0.0000033334 for initialized environments at half utilization)
    expect(provisionedUsdPerMillion(128, 0.5)).toBe(9.027875);
    expect(breakEvenUtilization()).toBeCloseTo(0.60001, 5);
  });

  it('provisions an environment with a utilization of 67 percent, but no second one with 53 percent', () => {
    const cheapest = cheapestProvisioned(0.4);

    expect(cheapest.count).toBe(1);
    expect(cheapest.utilization).toBeCloseTo(2 / 3, 12);
    // A third of the chats at 625,000 × ($0.0000077778 + $0.0000050001) instead of $8.333375
    expect(savedUsdPerMillion(128, cheapest)).toBe(0.115729);
    expect(cheapestProvisioned(0.2).count).toBe(0);
  });

  it('calculates managed instances from the prices of instances and NAT gateways', () => {
    // (3 × $0.0725 × 1.15 + 3 × $0.045) × 730 h / 100.9152 million, and 106 GB × $0.045
    expect(managedUsdPerMillion({ instances: 3, concurrency: 64 }, 1)).toBe(7.555916);
    // $281.14125 / ($16.66675 − $4.77) million a month
    expect(breakEvenChatsPerSecond(256, 64)).toBeCloseTo(8.9923, 4);
    expect(breakEvenChatsPerSecond(128, 16)).toBe(null);
  });
});

describe('footprint of a chat', () => {
  const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';
  const maxLengthMetadata = {
    prompt_id: 'p'.repeat(256),
    session_id: 's'.repeat(256),
    user_id: 'u'.repeat(256),
  };

  // The units that the embedded engine reports in `npm run bench:reports`: see docs/reports.md.
  it.each<[string, Partial<LogEntry>, number]>([
    ['no header', {}, 3],
    ['one header', { prompt_id: uuid }, 4],
    ['three headers', { prompt_id: uuid, session_id: uuid, user_id: uuid }, 6],
    ['three headers of 256 bytes', maxLengthMetadata, 12],
    ['a status other than 200', { status: 429 }, 4],
    ['no provider', { status: 400, outcome: 'rejected', provider: null, model: null }, 2],
  ])('needs as many write units as the embedded engine reports: %s', (_, fields, units) => {
    const item = toItem(logEntry(fields), {
      writtenAtMs: 1_769_850_605_120,
      expiresAtSeconds: 1_777_626_600,
    });

    expect(writeUnits(item)).toBe(units);
  });

  it('includes the log lines from which requests are recovered', () => {
    const entry = logEntry();

    expect(requestLogLines(entry).map(readLogLine)).toEqual([
      [
        {
          event: 'request_forwarded',
          entry: expect.objectContaining({ outcome: 'interrupted', model: 'gpt-4o', output_tokens: null }),
          isPlaceholder: true,
        },
      ],
      [{ event: 'request_completed', entry, isPlaceholder: false }],
    ]);
    // In both lines: three IDs of 36 bytes, their names, and six bytes each for four quotes, a colon and a comma.
    expect(measureFootprint('three headers').logBytes - measureFootprint('no header').logBytes).toBe(
      2 * (3 * (36 + 6) + 'prompt_idsession_iduser_id'.length),
    );
  });

  it('shares rollup rows between entries of the same model and key', () => {
    const mix = { models: 12, keys: 2, headers: 'no header' } as const;

    // Four rows for the model, three for the key.
    expect(countRollupRows(1, mix)).toBe(7);
    expect(countRollupRows(1, { ...mix, headers: 'three headers' })).toBe(16);
    // Four rows for each model, three for each pair of model and key.
    expect(countRollupRows(100, mix)).toBe(12 * 4 + 24 * 3);
  });
});

describe('readDeployment and idleRows', () => {
  it('reads the settings that determine costs from the template', () => {
    expect(readDeployment(template)).toMatchObject({
      hasPlatformLines: true,
      rollupMemoryMb: 1769,
      maxBatchSize: 1000,
    });
    expect(() => readDeployment({ Resources: {} })).toThrow(
      new Error('The template has no AWS::Lambda::Function with "Forwards requests for AI models"'),
    );
  });

  it('has an idle cost for every resource type of the template and rejects unknown types', () => {
    const billed = idleRows(template).filter(({ usd }) => usd > 0);

    expect(
      billed.map(({ types, count, usd, usdAfterFreeTier }) => [types, count, usd, usdAfterFreeTier]),
    ).toEqual([
      // 14 metrics × $0.10, of which 10 are free
      [['AWS::CloudWatch::Alarm'], 13, 1.4, 0.4],
      [['AWS::SecretsManager::Secret'], 1, 0.4, 0.4],
      // 1 metric every hour, 1 in 1 of 24 hours, at $0.30
      [[], 0, 0.3125, 0],
      // 5 × 2,628,000 s / 20 s = 657,000 calls
      [['AWS::Lambda::EventSourceMapping'], 1, 0.2628, 0],
      // Runs of 2 s: 2,920 with 1 GB, 486.7 with 1.7275 GB, at $0.0000133334 a GB-second and $0.20 a million
      [[], 0, 0.100968, 0],
    ]);
    for (const settings of [
      { dashboard: false },
      { mailFrom: 'gateway@acme.example' },
      { alarmEmail: 'ops@acme.example', tracing: true },
    ]) {
      expect(idleRows(synthesizeTemplate(settings)).filter(({ usd }) => usd > 0)).toEqual(billed);
    }
    expect(() => idleRows({ Resources: { Nat: { Type: 'AWS::EC2::NatGateway' } } })).toThrow(
      new Error('The cost model has no idle cost for AWS::EC2::NatGateway: add it to idleCosts'),
    );
  });
});

describe('cost of monitoring', () => {
  it('runs only the functions that recover requests and verify rollups without requests', () => {
    const runs = (of: typeof template) =>
      scheduledFunctions(of).map(({ description, runsPerMonth }) => [description, Math.round(runsPerMonth)]);
    const maintenance = [
      ['Restores the log entries of requests whose function was killed', 2_920],
      ["Compares the previous day's cost rollups with the log entries", 487],
    ];

    expect(runs(templates.off)).toEqual([]);
    expect(runs(templates.alarms)).toEqual(maintenance);
    expect(runs(templates.all)).toEqual(maintenance);
    expect(runs(templates.canary)).toEqual([
      ...maintenance,
      ['Checks both endpoints with requests of its own', 2_920],
    ]);
  });

  it('bills alarms by their metrics beyond the first ten, the dashboard, and metrics by the hour', () => {
    expect(totalIdleUsd(templates.off)).toEqual({ usd: 0.6628, usdAfterFreeTier: 0.4 });
    // Alarms $1.40, of which four metrics are beyond the free tier, metrics $0.31, runs $0.100968
    expect(monitoringUsd(templates, templates.alarms)).toEqual({
      usd: 1.813468,
      usdAfterFreeTier: 0.4,
    });
    // 59 metrics of alarms $5.90, of which 49 are beyond the free tier, and the dashboard $3.00
    expect(monitoringUsd(templates, templates.all)).toEqual({
      usd: 9.313468,
      usdAfterFreeTier: 4.9 + 3,
    });
    // 14 and 34 metrics, and 7 of each provider, at $0.30
    expect([metricsUsd('alarms'), metricsUsd('all'), detailedMetricsUsd()]).toEqual([4.2, 10.2, 2.1]);
  });

  it('is stated in README.md', () => {
    const readme = readDocument('README.md').replaceAll(/\n(?: {2})/g, ' ');
    const usd = (of: typeof template) => `$${monitoringUsd(templates, of).usd.toFixed(2)}`;
    const { usd: total, usdAfterFreeTier } = totalIdleUsd(template);
    const canaryUsd = totalIdleUsd(templates.canary).usd - total;

    expect(readme).toContain(`[$${total.toFixed(2)} a month](docs/cost.md#idle-cost)`);
    expect(readme).toContain(`$${usdAfterFreeTier.toFixed(2)} of it beyond AWS's free tier`);
    const row = (name: string) => readme.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row('monitoring')).toContain(`${usd(templates.alarms)} a month`);
    expect(row('monitoring')).toContain(`${usd(templates.all)} a month`);
    expect(row('metricModels')).toContain(`$${detailedMetricsUsd().toFixed(2)} a month`);
    expect(row('canary')).toContain(`$${canaryUsd.toFixed(2)} a month`);
  });
});
