/**
 * A hard budget holds, whatever providers report and callers do: random requests with the chat function, the stream of the
 * log table, the rollup function, the queue of lost entries and the recovery.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { correctEntry } from '#lambdas/costs/reprice/correct-entry.ts';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createRestoredEntryWriter } from '#lambdas/costs/restored-entries.ts';
import { storeCounterFlag } from '#lambdas/costs/rollups/state.ts';
import { createAdmitRequest } from '#lambdas/inference/exchange/admit-request.ts';
import { periodOfCounter, remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { expiredAmountsOf, sumByPeriod } from '#lambdas/limits/counters/leases.ts';
import type { RequestEnd } from '#lambdas/limits/request-lease.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { addUsd, subtractUsd, toUnits, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import { restoreEntry } from '#lambdas/request-log/recover/restore-entry.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { type ChatHandlerFixture, createChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { openStreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { fc } from '#test/support/fast-check.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import {
  eventsWith,
  exampleRates,
  reportedUsages,
  wholeWith,
} from '#test/support/providers/dialects/missing-usage.ts';
import { protocols, responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '#test/support/providers/openai/upstream.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import { byTestForm } from '#test/support/test-form.ts';

const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const now = () => new Date(receivedAtMs);
const month = '2026-11';

let database: EmbeddedDynamoDB;
let upstream: OpenAIUpstream;
let respond: Respond;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
});
afterAll(async () => {
  await upstream.stop();
  await database.stop();
});

const requests = fc.record({
  protocol: fc.constantFrom(...protocols),
  stream: fc.boolean(),
  /** The limit of the output, which a provider may have reached without reporting it. */
  maxTokens: fc.integer({ min: 5, max: 200 }),
  reported: fc.constantFrom(...reportedUsages),
  /** The response, or how it ends early. */
  ending: fc.constantFrom('whole', 'whole', 'cut', 'silent', 'caller leaves', 'killed'),
  isPriceReadable: fc.boolean(),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

type Gateway = Awaited<ReturnType<typeof startGateway>>;

async function startGateway(limitUsd: Usd) {
  const pricing = createPricing(emptyPriceTable);
  const state = { isPriceReadable: true, isKilled: false };
  const { documentClient: client, endpoint } = database;
  let writer = { put: async (_entry: LogEntry) => {} };
  const loadPricing = async () => ({
    ...pricing,
    priceUsage: (...request: Parameters<typeof pricing.priceUsage>) =>
      state.isPriceReadable ? pricing.priceUsage(...request) : Promise.reject(new Error('throttled')),
  });
  const fixture = await createChatHandlerFixture({
    database,
    settings: Object.fromEntries(protocols.map((name) => [name, { baseUrl: upstream.baseUrl }])),
    credentials: Object.fromEntries(protocols.map((name) => [name, { api_key: 'sk-upstream' }])),
    hardLimits: { organization: { month: limitUsd } },
    limits: { firstByteMs: 300, idleMs: 100, drainMs: 10 },
    dependencies: {
      now,
      logEntries: { put: async (entry) => (state.isKilled ? undefined : writer.put(entry)) },
      loadPricing,
      async loadAdmitRequest() {
        const dynamodb = createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now });
        const tableName = fixture.tables.budgetCounters;
        const calls = tableCallsAt(endpoint);
        const admit = createAdmitRequest({ dynamodb, calls, tableName, loadPricing, now });
        return async (...request) => {
          const { lease, ...admitted } = await admit(...request);
          const end = async (result: RequestEnd) => (state.isKilled ? undefined : lease?.end(result));
          return { ...admitted, lease: lease && { ...lease, end } };
        };
      },
    },
  });
  const { tables, organizationId } = fixture;
  const logEntries = { client, tableName: tables.logEntries, now };
  const costRollups = { client, tableName: tables.costRollups };
  writer = createSdkLogEntryWriter(logEntries, 90);
  await storeCounterFlag(costRollups, organizationId, 'organization_counter');
  const tail = await openStreamTail(endpoint, tables.logEntriesStreamArn);
  const findPrice = createPriceFinder({ customPrices: emptyPriceTable, settings: {} });
  const count = rollupFunction({
    table: costRollups,
    now,
    settlement: {
      budgetCounters: { client, tableName: tables.budgetCounters },
      sendEvents: async () => {},
      now,
    },
  });
  let delivered = 0;
  return {
    fixture,
    state,
    stop: () => tail.stop(),
    /** Restores the entry of a killed request from its line in the log. */
    recover: (placeholder: LogEntry) =>
      restoreEntry(
        {
          logEntries,
          findPrice,
          retentionDays: 90,
          isDryRun: false,
          writer: createRestoredEntryWriter({ logEntries, costRollups }, 90),
        },
        placeholder,
      ),
    async deliver() {
      const records = (await tail.read()).slice(delivered);
      delivered += records.length;
      await count({ shardId: tail.shardId, Records: records as DynamoDBRecord[] });
    },
    correct: (entry: LogEntry) => correctEntry({ findPrice, logEntries, costRollups, now }, entry),
    /** Returns what `rollups verify` would find. */
    async differences() {
      const job = { signal: new AbortController().signal, report() {}, async wait() {} };
      const directory = { logShardsOf: async () => 1 };
      const later = () => new Date(receivedAtMs + 60_000);
      const dependencies = { directory, logEntries, costRollups, job, now: later };
      const request = { organizationId, fromMs: 0, settleMs: 0, onDay() {} };
      return (await verifyOrganization(dependencies, request)).differences;
    },
  };
}

function respondTo({ protocol, stream, reported, ending }: Request): Respond {
  if (ending === 'silent' || ending === 'killed') return hangBeforeHeaders;
  if (ending === 'whole' && !stream) return jsonResponse(wholeWith(protocol, reported));
  const events = eventsWith(protocol, reported);
  if (ending === 'whole') return streamResponse(events);
  const begin = events.slice(0, Math.ceil(events.length / 2));
  return streamResponse(begin, { ending: ending === 'cut' ? 'close' : 'hang' });
}

interface SentRequest {
  /** False if a budget has refused it. */
  isForwarded: boolean;
  /** The provider's charge, by its published prices; 0 for a request that it never gets. */
  chargedUsd: Usd;
}

async function send(
  { fixture, state, recover, correct, deliver }: Gateway,
  request: Request,
): Promise<SentRequest> {
  const { protocol, stream, maxTokens, reported, ending, isPriceReadable } = request;
  const content = 'Say hello';
  const arrival = Promise.withResolvers<void>();
  respond = (exchange) => {
    arrival.resolve();
    return respondTo(request)(exchange);
  };
  // One is left over if the last request was refused.
  if (upstream.countScripted() === 0) upstream.script((exchange) => respond(exchange));
  const session = randomUUID();
  const event = fixture.event(
    {
      model: responseFormats[protocol].model,
      messages: [{ role: 'user', content }],
      max_completion_tokens: maxTokens,
      stream,
    },
    { 'gateway-session-id': session },
  );
  const body = new PassThrough();
  const linesBefore = fixture.lines.length;
  Object.assign(state, { isPriceReadable, isKilled: ending === 'killed' });
  const sentBefore = upstream.requests.length;
  const calling = fixture.call(event, body);
  if (ending === 'caller leaves') {
    await Promise.race([arrival.promise, calling.then(({ invocation }) => invocation)]);
    body.destroy();
    await once(body, 'close');
  }
  const { invocation } = await calling;
  if (ending !== 'caller leaves') await text(body);
  await invocation;
  const isReceived = upstream.requests.length > sentBefore;
  const lines = fixture.lines.slice(linesBefore);
  const isForwarded = lines.some(({ event }) => event === 'request_forwarded');
  if (!isForwarded) {
    expect(isReceived).toBe(false);
    return { isForwarded, chargedUsd: '0' };
  }

  if (ending === 'killed') {
    const line = lines.find(({ event }) => event === 'request_forwarded');
    await recover(parseLogEntry(line?.entry));
  }
  await deliver();
  state.isPriceReadable = true;
  for (const lost of fixture.lostEntries.splice(0)) if (ending !== 'killed') await correct(lost);
  await deliver();

  // On a busy machine, a connection can take longer than the deadline.
  if (!isReceived) return { isForwarded, chargedUsd: '0' };
  const { input, output } = exampleRates[protocol];
  const isCertain = ending === 'whole' && reported.entry.usage_source === 'provider';
  const charged = isCertain ? reported.entry : { input_tokens: content.length, output_tokens: maxTokens };
  const usd = (charged.input_tokens * input + charged.output_tokens * output) / 1_000_000;
  return { isForwarded, chargedUsd: usdFromNumber(usd) };
}

/** Two minutes later, when the leases of killed functions count as free. */
async function stateOf(fixture: ChatHandlerFixture) {
  const laterMs = receivedAtMs + 120_000;
  const counter = (await fixture.hardBudgets.findCounterItem('organization')) ?? expect.fail();
  const { spentUsd } = periodOfCounter(counter, month);
  const expired = sumByPeriod(expiredAmountsOf(counter.attributes, laterMs)).get(month) ?? '0';
  return {
    spentUsd,
    remainingUsd: addUsd(remainingOf(counter, month), expired),
    reservedUsd: reservedUsd(counter, laterMs),
  };
}

const sum = (amounts: readonly Usd[]) => amounts.reduce(addUsd, '0');

it('holds without usage, callers, prices and functions, in the formats of all providers', async () => {
  // Each price that cannot be read is logged as an unexpected error.
  recordLogLines();
  const limits = fc.integer({ min: 500, max: 12_000 }).map((microUsd) => usdFromNumber(microUsd / 1_000_000));
  await fc.assert(
    fc.asyncProperty(limits, fc.array(requests, { minLength: 4, maxLength: 10 }), async (limit, sequence) => {
      const gateway = await startGateway(limit);
      const { fixture } = gateway;
      const sent: SentRequest[] = [];
      for (const request of sequence) {
        sent.push(await send(gateway, request));
        const entries = await fixture.entries(allTime);
        const forwarded = entries.filter(({ outcome }) => outcome !== 'rejected');
        const spentUsd = sum(forwarded.map(({ cost_usd }) => cost_usd));

        // The counter has what the entries cost, at every moment.
        expect(await stateOf(fixture)).toEqual({
          spentUsd,
          remainingUsd: subtractUsd(limit, spentUsd),
          reservedUsd: '0',
        });
        expect(forwarded).toHaveLength(sent.filter(({ isForwarded }) => isForwarded).length);
        expect(forwarded.filter(({ pricing }) => pricing === 'unknown' || pricing === null)).toEqual([]);
        const chargedUsd = sum(sent.map((each) => each.chargedUsd));
        expect(toUnits(chargedUsd)).toBeLessThanOrEqual(toUnits(spentUsd));
        expect(toUnits(spentUsd)).toBeLessThanOrEqual(toUnits(limit));
      }
      // The entries of requests that were refused last.
      await gateway.deliver();
      expect(await gateway.differences()).toEqual([]);
      gateway.stop();
    }),
    { numRuns: byTestForm({ short: 8, long: 200 }) },
  );
});
