import { basename } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Actor } from '#lambdas/audit/record.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { type PriceChanges, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import {
  type CustomPricesTable,
  type PriceScope,
  readCustomPrices,
  snapshotOf,
} from '#lambdas/pricing/custom/store.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { openCommandContext } from '../command-context.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { resolvePath } from '../terminal.ts';
import { textTable } from '../text-table.ts';
import { changeJson, changesText } from './cost-change-report.ts';
import { type CostChange, costChangesOf, type SetPrice } from './cost-changes.ts';
import { byScope, readImportFile } from './import-file.ts';
import type { Skipped } from './litellm.ts';
import { scopeOptions } from './options.ts';
import type { ImportedPrice } from './price-file.ts';
import { noteReprice } from './reprice-note.ts';
import { requireUsualPrices, yesDescription } from './unusual-prices.ts';

const importOptions = scopeOptions.extend({
  allowLower: z.boolean().default(false),
  yes: z.boolean().default(false),
});

export function addImportCommand(group: Command): void {
  group
    .command('import')
    .description("set the prices of a file: the gateway's own format, or the price file of LiteLLM")
    .argument('<file>', 'JSON file')
    .option('--from <time>', 'start of rows without "from", RFC 3339 (default: in 70 seconds)')
    .option('--organization <id>', 'organization of rows without "organization_id" (default: for all)')
    .option('--allow-lower', "also set LiteLLM's prices that are lower than the built-in ones")
    .option('--yes', yesDescription)
    .addHelpText('after', importHelp)
    .action(async (file: string, _options: object, command: Command) => {
      const { from, organization, allowLower, yes } = readOptions(command, importOptions);
      const context = await openCommandContext(command);
      const { directory, prices: table, providerSettings, terminal } = context;
      const path = resolvePath(file, terminal.environment);
      const { prices, skipped } = await readImportFile({
        path,
        settings: providerSettings,
        allowLower,
        now: context.now,
        defaults: { organizationId: organization, from },
      });
      const [only = null, ...others] = new Set(prices.map(({ organizationId }) => organizationId));
      for (const id of [only, ...others]) {
        if (id !== null) await requireOrganization(directory, id);
      }
      const snapshot = snapshotOf(await readCustomPrices(table));
      await requireUsualPrices(prices, { yes, readAll: async () => snapshot.all });
      const changes: ScopedChanges[] = [];
      const { actor } = await context.openAuditTrail();
      const organizationId = others.length === 0 ? only : null;
      const models = new Set(prices.map(({ model }) => model)).size;
      try {
        const work = (job: LongJob) =>
          recordOperation(context, {
            event: operationEvent({
              action: 'price.imported',
              type: 'price',
              organizationId,
              options: { file: basename(path), models },
            }),
            signal: job.signal,
            work: () => setPrices({ table, actor }, prices, changes, job),
            counts: () => countsOf(changes),
          });
        await runLongJob(work, { terminal });
      } finally {
        noteReprice(context, changes, organizationId);
      }
      const costChanges = costChangesOf(setPricesOf(changes), { snapshot, settings: providerSettings });
      const result = { ...countsOf(changes), models, skipped, costChanges };
      const isRepeated = result.set === 0 && result.unchanged > 0;
      if (isRepeated) context.note('all prices are set already: nothing was changed');
      context.show({ json: resultJson(result), text: resultText(result) });
    });
}

const importHelp = `
The gateway's own format is what "price list --json" prints:
[
  {
    "model": "openai/gpt-5.5",
    "organization_id": null,              for all (default: --organization)
    "tier": "flex",                       default: the standard tier
    "from": "2026-12-01T00:00:00Z",       default: --from
    "unit": "usd_per_million_tokens",
    "prices": { "input": 2, "cache_read": 0.2, "output": 12 },
    "above": [[272000, { "input": 4, "cache_read": 0.4, "output": 18 }]]
  }
]
prices can also have cache_write, cache_write_1h, output_reasoning, input_audio, cache_audio_read, output_audio,
input_image, cache_image_read and output_image; null ends a price. above contains the prices of requests with more input
tokens, if they differ.

The price file of LiteLLM is model_prices_and_context_window.json. Rows are skipped, and counted by reason, when the
gateway does not have their provider, mode (only chat) or unit (only tokens), when no request has their name (regions,
types of deployments), when they are free, and when another row is for the same model (duplicate). Prices of a tier are
skipped (lower) when any request would cost less than by the price table.

The result lists what changes: for each price that is set, the kinds of tokens with their old price (the former custom
price of the organization or of all, else that of the configuration or the price table) and the new one. SAME COST counts
the prices that are set and change no cost.

An invalid file changes nothing. Prices without a start of their own that are valid already are not set again.
${longJobHelp}
Run the same command again to continue after a stop or a crash.

Examples:
  npm run admin -- price import model_prices_and_context_window.json
  npm run admin -- price import prices.json --organization org_4fTgQ0wZ6uKc1vXb --from 2026-12-01T00:00:00Z`;

interface ScopedChanges extends PriceChanges {
  scope: PriceScope;
}

/** Enough to use the connections of the AWS SDK. */
const maxConcurrentModels = 25;

/** Appends to `changes`, so that they are known when the job stops. */
async function setPrices(
  { table, actor }: { table: CustomPricesTable; actor: Actor },
  prices: readonly ImportedPrice[],
  changes: ScopedChanges[],
  { signal, report }: LongJob,
): Promise<void> {
  const groups = byScope(prices);
  await forEachConcurrently(groups, maxConcurrentModels, async (group) => {
    signal.throwIfAborted();
    const [first] = group;
    if (first === undefined) return;
    const { model, organizationId } = first;
    const scope = { model, organizationId };
    changes.push({ scope, ...(await setCustomPrices(table, scope, group, undefined, actor)) });
    report(`${changes.length} of ${groups.length} models`);
  });
}

function countsOf(changes: readonly PriceChanges[]) {
  return {
    set: changes.reduce((sum, { changed }) => sum + changed.length, 0),
    unchanged: changes.reduce((sum, { unchanged }) => sum + unchanged.length, 0),
  };
}

/** By model, since they were set concurrently. */
function setPricesOf(changes: readonly ScopedChanges[]): SetPrice[] {
  const order = ({ model, organizationId }: PriceScope) => `${model} ${organizationId ?? ''}`;
  return changes
    .flatMap(({ scope, changed }) => changed.map((price) => ({ ...scope, ...price })))
    .sort((left, right) => order(left).localeCompare(order(right), 'en'));
}

interface ImportResult extends ReturnType<typeof countsOf> {
  models: number;
  skipped: Skipped;
  /** For each price that was set. */
  costChanges: readonly CostChange[];
}

function resultJson({ costChanges, ...counts }: ImportResult) {
  const different = costChanges.filter(({ kinds }) => kinds.length > 0);
  return { ...counts, same_cost: costChanges.length - different.length, changes: different.map(changeJson) };
}

function resultText({ set, unchanged, models, skipped, costChanges }: ImportResult): string {
  const different = costChanges.filter(({ kinds }) => kinds.length > 0);
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0);
  const counts = [set, unchanged, models, set - different.length];
  return [
    ...(different.length > 0 ? [`${changesText(different)}\n`] : []),
    textTable(['SET', 'UNCHANGED', 'MODELS', 'SAME COST'], [counts.map(String)]),
    ...(reasons.length > 0 ? [`\nSkipped: ${reasons.map((reason) => reason.join(' ')).join(', ')}`] : []),
    ...(skipped.lower > 0
      ? ['To set the prices that are lower than the built-in ones too, add --allow-lower.']
      : []),
  ].join('\n');
}
