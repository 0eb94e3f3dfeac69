/**
 * Secret canaries: no content of requests and responses, and no credential, is in the gateway's log lines, tables, queues
 * or error messages. All traffic contains canaries, and everything that was written is searched for them.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryWrites } from '../faults/harness/fault-proxy.ts';
import {
  type CanaryEnvironment,
  providerName,
  type ReceivedResponse,
  startCanaryEnvironment,
} from '../support/canary/environment.ts';
import { findLeaks, type WrittenText } from '../support/canary/find-leaks.ts';
import { withCanaries } from '../support/canary/fixture.ts';
import { hangingResponses, providerFailures } from '../support/canary/provider-failures.ts';
import { chatRequests, invalidRequests, reportRequests } from '../support/canary/requests.ts';
import { fakeProviders } from '../support/providers/fake-providers.ts';
import { loadFixtures } from '../support/providers/fixture.ts';

/** A model of each protocol, and of an OpenAI-compatible provider that accepts fewer parameters. */
const models: Readonly<Record<string, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  bedrock: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  mistral: 'mistral-large-latest',
};
const unreadableText = 'UnreadableRecord0123456789';

let environment: CanaryEnvironment;
const providerResponses: ReceivedResponse[] = [];
const gatewayResponses: ReceivedResponse[] = [];
const queuedDuringOutage: WrittenText[] = [];
beforeAll(async () => {
  environment = await startCanaryEnvironment();
});
afterAll(() => environment[Symbol.asyncDispose]());

const isLogged = (event: string) => environment.logLines.some((line) => line.includes(`"event":"${event}"`));

async function inSequence<Item>(items: Iterable<Item>, work: (item: Item) => Promise<unknown>) {
  for (const item of items) await work(item);
}

describe('Traffic with canaries', () => {
  it('replays every recorded response of every provider, streaming and not', async () => {
    const replay = async (fake: string) => {
      const provider = providerName(fake);
      const upstream = environment.upstreams.get(provider);
      const expectedApiKey = environment.canaries.credential(provider);
      await inSequence(loadFixtures(fake), async ([name, recorded]) => {
        const fixture = withCanaries(recorded, environment.canaries, expectedApiKey);
        if (upstream !== undefined) upstream.behaviour = { expectedApiKey, fixture };
        const body = { model: `${provider}/${fixture.model}`, ...fixture.request };
        const forms = { plain: body, stream: { ...body, stream: true } };
        for (const form of ['plain', 'stream'] as const) {
          if (fixture[form] === null) continue;
          providerResponses.push(
            await environment.send({ name: `${fake}: ${name}, ${form}`, body: forms[form] }),
          );
        }
      });
      if (upstream !== undefined) upstream.behaviour = { expectedApiKey, echo: true };
    };
    await Promise.all(Object.keys(fakeProviders).map(replay));
    const allText = providerResponses.map(({ text }) => text).join();
    const { content } = environment.canaries;
    for (const kind of ['completion', 'reasoning', 'completion arguments', "provider's error"] as const) {
      expect([kind, allText.includes(content[kind])]).toEqual([kind, true]);
    }
  });

  it('forwards all kinds of request content at both endpoints and for each protocol', async () => {
    const ask = ([provider, model]: [string, string]) =>
      inSequence(chatRequests(`${provider}/${model}`, environment.canaries), async (request) => {
        providerResponses.push(
          await environment.send(request, 'url'),
          await environment.send(request, 'rest'),
        );
      });
    await Promise.all(Object.entries(models).map(ask));
    const { content } = environment.canaries;
    const received = [...environment.upstreams].map(([name, { requests }]): [string, string] => [
      name,
      requests.map(({ body }) => body.toString()).join(),
    ]);
    for (const kind of [
      'prompt',
      'system',
      'assistant',
      'tool description',
      'tool arguments',
      'tool result',
    ] as const) {
      const receivers = received.filter(([, text]) => text.includes(content[kind])).map(([name]) => name);
      expect([kind, receivers]).toEqual([kind, expect.arrayContaining(Object.keys(models))]);
    }
  });

  const chatBody = (provider: string, more: object = {}) => ({
    model: `${provider}/${models[provider]}`,
    messages: [{ role: 'user', content: environment.canaries.content.prompt }],
    ...more,
  });

  it('returns every kind of error when a provider repeats request content in its errors', async () => {
    const fail = (provider: string) =>
      inSequence(
        providerFailures(environment.canaries, environment.canaries.credential(provider)).entries(),
        async ([index, response]) => {
          for (const stream of [false, true]) {
            environment.upstreams.get(provider)?.script(response);
            const name = `${provider} fails, ${index}${stream ? ', streamed' : ''}`;
            const received = await environment.send({ name, body: chatBody(provider, { stream }) });
            providerResponses.push(received);
            const notSent = environment.upstreams.get(provider)?.countScripted();
            expect([name, received.status, notSent]).toEqual([name, received.status, 0]);
          }
        },
      );
    await Promise.all(Object.keys(models).map(fail));
    expect(new Set(providerResponses.map(({ status }) => status))).toEqual(
      new Set([200, 400, 413, 422, 429, 502, 503, 504]),
    );
  });

  it('times out when a provider hangs, and accepts that clients disconnect', async () => {
    const responses = hangingResponses(environment.canaries.content.completion);
    const wait = async (provider: string) => {
      const upstream = environment.upstreams.get(provider);
      upstream?.script(...responses);
      const body = chatBody(provider, { stream: true });
      const name = `${provider} hangs`;
      providerResponses.push(...(await Promise.all(responses.map(() => environment.send({ name, body })))));
      await environment.sendAndDisconnect({ name, body });
    };
    await Promise.all(Object.keys(models).map(wait));
    const hanging = providerResponses.filter(({ name }) => name.endsWith('hangs'));
    expect(hanging.map(({ status, text }) => `${status} ${/"code":"(\w+)"/.exec(text)?.[1]}`)).toContain(
      '504 provider_timeout',
    );
  });

  it('rejects invalid requests and invalid keys, and accepts report requests', async () => {
    const invalid = invalidRequests(environment.canaries);
    await inSequence(invalid, async (request) => {
      gatewayResponses.push(await environment.send(request, 'url'), await environment.send(request, 'rest'));
    });
    expect(new Set(gatewayResponses.map(({ status }) => status))).toEqual(
      new Set([400, 401, 404, 405, 413, 415]),
    );
    await inSequence(reportRequests(environment.canaries), async (request) => {
      gatewayResponses.push(await environment.send(request));
    });
  });

  it('logs unreadable stream records and queue messages', async () => {
    await environment.writeUnreadableRecords(unreadableText);
    const loggedErrors = () => ['unreadable_record', 'unreadable_lost_entry'].filter(isLogged);
    await expect.poll(loggedErrors).toHaveLength(2);
  });

  const ask = (name: string, more: object = {}) => environment.send({ name, body: chatBody('openai', more) });

  it('queues log entries that the table rejects, and logs those that the queue rejects too', async () => {
    await environment.dynamoDb.setFault({ kind: 'reset', operations: entryWrites });
    providerResponses.push(await ask('no table'));
    await expect.poll(() => isLogged('log_entry_queued')).toBe(true);
    await expect.poll(async () => (await environment.queued()).length).toBeGreaterThan(1);
    queuedDuringOutage.push(...(await environment.queued()));
    await environment.sqs.setFault({ kind: 'reset', operations: ['SendMessage'] });
    providerResponses.push(await ask('no queue', { stream: true }));
    await expect.poll(() => isLogged('log_entry_not_written')).toBe(true);
    await environment.sqs.setFault(null);
    await environment.dynamoDb.setFault(null);
  });

  it('returns 503 for an unavailable table and 500 for an invalid secret', async () => {
    const { canaries } = environment;
    await environment.dynamoDb.setFault({ kind: 'reset' });
    const unavailable = await environment.send({
      name: 'no directory',
      body: chatBody('openai'),
      headers: { authorization: `Bearer ${canaries.unknownKey.replace(/.$/, 'Z')}` },
    });
    gatewayResponses.push(unavailable);
    await environment.dynamoDb.setFault(null);
    await environment.writeSecret(JSON.stringify({ other: { api_key: [canaries.credential('openai')] } }));
    const invalidSecret = await environment.send(
      { name: 'invalid secret', path: '/ai/models', method: 'GET' },
      'rest',
    );
    gatewayResponses.push(invalidSecret);
    expect([unavailable.status, invalidSecret.status]).toEqual([503, 500]);
  });
});

describe('After traffic with canaries', () => {
  const secrets = () => environment.canaries.secrets();

  it('writes no canary to any log line', async () => {
    const events = [
      'request_forwarded',
      'request_completed',
      'request_rejected',
      'request_metrics',
      'key_rejected',
      'log_entry_queued',
      'log_entry_not_written',
      'service_unavailable',
      'unexpected_error',
      'unreadable_lost_entry',
      'unreadable_record',
    ];
    await expect.poll(() => events.filter((event) => !isLogged(event))).toEqual([]);
    const lines = environment.logLines.map((text, index) => ({
      place: `line ${index}: ${text.slice(0, 80)}`,
      text,
    }));
    expect(findLeaks(lines, [...secrets(), { name: 'the unreadable record', text: unreadableText }])).toEqual(
      [],
    );
    expect(lines.length).toBeGreaterThan(2500);
  });

  it('writes no canary to any table', async () => {
    const items = await environment.stored();
    expect(findLeaks(items, secrets())).toEqual([]);
    expect(items.length).toBeGreaterThan(1000);
  });

  it('writes no canary to any queue', async () => {
    const messages = [...queuedDuringOutage, ...(await environment.queued())];
    expect(findLeaks(messages, secrets())).toEqual([]);
    expect(messages.length).toBeGreaterThan(2);
  });

  it('repeats no canary in any response that the gateway itself creates', () => {
    const responses = gatewayResponses.map(({ name, text }) => ({ place: name, text }));
    expect(findLeaks(responses, secrets())).toEqual([]);
    expect(responses.length).toBeGreaterThan(60);
  });

  it('repeats no credential in any response, although a provider may repeat request content', () => {
    const responses = providerResponses.map(({ name, text }) => ({ place: name, text }));
    const withoutRequestContent = secrets().filter(({ name }) =>
      /credential|provider's header|header|tried|query/.test(name),
    );
    expect(findLeaks(responses, withoutRequestContent)).toEqual([]);
    expect(responses.length).toBeGreaterThan(800);
  });
});
