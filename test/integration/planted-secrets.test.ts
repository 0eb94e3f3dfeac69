/**
 * Planted secrets: no content of requests and responses, and no credential, is in the gateway's log lines, tables, queues
 * or error messages. All traffic contains planted secrets, and everything that was written is searched for them.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryWrites } from '../faults/support/fault-proxy.ts';
import { findLeaks, type WrittenText } from '../support/planted-secrets/find-leaks.ts';
import {
  type PlantedSecretsFixture,
  providerName,
  type ReceivedResponse,
  startPlantedSecretsFixture,
} from '../support/planted-secrets/fixture.ts';
import { plantSecrets } from '../support/planted-secrets/plant-secrets.ts';
import { hangingResponses, providerFailures } from '../support/planted-secrets/provider-failures.ts';
import {
  chatRequests,
  invalidRequests,
  nativeRequests,
  reportRequests,
  translatedRequests,
} from '../support/planted-secrets/requests.ts';
import { fakeProviders } from '../support/providers/fake-providers.ts';
import { loadFixtures } from '../support/providers/fixture.ts';
import { jsonResponse } from '../support/providers/upstream-responses.ts';

/** A model of each protocol, and of an OpenAI-compatible provider that accepts fewer parameters. */
const models: Readonly<Record<string, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  bedrock: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  mistral: 'mistral-large-latest',
};
const unreadableText = 'UnreadableRecord0123456789';

let fixture: PlantedSecretsFixture;
const providerResponses: ReceivedResponse[] = [];
const gatewayResponses: ReceivedResponse[] = [];
const queuedDuringOutage: WrittenText[] = [];
beforeAll(async () => {
  fixture = await startPlantedSecretsFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const isLogged = (event: string) => fixture.logLines.some((line) => line.includes(`"event":"${event}"`));

async function inSequence<Item>(items: Iterable<Item>, work: (item: Item) => Promise<unknown>) {
  for (const item of items) await work(item);
}

describe('Traffic with planted secrets', () => {
  it('replays every recorded response of every provider, streaming and not', async () => {
    const replay = async (fake: string) => {
      const provider = providerName(fake);
      const upstream = fixture.upstreams.get(provider);
      const expectedApiKey = fixture.secrets.credential(provider);
      await inSequence(loadFixtures(fake), async ([name, recorded]) => {
        const planted = plantSecrets(recorded, fixture.secrets, expectedApiKey);
        if (upstream !== undefined) upstream.behaviour = { expectedApiKey, fixture: planted };
        const body = { model: `${provider}/${planted.model}`, ...planted.request };
        const forms = { plain: body, stream: { ...body, stream: true } };
        for (const form of ['plain', 'stream'] as const) {
          if (planted[form] === null) continue;
          providerResponses.push(
            await fixture.send({ name: `${fake}: ${name}, ${form}`, body: forms[form] }),
          );
        }
      });
      if (upstream !== undefined) upstream.behaviour = { expectedApiKey, echo: true };
    };
    await Promise.all(Object.keys(fakeProviders).map(replay));
    const allText = providerResponses.map(({ text }) => text).join();
    const { content } = fixture.secrets;
    for (const kind of ['completion', 'reasoning', 'completion arguments', "provider's error"] as const) {
      expect([kind, allText.includes(content[kind])]).toEqual([kind, true]);
    }
  });

  it('forwards all kinds of request content at both endpoints and for each protocol', async () => {
    const ask = ([provider, model]: [string, string]) =>
      inSequence(chatRequests(`${provider}/${model}`, fixture.secrets), async (request) => {
        providerResponses.push(await fixture.send(request, 'url'), await fixture.send(request, 'rest'));
      });
    await Promise.all(Object.entries(models).map(ask));
    const { content } = fixture.secrets;
    const received = [...fixture.upstreams].map(([name, { requests }]): [string, string] => [
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

  it('forwards requests in the format of the provider, and its responses', async () => {
    const statuses: string[] = [];
    await inSequence(nativeRequests(fixture.secrets), async ({ response, ...request }) => {
      const provider = request.path === '/ai/responses' ? 'openai' : 'anthropic';
      fixture.upstreams.get(provider)?.script(jsonResponse(response), jsonResponse(response));
      for (const origin of ['url', 'rest'] as const) {
        const received = await fixture.send(request, origin);
        providerResponses.push(received);
        statuses.push(`${received.status} ${received.text.includes(fixture.secrets.content.completion)}`);
      }
    });
    const [succeeded, failed] = ['200 true', '500 false'];
    expect(statuses).toEqual([
      ...[succeeded, succeeded, succeeded, succeeded, failed, failed],
      ...[succeeded, succeeded, failed, failed],
    ]);
  });

  it('translates messages for each protocol without the API', async () => {
    const all: Record<string, string> = { ...models, bedrock: 'us.amazon.nova-2-lite-v1:0' };
    const { anthropic: _, ...others } = all;
    const ask = ([provider, model]: [string, string]) =>
      inSequence(translatedRequests(`${provider}/${model}`, fixture.secrets), async (request) => {
        for (const origin of ['url', 'rest'] as const) {
          const received = await fixture.send(request, origin);
          providerResponses.push(received);
          expect([received.name, received.status]).toEqual([received.name, 200]);
        }
      });
    await Promise.all(Object.entries(others).map(ask));
    const { content } = fixture.secrets;
    for (const provider of Object.keys(others)) {
      const sent = fixture.upstreams.get(provider)?.requests.at(-1)?.body.toString() ?? '';
      const kinds = ['prompt', 'system', 'assistant', 'tool description', 'tool arguments'] as const;
      expect([provider, kinds.filter((kind) => !sent.includes(content[kind]))]).toEqual([provider, []]);
    }
  });

  it('sends no key of the gateway to a provider', () => {
    const received = [...fixture.upstreams].flatMap(([provider, { requests }]) =>
      requests.map(({ headers, url }) => ({ place: provider, text: JSON.stringify([headers, url]) })),
    );
    expect(received.filter(({ text }) => text.includes('pt_live_'))).toEqual([]);
    expect(received.length).toBeGreaterThan(500);
  });

  const chatBody = (provider: string, more: object = {}) => ({
    model: `${provider}/${models[provider]}`,
    messages: [{ role: 'user', content: fixture.secrets.content.prompt }],
    ...more,
  });

  it('returns every kind of error when a provider repeats request content in its errors', async () => {
    const fail = (provider: string) => {
      const upstream = fixture.upstreams.get(provider) ?? expect.fail(`There is no fake ${provider}`);
      const failures = providerFailures(fixture.secrets, fixture.secrets.credential(provider));
      const forms = [
        { stream: false },
        { stream: true },
        { stream: true, path: '/ai/messages', max_tokens: 100 },
      ];
      return inSequence(failures.entries(), async ([index, response]) => {
        for (const { path, ...fields } of forms) {
          upstream.script(response);
          const name = `${provider} fails, ${index}, ${JSON.stringify({ path, ...fields })}`;
          let received: ReceivedResponse;
          do {
            received = await fixture.send({ name, path, body: chatBody(provider, fields) });
            providerResponses.push(received);
            // On a busy machine, reading the API key can time out before the provider is asked.
          } while (received.status === 503 && upstream.countScripted() > 0);
          expect([name, received.status, upstream.countScripted()]).toEqual([name, received.status, 0]);
        }
      });
    };
    await Promise.all(Object.keys(models).map(fail));
    expect(new Set(providerResponses.map(({ status }) => status))).toEqual(
      new Set([200, 400, 413, 422, 429, 500, 502, 503, 504, 529]),
    );
  });

  it('times out when a provider hangs, and accepts that clients disconnect', async () => {
    const responses = hangingResponses(fixture.secrets.content.completion);
    const wait = async (provider: string) => {
      const upstream = fixture.upstreams.get(provider);
      upstream?.script(...responses);
      const body = chatBody(provider, { stream: true });
      const name = `${provider} hangs`;
      providerResponses.push(...(await Promise.all(responses.map(() => fixture.send({ name, body })))));
      await fixture.sendAndDisconnect({ name, body });
    };
    await Promise.all(Object.keys(models).map(wait));
    const hanging = providerResponses.filter(({ name }) => name.endsWith('hangs'));
    expect(hanging.map(({ status, text }) => `${status} ${/"code":"(\w+)"/.exec(text)?.[1]}`)).toContain(
      '504 provider_timeout',
    );
  });

  it('rejects invalid requests and invalid keys, and accepts report requests', async () => {
    const invalid = invalidRequests(fixture.secrets);
    await inSequence(invalid, async (request) => {
      gatewayResponses.push(await fixture.send(request, 'url'), await fixture.send(request, 'rest'));
    });
    expect(new Set(gatewayResponses.map(({ status }) => status))).toEqual(
      new Set([400, 401, 404, 405, 413, 415]),
    );
    await inSequence(reportRequests(fixture.secrets), async (request) => {
      gatewayResponses.push(await fixture.send(request));
    });
  });

  it('logs unreadable stream records and queue messages', async () => {
    await fixture.writeUnreadableRecords(unreadableText);
    const loggedErrors = () => ['unreadable_record', 'unreadable_lost_entry'].filter(isLogged);
    await expect.poll(loggedErrors).toHaveLength(2);
  });

  const ask = (name: string, more: object = {}) => fixture.send({ name, body: chatBody('openai', more) });

  it('queues log entries that the table rejects, and logs those that the queue rejects too', async () => {
    await fixture.dynamoDb.setFault({ kind: 'reset', operations: entryWrites });
    providerResponses.push(await ask('no table'));
    await expect.poll(() => isLogged('log_entry_queued')).toBe(true);
    await expect.poll(async () => (await fixture.queued()).length).toBeGreaterThan(1);
    queuedDuringOutage.push(...(await fixture.queued()));
    await fixture.sqs.setFault({ kind: 'reset', operations: ['SendMessage'] });
    providerResponses.push(await ask('no queue', { stream: true }));
    await expect.poll(() => isLogged('log_entry_not_written')).toBe(true);
    await fixture.sqs.setFault(null);
    await fixture.dynamoDb.setFault(null);
  });

  it('returns 503 for an unavailable table and 500 for an invalid secret', async () => {
    const { secrets } = fixture;
    await fixture.dynamoDb.setFault({ kind: 'reset' });
    const unavailable = await fixture.send({
      name: 'no directory',
      body: chatBody('openai'),
      headers: { authorization: `Bearer ${secrets.unknownKey.replace(/.$/, 'Z')}` },
    });
    gatewayResponses.push(unavailable);
    await fixture.dynamoDb.setFault(null);
    await fixture.writeSecret(JSON.stringify({ other: { api_key: [secrets.credential('openai')] } }));
    const invalidSecret = await fixture.send(
      { name: 'invalid secret', path: '/ai/models', method: 'GET' },
      'rest',
    );
    gatewayResponses.push(invalidSecret);
    expect([unavailable.status, invalidSecret.status]).toEqual([503, 500]);
  });
});

describe('After traffic with planted secrets', () => {
  const secrets = () => fixture.secrets.all();

  it('writes no secret to any log line', async () => {
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
    const lines = fixture.logLines.map((text, index) => ({
      place: `line ${index}: ${text.slice(0, 80)}`,
      text,
    }));
    expect(findLeaks(lines, [...secrets(), { name: 'the unreadable record', text: unreadableText }])).toEqual(
      [],
    );
    expect(lines.length).toBeGreaterThan(2500);
  });

  it('writes no secret to any table', async () => {
    const items = await fixture.stored();
    expect(findLeaks(items, secrets())).toEqual([]);
    expect(items.length).toBeGreaterThan(1000);
  });

  it('writes no secret to any queue', async () => {
    const messages = [...queuedDuringOutage, ...(await fixture.queued())];
    expect(findLeaks(messages, secrets())).toEqual([]);
    expect(messages.length).toBeGreaterThan(2);
  });

  it('repeats no secret in any response that the gateway itself creates', () => {
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
