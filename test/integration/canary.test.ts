/**
 * Nothing of what callers and providers say, and no key, is in anything that the gateway writes: log lines, tables,
 * queues, errors of its own. All of its traffic has canaries in it, and everything that was written is searched.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CanaryEnvironment,
  providerName,
  type ReceivedResponse,
  startCanaryEnvironment,
} from '../support/canary/canary-environment.ts';
import { withCanaries } from '../support/canary/canary-fixture.ts';
import { badRequests, chatRequests, reportRequests } from '../support/canary/canary-requests.ts';
import { findLeaks, type Writing } from '../support/canary/find-leaks.ts';
import { hanging, providerFailures } from '../support/canary/provider-failures.ts';
import { fakeProviders } from '../support/providers/fake-providers.ts';
import { fixturesOf } from '../support/providers/fixture.ts';

/** A model of each protocol, and of each dialect whose fake takes less than OpenAI does. */
const models: Readonly<Record<string, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  bedrock: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  mistral: 'mistral-large-latest',
};
const poison = 'PoisonousRecord0123456789';

let world: CanaryEnvironment;
const providerAnswers: ReceivedResponse[] = [];
const ownAnswers: ReceivedResponse[] = [];
const queuedMeanwhile: Writing[] = [];
beforeAll(async () => {
  world = await startCanaryEnvironment();
});
afterAll(() => world[Symbol.asyncDispose]());

const loggedEvents = () => new Set(world.logLines.flatMap((line) => /"event":"(\w+)"/.exec(line)?.[1] ?? []));

async function inTurn<Item>(items: Iterable<Item>, work: (item: Item) => Promise<unknown>) {
  for (const item of items) await work(item);
}

describe('the traffic', () => {
  it('has every recorded answer of every provider, whole and streamed', async () => {
    const replay = async (fake: string) => {
      const provider = providerName(fake);
      const upstream = world.upstreams.get(provider);
      const expectedApiKey = world.canaries.credential(provider);
      await inTurn(fixturesOf(fake), async ([name, recorded]) => {
        const fixture = withCanaries(recorded, world.canaries, expectedApiKey);
        if (upstream !== undefined) upstream.behaviour = { expectedApiKey, fixture };
        const body = { model: `${provider}/${fixture.model}`, ...fixture.request };
        const forms = { plain: body, stream: { ...body, stream: true } };
        for (const form of ['plain', 'stream'] as const) {
          if (fixture[form] === null) continue;
          providerAnswers.push(await world.send({ name: `${fake}: ${name}, ${form}`, body: forms[form] }));
        }
      });
      if (upstream !== undefined) upstream.behaviour = { expectedApiKey, echo: true };
    };
    await Promise.all(Object.keys(fakeProviders).map(replay));
    const said = providerAnswers.map(({ text }) => text).join();
    const { content } = world.canaries;
    for (const kind of ['answer', 'reasoning', 'answered arguments', "provider's error"] as const) {
      expect([kind, said.includes(content[kind])]).toEqual([kind, true]);
    }
  });

  it('has everything that a caller can say, through both doors, at a provider of each protocol', async () => {
    const ask = ([provider, model]: [string, string]) =>
      inTurn(chatRequests(`${provider}/${model}`, world.canaries), async (request) => {
        providerAnswers.push(await world.send(request, 'url'), await world.send(request, 'rest'));
      });
    await Promise.all(Object.entries(models).map(ask));
    const { content } = world.canaries;
    const received = [...world.upstreams].map(([name, { requests }]): [string, string] => [
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
      const heard = received.filter(([, text]) => text.includes(content[kind])).map(([name]) => name);
      expect([kind, heard]).toEqual([kind, expect.arrayContaining(Object.keys(models))]);
    }
  });

  const question = (provider: string, more: object = {}) => ({
    model: `${provider}/${models[provider]}`,
    messages: [{ role: 'user', content: world.canaries.content.prompt }],
    ...more,
  });

  it('has every way in which a provider fails, with what it was sent in what it says', async () => {
    const fail = (provider: string) =>
      inTurn(
        providerFailures(world.canaries, world.canaries.credential(provider)).entries(),
        async ([index, answer]) => {
          for (const stream of [false, true]) {
            world.upstreams.get(provider)?.script(answer);
            const name = `${provider} fails, ${index}${stream ? ', streamed' : ''}`;
            providerAnswers.push(await world.send({ name, body: question(provider, { stream }) }));
          }
        },
      );
    await Promise.all(Object.keys(models).map(fail));
    expect(new Set(providerAnswers.map(({ status }) => status))).toEqual(
      new Set([200, 400, 413, 422, 429, 502, 503, 504]),
    );
  });

  it('has providers that hang, and callers that hang up', async () => {
    const answers = hanging(world.canaries.content.answer);
    const wait = async (provider: string) => {
      const upstream = world.upstreams.get(provider);
      upstream?.script(...answers);
      const body = question(provider, { stream: true });
      const name = `${provider} hangs`;
      providerAnswers.push(...(await Promise.all(answers.map(() => world.send({ name, body })))));
      await world.sendAndLeave({ name, body });
    };
    await Promise.all(Object.keys(models).map(wait));
    expect(
      providerAnswers.filter(({ name, status }) => name.endsWith('hangs') && status === 504),
    ).not.toEqual([]);
  });

  it('has bad requests and bad keys of every kind, and questions to the reports', async () => {
    const bad = badRequests(world.canaries);
    await inTurn(bad, async (request) => {
      ownAnswers.push(await world.send(request, 'url'), await world.send(request, 'rest'));
    });
    expect(new Set(ownAnswers.map(({ status }) => status))).toEqual(new Set([400, 401, 404, 405, 413, 415]));
    await inTurn(reportRequests(world.canaries), async (request) => {
      ownAnswers.push(await world.send(request));
    });
  });

  it('has records and messages that are none', async () => {
    await world.writePoison(poison);
    const both = () =>
      ['unreadable_record', 'unreadable_lost_entry'].filter((event) => loggedEvents().has(event));
    await expect.poll(both).toHaveLength(2);
  });

  const ask = (name: string, more: object = {}) => world.send({ name, body: question('openai', more) });

  it('has entries that their table does not take, and then the queue neither', async () => {
    await world.dynamoDb.set({ kind: 'reset', operations: ['PutItem'] });
    providerAnswers.push(await ask('no table'));
    await expect.poll(async () => (await world.queued()).length).toBeGreaterThan(1);
    queuedMeanwhile.push(...(await world.queued()));
    await world.sqs.set({ kind: 'reset', operations: ['SendMessage'] });
    providerAnswers.push(await ask('no queue', { stream: true }));
    await expect.poll(() => loggedEvents().has('log_entry_not_written')).toBe(true);
    await world.sqs.set(null);
    await world.dynamoDb.set(null);
  });

  it('has a table that is away, and a secret that is none', async () => {
    const { canaries } = world;
    await world.dynamoDb.set({ kind: 'reset' });
    const away = await world.send({
      name: 'no directory',
      body: question('openai'),
      headers: { authorization: `Bearer ${canaries.unknownKey.replace(/.$/, 'Z')}` },
    });
    ownAnswers.push(away);
    await world.dynamoDb.set(null);
    await world.writeSecret(JSON.stringify({ other: { api_key: [canaries.credential('openai')] } }));
    const unset = await world.send({ name: 'no secret', path: '/ai/models', method: 'GET' }, 'rest');
    ownAnswers.push(unset);
    expect([away.status, unset.status]).toEqual([503, 500]);
  });
});

describe('of all this, nothing is', () => {
  const secrets = () => world.canaries.secrets();

  it('in any log line', async () => {
    const events = [
      'request_forwarded',
      'log_entry_not_written',
      'service_unavailable',
      'unexpected_error',
      'unreadable_lost_entry',
      'unreadable_record',
    ];
    await expect.poll(() => events.filter((event) => !loggedEvents().has(event))).toEqual([]);
    const lines = world.logLines.map((text, index) => ({
      place: `line ${index}: ${text.slice(0, 80)}`,
      text,
    }));
    expect(findLeaks(lines, [...secrets(), { name: 'the poison', text: poison }])).toEqual([]);
    expect(lines.length).toBeGreaterThan(1500);
  });

  it('in any table', async () => {
    const items = await world.stored();
    expect(findLeaks(items, secrets())).toEqual([]);
    expect(items.length).toBeGreaterThan(1000);
  });

  it('in any queue', async () => {
    const messages = [...queuedMeanwhile, ...(await world.queued())];
    expect(findLeaks(messages, secrets())).toEqual([]);
    expect(messages.length).toBeGreaterThan(2);
  });

  it('in any answer that the gateway words itself', () => {
    const answers = ownAnswers.map(({ name, text }) => ({ place: name, text }));
    expect(findLeaks(answers, secrets())).toEqual([]);
    expect(answers.length).toBeGreaterThan(60);
  });

  it('a credential in any answer at all: a provider may repeat to callers what they said, and no more', () => {
    const answers = providerAnswers.map(({ name, text }) => ({ place: name, text }));
    const notCallers = secrets().filter(({ name }) =>
      /credential|provider's header|header|tried|query/.test(name),
    );
    expect(findLeaks(answers, notCallers)).toEqual([]);
    expect(answers.length).toBeGreaterThan(800);
  });
});
