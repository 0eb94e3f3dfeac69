/**
 * The connections of the chat function as it is deployed. To open one takes a round trip, over TLS two and a key
 * exchange: more than all that the gateway does for a request.
 *
 * When one of these fails, a connection is not kept any more, or not taken up again, or waits with small packets. None of
 * this is worth having: find what closes it.
 */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { buildChatCopies, type ChatCopies } from '../support/chat-copies.ts';
import {
  type ChatEnvironment,
  type ChatEnvironmentOptions,
  startChatEnvironment,
} from '../support/chat-environment.ts';
import { certificate } from '../support/loopback-service.ts';

const whole = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const streamed = { ...whole, stream: true };

let copies: ChatCopies;
beforeAll(() => {
  copies = buildChatCopies();
});
afterAll(() => copies.remove());

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  // No machine is so busy that a call of AWS is given up and made again.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Asks a cold function for these, one after the other. */
async function askInTurn(bodies: object[], options: ChatEnvironmentOptions = {}): Promise<ChatEnvironment> {
  const surroundings = await startChatEnvironment(options);
  cleanups.push(surroundings.stop);
  const { upstream, aws, caller } = surroundings;
  const { chat } = copies.start({ upstream: upstream.origin, aws: aws.origin });
  for (const body of bodies) await chat({ body, caller: caller() });
  return surroundings;
}

/** Trusts the certificate of the services in this file, as `NODE_EXTRA_CA_CERTS` does in a process. */
function trustLoopback(): void {
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, certificate.toString()]);
  cleanups.push(() => tls.setDefaultCACertificates(trusted));
}

const both = [whole, streamed, whole, streamed, whole];

it.each([false, true])('keeps one to each service, whatever is asked (over TLS: %s)', async (isSecure) => {
  trustLoopback();
  const { upstream, aws } = await askInTurn(both, { isSecure });

  expect(upstream.connections.map(({ requests }) => requests)).toEqual([both.map(() => 'provider')]);
  expect(aws.connections.map(({ requests }) => requests.join()).sort()).toEqual([
    'GetItem,PutItem,PutItem,PutItem,PutItem,PutItem',
    'GetSecretValue',
  ]);
});

it('takes the keys of the last one where a service has closed it', async () => {
  trustLoopback();
  const { upstream, aws } = await askInTurn(both, { isSecure: true, headers: { connection: 'close' } });
  const dynamoDb = aws.connections.filter(({ requests }) => requests[0] !== 'GetSecretValue');
  const resumed = [false, true, true, true, true];

  expect(upstream.connections.map(({ isResumed }) => isResumed)).toEqual(resumed);
  expect(dynamoDb.map(({ isResumed }) => isResumed)).toEqual([...resumed, true]);
});

it.each([false, true])(
  'holds no packet back until the one before is confirmed (over TLS: %s)',
  async (isSecure) => {
    trustLoopback();
    const turnedOff = vi.spyOn(await handlePrototype(), 'setNoDelay');
    await askInTurn([whole], { isSecure });

    // To the provider, DynamoDB and Secrets Manager; the services themselves leave it on.
    expect(turnedOff.mock.calls).toEqual([[true], [true], [true]]);
  },
);

/** Of Node's own sockets beneath those of `node:net`: an option is given down to them. */
async function handlePrototype(): Promise<{ setNoDelay(noDelay: boolean): number }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  return Object.getPrototypeOf(Reflect.get(server, '_handle'));
}
