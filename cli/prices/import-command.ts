import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { type PriceChanges, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import { providerOf } from '#lambdas/pricing/custom/custom-price.ts';
import type { CustomPricesTable } from '#lambdas/pricing/custom/store.ts';
import { isSameTier } from '#lambdas/pricing/tier.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { AdminError, usageError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions } from '../options.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { openSession } from '../session.ts';
import { resolvePath } from '../terminal.ts';
import { textTable } from '../text-table.ts';
import {
  isLiteLlmFile,
  type LiteLlmPrices,
  noSkippedRows,
  readLiteLlmPrices,
  type SkippedRows,
} from './litellm.ts';
import { scopeOptions } from './options.ts';
import { type ImportedPrice, parsePriceFile } from './price-file.ts';
import { noteReprice } from './reprice-note.ts';

export function addImportCommand(group: Command): void {
  group
    .command('import')
    .description("set the prices of a file: the gateway's own format, or the price file of LiteLLM")
    .argument('<file>', 'JSON file')
    .option('--from <time>', 'start of rows without "from", RFC 3339 (default: in 70 seconds)')
    .option('--organization <id>', 'organization of rows without "organization_id" (default: for all)')
    .addHelpText('after', importHelp)
    .action(async (file: string, _options: object, command: Command) => {
      const { from, organization } = readOptions(command, scopeOptions);
      const session = await openSession(command);
      const { directory, prices: table, providerSettings, terminal } = session;
      const path = resolvePath(file, terminal.environment);
      const defaults = { organizationId: organization, from };
      const { prices, skipped } = readPrices(await readJson(path), providerSettings, defaults);
      assertDistinct(prices);
      const [only = null, ...others] = new Set(prices.map(({ organizationId }) => organizationId));
      for (const id of [only, ...others]) {
        if (id !== null) await requireOrganization(directory, id);
      }
      const changes: PriceChanges[] = [];
      const organizationId = others.length === 0 ? only : null;
      const models = new Set(prices.map(({ model }) => model)).size;
      try {
        const work = (job: LongJob) =>
          recordOperation(session, {
            event: operationEvent({
              action: 'price.imported',
              type: 'price',
              organizationId,
              options: { file: basename(path), models },
            }),
            signal: job.signal,
            work: () => setPrices(table, prices, changes, job),
            counts: () => countsOf(changes),
          });
        await runLongJob(work, { terminal });
      } finally {
        noteReprice(session, changes, organizationId);
      }
      const result = { ...countsOf(changes), models, skipped };
      session.show({ json: result, text: resultText(result) });
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
types of deployments), when they are free, and when another row is for the same model (duplicate).

An invalid file changes nothing. Prices without a start of their own that are valid already are not set again.
${longJobHelp}
Run the same command again to continue after a stop or a crash.

Examples:
  npm run admin -- price import model_prices_and_context_window.json
  npm run admin -- price import prices.json --organization org_4fTgQ0wZ6uKc1vXb --from 2026-12-01T00:00:00Z`;

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`The file cannot be read: ${error.message}`);
  });
  const value = parseJson(text);
  if (value === undefined) throw usageError(`${path} is not valid JSON`);
  return value;
}

function readPrices(
  value: unknown,
  settings: ProviderSettingsByName,
  defaults: Pick<ImportedPrice, 'organizationId' | 'from'>,
): LiteLlmPrices {
  if (Array.isArray(value)) {
    return { prices: parsePriceFile(value, settings, defaults), skipped: noSkippedRows };
  }
  if (isLiteLlmFile(value)) return readLiteLlmPrices(value, defaults);
  throw usageError(
    'The file must be an array of prices, as of "price list --json", or the price file of LiteLLM',
  );
}

/** Throws an `AdminError` when two prices of a file exclude each other. */
function assertDistinct(prices: readonly ImportedPrice[]): void {
  const isSame = (left: ImportedPrice, right: ImportedPrice) =>
    left.from?.getTime() === right.from?.getTime() &&
    isSameTier(providerOf(left.model), left.tier, right.tier);
  for (const group of byScope(prices)) {
    for (const [index, price] of group.entries()) {
      if (!group.slice(0, index).some((other) => isSame(other, price))) continue;
      const start = price.from?.toISOString() ?? 'the default start';
      throw new AdminError(
        `The file has two prices of ${price.model} in the tier ${price.tier ?? 'standard'} from ${start}: remove one`,
        2,
      );
    }
  }
}

function byScope(prices: readonly ImportedPrice[]): ImportedPrice[][] {
  return [
    ...Map.groupBy(prices, ({ model, organizationId }) => JSON.stringify([model, organizationId])).values(),
  ];
}

/** Enough to use the connections of the AWS SDK. */
const maxConcurrentModels = 25;

/** Appends to `changes`, so that they are known when the job stops. */
async function setPrices(
  table: CustomPricesTable,
  prices: readonly ImportedPrice[],
  changes: PriceChanges[],
  { signal, report }: LongJob,
): Promise<void> {
  const groups = byScope(prices);
  await forEachConcurrently(groups, maxConcurrentModels, async (group) => {
    signal.throwIfAborted();
    const [first] = group;
    if (first === undefined) return;
    changes.push(await setCustomPrices(table, first, group));
    report(`${changes.length} of ${groups.length} models`);
  });
}

function countsOf(changes: readonly PriceChanges[]) {
  return {
    set: changes.reduce((sum, { changed }) => sum + changed.length, 0),
    unchanged: changes.reduce((sum, { unchanged }) => sum + unchanged.length, 0),
  };
}

interface ImportResult {
  set: number;
  unchanged: number;
  models: number;
  skipped: SkippedRows;
}

function resultText({ set, unchanged, models, skipped }: ImportResult): string {
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0);
  const table = textTable(['SET', 'UNCHANGED', 'MODELS'], [[set, unchanged, models].map(String)]);
  if (reasons.length === 0) return table;
  return `${table}\n\nSkipped rows: ${reasons.map(([reason, count]) => `${reason} ${count}`).join(', ')}`;
}
