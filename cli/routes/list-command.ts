import type { Command } from 'commander';
import { z } from 'zod';
import type { RoutesItem } from '#lambdas/routing/item.ts';
import type { RouteOwner } from '#lambdas/routing/route.ts';
import { findRoutes } from '#lambdas/routing/store.ts';
import { openCommandContext } from '../command-context.ts';
import { organizationId, readOptions } from '../options.ts';
import { readOfOrganizations } from '../organizations/organizations.ts';
import { type RouteRow, routeJson, routeTable } from './route-format.ts';

const listOptions = z.object({ organization: organizationId.optional() });

export function addListCommand(group: Command): void {
  group
    .command('list')
    .description("list routes, the operator's first")
    .option(
      '--organization <id>',
      'only the routes that this organization can use (default: those of all organizations that are not deleted)',
    )
    .addHelpText('after', listHelp)
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, listOptions);
      const { directory, directoryTable, show } = await openCommandContext(command);
      const lists = await readOfOrganizations(directory, organization, (id) =>
        findRoutes(directoryTable, id),
      );
      const [own] = organization === undefined ? [] : lists;
      const { routes } = await findRoutes(directoryTable, null);
      const rows = [
        ...toRows(null, routes, own?.result.routes ?? {}),
        ...lists.flatMap(({ organizationId: id, result }) => toRows(id, result.routes)),
      ];
      const emptyText = 'There are no routes: set one with "route set NAME --all --target PROVIDER/MODEL".';
      show({ json: rows.map(routeJson), text: rows.length === 0 ? emptyText : routeTable(rows) });
    });
}

/** By name. */
function toRows(
  organizationId: RouteOwner,
  routes: RoutesItem['routes'],
  replacing: RoutesItem['routes'] = {},
): RouteRow[] {
  return Object.entries(routes)
    .map(([name, route]) => ({
      name,
      organizationId,
      route,
      isOverridden: Object.hasOwn(replacing, name),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

const listHelp = `
All organizations can use the routes of the operator, unless they have one of the same name: "replaced" marks these with --organization.

Examples:
  npm run admin -- route list
  npm run --silent admin -- route list --organization org_4fTgQ0wZ6uKc1vXb --json`;
