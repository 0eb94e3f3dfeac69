import type { Command } from 'commander';
import { z } from 'zod';
import { endCustomPrice, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import { type PriceScope, readCustomPrices } from '#lambdas/pricing/custom/store.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { AdminError, usageError } from '../errors.ts';
import { readOptions } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { addImportCommand } from './import-command.ts';
import { modelName } from './model-name.ts';
import { scopeOptions, tierOptions } from './options.ts';
import { priceJson } from './price-file.ts';
import { pricesText, type ScopedPrice } from './price-text.ts';
import { noteReprice } from './reprice-note.ts';
import { requireUsualPrices, yesDescription } from './unusual-prices.ts';

export function addPriceCommands(program: Command): void {
  const group = program
    .command('price')
    .description('custom prices of models, which apply without a deployment');
  addSetCommand(group);
  addListCommand(group);
  addRemoveCommand(group);
  addImportCommand(group);
}

const usd = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,9})?$/, 'must be a price in US dollars per million tokens, such as 2.5')
  .transform(Number);

const setOptions = tierOptions.extend({
  input: usd,
  output: usd,
  cachedInput: usd.optional(),
  cacheWrite: usd.optional(),
  cacheWrite1h: usd.optional(),
  yes: z.boolean().default(false),
});

const modelHelp = '<provider>/<model>, the exact name that requests or responses contain';
const tierHelp = 'service tier or speed, as the provider names it (default: the standard tier)';
const organizationHelp = 'only for this organization (default: for all)';

function addSetCommand(group: Command): void {
  group
    .command('set')
    .description('set the custom price of a model, in US dollars per million tokens')
    .argument('<model>', modelHelp)
    .requiredOption('--input <usd>', 'price of input')
    .requiredOption('--output <usd>', 'price of output')
    .option('--cached-input <usd>', 'price of input read from a cache (default: that of input)')
    .option('--cache-write <usd>', 'price of input written to a cache (default: that of input)')
    .option('--cache-write-1h <usd>', 'price of input cached for an hour (default: that of --cache-write)')
    .option('--tier <name>', tierHelp)
    .option('--from <time>', 'start, RFC 3339 (default: in 70 seconds)')
    .option('--organization <id>', organizationHelp)
    .option('--yes', yesDescription)
    .addHelpText('after', setHelp)
    .action(async (model: string, _options: object, command: Command) => {
      const { tier, from, organization, yes, ...prices } = readOptions(command, setOptions);
      const { input, output, cachedInput, cacheWrite, cacheWrite1h } = prices;
      const context = await openCommandContext(command);
      const scope = await readScope(context, model, organization);
      const list = {
        input,
        ...(cachedInput !== undefined && { cache_read: cachedInput }),
        ...(cacheWrite !== undefined && { cache_write: cacheWrite }),
        ...(cacheWrite1h !== undefined && { cache_write_1h: cacheWrite1h }),
        output,
      };
      const newPrice = { tier, from, price: { prices: list, above: [] } };
      const readAll = () => readCustomPrices(context.prices);
      await requireUsualPrices([{ model, ...newPrice }], { yes, readAll });
      const changes = await setCustomPrices(
        context.prices,
        scope,
        [newPrice],
        await context.openAuditTrail(),
      );
      const [price] = [...changes.changed, ...changes.unchanged];
      if (price === undefined) throw new AdminError(`The price of ${model} was not set`);
      if (changes.changed.length === 0) context.note('this price is set already: nothing was changed');
      noteReprice(context, [changes], organization);
      context.show({ json: priceJson(scope, price), text: pricesText([{ ...scope, ...price }]) });
    });
}

const setHelp = `
The price is valid from its start until the next one of the same model, tier and organization, and replaces one with the
same start. It replaces the prices of all tokens of its tier; other tiers need their own. Nothing is added to it, such as
the surcharge of a region; searches keep their price.
By default it starts in 70 seconds, when no function has an older price in its cache. For an earlier start, wait a minute,
then run "costs reprice --all --from TIME".

A request has the first of these prices: stated in the response, set for its organization, set for all, in the setting
"providers", in the price table.

Examples:
  npm run admin -- price set openai/gpt-5.5 --input 4.5 --cached-input 0.45 --output 27
  npm run admin -- price set openai/gpt-5.5 --tier flex --input 2 --output 12 --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- price set my-llm/llama-3.3-70b --input 0.1 --output 0.4 --from 2026-12-01T00:00:00Z`;

const listOptions = scopeOptions.pick({ organization: true });

function addListCommand(group: Command): void {
  group
    .command('list')
    .description('list the custom prices with their starts; --json prints a file for "price import"')
    .option('--organization <id>', 'only the prices for this organization (default: all prices)')
    .addHelpText('after', '\nExample:\n  npm run --silent admin -- price list --json > prices.json')
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, listOptions);
      const context = await openCommandContext(command);
      if (organization !== null) await requireOrganization(context.directory, organization);
      const all = await readCustomPrices(context.prices);
      const rows = all
        .filter(({ organizationId }) => organization === null || organizationId === organization)
        .flatMap(({ prices, ...scope }) => prices.map((price): ScopedPrice => ({ ...scope, ...price })));
      const emptyText =
        'No prices are set: set one with "price set PROVIDER/MODEL --input USD --output USD".';
      context.show({
        json: rows.map((row) => priceJson(row, row)),
        text: rows.length === 0 ? emptyText : pricesText(rows),
      });
    });
}

function addRemoveCommand(group: Command): void {
  group
    .command('remove')
    .description('end the custom price of a model, and remove its prices that start later')
    .argument('<model>', modelHelp)
    .option('--tier <name>', tierHelp)
    .option('--from <time>', 'when the price ends, RFC 3339 (default: in 70 seconds)')
    .option('--organization <id>', 'the price for this organization (default: the price for all)')
    .addHelpText('after', removeHelp)
    .action(async (model: string, _options: object, command: Command) => {
      const { tier, from, organization } = readOptions(command, tierOptions);
      const context = await openCommandContext(command);
      const scope = await readScope(context, model, organization);
      const changes = await endCustomPrice(
        context.prices,
        scope,
        { tier, from },
        await context.openAuditTrail(),
      );
      const { changed, removed } = changes;
      if (changed.length + removed.length === 0) {
        throw new AdminError(`${model} has no such price at that time or later: see "price list"`);
      }
      noteReprice(context, [changes], organization);
      const toRow = (price: CustomPrice): ScopedPrice => ({ ...scope, ...price });
      context.show({
        json: {
          ended: changed.map((price) => priceJson(scope, price)).at(0) ?? null,
          removed: removed.map((price) => priceJson(scope, price)),
        },
        text: [
          ...(changed.length > 0 ? [pricesText(changed.map(toRow))] : []),
          ...(removed.length > 0 ? [`Removed:\n${pricesText(removed.map(toRow))}`] : []),
        ].join('\n\n'),
      });
    });
}

const removeHelp = `
Requests before that time keep their price, also in a later "costs reprice". From then on, requests have the next price in
the order that "price set --help" explains. To remove a price from the past as well, pass its start as --from, and run
"costs reprice".

Examples:
  npm run admin -- price remove openai/gpt-5.5
  npm run admin -- price remove openai/gpt-5.5 --tier flex --organization org_4fTgQ0wZ6uKc1vXb`;

async function readScope(
  { directory, providerSettings }: CommandContext,
  model: string,
  organization: string | null,
): Promise<PriceScope> {
  const { success, error } = modelName(providerSettings).safeParse(model);
  if (!success) throw usageError(`The model ${error.issues[0]?.message}`);
  // Also a deleted one: its entries can still be repriced.
  if (organization !== null) await requireOrganization(directory, organization);
  return { model, organizationId: organization };
}
