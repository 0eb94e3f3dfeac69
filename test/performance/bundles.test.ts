/**
 * The bundle size of each function. A cold start downloads and unpacks the whole bundle, then reads and compiles the files
 * that it imports.
 *
 * After a failure, `npm run bench:start-up` shows the packages. Use a lazy `import()` for code that few requests need. To
 * raise a bound, give the reason in the commit.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { coldStartOf } from '#bench/start-up/bundles.ts';
import { bundleMetafile } from '#lib/functions/bundle.ts';

/** Bytes, each a few percent above the size when the bound was last raised. */
const limits: Record<string, { coldStart: number; total: number }> = {
  // Loads the price table on first use, and all operations for the test of a route.
  'accounts/analytics/analytics.lambda.ts': { coldStart: 345_000, total: 1_000_000 },
  'accounts/budget-mail/budget-mail.lambda.ts': { coldStart: 328_000, total: 379_000 },
  'accounts/key-revocations/key-revocations.lambda.ts': { coldStart: 245_000, total: 295_000 },
  // Loads the client of SES on first use.
  'accounts/organizations/organizations.lambda.ts': { coldStart: 354_000, total: 469_000 },
  // Loads the clients of Cognito and OpenID on first use.
  'accounts/sign-in/sign-in.lambda.ts': { coldStart: 265_000, total: 394_000 },
  'accounts/sign-up/sign-up.lambda.ts': { coldStart: 6_000, total: 255_000 },
  'accounts/test-request/test-request.lambda.ts': { coldStart: 236_000, total: 287_000 },
  'canary/canary.lambda.ts': { coldStart: 236_000, total: 279_000 },
  // Contains no AWS SDK client; see `start-up.test.ts`.
  'inference/inference.lambda.ts': { coldStart: 90_000, total: 690_000 },
  // Loads the price table for entries without a price.
  'maintenance/lost-entries.lambda.ts': { coldStart: 216_000, total: 515_000 },
  // Contains the client of SQS, which counts the queued entries, and loads the price table on demand.
  'maintenance/recover-requests/recover-requests.lambda.ts': { coldStart: 243_000, total: 543_000 },
  'maintenance/verify-rollups/verify-rollups.lambda.ts': { coldStart: 239_000, total: 289_000 },
  'reports/costs/costs.lambda.ts': { coldStart: 283_000, total: 333_000 },
  // Loads the price table on demand, to explain a cost.
  'reports/logs/log-entry.lambda.ts': { coldStart: 233_000, total: 490_000 },
  'reports/logs/log-list.lambda.ts': { coldStart: 263_000, total: 313_000 },
  // Contains the price table, which is the source of the list of models.
  'inference/models/models.lambda.ts': { coldStart: 437_000, total: 487_000 },
  'costs/budgets/budgets.lambda.ts': { coldStart: 270_000, total: 330_000 },
  'costs/rollups/rollup.lambda.ts': { coldStart: 253_000, total: 303_000 },
};

function measureBundle(entry: string): { coldStart: number; total: number } {
  const metafile = bundleMetafile(entry);
  const sum = (files: string[]) =>
    files.reduce((bytes, file) => bytes + (metafile.outputs[file]?.bytes ?? 0), 0);
  return {
    coldStart: sum(coldStartOf(metafile).files),
    total: sum(Object.keys(metafile.outputs).filter((file) => !file.endsWith('.map'))),
  };
}

/** The modules that CommonJS packages in the bundle load. */
function requiredModules(entry: string): string[] {
  const imports = Object.values(bundleMetafile(entry).outputs).flatMap((output) => output.imports);
  return imports.filter(({ kind }) => kind === 'require-call').map((required) => required.path);
}

describe('Bundle size', () => {
  it('has limits for every function', () => {
    const entries = globSync('**/*.lambda.ts', { cwd: path.join(import.meta.dirname, '../../lambdas') });

    expect(Object.keys(limits).sort()).toEqual(entries.sort());
  });

  it.each(Object.entries(limits))('stays within the limits of %s', (entry, limit) => {
    const { coldStart, total } = measureBundle(entry);

    expect(coldStart).toBeLessThanOrEqual(limit.coldStart);
    expect(total).toBeLessThanOrEqual(limit.total);
  });

  // ES modules have no `require`: each file of a bundle would have to define it, and run that code in a cold start.
  it.each(Object.keys(limits))('has no CommonJS package that loads a Node module in %s', (entry) => {
    expect(requiredModules(entry)).toEqual([]);
  });
});
