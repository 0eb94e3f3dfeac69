/** Responses without the usage that their protocol promises: none of them is free without saying so. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import {
  eventsWith,
  exampleRates,
  reportedUsages,
  wholeWith,
} from '#test/support/providers/dialects/missing-usage.ts';
import {
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import type { OpenAIUpstream } from '#test/support/providers/openai/upstream.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

interface Gateway {
  upstream: OpenAIUpstream;
  gateway: ChatHandlerFixture;
}

const budgets = { 'with a hard budget': { organization: { month: '1000' } }, 'without a budget': {} };
type BudgetKind = keyof typeof budgets;
const budgetKinds = Object.keys(budgets) as BudgetKind[];

let fixture: ChatFixture;
const patient = new Map<BudgetKind, Gateway>();
/** For providers that never end their response, and callers who wait for it. */
const impatient = new Map<BudgetKind, Gateway>();
beforeAll(async () => {
  fixture = await startChatFixture();
  for (const kind of budgetKinds) {
    const options = { providers: [...protocols, 'openrouter'], hardLimits: budgets[kind] };
    patient.set(kind, await fixture.setUp({ ...options, limits: { drainMs: 10 } }));
    const limits = { firstByteMs: 100, idleMs: 30 };
    impatient.set(kind, await fixture.setUp({ ...options, limits }));
  }
});
afterAll(() => fixture.stop());

interface Asked {
  protocol: Protocol;
  /** The example of the protocol by default. */
  model?: string;
  stream: boolean;
  respond: Respond;
  /** The caller leaves once the provider has the request. */
  leaves?: boolean;
}

async function entryOf(gateways: ReadonlyMap<BudgetKind, Gateway>, budget: BudgetKind, asked: Asked) {
  const { upstream } = gateways.get(budget) ?? expect.fail();
  upstream.script(asked.respond);
  for (;;) {
    const received = upstream.requests.length;
    const entry = await askedEntry(gateways, budget, asked);
    // On a busy machine, an impatient gateway may give up before the provider has the request.
    if (upstream.requests.length === received) continue;
    if (!asked.leaves) await upstream.takeRequest();
    return entry;
  }
}

async function askedEntry(
  gateways: ReadonlyMap<BudgetKind, Gateway>,
  budget: BudgetKind,
  { protocol, model = responseFormats[protocol].model, stream, leaves = false }: Asked,
) {
  const { upstream, gateway } = gateways.get(budget) ?? expect.fail();
  const startMs = Date.now();
  const session = randomUUID();
  const request = gateway.event(
    {
      model,
      messages: [{ role: 'user', content: 'Say hello' }],
      max_completion_tokens: 50,
      ...(stream && { stream }),
    },
    { 'gateway-session-id': session },
  );
  const body = new PassThrough();
  const calling = gateway.call(request, body);
  if (leaves) {
    await upstream.takeRequest();
    body.destroy();
    await once(body, 'close');
    await (await calling).invocation;
  } else {
    const { invocation } = await calling;
    await text(body);
    await invocation;
  }
  const entry = (await gateway.entries({ ...allTime, startMs })).find(
    ({ session_id }) => session_id === session,
  );
  return entry ?? expect.fail('The request was not logged');
}

type Entry = Awaited<ReturnType<typeof entryOf>>;

function costOf(protocol: Protocol, { input_tokens, output_tokens }: Partial<Entry>): string {
  const { input, output } = exampleRates[protocol];
  return usdFromNumber(((input_tokens ?? 0) * input + (output_tokens ?? 0) * output) / 1_000_000);
}

/** `known` is the part of the usage that counts. */
function expectedPrice(protocol: Protocol, known: Partial<Entry>, { reserved_usd }: Entry) {
  if (known.usage_source === 'provider') return { cost_usd: costOf(protocol, known), pricing: 'table' };
  if (reserved_usd !== null) return { cost_usd: reserved_usd, pricing: 'assumed', pricing_version: null };
  const pricing =
    known.usage_source === 'incomplete' || known.outcome === 'interrupted' ? 'assumed' : 'table';
  return { cost_usd: costOf(protocol, known), pricing };
}

function expectCharged(protocol: Protocol, entry: Entry) {
  expect(entry.usage_source).not.toBe('missing');
  expect(Number(entry.cost_usd)).toBeGreaterThan(0);
  expect(entry).toMatchObject(expectedPrice(protocol, entry, entry));
}

it('A request that ends with an error after its usage keeps the usage, but not below its reservation', async () => {
  const usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
  const failing = [
    event({ ...deltaChunk({ role: 'assistant', content: 'Hello' }), usage }),
    event({ error: { message: 'Overloaded', type: 'server_error' } }),
  ];
  const asked = { protocol: 'openai', stream: true, respond: streamResponse(failing) } as const;
  const [reserved, free] = [
    await entryOf(patient, 'with a hard budget', asked),
    await entryOf(patient, 'without a budget', asked),
  ];

  const failed = { outcome: 'provider_error', input_tokens: 19, output_tokens: 5 };
  expect(free).toMatchObject({ ...failed, usage_source: 'provider', cost_usd: '0.00000585' });
  expect(reserved).toMatchObject({ ...failed, usage_source: 'estimated', cost_usd: reserved.reserved_usd });
});

const choice = (content: string, finish_reason: string) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
});

describe.each(budgetKinds)('Nothing is charged %s', (budget) => {
  it.each<[string, Protocol, Respond, object]>([
    ['an error 400', 'openai', jsonResponse({ error: { message: 'No' } }, { status: 400 }), {}],
    ['an error 429', 'google', jsonResponse({ error: { message: 'No' } }, { status: 429 }), {}],
    ['an error 500', 'anthropic', jsonResponse({ error: { message: 'No' } }, { status: 500 }), {}],
    ['an error in a response with status 200', 'openai', jsonResponse({ error: { message: 'No' } }), {}],
    ['a filter', 'openai', jsonResponse(choice('', 'content_filter')), {}],
    [
      'a blocked prompt',
      'google',
      jsonResponse({ promptFeedback: { blockReason: 'SAFETY' } }),
      { pricing: 'provider' },
    ],
    [
      'a refusal',
      'anthropic',
      jsonResponse({ type: 'message', role: 'assistant', content: [], stop_reason: 'refusal' }),
      { pricing: 'provider' },
    ],
  ])('for %s', async (_, protocol, respond, fields) => {
    const entry = await entryOf(patient, budget, { protocol, stream: false, respond });
    expect(entry).toMatchObject({ cost_usd: '0', pricing: null, usage_source: 'missing', ...fields });
  });

  it('for a connection that is reset at once, also when the request is repeated', async () => {
    const { upstream } = patient.get(budget) ?? expect.fail();
    upstream.script(resetBeforeHeaders);
    const asked = { protocol: 'openai', stream: false, respond: resetBeforeHeaders } as const;
    const entry = await entryOf(patient, budget, asked);
    await upstream.takeRequest();

    expect(entry).toMatchObject({ outcome: 'provider_error', retries: 1, status: 502 });
    expect(entry).toMatchObject({ cost_usd: '0', pricing: null, usage_source: 'missing' });
  });

  it('for a cost of 0 that the response states, although it has no counts', async () => {
    const respond = jsonResponse({ ...choice('Hello there', 'stop'), usage: { cost: 0 } });
    const asked = {
      protocol: 'openai',
      model: 'openrouter/openai/gpt-4o-mini',
      stream: false,
      respond,
    } as const;
    const entry = await entryOf(patient, budget, asked);

    expect(entry).toMatchObject({ cost_usd: '0', pricing: 'provider', usage_source: 'estimated' });
    expect(entry).toMatchObject({ input_tokens: 3, output_tokens: 3 });
  });
});

describe.each(budgetKinds)('A request %s', (budget) => {
  describe.each(protocols)('to %s', (protocol) => {
    it.each(reportedUsages)('is charged for a whole response whose usage is $title', async (reported) => {
      for (const stream of [false, true]) {
        const respond = stream
          ? streamResponse(eventsWith(protocol, reported))
          : jsonResponse(wholeWith(protocol, reported));
        const entry = await entryOf(patient, budget, { protocol, stream, respond });

        expect(entry).toMatchObject({ outcome: 'completed', status: 200, ...reported.entry });
        expect(entry).toMatchObject(expectedPrice(protocol, reported.entry as Partial<Entry>, entry));
        expect(entry.reserved_usd === null).toBe(budget === 'without a budget');
      }
    });

    it.each([
      ['is cut', patient, 'close', false, 'provider_error'],
      ['stops', impatient, 'hang', false, 'timeout'],
      ['goes on after its caller has left', patient, 'hang', true, 'client_closed'],
    ] as const)('is charged for a stream that %s', async (_, gateways, ending, leaves, outcome) => {
      for (const reported of reportedUsages) {
        const events = eventsWith(protocol, reported);
        const respond = streamResponse(events.slice(0, Math.ceil(events.length / 2)), { ending });
        const entry = await entryOf(gateways, budget, { protocol, stream: true, respond, leaves });

        expect(entry.outcome).toBe(outcome);
        expect(entry.usage_source).not.toBe('provider');
        expectCharged(protocol, entry);
      }
    });

    it.each([
      [false, false, 'timeout'],
      [true, false, 'timeout'],
      [false, true, 'client_closed'],
      [true, true, 'client_closed'],
    ])(
      'is charged without a response (stream: %s, the caller leaves: %s)',
      async (stream, leaves, outcome) => {
        const respond = hangBeforeHeaders;
        const entry = await entryOf(leaves ? patient : impatient, budget, {
          protocol,
          stream,
          respond,
          leaves,
        });

        expect(entry).toMatchObject({
          outcome,
          usage_source: 'estimated',
          input_tokens: 3,
          output_tokens: 0,
        });
        expectCharged(protocol, entry);
      },
    );

    it.each([false, true])('is charged if its function is killed (stream: %s)', async (stream) => {
      const { gateway } = impatient.get(budget) ?? expect.fail();
      const before = gateway.lines.length;
      await entryOf(impatient, budget, { protocol, stream, respond: hangBeforeHeaders });
      const line = gateway.lines.slice(before).find(({ event }) => event === 'request_forwarded');
      const placeholder = parseLogEntry(line?.entry);
      const findPrice = createPriceFinder({ customPrices: emptyPriceTable, settings: {} });
      const entry = { ...placeholder, ...(await findPrice(placeholder)) };

      expect(entry).toMatchObject({ outcome: 'interrupted', input_tokens: 3, pricing: 'assumed' });
      expectCharged(protocol, entry);
    });
  });
});
