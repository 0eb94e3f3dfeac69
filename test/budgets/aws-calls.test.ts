/**
 * The calls of AWS that a chat request takes, counted on the function as it is deployed. Each one before the provider is
 * called is milliseconds of the caller's; each one at all is paid for.
 *
 * When one of these fails, a request has come to need another call. It may be worth that; then its reason belongs in the
 * commit, and `docs/performance.md` has the figures that change.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildChatCopies, type ChatCopies } from '../support/chat-copies.ts';
import {
  type ChatEnvironment,
  type ChatEnvironmentOptions,
  startChatEnvironment,
} from '../support/chat-environment.ts';
import type { Ask } from '../support/deployed-chat.ts';

const whole = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const forms = [
  ['a whole answer', whole],
  ['a stream', { ...whole, stream: true }],
] as const;

let copies: ChatCopies;
beforeAll(() => {
  copies = buildChatCopies();
});
afterAll(() => copies.remove());

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  // No machine is so busy that a call of AWS is given up and made again, or a kept answer out of date.
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 20), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A cold function, and what is done in a request to it. */
async function start(options: ChatEnvironmentOptions = {}) {
  const surroundings = await startChatEnvironment(options);
  cleanups.push(surroundings.stop);
  const { journal, upstream, aws, caller } = surroundings;
  const { chat, ready } = copies.start({ upstream: upstream.origin, aws: aws.origin });
  const ask = (body: object, more: Partial<Ask> = {}) => chat({ body, caller: caller(), ...more });
  return {
    ask,
    ready,
    journal,
    async callsOf(body: object, more: Partial<Ask> = {}) {
      const before = journal.length;
      await ask(body, more);
      return inOrder(journal.slice(before));
    },
  };
}

/** A cold function that has done whatever it does before it is asked for anything. */
async function startReady(options: ChatEnvironmentOptions = {}) {
  const started = await start(options);
  await started.ready;
  return started;
}

/** Two reads are under way at once, and either may come first. */
function inOrder(journal: ChatEnvironment['journal']): string[] {
  const reads = journal.filter((name) => name.startsWith('Get'));
  const isFirst = reads.every((name) => journal.slice(0, reads.length).includes(name));
  return isFirst ? [...reads.sort(), ...journal.slice(reads.length)] : journal;
}

it('a function that starts asks for this before it is asked for anything', async () => {
  const { journal } = await startReady();

  expect(journal).toEqual(['GetSecretValue']);
});

describe.each(forms)('a request for %s', (_, body) => {
  it('waits, cold, for a read of the key and one of the credentials', async () => {
    const { ask, journal } = await startReady();
    await ask(body);

    expect(inOrder(journal)).toEqual(['GetItem', 'GetSecretValue', 'provider', 'answered', 'PutItem']);
  });

  it('waits, warm, for nothing, and has its entry written when it is over', async () => {
    const { callsOf, ask } = await startReady();
    await ask(body);

    expect(await callsOf(body)).toEqual(['provider', 'answered', 'PutItem']);
  });

  it('reads the key again after 20 seconds, and the credentials after 5 minutes', async () => {
    const { callsOf, ask } = await startReady();
    const warm = ['provider', 'answered', 'PutItem'];
    await ask(body);
    vi.setSystemTime(Date.now() + 19_999);
    const before = await callsOf(body);
    vi.setSystemTime(Date.now() + 1);
    const after = await callsOf(body);
    vi.setSystemTime(Date.now() + 280_000);

    expect([before, after]).toEqual([warm, ['GetItem', ...warm]]);
    expect(await callsOf(body)).toEqual(['GetItem', 'GetSecretValue', ...warm]);
  });
});

describe('reads', () => {
  it('are both under way at once', async () => {
    // Neither is answered before the other has come: if one waited for the other, this would never end.
    const { promise: bothHaveCome, resolve } = Promise.withResolvers<void>();
    const waiting = new Set<string>();
    const { ask, journal } = await start({
      hold(action) {
        if (!action.startsWith('Get')) return undefined;
        waiting.add(action);
        if (waiting.size === 2) resolve();
        return bothHaveCome;
      },
    });

    await ask(whole);

    expect(inOrder(journal)).toEqual(['GetItem', 'GetSecretValue', 'provider', 'answered', 'PutItem']);
  });

  it('are made once for all who ask at once', async () => {
    const { ask, journal } = await startReady();
    await Promise.all(Array.from({ length: 20 }, () => ask(whole)));

    expect(journal.filter((name) => name.startsWith('Get')).sort()).toEqual(['GetItem', 'GetSecretValue']);
    expect(journal.filter((name) => name === 'PutItem')).toHaveLength(20);
  });
});

describe('a request that is refused', () => {
  it('costs one read of its key in three seconds, and is not logged', async () => {
    const { ask, callsOf, journal } = await startReady({ hasApiKey: false });
    await ask(whole);
    const cold = inOrder(journal);
    vi.setSystemTime(Date.now() + 2999);
    const before = await callsOf(whole);
    vi.setSystemTime(Date.now() + 1);

    expect([cold, before]).toEqual([['GetItem', 'GetSecretValue', 'answered'], ['answered']]);
    expect(await callsOf(whole)).toEqual(['GetItem', 'answered']);
  });

  it('costs nothing when what it has for a key cannot be one', async () => {
    const { callsOf } = await startReady();

    expect(await callsOf(whole, { authorization: 'Bearer sk-mine' })).toEqual(['answered']);
  });

  it('costs one read more where its provider has no credential: it may have been set since the start', async () => {
    const { ask, callsOf, journal } = await startReady({ hasCredential: false });
    await ask(whole);

    const reads = ['GetItem', 'GetSecretValue', 'GetSecretValue'];
    expect(inOrder(journal)).toEqual([...reads, 'answered', 'PutItem']);
    expect(await callsOf(whole)).toEqual(['answered', 'PutItem']);
  });
});
