/** Recovery of lost entries through the queue, on the local stack. */
import {
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QueueEngine, startQueueEngine } from '#local/aws/sqs/engine.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { entryWrites, type FaultProxy, startFaultProxy } from '../faults/support/fault-proxy.ts';
import { type EmbeddedDynamoDB, startSeparateDynamoDB } from '../support/dynamodb/embedded.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import { seededRandom } from '../support/seeded-random.ts';

interface Entry {
  id: string;
  cost_usd: number;
}

interface Costs {
  groups: { user_id: string | null; requests: number; cost_usd: number }[];
}

/** The queue inspection response of fauxqs. */
interface QueueView {
  messages: { ready: { body: string }[]; inflight: { message: { body: string } }[] };
}

const messages = [{ role: 'user', content: 'Say hello' }];
const region = 'us-east-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

describe('A log entry that could not be written', () => {
  let upstream: OpenAIUpstream;
  let database: EmbeddedDynamoDB;
  let proxy: FaultProxy;
  let queues: QueueEngine;
  let client: SQSClient;
  let gateway: LocalGateway;

  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    database = await startSeparateDynamoDB();
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

  const queueName = (output: string) => gateway.connection.outputs[output]?.split('/').at(-1) ?? '';
  const fetchQueueUrl = async (output: string) =>
    (await client.send(new GetQueueUrlCommand({ QueueName: queueName(output) }))).QueueUrl;
  /** Shortens the visibility timeout, a minute in the stack, and the maximum of receives, a thousand. */
  const shortenRetries = async (maxReceiveCount: number) => {
    const deadLetterTargetArn = `arn:aws:sqs:${region}:000000000000:${queueName('LostEntriesDeadLetterQueueUrl')}`;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
    const Attributes = { VisibilityTimeout: '1', RedrivePolicy };
    const QueueUrl = await fetchQueueUrl('LostEntriesQueueUrl');
    await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  };
  const send = async (body: string) =>
    client.send(
      new SendMessageCommand({ QueueUrl: await fetchQueueUrl('LostEntriesQueueUrl'), MessageBody: body }),
    );
  const bodies = async () => {
    const response = await fetch(`${queues.endpoint}/_fauxqs/queues/${queueName('LostEntriesQueueUrl')}`);
    const { ready, inflight } = ((await response.json()) as QueueView).messages;
    return [...ready.map(({ body }) => body), ...inflight.map(({ message }) => message.body)];
  };
  const queueIsEmpty = () => expect.poll(bodies).toEqual([]);

  const get = async <Body>(path: string) => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    return (await (await fetch(`${gateway.baseUrl}${path}`, { headers })).json()) as Body;
  };
  const fetchEntries = async (user: string) =>
    (await get<{ data: Entry[] }>(`/api/logs?user_id=${user}`)).data;
  const fetchCosts = async (user: string) => {
    const { groups } = await get<Costs>('/api/costs?group_by=user_id');
    return groups.filter(({ user_id }) => user_id === user);
  };
  /** Sends another request and waits until it is in the costs. Earlier entries have been rolled up by then. */
  const waitForRollup = async (user: string) => {
    await sendChatRequest(user);
    await expect.poll(() => fetchCosts(user)).toMatchObject([{ requests: 1 }]);
  };
  const sendChatRequest = async (user: string) => {
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

  it('queues an entry while the table is unavailable, then writes and counts it once', async () => {
    await shortenRetries(100);
    await proxy.setFault({ kind: 'reset', operations: entryWrites });
    const response = await sendChatRequest('waits');
    await expect.poll(bodies).toHaveLength(1);
    const [body = ''] = await bodies();
    const loggedDuringOutage = await fetchEntries('waits');
    await proxy.setFault(null);
    await queueIsEmpty();
    // SQS may redeliver a message after it was processed and deleted.
    await send(body);
    await queueIsEmpty();
    await waitForRollup('afterwards');
    const entries = await fetchEntries('waits');

    expect(response.status).toBe(200);
    expect(loggedDuringOutage).toEqual([]);
    expect(entries).toMatchObject([{ id: response.id, outcome: 'completed', cost_usd: expect.any(Number) }]);
    expect(entries[0]?.cost_usd).toBeGreaterThan(0);
    expect(await fetchCosts('waits')).toMatchObject([{ requests: 1, cost_usd: entries[0]?.cost_usd }]);
  });

  it('writes an entry once when the response to the write was lost', async () => {
    await shortenRetries(100);
    await proxy.setFault({ kind: 'response_lost', operations: entryWrites });
    const response = await sendChatRequest('response-lost');
    await expect.poll(bodies).toHaveLength(1);
    await proxy.setFault(null);
    await queueIsEmpty();
    await waitForRollup('after that');

    expect(await fetchEntries('response-lost')).toMatchObject([{ id: response.id, outcome: 'completed' }]);
    expect(await fetchCosts('response-lost')).toMatchObject([{ requests: 1 }]);
  });

  it('moves an invalid message to the dead-letter queue', async () => {
    await shortenRetries(2);
    await send('{"entry":{}}');
    const QueueUrl = await fetchQueueUrl('LostEntriesDeadLetterQueueUrl');
    const deadLetters = await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));

    expect(deadLetters.Messages?.map(({ Body }) => Body)).toEqual(['{"entry":{}}']);
    expect(await bodies()).toEqual([]);
  });
});
