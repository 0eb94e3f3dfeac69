import type { Command } from 'commander';
import { newId } from '../../lambdas/shared/domain/api-key.ts';
import type { Organization } from '../../lambdas/shared/domain/directory.ts';
import { parseName, requireArgument } from './command-arguments.ts';
import { openSession } from './command-session.ts';
import { textTable } from './text-table.ts';

export function addOrganizationCommands(program: Command): void {
  const group = program.command('org').description('organizations, which own the API keys and their usage');
  addCreateCommand(group);
  addListCommand(group);
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
      const organization = { id: newId('org'), name, created_at: new Date().toISOString() };
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

function organizationTable(organizations: Organization[]): string {
  return textTable(
    ['ORGANIZATION', 'NAME', 'CREATED'],
    organizations.map(({ id, name, created_at }) => [id, name, created_at]),
  );
}
