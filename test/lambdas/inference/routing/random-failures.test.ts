/**
 * Requests to routes whose targets fail in random ways: every attempt is logged and paid for, and a response has the bytes of one
 * target only.
 */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { createInferenceHandler } from '#lambdas/inference/handler.ts';
import { operations } from '#lambdas/inference/operations.ts';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { TruncatedResponseError } from '#lambdas/inference/providers/http/connection-errors.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { createServeRoute } from '#lambdas/inference/routing/serve-route.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
} from '#test/support/providers/openai/events.ts';

const providers = ['openai', 'mistral', 'groq', 'xai'] as const;
const startMs = Date.UTC(2026, 10, 23, 12, 4);

const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };

type Ending = 'done' | 'error event' | 'truncated' | 'timeout';

type Behaviour = { elapsedMs: number } & (
  | { kind: 'status'; status: number }
  | { kind: 'unreachable' }
  | { kind: 'timeout' }
  | { kind: 'response'; comments: number; role: boolean; texts: number; ending: Ending; chunkSize: number }
);

const endings: readonly Ending[] = ['done', 'error event', 'truncated', 'timeout'];
const statuses = [400, 401, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503, 529];

const behaviour: fc.Arbitrary<Behaviour> = fc
  .tuple(
    fc.nat(4000),
    fc.oneof(
      fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(...statuses) }),
      fc.record({ kind: fc.constantFrom('unreachable' as const, 'timeout' as const) }),
      fc.record({
        kind: fc.constant('response' as const),
        comments: fc.nat(2),
        role: fc.boolean(),
        texts: fc.nat(3),
        ending: fc.constantFrom(...endings),
        chunkSize: fc.integer({ min: 20, max: 2000 }),
      }),
    ),
  )
  .map(([elapsedMs, kind]) => ({ elapsedMs, ...kind }) as Behaviour);

const scenario = fc.record({
  behaviours: fc.array(behaviour, { minLength: 1, maxLength: providers.length }),
  attempts: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  stream: fc.boolean(),
  deadlineMs: fc.constantFrom(3000, 6000, 600_000),
  /** The reservation that the budget refuses, from 0. */
  refusedReservation: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** An attempt is not begun in the last second. */
const minAttemptMs = 1000;

/** Whether the request is served by another target, without a budget or a deadline. */
function mayFallBack(behaviour: Behaviour, stream: boolean): boolean {
  switch (behaviour.kind) {
    case 'status':
      return ![400, 422].includes(behaviour.status);
    case 'response':
      return behaviour.texts === 0 || (!stream && behaviour.ending !== 'done');
    default:
      return true;
  }
}

function expectedAttempts({
  behaviours,
  attempts = 3,
  stream,
  deadlineMs,
  refusedReservation,
}: Scenario): number {
  let count = 0;
  let nowMs = 0;
  for (const current of behaviours) {
    count++;
    nowMs += current.elapsedMs;
    const isBounded = count >= attempts || nowMs + minAttemptMs > deadlineMs || count === refusedReservation;
    if (isBounded || !mayFallBack(current, stream)) break;
  }
  return count;
}

function bodyOf(
  provider: string,
  stream: boolean,
  { role, texts, ending, comments }: Extract<Behaviour, { kind: 'response' }>,
) {
  const words = Array.from({ length: texts }, (_, index) => `<${provider} ${index}>`);
  if (!stream) {
    if (ending === 'error event') return JSON.stringify({ error: { message: 'Busy', code: 500 } });
    const message = { role: 'assistant', content: words.join('') };
    const whole = {
      ...buildChunk({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
      object: 'chat.completion',
    };
    return ending === 'done' ? JSON.stringify(whole) : JSON.stringify(whole).slice(0, -20);
  }
  return [
    ...Array.from({ length: comments }, () => ': waiting\n\n'),
    ...(role ? [event(deltaChunk({ role: 'assistant', content: '' }))] : []),
    ...words.map((content) => event(deltaChunk({ content }))),
    ...(ending === 'error event' ? [errorEvent({ message: 'Busy', code: 500 })] : []),
    ...(ending === 'done' ? [event(deltaChunk({}, 'stop')), event(buildChunk({ usage })), doneEvent] : []),
  ].join('');
}

async function run({ behaviours, attempts, stream, deadlineMs, refusedReservation }: Scenario) {
  let nowMs = startMs;
  const now = () => new Date(nowMs);
  const calls: string[] = [];
  const lines: { event: string; fields: JsonObject }[] = [];
  const entries: LogEntry[] = [];
  const paid: Usd[] = [];
  let reservations = 0;
  const transport: HttpTransport = async ({ url }) => {
    const provider = url.hostname.split('.')[0] ?? '';
    const current = behaviours[calls.length] ?? expect.fail('There are more calls than targets');
    calls.push(provider);
    nowMs += current.elapsedMs;
    if (current.kind === 'unreachable')
      throw new GatewayError('provider_unavailable', { message: 'Unreachable' });
    if (current.kind === 'timeout') throw new GatewayError('provider_timeout', { message: 'Too slow' });
    if (current.kind === 'status') {
      const error = { error: { message: `Status ${current.status}` } };
      return {
        status: current.status,
        headers: {},
        read: async (consume) => void (await consume(Buffer.from(JSON.stringify(error)))),
      };
    }
    const bytes = Buffer.from(bodyOf(provider, stream, current));
    return {
      status: 200,
      headers: { 'content-type': stream ? 'text/event-stream' : 'application/json' },
      async read(consume) {
        for (let at = 0; at < bytes.length; at += current.chunkSize) {
          await consume(bytes.subarray(at, at + current.chunkSize));
        }
        if (current.ending === 'truncated') throw new TruncatedResponseError(new Error('closed'));
        if (current.ending === 'timeout') throw new GatewayError('provider_timeout', { message: 'Too slow' });
      },
    };
  };
  const lease = () => {
    let isPaid = false;
    const pay = async (costUsd: Usd) => {
      if (!isPaid) paid.push(costUsd);
      isPaid = true;
    };
    return { settle: pay, end: ({ costUsd }: { costUsd: Usd }) => pay(costUsd) };
  };
  const targets = behaviours.map((_, index) => ({ model: `${providers[index]}/gpt-4o` }));
  const route = {
    strategy: 'order',
    targets,
    ...(attempts !== undefined && { attempts }),
  } as unknown as Route;
  const pricing = createPricing(emptyPriceTable);
  const apiKey = requestKey({ key_budget: { id: 'b', shards: 1, allows_unpriced: true } });
  const handle = createInferenceHandler({
    operations,
    now,
    transport,
    authenticate: async () => apiKey,
    credentials: {
      prefetch() {},
      prefetchEarly() {},
      find: async () => 'sk-upstream',
      refresh: async () => null,
      providerNames: async () => [],
    },
    providers: createProviderRegistry(
      Object.fromEntries(providers.map((name) => [name, { baseUrl: `http://${name}.test` }])),
      exampleClientOptions,
    ),
    agentSessions: true,
    log: {
      info: (name, fields) => void lines.push({ event: name, fields: { ...fields } }),
      error: () => {},
    },
    logEntries: { put: async (entry) => void entries.push(entry) },
    lostEntries: { send: () => Promise.reject(new Error('Log entries are always written')) },
    loadPricing: async () => pricing,
    loadAdmitRequest: async () => async () => {
      const isRefused = reservations++ === refusedReservation;
      return {
        reservation: { usd: '1', counters: [] },
        lease: isRefused ? null : lease(),
        refusal: null,
        rateLimitHeaders: {},
        error: isRefused ? new GatewayError('insufficient_quota', { message: 'Nothing is left' }) : null,
      };
    },
    loadServeRoute: async () =>
      createServeRoute({
        routes: { find: async () => route },
        random: () => 0,
      }),
    loadConversationState: () => Promise.reject(new Error('The provider keeps nothing')),
    cors: createCors([]),
    loadEndpoints: () => Promise.reject(new Error('Each request calls an operation')),
    limits: { ...chatLimits(defaultChatLimits, { flushMs: 0 }), retries: 0, heartbeatMs: 0 },
  });
  const connection = new PassThrough();
  const body = text(connection);
  let head = { status: 0, headers: {} as Record<string, string> };
  await handle({
    request: {
      method: 'POST',
      path: '/ai/chat/completions',
      headers: {},
      readQuery: () => ({}),
      readBody: () =>
        JSON.stringify({ model: 'route/main', stream, messages: [{ role: 'user', content: 'Say hello' }] }),
    },
    response: createResponseSink(connection, (status, headers) => {
      head = { status, headers };
      return connection;
    }),
    deadlineMs: startMs + deadlineMs,
    signal: new AbortController().signal,
  });
  connection.end();
  return { calls, lines, entries, paid, ...head, text: await body };
}

/** The entries that are known after the lines of a killed function, by their ids. */
function recoveredFrom(lines: readonly { fields: JsonObject }[]): Map<unknown, JsonObject> {
  const known = new Map<unknown, JsonObject>();
  for (const { fields } of lines) {
    const { attempt, entry } = fields as { attempt?: { entry: JsonObject }; entry?: JsonObject };
    for (const found of [attempt?.entry, entry]) if (found !== undefined) known.set(found.id, found);
  }
  return known;
}

it('Every attempt is logged and paid for, and a response has the bytes of one target only', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { calls, lines, entries, paid, status, headers, text: sent } = await run(given);
      const count = expectedAttempts(given);

      expect(calls).toEqual(providers.slice(0, count));
      expect(entries).toHaveLength(count);
      const ordered = entries.toSorted((left, right) => Number(left.attempt) - Number(right.attempt));
      expect(ordered.map(({ provider, attempt }) => [provider, attempt])).toEqual(
        calls.map((provider, index) => [provider, index + 1]),
      );
      const last = ordered.at(-1) ?? expect.fail();
      expect(ordered.map(({ superseded_by }) => superseded_by)).toEqual([
        ...calls.slice(1).map(() => last.id),
        null,
      ]);
      expect(new Set(entries.map(({ created_at }) => created_at)).size).toBe(1);
      expect(last.id).toBe(headers['x-gateway-request-id']);
      if (headers['x-gateway-provider'] !== undefined) {
        expect(headers['x-gateway-provider']).toBe(last.provider);
        expect(headers['x-gateway-attempts']).toBe(String(count));
      }

      const final = given.behaviours[count - 1] ?? expect.fail();
      for (const provider of providers) {
        const isSent = provider === last.provider && final.kind === 'response' && final.texts > 0;
        if (!isSent || given.stream) expect(sent.includes(`<${provider} 0>`)).toBe(isSent);
      }
      const isWhole = final.kind === 'response' && final.ending === 'done';
      expect(last.outcome === 'completed').toBe(isWhole);
      expect([status === 200, last.error_code === null]).toEqual([
        isWhole || (given.stream && final.kind === 'response' && sent !== '' && status === 200),
        isWhole,
      ]);

      const total = (amounts: readonly Usd[]) => amounts.reduce(addUsd, '0');
      expect(paid).toHaveLength(count);
      expect(total(paid)).toBe(total(entries.map(({ cost_usd }) => cost_usd)));

      // Wherever the function is killed, the lines have an entry for each call, and one of the request itself.
      for (let end = 1; end <= lines.length; end++) {
        const killed = lines.slice(0, end);
        const started = killed.filter((line) => line.event === 'request_forwarded').length;
        const known = [...recoveredFrom(killed).values()];
        expect(known).toHaveLength(started);
        expect(known.filter(({ superseded_by }) => superseded_by === undefined)).toMatchObject([
          { id: last.id, attempt: started },
        ]);
      }
    }),
  );
});
