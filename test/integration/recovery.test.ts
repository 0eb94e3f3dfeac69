/** What becomes of an entry that its table does not take: on the local stack, through its queue, once. */
import {
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QueueEngine, startQueueEngine } from '#local/aws/queue-engine.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type FaultProxy, startFaultProxy } from '../faults/harness/fault-proxy.ts';
import { seededRandom } from '../faults/harness/random.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../support/embedded-dynamodb.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/openai-upstream.ts';

interface Entry {
  id: string;
  cost_usd: number;
}

interface Costs {
  groups: { user_id: string | null; requests: number; cost_usd: number }[];
}

/** What fauxqs shows of a queue. */
interface QueueView {
  messages: { ready: { body: string }[]; inflight: { message: { body: string } }[] };
}

const messages = [{ role: 'user', content: 'Say hello' }];
const region = 'us-east-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

describe('an entry that its table does not take', () => {
  let upstream: OpenAIUpstream;
  let database: EmbeddedDynamoDB;
  let proxy: FaultProxy;
  let queues: QueueEngine;
  let client: SQSClient;
  let gateway: LocalGateway;

  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    database = await startEmbeddedDynamoDB();
    proxy = await startFaultProxy(() => database.endpoint, seededRandom(1));
    queues = await startQueueEngine({ dataDirectory: undefined, environment: {}, region });
    client = new SQSClient({ endpoint: queues.endpoint, region, credentials });
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(),
      environment: {
        PATH: process.env.PATH,
        OPENAI_API_KEY: 'sk-upstream',
        OPENAI_BASE_URL: upstream.baseUrl,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
        AWS_ENDPOINT_URL_SQS: queues.endpoint,
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    client.destroy();
    await queues.stop();
    await proxy.stop();
    await database.stop();
    await upstream.stop();
  });

  const nameOf = (output: string) => gateway.facts.outputs[output]?.split('/').at(-1) ?? '';
  const urlOf = async (output: string) =>
    (await client.send(new GetQueueUrlCommand({ QueueName: nameOf(output) }))).QueueUrl;
  /** Seconds where the stack says a minute, and a few deliveries where it says a thousand. */
  const hurryQueue = async (maxReceiveCount: number) => {
    const deadLetterTargetArn = `arn:aws:sqs:${region}:000000000000:${nameOf('LostEntriesDeadLetterQueueUrl')}`;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
    const Attributes = { VisibilityTimeout: '1', RedrivePolicy };
    const QueueUrl = await urlOf('LostEntriesQueueUrl');
    await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  };
  const send = async (body: string) =>
    client.send(new SendMessageCommand({ QueueUrl: await urlOf('LostEntriesQueueUrl'), MessageBody: body }));
  /** All of what is in the queue of lost entries, given to a function or not. */
  const bodies = async () => {
    const response = await fetch(`${queues.endpoint}/_fauxqs/queues/${nameOf('LostEntriesQueueUrl')}`);
    const { ready, inflight } = ((await response.json()) as QueueView).messages;
    return [...ready.map(({ body }) => body), ...inflight.map(({ message }) => message.body)];
  };
  const emptied = () => expect.poll(bodies).toEqual([]);

  const get = async <Body>(path: string) => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    return (await (await fetch(`${gateway.baseUrl}${path}`, { headers })).json()) as Body;
  };
  const entriesOf = async (user: string) => (await get<{ data: Entry[] }>(`/api/logs?user_id=${user}`)).data;
  const costsOf = async (user: string) => {
    const { groups } = await get<Costs>('/api/costs?group_by=user_id');
    return groups.filter(({ user_id }) => user_id === user);
  };
  /** By the time that a later request is in the costs, so is what came before it. */
  const counted = async (user: string) => {
    await ask(user);
    await expect.poll(() => costsOf(user)).toMatchObject([{ requests: 1 }]);
  };
  const ask = async (user: string) => {
    const headers = {
      authorization: `Bearer ${gateway.apiKey}`,
      'content-type': 'application/json',
      'gateway-user-id': user,
    };
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages });
    const response = await fetch(`${gateway.chatUrl}/ai/chat/completions`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return { status: response.status, id: response.headers.get('x-gateway-request-id') };
  };

  it('waits in the queue while the table is away, and is then in the log and in the costs, once', async () => {
    await hurryQueue(100);
    await proxy.set({ kind: 'reset', operations: ['PutItem'] });
    const asked = await ask('waits');
    await expect.poll(bodies).toHaveLength(1);
    const [body = ''] = await bodies();
    const loggedMeanwhile = await entriesOf('waits');
    await proxy.set(null);
    await emptied();
    // SQS may deliver a message again that was processed and deleted.
    await send(body);
    await emptied();
    await counted('afterwards');
    const entries = await entriesOf('waits');

    expect(asked.status).toBe(200);
    expect(loggedMeanwhile).toEqual([]);
    expect(entries).toMatchObject([{ id: asked.id, outcome: 'completed', cost_usd: expect.any(Number) }]);
    expect(entries[0]?.cost_usd).toBeGreaterThan(0);
    expect(await costsOf('waits')).toMatchObject([{ requests: 1, cost_usd: entries[0]?.cost_usd }]);
  });

  it('is there once when the table took it and nobody heard of that', async () => {
    await hurryQueue(100);
    await proxy.set({ kind: 'swallowed', operations: ['PutItem'] });
    const asked = await ask('unheard');
    await expect.poll(bodies).toHaveLength(1);
    await proxy.set(null);
    await emptied();
    await counted('after that');

    expect(await entriesOf('unheard')).toMatchObject([{ id: asked.id, outcome: 'completed' }]);
    expect(await costsOf('unheard')).toMatchObject([{ requests: 1 }]);
  });

  it('is left to the dead letters when it is none', async () => {
    await hurryQueue(2);
    await send('{"entry":{}}');
    const QueueUrl = await urlOf('LostEntriesDeadLetterQueueUrl');
    const dead = await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));

    expect(dead.Messages?.map(({ Body }) => Body)).toEqual(['{"entry":{}}']);
    expect(await bodies()).toEqual([]);
  });
});
