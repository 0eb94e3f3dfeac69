import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { randomChatOutputs } from '#test/support/providers/random-results.ts';

/** The hashes of the output before results had a neutral form, by the seed. */
const fixture = path.join(import.meta.dirname, 'recorded-output.json');
const recorded: Record<string, string[]> = JSON.parse(readFileSync(fixture, 'utf8'));

it.each(['anthropic', 'bedrock', 'google'] as const)(
  'Chat completions and streams from %s are the same bytes as before',
  async (provider) => {
    const hashes: string[] = [];
    for (const seed of recorded[provider]?.keys() ?? []) {
      const outputs = await randomChatOutputs(seed, provider);
      hashes.push(createHash('sha256').update(outputs.join('\0')).digest('hex').slice(0, 8));
    }
    expect(hashes).toHaveLength(100);
    expect(hashes).toEqual(recorded[provider]);
  },
);
