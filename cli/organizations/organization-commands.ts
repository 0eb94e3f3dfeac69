import type { Command } from 'commander';
import { z } from 'zod';
import type { Organization } from '#lambdas/access/directory.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { requestUpdates } from '#lambdas/limits/budgets/store.ts';
import { maxShardCount } from '#lambdas/request-log/id.ts';
import { openCommandContext } from '../command-context.ts';
import { addOrganizationModelsCommand } from '../models/model-commands.ts';
import { displayName, organizationId, readOptions, wholeNumber } from '../options.ts';
import { textTable } from '../text-table.ts';
import { addInviteCommand } from './invite-command.ts';
import { organizationDeletedError, requireActiveOrganization } from './organizations.ts';

export function addOrganizationCommands(program: Command): void {
  const group = program.command('org').description('organizations, which own API keys and their usage');
  addCreateCommand(group);
  addListCommand(group);
  addScaleCommand(group);
  addInviteCommand(group);
  addOrganizationModelsCommand(group);
}

const createOptions = z.object({ name: displayName });

function addCreateCommand(group: Command): void {
  group
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'display name')
    .addHelpText('after', '\nExample:\n  npm run admin -- org create --name "Acme"')
    .action(async (_options: object, command: Command) => {
      const { name } = readOptions(command, createOptions);
      const { directory, openAuditTrail, show } = await openCommandContext(command);
      const audit = await openAuditTrail();
      const created_at = audit.now().toISOString();
      const organization = { id: newOrganizationId(), name, created_at, log_shards: 1 };
      await directory.createOrganization(organization, audit);
      show({ json: organizationJson(organization), text: organizationTable([organization]) });
    });
}

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list organizations, oldest first, including deleted ones')
    .addHelpText('after', '\nExample:\n  npm run --silent admin -- org list --json')
    .action(async (_options: object, command: Command) => {
      const { directory, show } = await openCommandContext(command);
      const organizations = await directory.listOrganizations();
      const emptyText = 'There are no organizations yet: create one with "org create --name NAME".';
      show({
        json: organizations.map(organizationJson),
        text: organizations.length > 0 ? organizationTable(organizations) : emptyText,
      });
    });
}

const scaleOptions = z.object({ organization: organizationId, logShards: wholeNumber(1, maxShardCount) });

function addScaleCommand(group: Command): void {
  group
    .command('scale')
    .description(
      'distribute the log entries of an organization over more shards (partition keys); this cannot be undone',
    )
    .requiredOption('--organization <id>', 'organization id')
    .requiredOption(
      '--log-shards <count>',
      `number of shards, 1 to ${maxShardCount}; one shard sustains about 500 requests per second`,
    )
    .addHelpText(
      'after',
      `
Requests continue without interruption. Existing entries stay in their shards; new entries use the new shards within
${keyRevocationDelayMs / 1000} seconds.

Example:
  npm run admin -- org scale --organization org_4fTgQ0wZ6uKc1vXb --log-shards 16`,
    )
    .action(async (_options: object, command: Command) => {
      const { organization: id, logShards } = readOptions(command, scaleOptions);
      const { directory, directoryTable, openAuditTrail, show, note } = await openCommandContext(command);
      await requireActiveOrganization(directory, id);
      const organization = await directory.raiseLogShards(id, logShards, await openAuditTrail());
      if (organization === null) throw organizationDeletedError(id);
      if (organization.log_shards > logShards) {
        note(
          `${id} keeps its ${organization.log_shards} shards: the number cannot be reduced, because all of them contain entries`,
        );
      } else {
        // Splits the counters of its budgets; also if the number is the same, since an earlier command may have been killed here.
        await requestUpdates(directoryTable, id, { recount: false });
      }
      show({ json: organizationJson(organization), text: organizationTable([organization]) });
    });
}

/** Leaves out the budget's counter, which is internal. */
function organizationJson({ budget: _, deleted_at, ...organization }: Organization) {
  return { ...organization, deleted_at: deleted_at ?? null };
}

function organizationTable(organizations: Organization[]): string {
  return textTable(
    ['ORGANIZATION', 'NAME', 'LOG SHARDS', 'CREATED', 'STATUS'],
    organizations.map(({ id, name, log_shards, created_at, deleted_at }) => [
      id,
      name,
      String(log_shards),
      created_at,
      deleted_at === undefined ? 'active' : `deleted ${deleted_at}`,
    ]),
  );
}
