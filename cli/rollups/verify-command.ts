import type { Command } from 'commander';
import { z } from 'zod';
import { type Difference, maxDifferences } from '#lambdas/costs/repair/difference.ts';
import { type Verification, type VerifyProgress, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { rollupDelayMs } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, subtractTotals, sumNames, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions, wholeNumber, windowBound } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { type CommandSession, openSession } from '../session.ts';
import { textTable } from '../text-table.ts';

const verifyOptions = z.object({
  organization: organizationId.optional(),
  from: windowBound.default(0),
  settle: wholeNumber(0, 99_999),
});

type VerifyOptions = z.output<typeof verifyOptions>;

const defaultSettle = String(rollupDelayMs / 1000);

export function addVerifyCommand(group: Command): void {
  group
    .command('verify')
    .description(
      'compare the rollups with the log entries and show the differences; exit code 1 if there are any',
    )
    .option('--organization <id>', 'only this organization (default: all organizations)')
    .option(
      '--from <time>',
      'any time on the first day to compare, RFC 3339 (default: the first day with entries)',
    )
    .option(
      '--settle <seconds>',
      'seconds after which a written entry has certainly been counted',
      defaultSettle,
    )
    .addHelpText('after', verifyHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, verifyOptions);
      const session = await openSession(command);
      const organizations = await selectOrganizations(session.directory, options.organization);
      const ids = organizations.map(({ id }) => id);
      const verifications: Verification[] = [];
      const show = () =>
        session.show({
          json: verifications.map(verificationJson),
          text: verificationText(verifications, options.settle),
        });
      try {
        await verify(session, ids, options, verifications);
      } catch (error) {
        // Show the results up to the stop or failure.
        if (verifications.length > 0) show();
        throw error;
      }
      show();
      requireNoDifferences(verifications);
    });
}

const verifyHelp = `
Minute and hour rollups are compared with the entries, day rollups with hour rollups, and month rollups with day
rollups, for the time in which no entry has expired. Requests can continue meanwhile. Rows with an entry written within
the --settle time are skipped, and a difference between rollups is only reported if it is still there after that time.
${longJobHelp}
When stopped, the command prints the options with which to continue.

Examples:
  npm run admin -- rollups verify
  npm run admin -- rollups verify --organization org_4fTgQ0wZ6uKc1vXb --from 2026-01-31T00:00:00Z`;

/** Appends to `verifications` while it runs. The last one is incomplete until the promise resolves. */
async function verify(
  session: CommandSession,
  ids: string[],
  { from: fromMs, settle }: VerifyOptions,
  verifications: Verification[],
): Promise<void> {
  const { directory, logEntries, costRollups, now } = session;
  let resumeHint = 'run the same command again to start over';
  await runLongJob(
    async (job) => {
      for (const [index, organizationId] of ids.entries()) {
        const onDay = ({ startMs, resumeMs, verification }: VerifyProgress) => {
          verifications[index] = verification;
          resumeHint = resumeOptions(resumeMs, ids.slice(index));
          const day = periodText('day', startMs);
          job.report(`${organizationId}: comparing ${day}, ${verification.differences.length} differences`);
        };
        const request = { organizationId, fromMs, settleMs: settle * 1000, onDay };
        verifications[index] = await verifyOrganization(
          { directory, logEntries, costRollups, now, job },
          request,
        );
      }
    },
    { resumeHint: () => resumeHint, output: session.terminal.errors },
  );
}

function resumeOptions(startMs: number, [organizationId, ...others]: string[]): string {
  const options = `continue with --organization ${organizationId} --from ${new Date(startMs).toISOString()}`;
  return others.length === 0 ? options : `${options}, and then with the organizations ${others.join(', ')}`;
}

function requireNoDifferences(verifications: Verification[]): void {
  const counts = verifications.map(({ differences }) => differences.length);
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return;
  const rows = counts.some((one) => one >= maxDifferences) ? `At least ${count} rows` : `${count} rows`;
  throw new AdminError(`${rows} differ from the expected totals: correct them with "rollups rebuild"`);
}

function verificationText(verifications: Verification[], settleSeconds: number): string {
  if (verifications.length === 0) return 'There are no organizations yet.';
  const table = textTable(
    ['ORGANIZATION', 'FROM', 'TO', 'ENTRIES', 'ROWS', 'SKIPPED', 'DIFFERENCES'],
    verifications.map(({ organizationId, window, entries, rows, unsettledRows, differences }) => [
      organizationId,
      window === null ? 'no entries' : new Date(window.fromMs).toISOString(),
      window === null ? '-' : new Date(window.toMs).toISOString(),
      ...[entries, rows, unsettledRows, differences.length].map(String),
    ]),
  );
  const hasSkippedRows = verifications.some(({ unsettledRows }) => unsettledRows > 0);
  const skippedText = `Skipped rows contain an entry that was written less than ${settleSeconds} seconds ago.`;
  const hasDifferences = verifications.some(({ differences }) => differences.length > 0);
  return [
    table,
    ...(hasSkippedRows ? [skippedText] : []),
    ...(hasDifferences ? [differenceTable(verifications)] : []),
  ].join('\n\n');
}

function verificationJson({ window, ...verification }: Verification) {
  return {
    organization_id: verification.organizationId,
    from: window && new Date(window.fromMs).toISOString(),
    to: window && new Date(window.toMs).toISOString(),
    entries: verification.entries,
    rows: verification.rows,
    rows_left_out: verification.unsettledRows,
    differences: verification.differences.map(differenceJson),
  };
}

function differenceTable(verifications: Verification[]): string {
  return textTable(
    ['ORGANIZATION', 'PERIOD', 'START', 'DIMENSION', 'VALUE', 'MODEL', 'DIFFERENCE'],
    verifications.flatMap(({ organizationId, differences }) =>
      differences.map((difference) => [organizationId, ...differenceCells(difference)]),
    ),
  );
}

function differenceCells(difference: Difference): string[] {
  const { period, startMs, dimension, value, provider, serviceTier, model } = difference;
  return [
    period,
    periodText(period, startMs),
    dimension,
    value ?? '-',
    `${provider}/${model}${serviceTier === null ? '' : ` (${serviceTier})`}`,
    differenceText(difference),
  ];
}

function differenceText({ found, expected, comparedWith }: Difference): string {
  const source = comparedWith === 'entries' ? 'its entries' : `its ${comparedWith}s`;
  const difference = subtractTotals(found, expected);
  const sums = sumNames
    .filter((name) => difference[name] !== noTotals[name])
    .map((name) => ({ name, found: found[name], expected: expected[name] }));
  const buckets = Object.keys(difference.histograms).map((name) => ({
    name,
    found: found.histograms[name] ?? 0,
    expected: expected.histograms[name] ?? 0,
  }));
  return [...sums, ...buckets]
    .map((sum) => `${sum.name} ${sum.found}, expected ${sum.expected} from ${source}`)
    .join('; ');
}

function differenceJson(difference: Difference) {
  const { period, startMs, dimension, writeShard, value, provider, serviceTier, model } = difference;
  const { comparedWith } = difference;
  return {
    period,
    start: periodText(period, startMs),
    dimension,
    write_shard: writeShard,
    value,
    provider,
    service_tier: serviceTier,
    model,
    compared_with: comparedWith === 'entries' ? comparedWith : `${comparedWith}s`,
    rollup: totalsJson(difference.found),
    expected: totalsJson(difference.expected),
  };
}

function totalsJson({ cost_usd, assumed_cost_usd, ...totals }: Totals) {
  return { ...totals, cost_usd: usdJson(cost_usd), assumed_cost_usd: usdJson(assumed_cost_usd) };
}
