import type { Command } from 'commander';
import { z } from 'zod';
import { type BudgetTables, removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { findBudgets, listBudgets } from '#lambdas/limits/budgets/status.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { readScope, scopeJson } from '../keys/scope.ts';
import { organizationId, readOptions } from '../options.ts';
import { readOfOrganizations } from '../organizations/organizations.ts';
import { budgetJson, budgetTable } from './budget-format.ts';
import { amount, budgetOptions } from './options.ts';
import { addRetryCommand } from './retry-command.ts';

export function addBudgetCommands(program: Command): void {
  const group = program
    .command('budget')
    .description('budgets of organizations and API keys, by day or month');
  addSetCommand(group);
  addListCommand(group);
  addRemoveCommand(group);
  addRetryCommand(group);
}

const maxDelaySeconds = 30;
const organizationHelp = 'organization that the budget is for, or that owns the key';
const keyHelp = 'only the requests with this key (default: all of the organization)';
const periodHelp = 'day or month, in UTC';

const setOptions = budgetOptions
  .extend({ amount, hard: z.boolean().default(false), allowUnpriced: z.boolean().default(false) })
  .refine(({ hard, allowUnpriced }) => hard || !allowUnpriced, {
    path: ['allowUnpriced'],
    message: 'requires --hard, because other budgets refuse no requests',
  });

function addSetCommand(group: Command): void {
  group
    .command('set')
    .description('set the budget of an organization or a key, or replace the one of the same period')
    .requiredOption('--organization <id>', organizationHelp)
    .option('--key <id>', keyHelp)
    .requiredOption('--amount <usd>', 'US dollars for each period')
    .requiredOption('--period <period>', periodHelp)
    .option('--hard', 'refuse requests that might exceed the budget (default: only count)')
    .option(
      '--allow-unpriced',
      'let models without a known price through, as free of charge; requires --hard',
    )
    .addHelpText('after', setHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, setOptions);
      const { period, amount: amountUsd, hard, allowUnpriced: allowsUnpriced } = options;
      const context = await openCommandContext(command);
      const scope = await readScope(context, options, { shared: 'budgets', acceptsRevoked: false });
      const tables = tablesOf(context);
      const audit = await context.openAuditTrail();
      await setBudget(tables, scope, period, { amountUsd, hard, allowsUnpriced }, audit);
      const budgets = await findBudgets(tables, [scope], context.now());
      const budget = budgets.find((each) => each.period === period);
      if (budget === undefined) throw new AdminError('The budget was removed at the same time: set it again');
      context.show({ json: budgetJson(budget), text: `${budgetTable([budget])}\n\n${setText}` });
    });
}

const setText = `The budget takes effect within ${maxDelaySeconds} seconds. It includes what its period has already cost.`;

const setHelp = `
The command returns at once. The budget takes effect within ${maxDelaySeconds} seconds, and includes what its period has already cost.
A request counts in the day and month in which it was received.

With --hard, each request reserves what it may cost before its provider is called, and is refused with status 429 if too
little is left. Models without a known price are refused with status 403, unless all hard budgets of the organization and
of the key allow them. Without --hard, requests are only counted.

A key that has replaced another one ("key rotate") shares the budgets of the first one.

Examples:
  npm run admin -- budget set --organization org_4fTgQ0wZ6uKc1vXb --amount 250 --period month --hard
  npm run admin -- budget set --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --amount 9.5 --period day`;

const listOptions = z.object({ organization: organizationId.optional() });

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list budgets with what their current period has cost')
    .option(
      '--organization <id>',
      'only this organization and its keys (default: all organizations that are not deleted)',
    )
    .addHelpText('after', listHelp)
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, listOptions);
      const context = await openCommandContext(command);
      const now = context.now();
      const lists = await readOfOrganizations(context.directory, organization, (id) =>
        listBudgets(tablesOf(context), id, now),
      );
      const budgets = lists.flatMap(({ result }) => result);
      const emptyText =
        'There are no budgets: set one with "budget set --organization ORG --amount USD --period month".';
      context.show({
        json: budgets.map(budgetJson),
        text: budgets.length === 0 ? emptyText : budgetTable(budgets),
      });
    });
}

const listHelp = `
RESERVED USD is what requests in progress have reserved from a hard budget. REFUSED is the number of requests that the
budget has refused in its period. A request is refused if the amount is less than spent, reserved and its own
reservation together. A budget that is activating is not in effect yet, or not with its last change. EVENTS are the
percentages of the amount for which an event was sent in this period.

Examples:
  npm run admin -- budget list
  npm run --silent admin -- budget list --organization org_4fTgQ0wZ6uKc1vXb --json`;

function addRemoveCommand(group: Command): void {
  group
    .command('remove')
    .description(`remove a budget; a hard one may still refuse requests for up to ${maxDelaySeconds} seconds`)
    .requiredOption('--organization <id>', organizationHelp)
    .option('--key <id>', 'the budget of this key (default: that of the organization)')
    .requiredOption('--period <period>', periodHelp)
    .addHelpText(
      'after',
      `
Example:
  npm run admin -- budget remove --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --period day`,
    )
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, budgetOptions);
      const context = await openCommandContext(command);
      const scope = await readScope(context, options, { shared: 'budgets', acceptsRevoked: true });
      const { organizationId, keyId } = scope;
      const owner = keyId ?? organizationId;
      const audit = await context.openAuditTrail();
      if (!(await removeBudget(tablesOf(context), scope, options.period, audit))) {
        throw new AdminError(
          `${owner} has no budget for the ${options.period}: see "budget list --organization ${organizationId}"`,
        );
      }
      context.show({
        json: { ...scopeJson(scope), period: options.period },
        text: `The budget of ${owner} for the ${options.period} was removed. This takes effect within ${maxDelaySeconds} seconds.`,
      });
    });
}

function tablesOf({ directoryTable, budgetCounters }: CommandContext): BudgetTables {
  return { directoryTable, budgetCounters };
}
