import { type Command, InvalidArgumentError } from 'commander';
import { maxDifferences } from '#lambdas/costs/repair/compare-entries.ts';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { periodText } from '#lambdas/costs/rollups/period.ts';
import { AdminError } from '../admin-error.ts';
import { type CommandSession, openSession } from '../command-session.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { chooseOrganizations } from '../organizations/organizations.ts';
import { parseTime } from '../window-options.ts';
import { verificationJson, verificationText } from './verification-text.ts';

interface VerifyOptions {
  organization?: string;
  from?: number;
  settle: number;
}

export function addVerifyCommand(group: Command): void {
  group
    .command('verify')
    .description(
      'compare the rollups with the log entries, and show what differs; exit code 1 if anything does',
    )
    .option('--organization <id>', 'whose rollups (default: those of all organizations)')
    .option('--from <time>', 'from the day of this time on, in RFC 3339 (default: the first day)', parseTime)
    .option('--settle <seconds>', 'how long it may take until an entry is counted', parseSeconds, 300)
    .addHelpText('after', verifyHelp)
    .action(async (options: VerifyOptions, command: Command) => {
      const session = await openSession(command);
      const organizations = await chooseOrganizations(session.directory, options.organization);
      const ids = organizations.map(({ id }) => id);
      const verifications: Verification[] = [];
      const show = () =>
        session.show({
          json: verifications.map(verificationJson),
          text: verificationText(verifications, options.settle),
        });
      try {
        await verify(session, { ids, options, verifications });
      } catch (error) {
        // What was found before it was stopped is not lost.
        if (verifications.length > 0) show();
        throw error;
      }
      show();
      requireNoDifferences(verifications);
    });
}

const verifyHelp = `
Minutes and hours are compared with the entries, days with their hours, months with their days, as far back as no entry
has expired, while requests go on. Rows to which an entry belongs that was written within --settle are left out.
${longJobHelp}
It says with which --from it goes on.

Examples:
  npm run admin -- rollups verify
  npm run admin -- rollups verify --organization org_4fTgQ0wZ6uKc1vXb --from 2026-01-31T00:00:00Z`;

interface Verifying {
  ids: string[];
  options: VerifyOptions;
  /** What has been found, the last one not complete before it ends. */
  verifications: Verification[];
}

async function verify(session: CommandSession, { ids, options, verifications }: Verifying): Promise<void> {
  let goOn = 'the same command starts again';
  await runLongJob(
    async (job) => {
      for (const [index, organizationId] of ids.entries()) {
        const onDay = (startMs: number, verification: Verification) => {
          verifications[index] = verification;
          goOn = sentenceToGoOn(startMs, ids.slice(index));
          const day = periodText('day', startMs);
          job.report(`${organizationId}: comparing ${day}, ${verification.differences.length} differences`);
        };
        const { from: fromMs = 0, settle } = options;
        const request = { organizationId, fromMs, settleMs: settle * 1000, onDay };
        verifications[index] = await verifyOrganization({ ...session, job }, request);
      }
    },
    { howToGoOn: () => goOn, output: session.terminal.errors },
  );
}

function sentenceToGoOn(startMs: number, [organizationId, ...others]: string[]): string {
  const sentence = `go on with --organization ${organizationId} --from ${new Date(startMs).toISOString()}`;
  return others.length === 0 ? sentence : `${sentence}, and then with ${others.join(', ')}`;
}

function requireNoDifferences(verifications: Verification[]): void {
  const counts = verifications.map(({ differences }) => differences.length);
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return;
  const more = counts.some((one) => one >= maxDifferences) ? ', and perhaps more' : '';
  throw new AdminError(`${count} rows are not what they should be${more}: "rollups rebuild" makes them anew`);
}

function parseSeconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of seconds.');
}
