import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '#lambdas/access/api-key.ts';
import type { Organization } from '#lambdas/access/directory.ts';
import { highestShardCount } from '#lambdas/request-log/id.ts';
import { parseName, requireArgument } from '../command-arguments.ts';
import { openSession } from '../command-session.ts';
import { textTable } from '../text-table.ts';
import { noSuchOrganization } from './organizations.ts';

export function addOrganizationCommands(program: Command): void {
  const group = program.command('org').description('organizations, which own the API keys and their usage');
  addCreateCommand(group);
  addListCommand(group);
  addScaleCommand(group);
}

function addCreateCommand(group: Command): void {
  group
    .command('create')
    .description('make an organization')
    .argument('[name]', 'the same as --name', parseName)
    .option('--name <name>', 'what people call it', parseName)
    .addHelpText('after', '\nExample:\n  npm run admin -- org create --name "Acme"')
    .action(async (positional: string | undefined, options: { name?: string }, command: Command) => {
      const name = requireArgument({
        what: 'the organization',
        flag: '--name',
        positional,
        option: options.name,
      });
      const { directory, show } = await openSession(command);
      const organization = { id: newId('org'), name, created_at: new Date().toISOString(), log_shards: 1 };
      await directory.createOrganization(organization);
      show({ json: organization, text: organizationTable([organization]) });
    });
}

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('show the organizations, oldest first')
    .addHelpText('after', '\nExample:\n  npm run --silent admin -- org list --json')
    .action(async (_options: object, command: Command) => {
      const { directory, show } = await openSession(command);
      const organizations = await directory.listOrganizations();
      const none = 'There are no organizations yet: make one with "org create --name NAME".';
      show({ json: organizations, text: organizations.length > 0 ? organizationTable(organizations) : none });
    });
}

function addScaleCommand(group: Command): void {
  group
    .command('scale')
    .description('spread the log entries of an organization over more partition keys; this cannot be undone')
    .argument('[organization]', 'the same as --organization')
    .option('--organization <id>', 'whose entries')
    .requiredOption(
      '--log-shards <count>',
      `1 to ${highestShardCount}; each takes about 500 requests a second`,
      parseShardCount,
    )
    .addHelpText(
      'after',
      `
Nothing is moved and nothing stops: entries stay where they are, and new ones use the new shards within 20 seconds.

Example:
  npm run admin -- org scale --organization org_4fTgQ0wZ6uKc1vXb --log-shards 16`,
    )
    .action(async (positional: string | undefined, options: ScaleOptions, command: Command) => {
      const organizationId = requireArgument({
        what: 'the organization',
        flag: '--organization',
        positional,
        option: options.organization,
      });
      const { directory, show, terminal } = await openSession(command);
      const organization = await directory.raiseLogShards(organizationId, options.logShards);
      if (organization === null) throw noSuchOrganization(organizationId);
      if (organization.log_shards > options.logShards) {
        terminal.errors.write(
          `note: ${organizationId} has ${organization.log_shards} shards, and keeps them: entries lie in all of them\n`,
        );
      }
      show({ json: organization, text: organizationTable([organization]) });
    });
}

interface ScaleOptions {
  organization?: string;
  logShards: number;
}

function parseShardCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= highestShardCount) return count;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${highestShardCount}.`);
}

function organizationTable(organizations: Organization[]): string {
  return textTable(
    ['ORGANIZATION', 'NAME', 'LOG SHARDS', 'CREATED'],
    organizations.map(({ id, name, log_shards, created_at }) => [id, name, String(log_shards), created_at]),
  );
}
