/** The file of the price table: JSON, since that is read faster than code, with a line for each model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import { reducedModel } from './reduced-model.ts';

const projectRoot = join(import.meta.dirname, '../..');
const packageDirectory = join(projectRoot, 'node_modules/@pydantic/genai-prices');

export const priceDataPath = join(projectRoot, 'lambdas/pricing/price-data.ts');

/** As the installed package has it. */
export async function priceDataFile(): Promise<string> {
  // Nothing asked for an update, so these are the prices that came with the package.
  const providers = (await waitForUpdate()) ?? [];
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const licence = readFileSync(join(packageDirectory, 'LICENSE'), 'utf8');
  return [
    fileComment(version, licence),
    '',
    `export const priceDataVersion = 'genai-prices ${version}';`,
    '',
    '/** JSON of `ProviderPrices`, by the name that the table has for the provider. */',
    'export const priceData: Readonly<Record<string, string>> = {',
    // No provider of the gateway can have another name.
    ...providers.filter(({ id }) => isProviderName(id)).map(providerProperty),
    '};',
    '',
  ].join('\n');
}

function fileComment(version: string, licence: string): string {
  const lines = [
    `The prices of \`@pydantic/genai-prices\` ${version}. Generated: \`npm run prices\` writes them anew from the package`,
    'that is installed, with what the gateway uses of it. `priced-model.ts` says what a line means.',
    '',
    ...licence.trim().split('\n'),
  ];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].join('\n');
}

function providerProperty({ id, fallback_model_providers: fallbacks, models }: Provider): string {
  const before = fallbacks === undefined ? '' : `"fallbacks":${JSON.stringify(fallbacks)},`;
  const lines = models.map((model) => JSON.stringify(reducedModel(model)));
  const text = `{${before}"models":[\n${lines.join(',\n')}\n]}`;
  return `  ${/^\w+$/.test(id) ? id : `'${id}'`}: \`${inTemplate(text)}\`,`;
}

function inTemplate(text: string): string {
  return text.replace(/\\|`|\$(?=\{)/g, '\\$&');
}
