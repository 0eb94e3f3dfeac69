/** Compares the table of operations in `docs/providers/README.md` with the catalog. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  type CatalogEntry,
  type OfferedOperation,
  offersOperation,
  providerCatalog,
  tokenCounterOf,
} from '#lambdas/inference/providers/catalog.ts';
import { projectRoot } from '#test/support/source/modules.ts';

const page = readFileSync(path.join(projectRoot, 'docs/providers/README.md'), 'utf8');

/** The cells of the rows below the heading, by the provider's name. */
function tableBelow(heading: string): Record<string, string[]> {
  const [, section = ''] = page.split(`\n${heading}\n`);
  const [, table = ''] = section.split('|---|---|---|---|---|---|\n');
  const [rows = ''] = table.split('\n\n', 1);
  const cells = rows.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(cells.map(([, name = '', ...others]) => [name, others.slice(0, -1)]));
}

function wordsFor(offered: OfferedOperation | undefined, isOwnFormat: (api: string) => boolean): string {
  if (offered === undefined) return 'none';
  const { api, models } = offered;
  return `${isOwnFormat(api) ? 'own format' : 'translated'}${models === undefined ? '' : forModels(models)}`;
}

/** The API of chats serves the models for which a provider does not have that of the operation. */
function translatedWordsFor(
  entry: CatalogEntry,
  operation: 'messages' | 'responses',
  ownApis: readonly string[],
): string {
  const { [operation]: native } = entry.operations;
  const own = wordsFor(native, (api) => ownApis.includes(api));
  if (!offersOperation(entry, operation, 'any-other-model')) return own;
  if (native === undefined) return 'translated';
  return native.models === undefined ? own : `${own}; otherwise translated`;
}

function forModels(models: RegExp): string {
  const names = {
    Claude: 'anthropic.claude-x',
    GPT: 'openai.gpt-5',
    Grok: 'xai.grok-4',
    Nova: 'amazon.nova-x',
  };
  const matching = Object.entries(names).flatMap(([name, id]) => (models.test(id) ? [name] : []));
  return `, for ${matching.join(' and ')}`;
}

it('The table of operations has what each provider of the catalog offers', () => {
  const offered = Object.entries(providerCatalog).map(([name, entry]) => {
    const { operations } = entry;
    return [
      `\`${name}\``,
      [
        wordsFor(operations['chat.completions'], (api) => api === 'openai'),
        // Bedrock's endpoints have the formats of OpenAI and Anthropic.
        translatedWordsFor(entry, 'responses', ['openai', 'bedrock']),
        wordsFor(operations.embeddings, (api) => api === 'openai'),
        translatedWordsFor(entry, 'messages', ['anthropic', 'bedrock']),
        wordsFor(tokenCounterOf(entry), (api) => api === 'anthropic'),
      ],
    ];
  });

  expect(tableBelow('## Operations')).toEqual(Object.fromEntries(offered));
});
