import type { Command } from 'commander';
import { z } from 'zod';
import { isUuid } from '#lambdas/platform/uuid.ts';
import { openCommandContext } from '../command-context.ts';
import { organizationId, readOptions, wholeNumber } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { readNewestRecords } from './newest-records.ts';
import { recordJson, recordTable } from './record-format.ts';

export function addAuditCommands(program: Command): void {
  const group = program.command('audit').description('audit trail: who has changed what, and when');
  addListCommand(group);
}

const maxRecords = 1000;

const listOptions = z.object({
  organization: organizationId.optional(),
  limit: wholeNumber(1, maxRecords),
  before: z
    .string()
    .toLowerCase()
    .refine(isUuid, 'must be the id of an audit record, as of "audit list --json"')
    .optional(),
});

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list audit records, newest first')
    .option(
      '--organization <id>',
      'only the records of this organization (default: all, with those of the gateway itself)',
    )
    .option('--limit <count>', `number of records, 1 to ${maxRecords}`, '50')
    .option('--before <id>', 'only records older than this one')
    .addHelpText('after', listHelp)
    .action(async (_options: object, command: Command) => {
      const { organization, limit, before: beforeId } = readOptions(command, listOptions);
      const { directory, auditTable, show, note } = await openCommandContext(command);
      const organizations = await selectOrganizations(directory, organization);
      const ofGateway = organization === undefined ? [null] : [];
      const { records, hasMore } = await readNewestRecords(auditTable, {
        organizationIds: [...ofGateway, ...organizations.map(({ id }) => id)],
        limit,
        beforeId,
      });
      show({
        json: records.map(recordJson),
        text: records.length === 0 ? 'There are no such audit records.' : recordTable(records),
      });
      if (hasMore) note(`there are older records: continue with --before ${records.at(-1)?.id}`);
    });
}

const listHelp = `
Every change by the dashboard and by this command is recorded: who made it (a user, or an AWS identity), what it changed,
and the values before and after, in --json in full. Deleted organizations are included. Records expire after the number of
days in the setting auditRetentionDays.

Operations that take time, such as exports and repairs, have two records, which share the operation_id: started, and
completed or failed. Without the second one, the operation is in progress or was interrupted.

When there are older records, a note on standard error says how to continue.

Examples:
  npm run admin -- audit list
  npm run admin -- audit list --organization org_4fTgQ0wZ6uKc1vXb --limit 200
  npm run --silent admin -- audit list --before 019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --json`;
