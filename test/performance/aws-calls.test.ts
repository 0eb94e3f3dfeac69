/**
 * The AWS calls of the deployed chat function. Each call costs money, and each one before the provider is called adds
 * milliseconds of latency. To allow another call, give the reason in the commit, and update the figures in
 * `docs/performance.md`.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ColdStarter, createColdStarter } from '../support/chat/cold-start.ts';
import type { ChatInvocation } from '../support/chat/deployed.ts';
import {
  type ChatServicesFixture,
  type ChatServicesFixtureOptions,
  startChatServicesFixture,
} from '../support/chat/services-fixture.ts';
import { recordLogLines } from '../support/record-log-lines.ts';

/** The first one of a key follows that of the key, later ones are concurrent to it. */
const organizationRead = 'GetItem organization';
const coldCalls = ['GetItem', organizationRead, 'GetSecretValue', 'provider', 'responded', 'PutItem'];
/** One for each name of the model: the requested name, and another one in the response. */
const priceRead = 'GetItem prices';

const completionRequest = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const forms = [
  ['a non-streaming response without a model', completionRequest, [priceRead]],
  ['a stream of a dated snapshot', { ...completionRequest, stream: true }, [priceRead, priceRead]],
] as const;

let coldStarter: ColdStarter;
beforeAll(() => {
  coldStarter = createColdStarter();
});
afterAll(() => coldStarter.remove());

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  recordLogLines();
  // Fake timers prevent timeouts, retries and expired caches on a busy machine.
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 20), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function start(options: ChatServicesFixtureOptions = {}) {
  const fixture = await startChatServicesFixture(options);
  cleanups.push(fixture.stop);
  const { journal, upstream, aws, createResponseStream } = fixture;
  const { chat, ready } = coldStarter.start({ upstream: upstream.origin, aws: aws.origin });
  const send = (body: object, more: Partial<ChatInvocation> = {}) =>
    chat({ body, responseStream: createResponseStream(), ...more });
  return {
    send,
    ready,
    journal,
    async callsOf(body: object, more: Partial<ChatInvocation> = {}) {
      const before = journal.length;
      await send(body, more);
      return inOrder(journal.slice(before));
    },
  };
}

async function startReady(options: ChatServicesFixtureOptions = {}) {
  const started = await start(options);
  await started.ready;
  return started;
}

/**
 * Sorts the reads before the call of the provider, which are concurrent and may arrive in either order, and puts the
 * read of custom prices, which is concurrent to the provider's response, at the end.
 */
function inOrder(unordered: ChatServicesFixture['journal']): string[] {
  const isPriceRead = (name: string) => name === priceRead;
  const journal = unordered.filter((name) => !isPriceRead(name));
  const reads = journal.filter((name) => name.startsWith('Get'));
  const isFirst = reads.every((name) => journal.slice(0, reads.length).includes(name));
  const ordered = isFirst ? [...reads.sort(), ...journal.slice(reads.length)] : journal;
  return [...ordered, ...unordered.filter(isPriceRead)];
}

it('reads the credentials during initialization', async () => {
  const { journal } = await startReady();

  expect(journal).toEqual(['GetSecretValue']);
});

describe.each(forms)('A request for %s', (_, body, priceReads) => {
  it('reads the API key and the credentials before the provider is called in a cold function', async () => {
    const { send, journal } = await startReady();
    await send(body);

    expect(inOrder(journal)).toEqual([...coldCalls, ...priceReads]);
  });

  it('calls the provider without any read in a warm function, and writes the log entry after the response', async () => {
    const { callsOf, send } = await startReady();
    await send(body);

    expect(await callsOf(body)).toEqual(['provider', 'responded', 'PutItem']);
  });

  it('reads the API key again after 20 seconds, and the credentials after 5 minutes', async () => {
    const { callsOf, send } = await startReady();
    const warm = ['provider', 'responded', 'PutItem'];
    await send(body);
    vi.setSystemTime(Date.now() + 19_999);
    const before = await callsOf(body);
    vi.setSystemTime(Date.now() + 1);
    const after = await callsOf(body);
    vi.setSystemTime(Date.now() + 280_000);

    expect([before, after]).toEqual([warm, ['GetItem', organizationRead, ...warm]]);
    expect(await callsOf(body)).toEqual([...coldCalls, ...priceReads]);
  });

  it('reads the custom prices of each name of the model once a minute, when there are none', async () => {
    const { callsOf, send } = await startReady();
    await send(body);
    const calls: string[][] = [];
    for (const waitedMs of [0, 59_999, 1, 59_999]) {
      vi.setSystemTime(Date.now() + waitedMs);
      calls.push(await callsOf(body));
    }

    const reads = calls.map((names) => names.filter((name) => name === priceRead).length);
    expect(reads).toEqual([0, 0, priceReads.length, 0]);
  });

  it('reads the custom prices while the provider works', async () => {
    const { promise: read, resolve } = Promise.withResolvers<void>();
    const { send, journal } = await startReady({
      delayResponse(action) {
        if (action === priceRead) resolve();
        // The provider responds only when the prices are being read.
        return action === 'provider' ? read : undefined;
      },
    });
    await send(body);

    expect(inOrder(journal)).toEqual([...coldCalls, ...priceReads]);
  });
});

describe('A key with hard budgets', () => {
  it.each([
    ['one', ['key_budget'], ['UpdateItem']],
    ['two', ['budget', 'key_budget'], ['UpdateItem', 'UpdateItem']],
  ] as const)(
    'reads the custom prices, then writes each of %s counters once before the provider is called, and once after the response',
    async (_, hardBudgets, reservation) => {
      const { callsOf, send, journal } = await startReady({ hardBudgets });
      await send(completionRequest);
      // One for each reservation.
      const ends = reservation;
      const cold = [
        'GetSecretValue',
        'GetItem',
        organizationRead,
        priceRead,
        ...reservation,
        'provider',
        'responded',
        ...ends,
        'PutItem',
      ];

      expect(journal).toEqual(cold);
      const warm = [...reservation, 'provider', 'responded', ...ends, 'PutItem'];
      expect(await callsOf(completionRequest)).toEqual(warm);
    },
  );

  it('reserves from two counters concurrently, and ends both reservations', async () => {
    // Each response waits until both writes have arrived: sequential writes would never end.
    const { promise: bothArrived, resolve } = Promise.withResolvers<void>();
    let arrived = 0;
    const { callsOf } = await startReady({
      hardBudgets: ['budget', 'key_budget'],
      delayResponse(action) {
        if (action !== 'UpdateItem') return undefined;
        if (++arrived === 2) resolve();
        return bothArrived;
      },
    });

    const calls = await callsOf(completionRequest);

    expect(calls.filter((name) => name === 'UpdateItem')).toHaveLength(4);
  });

  it('reads the custom prices of a model that only the response names after the response, as without a budget', async () => {
    const { send, journal } = await startReady({ hardBudgets: ['key_budget'] });
    await send({ ...completionRequest, stream: true });

    const reads = [priceRead, 'UpdateItem', 'provider', 'responded', priceRead, 'UpdateItem', 'PutItem'];
    expect(journal).toEqual(['GetSecretValue', 'GetItem', organizationRead, ...reads]);
  });
});

describe('Reads of the API key and the credentials', () => {
  it('reads the API key and the credentials concurrently', async () => {
    // Each response waits until both requests have arrived: sequential reads would never end.
    const { promise: bothArrived, resolve } = Promise.withResolvers<void>();
    const waiting = new Set<string>();
    const { send, journal } = await start({
      delayResponse(action) {
        if (!action.startsWith('Get')) return undefined;
        waiting.add(action);
        if (waiting.size === 2) resolve();
        return bothArrived;
      },
    });

    await send(completionRequest);

    expect(inOrder(journal)).toEqual([...coldCalls, priceRead]);
  });

  it('reads the API key and the credentials once for concurrent requests', async () => {
    const { send, journal } = await startReady();
    await Promise.all(Array.from({ length: 20 }, () => send(completionRequest)));

    const reads = journal.filter((name) => name.startsWith('Get')).sort();
    expect(reads).toEqual(['GetItem', organizationRead, priceRead, 'GetSecretValue']);
    expect(journal.filter((name) => name === 'PutItem')).toHaveLength(20);
  });
});

describe('A rejected request', () => {
  it('reads an unknown API key once in three seconds, and writes no log entry', async () => {
    const { send, callsOf, journal } = await startReady({ hasApiKey: false });
    await send(completionRequest);
    const cold = inOrder(journal);
    vi.setSystemTime(Date.now() + 2999);
    const before = await callsOf(completionRequest);
    vi.setSystemTime(Date.now() + 1);

    expect([cold, before]).toEqual([['GetItem', 'GetSecretValue', 'responded'], ['responded']]);
    expect(await callsOf(completionRequest)).toEqual(['GetItem', 'responded']);
  });

  it('makes no AWS call for a malformed API key', async () => {
    const { callsOf } = await startReady();

    expect(await callsOf(completionRequest, { authorization: 'Bearer sk-mine' })).toEqual(['responded']);
  });

  it('reads the credentials again when the provider has none, since it may have been set in the meantime', async () => {
    const { send, callsOf, journal } = await startReady({ hasCredential: false });
    await send(completionRequest);

    const reads = ['GetItem', organizationRead, 'GetSecretValue', 'GetSecretValue'];
    expect(inOrder(journal)).toEqual([...reads, 'responded', 'PutItem']);
    expect(await callsOf(completionRequest)).toEqual(['responded', 'PutItem']);
  });
});
