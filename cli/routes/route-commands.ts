import type { Command } from 'commander';
import { z } from 'zod';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { removeRoute, setRoute } from '#lambdas/routing/changes.ts';
import { routeDelayMs } from '#lambdas/routing/lookup.ts';
import { readRoute, requireRouteName } from '#lambdas/routing/read-route.ts';
import {
  defaultAttempts,
  type Route,
  type RouteOwner,
  routeBounds,
  routeStrategies,
} from '#lambdas/routing/route.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { readOrUsageError, usageError } from '../errors.ts';
import { organizationId, readOptions, wholeNumber } from '../options.ts';
import { requireActiveOrganization } from '../organizations/organizations.ts';
import { addListCommand } from './list-command.ts';
import { routeJson, routeTable } from './route-format.ts';
import { addTestCommand } from './test-command.ts';

export function addRouteCommands(program: Command): void {
  const group = program
    .command('route')
    .description('routes: names that stand for several models, with fallback');
  addSetCommand(group);
  addListCommand(group);
  addRemoveCommand(group);
  addTestCommand(group);
}

const ownerOptions = { organization: organizationId.optional(), all: z.literal(true).optional() };

function addOwnerOptions(command: Command): Command {
  return command
    .option('--organization <id>', 'organization that has the route')
    .option('--all', 'all organizations: those without a route of this name use it');
}

interface OwnerOptions {
  organization?: string;
  all?: true;
}

async function readOwner(
  { directory }: Pick<CommandContext, 'directory'>,
  { organization }: OwnerOptions,
): Promise<RouteOwner> {
  if (organization !== undefined) await requireActiveOrganization(directory, organization);
  return organization ?? null;
}

/** Before the gateway is asked. */
function requireOneOwner({ organization, all }: OwnerOptions): void {
  if ((organization === undefined) === (all === undefined)) {
    throw usageError('Pass either --organization or --all');
  }
}

const strategyNames = routeStrategies.join(', ');
const setOptions = z.object({
  ...ownerOptions,
  target: z.array(z.string()),
  strategy: z.enum(routeStrategies, `must be ${strategyNames}`),
  attempts: wholeNumber(1, routeBounds.attempts).optional(),
});

function addSetCommand(group: Command): void {
  const command = group
    .command('set')
    .description('create a route, or replace it')
    .argument('<name>', 'name: requests use route/NAME as their model');
  addOwnerOptions(command)
    .requiredOption('--target <target...>', 'targets in order: PROVIDER/MODEL, or JSON with further fields')
    .option('--strategy <strategy>', `how the first target is chosen: ${strategyNames}`, 'order')
    .option(
      '--attempts <number>',
      `the most targets to which a request is sent, 1 to ${routeBounds.attempts} (default: ${defaultAttempts})`,
    )
    .addHelpText('after', setHelp)
    .action(async (name: string, _options: object, command: Command) => {
      const options = readOptions(command, setOptions);
      requireOneOwner(options);
      const route = readOrUsageError(() => {
        requireRouteName(name);
        return routeOf(options);
      });
      const context = await openCommandContext(command);
      const owner = await readOwner(context, options);
      const audit = await context.openAuditTrail();
      const stored = await setRoute(context.directoryTable, { owner, name }, route, audit);
      const row = { name, organizationId: owner, route: stored, isOverridden: false };
      context.show({ json: routeJson(row), text: `${routeTable([row])}\n\n${effectText}` });
    });
}

const effectText = `The change takes effect within ${routeDelayMs / 1000} seconds.`;

/** Throws a `GatewayError` (400). */
function routeOf({ strategy, target, attempts }: z.output<typeof setOptions>): Route {
  return readRoute({
    strategy,
    targets: target.map(parseTarget),
    ...(attempts !== undefined && { attempts }),
  });
}

function parseTarget(text: string): unknown {
  return text.startsWith('{') ? parseJson(text) : { model: text };
}

const setHelp = `
A request to a route is sent to one target after the other, until one begins to respond. Strategies:
  order   the first target that can serve the request
  weight  a share of the requests by the weight of each target; a session stays with its target
  price   the target at which the request probably costs least

A target in JSON has these fields: model; weight (default: 1); parameters, which replace fields of requests;
first_event_seconds, after which the next target is tried.

Examples:
  npm run admin -- route set chat --organization org_4fTgQ0wZ6uKc1vXb --target anthropic/claude-5 openai/gpt-5.6
  npm run admin -- route set cheap --all --strategy price --target openai/gpt-5.6-mini mistral/small
  npm run admin -- route set canary --organization org_4fTgQ0wZ6uKc1vXb --strategy weight \\
    --target '{"model":"openai/gpt-5.5","weight":95}' '{"model":"openai/gpt-5.6","weight":5}'`;

const removeOptions = z.object(ownerOptions);

function addRemoveCommand(group: Command): void {
  const command = group
    .command('remove')
    .description(
      'remove a route: requests that name it are refused, unless the operator has one of this name',
    )
    .argument('<name>', 'name of the route, without route/');
  addOwnerOptions(command)
    .addHelpText('after', removeHelp)
    .action(async (name: string, _options: object, command: Command) => {
      const options = readOptions(command, removeOptions);
      requireOneOwner(options);
      const context = await openCommandContext(command);
      const owner = await readOwner(context, options);
      const audit = await context.openAuditTrail();
      const removed = await removeRoute(context.directoryTable, { owner, name }, audit);
      const row = { name, organizationId: owner, route: removed, isOverridden: false };
      context.show({ json: routeJson(row), text: `Removed:\n\n${routeTable([row])}\n\n${effectText}` });
    });
}

const removeHelp = `
Examples:
  npm run admin -- route remove chat --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- route remove cheap --all`;
