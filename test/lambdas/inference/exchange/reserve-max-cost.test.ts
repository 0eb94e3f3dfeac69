/**
 * Compares reservations with the cost of everything that a server may read in the body it receives, for generated bodies
 * with duplicate keys, keys and types in other letter cases, and numbers as text.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { toUnits, usdFromNumber } from '#lambdas/platform/money.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { findMaxRates } from '#lambdas/pricing/max-rates.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import { chatBodies } from '#test/support/chat/ambiguous-bodies.ts';
import {
  countReadings,
  type JsonTree,
  mergedReading,
  readingsOf,
  writeJson,
} from '#test/support/chat/ambiguous-json.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { fc } from '#test/support/fast-check.ts';
import { exampleUsage } from '#test/support/providers/openai/events.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';
import { byTestForm } from '#test/support/test-form.ts';

type Gateway = Awaited<ReturnType<ChatFixture['setUp']>>;

let fixture: ChatFixture;
let gatewayWithBudget: Gateway;
beforeAll(async () => {
  fixture = await startChatFixture();
  gatewayWithBudget = await fixture.setUp({ hardLimits: { key: { month: '1000000000' } } });
});
afterAll(() => fixture.stop());

const completion = {
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: exampleUsage,
};

async function send(body: string, { gateway, upstream }: Gateway) {
  upstream.script(jsonResponse(completion));
  const { status } = await gateway.post(body);
  const line = gateway.lines.findLast(({ event }) => event === 'request_forwarded');
  gateway.lines.length = 0;
  const sent = upstream.requests.pop()?.body.toString();
  return { status, sent, reservedUsd: parseLogEntry(line?.entry).reserved_usd ?? '0' };
}

interface Server {
  /** Applies to keys. */
  ignoresCase: boolean;
  /** Accepts the types of parts in any case, and numbers as text. */
  isLenient: boolean;
  /** In their order of precedence. */
  limits: readonly string[];
}

const servers: Server[] = [true, false].flatMap((ignoresCase) =>
  [true, false].flatMap((isLenient) =>
    [
      ['max_completion_tokens', 'max_tokens'],
      ['max_tokens', 'max_completion_tokens'],
    ].map((limits) => ({ ignoresCase, isLenient, limits })),
  ),
);

const tokensOf = { image: 36_000, audio: 20_000, video: 100_000, document: 100_000 };
type Medium = keyof typeof tokensOf;

function mediumOf(part: JsonObject, { isLenient }: Server): { medium: Medium; data: unknown } | null {
  const { type, image_url, video_url, input_audio, file } = part;
  switch (isLenient && typeof type === 'string' ? type.toLowerCase() : type) {
    case 'image_url':
      return { medium: 'image', data: isJsonObject(image_url) ? image_url.url : image_url };
    case 'video_url':
      return { medium: 'video', data: objectOrEmpty(video_url).url };
    case 'input_audio':
      return { medium: 'audio', data: objectOrEmpty(input_audio).data };
    case 'file': {
      const { file_data: data } = objectOrEmpty(file);
      if (String(data).startsWith('data:text/')) return null;
      return { medium: String(data).startsWith('data:image/') ? 'image' : 'document', data };
    }
    default:
      return null;
  }
}

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

function tokensIn(value: unknown, { isLenient }: Server): number | null {
  const number = isLenient && typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) > 0 ? Number(number) : null;
}

/** The cost of what a server reads in a text, in units of 10⁻¹² dollars. */
function costOf(request: JsonObject, text: string, model: string, server: Server): bigint {
  const media: Medium[] = [];
  let inputTokens = Buffer.byteLength(text);
  for (const { content, images, audio } of list(request.messages)) {
    for (const part of [...list(content), ...list(images)]) {
      const attachment = mediumOf(part, server);
      if (attachment === null) continue;
      media.push(attachment.medium);
      if (typeof attachment.data === 'string') inputTokens -= Buffer.byteLength(attachment.data);
    }
    if (isJsonObject(audio)) media.push('audio');
  }
  inputTokens += media.reduce((sum, medium) => sum + tokensOf[medium], 0);
  const { messages: _, metadata: __, tools: ___, model: ____, ...options } = request;
  const optionsText = JSON.stringify(options).toLowerCase();
  const rates = findMaxRates(
    {
      provider: 'openai',
      model,
      region: null,
      at: new Date('2026-11-01T00:00:00Z'),
      settings: {},
      findCustomPrices: () => noCustomPrices,
      serviceTier: typeof request.service_tier === 'string' ? request.service_tier : null,
      optionsText,
      withAudio: optionsText.includes('audio') || media.includes('audio') || media.includes('video'),
      withImages: media.includes('image'),
      withCaching: false,
      withOutput: true,
    },
    priceTable,
  );
  const given = server.limits.map((name) => request[name]).find((value) => (value ?? null) !== null);
  const limit = tokensIn(given, server) ?? 4_096;
  const outputTokens = (tokensIn(request.n, server) ?? 1) * limit;
  const perMillion = (usd: number): bigint => toUnits(usdFromNumber(usd)) / 1_000_000n;
  const { usdPerMillionInput, usdPerMillionOutput } = rates ?? expect.fail();
  return (
    BigInt(inputTokens) * perMillion(usdPerMillionInput) +
    BigInt(outputTokens) * perMillion(usdPerMillionOutput)
  );
}

const models = fc.constantFrom('gpt-4o', 'gpt-4o-audio-preview', 'gpt-audio', 'gpt-5.6-sol');

/** The gateway itself requires these members. */
function withModelAndMessages(body: JsonTree, model: string): JsonTree {
  const members = 'members' in body ? body.members : [];
  const hasMessages = members.some(([key]) => key === 'messages');
  return {
    members: [
      ['model', { value: model }],
      ...members,
      ...(hasMessages ? [] : [['messages', { items: [] }] as const]),
    ],
  };
}

/** Returns the reservation, and the costs that it has to cover. */
async function reserve(generated: JsonTree, model: string) {
  const tree = withModelAndMessages(generated, `openai/${model}`);
  const text = writeJson(tree);
  const { status, sent, reservedUsd } = await send(text, gatewayWithBudget);
  expect([status, sent]).toEqual([200, text.replace('openai/', '')]);
  const costs = servers.flatMap((server) =>
    [...readingsOf(tree, server), ...(server.ignoresCase ? [mergedReading(tree)] : [])].map((request) =>
      costOf(objectOrEmpty(request), text, model, server),
    ),
  );
  return { reserved: toUnits(reservedUsd), costs };
}

describe('A reservation', () => {
  it('is the cost of a body that all servers read alike', async () => {
    await fc.assert(
      fc.asyncProperty(chatBodies(false), models, async (body, model) => {
        const { reserved, costs } = await reserve(body, model);
        expect(new Set(costs)).toEqual(new Set([reserved]));
      }),
      { numRuns: byTestForm({ short: 50, long: 2_000 }) },
    );
  });

  it('is never below the cost of what some server reads in the body', async () => {
    await fc.assert(
      fc.asyncProperty(
        chatBodies(true).filter((body) => countReadings(body) <= 500),
        models,
        async (body, model) => {
          const { reserved, costs } = await reserve(body, model);
          const max = costs.reduce((one, other) => (one > other ? one : other), 0n);
          expect(reserved).toBeGreaterThanOrEqual(max);
        },
      ),
      { numRuns: byTestForm({ short: 150, long: 2_000 }) },
    );
  });
});
