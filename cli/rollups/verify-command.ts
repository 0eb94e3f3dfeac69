import type { Command } from 'commander';
import { z } from 'zod';
import { compareCounters } from '#lambdas/costs/repair/compare-counters.ts';
import { type VerifyProgress, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { rollupDelayMs } from '#lambdas/costs/rollups/rollup.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions, wholeNumber, windowBound } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import {
  requireNoDifferences,
  type VerifiedOrganization,
  verificationJson,
  verificationText,
} from './verify-result.ts';

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
      const context = await openCommandContext(command);
      const organizations = await selectOrganizations(context.directory, options.organization);
      const ids = organizations.map(({ id }) => id);
      const verified: VerifiedOrganization[] = [];
      const show = () =>
        context.show({
          json: verified.map(verificationJson),
          text: verificationText(verified, options.settle),
        });
      try {
        await verify(context, ids, options, verified);
      } catch (error) {
        // Show the results up to the stop or failure.
        if (verified.length > 0) show();
        throw error;
      }
      show();
      requireNoDifferences(verified);
    });
}

const verifyHelp = `
Minute and hour rollups are compared with the entries, day rollups with hour rollups, and month rollups with day
rollups, for the time in which no entry has expired. Requests can continue meanwhile. Rows with an entry written within
the --settle time are skipped, and a difference between rollups is only reported if it is still there after that time.
What the counters of budgets have as spent in the current day and month is compared with the rollups in the same way.
${longJobHelp}
When stopped, the command prints the options with which to continue.

Examples:
  npm run admin -- rollups verify
  npm run admin -- rollups verify --organization org_4fTgQ0wZ6uKc1vXb --from 2026-01-31T00:00:00Z`;

/** Appends to `verified` while it runs. The last one is incomplete until the promise resolves. */
async function verify(
  context: CommandContext,
  ids: string[],
  { from: fromMs, settle }: VerifyOptions,
  verified: VerifiedOrganization[],
): Promise<void> {
  const { directory, directoryTable, logEntries, costRollups, budgetCounters, now } = context;
  let resumeHint = 'run the same command again to start over';
  await runLongJob(
    async (job) => {
      for (const [index, organizationId] of ids.entries()) {
        const onDay = ({ startMs, resumeMs, verification }: VerifyProgress) => {
          verified[index] = { verification, counterDifferences: [] };
          resumeHint = resumeOptions(resumeMs, ids.slice(index));
          const day = periodText('day', startMs);
          job.report(`${organizationId}: comparing ${day}, ${verification.differences.length} differences`);
        };
        const settleMs = settle * 1000;
        const rows = { directory, logEntries, costRollups, now, job };
        const verification = await verifyOrganization(rows, { organizationId, fromMs, settleMs, onDay });
        verified[index] = { verification, counterDifferences: [] };
        resumeHint = resumeOptions(now().getTime(), ids.slice(index));
        const counters = { ...rows, directoryTable, budgetCounters };
        const counterDifferences = await compareCounters(counters, { organizationId, settleMs });
        verified[index] = { verification, counterDifferences };
      }
    },
    { resumeHint: () => resumeHint, terminal: context.terminal },
  );
}

function resumeOptions(startMs: number, [organizationId, ...others]: string[]): string {
  const options = `continue with --organization ${organizationId} --from ${new Date(startMs).toISOString()}`;
  return others.length === 0 ? options : `${options}, and then with the organizations ${others.join(', ')}`;
}
