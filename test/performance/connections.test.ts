/**
 * Connection reuse of the deployed chat function. Opening a connection takes a round trip, over TLS two and a key
 * exchange, which is more than all work of the gateway for a request.
 *
 * A failure means that a connection is no longer kept alive, that a TLS session is not resumed, or that Nagle's algorithm
 * delays packets. Find the cause; never relax these tests.
 */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type ColdStarter, createColdStarter } from '../support/chat/cold-start.ts';
import {
  type ChatServicesFixture,
  type ChatServicesFixtureOptions,
  startChatServicesFixture,
} from '../support/chat/services-fixture.ts';
import { certificate } from '../support/http/loopback-service.ts';
import { recordLogLines } from '../support/record-log-lines.ts';

const completionRequest = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const streamingRequest = { ...completionRequest, stream: true };

let coldStarter: ColdStarter;
beforeAll(() => {
  coldStarter = createColdStarter();
});
afterAll(() => coldStarter.remove());

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  recordLogLines();
  // Fake timers prevent timeouts and retries of AWS calls on a busy machine.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function sendInSequence(
  bodies: object[],
  options: ChatServicesFixtureOptions = {},
): Promise<ChatServicesFixture> {
  const fixture = await startChatServicesFixture(options);
  cleanups.push(fixture.stop);
  const { upstream, aws, createResponseStream } = fixture;
  const { chat } = coldStarter.start({ upstream: upstream.origin, aws: aws.origin });
  for (const body of bodies) await chat({ body, responseStream: createResponseStream() });
  return fixture;
}

/** Trusts the certificate of the fake services during a test, as `NODE_EXTRA_CA_CERTS` does for a process. */
function trustLoopback(): void {
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, certificate.toString()]);
  cleanups.push(() => tls.setDefaultCACertificates(trusted));
}

const bothForms = [
  completionRequest,
  streamingRequest,
  completionRequest,
  streamingRequest,
  completionRequest,
];

it.each([false, true])('keeps one connection to each service (TLS: %s)', async (useTls) => {
  trustLoopback();
  const { upstream, aws } = await sendInSequence(bothForms, { useTls });

  expect(upstream.connections.map(({ requests }) => requests)).toEqual([bothForms.map(() => 'provider')]);
  expect(aws.connections.map(({ requests }) => requests.join()).sort()).toEqual([
    // The API key, its organization, and custom prices under the requested name and the name in the stream.
    'GetItem,GetItem,GetItem,PutItem,GetItem,PutItem,PutItem,PutItem,PutItem',
    'GetSecretValue',
  ]);
});

it('resumes the TLS session after a service has closed the connection', async () => {
  trustLoopback();
  const { upstream, aws } = await sendInSequence(bothForms, {
    useTls: true,
    headers: { connection: 'close' },
  });
  const dynamoDb = aws.connections.filter(({ requests }) => requests[0] !== 'GetSecretValue');
  const resumed = [false, true, true, true, true];

  expect(upstream.connections.map(({ isResumed }) => isResumed)).toEqual(resumed);
  expect(dynamoDb.map(({ isResumed }) => isResumed)).toEqual([...resumed, true, true, true, true]);
});

it.each([false, true])("turns Nagle's algorithm off (TLS: %s)", async (useTls) => {
  trustLoopback();
  const setNoDelay = vi.spyOn(await handlePrototype(), 'setNoDelay');
  await sendInSequence([completionRequest], { useTls });

  // One call each for the provider, DynamoDB and Secrets Manager; the fake services leave it on.
  expect(setNoDelay.mock.calls).toEqual([[true], [true], [true]]);
});

/** Returns the prototype of Node's internal socket handles, to which `node:net` passes the option. */
async function handlePrototype(): Promise<{ setNoDelay(noDelay: boolean): number }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  return Object.getPrototypeOf(Reflect.get(server, '_handle'));
}
