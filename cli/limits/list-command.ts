import type { Command } from 'commander';
import { z } from 'zod';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { findDefaultRateLimits, listRateLimits, rateLimitDefaultNames } from '#lambdas/limits/rates/store.ts';
import { openCommandContext } from '../command-context.ts';
import { organizationId, readOptions } from '../options.ts';
import { readOfOrganizations } from '../organizations/organizations.ts';
import { type LimitRow, limitJson, limitTable } from './limit-format.ts';

const listOptions = z.object({ organization: organizationId.optional() });

export function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list rate limits, and those that new keys get')
    .option(
      '--organization <id>',
      'only this organization and its keys (default: all organizations that are not deleted)',
    )
    .addHelpText('after', listHelp)
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, listOptions);
      const { directory, directoryTable, show } = await openCommandContext(command);
      const lists = await readOfOrganizations(directory, organization, (id) => readRows(directoryTable, id));
      const rows = lists.flatMap(({ result }) => result);
      const emptyText =
        'There are no rate limits: set one with "limit set --organization ORG --requests-per-minute NUMBER".';
      show({ json: rows.map(limitJson), text: rows.length === 0 ? emptyText : limitTable(rows) });
    });
}

const listHelp = `
The rows "new keys" and "members' new keys" are the defaults, which keys get when they are created. The others apply to requests: to
those of the whole organization, or those with a key and with the keys that have replaced it.

Examples:
  npm run admin -- limit list
  npm run --silent admin -- limit list --organization org_4fTgQ0wZ6uKc1vXb --json`;

/** The defaults first. */
async function readRows(table: DirectoryTable, organizationId: string): Promise<LimitRow[]> {
  const [defaults, records] = await Promise.all([
    findDefaultRateLimits(table, organizationId),
    listRateLimits(table, organizationId),
  ]);
  const scope = { organizationId, keyId: null };
  const defaultRows = rateLimitDefaultNames.flatMap((defaultName) => {
    const limits = defaults[defaultName];
    return limits === null ? [] : [{ scope, defaultName, limits }];
  });
  return [...defaultRows, ...records.map((record) => ({ ...record, defaultName: null }))];
}
