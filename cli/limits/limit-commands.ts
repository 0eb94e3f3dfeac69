import type { Command } from 'commander';
import { z } from 'zod';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { maxRateLimits, rateLimitNames, rateLimitsOf } from '#lambdas/limits/rates/rate-limits.ts';
import { openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { readOptions, wholeNumber } from '../options.ts';
import { limitJson, limitTable } from './limit-format.ts';
import { addListCommand } from './list-command.ts';
import { addOwnerOptions, changeLimits, type LimitOwner, ownerOptions, readOwner } from './owner.ts';

export function addLimitCommands(program: Command): void {
  const group = program.command('limit').description('rate limits of organizations and API keys');
  addSetCommand(group);
  addListCommand(group);
  addRemoveCommand(group);
}

const maxDelaySeconds = keyRevocationDelayMs / 1000;

const setOptions = z
  .object({
    ...ownerOptions,
    requestsPerMinute: wholeNumber(1, maxRateLimits.requests_per_minute).optional(),
    tokensPerMinute: wholeNumber(1, maxRateLimits.tokens_per_minute).optional(),
    concurrent: wholeNumber(1, maxRateLimits.concurrent).optional(),
  })
  .refine((options) => Object.keys(limitsIn(options)).length > 0, {
    message: 'Pass at least one of --requests-per-minute, --tokens-per-minute and --concurrent',
  });

/** The options with the names of the limits, without those that were not passed. */
function limitsIn<Value>(options: {
  requestsPerMinute?: Value;
  tokensPerMinute?: Value;
  concurrent?: Value;
}) {
  const { requestsPerMinute, tokensPerMinute, concurrent } = options;
  const limits = {
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    concurrent,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function addSetCommand(group: Command): void {
  const command = group
    .command('set')
    .description('set rate limits of an organization or a key; those that are not passed stay as they are');
  addOwnerOptions(command)
    .option('--requests-per-minute <number>', 'requests in a minute')
    .option('--tokens-per-minute <number>', 'input and output tokens in a minute')
    .option('--concurrent <number>', 'requests at the same time')
    .addHelpText('after', setHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, setOptions);
      const context = await openCommandContext(command);
      const owner = await readOwner(context, options, { acceptsRevoked: false });
      const set = limitsIn(options);
      const { after } = await changeLimits(context, owner, (limits) => rateLimitsOf({ ...limits, ...set }));
      const row = { ...owner, limits: after };
      context.show({ json: limitJson(row), text: `${limitTable([row])}\n\n${effectText(owner)}` });
    });
}

function effectText({ defaultName }: LimitOwner): string {
  if (defaultName === null) return `The change takes effect within ${maxDelaySeconds} seconds.`;
  return 'The change applies to keys that are created from now on. Existing keys keep their limits.';
}

const setHelp = `
A request that would exceed a limit of its key or of its organization is refused with status 429 and a header
retry-after. The limits of an organization hold for the requests of all of its keys together, and are not copied to its keys.

With --default, the limits are those that keys get when they are created: with member-keys, those that users with the role
"member" create in the dashboard, for which they replace all limits of new-keys. Changing a default changes no existing key.

A key that has replaced another one ("key rotate") shares the limits of the first one.

Examples:
  npm run admin -- limit set --organization org_4fTgQ0wZ6uKc1vXb --requests-per-minute 600 --concurrent 50
  npm run admin -- limit set --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za --tokens-per-minute 200000
  npm run admin -- limit set --organization org_4fTgQ0wZ6uKc1vXb --default member-keys --requests-per-minute 60`;

const flag = z.literal(true).optional();
const removeOptions = z.object({
  ...ownerOptions,
  requestsPerMinute: flag,
  tokensPerMinute: flag,
  concurrent: flag,
});

function addRemoveCommand(group: Command): void {
  const command = group
    .command('remove')
    .description('remove rate limits of an organization or a key: all, or only those that are named');
  addOwnerOptions(command)
    .option('--requests-per-minute', 'remove the limit of requests in a minute')
    .option('--tokens-per-minute', 'remove the limit of tokens in a minute')
    .option('--concurrent', 'remove the limit of requests at the same time')
    .addHelpText('after', removeHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, removeOptions);
      const context = await openCommandContext(command);
      const owner = await readOwner(context, options, { acceptsRevoked: true });
      const named = Object.keys(limitsIn(options));
      const removed = named.length === 0 ? rateLimitNames : named;
      const cleared = Object.fromEntries(removed.map((name) => [name, null]));
      const { before, after } = await changeLimits(context, owner, (limits) =>
        rateLimitsOf({ ...limits, ...cleared }),
      );
      if (Object.keys(before ?? {}).length === Object.keys(after ?? {}).length) {
        const { organizationId } = owner.scope;
        throw new AdminError(
          `There are no such rate limits to remove: see "limit list --organization ${organizationId}"`,
        );
      }
      const row = { ...owner, limits: after };
      context.show({ json: limitJson(row), text: `${limitTable([row])}\n\n${effectText(owner)}` });
    });
}

const removeHelp = `
Examples:
  npm run admin -- limit remove --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za
  npm run admin -- limit remove --organization org_4fTgQ0wZ6uKc1vXb --tokens-per-minute`;
