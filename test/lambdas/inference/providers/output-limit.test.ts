import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { readOutputLimit } from '#lambdas/inference/providers/output-limit.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { defaultMaxOutputTokens, estimateMaxCost } from '#lambdas/limits/estimate.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

/** `members` is the text of JSON members. */
const limitOf = (members: string) =>
  readOutputLimit(` { "messages": [{ "n": 9, "max_tokens": 9 }], ${members} }`);

const certain = (maxOutputTokens: number) => ({ maxOutputTokens, isLimitUncertain: false, completions: 1 });
const uncertain = (maxOutputTokens: number | null) => ({
  maxOutputTokens,
  isLimitUncertain: true,
  completions: 1,
});

describe('The output limit of a request in OpenAI format', () => {
  it('is the larger one of max_completion_tokens and max_tokens', () => {
    expect(limitOf('"max_completion_tokens": 10, "max_tokens": 20')).toEqual(certain(20));
    expect(limitOf('"max_completion_tokens": 20, "max_tokens": 10')).toEqual(certain(20));
    expect(limitOf('"max_completion_tokens": null, "max_tokens": 1e2')).toEqual(certain(100));
    expect(limitOf('"seed": 1')).toEqual(uncertain(null));
  });

  it.each([
    ['duplicate keys', '"max_tokens": 5, "max_tokens": 90000, "max_tokens": 6'],
    ['letter case', '"max_tokens": 5, "MAX_Completion_Tokens": 90000'],
    ['letters that only Unicode equates', '"max_tokens": 5, "max_to\u212aen\u017f": 90000'],
    ['escapes', String.raw`"max_tokens": 5, "\u006dax_tokens": 90000`],
  ])('is the largest value of all keys that a server may read: %s', (_case, members) => {
    expect(limitOf(members)).toEqual(certain(90_000));
  });

  it.each(['0', '-1', '1.5', 'true', '[5]', '{"valueOf": 5}', '"a"', '1e300', '9007199254740993'])(
    'is uncertain if a value is not a positive integer: %s',
    (value) => {
      expect(limitOf(`"max_tokens": ${value}`)).toEqual(uncertain(null));
      expect(limitOf(`"max_completion_tokens": 5000, "max_tokens": ${value}`)).toEqual(uncertain(5_000));
    },
  );

  it('is uncertain if it is text, null in a duplicate, or only named in another letter case', () => {
    expect(limitOf('"max_tokens": "5000"')).toEqual(uncertain(5_000));
    expect(limitOf('"MAX_TOKENS": 5')).toEqual(uncertain(5));
    expect(limitOf('"max_tokens": 5, "max_tokens": null')).toEqual(uncertain(5));
  });

  it('reads the largest number of completions, also from text', () => {
    expect(limitOf('"n": 3, "N": 7, "n": 2').completions).toBe(7);
    expect(limitOf('"n": "1_2"').completions).toBe(12);
    for (const value of ['null', '0', '-5', '2.5', '"a"', 'true', '{"valueOf": 5}']) {
      expect(limitOf(`"n": ${value}`).completions).toBe(1);
    }
  });

  it('accepts as many duplicate keys as fit into a request', () => {
    expect(limitOf(`${'"n":2,"max_tokens":5,'.repeat(200_000)}"n":1`)).toEqual({
      ...certain(5),
      completions: 2,
    });
  });

  it('is read from the body that is sent, not from that of the caller', async () => {
    const outputLimitOf = async (name: string, request: Record<string, unknown>) => {
      const entry = providerCatalog[name];
      if (entry === undefined) throw new Error(`${name} is not in the catalog`);
      const options = {
        name,
        baseUrl: 'https://x.test/v1',
        region: null,
        path: '/chat/completions',
        entry,
        aws: exampleClientOptions,
      };
      const prepared = await createPrepare(() => createOpenAiProtocol(options))(providerCall(request));
      return prepared.outputLimit();
    };
    const request = { max_completion_tokens: 5, max_tokens: 90_000, n: 2, stream: true };

    expect(await outputLimitOf('openai', request)).toEqual({ ...certain(90_000), completions: 2 });
    // Sends `max_completion_tokens` as `max_tokens`.
    expect(await outputLimitOf('ollama', request)).toEqual({ ...certain(5), completions: 2 });
    expect(await outputLimitOf('ollama', { ...request, Max_Tokens: 90_000 })).toEqual({
      ...certain(90_000),
      completions: 2,
    });
  });
});

type Member = [key: string, value: unknown];

/** The tokens that a server generates at most, which uses the first known limit. */
interface Server {
  names: string[];
  ignoresCase: boolean;
  duplicates: 'first' | 'last';
  acceptsText: boolean;
}

function maxTokensOf(members: readonly Member[], server: Server): number {
  for (const name of server.names) {
    const values = members
      .filter(([key]) => key === name || (server.ignoresCase && key.toLowerCase() === name))
      .map(([, value]) => value);
    const value = values.at(server.duplicates === 'first' ? 0 : -1) ?? null;
    if (value === null) continue;
    const limit = server.acceptsText ? Number(value) : value;
    return typeof limit === 'number' && limit > 0 ? limit : defaultMaxOutputTokens;
  }
  return defaultMaxOutputTokens;
}

describe('The estimate of a request in OpenAI format', () => {
  it('is never below the output of a server, whichever of the limits it reads', () => {
    const limit = fc.constantFrom('max_tokens', 'max_completion_tokens');
    const member = fc.tuple(
      fc.oneof(limit, fc.constantFrom('Max_Tokens', 'MAX_COMPLETION_TOKENS')),
      fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom(null, -1, '9000', 'a', true)),
    );
    const server = fc.record<Server>({
      names: fc.shuffledSubarray(['max_tokens', 'max_completion_tokens'], { minLength: 2 }),
      ignoresCase: fc.boolean(),
      duplicates: fc.constantFrom('first', 'last'),
      acceptsText: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), server, (members, server) => {
        const texts = members.map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
        const estimate = estimateMaxCost({
          ...readOutputLimit(`{${texts.join()}}`),
          textBytes: 0,
          attachments: { image: 0, audio: 0, video: 0, document: 0 },
          rates: { usdPerMillionInput: 0, usdPerMillionOutput: 1_000_000, usdPerThousandRequests: 0 },
        });

        expect(Number(estimate)).toBeGreaterThanOrEqual(maxTokensOf(members, server));
      }),
    );
  });
});
