import type { Command } from 'commander';
import { z } from 'zod';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { isKeyId, listedStates, readSearch } from '#lambdas/accounts/organizations/keys/filter.ts';
import { readNewestKeys } from '#lambdas/accounts/organizations/keys/newest.ts';
import { readRankedKeys } from '#lambdas/accounts/organizations/keys/ranked.ts';
import { rankKeys } from '#lambdas/accounts/organizations/keys/ranking.ts';
import { usageStartMs } from '#lambdas/accounts/organizations/keys/usage.ts';
import { fromUnits } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { usageError } from '../errors.ts';
import { organizationId, readOptions, wholeNumber } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { keyTable } from './key-text.ts';

const maxKeys = 1000;
const orders = ['created', 'spend'] as const;

const listOptions = z.object({
  organization: organizationId,
  search: z.string().trim().min(1, 'must not be blank').optional(),
  state: z.enum(listedStates, `must be ${listedStates.join(' or ')}`),
  order: z.enum(orders, `must be ${orders.join(' or ')}`),
  limit: wholeNumber(1, maxKeys),
  before: z.string().refine(isKeyId, 'must be a key id, as shown by "key list"').optional(),
});

type ListOptions = z.output<typeof listOptions>;

export function addListCommand(group: Command): void {
  group
    .command('list')
    .description("list an organization's API keys, newest first")
    .requiredOption('--organization <id>', 'organization that owns the keys')
    .option('--search <text>', 'only keys with this part of the name, this id, or these last four characters')
    .option('--state <state>', 'active, or ended: revoked or expired', 'active')
    .option('--order <order>', 'created: newest first; spend: the keys that spent most first', 'created')
    .option('--limit <count>', `number of keys, 1 to ${maxKeys}`, '100')
    .option('--before <id>', 'only keys older than this one')
    .addHelpText('after', listHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, listOptions);
      if (options.order === 'spend' && options.before !== undefined) {
        throw usageError('--before cannot be combined with --order spend');
      }
      const context = await openCommandContext(command);
      await (options.order === 'created' ? listByCreation : listBySpending)(context, options);
    });
}

async function listByCreation(
  { directory, now, show, note }: CommandContext,
  { organization: organizationId, limit, before, ...options }: ListOptions,
): Promise<void> {
  const { deleted_at } = await requireOrganization(directory, organizationId);
  const apiKeys: ApiKey[] = [];
  let next = before ?? null;
  do {
    const filter = filterOf(options);
    const query = { organizationId, filter, before: next, limit: limit - apiKeys.length };
    const page = await readNewestKeys(directory, query, now());
    apiKeys.push(...page.apiKeys);
    next = page.next;
  } while (next !== null && apiKeys.length < limit);
  show({ json: apiKeys, text: apiKeys.length > 0 ? keyTable(apiKeys, now()) : emptyText(options) });
  if (deleted_at !== undefined) note('the organization is deleted: all of its keys are refused');
  if (next !== null) note(`there are older keys: continue with --before ${next}`);
}

async function listBySpending(
  { directory, costRollups, now, show, note }: CommandContext,
  { organization, limit, ...options }: ListOptions,
): Promise<void> {
  const { log_shards: logShards } = await requireOrganization(directory, organization);
  const scope = { organizationId: organization, logShards };
  const ranking = await rankKeys(costRollups, scope, 'spend', now());
  const query = { organizationId: organization, filter: filterOf(options), after: null, limit };
  const { apiKeys, next } = await readRankedKeys(directory, ranking, query, now());
  const spending = new Map(ranking.keys.map(({ id, rank }) => [id, fromUnits(rank)]));
  const since = periodText('day', usageStartMs(now()));
  show({
    json: apiKeys.map((apiKey) => ({ ...apiKey, spend_usd: spending.get(apiKey.id), spend_since: since })),
    text:
      apiKeys.length > 0
        ? keyTable(apiKeys, now(), { title: `USD SINCE ${since}`, cell: ({ id }) => spending.get(id) ?? '0' })
        : emptyText(options),
  });
  if (!ranking.complete)
    note(`only the ${ranking.keys.length} keys that spent most since ${since} are ranked`);
  if (next !== null) note(`there are further keys: raise --limit, up to ${maxKeys}`);
}

function filterOf({ state, search }: Pick<ListOptions, 'state' | 'search'>) {
  return { state, search: readSearch(search) };
}

function emptyText({ state, search, order }: Pick<ListOptions, 'state' | 'search' | 'order'>): string {
  if (search !== undefined) return `No ${state} key matches the search.`;
  if (order === 'spend') return `No ${state} key has spent anything since the beginning of the last month.`;
  return state === 'active'
    ? 'This organization has no active API keys: create one with "key create".'
    : 'No key of this organization is revoked or expired.';
}

const listHelp = `
With --order spend, the sums since the beginning of the last UTC month decide: at most the ${maxKeys} keys that spent most are
listed. When there are more keys, a note on standard error says how to continue.

Examples:
  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb --search production
  npm run admin -- key list --organization org_4fTgQ0wZ6uKc1vXb --order spend --limit 20
  npm run --silent admin -- key list --organization org_4fTgQ0wZ6uKc1vXb --state ended --json`;
